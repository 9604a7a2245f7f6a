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

#if VB == 64
/* Combines the halves of a register of running values into eight lanes. */
#define HALVES_FOLDED(OP, v)                                                                       \
    OP(_mm512_castps512_ps256((__m512)(v)), _mm512_extractf32x8_ps((__m512)(v), 1))
#define ALL_LANES(v) (v_f32) _mm512_broadcast_f32x8(v)
#else
#define HALVES_FOLDED(OP, v) ((__m256)(v))
#define ALL_LANES(v) ((v_f32)(v))
#endif

/* Returns one value per row, in row order, in the lower eight lanes and again in the upper ones.
 * Lanes are combined across rows, +8, +4, +2, +1 as elsewhere, which halves the number of registers
 * each time. */
#define FOLD_EIGHT(NAME, OP)                                                                       \
    PTRT_INLINE v_f32 fold_eight_##NAME(const v_f32 s[8]) {                                        \
        __m256 by4[4], by2[2];                                                                     \
        for (int i = 0; i < 4; i++) {                                                              \
            const __m256 a = HALVES_FOLDED(OP, s[2 * i]), b = HALVES_FOLDED(OP, s[2 * i + 1]);     \
            by4[i] = OP(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31));   \
        }                                                                                          \
        for (int i = 0; i < 2; i++)                                                                \
            by2[i] = OP(_mm256_shuffle_ps(by4[2 * i], by4[2 * i + 1], 0x44),                       \
                        _mm256_shuffle_ps(by4[2 * i], by4[2 * i + 1], 0xEE));                      \
        const __m256 all =                                                                         \
            OP(_mm256_shuffle_ps(by2[0], by2[1], 0x88), _mm256_shuffle_ps(by2[0], by2[1], 0xDD));  \
        /* Even rows are in the lower half. */                                                     \
        return ALL_LANES(                                                                          \
            _mm256_permutevar8x32_ps(all, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));             \
    }
FOLD_EIGHT(sum, _mm256_add_ps)
FOLD_EIGHT(max, _mm256_max_ps)
FOLD_EIGHT(min, _mm256_min_ps)

#if VB == 64
/* Adds the remaining elements to the running values of a row. Elements beyond the row are 0. */
#define SUM_LEFT(E)                                                                                \
    PTRT_INLINE c_##E left_sum_##E(c_##E s, const unsigned char *p, size_t left) {                 \
        return left == 0 ? s : s + ldn_##E(p, left);                                               \
    }
/* May compare some of the last elements twice. Rows fill at least one register. */
#define EXTREME_LEFT(OP, E)                                                                        \
    PTRT_INLINE c_##E left_##OP##_##E(c_##E s, const unsigned char *p, size_t left) {              \
        return OP##_##E(s, ld_##E(p + ((ptrdiff_t)left - N_##E) * S_##E));                         \
    }
/* Reduces four rows at once, because their steps do not depend on each other. */
#define FOUR(NAME, START, E)                                                                       \
    PTRT_INLINE void four_##NAME##_##E(const unsigned char *a, ptrdiff_t lda, size_t cols,         \
                                       v_f32 *out) {                                               \
        const unsigned char *b = a + lda, *c = b + lda, *d = c + lda;                              \
        c_##E s0 = START(E, a), s1 = START(E, b), s2 = START(E, c), s3 = START(E, d);              \
        size_t n = cols, o = 0;                                                                    \
        for (; n >= N_##E; n -= N_##E, o += N_##E * S_##E) {                                       \
            s0 = NAME##_##E(s0, ld_##E(a + o)), s1 = NAME##_##E(s1, ld_##E(b + o));                \
            s2 = NAME##_##E(s2, ld_##E(c + o)), s3 = NAME##_##E(s3, ld_##E(d + o));                \
        }                                                                                          \
        out[0] = left_##NAME##_##E(s0, a + o, n);                                                  \
        out[1] = left_##NAME##_##E(s1, b + o, n);                                                  \
        out[2] = left_##NAME##_##E(s2, c + o, n);                                                  \
        out[3] = left_##NAME##_##E(s3, d + o, n);                                                  \
    }
#else
/* Adds the remaining elements to the running values of a row, s of elements 0 to 7 modulo 16 and t
 * of 8 to 15. Elements beyond the row are 0. */
