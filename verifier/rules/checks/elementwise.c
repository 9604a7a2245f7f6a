/* SPDX-License-Identifier: Apache-2.0 */
/* Named functions of the rules of elementwise instructions. */
#include "verifier/rules/checks/checks.h"

#include "ir/tmp.h"

/* ---- masks ---- */

/* A mask has one bit per element; each row starts at a byte. */
Answer check_mask_extent(const Case *c, const Rule *r) {
    const Type *mask = case_tile(c, r->a), *t = case_tile(c, r->b);
    if (mask == NULL || t == NULL) return HOLDS;
    Num rows = tile_num(c, r->b, DIM_VROW);
    Num needed = num_ceil_div(c, tile_num(c, r->b, DIM_VCOL), 8);
    Num bytes = num_mul(c, number(mask->tile.cols), number(elem_infos[mask->elem].bytes));
    Test enough = is_at_most(c, rows, number(mask->tile.rows)), wide = is_at_most(c, needed, bytes);
    if (enough.answer == FAILS)
        return fails(c, "%s has %lld rows and needs %lld for the valid rows of %s",
                     case_name(c, r->a), (long long)mask->tile.rows, (long long)rows.n,
                     case_name(c, r->b));
    if (wide.answer != FAILS) return settle(c, both(c, enough, wide));
    return fails(c, "a row of %s has %lld bytes and needs %lld: a bit for each of %lld columns",
                 case_name(c, r->a), (long long)bytes.n, (long long)needed.n,
                 (long long)t->tile.vcol);
}

/* ---- pto.tprelu ---- */

Answer check_predicate_bytes(const Case *c, const Rule *r) {
    const Type *tmp = case_tile(c, r->a), *dst = case_tile(c, r->b);
    if (tmp == NULL || dst == NULL) return HOLDS;
    int64_t bytes = tile_bytes(tmp, c->profile);
    Num cols = tile_num(c, r->b, DIM_VCOL), rows = tile_num(c, r->b, DIM_VROW);
    Num row = cols.known ? number(predicate_row_bytes(cols.n))
                         : num_mul(c, num_ceil_div(c, cols, 8 * 32), number(32));
    Num needed = num_mul(c, num_add(c, rows, number(1)), row);
    Test enough = is_at_most(c, needed, number(bytes));
    if (enough.answer != FAILS) return settle(c, enough);
    if (needed.n == INT64_MAX)
        return fails(c, "%s is too small for %lld rows of predicates", case_name(c, r->a),
                     (long long)rows.n);
    return fails(c, "%s has %lld bytes and needs %lld: %lld per valid row of %s and one more",
                 case_name(c, r->a), (long long)bytes, (long long)needed.n, (long long)row.n,
                 case_name(c, r->b));
}

/* ---- pto.tcvt ---- */

/* Returns the extents in elements: packed types hold two along the major dimension. */
static void logical_extents(const Case *c, int slot, bool valid, Num out[2]) {
    const Type *t = c->types[slot];
    out[0] = tile_num(c, slot, valid ? DIM_VROW : DIM_ROWS);
    out[1] = tile_num(c, slot, valid ? DIM_VCOL : DIM_COLS);
    if (t->elem != ELEM_F4E1M2X2 && t->elem != ELEM_F4E2M1X2) return;
    Num *packed = &out[tile_blayout(t, c->profile) == BL_ROW_MAJOR];
    *packed = num_mul(c, *packed, number(2));
}

static Answer logical_match(const Case *c, const Rule *r, bool valid) {
    Num x[2], y[2];
    Test all = test_of(true);
    if (case_tile(c, r->a) == NULL || case_tile(c, r->b) == NULL) return HOLDS;
    logical_extents(c, r->a, valid, x);
    logical_extents(c, r->b, valid, y);
    for (int i = 0; i < 2; i++) {
        Test one = is_equal(c, x[i], y[i]);
        if (one.answer == FAILS)
            return fails(c, "%s has %lld %s%s and %s has %lld, counted in elements",
                         case_name(c, r->a), (long long)x[i].n, valid ? "valid " : "",
                         i == 0 ? "rows" : "columns", case_name(c, r->b), (long long)y[i].n);
        all = both(c, all, one);
    }
    return settle(c, all);
}

static bool is_window(const Value *v) {
    return v != NULL && v->def != NULL && (v->def->inst->flags & IF_VIEW) != 0;
}

/* A window keeps the row length of its tile, so only its valid region is compared. */
Answer check_convert_shape(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    if (a == NULL || b == NULL || a == b) return HOLDS;
    if (is_window(case_value(c, r->a)) || is_window(case_value(c, r->b))) return HOLDS;
    return logical_match(c, r, false);
}

Answer check_convert_valid(const Case *c, const Rule *r) {
    return logical_match(c, r, true);
}

static int64_t narrowing_bytes(const Case *c) {
    const Type *src = case_tile(c, inst_slot(c->op->inst, OPERAND_src));
    const Type *dst = case_tile(c, inst_slot(c->op->inst, OPERAND_dst));
    return src != NULL && dst != NULL ? narrowing_tmp_bytes(src, dst) : 0;
}

Answer check_narrowing_tmp(const Case *c, const Rule *r) {
    if (c->types[r->a] != NULL || narrowing_bytes(c) == 0) return HOLDS;
    return fails(c, "requires explicit %s: this conversion takes one unless it saturates",
                 case_name(c, r->a));
}

Answer check_narrowing_static(const Case *c, const Rule *r) {
    if (narrowing_bytes(c) != DYNAMIC || c->judge->opt->compat == VENDOR_057) return HOLDS;
    return fails(c,
                 "requires static tile_buf shapes to materialize implicit tcvt tmp: the valid "
                 "extents of %s are `?`",
                 case_name(c, r->a));
}

Answer check_narrowing_bytes(const Case *c, const Rule *r) {
    const Type *tmp = case_tile(c, r->a);
    int64_t bytes = tmp != NULL ? tile_bytes(tmp, c->profile) : 0, needed = narrowing_bytes(c);
    if (tmp == NULL || needed == DYNAMIC || bytes >= needed) return HOLDS;
    return fails(c, "%s has %lld bytes, this conversion needs %lld", case_name(c, r->a),
                 (long long)bytes, (long long)needed);
}

/* ---- pto.trem ---- */

/* tmp holds a row of dst and two more words for every 64 elements. */
Answer check_remainder_tmp(const Case *c, const Rule *r) {
    const Type *tmp = case_tile(c, r->a), *dst = case_tile(c, r->b);
    if (tmp == NULL || dst == NULL) return HOLDS;
    int64_t cols = dst->tile.cols, needed;
    if (__builtin_add_overflow(cols, 2 * ceil_div(cols, 64), &needed)) needed = INT64_MAX;
    Test enough = is_at_most(c, number(needed), tile_num(c, r->a, DIM_VCOL));
    return enough.answer != FAILS
               ? settle(c, enough)
               : fails(c, "%s has %lld valid columns and needs %lld for the %lld of %s",
                       case_name(c, r->a), (long long)tmp->tile.vcol, (long long)needed,
                       (long long)cols, case_name(c, r->b));
}
