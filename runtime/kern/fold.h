/* SPDX-License-Identifier: Apache-2.0 */
/* fold.h - combining the lanes of registers: of one, and of eight rows at a time. The steps
 * OP_E(running, x) are those of reduce.c. */
#ifndef PTORT_KERN_FOLD_H
#define PTORT_KERN_FOLD_H

#include "kern/mask.h"

#include <stdbool.h>

/* ---- one register ---- */

/* Moves lanes down by `bytes`, a power of two below VB, as far as lower lanes need them. Uses
 * shuffles, because compilers turn a loop over lanes into single inserts. */
PTRT_INLINE v_u8 moved_down(v_u8 v, int bytes) {
#if VB == 64
    const __m512i x = (__m512i)v;
    switch (bytes) {
    case 32:
        return (v_u8)_mm512_shuffle_i64x2(x, x, 0xEE);
    case 16:
        return (v_u8)_mm512_shuffle_i64x2(x, x, 0xB1);
    case 8:
        return (v_u8)_mm512_bsrli_epi128(x, 8);
    case 4:
        return (v_u8)_mm512_bsrli_epi128(x, 4);
    case 2:
        return (v_u8)_mm512_bsrli_epi128(x, 2);
    default:
        return (v_u8)_mm512_bsrli_epi128(x, 1);
    }
#elif VB == 32
    const __m256i x = (__m256i)v;
    switch (bytes) {
    case 16:
        return (v_u8)_mm256_permute2x128_si256(x, x, 0x11);
    case 8:
        return (v_u8)_mm256_bsrli_epi128(x, 8);
    case 4:
        return (v_u8)_mm256_bsrli_epi128(x, 4);
    case 2:
        return (v_u8)_mm256_bsrli_epi128(x, 2);
    default:
        return (v_u8)_mm256_bsrli_epi128(x, 1);
    }
#elif defined(__x86_64__)
    const __m128i x = (__m128i)v;
    switch (bytes) {
    case 8:
        return (v_u8)_mm_bsrli_si128(x, 8);
    case 4:
        return (v_u8)_mm_bsrli_si128(x, 4);
    case 2:
        return (v_u8)_mm_bsrli_si128(x, 2);
    default:
        return (v_u8)_mm_bsrli_si128(x, 1);
    }
#elif defined(__aarch64__)
    const uint8x16_t x = (uint8x16_t)v;
    switch (bytes) {
    case 8:
        return (v_u8)vextq_u8(x, x, 8);
    case 4:
        return (v_u8)vextq_u8(x, x, 4);
    case 2:
        return (v_u8)vextq_u8(x, x, 2);
    default:
        return (v_u8)vextq_u8(x, x, 1);
    }
#else
    unsigned char lanes[VB];
    memcpy(lanes, &v, VB);
    memmove(lanes, lanes + bytes, VB - (size_t)bytes);
    memcpy(&v, lanes, VB);
    return v;
#endif
}
/* Combines lane i of v with lane i + K, for the lanes that are still needed. */
#define FOLD_STEP(E, OP, K)                                                                        \
    if (N_##E > K) v = OP##_##E(v, (c_##E)moved_down((v_u8)v, K * (VB / N_##E)));
/* The same for all K below `most`, a power of two, the largest first. */
#define FOLD_BELOW(E, OP, most, K)                                                                 \
    if ((most) > (K)) FOLD_STEP(E, OP, K)
#define FOLD_LANES(E, OP, most)                                                                    \
    FOLD_BELOW(E, OP, most, 32)                                                                    \
    FOLD_BELOW(E, OP, most, 16)                                                                    \
    FOLD_BELOW(E, OP, most, 8)                                                                     \
    FOLD_BELOW(E, OP, most, 4) FOLD_BELOW(E, OP, most, 2) FOLD_BELOW(E, OP, most, 1)

/* ---- eight rows ---- */

#if VB == 32 || VB == 64

/* Returns one value per row, in row order, in the lower eight lanes and again in the upper ones.
 * Lanes are combined across rows, +8, +4, +2, +1 as elsewhere, which halves the number of registers
 * each time. */
#if VB == 64
#define FOLD_EIGHT(NAME)                                                                           \
    PTRT_INLINE v_f32 fold_eight_##NAME(const v_f32 *s) {                                          \
        __m512 by8[4], by4[2];                                                                     \
        for (int i = 0; i < 4; i++) {                                                              \
            const __m512 a = (__m512)s[i], b = (__m512)s[i + 4];                                   \
            by8[i] = _mm512_##NAME##_ps(_mm512_shuffle_f32x4(a, b, 0x44),                          \
                                        _mm512_shuffle_f32x4(a, b, 0xEE));                         \
        }                                                                                          \
        for (int i = 0; i < 2; i++)                                                                \
            by4[i] = _mm512_##NAME##_ps(_mm512_shuffle_f32x4(by8[2 * i], by8[2 * i + 1], 0x88),    \
                                        _mm512_shuffle_f32x4(by8[2 * i], by8[2 * i + 1], 0xDD));   \
        /* Rows 0 2 4 6 1 3 5 7, two lanes each. */                                                \
        const __m512 by2 = _mm512_##NAME##_ps(_mm512_shuffle_ps(by4[0], by4[1], 0x44),             \
                                              _mm512_shuffle_ps(by4[0], by4[1], 0xEE));            \
        const __m512 all = _mm512_##NAME##_ps(by2, _mm512_permute_ps(by2, 0xB1));                  \
        const __m512i order =                                                                      \
            _mm512_setr_epi32(0, 8, 2, 10, 4, 12, 6, 14, 0, 8, 2, 10, 4, 12, 6, 14);               \
        return (v_f32)_mm512_permutexvar_ps(order, all);                                           \
    }
