/* SPDX-License-Identifier: Apache-2.0 */
/* operand.c - whether two tiles share bytes, and the error text of a failed operand check. */
#include "mem/copy.h"
#include "mem/tile.h"

#include <stdlib.h>

int ptrt_bad_operand(ptrt_core *core, uint32_t line, const char *op, int len, const char *name,
                     const ptrt_tile *t) {
    if (t->addr > t->last && t->bytes == 0)
        return ptrt_fail(core, PTRT_E_BOUNDS, line,
                         "%s: %.*s has no memory: pto.tpop has not bound it", op, len, name);
    if (t->addr > t->last)
        return ptrt_fail(core, PTRT_E_BOUNDS, line, "%s: %.*s leaves its memory", op, len, name);
    return ptrt_fail(core, PTRT_E_VALID, line,
                     "%s: valid region %lldx%lld of %.*s exceeds its shape %lldx%lld", op,
                     (long long)t->vrow, (long long)t->vcol, len, name, (long long)t->rows,
                     (long long)t->cols);
}

/* Whether the tile's elements leave gaps in its byte range. */
static bool has_gaps(const ptrt_tile *t) {
    return t->bytes != (uint64_t)t->rows * (uint64_t)t->cols * ptrt_elem_size(t->elem);
}

static uintptr_t element(const ptrt_tile *t, int64_t r, int64_t c) {
    uint64_t offset =
        (uint64_t)ptrt_axis_offset(&t->row, r) + (uint64_t)ptrt_axis_offset(&t->col, c);
    return (uintptr_t)ptrt_tile_at(t) + offset * ptrt_elem_size(t->elem);
}

/* Marks the bytes of t in a map of [lo, hi), or with `test` returns whether one is already
 * marked. */
static bool touch(const ptrt_tile *t, unsigned char *map, uintptr_t lo, uintptr_t hi, bool test) {
    uint32_t size = ptrt_elem_size(t->elem);
    for (int64_t r = 0; r < t->rows; r++) {
        for (int64_t c = 0; c < t->cols; c++) {
            uintptr_t at = element(t, r, c);
            for (uint32_t k = 0; k < size; k++, at++) {
                if (at < lo || at >= hi) continue;
                if (test && map[at - lo]) return true;
                map[at - lo] = 1;
            }
        }
    }
    return false;
}

/* Compares byte by byte: interleaved subviews have overlapping ranges but share no byte. */
static bool share_bytes(const ptrt_tile *a, const ptrt_tile *b, uintptr_t lo, uintptr_t hi) {
    unsigned char *map = calloc(hi - lo, 1);
    if (!map) return true;
    touch(a, map, lo, hi, false);
    bool shared = touch(b, map, lo, hi, true);
    free(map);
    return shared;
}

/* Whether both tiles are windows of row-major memory with the same row stride. The distance of
 * their corners then tells whether they overlap. */
static bool same_grid(const ptrt_tile *a, const ptrt_tile *b) {
    int64_t ld = a->row.inner;
    return a->elem == b->elem && (a->row.outer | a->col.outer | b->row.outer | b->col.outer) == 0 &&
           a->col.inner == 1 && b->col.inner == 1 && ld == b->row.inner && a->cols <= ld &&
           b->cols <= ld;
}

static bool meet(int64_t at, int64_t length, int64_t other) {
    return at < other && at + length > 0;
}

static bool grid_overlap(const ptrt_tile *a, const ptrt_tile *b) {
    const ptrt_tile *lo = ptrt_tile_at(a) <= ptrt_tile_at(b) ? a : b, *hi = lo == a ? b : a;
    int64_t ld = a->row.inner, size = ptrt_elem_size(a->elem);
    int64_t distance = (int64_t)(ptrt_tile_at(hi) - ptrt_tile_at(lo));
    if (distance % size != 0) return true;
    int64_t row = distance / size / ld, col = distance / size % ld;
    /* Relative to lo's corner, hi's columns may wrap into the next row. */
    return (meet(row, hi->rows, lo->rows) && meet(col, hi->cols, lo->cols)) ||
           (meet(row + 1, hi->rows, lo->rows) && meet(col - ld, hi->cols, lo->cols));
}

bool ptrt_overlap(const ptrt_tile *a, const ptrt_tile *b) {
    uintptr_t a0 = (uintptr_t)ptrt_tile_at(a), b0 = (uintptr_t)ptrt_tile_at(b);
    uintptr_t lo = a0 > b0 ? a0 : b0;
    uintptr_t hi = a0 + a->bytes < b0 + b->bytes ? a0 + a->bytes : b0 + b->bytes;
    if (lo >= hi) return false;
    if (same_grid(a, b)) return grid_overlap(a, b);
    return (!has_gaps(a) && !has_gaps(b)) || a0 == b0 || share_bytes(a, b, lo, hi);
}
