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

/* Reports, in checked mode, the first of the indices in `i` that is not below `limit`, the number
 * of elements of the tile named `of`. */
int ptrt_check_indices(ptrt_core *core, uint32_t line, int kernel, const ptrt_rows *i, int64_t rows,
                       int64_t cols, enum ptrt_index kind, const char *of, uint32_t limit);

/* A mask pattern selects the positions k with k % step == at. The numbers are those of the
 * language. Returns false for an unknown one. */
static inline bool ptrt_pattern(int pattern, size_t *step, size_t *at) {
    static const uint8_t steps[] = {0, 2, 2, 4, 4, 4, 4, 1}, places[] = {0, 0, 1, 0, 1, 2, 3, 0};
    if (pattern < 1 || pattern > 7) return false;
    *step = steps[pattern];
    *at = places[pattern];
    return true;
}

#endif
