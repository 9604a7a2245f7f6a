/* SPDX-License-Identifier: Apache-2.0 */
/* log.h - the natural logarithm on vectors of f32 and f64. Uses no fused multiply-add, so that
 * every level gives the same bits. The error is at most 1 ULP; log(0) is -infinity, that of
 * negative values NaN. */
#ifndef PTORT_KERN_LOG_H
#define PTORT_KERN_LOG_H

#include "kern/vec.h"

/* Splits a normal x into 2^n m with m in [sqrt(1/2), sqrt(2)). Returns m and stores n as a
 * float. */
PTRT_INLINE v_f32 log_split_f32(v_f32 x, v_f32 *n) {
    const v_u32 shifted = AS(u32, x) - 0x3F3504F3u;
    *n = __builtin_convertvector((v_i32)shifted >> 23, v_f32);
    return AS(f32, (shifted & 0x007FFFFFu) + 0x3F3504F3u);
}

/* log(1 + f) = f - f^2 / 2 + f^3 P(f), where P is fitted for the least relative error of the
 * logarithm (2^-30). The larger part of the result is n ln2 + f; its rounding error is added to the
 * smaller part. */
PTRT_INLINE v_f32 log_reduced_f32(v_f32 n, v_f32 m) {
    const v_f32 f = m - 1.0f, f2 = f * f, f4 = f2 * f2;
    const v_f32 high = n * 0x1.63p-1f, sum = high + f, lost = f - (sum - high);
    v_f32 p = (f * -0x1.de3c04p-4f + 0x1.e6f06ap-4f) + f2 * 0x1.145796p-4f;
    p = p * f2 + (f * -0x1.fc220ap-4f + 0x1.233768p-3f);
    p = p * f4 +
        ((f * -0x1.555c4ep-3f + 0x1.99a4b6p-3f) * f2 + (f * -0x1.000006p-2f + 0x1.555548p-2f));
    return sum + (lost + (n * -0x1.bd0106p-13f - (f2 * 0.5f - f2 * f * p)));
}

/* Handles any x; subnormal values are scaled by 2^24. */
static __attribute__((noinline, unused)) v_f32 log_far_f32(v_f32 x) {
    const v_i32 tiny = x < 0x1p-126f;
    v_f32 n;
    const v_f32 m = log_split_f32(SELECT(v_f32, tiny, x * 0x1p24f, x), &n);
    v_f32 r = log_reduced_f32(n - SELECT(v_f32, tiny, splat_of_f32(24), splat_of_f32(0)), m);
    r = SELECT(v_f32, x == 0, splat_of_f32(-__builtin_inff()), r);
    r = SELECT(v_f32, x == __builtin_inff(), x, r);
    return SELECT(v_f32, x >= 0, r, splat_of_f32(__builtin_nanf("")));
}

PTRT_INLINE v_f32 log_f32(v_f32 x) {
    const v_i32 near = (x >= 0x1p-126f) & (x <= 0x1.fffffep127f);
    if (__builtin_expect(!all_lanes((v_u32)near), 0)) return log_far_f32(x);
    v_f32 n;
    const v_f32 m = log_split_f32(x, &n);
    return log_reduced_f32(n, m);
}

/* The same with log(1 + f) = 2 atanh(s), s = f / (2 + f), which is f - s (f - R) where R is the
 * series from s^2 on; its remainder after the last term is below 2^-60. n is kept as a 64-bit
 * integer in the bits of a float, because not all levels convert such vectors. */
PTRT_INLINE v_f64 log_f64(v_f64 x) {
    const v_i64 tiny = x < 0x1p-1022;
    const v_u64 bits = AS(u64, SELECT(v_f64, tiny, x * 0x1p54, x)) - UINT64_C(0x3FE6A09E667F3BCD);
    const v_u64 n_bits = ((bits >> 52) ^ 0x800) + UINT64_C(0x4330000000000000);
    v_f64 n = AS(f64, n_bits) - 0x1.00000000008p+52;
    n = n - SELECT(v_f64, tiny, splat_of_f64(54), splat_of_f64(0));
    const v_f64 f =
        AS(f64, (bits & UINT64_C(0x000FFFFFFFFFFFFF)) + UINT64_C(0x3FE6A09E667F3BCD)) - 1;
    const v_f64 s = f / (f + 2), z = s * s, half = f * f * 0.5;
    v_f64 p = z * (2.0 / 25) + 2.0 / 23;
    p = p * z + 2.0 / 21;
    p = p * z + 2.0 / 19;
    p = p * z + 2.0 / 17;
    p = p * z + 2.0 / 15;
    p = p * z + 2.0 / 13;
    p = p * z + 2.0 / 11;
    p = p * z + 2.0 / 9;
    p = p * z + 2.0 / 7;
    p = p * z + 2.0 / 5;
    p = p * z + 2.0 / 3;
    p = p * z;
    const v_f64 high = n * 0x1.62e42fee00000p-1, sum = high + f, lost = f - (sum - high);
    v_f64 r = sum + (lost + (n * 0x1.a39ef35793c76p-33 - (half - s * (half + p))));
    r = SELECT(v_f64, x == 0, splat_of_f64(-__builtin_inf()), r);
    r = SELECT(v_f64, x == __builtin_inf(), x, r);
    return SELECT(v_f64, x >= 0, r, splat_of_f64(__builtin_nan("")));
}

PTRT_INLINE c_f16 log_f16(c_f16 x) {
    return log_f32(x);
}
PTRT_INLINE c_bf16 log_bf16(c_bf16 x) {
    return log_f32(x);
}

#endif
