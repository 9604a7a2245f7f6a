/* SPDX-License-Identifier: Apache-2.0 */
/* make.c - drivers of kernels that generate values: sequence (tci), random and random_tiles
 * (trandom), histogram (thistogram). */
#include "drive/rows.h"

#include <stdlib.h>

int ptrt_sequence_i(ptrt_core *core, uint32_t line, int kernel, int64_t start, const ptrt_tile *dst,
                    int descending) {
    ptrt_body body = NULL;
    ptrt_bits k = {0};
    int code = ptrt_find_body(core, line, kernel, 1, &dst, &body);
    if (code != PTRT_OK) return code;
    (void)ptrt_int_bits(dst->elem, start, &k);
    ptrt_operand part = ptrt_operand_of(dst, 1, dst->vcol, PTRT_TARGET);
    ptrt_args x;
    ptrt_args_init(&x, 1, dst->vcol, &k, &descending);
    return dst->vcol == 0 ? PTRT_OK : ptrt_operands_run(core, line, kernel, 1, &part, body, &x);
}

/* ---- random words ---- */

static int random_words(ptrt_core *core, uint32_t line, int kernel, ptrt_philox *state,
                        int64_t rounds, const ptrt_tile *dst) {
    const ptrt_body body = ptrt_body_one(core, kernel, dst);
    const int64_t rows = dst->vrow, cols = dst->vcol;
    if (!body) return ptrt_no_body(core, line, kernel, 1, &dst);
    if (rounds != 7 && rounds != 10)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: %lld rounds, not 7 or 10",
                         ptrt_op_name(kernel), (long long)rounds);
    if (rows == 0 || cols == 0) return PTRT_OK;
    state->rounds = (unsigned)rounds;
    ptrt_operand part = ptrt_operand_of(dst, rows, cols, PTRT_TARGET);
    ptrt_args x;
    ptrt_args_init(&x, rows, cols, NULL, state);
    return ptrt_operands_run(core, line, kernel, 1, &part, body, &x);
}

int ptrt_random(ptrt_core *core, uint32_t line, int kernel, int64_t key0, int64_t key1,
                int64_t counter0, int64_t counter1, int64_t counter2, int64_t counter3,
                const ptrt_tile *dst, int rounds) {
    ptrt_philox state = {
        {(uint32_t)key0, (uint32_t)key1},
        {(uint32_t)counter0, (uint32_t)counter1, (uint32_t)counter2, (uint32_t)counter3},
        0};
    int code = ptrt_check_tiles(core, line, kernel, &dst, "w");
    return code != PTRT_OK ? code : random_words(core, line, kernel, &state, rounds, dst);
}

/* Reads the first n elements of a tile, in row-major order, as 32-bit words. */
static int read_words(ptrt_core *core, uint32_t line, int kernel, int i, const ptrt_tile *t,
                      int64_t n, uint32_t *out) {
    if (t->rows < n && t->cols < n && t->rows * t->cols < n)
        return ptrt_check_reach(core, line, kernel, i, t, 1, n);
    for (int64_t k = 0; k < n; k++) {
        const int64_t at =
            ptrt_axis_offset(&t->row, k / t->cols) + ptrt_axis_offset(&t->col, k % t->cols);
        memcpy(&out[k], ptrt_tile_at(t) + at * (int64_t)sizeof *out, sizeof *out);
    }
    return PTRT_OK;
}

int ptrt_random_tiles(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *key,
                      const ptrt_tile *counter, const ptrt_tile *dst, int rounds) {
    const ptrt_tile *const tiles[] = {key, counter, dst};
    ptrt_philox state = {0};
    int code = ptrt_check_tiles(core, line, kernel, tiles, "rrw");
    if (code != PTRT_OK) return code;
    if (ptrt_elem_size(key->elem) != 4 || ptrt_elem_size(counter->elem) != 4)
        return ptrt_no_body(core, line, kernel, 3, tiles);
    code = read_words(core, line, kernel, 0, key, 2, state.key);
    if (code == PTRT_OK) code = read_words(core, line, kernel, 1, counter, 4, state.counter);
    return code != PTRT_OK ? code : random_words(core, line, kernel, &state, rounds, dst);
}

