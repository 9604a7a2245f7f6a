/* SPDX-License-Identifier: Apache-2.0 */
/* exp.h - e^x on vectors of f32 and f64. Products that are rounded are not fused with the addition
 * that follows, so that every level gives the same bits. The error is at most 1 ULP; overflow gives
 * infinity, underflow subnormals and 0, NaN stays NaN. */
#ifndef PTORT_KERN_EXP_H
#define PTORT_KERN_EXP_H

#include "kern/fused.h"

/* e^x = 2^n e^r for x = n ln2 + r with |r| <= ln2 / 2. Returns a number whose low bits hold n:
 * adding 1.5 * 2^23 rounds to an integer. */
PTRT_INLINE v_f32 exp_turns_f32(v_f32 x) {
    return x * 0x1.715476p+0f + 0x1.8p+23f;
}
/* Returns r. The high part of ln2 has few bits, so that its product with n is exact: then a fused
 * operation gives the same bits as two. */
PTRT_INLINE v_f32 exp_rest_f32(v_f32 x, v_f32 t) {
    const v_f32 n = t - 0x1.8p+23f;
#if HAS_FMA
    const v_f32 r = fused_f32(n, splat_of_f32(-0x1.63p-1f), x);
#else
    const v_f32 r = x - n * 0x1.63p-1f;
#endif
    return r + n * 0x1.bd0106p-13f;
}
/* e^r = 1 + r + r^2 P(r), where P is fitted for the least relative error on that interval (5e-11).
 * Terms are grouped in pairs, which halves the chain of dependent operations: those of P above r,
 * then the others. */
PTRT_INLINE v_f32 exp_high_f32(v_f32 r, v_f32 r2) {
    return (r * 0x1.9f0862p-13f + 0x1.6d8d54p-10f) * r2 + (r * 0x1.111272p-7f + 0x1.55548ep-5f);
}
PTRT_INLINE v_f32 exp_low_f32(v_f32 r, v_f32 r2, v_f32 p) {
    p = p * r2 + (r * 0x1.555554p-3f + 0.5f);
    return p * r2 + r + 1.0f;
}
PTRT_INLINE v_f32 exp_reduced_f32(v_f32 x, v_f32 t) {
    const v_f32 r = exp_rest_f32(x, t), r2 = r * r;
    return exp_low_f32(r, r2, exp_high_f32(r, r2));
}

/* Handles any x. Scales by 2^n in two exact factors, because n exceeds the exponent range of f32 at
 * both ends. Below -104.5 powers are 0, which is not left to the scaling: a processor may take a
 * hundred cycles for products that are not normal. */
static __attribute__((noinline, unused)) v_f32 exp_far_f32(v_f32 x) {
    const v_f32 limit = splat_of_f32(89.0f);
    const v_i32 zero = x < splat_of_f32(-104.5f);
    const v_f32 most = SELECT(v_f32, x > limit, limit, x), xc = AS(f32, AS(i32, most) & ~zero);
    const v_f32 t = exp_turns_f32(xc), p = exp_reduced_f32(xc, t);
    const v_i32 n = AS(i32, t) - 0x4B400000, half = n >> 1;
    const v_f32 power = p * AS(f32, (half + 127) << 23) * AS(f32, (n - half + 127) << 23);
    return AS(f32, AS(i32, power) & ~zero);
}

PTRT_INLINE v_f32 exp_f32(v_f32 x) {
    /* Results are normal here, and adding n to the exponent field is exact. */
    const v_i32 near = (x >= -87.3f) & (x <= 88.3f);
    if (__builtin_expect(!all_lanes((v_u32)near), 0)) return exp_far_f32(x);
    const v_f32 t = exp_turns_f32(x), p = exp_reduced_f32(x, t);
    return AS(f32, AS(u32, p) + (AS(u32, t) << 23));
}

/* How many vectors at a time registers have room for. */
enum { PTRT_EXPS = VB == 64 ? 8 : 4 };

/* Changes n vectors to e^x, where n is a constant of at most 8. One test serves all of them, and
 * the terms of one are computed between those of the others: each would wait for the term before.
 * Masked elements of a softmax are far below 0: their powers are 0. */
PTRT_INLINE void exps_f32(v_f32 *x, int n) {
    enum { NEAR = 0x42AE999A /* 87.3f */ };
    v_i32 far = {0}, zero[8];
    v_f32 t[8], r[8], r2[8], p[8];
    int some_zero = 0;
#define EACH_OF_N _Pragma("GCC unroll 8") for (int i = 0; i < n; i++)
    EACH_OF_N far |= (AS(i32, x[i]) & 0x7FFFFFFF) > NEAR;
    if (__builtin_expect(any_sign((v_u32)far), 0)) {
        far ^= far;
        some_zero = 1;
        EACH_OF_N {
            zero[i] = x[i] < -104.5f;
            x[i] = AS(f32, AS(i32, x[i]) & ~zero[i]);
            far |= (AS(i32, x[i]) & 0x7FFFFFFF) > NEAR;
        }
        for (int i = 0; any_sign((v_u32)far) && i < n; i++)
            x[i] = AS(f32, AS(i32, exp_f32(x[i])) & ~zero[i]);
        if (any_sign((v_u32)far)) return;
    }
    EACH_OF_N t[i] = exp_turns_f32(x[i]);
    EACH_OF_N r[i] = exp_rest_f32(x[i], t[i]);
    EACH_OF_N r2[i] = r[i] * r[i];
    EACH_OF_N p[i] = exp_high_f32(r[i], r2[i]);
    EACH_OF_N p[i] = exp_low_f32(r[i], r2[i], p[i]);
    EACH_OF_N x[i] = AS(f32, AS(u32, p[i]) + (AS(u32, t[i]) << 23));
    if (__builtin_expect(some_zero, 0)) {
        EACH_OF_N x[i] = AS(f32, AS(i32, x[i]) & ~zero[i]);
    }
#undef EACH_OF_N
}

/* The same with the Taylor series to r^13, whose remainder is below 2^-57, and with a correction
 * for the rounding error of r. */
PTRT_INLINE v_f64 exp_f64(v_f64 x) {
    const v_f64 limit = splat_of_f64(710.0), low = splat_of_f64(-746.0);
    v_f64 xc = SELECT(v_f64, x > limit, limit, x);
    xc = SELECT(v_f64, xc < low, low, xc);
    const v_f64 t = xc * 0x1.71547652b82fep+0 + 0x1.8p+52;
    const v_i64 n = AS(i64, t) - INT64_C(0x4338000000000000);
    const v_f64 nf = t - 0x1.8p+52;
    const v_f64 high = xc - nf * 0x1.62e42fee00000p-1, lower = nf * 0x1.a39ef35793c76p-33;
    const v_f64 r = high - lower, rest = (high - r) - lower;
    v_f64 p = r * (1.0 / 6227020800) + 1.0 / 479001600;
    p = p * r + 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = (p * (r * r) + rest) + r + 1.0;
    const v_i64 half = n >> 1;
    return p * AS(f64, (half + 1023) << 52) * AS(f64, (n - half + 1023) << 52);
}

PTRT_INLINE c_f16 exp_f16(c_f16 x) {
    return exp_f32(x);
}
PTRT_INLINE c_bf16 exp_bf16(c_bf16 x) {
    return exp_f32(x);
}

#endif
