/* SPDX-License-Identifier: Apache-2.0 */
/* divide.h - truncated quotients of integers: quotient_E(x, y). Division by 0 gives 0; the smallest
 * integer divided by -1 wraps. */
#ifndef PTORT_KERN_DIVIDE_H
#define PTORT_KERN_DIVIDE_H

#include "kern/narrow.h"

/* There are vector instructions for quotients of floats only. If x / y is not an integer and n is
 * the next one, n y is at least x + 1 and less than x + y: the quotient of b-bit integers lies more
 * than 2^-(b+1) of n below n, so a float with more than b + 1 bits does not round it up. */

/* ---- 8 and 16 bits, in f32 ---- */

PTRT_INLINE v_i32 quotient_part(v_i32 x, v_i32 y) {
    const v_f32 by = __builtin_convertvector(y - (y == 0), v_f32);
    return __builtin_convertvector(__builtin_convertvector(x, v_f32) / by, v_i32);
}
#define PTRT_PART(E, k)                                                                            \
    quotient_part((v_i32)ld_wide_##E(p + (k)*N_i32), (v_i32)ld_wide_##E(by + (k)*N_i32))
#define PTRT_QUOTIENT(E, NARROW, ...)                                                              \
    PTRT_INLINE v_##E quotient_##E(v_##E x, v_##E y) {                                             \
        s_##E p[N_##E], by[N_##E];                                                                 \
        memcpy(p, &x, sizeof p);                                                                   \
        memcpy(by, &y, sizeof by);                                                                 \
        return (v_##E)((__typeof__(x == y))NARROW(__VA_ARGS__) & (y != (v_##E){0}));               \
    }
PTRT_QUOTIENT(u8, pack4_low8, PTRT_PART(u8, 0), PTRT_PART(u8, 1), PTRT_PART(u8, 2),
              PTRT_PART(u8, 3))
PTRT_QUOTIENT(i8, pack4_low8, PTRT_PART(i8, 0), PTRT_PART(i8, 1), PTRT_PART(i8, 2),
              PTRT_PART(i8, 3))
PTRT_QUOTIENT(u16, pack2_low16, PTRT_PART(u16, 0), PTRT_PART(u16, 1))
PTRT_QUOTIENT(i16, pack2_low16, PTRT_PART(i16, 0), PTRT_PART(i16, 1))
#undef PTRT_QUOTIENT
#undef PTRT_PART

/* ---- 32 bits, in f64 ---- */

/* Converts N_f64 numbers from p on to f64. */
PTRT_INLINE v_f64 wide_i32(const int32_t *p) {
#if VB == 64
    return (v_f64)_mm512_cvtepi32_pd(_mm256_loadu_si256((const __m256i *)(const void *)p));
#elif VB == 32
    return (v_f64)_mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)(const void *)p));
#elif defined(__x86_64__)
    return (v_f64)_mm_cvtepi32_pd(_mm_loadl_epi64((const __m128i *)(const void *)p));
#else
    return (v_f64){p[0], p[1]};
#endif
}
/* Truncates two vectors to integers and joins them. */
PTRT_INLINE v_i32 join_i32(v_f64 low, v_f64 high) {
#if VB == 64
    return (v_i32)_mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvttpd_epi32((__m512d)low)),
                                     _mm512_cvttpd_epi32((__m512d)high), 1);
#elif VB == 32
    return (v_i32)_mm256_set_m128i(_mm256_cvttpd_epi32((__m256d)high),
                                   _mm256_cvttpd_epi32((__m256d)low));
#elif defined(__x86_64__)
    return (v_i32)_mm_unpacklo_epi64(_mm_cvttpd_epi32((__m128d)low),
                                     _mm_cvttpd_epi32((__m128d)high));
#else
    return (v_i32){(int32_t)low[0], (int32_t)low[1], (int32_t)high[0], (int32_t)high[1]};
#endif
}
/* A quotient of 2^31 or more is an integer; it wraps. */
PTRT_INLINE v_f64 wrapped_quotient(v_f64 x, v_f64 y) {
    const v_f64 q = x / y;
    return q - AS(f64, (v_i64)(q >= 0x1p31) & (v_i64)splat_of_f64(0x1p32));
}
/* GCC 12 fails with an internal error if quotient_biased is inlined at level v2. */
#if VB == 16
#define PTRT_QUOTIENT_INLINE static __attribute__((noinline))
#else
#define PTRT_QUOTIENT_INLINE PTRT_INLINE
#endif
/* The numbers are x + bias and y + bias. */
PTRT_QUOTIENT_INLINE v_i32 quotient_biased(v_i32 x, v_i32 y, double bias) {
    int32_t p[N_i32], by[N_i32];
    memcpy(p, &x, sizeof p);
    memcpy(by, &y, sizeof by);
    return join_i32(wrapped_quotient(wide_i32(p) + bias, wide_i32(by) + bias),
                    wrapped_quotient(wide_i32(p + N_f64) + bias, wide_i32(by + N_f64) + bias));
}
PTRT_INLINE v_i32 quotient_i32(v_i32 x, v_i32 y) {
    return quotient_biased(x, y - (y == 0), 0) & (y != 0);
}
PTRT_INLINE v_u32 quotient_u32(v_u32 x, v_u32 y) {
    const v_u32 sign = splat_of_u32(0x80000000u), by = y - (v_u32)(y == 0);
    const v_i32 q = quotient_biased((v_i32)(x ^ sign), (v_i32)(by ^ sign), 0x1p31);
    return (v_u32)(q & (y != 0));
}

/* ---- 64 bits, lane by lane: no float has as many ---- */

PTRT_INLINE v_u64 quotient_u64(v_u64 x, v_u64 y) {
    for (int i = 0; i < N_u64; i++)
        x[i] = y[i] == 0 ? 0 : x[i] / y[i];
    return x;
}
PTRT_INLINE v_i64 quotient_i64(v_i64 x, v_i64 y) {
    for (int i = 0; i < N_i64; i++) {
        const uint64_t minus = 0 - (uint64_t)x[i];
        x[i] = y[i] == 0 ? 0 : y[i] == -1 ? (int64_t)minus : x[i] / y[i];
    }
    return x;
}

#endif
