/* SPDX-License-Identifier: Apache-2.0 */
/* move.c - bodies that move elements without interpreting them, by element size: copy, transpose,
 * fill. */
#include "ptort_emitted.h"

#include "kern/kern.h"
#include "kern/map.h"

#include <stdbool.h>

/* ---- copy ---- */

/* Copies lines as wide as a register, which is the width of a box. */
#define COPY_LINES(NAME, T)                                                                        \
    PTRT_INLINE void NAME(unsigned char *d, const unsigned char *a, size_t rows, ptrdiff_t ldd,    \
                          ptrdiff_t lda) {                                                         \
        for (; rows > 0; rows--, d += ldd, a += lda) {                                             \
            T v;                                                                                   \
            memcpy(&v, a, sizeof v);                                                               \
            memcpy(d, &v, sizeof v);                                                               \
        }                                                                                          \
    }
typedef struct bytes32 {
    uint64_t w[4];
} bytes32;
typedef struct bytes16 {
    uint64_t w[2];
} bytes16;
COPY_LINES(copy_lines_16, bytes16)
COPY_LINES(copy_lines_32, bytes32)

/* ld and n count bytes. */
static void copy_bytes(unsigned char *d, const unsigned char *a, size_t rows, size_t n,
                       ptrdiff_t ldd, ptrdiff_t lda) {
    if (d == a && ldd == lda) return;
    if (ldd == (ptrdiff_t)n && lda == ldd) {
        memmove(d, a, rows * n);
    } else if (n == 32) {
        copy_lines_32(d, a, rows, ldd, lda);
    } else if (n == 16) {
        copy_lines_16(d, a, rows, ldd, lda);
    } else {
        for (; rows > 0; rows--, d += ldd, a += lda)
            memmove(d, a, n);
    }
}

