/* copy.h - copying a region between two layouts. */
#ifndef PTORT_MEM_COPY_H
#define PTORT_MEM_COPY_H

#include "isa.h"

/* One side of a copy: element (r, c) is at p + (row(r) + col(c)) elements. */
typedef struct ptrt_grid {
    unsigned char *p;
    ptrt_axis row, col;
} ptrt_grid;

/* Offset of index i, and how many indices from i on keep the step `inner`. Boxes of tiles are
 * powers of two: no division. Views of the caller may have any strides: offsets wrap. */
static inline int64_t ptrt_axis_offset(const ptrt_axis *a, int64_t i) {
    const uint64_t at = (uint64_t)i, box = (uint64_t)a->box;
    const uint64_t outer = (uint64_t)a->outer, inner = (uint64_t)a->inner;
    if (outer == 0) return (int64_t)(at * inner);
    if ((box & (box - 1)) != 0) return (int64_t)(at / box * outer + at % box * inner);
    return (int64_t)((at >> __builtin_ctzll(box)) * outer + (at & (box - 1)) * inner);
}

static inline int64_t ptrt_axis_run(const ptrt_axis *a, int64_t i) {
    if (a->outer == 0) return INT64_MAX;
    return a->box - ((a->box & (a->box - 1)) == 0 ? i & (a->box - 1) : i % a->box);
}

/* Rows of neighbouring elements, `ld` elements apart: a buffer, or a plain window. */
static inline ptrt_grid ptrt_grid_rows(void *p, int64_t ld) {
    return (ptrt_grid){p, {1, 0, ld}, {1, 0, 1}};
}

static inline ptrt_grid ptrt_grid_of_tile(const ptrt_tile *t) {
    return (ptrt_grid){t->base + t->addr, t->row, t->col};
}

/* to(r, c) = from(r, c) for r0 <= r < r0 + rows in the own coordinates of each side, likewise c.
 * Elements of 1 << log bytes. The sides are the same elements in the same places, or share none. */
typedef struct ptrt_corner {
    int64_t r, c;
} ptrt_corner;
void ptrt_copy(const ptrt_movers *movers, const ptrt_grid *to, ptrt_corner to_at,
               const ptrt_grid *from, ptrt_corner from_at, int64_t rows, int64_t cols,
               unsigned log);

/* log2 of an element's bytes. */
static inline unsigned ptrt_log_size(uint32_t size) {
    return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
}

#endif
