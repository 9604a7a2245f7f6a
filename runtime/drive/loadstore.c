/* SPDX-License-Identifier: Apache-2.0 */
/* loadstore.c - drivers load and store: copies between a tile and a window of global memory. */
#include "drive/drive.h"
#include "drive/window.h"
#include "mem/view.h"

/* ---- fast path: one run of memory on both sides ---- */

/* Whether the tile is dense and row-major, and its valid region is one run in the view too. */
static inline bool is_run(const ptrt_core *core, int kernel, const ptrt_view *v,
                          const ptrt_tile *t) {
    return t->n != 0 && ptrt_order(t) == 0 && v->plain != 0 && v->elem == t->elem &&
           v->shape[3] >= t->vrow && v->shape[4] >= t->vcol &&
           (t->vrow == 1 || v->stride[3] == t->vcol) && t->addr <= t->last && !core->checked &&
           (unsigned)kernel < PTRT_KERNELS && ptrt_body_one(core, kernel, t) != NULL;
}

static inline size_t run_bytes(const ptrt_view *v, const ptrt_tile *t) {
    return (size_t)t->n << (v->plain - 1);
}

/* ---- plain rows on both sides ---- */

static inline int is_plain(const ptrt_tile *t) {
    return ((t->row.outer | t->col.outer) == 0) & (t->col.inner == 1);
}

/* Returns the elements between rows of the view; 0 for a single row, whose stride may have any
 * value. */
static inline ptrdiff_t row_step(const ptrt_view *v, const ptrt_tile *t) {
    return t->vrow > 1 ? (ptrdiff_t)v->stride[3] : 0;
}

/* Returns the body when tile and view have plain rows and the call needs nothing else; else
 * NULL. */
static inline ptrt_copy_fn rows_body(const ptrt_core *core, int kernel, const ptrt_view *v,
                                     const ptrt_tile *t) {
    const int go = is_plain(t) & (v->plain != 0) & (v->shape[3] >= t->vrow) &
                   (v->shape[4] >= t->vcol) & (v->elem == t->elem) & !core->checked & !core->hook &
                   (t->addr <= t->last) & (t->vrow > 0) & (t->vcol > 0) & ptrt_operand_fits(t) &
                   ((unsigned)kernel < PTRT_KERNELS);
    return go ? (ptrt_copy_fn)ptrt_body_one(core, kernel, t) : NULL;
}

/* ---- slow path ---- */

/* Whether k elements of row r of a piece, from column c on, lie in one registered region. Refuses
 * strides that span more than half of the address space, so that nothing overflows. */
static bool run_allowed(const ptrt_core *core, const ptrt_grid *g, int64_t r, int64_t c, int64_t k,
                        uint32_t size) {
    uint64_t at = (uint64_t)ptrt_axis_offset(&g->row, r) + (uint64_t)ptrt_axis_offset(&g->col, c);
    int64_t span;
    if (__builtin_mul_overflow(k - 1, g->col.inner, &span) || span >= PTRDIFF_MAX / size ||
        span <= -(PTRDIFF_MAX / size))
        return false;
    int64_t low = span < 0 ? span : 0;
    uintptr_t first = (uintptr_t)g->p + (uintptr_t)(at + (uint64_t)low) * size;
    return ptrt_gm_allowed(core, first, (uint64_t)((span < 0 ? -span : span) + 1) * size);
}

typedef struct bounds {
    const ptrt_core *core;
    uint32_t size;
} bounds;

static int piece_allowed(void *arg, const ptrt_grid *g, ptrt_corner at, int64_t rows,
                         int64_t cols) {
    const bounds *b = arg;
    (void)at;
    for (int64_t r = 0; r < rows; r++) {
        int64_t k;
        for (int64_t c = 0; c < cols; c += k) {
            k = ptrt_min64(cols - c, ptrt_axis_run(&g->col, c));
            if (!run_allowed(b->core, g, r, c, k, b->size)) return PTRT_E_BOUNDS;
        }
    }
    return PTRT_OK;
}

int ptrt_check_window(ptrt_core *core, uint32_t line, int kernel, const ptrt_view *v,
                      const ptrt_window *w, const ptrt_tile *t) {
    const char *op = ptrt_op_name(kernel);
    if (!v->base) return ptrt_fail(core, PTRT_E_BOUNDS, line, "%s: the view has no memory", op);
    if (w->rows == 0 || w->cols == 0)
        return ptrt_fail(core, PTRT_E_BOUNDS, line, "%s: the view is empty", op);
    if (t->vrow > w->rows || t->vcol > w->cols)
        return ptrt_fail(
            core, PTRT_E_BOUNDS, line, "%s: %lldx%lld valid elements, but the view has %lldx%lld",
            op, (long long)t->vrow, (long long)t->vcol, (long long)w->rows, (long long)w->cols);
    bounds b = {core, w->size};
    if (core->checked && ptrt_window_pieces(w, t->vrow, t->vcol, piece_allowed, &b) != PTRT_OK)
        return ptrt_fail(core, PTRT_E_BOUNDS, line, "%s: the view reaches outside every buffer",
                         op);
    return PTRT_OK;
}

