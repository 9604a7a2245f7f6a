/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of loads and stores of logical vectors: their forms, and the elements in memory. */
#include "verifier/rules/checks/checks.h"

#include "ir/vector_code.h"

enum { CONTINUOUS, BROADCAST, TWO_VECTORS, UNPACK }; /* of dist_mode */

static int dist_of(const Case *c) {
    const NamedAttr *a = op_attr_named(c->op, ATTR_dist_mode);
    return a != NULL && a->value->kind == ATTR_ENUM ? enum_number(a->value) : CONTINUOUS;
}

static bool has_groups(const Case *c) {
    int64_t n;
    return op_groups(c->op, &n);
}

/* True if `narrow` is an integer of fewer bits than the integer `wide`. */
static bool narrower(const Type *narrow, const Type *wide) {
    return elem_is_int((Elem)narrow->elem) && elem_is_int((Elem)wide->elem) &&
           elem_infos[narrow->elem].bytes < elem_infos[wide->elem].bytes;
}

static Answer differ(const Case *c, const Rule *r) {
    return fails(c, "%s points to %s but lanes of %s are %s", case_name(c, r->a),
                 elem_infos[case_type(c, r->a)->elem].text, case_name(c, r->b),
                 elem_infos[case_type(c, r->b)->elem].text);
}

Answer check_loaded_lanes(const Case *c, const Rule *r) {
    const Type *p = case_type(c, r->a), *t = case_type(c, r->b);
    if (p == NULL || t == NULL || p->elem_type == NULL) return HOLDS;
    if (dist_of(c) == UNPACK) return narrower(p, t) ? HOLDS : differ(c, r);
    return same_element(p, t) ? HOLDS : differ(c, r);
}

Answer check_stored_lanes(const Case *c, const Rule *r) {
    const Type *p = case_type(c, r->a), *t = case_type(c, r->b);
    if (p == NULL || t == NULL || p->elem_type == NULL || same_element(p, t)) return HOLDS;
    return has_groups(c) && narrower(p, t) ? HOLDS : differ(c, r);
}

static Answer group_form(const Case *c) {
    const int dist = dist_of(c);
    if (named_value(c->op, OPERAND_stride) == NULL) return fails(c, "group needs a stride");
    if (named_value(c->op, OPERAND_repeat_stride) != NULL)
        return fails(c, "group goes with one stride, not with the two of blocks");
    if (named_value(c->op, OPERAND_mask) != NULL)
        return fails(c, "group and a mask exclude each other");
    return dist == CONTINUOUS || dist == BROADCAST
               ? HOLDS
               : fails(c, "group and this dist_mode exclude each other");
}

/* Two strides: blocks of 32 bytes. */
Answer check_logical_access(const Case *c, const Rule *r) {
    (void)r;
    if (has_groups(c)) return group_form(c);
    if (named_value(c->op, OPERAND_stride) == NULL) return HOLDS;
    if (named_value(c->op, OPERAND_repeat_stride) == NULL)
        return fails(c, "a stride needs group, or the repeat stride of blocks");
    return dist_of(c) == CONTINUOUS ? HOLDS : fails(c, "blocks have no dist_mode");
}

Answer check_access_pair(const Case *c, const Rule *r) {
    const Type *high = case_type(c, r->a), *low = case_type(c, r->b);
    const bool two = dist_of(c) == TWO_VECTORS;
    if (two != (high != NULL))
        return fails(c, two ? "this dist_mode needs two vectors"
                            : "two vectors need dist_mode dintlv or intlv");
    if (!two || low == NULL) return HOLDS;
    return high->count == low->count && same_element(high, low)
               ? HOLDS
               : fails(c, "%s and %s have different types", case_name(c, r->b), case_name(c, r->a));
}
