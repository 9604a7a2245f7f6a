/* SPDX-License-Identifier: Apache-2.0 */
/* concat.c - drivers that join tiles: concat and concatidx put them side by side, interleave and
 * deinterleave alternate their columns. Elements are copied as bits. */
#include "drive/rows.h"

#include <stdlib.h>

static const ptrt_corner start = {0, 0};

static int check_parts(ptrt_core *core, uint32_t line, int kernel, int n,
                       const ptrt_tile *const *tiles, const char *roles, int data) {
    const ptrt_tile *d = tiles[n - 1];
    int code = ptrt_check_tiles(core, line, kernel, tiles, roles);
    if (code != PTRT_OK) return code;
    for (int i = 0; i < n; i++)
        if (tiles[i] && (i < data || i == n - 1) && tiles[i]->elem != d->elem)
            return ptrt_no_body(core, line, kernel, n, tiles);
    return ptrt_body_one(core, kernel, d) ? PTRT_OK : ptrt_no_body(core, line, kernel, n, tiles);
}

/* ---- side by side ---- */

/* Gets two sources as rows that do not overlap dst, which is not accessed through `x`. */
static int open_sources(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *const *tiles,
                        const ptrt_tile *dst, ptrt_operand *part, ptrt_args *x) {
    for (int i = 0; i < 2; i++)
        ptrt_set_operand(&part[i], tiles[i], dst->vrow, tiles[i]->vcol, PTRT_SOURCE, 0);
    ptrt_set_operand(&part[2], dst, 0, 0, PTRT_TARGET, 0);
    ptrt_args_init(x, dst->vrow, 0, NULL, NULL);
    return ptrt_operands_open(core, line, kernel, 3, part, x);
}

