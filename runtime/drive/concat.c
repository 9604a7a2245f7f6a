/* concat.c - drivers that join tiles: concat and concatidx put them side by side, interleave and
 * deinterleave alternate their columns. Elements are copied as bits. */
#include "drive/rows.h"

#include <stdlib.h>

static const ptrt_corner start = {0, 0};

static int check_parts(ptrt_core *core, uint32_t line, int kernel, int n,
                       const ptrt_tile *const *tiles, const uint8_t *roles, int data) {
    const ptrt_tile *d = tiles[n - 1];
    int code = ptrt_check_tiles(core, line, kernel, n, tiles, roles);
    if (code != PTRT_OK) return code;
    for (int i = 0; i < n; i++)
        if (tiles[i] && (i < data || i == n - 1) && tiles[i]->elem != d->elem)
            return ptrt_no_body(core, line, kernel, n, tiles);
    return ptrt_body_one(core, kernel, d) ? PTRT_OK : ptrt_no_body(core, line, kernel, n, tiles);
}

/* ---- side by side ---- */

int ptrt_concat(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                const ptrt_tile *src1, const ptrt_tile *dst) {
    static const uint8_t roles[] = {PTRT_READ, PTRT_READ, PTRT_WRITE};
    const ptrt_tile *const tiles[] = {src0, src1, dst};
    ptrt_rows s[2] = {{0}};
    int code = check_parts(core, line, kernel, 3, tiles, roles, 2);
    if (code != PTRT_OK) return code;
    const int64_t rows = dst->vrow, cols = src0->vcol + src1->vcol;
    code = ptrt_check_reach(core, line, kernel, 2, dst, rows, cols);
    for (int i = 0; i < 2 && code == PTRT_OK; i++) {
        code = ptrt_check_reach(core, line, kernel, i, tiles[i], rows, tiles[i]->vcol);
        if (code == PTRT_OK && rows > 0 && tiles[i]->vcol > 0)
            code = ptrt_rows_read(core, line, tiles[i], rows, tiles[i]->vcol, dst, false, &s[i]);
    }
    const ptrt_grid to = ptrt_grid_of_tile(dst);
    for (int i = 0; i < 2 && code == PTRT_OK; i++) {
        const ptrt_grid from = ptrt_grid_rows(s[i].p, s[i].ld);
        const ptrt_corner at = {0, i == 0 ? 0 : src0->vcol};
        ptrt_copy(core->bodies->movers, &to, at, &from, start, rows, tiles[i]->vcol,
                  ptrt_log_size(ptrt_elem_size(dst->elem)));
    }
    ptrt_rows_free(&s[0]);
    ptrt_rows_free(&s[1]);
    return code;
}

/* Returns the number of columns that element (r, 0) of a count tile asks for, 0 where the tile is
 * empty. The count is in bytes of the count tile's own type. */
static int64_t columns_of(const ptrt_tile *t, int64_t r) {
    if (t->vcol == 0) return 0;
    const int64_t size = (int64_t)ptrt_elem_size(t->elem);
    const unsigned char *p = ptrt_tile_at(t) + ptrt_axis_offset(&t->row, r) * size;
    uint32_t bits = 0;
    memcpy(&bits, p, (size_t)size);
    const int64_t n = t->elem == PTRT_I8    ? (int8_t)bits
                      : t->elem == PTRT_I16 ? (int16_t)bits
                      : t->elem == PTRT_I32 ? (int32_t)bits
                                            : (int64_t)bits;
    return n < 0 ? 0 : n / size;
}

/* Copies one row: as many columns of each source as its count says and dst's valid region has room
 * for. */
