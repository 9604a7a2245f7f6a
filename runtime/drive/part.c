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

static unsigned char *at(const ptrt_rows *r, uint32_t size, int64_t row, int64_t col) {
    return r->p + (row * r->ld + col) * (int64_t)size;
}

/* Copies what is valid in one source only, and zeroes the rest. */
static void fill_rest(const ptrt_movers *m, const band *k, const ptrt_rows *a, const ptrt_rows *b,
                      const ptrt_rows *d, int64_t cols, uint32_t size) {
    const unsigned log = ptrt_log_size(size);
    const int64_t both = ptrt_min64(k->a, k->b), most = k->a > k->b ? k->a : k->b;
    const ptrt_rows *from = k->a > k->b ? a : b;
    const ptrt_bits zero = {0};
    const unsigned char *source = most > both ? at(from, size, k->row, both) : NULL;
    unsigned char *to = at(d, size, k->row, both);
    if (most > both && source != to)
        m->copy[log](to, source, (size_t)k->rows, (size_t)(most - both), d->ld, from->ld);
    if (cols > most)
        m->fill[log](at(d, size, k->row, most), &zero, (size_t)k->rows, (size_t)(cols - most),
                     d->ld);
}

/* Gets the valid part of a source as plain rows, copied if it shares bytes with `other`, a second
 * destination (may be NULL). */
static int read(ptrt_core *core, uint32_t line, const ptrt_tile *t, extent e, const ptrt_tile *d,
                const ptrt_tile *other, ptrt_rows *out) {
    if (e.rows == 0) return PTRT_OK;
    if (other && ptrt_tiles_meet(t, other))
        return ptrt_rows_read(core, line, t, e.rows, e.cols, other, false, out);
    return ptrt_rows_read(core, line, t, e.rows, e.cols, d, true, out);
}

/* ---- one destination ---- */

static void run_part(const ptrt_core *core, ptrt_map2_fn body, const ptrt_rows *x, extent a,
                     extent b, extent d, uint32_t size) {
    const ptrdiff_t ld[] = {x[2].ld, x[0].ld, x[1].ld};
    band k;
    for (int64_t row = 0; next_band(a, b, d, row, &k); row += k.rows) {
        const int64_t both = ptrt_min64(k.a, k.b);
        if (both > 0)
            (void)body(at(&x[2], size, row, 0), at(&x[0], size, row, 0), at(&x[1], size, row, 0),
                       (size_t)k.rows, (size_t)both, ld);
        fill_rest(core->bodies->movers, &k, &x[0], &x[1], &x[2], d.cols, size);
    }
}

int ptrt_part(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
              const ptrt_tile *src1, const ptrt_tile *dst) {
    static const uint8_t roles[] = {PTRT_READ, PTRT_READ, PTRT_WRITE};
    const ptrt_tile *const tiles[] = {src0, src1, dst};
    if ((src0->vrow == dst->vrow) & (src0->vcol == dst->vcol) & (src1->vrow == dst->vrow) &
        (src1->vcol == dst->vcol))
        return ptrt_map2(core, line, kernel, src0, src1, dst);
    int code = ptrt_check_tiles(core, line, kernel, 3, tiles, roles);
    if (code != PTRT_OK) return code;
    const ptrt_body body = ptrt_body_one(core, kernel, dst);
    if (!body || src0->elem != dst->elem || src1->elem != dst->elem)
        return ptrt_no_body(core, line, kernel, 3, tiles);
    const extent a = extent_in(src0, dst), b = extent_in(src1, dst), d = {dst->vrow, dst->vcol};
    ptrt_rows x[3] = {{0}, {0}, {0}};
    if (d.rows == 0 || d.cols == 0) return PTRT_OK;
    code = read(core, line, src0, a, dst, NULL, &x[0]);
    if (code == PTRT_OK) code = read(core, line, src1, b, dst, NULL, &x[1]);
    if (code == PTRT_OK) code = ptrt_rows_write(core, line, dst, d.rows, d.cols, false, &x[2]);
    if (code == PTRT_OK) {
        run_part(core, (ptrt_map2_fn)body, x, a, b, d, ptrt_elem_size(dst->elem));
        ptrt_rows_store(core, dst, d.rows, d.cols, &x[2]);
    }
    for (int i = 0; i < 3; i++)
        ptrt_rows_free(&x[i]);
    return code;
}

