/* SPDX-License-Identifier: Apache-2.0 */
/* mask.h - masks of one bit per element, lowest bit first, and vectors whose lanes are 0 or all
 * ones. BITS is the width of a lane: 8, 16, 32 or 64.
 *
 *     bits_BITS(m)              bit i = lane i of m
 *     pick_BITS(k, a, b)        lane i = bit i of k ? a : b; higher bits of k are ignored
 *     take_bits(p, e, n)        bits e .. e + n - 1 from p, for a constant n; higher bits vary
 *     pick_at_BITS(p, e, a, b)  picks by the bits from e on at p; e is a multiple of the lanes
 */
#ifndef PTORT_KERN_MASK_H
#define PTORT_KERN_MASK_H

#include "kern/vec.h"

#if VB == 64

PTRT_INLINE uint64_t bits_8(v_u8 m) {
    return _mm512_movepi8_mask((__m512i)m);
}
PTRT_INLINE uint64_t bits_16(v_u16 m) {
    return _mm512_movepi16_mask((__m512i)m);
}
PTRT_INLINE uint64_t bits_32(v_u32 m) {
    return _mm512_movepi32_mask((__m512i)m);
}
PTRT_INLINE v_u8 pick_8(uint64_t k, v_u8 a, v_u8 b) {
    return (v_u8)_mm512_mask_blend_epi8((__mmask64)k, (__m512i)b, (__m512i)a);
}
PTRT_INLINE v_u16 pick_16(uint64_t k, v_u16 a, v_u16 b) {
    return (v_u16)_mm512_mask_blend_epi16((__mmask32)k, (__m512i)b, (__m512i)a);
}
PTRT_INLINE v_u32 pick_32(uint64_t k, v_u32 a, v_u32 b) {
    return (v_u32)_mm512_mask_blend_epi32((__mmask16)k, (__m512i)b, (__m512i)a);
}
PTRT_INLINE v_u64 pick_64(uint64_t k, v_u64 a, v_u64 b) {
    return (v_u64)_mm512_mask_blend_epi64((__mmask8)k, (__m512i)b, (__m512i)a);
}

#elif VB == 32

PTRT_INLINE uint64_t bits_8(v_u8 m) {
    return (uint32_t)_mm256_movemask_epi8((__m256i)m);
}
PTRT_INLINE uint64_t bits_16(v_u16 m) {
    const __m128i low = _mm256_castsi256_si128((__m256i)m);
    return (uint64_t)_mm_movemask_epi8(
        _mm_packs_epi16(low, _mm256_extracti128_si256((__m256i)m, 1)));
}
PTRT_INLINE uint64_t bits_32(v_u32 m) {
    return (uint64_t)_mm256_movemask_ps((__m256)m);
}
/* Each lane tests its own bit. */
PTRT_INLINE __m256i lanes_8(uint64_t k) {
    const __m256i at =
        _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i bit = _mm256_set1_epi64x((long long)UINT64_C(0x8040201008040201));
    const __m256i all = _mm256_shuffle_epi8(_mm256_set1_epi32((int)k), at);
    return _mm256_cmpeq_epi8(_mm256_and_si256(all, bit), bit);
}
PTRT_INLINE __m256i lanes_16(uint64_t k) {
    const __m256i bit = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096,
                                          8192, 16384, (short)-32768);
    return _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_set1_epi16((short)k), bit), bit);
}
PTRT_INLINE __m256i lanes_32(uint64_t k) {
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)k), bit), bit);
}
PTRT_INLINE __m256i lanes_64(uint64_t k) {
    const __m256i bit = _mm256_setr_epi64x(1, 2, 4, 8);
    return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x((long long)k), bit), bit);
}
#define PTRT_BLEND(BITS)                                                                           \
    PTRT_INLINE v_u##BITS pick_##BITS(uint64_t k, v_u##BITS a, v_u##BITS b) {                      \
        return (v_u##BITS)_mm256_blendv_epi8((__m256i)b, (__m256i)a, lanes_##BITS(k));             \
    }
PTRT_BLEND(8)
PTRT_BLEND(16)
PTRT_BLEND(32)
PTRT_BLEND(64)

/* Take the bits of 32 lanes from several vectors. Packing exchanges the halves of registers, which
 * is undone here. */
PTRT_INLINE uint64_t bits_of_two(v_u16 a, v_u16 b) {
    const __m256i bytes = _mm256_packs_epi16((__m256i)a, (__m256i)b);
    return (uint32_t)_mm256_movemask_epi8(_mm256_permute4x64_epi64(bytes, 0xD8));
}
/* Selects by part `at` of 32 mask bits that are in all lanes: each lane shifts its own bit to the
 * sign, which the blend tests. */