static void concat_row(ptrt_core *core, const ptrt_tile *const *tiles, const ptrt_rows *s,
                       const int64_t *counts, int64_t r) {
    const ptrt_tile *d = tiles[4];
    const ptrt_grid to = ptrt_grid_of_tile(d);
    int64_t at = 0;
    for (int i = 0; i < 2; i++) {
        const int64_t n = ptrt_min64(counts[2 * r + i], ptrt_min64(tiles[i]->vcol, d->vcol - at));
        const ptrt_grid from = ptrt_grid_rows(s[i].p, s[i].ld);
        if (n > 0)
            ptrt_copy(core->bodies->movers, &to, (ptrt_corner){r, at}, &from, (ptrt_corner){r, 0},
                      1, n, ptrt_log_size(ptrt_elem_size(d->elem)));
        at += n;
    }
}

static int check_counts(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *const *tiles) {
    static const uint8_t roles[] = {PTRT_READ, PTRT_READ, PTRT_READ, PTRT_READ, PTRT_WRITE};
    const ptrt_tile *d = tiles[4];
    int code = check_parts(core, line, kernel, 5, tiles, roles, 2);
    for (int i = 2; i < 4 && code == PTRT_OK; i++) {
        if (tiles[i]->elem > PTRT_U32) return ptrt_no_body(core, line, kernel, 5, tiles);
        code = ptrt_check_reach(core, line, kernel, i, tiles[i], d->vrow, 1);
    }
    for (int i = 0; i < 2 && code == PTRT_OK; i++)
        code = ptrt_check_reach(core, line, kernel, i, tiles[i], d->vrow, tiles[i]->vcol);
    return code;
}

int ptrt_concatidx(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                   const ptrt_tile *src1, const ptrt_tile *src0_idx, const ptrt_tile *src1_idx,
                   const ptrt_tile *dst) {
    const ptrt_tile *const tiles[] = {src0, src1, src0_idx, src1_idx, dst};
    ptrt_rows s[2] = {{0}};
    int code = check_counts(core, line, kernel, tiles);
    const int64_t rows = dst->vrow;
    if (code != PTRT_OK || rows == 0) return code;
    int64_t *counts = malloc(2 * (size_t)rows * sizeof *counts);
    if (!counts) return ptrt_fail(core, PTRT_E_NOMEM, line, "no memory for the counts");
    for (int64_t r = 0; r < rows; r++) {
        counts[2 * r] = columns_of(src0_idx, r);
        counts[2 * r + 1] = columns_of(src1_idx, r);
    }
    for (int i = 0; i < 2 && code == PTRT_OK; i++)
        if (tiles[i]->vcol > 0)
            code = ptrt_rows_read(core, line, tiles[i], rows, tiles[i]->vcol, dst, false, &s[i]);
    for (int64_t r = 0; r < rows && code == PTRT_OK; r++)
        concat_row(core, tiles, s, counts, r);
    free(counts);
    ptrt_rows_free(&s[0]);
    ptrt_rows_free(&s[1]);
    return code;
}

/* ---- alternating columns ---- */

/* Describes every second column, from column `first` on. */
static ptrt_grid alternate(const ptrt_rows *r, int64_t first, uint32_t size) {
    ptrt_grid g = ptrt_grid_rows(r->p + first * size, r->ld);
    g.col.inner = 2;
    return g;
}

static ptrt_grid from_column(const ptrt_rows *r, int64_t first, uint32_t size) {
    return ptrt_grid_rows(r->p + first * size, r->ld);
}

/* Two sources, of which the second may be NULL, and two destinations. */
typedef struct shuffle {
    const ptrt_tile *src[2], *dst[2];
    ptrt_rows s[2], d[2];
} shuffle;

static int check_shuffle(ptrt_core *core, uint32_t line, int kernel, const shuffle *x,
                         int64_t scols) {
    static const uint8_t roles[] = {PTRT_READ, PTRT_READ, PTRT_WRITE, PTRT_WRITE};
    const ptrt_tile *const tiles[] = {x->src[0], x->src[1], x->dst[0], x->dst[1]};
    int code = check_parts(core, line, kernel, 4, tiles, roles, 3);
    for (int i = 0; i < 2 && code == PTRT_OK; i++)
        if (x->src[i])
            code = ptrt_check_reach(core, line, kernel, i, x->src[i], x->dst[0]->vrow, scols);
    if (code != PTRT_OK) return code;
    return ptrt_check_reach(core, line, kernel, 3, x->dst[1], x->dst[0]->vrow, x->dst[0]->vcol);
}

