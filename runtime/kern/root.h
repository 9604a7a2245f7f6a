/* SPDX-License-Identifier: Apache-2.0 */
/* root.h - 1 / sqrt(x) on vectors of f32 and f64, with the same bits on every level. Rounding a
 * root and then its reciprocal can be 1.5 ULP off; adding the rounding error of the root leaves at
 * most 1. */
#ifndef PTORT_KERN_ROOT_H
#define PTORT_KERN_ROOT_H

#include "kern/vec.h"

/* Computes x - s^2 exactly for s = sqrt(x) as rounded: with a fused instruction, or from exact
 * products of the halves of s. MASK keeps the upper half. */
#define PTRT_ROOT_REST(E, U, MASK)                                                                 \
    PTRT_INLINE v_##E root_rest_##E(v_##E x, v_##E s) {                                            \
        const v_##E high = AS(E, AS(U, s) & MASK), low = s - high;                                 \
        return ((x - high * high) - (high + high) * low) - low * low;                              \
    }
#if VB == 64
PTRT_INLINE v_f32 root_rest_f32(v_f32 x, v_f32 s) {
    return (v_f32)_mm512_fnmadd_ps((__m512)s, (__m512)s, (__m512)x);
}
#elif defined(__FMA__) && VB == 32
PTRT_INLINE v_f32 root_rest_f32(v_f32 x, v_f32 s) {
    return (v_f32)_mm256_fnmadd_ps((__m256)s, (__m256)s, (__m256)x);
}
#elif defined(__aarch64__)
PTRT_INLINE v_f32 root_rest_f32(v_f32 x, v_f32 s) {
    return (v_f32)vfmsq_f32((float32x4_t)x, (float32x4_t)s, (float32x4_t)s);
}
#else
PTRT_ROOT_REST(f32, u32, 0xFFFFF000u)
#endif
PTRT_ROOT_REST(f64, u64, UINT64_C(0xFFFFFFFFF8000000))

/* With s = sqrt(x) as rounded, r = 1 / s and x = s^2 + e, 1 / sqrt(x) is r - e r^3 / 2. Halves by
 * subtracting ONE from the exponent, because the division occupies the multipliers. */
#define PTRT_RSQRT_NEAR(E, U, ONE)                                                                 \
    PTRT_INLINE v_##E rsqrt_near_##E(v_##E x) {                                                    \
        const v_##E s = sqrt_##E(x), r = 1.0f / s, half = AS(E, AS(U, r) - ONE);                   \
        return r - (root_rest_##E(x, s) * r) * (r * half);                                         \
    }
PTRT_RSQRT_NEAR(f32, u32, 0x00800000u)
PTRT_RSQRT_NEAR(f64, u64, UINT64_C(0x0010000000000000))

/* Handles any x. Small values are scaled by a power of four, because their squares would underflow.
 * For zeros, negative values, infinity and NaN, 1 / sqrt(x) is the result. */
#define PTRT_RSQRT_FAR(E, U, MAX, TINY, UP, DOWN)                                                  \
    static __attribute__((noinline, unused)) v_##E rsqrt_far_##E(v_##E x) {                        \
        const __typeof__(x < x) fine = (x > 0) & (x <= MAX), tiny = x < TINY;                      \
        const v_##E xs = SELECT(v_##E, tiny, x * UP, x), r = rsqrt_near_##E(xs);                   \
        return SELECT(v_##E, fine, SELECT(v_##E, tiny, r * DOWN, r), 1.0f / sqrt_##E(x));          \
    }
PTRT_RSQRT_FAR(f32, u32, 0x1.fffffep127f, 0x1p-64f, 0x1p96f, 0x1p48f)
PTRT_RSQRT_FAR(f64, u64, 0x1.fffffffffffffp1023, 0x1p-800, 0x1p512, 0x1p256)

PTRT_INLINE v_f32 rsqrt_f32(v_f32 x) {
    /* Tests for values below 2^-64 or not finite with integer arithmetic, which runs in parallel
     * with the division; comparisons would not. */
    const v_u32 far = (AS(u32, x) - 0x1F800000u) | (AS(u32, x) + 0x00800000u);
    if (__builtin_expect(any_sign(far), 0)) return rsqrt_far_f32(x);
    return rsqrt_near_f32(x);
}
PTRT_INLINE v_f64 rsqrt_f64(v_f64 x) {
    return rsqrt_far_f64(x);
}
/* Rounding the 24-bit result to fewer bits is correct except in ties. */
PTRT_INLINE c_f16 rsqrt_f16(c_f16 x) {
    return 1.0f / sqrt_f32(x);
}
PTRT_INLINE c_bf16 rsqrt_bf16(c_bf16 x) {
    return 1.0f / sqrt_f32(x);
}

#endif
