/* SPDX-License-Identifier: Apache-2.0 */
/* The loops that the tile kernels are measured against: what one would write by hand. Compiled
 * alone, with -O3 and the -march and vector width of the runtime's kernels. */
#ifndef TESTS_BENCH_PLAIN_H
#define TESTS_BENCH_PLAIN_H

#include <stdint.h>

typedef struct Region {
    int64_t rows, cols, stride;
} Region;

#define PLAIN_FUNCTIONS(L)                                                                         \
    void plain_tadds_f32_##L(float *restrict d, const float *restrict a, float s, Region r);       \
    void plain_tadd_f32_##L(float *restrict d, const float *restrict a, const float *restrict b,   \
                            Region r);                                                             \
    void plain_tands_i16_##L(int16_t *restrict d, const int16_t *restrict a, int16_t s, Region r); \
    void plain_tands_i32_##L(int32_t *restrict d, const int32_t *restrict a, int32_t s, Region r); \
    void plain_txors_i16_##L(int16_t *restrict d, const int16_t *restrict a, int16_t s, Region r); \
    void plain_txors_i32_##L(int32_t *restrict d, const int32_t *restrict a, int32_t s, Region r);

PLAIN_FUNCTIONS(v2)
PLAIN_FUNCTIONS(v3)
PLAIN_FUNCTIONS(v4)
PLAIN_FUNCTIONS(base)

#endif
