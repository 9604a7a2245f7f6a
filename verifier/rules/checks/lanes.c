/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of few instructions on vector registers and masks. */
#include "verifier/rules/checks/checks.h"

Answer check_lane_position(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    return t == NULL || t->kind == TY_VREG || op_attr_named(c->op, ATTR_position) == NULL
               ? HOLDS
               : fails(c, "%s is a scalar, of which there is no lane to choose",
                       case_name(c, r->a));
}

/* The index of a lane of 8 bits has 16: there is one for every other lane. */
Answer check_scatter_index(const Case *c, const Rule *r) {
    const Type *index = case_type(c, r->a), *value = case_type(c, r->b);
    if (index == NULL || value == NULL) return HOLDS;
    const unsigned want = elem_infos[value->elem].bytes <= 2 ? 2 : 4;
    return elem_infos[index->elem].bytes == want
               ? HOLDS
               : fails(c, "lanes of %s have %u bits, expected %u beside values of %u",
                       case_name(c, r->a), elem_infos[index->elem].bytes * 8, want * 8,
                       elem_infos[value->elem].bytes * 8);
}

/* A packed mask has the same granularity, or the one before or after it. */
static Answer one_step(const Case *c, const Rule *r, bool wider) {
    const Type *from = case_type(c, r->b), *to = case_type(c, r->a);
    if (from == NULL || to == NULL || from->kind != TY_MASK || to->kind != TY_MASK) return HOLDS;
    const uint32_t step = wider ? from->count * 2 : from->count / 2;
    return to->count == from->count || to->count == step
               ? HOLDS
               : fails(c, "%s is !pto.mask<b%u>, expected b%u or one step %s", case_name(c, r->a),
                       to->count, from->count, wider ? "wider" : "narrower");
}
Answer check_mask_packed(const Case *c, const Rule *r) {
    return one_step(c, r, false);
}
Answer check_mask_unpacked(const Case *c, const Rule *r) {
    return one_step(c, r, true);
}

Answer check_mask_pointer(const Case *c, const Rule *r) {
    const Type *mask = case_type(c, r->a), *p = case_type(c, r->b);
    if (mask == NULL || p == NULL || mask->kind != TY_MASK || p->kind != TY_PTR) return HOLDS;
    const unsigned bits = elem_infos[p->elem].bytes * 8u;
    return mask->count == 8 || mask->count == bits
               ? HOLDS
               : fails(c, "%s has granularity b%u but %s points to elements of %u bits",
                       case_name(c, r->a), mask->count, case_name(c, r->b), bits);
}

Answer check_constant_offset(const Case *c, const Rule *r) {
    int64_t n;
    return case_value(c, r->a) == NULL || constant_operand(c, r->a, &n)
               ? HOLDS
               : fails(c, "%s must be a constant", case_name(c, r->a));
}

Answer check_increment(const Case *c, const Rule *r) {
    const bool increment = case_value(c, r->a) != NULL;
    const bool next = c->op->nresults == c->op->inst->nresults;
    return increment == next ? HOLDS
                             : fails(c, next ? "the next address needs an increment"
                                             : "an increment needs a result for the next address");
}
