/* SPDX-License-Identifier: Apache-2.0 */
/* narrow.h - converts vectors of f32 and i32 to and from narrow elements. Everything here rounds
 * once, to nearest even (hif8: ties away from zero); for other modes round.h rounds first.
 *
 *   f32 -> integers    i32_of_f32(x): clamps to i32; NaN becomes 0.
 *                      i32_to_pack(x): the same, but exact only where narrower types need it.
 *   i32 -> narrower    pack4_i8, pack4_u8, pack2_i16, pack2_u16: clamp lanes of 4 or 2 vectors.
 *                      pack4_low8, pack2_low16: keep their low bits.
 *   f32 -> 16 bits     f16_round, bf16_round (vec.h): overflow to infinity.
 *                      f16_clamp, bf16_clamp: clamp to the largest finite value first.
 *   f32 -> 8 bits      code_f8e4m3fn(x), code_f8e5m2(x), code_hif8(x): codes in the low bytes of
 *                      32-bit lanes, for pack4_low8. fp8 clamps to its largest finite value, its
 *                      forms _open give NaN (E4M3) or infinity (E5M2), hif8 has infinities.
 *   8 bits -> f32      value_f8e4m3fn(codes), value_f8e5m2(codes), value_hif8(codes).
 *   narrow -> lanes    ld_wide_u8(p), ld_wide_i8, ld_wide_u16, ld_wide_i16: N_f32 elements.
 *   lanes -> narrow    st_q8(p, v): stores the first N_f32 bytes of a vector.
 */
#ifndef PTORT_KERN_NARROW_H
#define PTORT_KERN_NARROW_H

#include "kern/round.h"

/* ---- to integers ---- */

/* Rounds to nearest even in the current mode, which a launch sets. Requires |x| < 2^31. */
PTRT_INLINE v_i32 nearest_i32(v_f32 x) {
#if VB == 64
    return (v_i32)_mm512_cvtps_epi32((__m512)x);
#elif VB == 32
    return (v_i32)_mm256_cvtps_epi32((__m256)x);
#elif defined(__x86_64__)
    return (v_i32)_mm_cvtps_epi32((__m128)x);
#elif defined(__aarch64__)
    return (v_i32)vcvtnq_s32_f32((float32x4_t)x);
#else
    return __builtin_convertvector(rint_f32(x), v_i32);
#endif
}

PTRT_INLINE v_f32 nan_as_0(v_f32 x) {
    return AS(f32, AS(u32, x) & (v_u32)(x == x));
}

PTRT_INLINE v_i32 i32_of_f32(v_f32 x) {
#if defined(__aarch64__)
    return nearest_i32(x);
#elif VB == 64
    const __mmask16 number = _mm512_cmp_ps_mask((__m512)x, (__m512)x, _CMP_ORD_Q);
    const __mmask16 high = _mm512_cmp_ps_mask((__m512)x, (__m512)splat_of_f32(0x1p31f), _CMP_GE_OQ);
    const __m512i r = _mm512_maskz_cvtps_epi32(number, (__m512)x);
    return (v_i32)_mm512_mask_mov_epi32(r, high, (__m512i)splat_of_i32(INT32_MAX));
#elif defined(__x86_64__)
    /* The instruction returns -2^31 for everything out of range. */
    return nearest_i32(nan_as_0(x)) ^ (v_i32)(x >= 0x1p31f);
#else
    const v_f32 low = larger_f32(splat_of_f32(-0x1p31f), nan_as_0(x));
    const v_i32 r = nearest_i32(smaller_f32(splat_of_f32(2147483520.0f), low));
    return SELECT(v_i32, (v_i32)(x >= 0x1p31f), splat_of_i32(INT32_MAX), r);
#endif
}

/* Values above 2^16 become some large integer. */
PTRT_INLINE v_i32 i32_to_pack(v_f32 x) {
#if defined(__aarch64__)
    return nearest_i32(x);
#elif VB == 64
    return (v_i32)_mm512_maskz_cvtps_epi32(_mm512_cmp_ps_mask((__m512)x, (__m512)x, _CMP_ORD_Q),
                                           (__m512)smaller_f32(splat_of_f32(0x1p30f), x));
#elif defined(__x86_64__)
    return nearest_i32(smaller_f32(nan_as_0(x), splat_of_f32(0x1p30f)));
#else
    return nearest_i32(clamp_f32(nan_as_0(x), 0x1p30f));
#endif
}

