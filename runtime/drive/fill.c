/* SPDX-License-Identifier: Apache-2.0 */
/* fill.c - drivers that fill tiles: fill (texpands) and tri (ttri); ptrt_fill_region. */
#include "drive/drive.h"

/* Fills box by box, along the direction in which elements are contiguous. */
void ptrt_fill_region(const ptrt_core *core, const ptrt_tile *t, ptrt_region2 g, const void *k) {
    uint32_t size = ptrt_elem_size(t->elem);
    ptrt_fill_fn fill = core->bodies->movers->fill[ptrt_log_size(size)];
    bool by_row = t->col.inner == 1;
    int64_t nr, nc;
    for (int64_t r = g.r0; r < g.r1; r += nr) {
        nr = ptrt_min64(g.r1 - r, ptrt_axis_run(&t->row, r));
        for (int64_t c = g.c0; c < g.c1; c += nc) {
            nc = ptrt_min64(g.c1 - c, ptrt_axis_run(&t->col, c));
            int64_t at = ptrt_axis_offset(&t->row, r) + ptrt_axis_offset(&t->col, c);
            unsigned char *p = ptrt_tile_at(t) + (uint64_t)at * size;
            if (by_row)
                fill(p, k, (size_t)nr, (size_t)nc, (ptrdiff_t)t->row.inner);
            else
                fill(p, k, (size_t)nc, (size_t)nr, (ptrdiff_t)t->col.inner);
        }
    }
}

static int check(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *d) {
    ptrt_body body;
    return ptrt_find_body(core, line, kernel, 1, &d, &body);
}

static int fill(ptrt_core *core, uint32_t line, int kernel, const ptrt_bits *k,
                const ptrt_tile *d) {
    int code = check(core, line, kernel, d);
    if (code != PTRT_OK) return code;
    bool whole = d->space == PTRT_MAT;
    ptrt_region2 region = {0, whole ? d->rows : d->vrow, 0, whole ? d->cols : d->vcol};
    ptrt_fill_region(core, d, region, k);
    return PTRT_OK;
}

int ptrt_fill_i(ptrt_core *core, uint32_t line, int kernel, int64_t scalar, const ptrt_tile *dst) {
    ptrt_bits k = {0};
    (void)ptrt_int_bits(dst->elem, scalar, &k);
    return fill(core, line, kernel, &k, dst);
}

int ptrt_fill_f(ptrt_core *core, uint32_t line, int kernel, double scalar, const ptrt_tile *dst) {
    ptrt_bits k = {0};
    (void)ptrt_float_bits(dst->elem, scalar, &k);
    return fill(core, line, kernel, &k, dst);
}

/* ---- triangles ---- */

static int64_t clamp(int64_t v, int64_t lo, int64_t hi) {
    return v < lo ? lo : v > hi ? hi : v;
}

/* Returns i + diagonal + add, clamped to 0..cols, without overflow. */
static int64_t edge(int64_t i, int64_t diagonal, int64_t add, int64_t cols) {
    int64_t far = INT64_C(1) << 60;
    return clamp(i + clamp(diagonal, -far, far) + add, 0, cols);
}

/* Each row is two runs: one value before the edge, the other from the edge on. */
int ptrt_tri(ptrt_core *core, uint32_t line, int kernel, int64_t diagonal, const ptrt_tile *d,
             int upper) {
    int code = check(core, line, kernel, d);
    if (code != PTRT_OK) return code;
    if (upper != 0 && upper != 1)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: orientation %d is neither 0 nor 1",
                         ptrt_op_name(kernel), upper);
    ptrt_bits bits[2] = {{0}, {0}};
    (void)ptrt_int_bits(d->elem, 1, &bits[1]);
    for (int64_t i = 0; i < d->vrow; i++) {
        int64_t e = edge(i, diagonal, upper ? 0 : 1, d->vcol);
        ptrt_fill_region(core, d, (ptrt_region2){i, i + 1, 0, e}, &bits[!upper]);
        ptrt_fill_region(core, d, (ptrt_region2){i, i + 1, e, d->vcol}, &bits[upper]);
    }
    return PTRT_OK;
}