int ptrt_concat(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                const ptrt_tile *src1, const ptrt_tile *dst) {
    const ptrt_tile *const tiles[] = {src0, src1, dst};
    ptrt_body body = NULL;
    int code = ptrt_find_body(core, line, kernel, 3, tiles, &body);
    if (code != PTRT_OK) return code;
    const int64_t rows = dst->vrow, cols = src0->vcol + src1->vcol;
    code = ptrt_check_reach(core, line, kernel, 2, dst, rows, cols);
    for (int i = 0; i < 2 && code == PTRT_OK; i++)
        code = ptrt_check_reach(core, line, kernel, i, tiles[i], rows, tiles[i]->vcol);
    if (code != PTRT_OK) return code;
    ptrt_operand part[3];
    ptrt_args x;
    code = open_sources(core, line, kernel, tiles, dst, part, &x);
    const ptrt_grid to = ptrt_grid_of_tile(dst);
    for (int i = 0; i < 2 && code == PTRT_OK; i++) {
        const ptrt_grid from = ptrt_grid_rows(x.p[i], x.ld[i]);
        const ptrt_corner at = {0, i == 0 ? 0 : src0->vcol};
        ptrt_copy(core->bodies->movers, &to, at, &from, start, rows, tiles[i]->vcol,
                  ptrt_log_size(ptrt_elem_size(dst->elem)));
    }
    return ptrt_operands_close(core, 3, part, code);
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
static void concat_row(ptrt_core *core, const ptrt_tile *const *tiles, const ptrt_args *x,
                       const int64_t *counts, int64_t r) {
    const ptrt_tile *d = tiles[4];
    const ptrt_grid to = ptrt_grid_of_tile(d);
    int64_t at = 0;
    for (int i = 0; i < 2; i++) {
        const int64_t n = ptrt_min64(counts[2 * r + i], ptrt_min64(tiles[i]->vcol, d->vcol - at));
        const ptrt_grid from = ptrt_grid_rows(x->p[i], x->ld[i]);
        if (n > 0)
            ptrt_copy(core->bodies->movers, &to, (ptrt_corner){r, at}, &from, (ptrt_corner){r, 0},
                      1, n, ptrt_log_size(ptrt_elem_size(d->elem)));
        at += n;
    }
}

static int check_counts(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *const *tiles) {
    const ptrt_tile *d = tiles[4];
    int code = check_parts(core, line, kernel, 5, tiles, "rrrrw", 2);
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
    int code = check_counts(core, line, kernel, tiles);
    const int64_t rows = dst->vrow;
    if (code != PTRT_OK || rows == 0) return code;
    int64_t *counts = malloc(2 * (size_t)rows * sizeof *counts);
    if (!counts) return ptrt_fail(core, PTRT_E_NOMEM, line, "no memory for the counts");
    for (int64_t r = 0; r < rows; r++) {
        counts[2 * r] = columns_of(src0_idx, r);
        counts[2 * r + 1] = columns_of(src1_idx, r);
    }
    ptrt_operand part[3];
    ptrt_args x;
    code = open_sources(core, line, kernel, tiles, dst, part, &x);
    for (int64_t r = 0; r < rows && code == PTRT_OK; r++)
        concat_row(core, tiles, &x, counts, r);
    free(counts);
    return ptrt_operands_close(core, 3, part, code);
}

/* ---- alternating columns ---- */

/* Describes `step` columns of one from column `first` on. */
static ptrt_grid columns(const ptrt_args *x, int i, int64_t first, int64_t step, uint32_t size) {
    ptrt_grid g = ptrt_grid_rows((unsigned char *)x->p[i] + first * size, x->ld[i]);
    g.col.inner = step;
    return g;
}

/* Checks two sources, of which the second may be NULL, and two destinations, and makes sources that
 * overlap neither destination. */
static int open_shuffle(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *const *tiles,
                        int64_t scols, ptrt_operand *part, ptrt_args *x) {
    const int64_t rows = tiles[2]->vrow, cols = tiles[2]->vcol;
    int code = check_parts(core, line, kernel, 4, tiles, "rrww", 3);
    for (int i = 0; i < 2; i++) {
        ptrt_set_operand(&part[i], tiles[i], rows, scols, PTRT_SOURCE, 0);
        ptrt_set_operand(&part[2 + i], tiles[2 + i], rows, cols, PTRT_UPDATED, 0);
        if (code == PTRT_OK && tiles[i])
            code = ptrt_check_reach(core, line, kernel, i, tiles[i], rows, scols);
    }
    if (code == PTRT_OK) code = ptrt_check_reach(core, line, kernel, 3, tiles[3], rows, cols);
    ptrt_args_init(x, rows, cols, NULL, NULL);
    return code != PTRT_OK ? code : ptrt_operands_open(core, line, kernel, 4, part, x);
}

int ptrt_interleave(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                    const ptrt_tile *src1, const ptrt_tile *dst0, const ptrt_tile *dst1) {
    const ptrt_tile *const tiles[] = {src0, src1, dst0, dst1};
    ptrt_operand part[4];
    ptrt_args x;
    int code = open_shuffle(core, line, kernel, tiles, dst0->vcol, part, &x);
    const int64_t rows = dst0->vrow, half = dst0->vcol / 2;
    const uint32_t size = ptrt_elem_size(dst0->elem);
    for (int i = 0; i < 4 && rows > 0 && half > 0 && code == PTRT_OK; i++) {
        const ptrt_grid to = columns(&x, 2 + i / 2, i % 2, 2, size);
        const ptrt_grid from = columns(&x, i % 2, i / 2 * half, 1, size);
        ptrt_copy(core->bodies->movers, &to, start, &from, start, rows, half, ptrt_log_size(size));
    }
    return ptrt_operands_close(core, 4, part, code);
}

int ptrt_deinterleave(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                      const ptrt_tile *src1, const ptrt_tile *dst0, const ptrt_tile *dst1) {
    const ptrt_tile *const tiles[] = {src0, src1, dst0, dst1};
    const int64_t rows = dst0->vrow, cols = dst0->vcol;
    ptrt_operand part[4];
    ptrt_args x;
    int code = open_shuffle(core, line, kernel, tiles,
                            src1 || cols < 0 || cols > INT64_MAX / 2 ? cols : 2 * cols, part, &x);
    const uint32_t size = ptrt_elem_size(dst0->elem);
    const int64_t each = src1 ? cols / 2 : cols;
    for (int i = 0; i < (src1 ? 4 : 2) && rows > 0 && code == PTRT_OK; i++) {
        const ptrt_grid to = columns(&x, 2 + i % 2, i / 2 * each, 1, size);
        const ptrt_grid from = columns(&x, i / 2, i % 2, 2, size);
        ptrt_copy(core->bodies->movers, &to, start, &from, start, rows, each, ptrt_log_size(size));
    }
    return ptrt_operands_close(core, 4, part, code);
}
