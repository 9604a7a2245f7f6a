/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts of views of global memory. */
#include "backends/lower/lower.h"
#include "ir/number.h"

/* ---- nz by what is loaded from it or stored to it ---- */

/* Returns the statement that makes the view of a window; NULL: it is not in the function. */
static const Op *view_of(const Value *v) {
    while (v->def != NULL && op_is(v->def, INST_PARTITION_VIEW))
        v = slot_value(v->def, 0);
    return v->def != NULL && op_is(v->def, INST_MAKE_TENSOR_VIEW) ? v->def : NULL;
}

/* Multiplies extents; DYNAMIC when one is, or beyond 64 bits. */
static int64_t times(int64_t a, int64_t b) {
    int64_t n;
    return a == DYNAMIC || b == DYNAMIC || __builtin_mul_overflow(a, b, &n) ? DYNAMIC : n;
}

/* True when a window of this many rows and columns may hold the valid region; a `?` of the tile may
 * be as large as the tile. */
static bool may_hold(const TileInfo *tile, int64_t rows, int64_t cols) {
    const int64_t vrow = tile->vrow == DYNAMIC ? tile->rows : tile->vrow;
    const int64_t vcol = tile->vcol == DYNAMIC ? tile->cols : tile->vcol;
    return (rows == DYNAMIC || rows >= vrow) && (cols == DYNAMIC || cols >= vcol);
}

/* True when a window of five dimensions holds the valid region of an nz tile only if it is read as
 * nz: [s0, s1, s2, 16, 32 bytes] are s2 * 16 rows of s0 * s1 * (32 bytes). */
static bool only_as_nz(const Type *window, const Type *tile) {
    const int64_t *d = window->dims;
    const int64_t bytes = elem_infos[tile->elem].bytes;
    if (window->rank != 5 || d[3] != 16 || d[4] == DYNAMIC || d[4] * bytes != 32) return false;
    const bool nd = may_hold(&tile->tile, times(times(d[0], d[1]), times(d[2], d[3])), d[4]);
    return !nd && may_hold(&tile->tile, times(d[2], d[3]), times(times(d[0], d[1]), d[4]));
}

static const Type *nz_tile(const Lower *l, const Value *v) {
    const Type *t = v != NULL && type_is_tile(v->type) ? tile_value_type(v) : NULL;
    if (t == NULL || tile_blayout(t, l->profile) != BL_COL_MAJOR) return NULL;
    return t->tile.slayout == SL_ROW_MAJOR ? t : NULL;
}

static bool look_at_window(Op *op, void *arg) {
    Lower *l = arg;
    const Value *window = NULL;
    const Type *tile = NULL;
    for (int i = 0; i < op->inst->nslots; i++) {
        const Value *v = slot_value(op, i);
        if (v != NULL && v->type->kind == TY_PART_VIEW && v->type->rank == 5) window = v;
        if (tile == NULL) tile = nz_tile(l, v);
    }
    if (window == NULL || tile == NULL || !only_as_nz(window->type, tile)) return true;
    const Op *view = view_of(window);
    if (view != NULL) *ptrmap_at(&l->nz_views, view) = op;
    return true;
}

void lower_find_nz_views(Lower *l) {
    l->nz_views.arena = l->arena;
    op_walk(l->m->root, look_at_window, l);
}

/* ---- by the view itself ---- */

int64_t lower_view_layout(const Lower *l, const Op *op) {
    if (l->nz_views.count > 0 && ptrmap_get(&l->nz_views, op) != NULL) return 2;
    const Type *t = op->results[0].type;
    int64_t s[5] = {1, 1, 1, 1, 1}, d[5] = {0};
    const Operand *shape = slot_operands(op, 1), *strides = slot_operands(op, 2);
    if (t->rank > 5 || t->elem_type->kind != TY_SCALAR) return 0;
    for (uint32_t i = 0; i < t->rank; i++) {
        int64_t *extent = &s[5 - t->rank + i];
        *extent = t->dims[i];
        if ((*extent == DYNAMIC && !number_known(shape[i].value, extent)) ||
            !number_known(strides[i].value, &d[5 - t->rank + i]))
            return 0;
    }
    int64_t bytes = elem_infos[t->elem].bytes;
    if (s[2] == 16 && s[3] > 0 && s[3] <= 512 && s[2] * s[3] * bytes == 512 && d[4] == 1 &&
        d[3] == s[4])
        return 2;
    bool nd = (s[4] == 1 || d[4] == 1) && (s[3] == 1 || d[3] == (s[4] == 1 ? 1 : s[4]));
    bool dn = (s[3] == 1 || d[3] == 1) && (s[4] == 1 || d[4] == (s[3] == 1 ? 1 : s[3]));
    return !nd && dn ? 1 : 0;
}
