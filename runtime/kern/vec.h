/* SPDX-License-Identifier: Apache-2.0 */
/* vec.h - vectors for kernel bodies, compiled once per instruction-set level. For each element type
 * E: a compute vector c_E of N_E lanes, ld_E and st_E (any alignment), splat_E, and ldn_E and stn_E
 * for fewer than N_E elements. f16 and bf16 are computed in f32: ld_ widens exactly, st_ rounds
 * once to nearest even. The vectors are explicit, because auto-vectorised loops are two to three
 * times slower on narrow types and differ between compilers. */
#ifndef PTORT_KERN_VEC_H
#define PTORT_KERN_VEC_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* Bytes of a vector register at this level. */
#if defined(__AVX512BW__)
#define VB 64
#elif defined(__AVX2__)
#define VB 32
#else
#define VB 16
#endif

#define PTRT_INLINE static inline __attribute__((always_inline, unused))

#define PTRT_VECTOR(E, T) typedef T v_##E __attribute__((vector_size(VB)));
PTRT_VECTOR(u8, uint8_t)
PTRT_VECTOR(u16, uint16_t)
PTRT_VECTOR(u32, uint32_t)
PTRT_VECTOR(u64, uint64_t)
PTRT_VECTOR(i8, int8_t)
PTRT_VECTOR(i16, int16_t)
PTRT_VECTOR(i32, int32_t)
PTRT_VECTOR(i64, int64_t)
PTRT_VECTOR(f32, float)
PTRT_VECTOR(f64, double)
/* Half a register, for the 16-bit elements of a vector of f32. */
typedef uint16_t h_u16 __attribute__((vector_size(VB / 2)));

/* N_E: lanes of a vector; S_E: bytes of an element. */
#define PTRT_LANES(E, S) enum { N_##E = VB / S, S_##E = S };
PTRT_LANES(u8, 1)
PTRT_LANES(i8, 1)
PTRT_LANES(u16, 2)
PTRT_LANES(i16, 2)
PTRT_LANES(u32, 4)
PTRT_LANES(i32, 4)
PTRT_LANES(u64, 8)
PTRT_LANES(i64, 8)
PTRT_LANES(f32, 4)
PTRT_LANES(f64, 8)
enum { N_f16 = VB / 4, N_bf16 = VB / 4, S_f16 = 2, S_bf16 = 2 };

/* Types for typed access to the memory of any tile. */
typedef uint8_t __attribute__((may_alias)) s_u8;
typedef uint16_t __attribute__((may_alias)) s_u16;
typedef uint32_t __attribute__((may_alias)) s_u32;
typedef uint64_t __attribute__((may_alias)) s_u64;
typedef int8_t __attribute__((may_alias)) s_i8;
typedef int16_t __attribute__((may_alias)) s_i16;
typedef int32_t __attribute__((may_alias)) s_i32;
typedef int64_t __attribute__((may_alias)) s_i64;
typedef float __attribute__((may_alias)) s_f32;
typedef double __attribute__((may_alias)) s_f64;
typedef s_u16 s_f16;
typedef s_u16 s_bf16;

/* ---- types whose compute vectors are vectors of the elements ---- */

/* A splat is written as an integer sum with zero, which compilers remove: a loop over lanes would
 * become single inserts, and a sum of floats an addition. */
#define PTRT_NATURAL(E, T, U)                                                                      \
    typedef v_##E c_##E;                                                                           \
    PTRT_INLINE c_##E ld_##E(const void *p) {                                                      \
        c_##E v;                                                                                   \
        memcpy(&v, p, sizeof v);                                                                   \
        return v;                                                                                  \
    }                                                                                              \
    PTRT_INLINE void st_##E(void *p, c_##E v) {                                                    \
        memcpy(p, &v, sizeof v);                                                                   \
    }                                                                                              \
    PTRT_INLINE c_##E splat_of_##E(T x) {                                                          \
        uint##U##_t bits;                                                                          \
        memcpy(&bits, &x, sizeof bits);                                                            \
        return (c_##E)((v_u##U){0} + bits);                                                        \
    }                                                                                              \
    PTRT_INLINE c_##E splat_##E(const void *p) {                                                   \
        return splat_of_##E(*(const s_##E *)p);                                                    \
    }
PTRT_NATURAL(u8, uint8_t, 8)
PTRT_NATURAL(u16, uint16_t, 16)
PTRT_NATURAL(u32, uint32_t, 32)
PTRT_NATURAL(u64, uint64_t, 64)
PTRT_NATURAL(i8, int8_t, 8)
PTRT_NATURAL(i16, int16_t, 16)
PTRT_NATURAL(i32, int32_t, 32)
PTRT_NATURAL(i64, int64_t, 64)
PTRT_NATURAL(f32, float, 32)
PTRT_NATURAL(f64, double, 64)

