/* SPDX-License-Identifier: Apache-2.0 */
/* place.h - byte addresses in the memories of a core, as micro-instructions have them. */
#ifndef PTORT_PLACE_H
#define PTORT_PLACE_H

#include "core/core.h"

/* Returns the address that an access has, base + offset * size, or base if it also stores that sum
 * at `next`, which is not NULL then. */
static inline int64_t place_step(int64_t base, int64_t offset, int64_t size, int64_t *next) {
    const int64_t at = (int64_t)((uint64_t)base + (uint64_t)offset * (uint64_t)size);
    if (next == NULL) return at;
    *next = at;
    return base;
}

/* Returns the memory of `bytes` bytes from address `at` on, a multiple of `align`; NULL when they
 * leave the space or `at` is not aligned. */
static inline unsigned char *place_at(const ptrt_core *core, int space, int64_t at, uint64_t bytes,
                                      uint64_t align) {
    const uint64_t size = core->space_size[space];
    if (bytes > size || (uint64_t)at > size - bytes || ((uint64_t)at & (align - 1)) != 0)
        return NULL;
    return core->space[space] + at;
}

/* Returns the name of a space, such as "vec". */
const char *ptrt_space_name(int space);

/* Records why place_at() returned NULL, and returns the code. */
int place_fail(ptrt_core *core, uint32_t line, const char *op, int space, int64_t at,
               uint64_t bytes, uint64_t align);

#endif
