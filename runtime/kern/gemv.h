/* SPDX-License-Identifier: Apache-2.0 */
/* gemv.h - the product of one row with a matrix. Reads the bytes of the matrix once, in memory
 * order, without packing. Columns go into the lanes of a vector: 4 words along k from each column
 * are transposed in registers. The sum of a column is the same chain as in any product: s = fma(a,
 * b, s) over ascending k. */
#ifndef PTORT_KERN_GEMV_H
#define PTORT_KERN_GEMV_H

#include "kern/pack.h"

#include <stdbool.h>

enum {
    PTRT_QUAD = 4,          /* words along k that are transposed at once */
    PTRT_GEMV_COLUMNS = 512 /* columns whose sums are kept at a time */
};

/* Columns whose words are contiguous along k, in groups of TRANSPOSED columns. */
typedef struct gemv_run {
    float *sum;
    const unsigned char *b;
    ptrdiff_t ld; /* bytes from one column to the next */
    size_t groups;
    size_t depth;   /* numbers along k that are contiguous */
    ptrdiff_t step; /* bytes from one such run to the next */
} gemv_run;

/* ---- one step of the sum ---- */

typedef float t_f32 __attribute__((vector_size(sizeof(t_u32))));

#if (VB >= 32 && defined(__FMA__)) || defined(__aarch64__)
#define HAS_GEMV 1
PTRT_INLINE t_f32 gemv_step(t_f32 s, t_f32 x, t_f32 y) {
#if VB >= 32
    return (t_f32)_mm256_fmadd_ps((__m256)x, (__m256)y, (__m256)s);
#else
    return (t_f32)vfmaq_f32((float32x4_t)s, (float32x4_t)x, (float32x4_t)y);
#endif
}

/* Add the numbers of a word, the first of which is in its low bits. */
PTRT_INLINE t_f32 gemv_word_f32(t_f32 s, const t_f32 *x, t_f32 w) {
    return gemv_step(s, x[0], w);
}
PTRT_INLINE t_f32 gemv_first_bf16(t_f32 s, const t_f32 *x, t_f32 w) {
    return gemv_step(s, x[0], (t_f32)((t_u32)w << 16));
}
PTRT_INLINE t_f32 gemv_word_bf16(t_f32 s, const t_f32 *x, t_f32 w) {
    return gemv_step(gemv_first_bf16(s, x, w), x[1], (t_f32)((t_u32)w & 0xFFFF0000u));
}
#define gemv_first_f32 gemv_word_f32
#define gemv_word_f16 gemv_word_f32
#define gemv_first_f16 gemv_word_f32

/* ---- groups of columns ---- */

/* Uses float shuffles: more execution units have them than integer ones. */
#if VB >= 32
PTRT_INLINE t_f32 gemv_load_f32(const unsigned char *b, ptrdiff_t ld) {
    const float *low = (const float *)(const void *)b;
    const float *high = (const float *)(const void *)(b + 4 * ld);
    return (t_f32)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)),
                                       _mm_loadu_ps(high), 1);
}
#define GEMV_LOW(a, b) (t_f32) _mm256_unpacklo_ps((__m256)(a), (__m256)(b))
#define GEMV_HIGH(a, b) (t_f32) _mm256_unpackhi_ps((__m256)(a), (__m256)(b))
#define GEMV_LOW2(a, b) (t_f32) _mm256_shuffle_ps((__m256)(a), (__m256)(b), 0x44)
#define GEMV_HIGH2(a, b) (t_f32) _mm256_shuffle_ps((__m256)(a), (__m256)(b), 0xEE)
#else
PTRT_INLINE t_f32 gemv_load_f32(const unsigned char *b, ptrdiff_t ld) {
    t_f32 v;
    (void)ld;
    memcpy(&v, b, sizeof v);
    return v;
}
#define GEMV_LOW(a, b) PTRT_SHUFFLE(t_f32, a, b, 0, 4, 1, 5)
#define GEMV_HIGH(a, b) PTRT_SHUFFLE(t_f32, a, b, 2, 6, 3, 7)
#define GEMV_LOW2(a, b) PTRT_SHUFFLE(t_f32, a, b, 0, 1, 4, 5)
#define GEMV_HIGH2(a, b) PTRT_SHUFFLE(t_f32, a, b, 2, 3, 6, 7)
#endif
#define gemv_load_bf16 gemv_load_f32