/* Reinterprets the bits as another type. */
#define AS(T, v) ((v_##T)(v))
/* Per lane m ? a : b, where the lanes of m are 0 or all ones. */
#define SELECT(T, m, a, b) ((T)(((__typeof__(m))(a) & (m)) | ((__typeof__(m))(b) & ~(m))))

/* Hides the value of a vector from the compiler, so that the terms of a long sum are added in the
 * written order instead of all at the end. */
#if defined(__x86_64__)
#define KEEP_ORDER(v) __asm__("" : "+v"(v))
#elif defined(__aarch64__)
#define KEEP_ORDER(v) __asm__("" : "+w"(v))
#else
#define KEEP_ORDER(v) (void)(v)
#endif

/* Whether all lanes of a mask are set. */
PTRT_INLINE int all_lanes(v_u32 m) {
#if VB == 64
    return _mm512_movepi32_mask((__m512i)m) == 0xFFFF;
#elif VB == 32
    return _mm256_movemask_ps((__m256)m) == 0xFF;
#elif defined(__x86_64__)
    return _mm_movemask_ps((__m128)m) == 0xF;
#else
    uint32_t all = m[0];
    for (int i = 1; i < N_u32; i++)
        all &= m[i];
    return all != 0;
#endif
}

/* Whether any lane has its highest bit set. */
PTRT_INLINE int any_sign(v_u32 v) {
#if VB == 64
    return _mm512_movepi32_mask((__m512i)v) != 0;
#elif VB == 32
    return _mm256_movemask_ps((__m256)v) != 0;
#elif defined(__x86_64__)
    return _mm_movemask_ps((__m128)v) != 0;
#else
    uint32_t any = v[0];
    for (int i = 1; i < N_u32; i++)
        any |= v[i];
    return (any >> 31) != 0;
#endif
}

/* ---- f16 and bf16 ---- */

typedef v_f32 c_f16;
typedef v_f32 c_bf16;

PTRT_INLINE v_u32 widen_u16(h_u16 h) {
#if VB == 64
    return (v_u32)_mm512_cvtepu16_epi32((__m256i)h);
#elif VB == 32
    return (v_u32)_mm256_cvtepu16_epi32((__m128i)h);
#else
    return __builtin_convertvector(h, v_u32);
#endif
}

/* Returns the low halves of lanes that are below 2^16. */
PTRT_INLINE h_u16 narrow_u32(v_u32 v) {
#if VB == 64
    return (h_u16)_mm512_cvtepi32_epi16((__m512i)v);
#elif VB == 32
    __m256i p = _mm256_packus_epi32((__m256i)v, (__m256i)v);
    return (h_u16)_mm256_castsi256_si128(_mm256_permute4x64_epi64(p, 0x08));
#else
    return __builtin_convertvector(v, h_u16);
#endif
}

PTRT_INLINE h_u16 ld_half(const void *p) {
    h_u16 h;
    memcpy(&h, p, sizeof h);
    return h;
}

PTRT_INLINE void st_half(void *p, h_u16 h) {
    memcpy(p, &h, sizeof h);
}

PTRT_INLINE v_f32 f16_widen(h_u16 h) {
#if VB == 64
    return (v_f32)_mm512_cvtph_ps((__m256i)h);
#elif VB == 32
    return (v_f32)_mm256_cvtph_ps((__m128i)h);
#elif defined(__aarch64__)
    return (v_f32)vcvt_f32_f16((float16x4_t)h);
#else
    /* Scaling by 2^112 rebiases the exponent and normalises subnormals, exactly. */
    v_u32 x = widen_u16(h), mag = (x & 0x7FFFu) << 13;
    v_u32 fin = AS(u32, AS(f32, mag) * splat_of_f32(0x1p112f));
    v_u32 nan = (v_u32)((mag & 0x007FFFFFu) != 0) & 0x00400000u;
    v_u32 bits = SELECT(v_u32, (v_u32)(mag >= 0x0F800000u), mag | 0x7F800000u | nan, fin);
    return AS(f32, bits | (x & 0x8000u) << 16);
#endif
}