/* ---- histograms ---- */

enum { BINS = 256 };

static uint8_t byte_at(const ptrt_tile *t, int64_t r) {
    return ptrt_tile_at(t)[ptrt_axis_offset(&t->row, r)];
}

/* Selects the elements that a histogram counts by the bytes above the counted one. For 32-bit
 * elements row k of idx has the k-th byte from the top; for 16-bit elements row r has the high byte
 * for row r of src. */
typedef struct filter {
    const ptrt_tile *idx;
    int byte, bytes; /* counted byte; bytes of an element */
} filter;

static int64_t filter_rows(const filter *f, const ptrt_tile *src) {
    if (f->byte == f->bytes - 1) return 0;
    return f->bytes == 2 ? src->vrow : f->bytes - 1 - f->byte;
}

/* Computes the bits above the counted byte, and their required value in row r. */
static void filter_of_row(const filter *f, int64_t r, uint32_t *mask, uint32_t *want) {
    *mask = *want = 0;
    for (int b = f->bytes - 1, k = 0; b > f->byte; b--, k++) {
        *mask |= UINT32_C(0xFF) << 8 * b;
        *want |= (uint32_t)byte_at(f->idx, f->bytes == 2 ? r : k) << 8 * b;
    }
}

static int check_histogram(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                           const ptrt_tile *dst, const filter *f) {
    const ptrt_tile *const tiles[] = {src, f->idx, dst};
    int code = ptrt_check_tiles(core, line, kernel, tiles, "rrw");
    if (code != PTRT_OK) return code;
    if (!ptrt_body_one(core, kernel, src) || (dst->elem != PTRT_I32 && dst->elem != PTRT_U32) ||
        ptrt_elem_size(f->idx->elem) != 1)
        return ptrt_no_body(core, line, kernel, 3, tiles);
    if (f->byte < 0 || f->byte >= f->bytes)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: elements of src have no byte %d",
                         ptrt_op_name(kernel), f->byte);
    code = ptrt_check_reach(core, line, kernel, 1, f->idx, filter_rows(f, src), 1);
    return code != PTRT_OK ? code : ptrt_check_reach(core, line, kernel, 2, dst, src->vrow, BINS);
}

int ptrt_histogram(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                   const ptrt_tile *idx, const ptrt_tile *dst, int byte, int msb) {
    const int64_t rows = src->vrow, cols = src->vcol;
    const int size = (int)ptrt_elem_size(src->elem);
    const filter f = {idx, byte != PTRT_ABSENT ? byte : msb == PTRT_ABSENT ? 1 : msb, size};
    int code = check_histogram(core, line, kernel, src, dst, &f);
    if (code != PTRT_OK || rows == 0) return code;
    const ptrt_body body = ptrt_body_one(core, kernel, src);
    uint32_t *mask = malloc(2 * (size_t)rows * sizeof *mask);
    if (!mask) return ptrt_fail(core, PTRT_E_NOMEM, line, "no memory for the filter");
    for (int64_t r = 0; r < rows; r++)
        filter_of_row(&f, r, &mask[2 * r], &mask[2 * r + 1]);
    ptrt_bins how = {(unsigned)(8 * f.byte), mask};
    ptrt_operand part[] = {ptrt_source(src, rows, cols), ptrt_source(idx, 0, 0),
                           ptrt_operand_of(dst, rows, BINS, PTRT_TARGET)};
    ptrt_args x;
    ptrt_args_init(&x, rows, cols, NULL, &how);
    code = ptrt_operands_run(core, line, kernel, 3, part, body, &x);
    free(mask);
    return code;
}
