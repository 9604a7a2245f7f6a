/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of a few numbers, one after the other. */
#ifndef SUPPORT_HASH_H
#define SUPPORT_HASH_H

#include <stdint.h>

/* Returns the hash of what `h` is the hash of, and of `x` after it. Its high bits are the best. */
static inline uint64_t hash_with(uint64_t h, uint64_t x) {
    h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

#endif
