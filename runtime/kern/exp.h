/* SPDX-License-Identifier: Apache-2.0 */
/* exp.h - e^x on vectors of f32 and f64. Uses no fused multiply-add, so that every level gives the
 * same bits. The error is at most 1 ULP; overflow gives infinity, underflow subnormals and 0, NaN
 * stays NaN. */
#ifndef PTORT_KERN_EXP_H
#define PTORT_KERN_EXP_H

#include "kern/vec.h"

/* Computes e^r for x = n ln2 + r with |r| <= ln2 / 2, and stores a number whose low bits hold n in
 * *t. The high part of ln2 has few bits, so that its product with n is exact. e^r = 1 + r + r^2
 * P(r), where P is fitted for the least relative error on that interval (5e-11). */
PTRT_INLINE v_f32 exp_reduced_f32(v_f32 x, v_f32 *t) {
    /* Adding 1.5 * 2^23 rounds to an integer. */
    *t = x * 0x1.715476p+0f + 0x1.8p+23f;
    const v_f32 nf = *t - 0x1.8p+23f;
    v_f32 r = x - nf * 0x1.63p-1f;
    r = r + nf * 0x1.bd0106p-13f;
    /* Terms are grouped in pairs, which halves the chain of dependent operations. */
    const v_f32 r2 = r * r;
    v_f32 p = (r * 0x1.9f0862p-13f + 0x1.6d8d54p-10f) * r2 + (r * 0x1.111272p-7f + 0x1.55548ep-5f);
    p = p * r2 + (r * 0x1.555554p-3f + 0.5f);
    return p * r2 + r + 1.0f;
}

/* Handles any x. Scales by 2^n in two exact factors, because n exceeds the exponent range of f32 at
 * both ends. */
static __attribute__((noinline, unused)) v_f32 exp_far_f32(v_f32 x) {
    const v_f32 limit = splat_of_f32(89.0f), low = splat_of_f32(-104.5f);
    v_f32 xc = SELECT(v_f32, x > limit, limit, x), t;
    xc = SELECT(v_f32, xc < low, low, xc);
    const v_f32 p = exp_reduced_f32(xc, &t);
    const v_i32 n = AS(i32, t) - 0x4B400000, half = n >> 1;
    return p * AS(f32, (half + 127) << 23) * AS(f32, (n - half + 127) << 23);
}

PTRT_INLINE v_f32 exp_f32(v_f32 x) {
    /* Results are normal here, and adding n to the exponent field is exact. */
    const v_i32 near = (x >= -87.3f) & (x <= 88.3f);
    if (__builtin_expect(!all_lanes((v_u32)near), 0)) return exp_far_f32(x);
    v_f32 t;
    const v_f32 p = exp_reduced_f32(x, &t);
    return AS(f32, AS(u32, p) + (AS(u32, t) << 23));
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