PTRT_INLINE h_u16 f16_round(v_f32 v) {
#if VB == 64
    return (h_u16)_mm512_cvtps_ph((__m512)v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif VB == 32
    __m128i h = _mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT);
    __asm__("" : "+x"(h)); /* stored on its own: the instruction that stores takes twice as long */
    return (h_u16)h;
#elif defined(__aarch64__)
    return (h_u16)vcvt_f16_f32((float32x4_t)v);
#else
    v_u32 bits = AS(u32, v), mag = bits & 0x7FFFFFFFu;
    /* Normal results: rebias, then round half to even by adding just under half a unit plus the
     * lowest kept bit. Subnormal ones: adding 0.5 lets the adder round at 2^-24. */
    v_u32 norm = (mag - 0x38000000u + 0xFFFu + ((mag >> 13) & 1u)) >> 13;
    v_u32 sub = AS(u32, AS(f32, mag) + splat_of_f32(0.5f)) - 0x3F000000u;
    v_u32 r = SELECT(v_u32, (v_u32)(mag < 0x38800000u), sub, norm);
    r = SELECT(v_u32, (v_u32)(mag >= 0x47800000u), splat_of_u32(0x7C00u), r);
    r = SELECT(v_u32, (v_u32)(mag > 0x7F800000u), 0x7E00u | ((mag >> 13) & 0x3FFu), r);
    return narrow_u32(r | (bits >> 16 & 0x8000u));
#endif
}

PTRT_INLINE v_f32 bf16_widen(h_u16 h) {
    return AS(f32, widen_u16(h) << 16);
}

/* Rounds any f32. */
PTRT_INLINE h_u16 bf16_round(v_f32 v) {
    v_u32 bits = AS(u32, v);
    v_u32 r = bits + 0x7FFFu + ((bits >> 16) & 1u);
    r = SELECT(v_u32, (v_u32)((bits & 0x7FFFFFFFu) > 0x7F800000u), bits | 0x400000u, r);
    return narrow_u32(r >> 16);
}

/* Rounds results of arithmetic on bf16 operands. The low bits of their NaNs are zero, so that
 * rounding cannot carry out of them. */