#if VB == 64
#define PTRT_PACK4(NAME, E, PART)                                                                  \
    PTRT_INLINE v_##E NAME(v_i32 a, v_i32 b, v_i32 c, v_i32 d) {                                   \
        const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(PART(a)), PART(b), 1);  \
        const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(PART(c)), PART(d), 1); \
        return (v_##E)_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);                    \
    }
#define PTRT_PACK2(NAME, E, PART)                                                                  \
    PTRT_INLINE v_##E NAME(v_i32 a, v_i32 b) {                                                     \
        return (v_##E)_mm512_inserti64x4(_mm512_castsi256_si512(PART(a)), PART(b), 1);             \
    }
#define PTRT_I8_PART(v) _mm512_cvtsepi32_epi8((__m512i)(v))
#define PTRT_U8_PART(v)                                                                            \
    _mm512_cvtusepi32_epi8(_mm512_max_epi32((__m512i)(v), _mm512_setzero_si512()))
#define PTRT_LOW8_PART(v) _mm512_cvtepi32_epi8((__m512i)(v))
#define PTRT_I16_PART(v) _mm512_cvtsepi32_epi16((__m512i)(v))
#define PTRT_U16_PART(v)                                                                           \
    _mm512_cvtusepi32_epi16(_mm512_max_epi32((__m512i)(v), _mm512_setzero_si512()))
#define PTRT_LOW16_PART(v) _mm512_cvtepi32_epi16((__m512i)(v))
PTRT_PACK4(pack4_i8, i8, PTRT_I8_PART)
PTRT_PACK4(pack4_u8, u8, PTRT_U8_PART)
PTRT_PACK4(pack4_low8, u8, PTRT_LOW8_PART)
PTRT_PACK2(pack2_i16, i16, PTRT_I16_PART)
PTRT_PACK2(pack2_u16, u16, PTRT_U16_PART)
PTRT_PACK2(pack2_low16, u16, PTRT_LOW16_PART)
#elif VB == 32
/* Packs work on the halves of a register: 32-bit groups come out as 0 4 1 5 2 6 3 7. */
PTRT_INLINE __m256i in_order8(__m256i v) {
    return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}