/* Widens f16 to f32: four numbers of a column, and four of the column 4 further on. */
#if VB >= 32
PTRT_INLINE t_f32 gemv_load_f16(const unsigned char *b, ptrdiff_t ld) {
    int64_t low, high;
    memcpy(&low, b, sizeof low);
    memcpy(&high, b + 4 * ld, sizeof high);
    return (t_f32)_mm256_cvtph_ps(_mm_set_epi64x(high, low));
}
#define HAS_GEMV_F16 1
#elif VB == 16
PTRT_INLINE t_f32 gemv_load_f16(const unsigned char *b, ptrdiff_t ld) {
    h_u16 h;
    (void)ld;
    memcpy(&h, b, sizeof h);
    return (t_f32)f16_widen(h);
}
#define HAS_GEMV_F16 1
#else
#define HAS_GEMV_F16 0
#endif

PTRT_INLINE t_f32 gemv_sum(const float *s) {
    t_f32 v;
    memcpy(&v, s, sizeof v);
    return v;
}
PTRT_INLINE void gemv_set_sum(float *s, t_f32 v) {
    memcpy(s, &v, sizeof v);
}

/* Defines words w0 .. w3 of the group's columns, with one column per lane. */
#define GEMV_TRANSPOSE(T, b, ld)                                                                   \
    const t_f32 r0 = gemv_load_##T(b, ld), r1 = gemv_load_##T((b) + (ld), ld);                     \
    const t_f32 r2 = gemv_load_##T((b) + 2 * (ld), ld), r3 = gemv_load_##T((b) + 3 * (ld), ld);    \
    const t_f32 p = GEMV_LOW(r0, r1), q = GEMV_LOW(r2, r3);                                        \
    const t_f32 t = GEMV_HIGH(r0, r1), u = GEMV_HIGH(r2, r3);                                      \
    const t_f32 w0 = GEMV_LOW2(p, q), w1 = GEMV_HIGH2(p, q);                                       \
    const t_f32 w2 = GEMV_LOW2(t, u), w3 = GEMV_HIGH2(t, u);

/* Adds the numbers of four words to the sums of a group, or only the first ones of them. */
#define GEMV_QUAD(T, PER)                                                                          \
    PTRT_INLINE t_f32 gemv_quad_##T(t_f32 s, const unsigned char *b, ptrdiff_t ld,                 \
                                    const t_f32 *x) {                                              \
        GEMV_TRANSPOSE(T, b, ld)                                                                   \
        s = gemv_word_##T(s, x, w0);                                                               \
        s = gemv_word_##T(s, x + (PER), w1);                                                       \
        s = gemv_word_##T(s, x + 2 * (PER), w2);                                                   \
        return gemv_word_##T(s, x + 3 * (PER), w3);                                                \
    }                                                                                              \
    PTRT_INLINE t_f32 gemv_rest_##T(t_f32 s, const unsigned char *b, ptrdiff_t ld, const t_f32 *x, \
                                    size_t numbers) {                                              \
        GEMV_TRANSPOSE(T, b, ld)                                                                   \
        const t_f32 w[PTRT_QUAD] = {w0, w1, w2, w3};                                               \
        size_t i = 0;                                                                              \
        for (; i + (PER) <= numbers; i += (PER))                                                   \
            s = gemv_word_##T(s, x + i, w[i / (PER)]);                                             \
        return i < numbers ? gemv_first_##T(s, x + i, w[i / (PER)]) : s;                           \
    }
/* Adds the next numbers along k. `quads` is a constant in the loop that matters for speed. Two
 * groups alternate, because each step of a group depends on the one before. */