#define COPY(E)                                                                                    \
    static void move_copy_##E(void *d, const void *a, size_t rows, size_t cols, ptrdiff_t ldd,     \
                              ptrdiff_t lda) {                                                     \
        copy_bytes(d, a, rows, cols *S_##E, ldd *S_##E, lda *S_##E);                               \
    }
COPY(u8)
COPY(u16)
COPY(u32)
COPY(u64)

/* Exact widening, for bias tiles. */
#define WIDEN(E)                                                                                   \
    static void move_copy_##E##_f32(void *dp, const void *ap, size_t rows, size_t cols,            \
                                    ptrdiff_t ldd, ptrdiff_t lda) {                                \
        unsigned char *d = dp;                                                                     \
        const unsigned char *a = ap;                                                               \
        for (; rows > 0; rows--, d += ldd * S_f32, a += lda * S_##E) {                             \
            size_t i = 0;                                                                          \
            for (; i + N_##E <= cols; i += N_##E)                                                  \
                st_f32(d + i * S_f32, ld_##E(a + i * S_##E));                                      \
            if (i < cols) stn_f32(d + i * S_f32, ldn_##E(a + i * S_##E, cols - i), cols - i);      \
        }                                                                                          \
    }
WIDEN(f16)
WIDEN(bf16)

/* ---- transpose ---- */

/* Transposes blocks of L x L elements, where L elements have 16 bytes; wider registers hold two
 * blocks, one per half. log2(L) passes interleave the elements of vectors i and i + L/2. */
#if VB >= 32
#define HALVES 2
typedef __m256i tvec;
#define LOW(B, x, y) _mm256_unpacklo_epi##B(x, y)
#define HIGH(B, x, y) _mm256_unpackhi_epi##B(x, y)
PTRT_INLINE tvec load_halves(const unsigned char *low, const unsigned char *high) {
    __m128i l = _mm_loadu_si128((const __m128i *)(const void *)low);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(l),
                                   _mm_loadu_si128((const __m128i *)(const void *)high), 1);
}
/* Not memcpy: compilers would copy an array of vectors through memory, in halves. */
PTRT_INLINE void store_tvec(unsigned char *d, tvec v) {
    _mm256_storeu_si256((__m256i *)(void *)d, v);
}
#elif defined(__x86_64__)
#define HALVES 1
typedef __m128i tvec;
#define LOW(B, x, y) _mm_unpacklo_epi##B(x, y)
#define HIGH(B, x, y) _mm_unpackhi_epi##B(x, y)
#elif defined(__aarch64__)
#define HALVES 1
typedef uint8x16_t tvec;
#define LOW(B, x, y) (tvec) ZIP(1, B, x, y)
#define HIGH(B, x, y) (tvec) ZIP(2, B, x, y)
#define ZIP(N, B, x, y) ZIP_##B(N, x, y)
#define ZIP_8(N, x, y) vzip##N##q_u8(x, y)
#define ZIP_16(N, x, y) vzip##N##q_u16((uint16x8_t)(x), (uint16x8_t)(y))
#define ZIP_32(N, x, y) vzip##N##q_u32((uint32x4_t)(x), (uint32x4_t)(y))
#define ZIP_64(N, x, y) vzip##N##q_u64((uint64x2_t)(x), (uint64x2_t)(y))
#else
#define HALVES 0
#endif

#if HALVES == 1
PTRT_INLINE tvec load_halves(const unsigned char *low, const unsigned char *high) {
    tvec v;
    (void)high;
    memcpy(&v, low, sizeof v);
    return v;
}
PTRT_INLINE void store_tvec(unsigned char *d, tvec v) {
    memcpy(d, &v, sizeof v);
}
#endif

#if HALVES > 0
/* Stores L rows of d from L * HALVES rows of a. */
#define BLOCK(E, B)                                                                                \
    PTRT_INLINE void block_##E(unsigned char *d, const unsigned char *a, ptrdiff_t ldd,            \
                               ptrdiff_t lda) {                                                    \
        enum { L = 16 / S_##E };                                                                   \
        tvec v[L], t[L];                                                                           \
        for (int i = 0; i < L; i++)                                                                \
            v[i] = load_halves(a + i * lda, a + (i + (HALVES - 1) * L) * lda);                     \
        for (int step = 1; step < L; step *= 2) {                                                  \
            for (int i = 0; i < L / 2; i++) {                                                      \
                t[2 * i] = LOW(B, v[i], v[i + L / 2]);                                             \
                t[2 * i + 1] = HIGH(B, v[i], v[i + L / 2]);                                        \
            }                                                                                      \
            for (int i = 0; i < L; i++)                                                            \
                v[i] = t[i];                                                                       \
        }                                                                                          \
        for (int i = 0; i < L; i++)                                                                \
            store_tvec(d + i * ldd, v[i]);                                                         \
    }
BLOCK(u8, 8)
BLOCK(u16, 16)
BLOCK(u64, 64)
#if HALVES == 2
/* Transposes 8 x 8 elements. Loading and storing whole registers takes a third of the time. */
PTRT_INLINE void block_u32(unsigned char *d, const unsigned char *a, ptrdiff_t ldd, ptrdiff_t lda) {
    for (int half = 0; half < 2; half++, d += 4 * ldd, a += 16) {
        __m256 v[4];
        for (int i = 0; i < 4; i++)
            v[i] = (__m256)load_halves(a + i * lda, a + (i + 4) * lda);
        const __m256 low01 = _mm256_unpacklo_ps(v[0], v[1]),
                     high01 = _mm256_unpackhi_ps(v[0], v[1]);
        const __m256 low23 = _mm256_unpacklo_ps(v[2], v[3]),
                     high23 = _mm256_unpackhi_ps(v[2], v[3]);
        store_tvec(d, (tvec)_mm256_shuffle_ps(low01, low23, 0x44));
        store_tvec(d + ldd, (tvec)_mm256_shuffle_ps(low01, low23, 0xEE));
        store_tvec(d + 2 * ldd, (tvec)_mm256_shuffle_ps(high01, high23, 0x44));
        store_tvec(d + 3 * ldd, (tvec)_mm256_shuffle_ps(high01, high23, 0xEE));
    }
}
enum { ROWS_u32 = 8 };
#else
BLOCK(u32, 32)
enum { ROWS_u32 = 4 };
#endif
enum { ROWS_u8 = 16, ROWS_u16 = 8, ROWS_u64 = 2 };

/* Blocks at the edges overlap their neighbours, so that all are complete. */
#define BLOCKS(E)                                                                                  \
    enum { L = ROWS_##E, M = 16 / S_##E * HALVES };                                                \
    if (rows >= L && cols >= M) {                                                                  \
        for (size_t r = 0; r < rows; r += L) {                                                     \
            const size_t r0 = r + L <= rows ? r : rows - L;                                        \
            for (size_t c = 0; c < cols; c += M) {                                                 \
                const size_t c0 = c + M <= cols ? c : cols - M;                                    \
                block_##E(d + ((ptrdiff_t)r0 * ldd + (ptrdiff_t)c0) * S_##E,                       \
                          a + ((ptrdiff_t)c0 * lda + (ptrdiff_t)r0) * S_##E, ldd * S_##E,          \
                          lda * S_##E);                                                            \
            }                                                                                      \
        }                                                                                          \
        return;                                                                                    \
    }
#else
#define BLOCKS(E)
#endif

#define TRANSPOSE(E)                                                                               \
    static void move_transpose_##E(void *dp, const void *ap, size_t rows, size_t cols,             \
                                   ptrdiff_t ldd, ptrdiff_t lda) {                                 \
        unsigned char *d = dp;                                                                     \
        const unsigned char *a = ap;                                                               \
        BLOCKS(E)                                                                                  \
        for (size_t r = 0; r < rows; r++)                                                          \
            for (size_t c = 0; c < cols; c++)                                                      \
                ((s_##E *)d)[(ptrdiff_t)r * ldd + (ptrdiff_t)c] =                                  \
                    ((const s_##E *)a)[(ptrdiff_t)c * lda + (ptrdiff_t)r];                         \
    }
TRANSPOSE(u8)
TRANSPOSE(u16)
TRANSPOSE(u32)
TRANSPOSE(u64)

/* ---- fill ---- */

#define FILL_BODY(E)                                                                               \
    static void move_fill_##E(void *dp, const void *kp, size_t rows, size_t cols, ptrdiff_t ldd) { \
        unsigned char *d = dp;                                                                     \
        enum { W = N_##E * S_##E };                                                                \
        const c_##E y = splat_##E(kp);                                                             \
        if (ldd == (ptrdiff_t)cols) {                                                              \
            cols *= rows;                                                                          \
            rows = 1;                                                                              \
        }                                                                                          \
        const size_t n = cols * S_##E;                                                             \
        for (; rows > 0; rows--, d += ldd * S_##E) {                                               \
            if (n < W) {                                                                           \
                stn_##E(d, y, cols);                                                               \
                continue;                                                                          \
            }                                                                                      \
            for (size_t o = 0; o + W < n; o += W)                                                  \
                st_##E(d + o, y);                                                                  \
            st_##E(d + n - W, y);                                                                  \
        }                                                                                          \
    }
FILL_BODY(u8)
FILL_BODY(u16)
FILL_BODY(u32)
FILL_BODY(u64)

/* ---- blocks of 32 bytes ---- */

/* Collects the differences from the first element of each block; usually all are zero. */
#define UNIFORM(E, T)                                                                              \
    typedef T block_of_##E __attribute__((vector_size(32)));                                       \
    PTRT_INLINE block_of_##E differences_##E(const unsigned char *k) {                             \
        block_of_##E v;                                                                            \
        memcpy(&v, k, sizeof v);                                                                   \
        return v ^ ((block_of_##E){0} + *(const s_##E *)k);                                        \
    }                                                                                              \
    PTRT_INLINE bool is_zero_##E(block_of_##E v) {                                                 \
        uint64_t w[4];                                                                             \
        memcpy(w, &v, sizeof w);                                                                   \
        return (w[0] | w[1] | w[2] | w[3]) == 0;                                                   \
    }                                                                                              \
    static size_t uniform_##E(const void *kp, size_t rows, ptrdiff_t ldk) {                        \
        const unsigned char *k = kp;                                                               \
        block_of_##E all = {0};                                                                    \
        for (size_t r = 0; r < rows; r++)                                                          \
            all |= differences_##E(k + (ptrdiff_t)r * ldk);                                        \
        if (is_zero_##E(all)) return rows;                                                         \
        size_t n = 0;                                                                              \
        while (n < rows && is_zero_##E(differences_##E(k + (ptrdiff_t)n * ldk)))                   \
            n++;                                                                                   \
        return n;                                                                                  \
    }
UNIFORM(u8, uint8_t)
UNIFORM(u16, uint16_t)
UNIFORM(u32, uint32_t)
UNIFORM(u64, uint64_t)

/* clang-format off */

#define BY_SIZE(NAME) {NAME##_u8, NAME##_u16, NAME##_u32, NAME##_u64}
extern const ptrt_movers PTRT_CAT(ptrt_movers, PTRT_LEVEL);
const ptrt_movers PTRT_CAT(ptrt_movers, PTRT_LEVEL) = {
    .copy = BY_SIZE(move_copy), .transpose = BY_SIZE(move_transpose), .fill = BY_SIZE(move_fill),
    .uniform = BY_SIZE(uniform)};
/* clang-format on */
#include "kern/family.h"