PTRT_INLINE __m256i in_order4(__m256i v) {
    return _mm256_permute4x64_epi64(v, 0xD8);
}
PTRT_INLINE v_i8 pack4_i8(v_i32 a, v_i32 b, v_i32 c, v_i32 d) {
    return (v_i8)in_order8(_mm256_packs_epi16(_mm256_packs_epi32((__m256i)a, (__m256i)b),
                                              _mm256_packs_epi32((__m256i)c, (__m256i)d)));
}
PTRT_INLINE v_u8 pack4_u8(v_i32 a, v_i32 b, v_i32 c, v_i32 d) {
    return (v_u8)in_order8(_mm256_packus_epi16(_mm256_packs_epi32((__m256i)a, (__m256i)b),
                                               _mm256_packs_epi32((__m256i)c, (__m256i)d)));
}
PTRT_INLINE v_i16 pack2_i16(v_i32 a, v_i32 b) {
    return (v_i16)in_order4(_mm256_packs_epi32((__m256i)a, (__m256i)b));
}
PTRT_INLINE v_u16 pack2_u16(v_i32 a, v_i32 b) {
    return (v_u16)in_order4(_mm256_packus_epi32((__m256i)a, (__m256i)b));
}
#elif defined(__x86_64__)
PTRT_INLINE v_i8 pack4_i8(v_i32 a, v_i32 b, v_i32 c, v_i32 d) {
    return (v_i8)_mm_packs_epi16(_mm_packs_epi32((__m128i)a, (__m128i)b),
                                 _mm_packs_epi32((__m128i)c, (__m128i)d));
}
PTRT_INLINE v_u8 pack4_u8(v_i32 a, v_i32 b, v_i32 c, v_i32 d) {
    return (v_u8)_mm_packus_epi16(_mm_packs_epi32((__m128i)a, (__m128i)b),
                                  _mm_packs_epi32((__m128i)c, (__m128i)d));
}
PTRT_INLINE v_i16 pack2_i16(v_i32 a, v_i32 b) {
    return (v_i16)_mm_packs_epi32((__m128i)a, (__m128i)b);
}
PTRT_INLINE v_u16 pack2_u16(v_i32 a, v_i32 b) {
    return (v_u16)_mm_packus_epi32((__m128i)a, (__m128i)b);
}
#elif defined(__aarch64__)
PTRT_INLINE v_i16 pack2_i16(v_i32 a, v_i32 b) {
    return (v_i16)vcombine_s16(vqmovn_s32((int32x4_t)a), vqmovn_s32((int32x4_t)b));
}
PTRT_INLINE v_u16 pack2_u16(v_i32 a, v_i32 b) {
    return (v_u16)vcombine_u16(vqmovun_s32((int32x4_t)a), vqmovun_s32((int32x4_t)b));
}
PTRT_INLINE v_i8 pack4_i8(v_i32 a, v_i32 b, v_i32 c, v_i32 d) {
    return (v_i8)vcombine_s8(vqmovn_s16((int16x8_t)pack2_i16(a, b)),
                             vqmovn_s16((int16x8_t)pack2_i16(c, d)));
}
PTRT_INLINE v_u8 pack4_u8(v_i32 a, v_i32 b, v_i32 c, v_i32 d) {
    return (v_u8)vcombine_u8(vqmovun_s16((int16x8_t)pack2_i16(a, b)),
                             vqmovun_s16((int16x8_t)pack2_i16(c, d)));
}
#else
#define PTRT_PACK_LANE(x, lo, hi) ((x) < (lo) ? (lo) : (x) > (hi) ? (hi) : (x))
#define PTRT_PACK4(NAME, E, T, LO, HI)                                                             \
    PTRT_INLINE v_##E NAME(v_i32 a, v_i32 b, v_i32 c, v_i32 d) {                                   \
        v_##E r;                                                                                   \
        for (int i = 0; i < N_##E; i++) {                                                          \
            const int32_t x = (i < N_i32       ? a                                                 \
                               : i < 2 * N_i32 ? b                                                 \
                               : i < 3 * N_i32 ? c                                                 \
                                               : d)[i % N_i32];                                    \
            r[i] = (T)PTRT_PACK_LANE(x, LO, HI);                                                   \
        }                                                                                          \
        return r;                                                                                  \
    }
#define PTRT_PACK2(NAME, E, T, LO, HI)                                                             \
    PTRT_INLINE v_##E NAME(v_i32 a, v_i32 b) {                                                     \
        v_##E r;                                                                                   \
        for (int i = 0; i < N_##E; i++) {                                                          \
            const int32_t x = (i < N_i32 ? a : b)[i % N_i32];                                      \
            r[i] = (T)PTRT_PACK_LANE(x, LO, HI);                                                   \
        }                                                                                          \
        return r;                                                                                  \
    }
PTRT_PACK4(pack4_i8, i8, int8_t, INT8_MIN, INT8_MAX)
PTRT_PACK4(pack4_u8, u8, uint8_t, 0, UINT8_MAX)
PTRT_PACK2(pack2_i16, i16, int16_t, INT16_MIN, INT16_MAX)
PTRT_PACK2(pack2_u16, u16, uint16_t, 0, UINT16_MAX)
#endif
#if VB != 64
PTRT_INLINE v_u8 pack4_low8(v_i32 a, v_i32 b, v_i32 c, v_i32 d) {
    return pack4_u8(a & 0xFF, b & 0xFF, c & 0xFF, d & 0xFF);
}
PTRT_INLINE v_u16 pack2_low16(v_i32 a, v_i32 b) {
    return pack2_u16(a & 0xFFFF, b & 0xFFFF);
}
#endif

/* ---- 8-bit and 16-bit elements as 32-bit lanes ---- */