/* ---- values and their indices ---- */

enum { SRC0, SRC1, IDX0, IDX1, DST, DST_IDX, TILES, MASK_BYTES = 4096 };

/* Selects values and indices by a comparison, as many rows at a time as the mask has room for. */
static void choose(const ptrt_core *core, ptrt_cmp_fn test, int mode, const ptrt_tile *const *tiles,
                   const ptrt_rows *x, const band *k, int64_t cols) {
    unsigned char mask[MASK_BYTES];
    const int64_t wide = (cols + 7) / 8, most = MASK_BYTES / wide;
    for (int64_t r = 0, n; r < k->rows; r += n) {
        n = ptrt_min64(most, k->rows - r);
        const uint32_t size = ptrt_elem_size(tiles[DST]->elem);
        test(mask, at(&x[SRC0], size, k->row + r, 0), at(&x[SRC1], size, k->row + r, 0), (size_t)n,
             (size_t)cols, wide, x[SRC0].ld, x[SRC1].ld, mode);
        for (int i = 0; i < 2; i++) {
            const ptrt_rows *a = &x[i ? IDX0 : SRC0], *b = &x[i ? IDX1 : SRC1], *d = &x[DST + i];
            const uint32_t bytes = ptrt_elem_size(tiles[DST + i]->elem);
            ((ptrt_sel_fn)ptrt_body_one(core, PTRT_TSEL, tiles[DST + i]))(
                at(d, bytes, k->row + r, 0), mask, at(a, bytes, k->row + r, 0),
                at(b, bytes, k->row + r, 0), (size_t)n, (size_t)cols, d->ld, wide, a->ld, b->ld);
        }
    }
}

/* Splits wide rows into pieces for which the mask has room. */
static void run_partarg(const ptrt_core *core, ptrt_cmp_fn test, int mode,
                        const ptrt_tile *const *tiles, ptrt_rows *x, extent a, extent b, extent d) {
    band k;
    for (int64_t row = 0; next_band(a, b, d, row, &k); row += k.rows) {
        const int64_t both = ptrt_min64(k.a, k.b);
        for (int64_t c = 0, n; c < both; c += n) {
            ptrt_rows piece[TILES];
            n = ptrt_min64(8 * MASK_BYTES, both - c);
            for (int i = 0; i < TILES; i++) {
                piece[i] = x[i];
                piece[i].p += c * (int64_t)ptrt_elem_size(tiles[i]->elem);
            }
            choose(core, test, mode, tiles, piece, &k, n);
        }
        for (int i = 0; i < 2; i++)
            fill_rest(core->bodies->movers, &k, &x[i ? IDX0 : SRC0], &x[i ? IDX1 : SRC1],
                      &x[DST + i], d.cols, ptrt_elem_size(tiles[DST + i]->elem));
    }
}

static int check_partarg(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *const *tiles,
                         ptrt_body *test) {
    static const uint8_t roles[] = {PTRT_READ, PTRT_READ,  PTRT_READ,
                                    PTRT_READ, PTRT_WRITE, PTRT_WRITE};
    int code = ptrt_check_tiles(core, line, kernel, TILES, tiles, roles);
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
    ptrt_rows x[TILES] = {{0}, {0}, {0}, {0}, {0}, {0}};
    if (d.rows == 0 || d.cols == 0) return PTRT_OK;
    for (int i = 0; i < 4 && code == PTRT_OK; i++)
        code = read(core, line, tiles[i], valid[i % 2], i < 2 ? dst : dstIdx, i < 2 ? dstIdx : dst,
                    &x[i]);
    for (int i = DST; i < TILES && code == PTRT_OK; i++)
        code = ptrt_rows_write(core, line, tiles[i], d.rows, d.cols, false, &x[i]);
    if (code == PTRT_OK) {
        run_partarg(core, (ptrt_cmp_fn)test, mode, tiles, x, valid[0], valid[1], d);
        ptrt_rows_store(core, dst, d.rows, d.cols, &x[DST]);
        ptrt_rows_store(core, dstIdx, d.rows, d.cols, &x[DST_IDX]);
    }
    for (int i = 0; i < TILES; i++)
        ptrt_rows_free(&x[i]);
    return code;
}