#define GEMV_RUN(T, SIZE, PER)                                                                     \
    PTRT_INLINE void gemv_run_##T(gemv_run g, const float *a, int quads) {                         \
        enum { NUMBERS = PTRT_QUAD * (PER), BYTES = (SIZE)*NUMBERS };                              \
        t_f32 x[2 * NUMBERS];                                                                      \
        for (int i = 0; i < quads * NUMBERS; i++)                                                  \
            x[i] = a[i] - (t_f32){0};                                                              \
        const ptrdiff_t next = TRANSPOSED * g.ld;                                                  \
        for (; g.groups >= 2; g.groups -= 2, g.sum += 2 * TRANSPOSED, g.b += 2 * next) {           \
            t_f32 s = gemv_sum(g.sum), t = gemv_sum(g.sum + TRANSPOSED);                           \
            s = gemv_quad_##T(s, g.b, g.ld, x);                                                    \
            t = gemv_quad_##T(t, g.b + next, g.ld, x);                                             \
            if (quads == 2) {                                                                      \
                s = gemv_quad_##T(s, g.b + BYTES, g.ld, x + NUMBERS);                              \
                t = gemv_quad_##T(t, g.b + next + BYTES, g.ld, x + NUMBERS);                       \
            }                                                                                      \
            gemv_set_sum(g.sum, s);                                                                \
            gemv_set_sum(g.sum + TRANSPOSED, t);                                                   \
        }                                                                                          \
        if (g.groups == 0) return;                                                                 \
        t_f32 s = gemv_quad_##T(gemv_sum(g.sum), g.b, g.ld, x);                                    \
        if (quads == 2) s = gemv_quad_##T(s, g.b + BYTES, g.ld, x + NUMBERS);                      \
        gemv_set_sum(g.sum, s);                                                                    \
    }                                                                                              \
    /* Adds fewer numbers along k than four words hold. */                                         \
    static void gemv_last_##T(gemv_run g, const float *a, size_t numbers) {                        \
        t_f32 x[PTRT_QUAD * (PER)];                                                                \
        for (size_t i = 0; i < PTRT_QUAD * (PER); i++)                                             \
            x[i] = (i < numbers ? a[i] : 0) - (t_f32){0};                                          \
        for (; g.groups > 0; g.groups--, g.sum += TRANSPOSED, g.b += TRANSPOSED * g.ld) {          \
            gemv_set_sum(g.sum, gemv_rest_##T(gemv_sum(g.sum), g.b, g.ld, x, numbers));            \
        }                                                                                          \
    }                                                                                              \
    PTRT_INLINE void gemv_box_##T(gemv_run g, const float *a, size_t numbers) {                    \
        enum { NUMBERS = PTRT_QUAD * (PER), BYTES = (SIZE)*NUMBERS };                              \
        for (; (PER) == 1 && numbers >= 2 * NUMBERS; numbers -= 2 * NUMBERS) {                     \
            gemv_run_##T(g, a, 2);                                                                 \
            a += 2 * NUMBERS;                                                                      \
            g.b += 2 * BYTES;                                                                      \
        }                                                                                          \
        for (; numbers >= NUMBERS; numbers -= NUMBERS) {                                           \
            gemv_run_##T(g, a, 1);                                                                 \
            a += NUMBERS;                                                                          \
            g.b += BYTES;                                                                          \
        }                                                                                          \
        if (numbers > 0) gemv_last_##T(g, a, numbers);                                             \
    }                                                                                              \
    PTRT_INLINE void gemv_boxes_##T(gemv_run g, const float *a, size_t k) {                        \
        for (; k > g.depth; k -= g.depth, a += g.depth, g.b += g.step)                             \
            gemv_box_##T(g, a, g.depth);                                                           \
        gemv_box_##T(g, a, k);                                                                     \
    }                                                                                              \
    /* Boxes are 32 bytes along k, and their columns are contiguous. */                            \
    static void gemv_columns_##T(const gemv_run *g, const float *a, size_t k) {                    \
        enum { DEPTH = 32 / (SIZE) };                                                              \
        if (g->ld == 32 && g->depth == DEPTH)                                                      \
            gemv_boxes_##T((gemv_run){g->sum, g->b, 32, g->groups, DEPTH, g->step}, a, k);         \
        else                                                                                       \
            gemv_boxes_##T(*g, a, k);                                                              \
    }
GEMV_QUAD(f32, 1)
GEMV_RUN(f32, 4, 1)
GEMV_QUAD(bf16, 2)
GEMV_RUN(bf16, 2, 2)
#if HAS_GEMV_F16 && VB == 16
GEMV_QUAD(f16, 1)
GEMV_RUN(f16, 2, 1)
#endif
#else
#define HAS_GEMV 0
#define HAS_GEMV_F16 0
#endif