typedef uint8_t q_u8 __attribute__((vector_size(VB / 4)));
typedef int8_t q_i8 __attribute__((vector_size(VB / 4)));
typedef int16_t h_i16 __attribute__((vector_size(VB / 2)));

PTRT_INLINE v_u32 ld_wide_u8(const void *p) {
    q_u8 q;
    memcpy(&q, p, sizeof q);
#if VB == 64
    return (v_u32)_mm512_cvtepu8_epi32((__m128i)q);
#elif VB == 32
    return (v_u32)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)&q));
#elif defined(__x86_64__)
    int32_t w;
    memcpy(&w, &q, sizeof w);
    return (v_u32)_mm_cvtepu8_epi32(_mm_cvtsi32_si128(w));
#else
    return __builtin_convertvector(q, v_u32);
#endif
}
PTRT_INLINE v_i32 ld_wide_i8(const void *p) {
#if VB == 64
    return (v_i32)_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p));
#elif VB == 32
    return (v_i32)_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)p));
#else
    return (v_i32)(ld_wide_u8(p) << 24) >> 24;
#endif
}
PTRT_INLINE v_u32 ld_wide_u16(const void *p) {
    return widen_u16(ld_half(p));
}
PTRT_INLINE v_i32 ld_wide_i16(const void *p) {
#if VB == 64
    return (v_i32)_mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)p));
#elif VB == 32
    return (v_i32)_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)p));
#else
    return (v_i32)(ld_wide_u16(p) << 16) >> 16;
#endif
}
PTRT_INLINE void st_q8(void *p, v_u8 v) {
    memcpy(p, &v, VB / 4);
}

/* ---- clamping to the finite values of 16-bit floats ---- */

PTRT_INLINE v_f32 f16_clamp(v_f32 x) {
    return clamp_f32(x, 65504.0f);
}
PTRT_INLINE v_f32 bf16_clamp(v_f32 x) {
    return clamp_f32(x, 0x1.FEp127f);
}

/* ---- to bf16 ---- */

/* Returns the nearest bf16 of an x that is not NaN and does not overflow. */
PTRT_INLINE v_u32 bf16_bits(v_f32 x) {
    const v_u32 bits = AS(u32, x);
    return (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
}

/* ---- fp8 ---- */

/* There is one codec for all types of a format of ptort_floats.def, as on the device. M mantissa
 * bits, exponent bias BIAS; magnitudes above TOP become TOP, whose code is in the open form
 * NAN_CODE or infinity. */
#define PTRT_CODE_FP8(NAME, M, BIAS, TOP, NAN_CODE)                                                \
    PTRT_INLINE v_u32 code_##NAME(v_f32 x) {                                                       \
        const v_f32 mag = smaller_f32(magnitude_f32(x), splat_of_f32(TOP));                        \
        const v_u32 bits = AS(u32, mag), lsb = (bits >> (23 - M)) & 1u;                            \
        const v_u32 norm =                                                                         \
            ((bits + ((1u << (22 - M)) - 1u) + lsb) >> (23 - M)) - ((uint32_t)(127 - BIAS) << M);  \
        /* Below the normal values, the addition rounds at the last place. */                      \
        const v_f32 shift = AS(f32, splat_of_u32((uint32_t)(127 + 1 - BIAS - M + 23) << 23));      \
        const v_u32 sub = AS(u32, mag + shift) - AS(u32, shift);                                   \
        const v_u32 low = (v_u32)(bits < ((uint32_t)(128 - BIAS) << 23));                          \
        const v_u32 code = SELECT(v_u32, low, sub, norm);                                          \
        const v_u32 nan = (v_u32)(x != x) | (v_u32)(code == splat_of_u32(NAN_CODE));               \
        return SELECT(v_u32, nan, splat_of_u32(NAN_CODE), code | sign_of_f32(x) >> 24);            \
    }
