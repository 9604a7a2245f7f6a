/* SPDX-License-Identifier: Apache-2.0 */
/* mx_exponents.c - driver move_zz: rearranges exponents of groups into the order in which mx
 * products read them. */
#include "drive/drive.h"

enum { BOX_ROWS = 16, BOX_COLS = 2 };

/* The matrix to write, made of the elements of src. */
typedef struct matrix {
    const ptrt_tile *src;
    int64_t rows, cols;
    bool transposed; /* it is src transposed; else it has src's elements in their order */
} matrix;

static const unsigned char *element(const matrix *m, int64_t r, int64_t c) {
    const ptrt_tile *s = m->src;
    const int64_t i = r * m->cols + c;
    const int64_t row = m->transposed ? c : i / s->vcol, col = m->transposed ? r : i % s->vcol;
    return ptrt_tile_at(s) + ptrt_axis_offset(&s->row, row) + ptrt_axis_offset(&s->col, col);
}

/* Writes boxes of 16 x 2 bytes, row by row of boxes; missing rows of the last boxes are 0. */
static void write_boxes(const matrix *m, unsigned char *out) {
    for (int64_t r0 = 0; r0 < m->rows; r0 += BOX_ROWS)
        for (int64_t c0 = 0; c0 < m->cols; c0 += BOX_COLS)
            for (int64_t r = r0; r < r0 + BOX_ROWS; r++)
                for (int64_t c = c0; c < c0 + BOX_COLS; c++)
                    *out++ = r < m->rows ? *element(m, r, c) : 0;
}

static int check_sizes(ptrt_core *core, uint32_t line, int kernel, const matrix *m,
                       const ptrt_tile *dst, int64_t bytes) {
    const ptrt_tile *s = m->src;
    const char *op = ptrt_op_name(kernel);
    if (m->cols % BOX_COLS != 0)
        return ptrt_fail(core, PTRT_E_VALID, line, "%s: an odd number of columns: %lld", op,
                         (long long)m->cols);
    if (dst->vrow * dst->vcol != s->vrow * s->vcol)
        return ptrt_fail(
            core, PTRT_E_VALID, line, "%s: src has %lldx%lld valid elements, dst %lldx%lld", op,
            (long long)s->vrow, (long long)s->vcol, (long long)dst->vrow, (long long)dst->vcol);
    if (bytes > dst->rows * dst->cols || (uint64_t)bytes > dst->bytes || dst->rows != dst->srows ||
        dst->cols != dst->scols)
        return ptrt_fail(core, PTRT_E_BOUNDS, line, "%s: dst has no room for %lld elements", op,
                         (long long)bytes);
    return PTRT_OK;
}

int ptrt_move_zz(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                 const ptrt_tile *tmp, const ptrt_tile *dst, int axis) {
    const ptrt_tile *const tiles[] = {src, tmp, dst};
    int code = ptrt_check_tiles(core, line, kernel, tiles, "rsw");
    if (code != PTRT_OK) return code;
    if (src->elem != dst->elem || !ptrt_body_one(core, kernel, dst))
        return ptrt_no_body(core, line, kernel, 3, tiles);
    const bool transposed = axis == 0;
    const matrix m = {src, transposed ? src->vcol : dst->vrow, transposed ? src->vrow : dst->vcol,
                      transposed};
    const int64_t bytes = (m.rows + BOX_ROWS - 1) / BOX_ROWS * BOX_ROWS * m.cols;
    code = check_sizes(core, line, kernel, &m, dst, bytes);
    if (code != PTRT_OK || bytes == 0) return code;
    unsigned char *boxes = ptrt_scratch((size_t)bytes);
    if (!boxes) return ptrt_fail(core, PTRT_E_NOMEM, line, "no memory for a move");
    write_boxes(&m, boxes);
    memcpy(ptrt_tile_at(dst), boxes, (size_t)bytes);
    return PTRT_OK;
}
