/* SPDX-License-Identifier: Apache-2.0 */
/* rem.h - remainders on vectors: fmod_E has the sign of the dividend, rem_E that of the divisor.
 * Float remainders are exact, and NaN for divisor 0; integer ones are 0 for divisor 0. */
#ifndef PTORT_KERN_REM_H
#define PTORT_KERN_REM_H

#include "kern/divide.h"
#include "kern/ops.h"
#include "kern/wide.h"

/* Computes |a| - n |b| with n = |a| / |b| rounded down. Exact in f64 while n is below 2^28: n |b|
 * then has 52 bits, and the quotient does not round up to an integer. *near is set in the lanes
 * where this holds. */
PTRT_INLINE v_f64 fmod_near_f64(v_f64 a, v_f64 b, v_i64 *near) {
    const v_f64 q = a / b, up = (q + 0x1p52) - 0x1p52;
    const v_f64 n = up - SELECT(v_f64, up > q, splat_of_f64(1), splat_of_f64(0));
    *near = (q < 0x1p28) & (b < __builtin_inf());
    return a - n * b;
}

static __attribute__((noinline, unused)) v_f32 fmod_far_f32(v_f32 x, v_f32 y) {
    for (int i = 0; i < N_f32; i++)
        x[i] = __builtin_fmodf(x[i], y[i]);
    return x;
}

PTRT_INLINE v_f32 fmod_f32(v_f32 x, v_f32 y) {
    const v_f32 a = AS(f32, AS(u32, x) & 0x7FFFFFFFu), b = AS(f32, AS(u32, y) & 0x7FFFFFFFu);
    v_i64 n0, n1;
    const v_f64 r0 = fmod_near_f64(low_f64(a), low_f64(b), &n0);
    const v_f64 r1 = fmod_near_f64(high_f64(a), high_f64(b), &n1);
    if (__builtin_expect(!all_lanes((v_u32)(n0 & n1)), 0)) return fmod_far_f32(x, y);
    return AS(f32, AS(u32, narrow_f64(r0, r1)) | (AS(u32, x) & 0x80000000u));
}
PTRT_INLINE v_f64 fmod_f64(v_f64 x, v_f64 y) {
    for (int i = 0; i < N_f64; i++)
        x[i] = __builtin_fmod(x[i], y[i]);
    return x;
}
PTRT_INLINE c_f16 fmod_f16(c_f16 x, c_f16 y) {
    return fmod_f32(x, y);
}
PTRT_INLINE c_bf16 fmod_bf16(c_bf16 x, c_bf16 y) {
    return fmod_f32(x, y);
}

/* 0 where the divisor is 0. */
#define PTRT_FMOD_INTEGER(OP, E)                                                                   \
    PTRT_INLINE c_##E fmod_##E(c_##E x, c_##E y) {                                                 \
        const c_##E r = x - quotient_##E(x, y) * y;                                                \
        return (c_##E)((__typeof__(x == y))r & (y != (c_##E){0}));                                 \
    }
INTEGERS(PTRT_FMOD_INTEGER, )

/* Adds the divisor if the signs differ. */
#define PTRT_REM(OP, E)                                                                            \
    PTRT_INLINE c_##E rem_##E(c_##E x, c_##E y) {                                                  \
        const c_##E r = fmod_##E(x, y), none = (c_##E){0};                                         \
        const __typeof__(x < y) other = (r != none) & ((x >= none) ^ (y >= none));                 \
        return SELECT(c_##E, other, r + y, r);                                                     \
    }
SIGNED_OR_FLOAT(PTRT_REM, )
#define PTRT_REM_UNSIGNED(OP, E)                                                                   \
    PTRT_INLINE c_##E rem_##E(c_##E x, c_##E y) {                                                  \
        return fmod_##E(x, y);                                                                     \
    }
UNSIGNED(PTRT_REM_UNSIGNED, )

#endif