#define PTRT_CODES_OF_FORMAT(NAME, E, M, BIAS, SPECIAL, MOST, BEYOND, NAN_CODE, ...)               \
    PTRT_CODE_FP8(NAME, M, BIAS, MOST, NAN_CODE)                                                   \
    PTRT_CODE_FP8(NAME##_open, M, BIAS, BEYOND, NAN_CODE)
PTRT_FORMATS_8(PTRT_CODES_OF_FORMAT, )

/* Decodes values without infinity and NaN. The multiplication normalises subnormal values. */
#define PTRT_FP8_VALUE(M, BIAS)                                                                    \
    const v_u32 mag = (codes & 0x7Fu) << (23 - M);                                                 \
    const v_u32 scale = splat_of_u32((uint32_t)(127 + 127 - BIAS) << 23);                          \
    v_u32 bits = AS(u32, AS(f32, mag) * AS(f32, scale));
#define PTRT_VALUE_ONE_NAN(E) bits |= (v_u32)((codes & 0x7Fu) == 0x7Fu) & 0x7FC00000u;
/* The largest exponent is infinity and NaN. */
#define PTRT_VALUE_INFINITE(E)                                                                     \
    const v_u32 top = splat_of_u32(((1u << E) - 1u) << 23);                                        \
    bits |= (v_u32)(mag >= top) & (0x7F800000u | (mag - top));
#define PTRT_VALUE_OF_FORMAT(NAME, E, M, BIAS, SPECIAL, ...)                                       \
    PTRT_INLINE v_f32 value_##NAME(v_u32 codes) {                                                  \
        PTRT_FP8_VALUE(M, BIAS)                                                                    \
        PTRT_VALUE_##SPECIAL(E) return AS(f32, bits | (codes & 0x80u) << 24);                      \
    }
PTRT_FORMATS_8(PTRT_VALUE_OF_FORMAT, )

/* ---- fp4: magnitudes as codes; overflow gives a code above 7, NaN gives 0 ---- */

/* The step is 1/4. */
PTRT_INLINE v_u32 code_e1m2(v_f32 x, unsigned mode) {
    const v_i32 n = i32_of_f32(round_f32(clamp_f32(x, 2.0f) * splat_of_f32(4), mode));
    return (v_u32)SELECT(v_i32, n < 0, -n, n);
}
/* The step is 1/2 below 2, and doubles with the exponent above. */
PTRT_INLINE v_u32 code_e2m1(v_f32 x, unsigned mode) {
    const v_u32 from2 = (v_u32)(magnitude_f32(x) >= 2.0f),
                from4 = (v_u32)(magnitude_f32(x) >= 4.0f);
    const v_f32 y = clamp_f32(x, 8.0f);
    const v_f32 steps = y * AS(f32, AS(u32, splat_of_f32(2)) + ((from2 + from4) << 23));
    const v_i32 n = i32_of_f32(round_f32(steps, mode));
    return (v_u32)SELECT(v_i32, n < 0, -n, n) + (from2 + from4) * -2u;
}
/* Joins n codes to pairs, the first one low. codes[n] must be 0 if n is odd. */
PTRT_INLINE void join_pairs(unsigned char *d, const uint8_t *codes, size_t n) {
    for (size_t i = 0; i < n; i += 2)
        d[i / 2] = (uint8_t)(codes[i] | codes[i + 1] << 4);
}

/* ---- hif8: larger exponents have fewer mantissa bits ---- */

/* Sets the code of a magnitude whose exponent, negated if `back` is set, is at least FROM. */
#define PTRT_HIF8_BAND(FROM, BITS, DOT, SIGN_AT)                                                   \
    code = SELECT(v_u32, (v_u32)((v_i32)size >= FROM),                                             \
                  (uint32_t)DOT | back << SIGN_AT | (size - (uint32_t)FROM) << BITS |              \
                      mantissa >> (23 - BITS),                                                     \
                  code);