/* Makes sources that overlap neither destination, and destinations with plain rows; copies where
 * needed. */
static int open_shuffle(ptrt_core *core, uint32_t line, shuffle *x, int64_t scols) {
    const int64_t rows = x->dst[0]->vrow, cols = x->dst[0]->vcol;
    int code = PTRT_OK;
    for (int i = 0; i < 2 && code == PTRT_OK; i++) {
        if (!x->src[i]) continue;
        const int over = ptrt_tiles_meet(x->src[i], x->dst[0]) ? 0 : 1;
        code = ptrt_rows_read(core, line, x->src[i], rows, scols, x->dst[over], false, &x->s[i]);
    }
    for (int i = 0; i < 2 && code == PTRT_OK; i++)
        code = ptrt_rows_write(core, line, x->dst[i], rows, cols, true, &x->d[i]);
    return code;
}

static void close_shuffle(ptrt_core *core, shuffle *x, bool done) {
    for (int i = 0; i < 2; i++) {
        if (done) ptrt_rows_store(core, x->dst[i], x->dst[0]->vrow, x->dst[0]->vcol, &x->d[i]);
        ptrt_rows_free(&x->s[i]);
        ptrt_rows_free(&x->d[i]);
    }
}

int ptrt_interleave(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                    const ptrt_tile *src1, const ptrt_tile *dst0, const ptrt_tile *dst1) {
    shuffle x = {.src = {src0, src1}, .dst = {dst0, dst1}};
    int code = check_shuffle(core, line, kernel, &x, dst0->vcol);
    const int64_t rows = dst0->vrow, half = dst0->vcol / 2;
    if (code != PTRT_OK || rows == 0 || half == 0) return code;
    code = open_shuffle(core, line, &x, dst0->vcol);
    const uint32_t size = ptrt_elem_size(dst0->elem);
    for (int i = 0; i < 4 && code == PTRT_OK; i++) {
        const ptrt_grid to = alternate(&x.d[i / 2], i % 2, size);
        const ptrt_grid from = from_column(&x.s[i % 2], i / 2 * half, size);
        ptrt_copy(core->bodies->movers, &to, start, &from, start, rows, half, ptrt_log_size(size));
    }
    close_shuffle(core, &x, code == PTRT_OK);
    return code;
}

int ptrt_deinterleave(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                      const ptrt_tile *src1, const ptrt_tile *dst0, const ptrt_tile *dst1) {
    shuffle x = {.src = {src0, src1}, .dst = {dst0, dst1}};
    const int64_t rows = dst0->vrow, cols = dst0->vcol;
    int code = check_shuffle(core, line, kernel, &x,
                             src1 || cols < 0 || cols > INT64_MAX / 2 ? cols : 2 * cols);
    if (code != PTRT_OK || rows == 0 || cols == 0) return code;
    code = open_shuffle(core, line, &x, src1 ? cols : 2 * cols);
    const uint32_t size = ptrt_elem_size(dst0->elem);
    const int64_t part = src1 ? cols / 2 : cols;
    for (int i = 0; i < (src1 ? 4 : 2) && code == PTRT_OK; i++) {
        const ptrt_grid to = from_column(&x.d[i % 2], i / 2 * part, size);
        const ptrt_grid from = alternate(&x.s[i / 2], i % 2, size);
        ptrt_copy(core->bodies->movers, &to, start, &from, start, rows, part, ptrt_log_size(size));
    }
    close_shuffle(core, &x, code == PTRT_OK);
    return code;
}
