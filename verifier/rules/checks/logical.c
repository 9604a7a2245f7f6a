/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of instructions on logical vectors: how many lanes they have, and groups of lanes. */
#include "verifier/rules/checks/checks.h"

#include "ir/vector_code.h"

static bool are_lanes(const Type *t) {
    return t != NULL && type_is_logical(t);
}

/* Groups divide the lanes of operand `index`. */
static Answer divides(const Case *c, int index, int64_t groups) {
    const Type *t = case_type(c, index);
    if (!are_lanes(t)) return HOLDS;
    if (groups <= 0)
        return fails(c, "the number of groups is %lld, expected a positive one", (long long)groups);
    return t->count % groups == 0 ? HOLDS
                                  : fails(c, "%lld groups do not divide the %u lanes of %s",
                                          (long long)groups, t->count, case_name(c, index));
}

/* Operand `index` has `n` lanes. */
static Answer has_count(const Case *c, int index, int64_t n, const char *what) {
    const Type *t = case_type(c, index);
    return !are_lanes(t) || t->count == n
               ? HOLDS
               : fails(c, "%s has %u lanes, expected %lld: %s", case_name(c, index), t->count,
                       (long long)n, what);
}

Answer check_reduced_lanes(const Case *c, const Rule *r) {
    int64_t n;
    if (!op_groups(c->op, &n)) return has_count(c, r->a, 1, "the result of all lanes");
    return divides(c, r->b, n) == FAILS ? FAILS : has_count(c, r->a, n, "one for each group");
}

Answer check_spread_lanes(const Case *c, const Rule *r) {
    int64_t n;
    if (!op_groups(c->op, &n)) return has_count(c, r->a, 1, "without groups one for all");
    if (case_type(c, r->a) != NULL && case_type(c, r->a)->kind != TY_LANES)
        return fails(c, "%s is a scalar, which has no groups", case_name(c, r->a));
    return divides(c, r->b, n) == FAILS ? FAILS : has_count(c, r->a, n, "one for each group");
}

Answer check_divided_lanes(const Case *c, const Rule *r) {
    int64_t n;
    return op_groups(c->op, &n) ? divides(c, r->a, n) : HOLDS;
}

Answer check_slot_lanes(const Case *c, const Rule *r) {
    int64_t n;
    return op_groups(c->op, &n) ? has_count(c, r->a, n, "one for each group") : HOLDS;
}

Answer check_mask_groups(const Case *c, const Rule *r) {
    const NamedAttr *size = op_attr_named(c->op, ATTR_group_size);
    const Type *t = case_type(c, r->a);
    int64_t n;
    if (t == NULL || !op_groups(c->op, &n) || size == NULL || size->value->kind != ATTR_INT)
        return HOLDS;
    const int64_t lanes = size->value->i;
    if (n > 0 && lanes > 0 && n <= MOST_LANES && lanes <= MOST_LANES && n * lanes == t->count)
        return HOLDS;
    return fails(c, "%s has %u lanes, expected %lld groups of %lld", case_name(c, r->a), t->count,
                 (long long)n, (long long)lanes);
}

Answer check_total_bits(const Case *c, const Rule *r) {
    const Type *a = case_type(c, r->a), *b = case_type(c, r->b);
    if (a == NULL || b == NULL || a->kind != TY_LANES || b->kind != TY_LANES) return HOLDS;
    const unsigned x = a->count * elem_storage_bits((Elem)a->elem),
                   y = b->count * elem_storage_bits((Elem)b->elem);
    return x == y ? HOLDS
                  : fails(c, "%s has %u bits but %s has %u", case_name(c, r->a), x,
                          case_name(c, r->b), y);
}

static Answer whole_lanes(const Case *c, const Rule *r, uint32_t least, uint32_t most) {
    const Type *t = case_type(c, r->a);
    if (!are_lanes(t)) return HOLDS;
    for (uint32_t n = least; n <= most; n *= 2)
        if (t->count == n) return HOLDS;
    return fails(c, "%s has %u lanes, expected %s%u%s%u", case_name(c, r->a), t->count,
                 most / least == 4 ? "64, " : "", most / 2, " or ", most);
}

