/* SPDX-License-Identifier: Apache-2.0 */
/* indexed.h - inside libptort: what the drivers of gathers and scatters share. */
#ifndef PTORT_INDEXED_H
#define PTORT_INDEXED_H

#include "drive/rows.h"

#include <stdlib.h>

/* Returns how the tile's elements are read as indices (enum ptrt_index), or -1 for a type that
 * cannot be one. */
static inline int ptrt_index_kind(const ptrt_tile *t) {
    switch (t->elem) {
    case PTRT_I32:
    case PTRT_U32:
        return PTRT_INDEX_32;
    case PTRT_I16:
        return PTRT_INDEX_I16;
    case PTRT_U16:
        return PTRT_INDEX_U16;
    default:
        return -1;
    }
}

/* Returns the number of elements in the shape of t, as an exclusive limit of unsigned indices. i32
 * indices never reach 2^31, so that negative ones are out of range. */
static inline uint32_t ptrt_index_limit(const ptrt_tile *t, const ptrt_tile *idx) {
    const uint64_t most = idx->elem == PTRT_I32 ? INT32_MAX : UINT32_MAX;
    const uint64_t n = (uint64_t)t->rows * (uint64_t)t->cols;
    return (uint32_t)(n < most ? n : most);
}

/* Reports, in checked mode, the first index (operand 1) that is not below the number of elements of
 * the tile named `of`. */
int ptrt_check_indices(ptrt_core *core, uint32_t line, int kernel, const ptrt_args *x,
                       const char *of);

/* A mask pattern selects the positions k with k % step == at. The numbers are those of the
 * language. Returns step 0 for an unknown one. */
static inline ptrt_pattern ptrt_pattern_of(int pattern) {
    static const ptrt_pattern patterns[] = {{0, 0}, {2, 0}, {2, 1}, {4, 0},
                                            {4, 1}, {4, 2}, {4, 3}, {1, 0}};
    return patterns[pattern < 1 || pattern > 7 ? 0 : pattern];
}

#endif
