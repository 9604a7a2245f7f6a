/* SPDX-License-Identifier: Apache-2.0 */
/* alias.c - tiles that share the memory of another one: windows, casts, one tile of several. Also
 * addresses of single elements. */
#include "mem/copy.h"
#include "mem/tile.h"

/* ---- windows ---- */

/* Whether index i is the first of a box. An axis without boxes has no restriction. */
static bool starts_box(const ptrt_axis *a, int64_t i) {
    return a->outer == 0 || i % a->box == 0;
}

/* Whether (row, col) is an element where a window may begin. */
static bool may_begin(const ptrt_tile *src, int64_t row, int64_t col) {
    return row >= 0 && row < src->rows && col >= 0 && col < src->cols &&
           starts_box(&src->row, row) && starts_box(&src->col, col);
}

static bool holds_valid(const ptrt_tile *src, int64_t row, int64_t col, const ptrt_tile *t) {
    return row >= 0 && row <= src->rows && t->vrow <= src->rows - row && col >= 0 &&
           col <= src->cols && t->vcol <= src->cols - col;
}

/* Makes `t`, a copy of src with the shape and valid region of the window, the window at (row, col).
 * Its shape is cut where that of src ends. */
static int place_window(ptrt_core *core, uint32_t line, const char *op, const ptrt_tile *src,
                        int64_t row, int64_t col, ptrt_tile *t) {
    if (!holds_valid(src, row, col, t))
        return ptrt_fail(core, PTRT_E_BOUNDS, line,
                         "%s: %lldx%lld valid elements at (%lld, %lld) leave the %lldx%lld source",
                         op, (long long)t->vrow, (long long)t->vcol, (long long)row, (long long)col,
                         (long long)src->rows, (long long)src->cols);
    if (!may_begin(src, row, col))
        return ptrt_fail(core, PTRT_E_ARG, line,
                         "%s: (%lld, %lld) is not at the start of an inner box", op, (long long)row,
                         (long long)col);
    t->rows = ptrt_min64(t->rows, src->rows - row);
    t->cols = ptrt_min64(t->cols, src->cols - col);
    ptrt_tile_measure(t);
    const uint64_t offset =
        (uint64_t)ptrt_axis_offset(&src->row, row) + (uint64_t)ptrt_axis_offset(&src->col, col);
    const uint64_t addr = src->addr + offset * ptrt_elem_size(src->elem);
    return ptrt_tile_place(t, addr) ? PTRT_OK : ptrt_fail_place(core, line, t, (int64_t)addr);
}

/* An empty window may be anywhere, as nothing is accessed. Where src has no place for it, it gets
 * no elements that a larger valid region could show. */
static void make_empty(ptrt_tile *t) {
    t->rows = t->vrow;
    t->cols = t->vcol;
    t->bytes = 0;
}

static int make_window(ptrt_core *core, uint32_t line, const char *op, const ptrt_tile *src,
                       int64_t row, int64_t col, ptrt_tile *t) {
    int code = PTRT_OK;
    if ((t->vrow == 0 || t->vcol == 0) && !may_begin(src, row, col))
        make_empty(t);
    else
        code = place_window(core, line, op, src, row, col, t);
    if (code == PTRT_OK) ptrt_tile_settle(t, core->hook != NULL);
    return code;
}

int ptrt_tile_subview(ptrt_core *core, uint32_t line, const ptrt_tile *src, int64_t row,
                      int64_t col, int64_t rows, int64_t cols, int64_t vrow, int64_t vcol,
                      ptrt_tile *out) {
    ptrt_tile t = *src;
    t.rows = rows;
    t.cols = cols;
    if (!ptrt_valid_ok(&t, vrow, vcol)) return ptrt_fail_valid(core, line, &t, vrow, vcol);
    t.vrow = vrow;
    t.vcol = vcol;
    const int code = make_window(core, line, "pto.subview", src, row, col, &t);
    if (code == PTRT_OK) *out = t;
    return code;
}

int ptrt_tile_window(ptrt_core *core, uint32_t line, const ptrt_tile *src, int64_t row, int64_t col,
                     ptrt_tile *dst) {
    ptrt_tile t = *src;
    t.rows = dst->rows;
    t.cols = dst->cols;
    t.vrow = dst->vrow;
    t.vcol = dst->vcol;
    const int code = make_window(core, line, "pto.tsubview", src, row, col, &t);
    if (code == PTRT_OK) *dst = t;
    return code;
}