/* ---- f16 and 8-bit floats ---- */

/* A box is 32 bytes along k. Its numbers are transposed as they are, stored as f16, and widened
 * when they are loaded again, which takes fewer instructions than in registers. The first half of a
 * box is in the lower half of registers, the second one in the upper. */
#if VB >= 32 && defined(__FMA__)
#define HAS_GEMV_F8 1
#define UNROLL_4(i) _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++)
#define UNROLL_8(i) _Pragma("GCC unroll 8") for (int i = 0; i < 8; i++)

/* Interleaves the units of registers that are four apart. Three times, for eight columns, this
 * makes their units neighbours. */
#define GEMV_INTERLEAVE(UNIT, d, r)                                                                \
    __m256i d[8];                                                                                  \
    UNROLL_4(i) {                                                                                  \
        d[2 * i] = _mm256_unpacklo_epi##UNIT(r[i], r[i + 4]);                                      \
        d[2 * i + 1] = _mm256_unpackhi_epi##UNIT(r[i], r[i + 4]);                                  \
    }
#define GEMV_TRANSPOSE_BOX(UNIT, t, b, ld)                                                         \
    __m256i line[8];                                                                               \
    UNROLL_8(i) line[i] = _mm256_loadu_si256((const __m256i *)(const void *)((b) + i * (ld)));     \
    GEMV_INTERLEAVE(UNIT, twos, line)                                                              \
    GEMV_INTERLEAVE(UNIT, fours, twos)                                                             \
    GEMV_INTERLEAVE(UNIT, t, fours)

/* Stores a box of a group's columns as f16. Returns false if gemv_mend_T must follow. */
PTRT_INLINE bool gemv_spread_f16(__m256i *d, const unsigned char *b, ptrdiff_t ld) {
    GEMV_TRANSPOSE_BOX(16, t, b, ld)
    UNROLL_8(i) d[i] = t[i];
    return true;
}
PTRT_INLINE bool gemv_spread_e5m2(__m256i *d, const unsigned char *b, ptrdiff_t ld) {
    const __m256i zero = _mm256_setzero_si256();
    GEMV_TRANSPOSE_BOX(8, t, b, ld)
    UNROLL_8(i) {
        d[2 * i] = _mm256_unpacklo_epi8(zero, t[i]);
        d[2 * i + 1] = _mm256_unpackhi_epi8(zero, t[i]);
    }
    return true;
}
/* Numbers are divided by 256, and NaN, the code 0x7F, is like 480. */
PTRT_INLINE bool gemv_spread_e4m3fn(__m256i *d, const unsigned char *b, ptrdiff_t ld) {
    const __m256i zero = _mm256_setzero_si256(), number = _mm256_set1_epi8(0x7F);
    const __m256i kept = _mm256_set1_epi16((short)0xBFFF);
    __m256i bad = zero;
    GEMV_TRANSPOSE_BOX(8, t, b, ld)
    UNROLL_8(i) {
        const __m256i low = _mm256_unpacklo_epi8(zero, t[i]);
        const __m256i high = _mm256_unpackhi_epi8(zero, t[i]);
        d[2 * i] = _mm256_and_si256(_mm256_srai_epi16(low, 1), kept);
        d[2 * i + 1] = _mm256_and_si256(_mm256_srai_epi16(high, 1), kept);
        const __m256i magnitude = _mm256_and_si256(t[i], number);
        bad = _mm256_or_si256(bad, _mm256_cmpeq_epi8(magnitude, number));
    }
    return _mm256_testz_si256(bad, bad);
}
#define gemv_mend_f16(d, n) (void)(d)
#define gemv_mend_e5m2(d, n) (void)(d)
static void gemv_mend_e4m3fn(uint16_t *d, int n) {
    for (int i = 0; i < n; i++)
        d[i] |= (d[i] & 0x7FFF) == 0x3F80 ? 0x7C00 : 0;
}

/* SCALE: what the numbers were divided by. x is multiplied with it instead, which changes no
 * product: x is a number of 8 bits too. Groups alternate, because each step of a group depends on
 * the one before. */
