/* SPDX-License-Identifier: Apache-2.0 */
/* Hand-written loops; PLAIN_LEVEL names the instruction-set level that this copy is built for. */
#include "plain.h"

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define NAME(f) JOIN(f, PLAIN_LEVEL)

#define FOR_EACH(r, i, j)                                                                          \
    for (int64_t i = 0; i < (r).rows; i++)                                                         \
        for (int64_t j = 0; j < (r).cols; j++)

void NAME(plain_tadds_f32_)(float *restrict d, const float *restrict a, float s, Region r) {
    FOR_EACH(r, i, j) d[i * r.stride + j] = a[i * r.stride + j] + s;
}

void NAME(plain_tadd_f32_)(float *restrict d, const float *restrict a, const float *restrict b,
                           Region r) {
    FOR_EACH(r, i, j) d[i * r.stride + j] = a[i * r.stride + j] + b[i * r.stride + j];
}

#define INT_LOOPS(E, T)                                                                            \
    void NAME(plain_tands_##E##_)(T *restrict d, const T *restrict a, T s, Region r) {             \
        FOR_EACH(r, i, j) d[i * r.stride + j] = (T)(a[i * r.stride + j] & s);                      \
    }                                                                                              \
    void NAME(plain_txors_##E##_)(T *restrict d, const T *restrict a, T s, Region r) {             \
        FOR_EACH(r, i, j) d[i * r.stride + j] = (T)(a[i * r.stride + j] ^ s);                      \
    }
INT_LOOPS(i16, int16_t)
INT_LOOPS(i32, int32_t)