typedef struct transfer {
    const ptrt_movers *movers;
    ptrt_grid tile;
    unsigned log;
    bool store;
} transfer;

static int copy_piece(void *arg, const ptrt_grid *g, ptrt_corner at, int64_t rows, int64_t cols) {
    const transfer *t = arg;
    const ptrt_corner start = {0, 0};
    if (t->store)
        ptrt_copy(t->movers, g, start, &t->tile, at, rows, cols, t->log);
    else
        ptrt_copy(t->movers, &t->tile, at, g, start, rows, cols, t->log);
    return PTRT_OK;
}

/* Checks the operands and copies the valid region of the tile. */
static int move(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *t, const ptrt_view *v,
                bool store) {
    int code = ptrt_check_tiles(core, line, kernel, &t, store ? "r" : "w");
    if (code == PTRT_OK && !ptrt_body_one(core, kernel, t))
        code = ptrt_no_body(core, line, kernel, 1, &t);
    if (code != PTRT_OK) return code;
    ptrt_window w;
    ptrt_window_of_view(v, &w);
    if (w.size != ptrt_elem_size(t->elem))
        return ptrt_fail(core, PTRT_E_TYPE, line, "%s: element sizes of view and tile differ",
                         ptrt_op_name(kernel));
    if (t->vrow == 0 || t->vcol == 0) return PTRT_OK;
    code = ptrt_check_window(core, line, kernel, v, &w, t);
    if (code != PTRT_OK) return code;
    transfer x = {core->bodies->movers, ptrt_grid_of_tile(t), ptrt_log_size(w.size), store};
    return ptrt_window_pieces(&w, t->vrow, t->vcol, copy_piece, &x);
}

static int load_long(ptrt_core *core, uint32_t line, int kernel, const ptrt_view *mem,
                     const ptrt_tile *dst) {
    int code = move(core, line, kernel, dst, mem, false);
    if (code != PTRT_OK || dst->pad == PTRT_PAD_NULL) return code;
    ptrt_bits bits = ptrt_pad_bits(dst->elem, dst->pad);
    int64_t data_rows = dst->vcol > 0 ? dst->vrow : 0;
    ptrt_fill_region(core, dst, (ptrt_region2){0, data_rows, dst->vcol, dst->cols}, &bits);
    ptrt_fill_region(core, dst, (ptrt_region2){data_rows, dst->rows, 0, dst->cols}, &bits);
    return PTRT_OK;
}

static __attribute__((noinline)) int load_rows(ptrt_core *core, uint32_t line, int kernel,
                                               const ptrt_view *mem, const ptrt_tile *dst) {
    ptrt_copy_fn body = dst->pad == PTRT_PAD_NULL ? rows_body(core, kernel, mem, dst) : NULL;
    if (!body) return load_long(core, line, kernel, mem, dst);
    body(ptrt_tile_at(dst), mem->base, (size_t)dst->vrow, (size_t)dst->vcol,
         (ptrdiff_t)dst->row.inner, row_step(mem, dst));
    return PTRT_OK;
}

int ptrt_load(ptrt_core *core, uint32_t line, int kernel, const ptrt_view *mem,
              const ptrt_tile *dst) {
    if (__builtin_expect(dst->pad != PTRT_PAD_NULL || !is_run(core, kernel, mem, dst), 0))
        return load_rows(core, line, kernel, mem, dst);
    memmove(ptrt_tile_at(dst), mem->base, run_bytes(mem, dst));
    return PTRT_OK;
}

static __attribute__((noinline)) int store_rows(ptrt_core *core, uint32_t line, int kernel,
                                                const ptrt_tile *src, const ptrt_view *mem) {
    ptrt_copy_fn body = rows_body(core, kernel, mem, src);
    if (!body) return move(core, line, kernel, src, mem, true);
    body(mem->base, ptrt_tile_at(src), (size_t)src->vrow, (size_t)src->vcol, row_step(mem, src),
         (ptrdiff_t)src->row.inner);
    return PTRT_OK;
}

int ptrt_store(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *src,
               const ptrt_view *mem) {
    if (__builtin_expect(!is_run(core, kernel, mem, src), 0))
        return store_rows(core, line, kernel, src, mem);
    memmove(mem->base, ptrt_tile_at(src), run_bytes(mem, src));
    return PTRT_OK;
}
