/* SPDX-License-Identifier: Apache-2.0 */
/* scatter.c - drivers that place elements in a tile: scatter by index, scattermask by a pattern. */
#include "drive/indexed.h"

/* ---- by index ---- */

static int check_scatter(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *s,
                         const ptrt_tile *i, const ptrt_tile *d, ptrt_body *body) {
    const ptrt_tile *const tiles[] = {s, i, d};
    int code = ptrt_check_tiles(core, line, kernel, tiles, "rrw");
    if (code != PTRT_OK) return code;
    *body = ptrt_body_one(core, kernel, d);
    if (!*body || s->elem != d->elem || ptrt_index_kind(i) < 0)
        return ptrt_no_body(core, line, kernel, 3, tiles);
    return ptrt_check_reach(core, line, kernel, 0, s, i->vrow, i->vcol);
}

/* 16-bit indices are unsigned, whatever their type says. */
static enum ptrt_index kind_of(const ptrt_tile *indexes) {
    return ptrt_index_kind(indexes) == PTRT_INDEX_32 ? PTRT_INDEX_32 : PTRT_INDEX_U16;
}

int ptrt_scatter(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                 const ptrt_tile *indexes, const ptrt_tile *dst) {
    ptrt_body body = NULL;
    const int64_t rows = indexes->vrow, cols = indexes->vcol;
    int code = check_scatter(core, line, kernel, src, indexes, dst, &body);
    if (code != PTRT_OK || rows == 0 || cols == 0) return code;
    ptrt_lookup how = {.kind = kind_of(indexes), .n = ptrt_index_limit(dst, indexes)};
    ptrt_operand part[] = {ptrt_source(src, rows, cols), ptrt_source(indexes, rows, cols),
                           ptrt_flat(dst, PTRT_TARGET)};
    ptrt_args x;
    ptrt_args_init(&x, rows, cols, NULL, &how);
    code = ptrt_operands_open(core, line, kernel, 3, part, &x);
    if (code == PTRT_OK) code = ptrt_check_indices(core, line, kernel, &x, "dst");
    if (code == PTRT_OK) {
        memset(x.p[2], 0, (size_t)(dst->rows * dst->cols) * ptrt_elem_size(dst->elem));
        ((ptrt_args_fn)body)(&x);
    }
    return ptrt_operands_close(core, 3, part, code);
}

/* ---- by pattern ---- */

static int check_mask(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *s,
                      const ptrt_tile *d, bool known, ptrt_body *body) {
    const ptrt_tile *const tiles[] = {s, d};
    int code = ptrt_find_body(core, line, kernel, 2, tiles, body);
    if (code != PTRT_OK) return code;
    if (!known)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: no such pattern", ptrt_op_name(kernel));
    return PTRT_OK;
}

/* Returns how many of n positions the pattern selects. */
static int64_t selected(int64_t n, size_t step, size_t at) {
    return (n - (int64_t)at + (int64_t)step - 1) / (int64_t)step;
}

/* Scatters whole rows: selected rows of dst take those of the source in order, the others become
 * 0. */
static void spread_rows(const ptrt_args *x, uint32_t size) {
    const ptrt_pattern *how = x->how;
    const unsigned char *s = x->p[0];
    unsigned char *d = x->p[1];
    for (size_t r = 0; r < x->rows; r++, d += x->ld[1] * size) {
        if (r % how->step == how->at) {
            memcpy(d, s, x->cols * size);
            s += x->ld[0] * size;
        } else {
            memset(d, 0, x->cols * size);
        }
    }
}

int ptrt_scattermask(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                     const ptrt_tile *dst, int pattern, int axis) {
    ptrt_body body = NULL;
    ptrt_pattern how = ptrt_pattern_of(pattern);
    const int64_t rows = dst->vrow, cols = dst->vcol;
    int code = check_mask(core, line, kernel, src, dst, how.step != 0, &body);
    if (code != PTRT_OK || rows == 0 || cols == 0) return code;
    const int64_t srows = axis ? selected(rows, how.step, how.at) : rows;
    const int64_t scols = axis ? cols : selected(cols, how.step, how.at);
    code = ptrt_check_reach(core, line, kernel, 0, src, srows, scols);
    if (code != PTRT_OK) return code;
    ptrt_operand part[] = {ptrt_source(src, srows, scols),
                           ptrt_operand_of(dst, rows, cols, PTRT_TARGET)};
    ptrt_args x;
    ptrt_args_init(&x, rows, cols, NULL, &how);
    code = ptrt_operands_open(core, line, kernel, 2, part, &x);
    if (code == PTRT_OK && axis)
        spread_rows(&x, ptrt_elem_size(dst->elem));
    else if (code == PTRT_OK)
        ((ptrt_args_fn)body)(&x);
    return ptrt_operands_close(core, 2, part, code);
}
