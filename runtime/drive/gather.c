/* SPDX-License-Identifier: Apache-2.0 */
/* gather.c - drivers that select elements of a tile: gather by index, gatherb by byte offset,
 * gathermask by a pattern, gathercmp by a comparison. */
#include "drive/indexed.h"

/* ---- by index ---- */

/* Returns the column of the first index of a row that is not below `limit`, or `cols`. */
static int64_t bad_column(const unsigned char *row, int64_t cols, enum ptrt_index kind,
                          uint32_t limit, int64_t *index) {
    int64_t c = 0;
    for (; c < cols; c++) {
        uint32_t wide;
        uint16_t half;
        if (kind == PTRT_INDEX_32) {
            memcpy(&wide, row + 4 * c, sizeof wide);
            *index = wide;
        } else {
            memcpy(&half, row + 2 * c, sizeof half);
            *index = kind == PTRT_INDEX_I16 ? (int16_t)half : half;
        }
        if (*index < 0 || *index >= (int64_t)limit) break;
    }
    return c;
}

int ptrt_check_indices(ptrt_core *core, uint32_t line, int kernel, const ptrt_args *x,
                       const char *of) {
    const ptrt_lookup *how = x->how;
    const ptrdiff_t step = x->ld[1] * (how->kind == PTRT_INDEX_32 ? 4 : 2);
    const unsigned char *row = x->p[1];
    int64_t index = 0;
    for (size_t r = 0; core->checked && r < x->rows; r++, row += step)
        if (bad_column(row, (int64_t)x->cols, how->kind, how->n, &index) < (int64_t)x->cols)
            return ptrt_fail(core, PTRT_E_BOUNDS, line, "%s: index %lld, but %s has %lu elements",
                             ptrt_op_name(kernel), (long long)index, of, (unsigned long)how->n);
    return PTRT_OK;
}

static int check_gather(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *s,
                        const ptrt_tile *i, const ptrt_tile *d, ptrt_body *body) {
    const ptrt_tile *const tiles[] = {s, i, d};
    int code = ptrt_check_tiles(core, line, kernel, tiles, "rrw");
    if (code != PTRT_OK) return code;
    *body = ptrt_body_one(core, kernel, d);
    if (!*body || s->elem != d->elem || ptrt_index_kind(i) < 0)
        return ptrt_no_body(core, line, kernel, 3, tiles);
    return ptrt_check_reach(core, line, kernel, 1, i, d->vrow, d->vcol);
}

int ptrt_gather(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                const ptrt_tile *indices, const ptrt_tile *dst) {
    ptrt_body body = NULL;
    const int64_t rows = dst->vrow, cols = dst->vcol;
    ptrt_lookup how = {.kind = (enum ptrt_index)ptrt_index_kind(indices),
                       .n = ptrt_index_limit(src, indices)};
    int code = check_gather(core, line, kernel, src, indices, dst, &body);
    if (code != PTRT_OK || rows == 0 || cols == 0) return code;
    ptrt_operand part[] = {ptrt_flat(src, PTRT_SOURCE), ptrt_source(indices, rows, cols),
                           ptrt_operand_of(dst, rows, cols, PTRT_TARGET)};
    ptrt_args x;
    ptrt_args_init(&x, rows, cols, NULL, &how);
    code = ptrt_operands_open(core, line, kernel, 3, part, &x);
    if (code == PTRT_OK) code = ptrt_check_indices(core, line, kernel, &x, "src");
    if (code == PTRT_OK) ((ptrt_args_fn)body)(&x);
    return ptrt_operands_close(core, 3, part, code);
}

/* ---- by byte offset ---- */

enum { BLOCK = 32 };

/* The offsets of a row are the 32-bit numbers from the first byte of the row on, whatever the
 * tile's element type is. */
static int check_blocks(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *s,
                        const ptrt_tile *o, const ptrt_tile *d, int64_t *blocks) {
    const ptrt_tile *const tiles[] = {s, o, d};
    const int64_t per = 4, size = (int64_t)ptrt_elem_size(o->elem);
    int code = ptrt_check_tiles(core, line, kernel, tiles, "rrw");
    if (code != PTRT_OK) return code;
    if (!ptrt_body_one(core, kernel, d) || size == 0)
        return ptrt_no_body(core, line, kernel, 3, tiles);
    *blocks = d->vcol * (int64_t)ptrt_elem_size(d->elem) / BLOCK;
    return ptrt_check_reach(core, line, kernel, 1, o, d->vrow, (*blocks * per + size - 1) / size);
}

