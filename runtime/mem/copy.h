/* SPDX-License-Identifier: Apache-2.0 */
/* copy.h - inside libptort: copies a region of elements between two layouts. */
#ifndef PTORT_MEM_COPY_H
#define PTORT_MEM_COPY_H

#include "isa.h"

/* One side of a copy: element (r, c) lies at p + (row(r) + col(c)) elements. */
typedef struct ptrt_grid {
    unsigned char *p;
    ptrt_axis row, col;
} ptrt_grid;

/* Returns the element offset of index i. Boxes of tiles are powers of two, which need no division.
 * Strides of a view may have any value, so offsets wrap. */
static inline int64_t ptrt_axis_offset(const ptrt_axis *a, int64_t i) {
    const uint64_t at = (uint64_t)i, box = (uint64_t)a->box;
    const uint64_t outer = (uint64_t)a->outer, inner = (uint64_t)a->inner;
    if (outer == 0) return (int64_t)(at * inner);
    if ((box & (box - 1)) != 0) return (int64_t)(at / box * outer + at % box * inner);
    return (int64_t)((at >> __builtin_ctzll(box)) * outer + (at & (box - 1)) * inner);
}

/* Returns how many indices from i on have the constant stride `inner`. */
static inline int64_t ptrt_axis_run(const ptrt_axis *a, int64_t i) {
    if (a->outer == 0) return INT64_MAX;
    return a->box - ((a->box & (a->box - 1)) == 0 ? i & (a->box - 1) : i % a->box);
}

/* Describes rows of contiguous elements, `ld` elements apart. */
static inline ptrt_grid ptrt_grid_rows(void *p, int64_t ld) {
    return (ptrt_grid){p, {1, 0, ld}, {1, 0, 1}};
}

static inline ptrt_grid ptrt_grid_of_tile(const ptrt_tile *t) {
    return (ptrt_grid){t->base + t->addr, t->row, t->col};
}

/* The first row and column of a region, in the coordinates of its side. */
typedef struct ptrt_corner {
    int64_t r, c;
} ptrt_corner;
/* Copies rows x cols elements of 1 << log bytes from `from_at` of `from` to `to_at` of `to`. Both
 * sides must be the same memory with the same layout, or share no byte. */
void ptrt_copy(const ptrt_movers *movers, const ptrt_grid *to, ptrt_corner to_at,
               const ptrt_grid *from, ptrt_corner from_at, int64_t rows, int64_t cols,
               unsigned log);

/* Returns log2 of an element size of 1, 2, 4 or 8 bytes. */
static inline unsigned ptrt_log_size(uint32_t size) {
    return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
}

#endif
