/* SPDX-License-Identifier: Apache-2.0 */
/* part.c - drivers part and partarg, for sources of which only parts are valid: the operation
 * applies where both are valid, the valid source is copied where only one is, and the rest of dst
 * is 0. */
#include "drive/rows.h"

/* The part of dst's valid region in which a source is valid. */
typedef struct extent {
    int64_t rows, cols;
} extent;

static extent extent_in(const ptrt_tile *t, const ptrt_tile *d) {
    const extent e = {ptrt_min64(t->vrow, d->vrow), ptrt_min64(t->vcol, d->vcol)};
    return e.rows == 0 || e.cols == 0 ? (extent){0, 0} : e;
}

/* Consecutive rows with the same valid columns in both sources. */
typedef struct band {
    int64_t row, rows;
    int64_t a, b; /* valid columns of the two sources */
} band;

/* Finds the band that begins at row `row`. Returns false at the end of d. */
static bool next_band(extent a, extent b, extent d, int64_t row, band *out) {
    if (row >= d.rows) return false;
    int64_t end = d.rows;
    if (row < a.rows) end = ptrt_min64(end, a.rows);
    if (row < b.rows) end = ptrt_min64(end, b.rows);
    *out = (band){row, end - row, row < a.rows ? a.cols : 0, row < b.rows ? b.cols : 0};
    return true;
}

static unsigned char *at(const ptrt_args *x, int i, uint32_t size, int64_t row, int64_t col) {
    return (unsigned char *)x->p[i] + (row * x->ld[i] + col) * (int64_t)size;
}

/* Copies what is valid in one source only, and zeroes the rest. */
static void fill_rest(const ptrt_movers *m, const band *k, const ptrt_args *x, int a, int b, int d,
                      int64_t cols, uint32_t size) {
    const unsigned log = ptrt_log_size(size);
    const int64_t both = ptrt_min64(k->a, k->b), most = k->a > k->b ? k->a : k->b;
    const int from = k->a > k->b ? a : b;
    const ptrt_bits zero = {0};
    const unsigned char *source = most > both ? at(x, from, size, k->row, both) : NULL;
    unsigned char *to = at(x, d, size, k->row, both);
    if (most > both && source != to)
        m->copy[log](to, source, (size_t)k->rows, (size_t)(most - both), x->ld[d], x->ld[from]);
    if (cols > most)
        m->fill[log](at(x, d, size, k->row, most), &zero, (size_t)k->rows, (size_t)(cols - most),
                     x->ld[d]);
}

/* ---- one destination ---- */

static void run_part(const ptrt_core *core, ptrt_map2_fn body, const ptrt_args *x, extent a,
                     extent b, extent d, uint32_t size) {
    const ptrdiff_t ld[] = {x->ld[2], x->ld[0], x->ld[1]};
    band k;
    for (int64_t row = 0; next_band(a, b, d, row, &k); row += k.rows) {
        const int64_t both = ptrt_min64(k.a, k.b);
        if (both > 0)
            (void)body(at(x, 2, size, row, 0), at(x, 0, size, row, 0), at(x, 1, size, row, 0),
                       (size_t)k.rows, (size_t)both, ld);
        fill_rest(core->bodies->movers, &k, x, 0, 1, 2, d.cols, size);
    }
}

int ptrt_part(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
              const ptrt_tile *src1, const ptrt_tile *dst) {
    const ptrt_tile *const tiles[] = {src0, src1, dst};
    ptrt_body body = NULL;
    if ((src0->vrow == dst->vrow) & (src0->vcol == dst->vcol) & (src1->vrow == dst->vrow) &
        (src1->vcol == dst->vcol))
        return ptrt_map2(core, line, kernel, src0, src1, dst);
    int code = ptrt_find_body(core, line, kernel, 3, tiles, &body);
    if (code != PTRT_OK) return code;
    const extent a = extent_in(src0, dst), b = extent_in(src1, dst), d = {dst->vrow, dst->vcol};
    if (d.rows == 0 || d.cols == 0) return PTRT_OK;
    ptrt_operand part[] = {ptrt_source_of(2, src0, a.rows, a.cols),
                           ptrt_source_of(2, src1, b.rows, b.cols),
                           ptrt_operand_of(dst, d.rows, d.cols, PTRT_TARGET)};
    ptrt_args x;
    ptrt_args_init(&x, d.rows, d.cols, NULL, NULL);
    code = ptrt_operands_open(core, line, kernel, 3, part, &x);
    if (code == PTRT_OK) run_part(core, (ptrt_map2_fn)body, &x, a, b, d, ptrt_elem_size(dst->elem));
    return ptrt_operands_close(core, 3, part, code);
}

/* ---- values and their indices ---- */

enum { SRC0, SRC1, IDX0, IDX1, DST, DST_IDX, TILES, MASK_BYTES = 4096 };

/* Sets operand i of a body to operand k of the call, from element (row, col) on. */
static void place(ptrt_args *body, int i, const ptrt_args *x, int k, const ptrt_tile *const *tiles,
                  int64_t row, int64_t col) {
    body->p[i] = at(x, k, ptrt_elem_size(tiles[k]->elem), row, col);
    body->ld[i] = x->ld[k];
}