PTRT_INLINE h_u16 bf16_round_result(v_f32 v) {
    v_u32 bits = AS(u32, v);
    return narrow_u32((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

PTRT_INLINE c_f16 ld_f16(const void *p) {
    return f16_widen(ld_half(p));
}
PTRT_INLINE void st_f16(void *p, c_f16 v) {
    st_half(p, f16_round(v));
}
PTRT_INLINE c_bf16 ld_bf16(const void *p) {
    return bf16_widen(ld_half(p));
}
PTRT_INLINE void st_bf16(void *p, c_bf16 v) {
    st_half(p, bf16_round_result(v));
}

#define PTRT_HALF_SPLAT(E)                                                                         \
    PTRT_INLINE c_##E splat_##E(const void *p) {                                                   \
        return E##_widen((h_u16){0} + *(const s_u16 *)p);                                          \
    }
PTRT_HALF_SPLAT(f16)
PTRT_HALF_SPLAT(bf16)

/* ---- square roots, correctly rounded ---- */

PTRT_INLINE v_f32 sqrt_f32(v_f32 x) {
#if VB == 64
    return (v_f32)_mm512_sqrt_ps((__m512)x);
#elif VB == 32
    return (v_f32)_mm256_sqrt_ps((__m256)x);
#elif defined(__x86_64__)
    return (v_f32)_mm_sqrt_ps((__m128)x);
#else
    for (int i = 0; i < N_f32; i++)
        x[i] = __builtin_sqrtf(x[i]);
    return x;
#endif
}
PTRT_INLINE v_f64 sqrt_f64(v_f64 x) {
#if VB == 64
    return (v_f64)_mm512_sqrt_pd((__m512d)x);
#elif VB == 32
    return (v_f64)_mm256_sqrt_pd((__m256d)x);
#elif defined(__x86_64__)
    return (v_f64)_mm_sqrt_pd((__m128d)x);
#else
    for (int i = 0; i < N_f64; i++)
        x[i] = __builtin_sqrt(x[i]);
    return x;
#endif
}
PTRT_INLINE c_f16 sqrt_f16(c_f16 x) {
    return sqrt_f32(x);
}
PTRT_INLINE c_bf16 sqrt_bf16(c_bf16 x) {
    return sqrt_f32(x);
}

/* ---- minimum and maximum ---- */

/* Returns a < b ? a : b, which is b for equal values and NaN. */
PTRT_INLINE v_f32 smaller_f32(v_f32 a, v_f32 b) {
#if VB == 64
    return (v_f32)_mm512_min_ps((__m512)a, (__m512)b);
#elif VB == 32
    return (v_f32)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(__x86_64__)
    return (v_f32)_mm_min_ps((__m128)a, (__m128)b);
#else
    return SELECT(v_f32, a < b, a, b);
#endif
}

/* Returns a > b ? a : b, which is b for equal values and NaN. */
PTRT_INLINE v_f32 larger_f32(v_f32 a, v_f32 b) {
#if VB == 64
    return (v_f32)_mm512_max_ps((__m512)a, (__m512)b);
#elif VB == 32
    return (v_f32)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__x86_64__)
    return (v_f32)_mm_max_ps((__m128)a, (__m128)b);
#else
    return SELECT(v_f32, a > b, a, b);
#endif
}

/* ---- fewer elements than lanes ---- */

/* Copies n bytes, n < w <= 64, in steps that compilers turn into single moves: a copy of variable
 * length would be a call. w is a constant. */
PTRT_INLINE void copy_few(void *to, const void *from, size_t n, size_t w) {
    unsigned char *d = (unsigned char *)to;
    const unsigned char *s = (const unsigned char *)from;
#define PTRT_STEP(BYTES)                                                                           \
    if (w > BYTES && (n & BYTES)) {                                                                \
        memcpy(d, s, BYTES);                                                                       \
        d += BYTES;                                                                                \
        s += BYTES;                                                                                \
    }
    PTRT_STEP(32)
    PTRT_STEP(16)
    PTRT_STEP(8)
    PTRT_STEP(4)
    PTRT_STEP(2)
    if (n & 1) *d = *s;
#undef PTRT_STEP
}

#define PTRT_PARTIAL_COPY(E)                                                                       \
    PTRT_INLINE c_##E ldn_##E(const void *p, size_t n) {                                           \
        unsigned char t[N_##E * S_##E] = {0};                                                      \
        copy_few(t, p, n *S_##E, sizeof t);                                                        \
        return ld_##E(t);                                                                          \
    }                                                                                              \
    PTRT_INLINE void stn_##E(void *p, c_##E v, size_t n) {                                         \
        unsigned char t[N_##E * S_##E];                                                            \
        st_##E(t, v);                                                                              \
        copy_few(p, t, n *S_##E, sizeof t);                                                        \
    }

#if VB == 64
#define PTRT_PARTIAL_MASK(E)                                                                       \
    PTRT_INLINE c_##E ldn_##E(const void *p, size_t n) {                                           \
        const __mmask64 m = (__mmask64)((UINT64_C(1) << (n * S_##E)) - 1);                         \
        return (c_##E)_mm512_maskz_loadu_epi8(m, p);                                               \
    }                                                                                              \
    PTRT_INLINE void stn_##E(void *p, c_##E v, size_t n) {                                         \
        const __mmask64 m = (__mmask64)((UINT64_C(1) << (n * S_##E)) - 1);                         \
        _mm512_mask_storeu_epi8(p, m, (__m512i)v);                                                 \
    }
PTRT_PARTIAL_MASK(u8)
PTRT_PARTIAL_MASK(i8)
PTRT_PARTIAL_MASK(u16)
PTRT_PARTIAL_MASK(i16)
#elif VB == 32
/* Returns all ones in the first n 32-bit lanes. */
PTRT_INLINE __m256i first_lanes(size_t n) {
    const __m256i at = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), at);
}
#define PTRT_PARTIAL_MASK(E)                                                                       \
    PTRT_INLINE c_##E ldn_##E(const void *p, size_t n) {                                           \
        return (c_##E)_mm256_maskload_epi32((const int *)p, first_lanes(n * S_##E / 4));           \
    }                                                                                              \
    PTRT_INLINE void stn_##E(void *p, c_##E v, size_t n) {                                         \
        _mm256_maskstore_epi32((int *)p, first_lanes(n *S_##E / 4), (__m256i)v);                   \
    }
PTRT_PARTIAL_COPY(u8)
PTRT_PARTIAL_COPY(i8)
PTRT_PARTIAL_COPY(u16)
PTRT_PARTIAL_COPY(i16)
#else
#define PTRT_PARTIAL_MASK PTRT_PARTIAL_COPY
PTRT_PARTIAL_COPY(u8)
PTRT_PARTIAL_COPY(i8)
PTRT_PARTIAL_COPY(u16)
PTRT_PARTIAL_COPY(i16)
#endif
PTRT_PARTIAL_MASK(u32)
PTRT_PARTIAL_MASK(i32)
PTRT_PARTIAL_MASK(u64)
PTRT_PARTIAL_MASK(i64)
PTRT_PARTIAL_MASK(f32)
PTRT_PARTIAL_MASK(f64)
PTRT_PARTIAL_COPY(f16)
PTRT_PARTIAL_COPY(bf16)

#endif