#define GEMV_BOX(T, SIZE, SCALE)                                                                   \
    enum { GEMV_BOX_##T = 32 / (SIZE) };                                                           \
    PTRT_INLINE void gemv_add_##T(float *sum, const unsigned char *b, ptrdiff_t ld,                \
                                  const t_f32 *x, int numbers, const int groups) {                 \
        enum { HALF = GEMV_BOX_##T / 2 };                                                          \
        __m256i w[4][HALF];                                                                        \
        t_f32 s[4];                                                                                \
        bool good = true;                                                                          \
        for (int i = 0; i < groups; i++)                                                           \
            good &= gemv_spread_##T(w[i], b + i * TRANSPOSED * ld, ld);                            \
        if (__builtin_expect(!good, 0)) gemv_mend_##T((uint16_t *)w, groups *HALF * 16);           \
        __asm__("" : "+m"(w)); /* so that numbers are loaded, not kept in registers */             \
        UNROLL_4(i) if (i < groups) s[i] = gemv_sum(sum + i * TRANSPOSED);                         \
        for (int half = 0; half < 2; half++, numbers -= HALF, x += HALF) {                         \
            const int end = numbers < HALF ? numbers : HALF;                                       \
            _Pragma("GCC unroll 8") for (int k = 0; k < end; k++) UNROLL_4(i) if (i < groups) {    \
                const __m128i *p = (const __m128i *)(const void *)&w[i][k] + half;                 \
                s[i] = gemv_step(s[i], x[k], (t_f32)_mm256_cvtph_ps(_mm_load_si128(p)));           \
            }                                                                                      \
        }                                                                                          \
        UNROLL_4(i) if (i < groups) gemv_set_sum(sum + i * TRANSPOSED, s[i]);                      \
    }                                                                                              \
    /* Adds up to a box of numbers. */                                                             \
    static void gemv_box_##T(gemv_run g, const float *a, size_t numbers) {                         \
        t_f32 x[GEMV_BOX_##T];                                                                     \
        for (size_t i = 0; i < GEMV_BOX_##T; i++)                                                  \
            x[i] = (i < numbers ? a[i] * (SCALE) : 0) - (t_f32){0};                                \
        /* The columns of a box are contiguous. */                                                 \
        for (; g.groups >= 4 && numbers == GEMV_BOX_##T && g.ld == 32; g.groups -= 4) {            \
            gemv_add_##T(g.sum, g.b, 32, x, GEMV_BOX_##T, 4);                                      \
            g.sum += 4 * TRANSPOSED, g.b += 4 * TRANSPOSED * 32;                                   \
        }                                                                                          \
        for (; g.groups > 0; g.groups--, g.sum += TRANSPOSED, g.b += TRANSPOSED * g.ld)            \
            gemv_add_##T(g.sum, g.b, g.ld, x, (int)numbers, 1);                                    \
    }                                                                                              \
    static void gemv_columns_##T(const gemv_run *all, const float *a, size_t k) {                  \
        gemv_run g = *all;                                                                         \
        for (size_t q = 0; q < k; q += GEMV_BOX_##T) {                                             \
            g.b = all->b + (ptrdiff_t)(q / g.depth) * g.step + (ptrdiff_t)(q % g.depth) * (SIZE);  \
            gemv_box_##T(g, a + q, k - q < GEMV_BOX_##T ? k - q : GEMV_BOX_##T);                   \
        }                                                                                          \
    }
GEMV_BOX(f16, 2, 1)
GEMV_BOX(e4m3fn, 1, 256)
GEMV_BOX(e5m2, 1, 1)
#else
#define HAS_GEMV_F8 0
#endif

/* ---- integers ---- */

/* Integer sums are the same in any order, so each of eight columns keeps partial sums in the lanes
 * of a register. */
#if VB >= 32
#define HAS_GEMV_INT 1
#define GEMV_INT(T, WIDEN)                                                                         \
    static void gemv_group_##T(const gemv_run *g, const unsigned char *b, const int16_t *a,        \
                               size_t k, float *sum) {                                             \
        __m256i s[8];                                                                              \
        UNROLL_8(i) s[i] = _mm256_setzero_si256();                                                 \
        const ptrdiff_t ld = g->ld, gap = g->step - (ptrdiff_t)g->depth;                           \
        const size_t depth = g->depth;                                                             \
        for (size_t q = 0, within = 0; q < k; q += 32) {                                           \
            const __m256i *x = (const __m256i *)(const void *)(a + q);                             \
            const __m256i low = _mm256_loadu_si256(x), high = _mm256_loadu_si256(x + 1);           \
            const unsigned char *at = b;                                                           \
            b += 32,                                                                               \
                within += 32; /* within a run along k: a division takes as long as a column */     \
            if (within >= depth) b += gap, within = 0;                                             \
            UNROLL_8(i) {                                                                          \
                const __m128i *y = (const __m128i *)(const void *)(at + i * ld);                   \
                const __m256i first = WIDEN(_mm_loadu_si128(y));                                   \
                const __m256i second = WIDEN(_mm_loadu_si128(y + 1));                              \
                s[i] = _mm256_add_epi32(s[i], _mm256_add_epi32(_mm256_madd_epi16(low, first),      \
                                                               _mm256_madd_epi16(high, second)));  \
            }                                                                                      \
        }                                                                                          \
        const __m256i p =                                                                          \
            _mm256_hadd_epi32(_mm256_hadd_epi32(s[0], s[1]), _mm256_hadd_epi32(s[2], s[3]));       \
        const __m256i q =                                                                          \
            _mm256_hadd_epi32(_mm256_hadd_epi32(s[4], s[5]), _mm256_hadd_epi32(s[6], s[7]));       \
        const __m256i all = _mm256_add_epi32(_mm256_permute2x128_si256(p, q, 0x20),                \
                                             _mm256_permute2x128_si256(p, q, 0x31));               \
        _mm256_storeu_si256((__m256i *)(void *)sum, all);                                          \
    }                                                                                              \
    static void gemv_columns_##T(const gemv_run *g, const float *a, size_t k) {                    \
        for (size_t i = 0; i < g->groups; i++)                                                     \
            gemv_group_##T(g, g->b + (ptrdiff_t)(TRANSPOSED * i) * g->ld,                          \
                           (const int16_t *)(const void *)a, k, g->sum + TRANSPOSED * i);          \
    }