/* Whether the block from byte offset `at` on lies in src. */
static bool has_block(const ptrt_tile *src, uint32_t at) {
    return at <= src->bytes && src->bytes - at >= BLOCK;
}

/* Reports, in checked mode, the first offset of a row whose block leaves src. */
static int check_offsets(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                         const unsigned char *o, int64_t blocks) {
    for (int64_t b = 0; core->checked && b < blocks; b++) {
        uint32_t at;
        memcpy(&at, o + 4 * b, sizeof at);
        if (!has_block(src, at))
            return ptrt_fail(
                core, PTRT_E_BOUNDS, line, "%s: 32 bytes at offset %lu, but src has %llu bytes",
                ptrt_op_name(kernel), (unsigned long)at, (unsigned long long)src->bytes);
    }
    return PTRT_OK;
}

static void copy_blocks(const ptrt_tile *src, const unsigned char *s, const unsigned char *o,
                        unsigned char *d, int64_t blocks) {
    for (int64_t b = 0; b < blocks; b++) {
        uint32_t at;
        memcpy(&at, o + 4 * b, sizeof at);
        if (has_block(src, at)) memcpy(d + BLOCK * b, s + at, BLOCK);
    }
}

int ptrt_gatherb(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                 const ptrt_tile *offsets, const ptrt_tile *dst) {
    const int64_t size = (int64_t)ptrt_elem_size(dst->elem),
                  osize = (int64_t)ptrt_elem_size(offsets->elem);
    const int64_t rows = dst->vrow;
    int64_t blocks = 0;
    int code = check_blocks(core, line, kernel, src, offsets, dst, &blocks);
    if (code != PTRT_OK || rows == 0 || blocks == 0) return code;
    /* Blocks are bytes of the source's memory, whatever its layout is. */
    ptrt_tile memory = *src;
    memory.row = (ptrt_axis){1, 0, (int64_t)src->bytes / (int64_t)ptrt_elem_size(src->elem)};
    memory.col = (ptrt_axis){1, 0, 1};
    memory.rows = 1;
    memory.cols = memory.row.inner;
    ptrt_operand part[] = {ptrt_flat(&memory, PTRT_SOURCE),
                           ptrt_source(offsets, rows, (4 * blocks + osize - 1) / osize),
                           ptrt_operand_of(dst, rows, BLOCK * blocks / size, PTRT_UPDATED)};
    ptrt_args x;
    ptrt_args_init(&x, rows, (BLOCK * blocks / size), NULL, NULL);
    code = ptrt_operands_open(core, line, kernel, 3, part, &x);
    const unsigned char *o = x.p[1];
    unsigned char *d = x.p[2];
    for (int64_t r = 0; code == PTRT_OK && r < rows; r++)
        code = check_offsets(core, line, kernel, src, o + r * x.ld[1] * osize, blocks);
    for (int64_t r = 0; code == PTRT_OK && r < rows; r++)
        copy_blocks(src, x.p[0], o + r * x.ld[1] * osize, d + r * x.ld[2] * size, blocks);
    return ptrt_operands_close(core, 3, part, code);
}

/* ---- by pattern ---- */

/* Returns how far the source is read for n selected positions. */
static int64_t reach(int64_t n, size_t step, size_t at) {
    return n == 0 ? 0 : (n - 1) * (int64_t)step + (int64_t)at + 1;
}

static int check_mask(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *s,
                      const ptrt_tile *d, bool known, ptrt_body *body) {
    const ptrt_tile *const tiles[] = {s, d};
    int code = ptrt_check_tiles(core, line, kernel, tiles, "rw");
    if (code != PTRT_OK) return code;
    *body = ptrt_body_one(core, kernel, d);
    if (!*body || ptrt_elem_size(s->elem) != ptrt_elem_size(d->elem))
        return ptrt_no_body(core, line, kernel, 2, tiles);
    if (!known)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: no such pattern", ptrt_op_name(kernel));
    return PTRT_OK;
}

