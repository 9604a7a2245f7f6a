/* SPDX-License-Identifier: Apache-2.0 */
/* bf16.h - conversion of f32 to bf16, to nearest, four vectors at a time. */
#ifndef PTORT_KERN_BF16_H
#define PTORT_KERN_BF16_H

#include "kern/narrow.h"

/* clang-format off */
PTRT_INLINE v_i32 bf16_bits_clamped(v_f32 x) {
    const v_f32 y = bf16_clamp(x);
    return (v_i32)SELECT(v_u32, (v_u32)(x == x), bf16_bits(y), splat_of_u32(0x7FC0));
}
PTRT_INLINE v_i32 bf16_bits_open(v_f32 x) {
    return (v_i32)SELECT(v_u32, (v_u32)(x == x), bf16_bits(x), splat_of_u32(0x7FC0));
}
#if defined(__x86_64__)
/* Converts 16 bits at a time: takes the high halves and adds 1 where the low halves round up.
 * bf16_near returns 0 without storing anything if an element is not finite or may overflow. */
#if VB == 64
#define X86(NAME) _mm512_##NAME
#define WHOLE __m512i
#define ANY_ABOVE(v, limit) (_mm512_cmpgt_epu16_mask(v, limit) != 0)
#elif VB == 32
#define X86(NAME) _mm256_##NAME
#define WHOLE __m256i
#define BLEND(a, b) _mm256_blend_epi16(a, b, 0xAA)
#define APART(v) _mm256_shuffle_epi8(v, _mm256_setr_epi8(BYTES_APART, BYTES_APART))
#define IN_ORDER(v) _mm256_permute4x64_epi64(APART(v), 0xD8)
#define ANY_ABOVE(v, limit) any_bit(_mm256_subs_epu16(v, limit))
PTRT_INLINE int any_bit(__m256i v) {
    return !_mm256_testz_si256(v, v);
}
#else
#define X86(NAME) _mm_##NAME
#define WHOLE __m128i
#define BLEND(a, b) _mm_blend_epi16(a, b, 0xAA)
#define APART(v) _mm_shuffle_epi8(v, _mm_setr_epi8(BYTES_APART))
#define IN_ORDER(v) APART(v)
#define ANY_ABOVE(v, limit) any_bit(_mm_subs_epu16(v, limit))
PTRT_INLINE int any_bit(__m128i v) {
    return !_mm_testz_si128(v, v);
}
#endif
/* The high halves and the low halves of two vectors, in the same order, which IN_ORDER changes to
 * that of the vectors. */
#if VB == 64
#define IN_ORDER(v) (v)
PTRT_INLINE WHOLE halves(v_u32 x, v_u32 y, int high) {
    v_u16 from;
    for (int i = 0; i < N_u16; i++)
        from[i] = (uint16_t)(2 * i + high);
    return _mm512_permutex2var_epi16((WHOLE)x, (WHOLE)from, (WHOLE)y);
}
PTRT_INLINE WHOLE high_halves(v_u32 x, v_u32 y) {
    return halves(x, y, 1);
}
PTRT_INLINE WHOLE low_halves(v_u32 x, v_u32 y) {
    return halves(x, y, 0);
}
#else
/* Per 16 bytes: the even 16-bit elements, then the odd ones, which are from the second vector. */
#define BYTES_APART 0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15
PTRT_INLINE WHOLE high_halves(v_u32 x, v_u32 y) {
    return BLEND((WHOLE)(x >> 16), (WHOLE)y);
}
PTRT_INLINE WHOLE low_halves(v_u32 x, v_u32 y) {
    return BLEND((WHOLE)x, (WHOLE)(y << 16));
}
#endif
PTRT_INLINE void st_bf16_near(unsigned char *d, v_u32 x, v_u32 y, WHOLE high) {
    const v_u16 odd = (v_u16)high & 1;
    const v_u16 carry = (v_u16)X86(avg_epu16)(low_halves(x, y), (WHOLE)(odd | 0x7FFE)) >> 15;
    st_u16(d, (v_u16)IN_ORDER((WHOLE)((v_u16)high + carry)));
}
PTRT_INLINE int bf16_near(unsigned char *d, v_u32 s, v_u32 t, v_u32 u, v_u32 v) {
    const WHOLE a = high_halves(s, t), b = high_halves(u, v);
    const WHOLE most = X86(max_epu16)((WHOLE)((v_u16)a << 1), (WHOLE)((v_u16)b << 1));
    if (__builtin_expect(ANY_ABOVE(most, X86(set1_epi16)((short)0xFEFD)), 0)) return 0;
    st_bf16_near(d, s, t, a);
    st_bf16_near(d + VB, u, v, b);
    return 1;
}
#else
PTRT_INLINE int bf16_near(unsigned char *d, v_u32 s, v_u32 t, v_u32 u, v_u32 v) {
    (void)d, (void)s, (void)t, (void)u, (void)v;
    return 0;
}
#endif
/* Stores two vectors of bf16. All of the sources is read before anything is stored. */
#define ST_BF16(HOW)                                                                               \
    PTRT_INLINE void st_bf16_##HOW(unsigned char *d, v_f32 s, v_f32 t, v_f32 u, v_f32 v) {         \
        if (bf16_near(d, AS(u32, s), AS(u32, t), AS(u32, u), AS(u32, v))) return;                  \
        const v_u16 first = pack2_low16(bf16_bits_##HOW(s), bf16_bits_##HOW(t));                   \
        st_u16(d + VB, pack2_low16(bf16_bits_##HOW(u), bf16_bits_##HOW(v)));                       \
        st_u16(d, first);                                                                          \
    }
ST_BF16(clamped)
ST_BF16(open)
/* clang-format on */

#endif