#else
#define FOLD_EIGHT(NAME)                                                                           \
    PTRT_INLINE v_f32 fold_eight_##NAME(const v_f32 *s) {                                          \
        __m256 by4[4], by2[2];                                                                     \
        for (int i = 0; i < 4; i++) {                                                              \
            const __m256 a = (__m256)s[2 * i], b = (__m256)s[2 * i + 1];                           \
            by4[i] = _mm256_##NAME##_ps(_mm256_permute2f128_ps(a, b, 0x20),                        \
                                        _mm256_permute2f128_ps(a, b, 0x31));                       \
        }                                                                                          \
        for (int i = 0; i < 2; i++)                                                                \
            by2[i] = _mm256_##NAME##_ps(_mm256_shuffle_ps(by4[2 * i], by4[2 * i + 1], 0x44),       \
                                        _mm256_shuffle_ps(by4[2 * i], by4[2 * i + 1], 0xEE));      \
        const __m256 all = _mm256_##NAME##_ps(_mm256_shuffle_ps(by2[0], by2[1], 0x88),             \
                                              _mm256_shuffle_ps(by2[0], by2[1], 0xDD));            \
        /* Even rows are in the lower half. */                                                     \
        return (v_f32)_mm256_permutevar8x32_ps(all, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));    \
    }
#endif
FOLD_EIGHT(add)
FOLD_EIGHT(max)
FOLD_EIGHT(min)

/* A row has 16 running values, in as many registers as they need. */
enum { ROW_VALUES = 16, ROW_VECTORS = ROW_VALUES / N_f32 };
#define EACH_ROW(r) _Pragma("GCC unroll 4") for (int r = 0; r < 4; r++)
#define EACH_ROW_VECTOR(v) _Pragma("GCC unroll 2") for (int v = 0; v < ROW_VECTORS; v++)

/* Adds the last elements of a row, fewer than 16, to its running values. */
#define SUM_LEFT(E)                                                                                \
    PTRT_INLINE void left_sum_##E(c_##E *s, const unsigned char *p, size_t left) {                 \
        EACH_ROW_VECTOR(v) {                                                                       \
            const size_t before = (size_t)v * N_##E;                                               \
            const unsigned char *q = p + before * S_##E;                                           \
            if (left > before)                                                                     \
                s[v] += left < before + N_##E ? ldn_##E(q, left - before) : ld_##E(q);             \
        }                                                                                          \
    }
/* May compare some of the elements before twice. Rows fill at least one register. */
#define EXTREME_LEFT(OP, E)                                                                        \
    PTRT_INLINE void left_##OP##_##E(c_##E *s, const unsigned char *p, size_t left) {              \
        if (left >= N_##E) s[0] = OP##_##E(s[0], ld_##E(p));                                       \
        s[0] = OP##_##E(s[0], ld_##E(p + ((ptrdiff_t)left - N_##E) * S_##E));                      \
    }
/* How many elements of a row its running values start with. Sums that start with them instead of 0
 * become -0 if all elements are that: 0 is added at last. Extremes start with the first element, so
 * that a NaN there remains. */
#define SUM_BEGUN(enough) ((enough) ? ROW_VALUES : 0)
#define SUM_START(E, p, v, begun) ((begun) != 0 ? ld_##E((p) + (v)*N_##E * S_##E) : splat_of_f32(0))
#define SUM_END(OP, s) (fold_eight_add(s) + splat_of_f32(0))
#define EXTREME_BEGUN(enough) 0
#define EXTREME_START(E, p, v, begun) splat_##E(p)
#define EXTREME_END(OP, s) fold_eight_##OP(s)

/* Reduces four rows to eight or sixteen values each. They take turns, because their steps do not
 * depend on each other. `whole`: rows are multiples of 16 elements. */