GEMV_INT(i8, _mm256_cvtepi8_epi16)
GEMV_INT(u8, _mm256_cvtepu8_epi16)
#else
#define HAS_GEMV_INT 0
#endif

/* ---- the matrix ---- */

typedef void (*gemv_fn)(const gemv_run *g, const float *a, size_t k);

/* How to traverse a matrix. */
typedef struct gemv_walk {
    size_t size;    /* bytes of a number */
    size_t columns; /* columns with a constant distance */
    gemv_run run;
} gemv_walk;

/* Whether the bodies above can read the matrix, and how. Vectors may go beyond the last column or
 * number, which must stay in the memory of the tile: there boxes are complete. */
static bool gemv_fits(const ptrt_product *p, size_t size, gemv_walk *w) {
    const ptrt_axis *line = &p->b.line, *depth = &p->b.depth;
    const size_t least = (size == 4 ? 16 : 32) / size;
    const ptrdiff_t bytes = (ptrdiff_t)size;
    *w = (gemv_walk){.size = size, .columns = line->outer == 0 ? p->n : (size_t)line->box};
    w->run.ld = line->inner * bytes;
    w->run.depth = depth->outer == 0 ? p->k : (size_t)depth->box;
    w->run.step = depth->outer * bytes;
    if (w->run.depth % least != 0 || w->columns % TRANSPOSED != 0 || w->run.ld % 4 != 0)
        return false;
    if (line->outer == line->box * line->inner) w->columns = PTRT_GEMV_COLUMNS;
    return line->outer == 0 || PTRT_GEMV_COLUMNS % line->box == 0;
}

/* Adds to sum[j] the chains of columns first .. first + n - 1. */
static void gemv_columns(const ptrt_product *p, gemv_walk *w, gemv_fn columns, const float *a,
                         size_t first, size_t n, float *sum) {
    for (size_t j = 0; j < n; j += w->columns) {
        const size_t some = n - j < w->columns ? n - j : w->columns;
        const int64_t at = ptrt_axis_offset(&p->b.line, (int64_t)(first + j));
        w->run.sum = sum + j;
        w->run.b = p->b.p + at * (int64_t)w->size;
        w->run.groups = (some + TRANSPOSED - 1) / TRANSPOSED;
        columns(&w->run, a, p->k);
    }
}

#endif
