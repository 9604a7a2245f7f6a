/* SPDX-License-Identifier: Apache-2.0 */
/* Named functions of the rules of prefetches, transfers and signals between devices. */
#include "verifier/rules/checks/checks.h"

static const Type *case_view(const Case *c, int index) {
    const Type *t = case_type(c, index);
    return t != NULL && (t->kind == TY_TENSOR_VIEW || t->kind == TY_PART_VIEW) ? t : NULL;
}

/* Returns the first dimension that is `?`, or the rank. */
static unsigned first_dynamic(const Type *t) {
    unsigned i = 0;
    while (i < t->rank && t->dims[i] != DYNAMIC)
        i++;
    return i;
}

Answer check_static_window(const Case *c, const Rule *r) {
    const Type *t = case_view(c, r->a);
    if (t == NULL || first_dynamic(t) == t->rank) return HOLDS;
    return fails(c, "extent %u of %s is `?`, expected a number", first_dynamic(t),
                 case_name(c, r->a));
}

Answer check_dynamic_window(const Case *c, const Rule *r) {
    const Type *t = case_view(c, r->a);
    if (t == NULL || t->kind == TY_PART_VIEW || first_dynamic(t) == t->rank) return HOLDS;
    return fails(c, "extent %u of %s is `?`, which only a partition view can have here",
                 first_dynamic(t), case_name(c, r->a));
}

Answer check_flat_view(const Case *c, const Rule *r) {
    const Type *t = case_view(c, r->a);
    if (t == NULL) return HOLDS;
    if (t->rank == 0) return fails(c, "%s has no dimensions", case_name(c, r->a));
    if (first_dynamic(t) != t->rank) return check_static_window(c, r);
    for (unsigned i = 0; i + 1 < t->rank; i++)
        if (t->dims[i] != 1)
            return fails(c, "extent %u of %s is %lld, expected 1 in front of the last one", i,
                         case_name(c, r->a), (long long)t->dims[i]);
    return HOLDS;
}

Answer check_same_extents(const Case *c, const Rule *r) {
    const Type *a = case_view(c, r->a), *b = case_view(c, r->b);
    if (a == NULL || b == NULL) return HOLDS;
    if (a->rank != b->rank)
        return fails(c, "%s has %u dimensions and %s %u", case_name(c, r->a), a->rank,
                     case_name(c, r->b), b->rank);
    for (unsigned i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i])
            return fails(c, "extent %u of %s is %s, that of %s %s; they must be equal", i,
                         case_name(c, r->a), extent_word(a->dims[i]).text, case_name(c, r->b),
                         extent_word(b->dims[i]).text);
    return HOLDS;
}

/* Returns the rows or columns of a window: one of the last two extents. */
static int64_t window_extent(const Type *t, bool row) {
    unsigned back = row ? 2 : 1;
    return t->rank >= back ? t->dims[t->rank - back] : 1;
}

Answer check_staging_divides(const Case *c, const Rule *r) {
    const Type *tile = case_tile(c, r->a), *view = case_view(c, r->b);
    if (tile == NULL || view == NULL) return HOLDS;
    for (int row = 1; row >= 0; row--) {
        int64_t n = row ? tile->tile.vrow : tile->tile.vcol, all = window_extent(view, row);
        if (n == DYNAMIC || n <= 0 || all == DYNAMIC || all % n == 0) continue;
        return fails(c, "%s has %lld valid %s, which do not divide the %lld of %s",
                     case_name(c, r->a), (long long)n, row ? "rows" : "columns", (long long)all,
                     case_name(c, r->b));
    }
    return HOLDS;
}

/* ---- groups ---- */

Answer check_group_types(const Case *c, const Rule *r) {
    unsigned n = slot_count(c->op, r->a);
    const Operand *o = slot_operands(c->op, r->a);
    for (unsigned i = 1; i < n; i++) {
        if (o[i].value->type->kind == TY_NONE || o[0].value->type->kind == TY_NONE ||
            type_same(o[i].value->type, o[0].value->type))
            continue;
        if (c->at != NULL) *c->at = o[i].span;
        return fails(c, "member %u of %s has type %.*s and member 0 %.*s", i, case_name(c, r->a),
                     TYPE_TEXT(c->judge, o[i].value->type), TYPE_TEXT(c->judge, o[0].value->type));
    }
    return HOLDS;
}

Answer check_group_root(const Case *c, const Rule *r) {
    const NamedAttr *a = op_attr_named(c->op, ATTR_root);
    int64_t n = slot_count(c->op, r->a);
    if (a == NULL || a->value->kind != ATTR_INT || (a->value->i >= 0 && a->value->i < n))
        return HOLDS;
    if (c->at != NULL && a->span.len != 0) *c->at = a->span;
    return fails(c, "root is %lld, expected 0 to %lld, a member of %s", (long long)a->value->i,
                 (long long)(n - 1), case_name(c, r->a));
}

/* Compares the rows of all members together with those of the whole, which may have more when it
 * is written and must have as many when it is read. */
Answer check_group_rows(const Case *c, const Rule *r) {
    const Type *whole = case_view(c, r->a), *member = case_view(c, r->b);
    int64_t n = slot_count(c->op, r->b), rows;
    if (whole == NULL || member == NULL || whole->rank < 2 || member->rank < 2) return HOLDS;
    int64_t has = window_extent(whole, true), each = window_extent(member, true);
    if (has == DYNAMIC || each == DYNAMIC) return HOLDS;
    if (__builtin_mul_overflow(n, each, &rows)) rows = INT64_MAX;
    if (has == rows || (r->row->rel == REL_GE && has > rows)) return HOLDS;
    return fails(c, "%s has %lld rows, expected %s%lld: %lld for each member of %s",
                 case_name(c, r->a), (long long)has, r->row->rel == REL_GE ? "at least " : "",
                 (long long)rows, (long long)each, case_name(c, r->b));
}

Answer check_unsigned_word(const Case *c, const Rule *r) {
    (void)r;
    const NamedAttr *a = op_attr_named(c->op, ATTR_channel_group_idx);
    if (a == NULL || a->value->kind != ATTR_INT || (a->value->i >= 0 && a->value->i <= UINT32_MAX))
        return HOLDS;
    return fails(c, "the attribute channel_group_idx is %lld, expected 0 to %llu",
                 (long long)a->value->i, (unsigned long long)UINT32_MAX);
}