#define FOUR(HOW, OP, E)                                                                           \
    PTRT_INLINE void four_##OP##_##E(const unsigned char *a, ptrdiff_t lda, size_t cols,           \
                                     const bool whole, v_f32 *out) {                               \
        c_##E s[4][ROW_VECTORS];                                                                   \
        const size_t begun = HOW##_BEGUN(whole || cols >= ROW_VALUES);                             \
        EACH_ROW(r) EACH_ROW_VECTOR(v) s[r][v] = HOW##_START(E, a + r * lda, v, begun);            \
        size_t n = cols - begun;                                                                   \
        for (a += begun * S_##E; n >= ROW_VALUES; n -= ROW_VALUES, a += ROW_VALUES * S_##E)        \
            EACH_ROW(r)                                                                            \
        EACH_ROW_VECTOR(v) s[r][v] = OP##_##E(s[r][v], ld_##E(a + r * lda + v * N_##E * S_##E));   \
        EACH_ROW(r) {                                                                              \
            if (!whole) left_##OP##_##E(s[r], a + r * lda, n);                                     \
            out[r] = ROW_VECTORS > 1 ? OP##_##E(s[r][0], s[r][ROW_VECTORS - 1]) : s[r][0];         \
        }                                                                                          \
    }
/* Reduces rows by eights. Returns the number of rows done; sets *zeros if one of their values is 0.
 */
#define EIGHTS_ARGS                                                                                \
    unsigned char *d, const unsigned char *a, size_t rows, size_t cols, ptrdiff_t ldd,             \
        ptrdiff_t lda, bool *zeros
#define EIGHTS(HOW, OP, LEAST, E, HAS_ZERO)                                                        \
    FOUR(HOW, OP, E)                                                                               \
    PTRT_INLINE size_t eights_of_##OP##_##E(EIGHTS_ARGS, const bool whole) {                       \
        size_t done = 0;                                                                           \
        for (; done + 8 <= rows; done += 8, a += 8 * lda) {                                        \
            v_f32 s[8];                                                                            \
            unsigned char all[N_##E * S_##E];                                                      \
            four_##OP##_##E(a, lda, cols, whole, s);                                               \
            four_##OP##_##E(a + 4 * lda, lda, cols, whole, s + 4);                                 \
            const c_##E values = HOW##_END(OP, s);                                                 \
            *zeros |= HAS_ZERO(values);                                                            \
            st_##E(all, values);                                                                   \
            if (ldd == S_##E) {                                                                    \
                memcpy(d + done * S_##E, all, 8 * S_##E);                                          \
                continue;                                                                          \
            }                                                                                      \
            for (size_t r = 0; r < 8; r++)                                                         \
                memcpy(d + (ptrdiff_t)(done + r) * ldd, all + r * S_##E, S_##E);                   \
        }                                                                                          \
        return done;                                                                               \
    }                                                                                              \
    static __attribute__((noinline)) size_t whole_eights_##OP##_##E(EIGHTS_ARGS) {                 \
        return eights_of_##OP##_##E(d, a, rows, cols, ldd, lda, zeros, true);                      \
    }                                                                                              \
    static __attribute__((noinline)) size_t part_eights_##OP##_##E(EIGHTS_ARGS) {                  \
        return eights_of_##OP##_##E(d, a, rows, cols, ldd, lda, zeros, false);                     \
    }                                                                                              \
    PTRT_INLINE size_t eights_##OP##_##E(EIGHTS_ARGS) {                                            \
        if (cols < (LEAST)) return 0;                                                              \
        return cols % ROW_VALUES == 0 ? whole_eights_##OP##_##E(d, a, rows, cols, ldd, lda, zeros) \
                                      : part_eights_##OP##_##E(d, a, rows, cols, ldd, lda, zeros); \
    }
#define NEVER(values) false
#define HAS_ZERO(values) any_sign((v_u32)((values) == splat_of_f32(0)))
#define SUM_EIGHTS(E) SUM_LEFT(E) EIGHTS(SUM, sum, 1, E, NEVER)
#define EXTREME_EIGHTS(OP, E) EXTREME_LEFT(OP, E) EIGHTS(EXTREME, OP, N_##E, E, HAS_ZERO)

#else
#define NO_EIGHTS(NAME, E)                                                                         \
    PTRT_INLINE size_t eights_##NAME##_##E(unsigned char *d, const unsigned char *a, size_t rows,  \
                                           size_t cols, ptrdiff_t ldd, ptrdiff_t lda,              \
                                           bool *zeros) {                                          \
        (void)d, (void)a, (void)rows, (void)cols, (void)ldd, (void)lda, (void)zeros;               \
        return 0;                                                                                  \
    }
#define SUM_EIGHTS(E) NO_EIGHTS(sum, E)
#define EXTREME_EIGHTS(OP, E) NO_EIGHTS(OP, E)
#endif

#endif
