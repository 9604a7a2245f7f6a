/* SPDX-License-Identifier: Apache-2.0 */
/* random.h - reproducible random numbers. */
#ifndef TESTS_ORACLE_RANDOM_H
#define TESTS_ORACLE_RANDOM_H

#include <stdint.h>

typedef struct Random {
    uint64_t state;
} Random;

static inline uint64_t random_bits(Random *r) {
    uint64_t z = r->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}
/* 0 .. n-1 */
static inline int64_t random_below(Random *r, int64_t n) {
    return n <= 1 ? 0 : (int64_t)(random_bits(r) % (uint64_t)n);
}

#endif