/* Selects values and indices of the columns from `col` on by a comparison, as many rows at a time
 * as the mask has room for. */
static void choose(const ptrt_core *core, ptrt_args_fn test, const ptrt_tile *const *tiles,
                   const ptrt_args *x, const band *k, int64_t col, int64_t cols) {
    unsigned char mask[MASK_BYTES];
    const int64_t wide = (cols + 7) / 8, most = MASK_BYTES / wide;
    for (int64_t r = 0, n; r < k->rows; r += n) {
        n = ptrt_min64(most, k->rows - r);
        ptrt_args y;
        ptrt_args_init(&y, n, cols, NULL, x->how);
        y.p[2] = mask;
        y.ld[2] = wide;
        for (int i = 0; i < 2; i++)
            place(&y, i, x, SRC0 + i, tiles, k->row + r, col);
        test(&y);
        y.p[0] = mask;
        y.ld[0] = wide;
        for (int i = 0; i < 2; i++) {
            place(&y, 1, x, i ? IDX0 : SRC0, tiles, k->row + r, col);
            place(&y, 2, x, i ? IDX1 : SRC1, tiles, k->row + r, col);
            place(&y, 3, x, DST + i, tiles, k->row + r, col);
            ((ptrt_args_fn)ptrt_body_one(core, PTRT_TSEL, tiles[DST + i]))(&y);
        }
    }
}

/* Splits wide rows into pieces for which the mask has room. */
static void run_partarg(const ptrt_core *core, ptrt_args_fn test, const ptrt_tile *const *tiles,
                        const ptrt_args *x, extent a, extent b, extent d) {
    band k;
    for (int64_t row = 0; next_band(a, b, d, row, &k); row += k.rows) {
        const int64_t both = ptrt_min64(k.a, k.b);
        for (int64_t c = 0, n; c < both; c += n) {
            n = ptrt_min64(8 * MASK_BYTES, both - c);
            choose(core, test, tiles, x, &k, c, n);
        }
        for (int i = 0; i < 2; i++)
            fill_rest(core->bodies->movers, &k, x, i ? IDX0 : SRC0, i ? IDX1 : SRC1, DST + i,
                      d.cols, ptrt_elem_size(tiles[DST + i]->elem));
    }
}

static int check_partarg(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *const *tiles,
                         ptrt_body *test) {
    int code = ptrt_check_tiles(core, line, kernel, tiles, "rrrrww");
    if (code != PTRT_OK) return code;
    *test = ptrt_body_one(core, kernel, tiles[DST]);
    if (!*test || tiles[SRC0]->elem != tiles[DST]->elem || tiles[SRC1]->elem != tiles[DST]->elem ||
        tiles[IDX0]->elem != tiles[DST_IDX]->elem || tiles[IDX1]->elem != tiles[DST_IDX]->elem ||
        tiles[DST_IDX]->elem > PTRT_U64)
        return ptrt_no_body(core, line, kernel, TILES, tiles);
    for (int i = 0; i < 2 && code == PTRT_OK; i++) {
        const extent e = extent_in(tiles[SRC0 + i], tiles[DST]);
        code = ptrt_check_reach(core, line, kernel, IDX0 + i, tiles[IDX0 + i], e.rows, e.cols);
    }
    if (code != PTRT_OK) return code;
    return ptrt_check_reach(core, line, kernel, DST_IDX, tiles[DST_IDX], tiles[DST]->vrow,
                            tiles[DST]->vcol);
}

int ptrt_partarg(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                 const ptrt_tile *src1, const ptrt_tile *src0Idx, const ptrt_tile *src1Idx,
                 const ptrt_tile *dst, const ptrt_tile *dstIdx, int mode) {
    const ptrt_tile *const tiles[TILES] = {src0, src1, src0Idx, src1Idx, dst, dstIdx};
    ptrt_body test = NULL;
    int code = check_partarg(core, line, kernel, tiles, &test);
    if (code != PTRT_OK) return code;
    const extent d = {dst->vrow, dst->vcol};
    const extent valid[2] = {extent_in(src0, dst), extent_in(src1, dst)};
    if (d.rows == 0 || d.cols == 0) return PTRT_OK;
    ptrt_operand part[TILES];
    ptrt_args x;
    ptrt_args_init(&x, d.rows, d.cols, NULL, &mode);
    for (int i = 0; i < DST; i++)
        ptrt_set_operand(&part[i], tiles[i], valid[i % 2].rows, valid[i % 2].cols, PTRT_SOURCE,
                         i < IDX0 ? DST : DST_IDX);
    for (int i = DST; i < TILES; i++)
        ptrt_set_operand(&part[i], tiles[i], d.rows, d.cols, PTRT_TARGET, 0);
    code = ptrt_operands_open(core, line, kernel, TILES, part, &x);
    if (code == PTRT_OK) run_partarg(core, (ptrt_args_fn)test, tiles, &x, valid[0], valid[1], d);
    return ptrt_operands_close(core, TILES, part, code);
}
