/* SPDX-License-Identifier: Apache-2.0 */
/* expand.c - drivers rowexpand and colexpand (a tile with a column or row of another one), and
 * spread (copies a column or row over a tile). */
#include "drive/rows.h"

/* ---- column operand ---- */

/* What a job with a block of factors per row needs. */
typedef struct blocks {
    size_t lanes, size; /* elements of a block, bytes of an element */
    ptrt_uniform_fn uniform;
} blocks;

static blocks blocks_of(const ptrt_core *core, const ptrt_tile *d) {
    const uint32_t size = ptrt_elem_size(d->elem);
    return (blocks){32 / size, size, core->bodies->movers->uniform[ptrt_log_size(size)]};
}

/* Each row has a block of factors that repeats: columns j, j + lanes, ... use the same factor.
 * Usually all factors of a block are equal, and then the block is treated as a column. */
static void apply_blocks(const blocks *b, ptrt_maps_fn body, void *const *p, const ptrdiff_t *ld,
                         size_t rows, size_t cols) {
    enum { SOME = 64 }; /* rows tested together */
    const ptrdiff_t size = (ptrdiff_t)b->size;
    for (size_t r = 0, n; r < rows; r += n) {
        const unsigned char *a = (const unsigned char *)p[0] + (ptrdiff_t)r * ld[0] * size;
        const unsigned char *k = (const unsigned char *)p[1] + (ptrdiff_t)r * ld[1] * size;
        unsigned char *d = (unsigned char *)p[2] + (ptrdiff_t)r * ld[2] * size;
        n = b->uniform(k, rows - r < SOME ? rows - r : SOME, ld[1] * size);
        if (n > 0) {
            body(d, a, k, n, cols, ld[2], ld[0], ld[1]);
            continue;
        }
        for (size_t c = 0; c < cols; c++)
            body(d + c * b->size, a + c * b->size, k + c % b->lanes * b->size, 1, 1, 0, 0, 0);
        n = 1;
    }
}

static void call_blocks(ptrt_body body, const ptrt_args *x) {
    apply_blocks(x->how, (ptrt_maps_fn)body, x->p, x->ld, x->rows, x->cols);
}

/* The kernel that computes the same with its first two operands exchanged; PTRT_NO_KERNEL: none. */
static const uint16_t exchanged[PTRT_KERNELS] = {
#define EXCHANGED(id, other) [PTRT_##id] = PTRT_##other,
#include "ptort_kernels.def"
};

/* Whether src0 is the expanded operand: its valid region is not that of dst, and that of src1
 * is. */
static bool first_is_expanded(const ptrt_tile *a, const ptrt_tile *b, const ptrt_tile *d) {
    bool first_full = a->vrow == d->vrow && a->vcol == d->vcol;
    return !first_full && b->vrow == d->vrow && b->vcol == d->vcol;
}

/* Checks the full and the expanded operand for the fast paths. */
static inline bool is_short(const ptrt_core *core, int kernel, const ptrt_tile *full,
                            const ptrt_tile *other, const ptrt_tile *d) {
    return ((ptrt_directions(d) & ptrt_directions(full) & 1) != 0) &
           (int)(ptrt_directions(other) != 0) & ((unsigned)kernel < PTRT_KERNELS) &
           (full->elem == d->elem) & (other->elem == d->elem) & ptrt_operand_fits(d) &
           ptrt_operand_fits(full) & ptrt_operand_fits(other) &
           ptrt_reaches(full, d->vrow, d->vcol) & ptrt_in_step(d, full) &
           !ptrt_tiles_meet(d, other) & (core->hook == NULL) & (d->vrow != 0) & (d->vcol != 0);
}

static __attribute__((noinline)) int rowexpand_long(ptrt_core *core, uint32_t line, int kernel,
                                                    const ptrt_tile *src0, const ptrt_tile *src1,
                                                    const ptrt_tile *dst) {
    const ptrt_tile *const tiles[] = {src0, src1, dst};
    ptrt_body body = NULL;
    int code = ptrt_find_body(core, line, kernel, 3, tiles, &body);
    if (code != PTRT_OK || dst->vrow == 0 || dst->vcol == 0) return code;
    const bool swap = first_is_expanded(src0, src1, dst);
    const ptrt_tile *full = swap ? src1 : src0, *column = swap ? src0 : src1;
    if (swap) body = ptrt_body_one(core, exchanged[kernel], dst);
    if (!body) return ptrt_no_body(core, line, kernel, 3, tiles);
    size_t lanes = column->vcol > 0 ? (size_t)column->vcol : 1;
    code = ptrt_check_reach(core, line, kernel, swap, full, dst->vrow, dst->vcol);
    if (code == PTRT_OK)
        code = ptrt_check_reach(core, line, kernel, !swap, column, dst->vrow, (int64_t)lanes);
    if (code != PTRT_OK) return code;
    blocks b = blocks_of(core, dst);
    if (lanes > 1 && lanes != b.lanes)
        return ptrt_fail(core, PTRT_E_VALID, line,
                         "%s: the expanded operand has %d valid columns, not 1 or %d",
                         ptrt_op_name(kernel), (int)column->vcol, (int)b.lanes);
    ptrt_job job = {.n = 3,
                    .tile = {full, column, dst},
                    .extent = {PTRT_FULL, lanes > 1 ? PTRT_BLOCK : PTRT_COLUMN, PTRT_FULL},
                    .rows = dst->vrow,
                    .cols = dst->vcol,
                    .call = lanes > 1 ? call_blocks : ptrt_call_maps,
                    .body = body,
                    .how = &b};
    return ptrt_job_run(core, line, &job);
}