Answer check_product_lanes(const Case *c, const Rule *r) {
    return whole_lanes(c, r, 64, 256);
}
Answer check_bin_lanes(const Case *c, const Rule *r) {
    return whole_lanes(c, r, 128, 256);
}

Answer check_selected_lanes(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->a);
    if (!are_lanes(t)) return HOLDS;
    const unsigned bits = elem_storage_bits((Elem)t->elem);
    if (whole_lanes(c, r, 64, 256) == FAILS) return FAILS;
    return t->count * bits <= VREG_BYTES * 8u
               ? HOLDS
               : fails(c, "%s has %u lanes of %u bits, expected at most the %u bytes of a register",
                       case_name(c, r->a), t->count, bits, (unsigned)VREG_BYTES);
}

/* True for a comparison that is written as one of floats (`olt`), which means the same as without
 * the letter. */
static bool is_ordered(const Case *c, const NamedAttr *cmp) {
    const Span s = cmp->value->span;
    const Source *source = c->judge->ctx->source;
    return s.len > 2 && source != NULL && s.off + 1 < source->size &&
           source->data[s.off + 1] == 'o';
}

/* The vendor's verifier looks at integers only in so far as floats are not compared with them. */
Answer check_logical_comparison(const Case *c, const Rule *r) {
    const Type *a = case_type(c, r->a), *b = case_type(c, r->b);
    const NamedAttr *cmp = op_attr_named(c->op, ATTR_cmp);
    if (a == NULL || b == NULL) return HOLDS;
    const bool ints = elem_is_int((Elem)a->elem) && elem_is_int((Elem)b->elem);
    if (!same_element(a, b) && !(ints && c->judge->opt->compat))
        return fails(c, "%s has element type %s but %s has %s", case_name(c, r->a),
                     elem_infos[a->elem].text, case_name(c, r->b), elem_infos[b->elem].text);
    if (!ints || cmp == NULL || !is_ordered(c, cmp)) return HOLDS;
    if (cmp->span.len != 0 && c->at != NULL) *c->at = cmp->span;
    return fails(c, "integers are compared by eq, ne, lt, le, gt or ge");
}

Answer check_mask_operands(const Case *c, const Rule *r) {
    const Type *t = case_type(c, r->b);
    return case_value(c, r->a) == NULL || t == NULL || t->kind != TY_LANE_MASK
               ? HOLDS
               : fails(c, "%s is a mask, which takes no mask", case_name(c, r->b));
}

/* ---- channels ---- */

Answer check_channels_split(const Case *c, const Rule *r) {
    const Type *from = case_type(c, r->a);
    const unsigned n = c->op->nresults;
    if (n < 2) return fails(c, "one channel, expected two or more");
    uint64_t lanes = 0;
    for (unsigned i = 0; i < n; i++) {
        const Type *t = c->op->results[i].type, *first = c->op->results[0].type;
        if (t->kind != TY_LANES || from == NULL) return HOLDS;
        lanes += t->count;
        if (t->count != first->count || !same_element(t, first) || !same_element(t, from))
            return fails(c, "channel %u has another type than %s", i,
                         same_element(t, from) ? "channel 0" : case_name(c, r->a));
    }
    return lanes == from->count
               ? HOLDS
               : fails(c, "%s has %u lanes, but %u channels have %llu", case_name(c, r->a),
                       from->count, n, (unsigned long long)lanes);
}

Answer check_channels_merged(const Case *c, const Rule *r) {
    const Type *to = case_type(c, r->a);
    const Operand *o = slot_operands(c->op, r->b);
    const unsigned n = slot_count(c->op, r->b);
    if (n < 2) return fails(c, "%u channels, expected two or more", n);
    uint64_t lanes = 0;
    for (unsigned i = 0; i < n; i++) {
        const Type *t = o[i].value->type, *first = o[0].value->type;
        if (t->kind != TY_LANES || to == NULL) return HOLDS;
        lanes += t->count;
        if (t->count != first->count || !same_element(t, first) || !same_element(t, to))
            return fails(c, "channel %u has another type than %s", i,
                         same_element(t, to) ? "channel 0" : case_name(c, r->a));
    }
    return lanes == to->count ? HOLDS
                              : fails(c, "%s has %u lanes, but the channels have %llu",
                                      case_name(c, r->a), to->count, (unsigned long long)lanes);
}