#define SUM_LEFT(E)                                                                                \
    PTRT_INLINE c_##E left_sum_##E(c_##E s, c_##E t, const unsigned char *p, size_t left) {        \
        if (left > 8) t += ldn_##E(p + 8 * S_##E, left - 8);                                       \
        if (left > 0) s += left < 8 ? ldn_##E(p, left) : ld_##E(p);                                \
        return s + t;                                                                              \
    }
/* May compare some of the last elements twice. Rows have at least eight. */
#define EXTREME_LEFT(OP, E)                                                                        \
    PTRT_INLINE c_##E left_##OP##_##E(c_##E s, c_##E t, const unsigned char *p, size_t left) {     \
        if (left >= 8) s = OP##_##E(s, ld_##E(p));                                                 \
        return OP##_##E(OP##_##E(s, t), ld_##E(p + ((ptrdiff_t)left - 8) * S_##E));                \
    }
/* Reduces four rows at once, because their steps do not depend on each other. */
#define FOUR(NAME, START, E)                                                                       \
    PTRT_INLINE void four_##NAME##_##E(const unsigned char *a, ptrdiff_t lda, size_t cols,         \
                                       v_f32 *out) {                                               \
        const unsigned char *b = a + lda, *c = b + lda, *d = c + lda;                              \
        c_##E s0 = START(E, a), t0 = s0, s1 = START(E, b), t1 = s1, s2 = START(E, c), t2 = s2,     \
              s3 = START(E, d), t3 = s3;                                                           \
        size_t n = cols;                                                                           \
        for (; n >= 16;                                                                            \
             n -= 16, a += 16 * S_##E, b += 16 * S_##E, c += 16 * S_##E, d += 16 * S_##E) {        \
            s0 = NAME##_##E(s0, ld_##E(a)), t0 = NAME##_##E(t0, ld_##E(a + 8 * S_##E));            \
            s1 = NAME##_##E(s1, ld_##E(b)), t1 = NAME##_##E(t1, ld_##E(b + 8 * S_##E));            \
            s2 = NAME##_##E(s2, ld_##E(c)), t2 = NAME##_##E(t2, ld_##E(c + 8 * S_##E));            \
            s3 = NAME##_##E(s3, ld_##E(d)), t3 = NAME##_##E(t3, ld_##E(d + 8 * S_##E));            \
        }                                                                                          \
        out[0] = left_##NAME##_##E(s0, t0, a, n);                                                  \
        out[1] = left_##NAME##_##E(s1, t1, b, n);                                                  \
        out[2] = left_##NAME##_##E(s2, t2, c, n);                                                  \
        out[3] = left_##NAME##_##E(s3, t3, d, n);                                                  \
    }
#endif

/* Extremes start with the first element, so that a NaN there remains. */
#define SUM_START(E, p) splat_of_f32(0)
#define EXTREME_START(E, p) splat_##E(p)
/* Reduces rows by eights. Returns the number of rows done; sets *zeros if one of their values is 0.
 */
#define EIGHTS(NAME, START, LEAST, E, HAS_ZERO)                                                    \
    FOUR(NAME, START, E)                                                                           \
    static size_t eights_##NAME##_##E(unsigned char *d, const unsigned char *a, size_t rows,       \
                                      size_t cols, ptrdiff_t ldd, ptrdiff_t lda, bool *zeros) {    \
        size_t done = 0;                                                                           \
        for (; done + 8 <= rows && cols >= LEAST; done += 8, a += 8 * lda) {                       \
            v_f32 s[8];                                                                            \
            unsigned char all[N_##E * S_##E];                                                      \
            four_##NAME##_##E(a, lda, cols, s);                                                    \
            four_##NAME##_##E(a + 4 * lda, lda, cols, s + 4);                                      \
            const c_##E values = fold_eight_##NAME(s);                                             \
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
    }
#define NEVER(values) false
#define HAS_ZERO(values) any_sign((v_u32)((values) == splat_of_f32(0)))
#define SUM_EIGHTS(E) SUM_LEFT(E) EIGHTS(sum, SUM_START, 1, E, NEVER)
#define EXTREME_EIGHTS(OP, E) EXTREME_LEFT(OP, E) EIGHTS(OP, EXTREME_START, N_##E, E, HAS_ZERO)

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