int64_t ptrt_subset_valid(int64_t valid, int64_t offset, int64_t size) {
    if (valid <= 0) return 0;
    int64_t left = valid - (offset % valid + valid) % valid;
    return left < size ? left : size;
}

/* ---- other types ---- */

int ptrt_tile_recast(ptrt_core *core, uint32_t line, const ptrt_tile *src,
                     const ptrt_tile_type *type, int64_t vrow, int64_t vcol, ptrt_tile *out) {
    if (!ptrt_type_ok(type)) return ptrt_fail(core, PTRT_E_TYPE, line, "illegal tile type");
    ptrt_tile t = *src;
    ptrt_tile_shape(&t, type);
    t.space = src->space;
    if ((uintptr_t)(src->base + src->addr) % ptrt_elem_size(type->elem) != 0)
        return ptrt_fail(core, PTRT_E_ALIGN, line,
                         "tile address %lld does not fit the element type", (long long)src->addr);
    if (!ptrt_tile_place(&t, src->addr)) return ptrt_fail_place(core, line, &t, (int64_t)src->addr);
    const bool inherits = vrow == PTRT_ABSENT && vcol == PTRT_ABSENT;
    t.vrow = inherits ? src->vrow : vrow;
    t.vcol = inherits ? src->vcol : vcol;
    const bool fits = ptrt_valid_ok(&t, t.vrow, t.vcol);
    if (!fits && !inherits) return ptrt_fail_valid(core, line, &t, vrow, vcol);
    ptrt_tile_settle(&t, core->hook != NULL || !fits);
    *out = t;
    return PTRT_OK;
}

int ptrt_tile_copy(ptrt_core *core, uint32_t line, const ptrt_tile *src, const ptrt_tile *dst) {
    if (src->addr > src->last || dst->addr > dst->last || src->bytes != dst->bytes)
        return ptrt_fail(core, PTRT_E_BOUNDS, line, "a tile of %llu bytes is no copy of %llu bytes",
                         (unsigned long long)dst->bytes, (unsigned long long)src->bytes);
    memmove(ptrt_tile_at(dst), ptrt_tile_at(src), (size_t)src->bytes);
    return PTRT_OK;
}

/* ---- one tile of several ---- */

int ptrt_tile_slot(ptrt_core *core, uint32_t line, const ptrt_tile *first, int64_t slot,
                   int64_t count, int64_t stride, ptrt_tile *out) {
    if (slot < 0 || slot >= count) {
        if (core->checked)
            return ptrt_fail(core, PTRT_E_BOUNDS, line, "pto.multi_tile_get: slot %lld of %lld",
                             (long long)slot, (long long)count);
        slot = (slot % count + count) % count;
    }
    ptrt_tile t = *first;
    uint64_t addr = first->addr + (uint64_t)slot * (uint64_t)stride;
    if (!ptrt_tile_place(&t, addr)) return ptrt_fail_place(core, line, &t, (int64_t)addr);
    *out = t;
    return PTRT_OK;
}

int ptrt_array_index(ptrt_core *core, uint32_t line, const char *op, int rank,
                     const int64_t *extent, const int64_t *index, int64_t *out) {
    int64_t at = 0;
    for (int i = 0; i < rank; i++) {
        if (index[i] < 0 || index[i] >= extent[i])
            return ptrt_fail(core, PTRT_E_BOUNDS, line, "%s: index %lld of %lld", op,
                             (long long)index[i], (long long)extent[i]);
        at = at * extent[i] + index[i];
    }
    *out = at;
    return PTRT_OK;
}

/* ---- elements and addresses ---- */

int ptrt_tile_elem(ptrt_core *core, uint32_t line, const char *op, const ptrt_tile *tile, int64_t i,
                   void **out) {
    uint64_t size = ptrt_elem_size(tile->elem);
    if (tile->addr > tile->last || i < 0 || (uint64_t)i >= tile->bytes / size)
        return ptrt_fail(core, PTRT_E_BOUNDS, line, "%s: element %lld of a tile of %llu", op,
                         (long long)i, (unsigned long long)(tile->bytes / size));
    *out = ptrt_tile_at(tile) + (uint64_t)i * size;
    return PTRT_OK;
}

/* A tile over the caller's memory is in no space of the core. */
int ptrt_tile_addr(ptrt_core *core, uint32_t line, const ptrt_tile *tile, int64_t *out) {
    if (tile->base != core->space[tile->space])
        return ptrt_fail(core, PTRT_E_ARG, line,
                         "pto.tile_buf_addr: the tile was passed by the caller, and has no address "
                         "in on-chip memory");
    *out = (int64_t)tile->addr;
    return PTRT_OK;
}
