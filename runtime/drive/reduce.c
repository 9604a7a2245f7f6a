/* SPDX-License-Identifier: Apache-2.0 */
/* reduce.c - drivers of reductions: rowreduce and rowarg make one value per row; colreduce, colsum
 * and colarg one per column; rowpairs one for every two neighbours. */
#include "drive/rows.h"

/* The shape of a reduction. */
typedef struct shape {
    bool along_rows; /* one value per row, else one per column */
    bool index;      /* values are 32-bit indices */
} shape;

/* Whether the type of the destination fits. */
static inline bool is_fit(shape k, const ptrt_tile *s, const ptrt_tile *d) {
    return k.index ? d->elem == PTRT_I32 || d->elem == PTRT_U32 : d->elem == s->elem;
}

static __attribute__((noinline)) int reduce_long(ptrt_core *core, uint32_t line, int kernel,
                                                 const ptrt_tile *s, const ptrt_tile *d, shape k,
                                                 int pairs) {
    const ptrt_tile *const tiles[] = {s, d};
    int code = ptrt_check_tiles(core, line, kernel, tiles, "rw");
    if (code != PTRT_OK) return code;
    const ptrt_body body = ptrt_body_one(core, kernel, s);
    if (!body || !is_fit(k, s, d)) return ptrt_no_body(core, line, kernel, 2, tiles);
    if (s->vrow == 0 || s->vcol == 0 || d->vrow == 0 || d->vcol == 0) return PTRT_OK;
    ptrt_operand part[] = {
        ptrt_source(s, s->vrow, s->vcol),
        ptrt_operand_of(d, k.along_rows ? s->vrow : 1, k.along_rows ? 1 : s->vcol, PTRT_TARGET)};
    ptrt_args x;
    ptrt_args_init(&x, s->vrow, s->vcol, NULL, &pairs);
    code = ptrt_check_reach(core, line, kernel, 1, d, part[1].rows, part[1].cols);
    return code != PTRT_OK ? code : ptrt_operands_run(core, line, kernel, 2, part, body, &x);
}

/* The fast path for plain rows: a single call of the body. */
static inline int reduce(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *s,
                         const ptrt_tile *d, shape k, int pairs) {
    const int64_t rows = s->vrow, cols = s->vcol;
    ptrt_args_fn body = NULL;
    /* Rows in any layout without boxes have one distance; a column may have the order of a row. */
    if (s->key != 0 && ptrt_order(s) == 0 && d->key != 0 &&
        (k.along_rows ? ptrt_order(d) <= 1 && d->rows >= rows
                      : ptrt_order(d) == 0 && d->vcol >= cols) &&
        is_fit(k, s, d) && !ptrt_tiles_meet(s, d) && pairs == PTRT_IN_ORDER &&
        (unsigned)kernel < PTRT_KERNELS)
        body = (ptrt_args_fn)ptrt_body_one(core, kernel, s);
    if (__builtin_expect(body == NULL, 0)) return reduce_long(core, line, kernel, s, d, k, pairs);
    ptrt_args x;
    ptrt_args_init(&x, rows, cols, NULL, &pairs);
    ptrt_args_operand(&x, 0, s, s->row.inner);
    ptrt_args_operand(&x, 1, d, d->row.inner);
    body(&x);
    return PTRT_OK;
}

int ptrt_colsum(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                const ptrt_tile *dst, int binary, int profile) {
    const int pairs = !binary || profile == PTRT_FOR_CPU ? PTRT_IN_ORDER
                      : profile == PTRT_FOR_A5           ? PTRT_ODD_TO_LAST
                                                         : PTRT_ODD_TO_FIRST;
    return reduce(core, line, kernel, src, dst, (shape){false, false}, pairs);
}

int ptrt_rowreduce(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                   const ptrt_tile *dst) {
    return reduce(core, line, kernel, src, dst, (shape){true, false}, PTRT_IN_ORDER);
}

int ptrt_colreduce(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                   const ptrt_tile *dst) {
    return reduce(core, line, kernel, src, dst, (shape){false, false}, PTRT_IN_ORDER);
}

int ptrt_rowarg(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                const ptrt_tile *dst) {
    return reduce(core, line, kernel, src, dst, (shape){true, true}, PTRT_IN_ORDER);
}

int ptrt_colarg(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                const ptrt_tile *dst) {
    return reduce(core, line, kernel, src, dst, (shape){false, true}, PTRT_IN_ORDER);
}

int ptrt_rowpairs(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                  const ptrt_tile *dst) {
    const ptrt_tile *const tiles[] = {src, dst};
    const ptrt_bits zero = {0};
    const int64_t rows = src->vrow, cols = src->vcol, pairs = cols / 2 + cols % 2;
    ptrt_body body = NULL;
    int code = ptrt_find_body(core, line, kernel, 2, tiles, &body);
    if (code != PTRT_OK || rows == 0 || cols == 0) return code;
    code = ptrt_check_reach(core, line, kernel, 1, dst, rows, pairs);
    if (code != PTRT_OK) return code;
    ptrt_operand part[] = {ptrt_source(src, rows, cols),
                           ptrt_operand_of(dst, rows, pairs, PTRT_TARGET)};
    ptrt_args x;
    ptrt_args_init(&x, rows, cols, NULL, NULL);
    code = ptrt_operands_open(core, line, kernel, 2, part, &x);
    if (code == PTRT_OK) {
        ptrt_fill_region(core, dst, (ptrt_region2){0, dst->rows, 0, dst->cols}, &zero);
        ((ptrt_args_fn)body)(&x);
    }
    return ptrt_operands_close(core, 2, part, code);
}