PTRT_INLINE v_u32 pick_quarter(v_u32 bits, unsigned at, v_u32 a, v_u32 b) {
    const v_u32 up = (v_u32){31, 30, 29, 28, 27, 26, 25, 24} - 8 * at;
    const __m256i m = _mm256_sllv_epi32((__m256i)bits, (__m256i)up);
    return (v_u32)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)m);
}
PTRT_INLINE uint64_t bits_of_four(v_u32 a, v_u32 b, v_u32 c, v_u32 d) {
    const __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32((__m256i)a, (__m256i)b),
                                             _mm256_packs_epi32((__m256i)c, (__m256i)d));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return (uint32_t)_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(bytes, order));
}

#else

#if defined(__x86_64__)
PTRT_INLINE uint64_t bits_8(v_u8 m) {
    return (uint64_t)_mm_movemask_epi8((__m128i)m);
}
PTRT_INLINE uint64_t bits_16(v_u16 m) {
    return (uint64_t)_mm_movemask_epi8(_mm_packs_epi16((__m128i)m, _mm_setzero_si128()));
}
PTRT_INLINE uint64_t bits_32(v_u32 m) {
    return (uint64_t)_mm_movemask_ps((__m128)m);
}
#elif defined(__aarch64__)
PTRT_INLINE uint64_t bits_8(v_u8 m) {
    const v_u8 one = m & (v_u8){1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    return (uint64_t)vaddv_u8(vget_low_u8((uint8x16_t)one)) |
           (uint64_t)vaddv_u8(vget_high_u8((uint8x16_t)one)) << 8;
}
PTRT_INLINE uint64_t bits_16(v_u16 m) {
    return vaddvq_u16((uint16x8_t)(m & (v_u16){1, 2, 4, 8, 16, 32, 64, 128}));
}
PTRT_INLINE uint64_t bits_32(v_u32 m) {
    return vaddvq_u32((uint32x4_t)(m & (v_u32){1, 2, 4, 8}));
}
#else
#define PTRT_GATHER_BITS(BITS)                                                                     \
    PTRT_INLINE uint64_t bits_##BITS(v_u##BITS m) {                                                \
        uint64_t k = 0;                                                                            \
        for (int i = 0; i < N_u##BITS; i++)                                                        \
            k |= (uint64_t)(m[i] & 1) << i;                                                        \
        return k;                                                                                  \
    }
PTRT_GATHER_BITS(8)
PTRT_GATHER_BITS(16)
PTRT_GATHER_BITS(32)
#endif

PTRT_INLINE v_u8 lanes_8(uint64_t k) {
    const uint64_t bit = UINT64_C(0x8040201008040201), ones = UINT64_C(0x0101010101010101);
    const v_u8 bits = (v_u8)splat_of_u64(bit);
    return (v_u8)(((v_u8)(v_u64){(k & 0xFF) * ones, (k >> 8 & 0xFF) * ones} & bits) == bits);
}
PTRT_INLINE v_u16 lanes_16(uint64_t k) {
    const v_u16 bit = {1, 2, 4, 8, 16, 32, 64, 128};
    return (v_u16)((splat_of_u16((uint16_t)k) & bit) == bit);
}
PTRT_INLINE v_u32 lanes_32(uint64_t k) {
    const v_u32 bit = {1, 2, 4, 8};
    return (v_u32)((splat_of_u32((uint32_t)k) & bit) == bit);
}
PTRT_INLINE v_u64 lanes_64(uint64_t k) {
    const v_u64 bit = {1, 2};
    return (v_u64)((splat_of_u64(k) & bit) == bit);
}
#define PTRT_PICK(BITS)                                                                            \
    PTRT_INLINE v_u##BITS pick_##BITS(uint64_t k, v_u##BITS a, v_u##BITS b) {                      \
        const v_u##BITS m = lanes_##BITS(k);                                                       \
        return SELECT(v_u##BITS, m, a, b);                                                         \
    }
PTRT_PICK(8)
PTRT_PICK(16)
PTRT_PICK(32)
PTRT_PICK(64)

#endif

/* n is 2, 4, or a multiple of 8 up to 64. Reads only bytes that have some of the bits. */
PTRT_INLINE uint64_t take_bits(const unsigned char *p, size_t e, size_t n) {
    const size_t by = e & 7, held = n < 8 ? 8 : n;
    uint64_t k = 0;
    p += e >> 3;
    memcpy(&k, p, held / 8);
    k >>= by;
    if (by + n > held) k |= (uint64_t)p[held / 8] << (held - by);
    return k;
}

#define PTRT_PICK_AT(BITS)                                                                         \
    PTRT_INLINE v_u##BITS pick_at_##BITS(const unsigned char *p, size_t e, v_u##BITS a,            \
                                         v_u##BITS b) {                                            \
        return pick_##BITS(take_bits(p, e, N_u##BITS), a, b);                                      \
    }
PTRT_PICK_AT(8)
PTRT_PICK_AT(16)
PTRT_PICK_AT(32)
PTRT_PICK_AT(64)

#endif
