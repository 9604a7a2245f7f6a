/* SPDX-License-Identifier: Apache-2.0 */
/* pow.h - x^y on vectors. f32 is computed in f64, whose precision makes the result the nearest f32
 * except in a few near ties; f16 and bf16 are computed in f32. Zeros, infinities, NaN and negative
 * bases behave as in C. Integers: repeated squaring that wraps; a negative exponent gives 0 unless
 * the base is 1 or -1. */
#ifndef PTORT_KERN_POW_H
#define PTORT_KERN_POW_H

#include "kern/log.h"
#include "kern/wide.h"

/* Computes 2^(y (n + log2 m)) for m in [sqrt(1/2), sqrt(2)). log2 m = s Q(s^2) with s = (m - 1) /
 * (m + 1). Q and the polynomial for the power of 2 are fitted for the least relative error (2^-37
 * and 2^-29). */
PTRT_INLINE v_f64 pow_split_f64(v_f64 n, v_f64 m, v_f64 y) {
    const v_f64 s = (m - 1) / (m + 1), z = s * s, z2 = z * z;
    v_f64 q = (z * 0x1.a58d8fc0aa828p-2 + 0x1.27777fda66c82p-1) + z2 * 0x1.5ce7cd9139f0cp-2;
    q = q * z2 + (z * 0x1.ec709d12e1553p-1 + 0x1.71547652bede5p+1);
    v_f64 t = y * (n + s * q);
    /* Clamp to what exceeds the exponents of f32. */
    t = SELECT(v_f64, t > 200.0, splat_of_f64(200), t);
    t = SELECT(v_f64, t < -200.0, splat_of_f64(-200), t);
    const v_f64 magic = t + 0x1.8p+52, r = t - (magic - 0x1.8p+52), r2 = r * r;
    v_f64 p = (r * 0x1.5f456a867c735p-10 + 0x1.3b2dbbc0aa7a3p-7) + r2 * 0x1.41d333a1fbff9p-13;
    p = p * r2 + (r * 0x1.c6aed4b95c606p-5 + 0x1.ebfbdadcb136fp-3);
    p = p * r2 + (r * 0x1.62e430c7e91afp-1 + 0x1.00000002614ffp+0);
    return AS(f64, AS(u64, p) + (AS(u64, magic) << 52));
}

/* For x > 0. */
PTRT_INLINE v_f32 pow_positive_f32(v_f32 n, v_f32 m, v_f32 y) {
    return narrow_f64(pow_split_f64(low_f64(n), low_f64(m), low_f64(y)),
                      pow_split_f64(high_f64(n), high_f64(m), high_f64(y)));
}

/* Handles any x and y. */
static __attribute__((noinline, unused)) v_f32 pow_far_f32(v_f32 x, v_f32 y) {
    const v_f32 inf = splat_of_f32(__builtin_inff()), zero = splat_of_f32(0), one = zero + 1.0f;
    const v_f32 ax = AS(f32, AS(u32, x) & 0x7FFFFFFFu), ay = AS(f32, AS(u32, y) & 0x7FFFFFFFu);
    /* All floats from 2^24 on are even integers, so clamping there keeps the parity. */
    const v_f32 whole = SELECT(v_f32, ay < 0x1p24f, ay, zero + 0x1p24f);
    const v_i32 i = __builtin_convertvector(whole, v_i32);
    const v_i32 integer = __builtin_convertvector(i, v_f32) == whole, odd = integer & -(i & 1);
    const v_i32 tiny = ax < 0x1p-126f, none = ax == 0;
    v_f32 n;
    const v_f32 m = log_split_f32(SELECT(v_f32, tiny, ax * 0x1p24f, ax), &n);
    n = n - SELECT(v_f32, tiny, zero + 24.0f, zero);
    v_f32 r = pow_positive_f32(n, m, SELECT(v_f32, ay < inf, y, zero));
    /* Cases in which base or exponent alone makes the result 0 or infinity. */
    const v_i32 grows = (ax > 1.0f) == (y > 0);
    const v_i32 far = none | (ax == inf) | (ay == inf);
    r = SELECT(v_f32, far, SELECT(v_f32, grows, inf, zero), r);
    r = AS(f32, AS(u32, r) | (AS(u32, x) & (v_u32)odd & 0x80000000u));
    const v_i32 nan = (x != x) | (y != y) | ((x < 0) & ~none & (ax < inf) & ~integer);
    r = SELECT(v_f32, nan, splat_of_f32(__builtin_nanf("")), r);
    return SELECT(v_f32, (y == 0) | (x == 1.0f) | ((ax == 1.0f) & (ay == inf)), one, r);
}

PTRT_INLINE v_f32 pow_f32(v_f32 x, v_f32 y) {
    const v_i32 near = (x >= 0x1p-126f) & (x <= 0x1.fffffep127f) & (y - y == 0);
    if (__builtin_expect(!all_lanes((v_u32)near), 0)) return pow_far_f32(x, y);
    v_f32 n;
    const v_f32 m = log_split_f32(x, &n);
    return pow_positive_f32(n, m, y);
}
PTRT_INLINE c_f16 pow_f16(c_f16 x, c_f16 y) {
    return pow_f32(x, y);
}
PTRT_INLINE c_bf16 pow_bf16(c_bf16 x, c_bf16 y) {
    return pow_f32(x, y);
}

/* Iterates until the exponents of all lanes are used up. With a negative exponent only its parity
 * matters. */
#define PTRT_POW_INTEGER(E, U)                                                                     \
    PTRT_INLINE v_##E pow_##E(v_##E x, v_##E y) {                                                  \
        const v_##E zero = x ^ x, one = zero + 1;                                                  \
        v_##U b = (v_##U)x, e = (v_##U)y, r = (v_##U)one;                                          \
        const v_##E negative = (v_##E)(y < zero);                                                  \
        e = SELECT(v_##U, negative, e & 1, e);                                                     \
        for (int more = 1; more != 0;) {                                                           \
            r = SELECT(v_##U, (e & 1) != 0, r * b, r);                                             \
            b = b * b;                                                                             \
            e = e >> 1;                                                                            \
            more = any_bit(&e, sizeof e);                                                          \
        }                                                                                          \
        const v_##E unit = (v_##E)(x == one) | (v_##E)(x == zero - 1);                             \
        return SELECT(v_##E, negative & ~unit, zero, (v_##E)r);                                    \
    }
PTRT_INLINE int any_bit(const void *p, size_t bytes) {
    uint64_t all = 0;
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word;
        memcpy(&word, (const unsigned char *)p + i, 8);
        all |= word;
    }
    return all != 0;
}
PTRT_POW_INTEGER(i8, u8)
PTRT_POW_INTEGER(u8, u8)
PTRT_POW_INTEGER(i16, u16)
PTRT_POW_INTEGER(u16, u16)
PTRT_POW_INTEGER(i32, u32)
PTRT_POW_INTEGER(u32, u32)

#endif
