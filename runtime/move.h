/* move.h - copying a region between two layouts. */
#ifndef PTORT_MOVE_H
#define PTORT_MOVE_H

#include "core.h"

#define PTRT_LEVELS 4

/* An index as mixed-radix digits, least significant first: offset = sum of digit[l] * step[l],
 * where digit[l] runs below ext[l] and the last digit takes what is left. Steps in elements. */
typedef struct ptrt_map {
    int n;
    uint64_t ext[PTRT_LEVELS];
    uint64_t step[PTRT_LEVELS];
} ptrt_map;

/* One side of a copy. */
typedef struct ptrt_side {
    unsigned char *p;
    ptrt_map row, col;
} ptrt_side;

void ptrt_map_add(ptrt_map *m, uint64_t ext, uint64_t step);
ptrt_side ptrt_side_of_tile(const ptrt_tile *t);

/* dst(r, c) = src(r, c) for 0 <= r < rows, 0 <= c < cols; elements of `size` bytes. */
void ptrt_copy(const ptrt_side *dst, const ptrt_side *src, int64_t rows, int64_t cols,
               uint32_t size);

/* Offset (in elements, modulo 2^64) of index i, and how many indices from i on keep the step *step.
 */
uint64_t ptrt_map_at(const ptrt_map *m, uint64_t i, uint64_t *count, uint64_t *step);

#endif