int ptrt_gathermask(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                    const ptrt_tile *dst, int pattern, int axis) {
    ptrt_body body = NULL;
    ptrt_pattern how = ptrt_pattern_of(pattern);
    const int64_t rows = dst->vrow, cols = dst->vcol;
    int code = check_mask(core, line, kernel, src, dst, how.step != 0, &body);
    if (code != PTRT_OK || rows == 0 || cols == 0) return code;
    const int64_t srows = axis ? reach(rows, how.step, how.at) : rows;
    const int64_t scols = axis ? cols : reach(cols, how.step, how.at);
    code = ptrt_check_reach(core, line, kernel, 0, src, srows, scols);
    if (code != PTRT_OK) return code;
    ptrt_operand part[] = {ptrt_source(src, srows, scols),
                           ptrt_operand_of(dst, rows, cols, PTRT_TARGET)};
    ptrt_args x;
    ptrt_args_init(&x, rows, cols, NULL, &how);
    code = ptrt_operands_open(core, line, kernel, 2, part, &x);
    if (code == PTRT_OK) {
        const ptrdiff_t first = axis ? (ptrdiff_t)how.at * x.ld[0] : (ptrdiff_t)how.at;
        x.p[0] = (unsigned char *)x.p[0] + first * (ptrdiff_t)ptrt_elem_size(dst->elem);
        if (axis) {
            x.ld[0] *= (ptrdiff_t)how.step;
            how.step = 1;
        }
        ((ptrt_args_fn)body)(&x);
    }
    return ptrt_operands_close(core, 2, part, code);
}

/* ---- by comparison ---- */

typedef struct search {
    const ptrt_tile *s, *d, *n;
    ptrt_bits k;
    int mode;
    uint32_t offset;
    bool a5;
} search;

static int check_search(ptrt_core *core, uint32_t line, int kernel, const search *x,
                        ptrt_body *body) {
    const ptrt_tile *const tiles[] = {x->s, x->d, x->n};
    int code = ptrt_check_tiles(core, line, kernel, tiles, "rww");
    if (code != PTRT_OK) return code;
    *body = ptrt_body_one(core, kernel, x->s);
    if (!*body || (x->d->elem != PTRT_I32 && x->d->elem != PTRT_U32) || x->n->elem != x->d->elem)
        return ptrt_no_body(core, line, kernel, 3, tiles);
    if (x->mode != PTRT_CMP_EQ && x->mode != PTRT_CMP_GT)
        return ptrt_fail(core, PTRT_E_ARG, line, "%s: no comparison %d", ptrt_op_name(kernel),
                         x->mode);
    if (x->s->vrow > x->n->rows * x->n->cols)
        return ptrt_fail(core, PTRT_E_VALID, line,
                         "%s: cdst has %lld elements for %lld rows of src", ptrt_op_name(kernel),
                         (long long)(x->n->rows * x->n->cols), (long long)x->s->vrow);
    return ptrt_check_reach(core, line, kernel, 1, x->d, x->s->vrow, 0);
}

/* On a5 the first number of a row is a multiple of the elements in 256 bytes, and f32 is rounded
 * before the comparison. */
static int gathercmp(ptrt_core *core, uint32_t line, int kernel, const search *x) {
    ptrt_body body = NULL;
    const int64_t rows = x->s->vrow, cols = x->s->vcol;
    int code = check_search(core, line, kernel, x, &body);
    if (code != PTRT_OK || rows == 0) return code;
    const int64_t whole = 256 / (int64_t)ptrt_elem_size(x->s->elem);
    ptrt_search how = {.first = x->offset,
                       .step = (uint32_t)(x->a5 ? (cols + whole - 1) / whole * whole : x->s->cols),
                       .room = (size_t)x->d->vcol,
                       .greater = x->mode == PTRT_CMP_GT,
                       .rounded = x->a5 && x->s->elem == PTRT_F32};
    ptrt_operand part[] = {ptrt_source(x->s, rows, cols),
                           ptrt_operand_of(x->d, rows, x->d->vcol, PTRT_UPDATED),
                           ptrt_flat(x->n, PTRT_UPDATED)};
    ptrt_args args;
    ptrt_args_init(&args, rows, cols, &x->k, &how);
    return ptrt_operands_run(core, line, kernel, 3, part, body, &args);
}

int ptrt_gathercmp_i(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                     int64_t value, const ptrt_tile *dst, const ptrt_tile *cdst, int mode,
                     int offset, int profile) {
    search x = {src, dst, cdst, {0}, mode, (uint32_t)offset, profile == PTRT_FOR_A5};
    (void)ptrt_int_bits(src->elem, value, &x.k);
    return gathercmp(core, line, kernel, &x);
}

int ptrt_gathercmp_f(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src, double value,
                     const ptrt_tile *dst, const ptrt_tile *cdst, int mode, int offset,
                     int profile) {
    search x = {src, dst, cdst, {0}, mode, (uint32_t)offset, profile == PTRT_FOR_A5};
    (void)ptrt_float_bits(src->elem, value, &x.k);
    return gathercmp(core, line, kernel, &x);
}