PTRT_INLINE v_u32 code_hif8(v_f32 x) {
    const v_u32 bits = AS(u32, magnitude_f32(x));
    v_i32 e = (v_i32)(bits >> 23) - 127;
    v_i32 n = SELECT(v_i32, e < 0, -e, e);
    /* Half of the last kept place. From each of 2^4, 2^8, 2^16 on, and from their reciprocals, one
     * bit less is kept. Ties round up. */
    const v_u32 half = (0x00080000u << ((v_u32)(n > 3) & 1u))
                       << ((v_u32)(n > 7) & 1u) << ((v_u32)(n > 15) & 1u);
    const v_u32 r = (bits + half) & ~(half + half - 1u), mantissa = r & 0x007FFFFFu;
    e = (v_i32)(r >> 23) - 127;
    n = SELECT(v_i32, e < 0, -e, e);
    const v_u32 size = (v_u32)n, back = (v_u32)(e < 0) & 1u;
    v_u32 code = 0x08u | mantissa >> 20;
    PTRT_HIF8_BAND(1, 3, 0x10, 3)
    PTRT_HIF8_BAND(2, 3, 0x20, 4)
    PTRT_HIF8_BAND(4, 2, 0x40, 4)
    PTRT_HIF8_BAND(8, 1, 0x60, 4)
    /* Powers of two from 2^-22 to 2^-16. Smaller magnitudes become 2^-22 from half of it on, else
     * 0. */
    code = SELECT(v_u32, (v_u32)(r < 0x38000000u), (v_u32)(e + 23), code);
    code = SELECT(v_u32, (v_u32)(bits < 0x34800000u), (v_u32)(bits >= 0x34000000u) & 1u, code);
    code = SELECT(v_u32, (v_u32)(r >= 0x47400000u), splat_of_u32(0x6F), code);
    code |= (sign_of_f32(x) >> 24) & (v_u32)(code != 0);
    return SELECT(v_u32, (v_u32)(x != x), splat_of_u32(0x80), code);
}

/* The f32 bits of a magnitude code. */
#define PTRT_HIF8_WIDE(c, BITS)                                                                    \
    ((uint32_t)(127 + ((c)&16 ? -1 : 1) * ((1 << ((c) >> 5)) + (((c)&15) >> (BITS)))) << 23 |      \
     ((uint32_t)(c) & ((1u << (BITS)) - 1u)) << (23 - (BITS)))
#define PTRT_HIF8_VALUE(c)                                                                         \
    ((c) == 0      ? 0u                                                                            \
     : (c) == 0x6F ? 0x7F800000u                                                                   \
     : (c) < 8     ? (uint32_t)((c) + 104) << 23                                                   \
     : (c) < 16    ? 127u << 23 | ((uint32_t)(c)&7u) << 20                                         \
     : (c) < 32    ? ((c)&8 ? 126u : 128u) << 23 | ((uint32_t)(c)&7u) << 20                        \
                   : PTRT_HIF8_WIDE(c, 4 - ((c) >> 5)))
#define PTRT_HIF8_4(c)                                                                             \
    PTRT_HIF8_VALUE(c), PTRT_HIF8_VALUE(c + 1), PTRT_HIF8_VALUE(c + 2), PTRT_HIF8_VALUE(c + 3)
#define PTRT_HIF8_16(c) PTRT_HIF8_4(c), PTRT_HIF8_4(c + 4), PTRT_HIF8_4(c + 8), PTRT_HIF8_4(c + 12)
static const __attribute__((unused)) uint32_t ptrt_hif8_values[128] = {
    PTRT_HIF8_16(0),  PTRT_HIF8_16(16), PTRT_HIF8_16(32), PTRT_HIF8_16(48),
    PTRT_HIF8_16(64), PTRT_HIF8_16(80), PTRT_HIF8_16(96), PTRT_HIF8_16(112)};

PTRT_INLINE v_f32 value_hif8(v_u32 codes) {
    const v_u32 at = codes & 0x7Fu;
    v_u32 bits;
#if VB == 64
    bits = (v_u32)_mm512_i32gather_epi32((__m512i)at, ptrt_hif8_values, 4);
#elif VB == 32
    bits = (v_u32)_mm256_i32gather_epi32((const int *)ptrt_hif8_values, (__m256i)at, 4);
#else
    for (int i = 0; i < N_u32; i++)
        bits[i] = ptrt_hif8_values[at[i]];
#endif
    bits |= (v_u32)(codes == 0x80u) & 0x7FC00000u;
    return AS(f32, bits | (codes & 0x80u) << 24);
}

#endif
