/* SPDX-License-Identifier: Apache-2.0 */
/* Named functions of the rules of matrix products. */
#include "verifier/rules/checks/checks.h"

/* Returns the valid extent if it is static, else the physical one. */
static int64_t logical_dim(const Type *t, Dim d) {
    int64_t v = tile_dim(t, d);
    return v != DYNAMIC ? v : tile_dim(t, d == DIM_VROW ? DIM_ROWS : DIM_COLS);
}

Answer check_logical_extent(const Case *c, const Rule *r) {
    const Type *a = case_tile(c, r->a), *b = case_tile(c, r->b);
    if (a == NULL || b == NULL) return HOLDS;
    int64_t x = logical_dim(a, (Dim)r->row->dims), y = logical_dim(b, (Dim)r->row->dim_b);
    if (x == y) return HOLDS;
    return fails(c, "%s has %lld %s, expected the %lld %s of %s", case_name(c, r->a), (long long)x,
                 r->row->dims == DIM_VROW ? "rows" : "columns", (long long)y,
                 r->row->dim_b == DIM_VROW ? "rows" : "columns", case_name(c, r->b));
}

/* Fails only when the tiles certainly do not overlap. */
Answer check_acc_storage(const Case *c, const Rule *r) {
    if (c->op->form != OPF_DPS || operands_overlap(c, r->a, r->b) != OVERLAP_NO) return HOLDS;
    return fails(c, "%s and %s are two tiles: on the device the product is added to %s",
                 case_name(c, r->a), case_name(c, r->b), case_name(c, r->b));
}