/* The fast path for blocks of factors. Returns false when it does not apply. */
static bool short_blocks(const ptrt_core *core, const ptrt_tile *full, const ptrt_tile *k,
                         const ptrt_tile *d, ptrt_maps_fn body) {
    const blocks b = blocks_of(core, d);
    if (k->vcol != (int64_t)b.lanes || (ptrt_directions(k) & 1) == 0) return false;
    void *const p[] = {ptrt_tile_at(full), ptrt_tile_at(k), ptrt_tile_at(d)};
    const ptrdiff_t ld[] = {full->row.inner, k->row.inner, d->row.inner};
    apply_blocks(&b, body, p, ld, (size_t)d->vrow, (size_t)d->vcol);
    return true;
}

int ptrt_rowexpand(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                   const ptrt_tile *src1, const ptrt_tile *dst) {
    const bool go = is_short(core, kernel, src0, src1, dst) &
                    (int)!first_is_expanded(src0, src1, dst) & (src1->vcol >= 1) &
                    ptrt_reaches(src1, dst->vrow, src1->vcol);
    ptrt_maps_fn body = go ? (ptrt_maps_fn)ptrt_body_one(core, kernel, dst) : NULL;
    if (!body) return rowexpand_long(core, line, kernel, src0, src1, dst);
    if (src1->vcol == 1)
        body(ptrt_tile_at(dst), ptrt_tile_at(src0), ptrt_tile_at(src1), (size_t)dst->vrow,
             (size_t)dst->vcol, dst->row.inner, src0->row.inner, src1->row.inner);
    else if (!short_blocks(core, src0, src1, dst, body))
        return rowexpand_long(core, line, kernel, src0, src1, dst);
    return PTRT_OK;
}

/* ---- row operand ---- */

static __attribute__((noinline)) int colexpand_long(ptrt_core *core, uint32_t line, int kernel,
                                                    const ptrt_tile *src0, const ptrt_tile *src1,
                                                    const ptrt_tile *dst) {
    const ptrt_tile *const tiles[] = {src0, src1, dst};
    ptrt_body body = NULL;
    int code = ptrt_find_body(core, line, kernel, 3, tiles, &body);
    if (code != PTRT_OK || dst->vrow == 0 || dst->vcol == 0) return code;
    code = ptrt_check_reach(core, line, kernel, 0, src0, dst->vrow, dst->vcol);
    if (code == PTRT_OK) code = ptrt_check_reach(core, line, kernel, 1, src1, 1, dst->vcol);
    if (code != PTRT_OK) return code;
    ptrt_job job = {.n = 3,
                    .tile = {src0, src1, dst},
                    .extent = {PTRT_FULL, PTRT_ROW, PTRT_FULL},
                    .rows = dst->vrow,
                    .cols = dst->vcol,
                    .call = ptrt_call_map2,
                    .body = body};
    return ptrt_job_run(core, line, &job);
}

int ptrt_colexpand(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src0,
                   const ptrt_tile *src1, const ptrt_tile *dst) {
    const bool go = is_short(core, kernel, src0, src1, dst) & (int)(ptrt_directions(src1) & 1) &
                    ptrt_reaches(src1, 1, dst->vcol);
    ptrt_map2_fn body = go ? (ptrt_map2_fn)ptrt_body_one(core, kernel, dst) : NULL;
    if (!body) return colexpand_long(core, line, kernel, src0, src1, dst);
    const ptrdiff_t ld[] = {dst->row.inner, src0->row.inner, 0};
    return body(ptrt_tile_at(dst), ptrt_tile_at(src0), ptrt_tile_at(src1), (size_t)dst->vrow,
                (size_t)dst->vcol, ld);
}

/* ---- copying a column or row ---- */

static void call_fill(ptrt_body body, const ptrt_args *x) {
    const ptrdiff_t size = *(const ptrdiff_t *)x->how;
    for (size_t r = 0; r < x->rows; r++)
        ((ptrt_fill_fn)body)((unsigned char *)x->p[1] + (ptrdiff_t)r * x->ld[1] * size,
                             (const unsigned char *)x->p[0] + (ptrdiff_t)r * x->ld[0] * size, 1,
                             x->cols, (ptrdiff_t)x->cols);
}

int ptrt_spread(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
                const ptrt_tile *dst) {
    const ptrt_tile *const tiles[] = {src, dst};
    const bool row = kernel == PTRT_TCOLEXPAND;
    ptrt_body body = NULL;
    int code = ptrt_find_body(core, line, kernel, 2, tiles, &body);
    if (code != PTRT_OK || dst->vrow == 0 || dst->vcol == 0) return code;
    code = ptrt_check_reach(core, line, kernel, 0, src, row ? 1 : dst->vrow, row ? dst->vcol : 1);
    if (code != PTRT_OK) return code;
    ptrdiff_t size = (ptrdiff_t)ptrt_elem_size(dst->elem);
    if (row) body = (ptrt_body)core->bodies->movers->copy[ptrt_log_size((uint32_t)size)];
    ptrt_job job = {.n = 2,
                    .tile = {src, dst},
                    .extent = {row ? PTRT_ROW : PTRT_COLUMN, PTRT_FULL},
                    .rows = dst->vrow,
                    .cols = dst->vcol,
                    .call = row ? ptrt_call_map1 : call_fill,
                    .body = body,
                    .how = &size};
    return ptrt_job_run(core, line, &job);
}
