/* reduce.c - reductions along rows (one value a row) and columns (one value a column).
 *
 * Sums and products keep 16 running values, element number mod 16, and fold them v[i] with v[i+8],
 * then +4, +2, +1: the same bits for every vector width. Lanes without an element hold the
 * identity. f16 and bf16 round to the type after every step, but for sums along a row, which are
 * f32 inside. Extremes take the first element unless a later one is beyond it; NaN and signs of
 * zero follow. */
#include "ptort.h"

#include "kern/kern.h"
#include "kern/vec.h"

#include <stdbool.h>

/* ---- folding inside a register ---- */

/* Lane i = lane i + K, for the lanes that count; K < lanes. */
#define FOLD_STEP(E, OP, K)                                                                        \
    if (N_##E > K) {                                                                               \
        c_##E moved = v;                                                                           \
        for (int lane = 0; lane < K && lane + K < N_##E; lane++)                                   \
            moved[lane] = v[lane + K];                                                             \
        v = OP##_##E(v, moved);                                                                    \
    }
#define RUNNING 16

/* ---- steps: OP_E(running, x) ---- */

#define STEP(OP, E, EXPR)                                                                          \
    PTRT_INLINE c_##E OP##_##E(c_##E s, c_##E x) {                                                 \
        return (c_##E)(EXPR);                                                                      \
    }
PTRT_INLINE v_f32 as_f16(v_f32 v) {
    return f16_widen(f16_round(v));
}
PTRT_INLINE v_f32 as_bf16(v_f32 v) {
    return bf16_widen(bf16_round(v));
}
#define UNSIGNED(X, ...)                                                                           \
    X(__VA_ARGS__, u8) X(__VA_ARGS__, u16) X(__VA_ARGS__, u32) X(__VA_ARGS__, u64)
#define SIGNED(X, ...)                                                                             \
    X(__VA_ARGS__, i8) X(__VA_ARGS__, i16) X(__VA_ARGS__, i32) X(__VA_ARGS__, i64)
#define HALVES(X, ...) X(__VA_ARGS__, f16) X(__VA_ARGS__, bf16)
#define WHOLE(X, ...) X(__VA_ARGS__, f32) X(__VA_ARGS__, f64)
/* clang-format off */
#define PLAIN_STEP(OP, EXPR, E) STEP(OP, E, EXPR)
UNSIGNED(PLAIN_STEP, sum, s + x)
WHOLE(PLAIN_STEP, sum, s + x)
HALVES(PLAIN_STEP, sum, s + x)
UNSIGNED(PLAIN_STEP, prod, s * x)
WHOLE(PLAIN_STEP, prod, s * x)
STEP(prod, f16, as_f16(s * x))
STEP(prod, bf16, as_bf16(s * x))
STEP(sumr, f16, as_f16(s + x))
STEP(sumr, bf16, as_bf16(s + x))
#define S_TYPE __typeof__(s)
#define EVERY(X, ...) UNSIGNED(X, __VA_ARGS__) SIGNED(X, __VA_ARGS__) HALVES(X, __VA_ARGS__) WHOLE(X, __VA_ARGS__)
EVERY(PLAIN_STEP, max, SELECT(S_TYPE, s < x, x, s))
EVERY(PLAIN_STEP, min, SELECT(S_TYPE, x < s, x, s))

/* One lane of a compute vector as an element. */
#define PUT_ONE(E)                                                                                 \
    PTRT_INLINE void put_one_##E(void *p, c_##E v) {                                               \
        unsigned char t[N_##E * S_##E];                                                            \
        st_##E(t, v);                                                                              \
        memcpy(p, t, S_##E);                                                                       \
    }
#define PUT_ONE_(x, E) PUT_ONE(E)
EVERY(PUT_ONE_, )

/* ---- sums of eight rows at a time ---- */

#if VB == 32
/* One value a row, in the order of the rows: lanes are folded across rows, +4, +2, +1 as elsewhere, and
 * half as many registers are left each time. */
PTRT_INLINE v_f32 fold_eight(const v_f32 s[8]) {
    __m256 by4[4], by2[2];
    for (int i = 0; i < 4; i++) {
        const __m256 a = (__m256)s[2 * i], b = (__m256)s[2 * i + 1];
        by4[i] = _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20),
                               _mm256_permute2f128_ps(a, b, 0x31));
    }
    for (int i = 0; i < 2; i++)
        by2[i] = _mm256_add_ps(_mm256_shuffle_ps(by4[2 * i], by4[2 * i + 1], 0x44),
                               _mm256_shuffle_ps(by4[2 * i], by4[2 * i + 1], 0xEE));
    const __m256 sums = _mm256_add_ps(_mm256_shuffle_ps(by2[0], by2[1], 0x88),
                                      _mm256_shuffle_ps(by2[0], by2[1], 0xDD));
    /* Even rows are in the lower half. */
    return (v_f32)_mm256_permutevar8x32_ps(sums, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

/* The running values of a row, elements 0 to 7 and 8 to 15 modulo 16, with those that are left: what is
 * not there is 0. */
#define SUM_LEFT(E)                                                                                \
    PTRT_INLINE c_##E sum_left_##E(c_##E s, c_##E t, const unsigned char *p, size_t left) {        \
        if (left > 8) t += ldn_##E(p + 8 * S_##E, left - 8);                                       \
        if (left > 0) s += left < 8 ? ldn_##E(p, left) : ld_##E(p);                                \
        return s + t;                                                                              \
    }
/* Four rows at a time, whose additions do not wait for one another. */
#define SUM_EIGHTS(E)                                                                              \
    SUM_LEFT(E)                                                                                    \
    PTRT_INLINE void sum_four_##E(const unsigned char *a, ptrdiff_t lda, size_t cols, v_f32 *out) { \
        const unsigned char *b = a + lda, *c = b + lda, *d = c + lda;                              \
        c_##E s0 = splat_of_f32(0), t0 = s0, s1 = s0, t1 = s0, s2 = s0, t2 = s0, s3 = s0, t3 = s0; \
        size_t n = cols;                                                                           \
        for (; n >= 16; n -= 16) {                                                                 \
            s0 += ld_##E(a), t0 += ld_##E(a + 8 * S_##E), a += 16 * S_##E;                         \
            s1 += ld_##E(b), t1 += ld_##E(b + 8 * S_##E), b += 16 * S_##E;                         \
            s2 += ld_##E(c), t2 += ld_##E(c + 8 * S_##E), c += 16 * S_##E;                         \
            s3 += ld_##E(d), t3 += ld_##E(d + 8 * S_##E), d += 16 * S_##E;                         \
        }                                                                                          \
        out[0] = sum_left_##E(s0, t0, a, n);                                                       \
        out[1] = sum_left_##E(s1, t1, b, n);                                                       \
        out[2] = sum_left_##E(s2, t2, c, n);                                                       \
        out[3] = sum_left_##E(s3, t3, d, n);                                                       \
    }                                                                                              \
    static size_t sum_eights_##E(unsigned char *d, const unsigned char *a, size_t rows,            \
                                 size_t cols, ptrdiff_t ldd, ptrdiff_t lda) {                      \
        size_t done = 0;                                                                           \
        for (; done + 8 <= rows; done += 8, a += 8 * lda) {                                        \
            v_f32 s[8];                                                                            \
            sum_four_##E(a, lda, cols, s);                                                         \
            sum_four_##E(a + 4 * lda, lda, cols, s + 4);                                           \
            unsigned char sums[8 * S_##E];                                                         \
            st_##E(sums, fold_eight(s));                                                           \
            for (size_t r = 0; r < 8; r++)                                                         \
                memcpy(d + (ptrdiff_t)(done + r) * ldd, sums + r * S_##E, S_##E);                  \
        }                                                                                          \
        return done;                                                                               \
    }
SUM_EIGHTS(f32)
SUM_EIGHTS(f16)
SUM_EIGHTS(bf16)
#define EIGHTS_sum_f32 sum_eights_f32
#define EIGHTS_sum_f16 sum_eights_f16
#define EIGHTS_sum_bf16 sum_eights_bf16
#else
#define EIGHTS_sum_f32 no_eights
#define EIGHTS_sum_f16 no_eights
#define EIGHTS_sum_bf16 no_eights
#endif
PTRT_INLINE size_t no_eights(unsigned char *d, const unsigned char *a, size_t rows, size_t cols,
                             ptrdiff_t ldd, ptrdiff_t lda) {
    (void)d, (void)a, (void)rows, (void)cols, (void)ldd, (void)lda;
    return 0;
}

/* ---- sums and products along a row ---- */

/* `id` is the identity as stored bits. */
#define ROW_FOLD(NAME, OP, E, ID, EIGHTS)                                                          \
    static void rowreduce_##NAME##_##E(void *dp, const void *ap, size_t rows, size_t cols,         \
                                       ptrdiff_t ldd, ptrdiff_t lda) {                             \
        enum { NV = RUNNING > N_##E ? RUNNING / N_##E : 1, GROUP = NV * N_##E };                   \
        unsigned char *d = dp;                                                                     \
        const unsigned char *a = ap;                                                               \
        s_##E rest[GROUP];                                                                         \
        const s_##E id = ID;                                                                       \
        const c_##E start = splat_##E(&id);                                                        \
        const size_t done = EIGHTS(d, a, rows, cols, ldd * S_##E, lda * S_##E);                    \
        d += (ptrdiff_t)done * ldd * S_##E, a += (ptrdiff_t)done * lda * S_##E;                    \
        for (rows -= done; rows > 0; rows--, d += ldd * S_##E, a += lda * S_##E) {                 \
            c_##E s[NV];                                                                           \
            size_t i = 0;                                                                          \
            for (int v = 0; v < NV; v++)                                                           \
                s[v] = start;                                                                      \
            for (; i + GROUP <= cols; i += GROUP)                                                  \
                for (int v = 0; v < NV; v++)                                                       \
                    s[v] = OP##_##E(s[v], ld_##E(a + (i + (size_t)v * N_##E) * S_##E));            \
            if (i < cols) {                                                                        \
                for (int k = 0; k < GROUP; k++)                                                    \
                    rest[k] = id;                                                                  \
                for (size_t k = 0; i + k < cols; k++)                                              \
                    rest[k] = ((const s_##E *)a)[i + k];                                           \
                for (int v = 0; v < NV; v++)                                                       \
                    s[v] = OP##_##E(s[v], ld_##E(rest + v * N_##E));                               \
            }                                                                                      \
            for (int w = NV / 2; w >= 1; w /= 2)                                                   \
                for (int k = 0; k < w; k++)                                                        \
                    s[k] = OP##_##E(s[k], s[k + w]);                                               \
            c_##E v = s[0];                                                                        \
            FOLD_STEP(E, OP, 32)                                                                   \
            FOLD_STEP(E, OP, 16)                                                                   \
            FOLD_STEP(E, OP, 8)                                                                    \
            FOLD_STEP(E, OP, 4)                                                                    \
            FOLD_STEP(E, OP, 2)                                                                    \
            FOLD_STEP(E, OP, 1)                                                                    \
            put_one_##E(d, v);                                                                     \
        }                                                                                          \
    }
#define ROW_FOLD_(NAME, OP, ID, E) ROW_FOLD(NAME, OP, E, ID, no_eights)
UNSIGNED(ROW_FOLD_, sum, sum, 0)
ROW_FOLD(sum, sum, f16, 0, EIGHTS_sum_f16)
ROW_FOLD(sum, sum, bf16, 0, EIGHTS_sum_bf16)
ROW_FOLD(sum, sum, f32, 0, EIGHTS_sum_f32)
ROW_FOLD(sum, sum, f64, 0, no_eights)
UNSIGNED(ROW_FOLD_, prod, prod, 1)
WHOLE(ROW_FOLD_, prod, prod, 1)
ROW_FOLD(prod, prod, f16, 0x3C00, no_eights)
ROW_FOLD(prod, prod, bf16, 0x3F80, no_eights)

/* ---- extremes along a row ---- */

/* Of zeros of both signs the first one counts, which lanes do not keep: looked up again. */
#define FIRST_ZERO(E, MASK)                                                                        \
    PTRT_INLINE void first_zero_##E(const unsigned char *a, size_t cols, unsigned char *d) {       \
        const s_##E *x = (const s_##E *)a;                                                         \
        uint64_t bits = 0, other = 0;                                                              \
        memcpy(&bits, d, S_##E);                                                                   \
        if ((bits & MASK) != 0) return;                                                            \
        for (size_t i = 0; i < cols; i++) {                                                        \
            memcpy(&other, x + i, S_##E);                                                          \
            if ((other & MASK) != 0) continue;                                                     \
            memcpy(d, x + i, S_##E);                                                               \
            return;                                                                                \
        }                                                                                          \
    }
FIRST_ZERO(f16, 0x7FFFu)
FIRST_ZERO(bf16, 0x7FFFu)
FIRST_ZERO(f32, 0x7FFFFFFFu)
FIRST_ZERO(f64, UINT64_C(0x7FFFFFFFFFFFFFFF))
#define NO_SIGN(x, E)                                                                              \
    PTRT_INLINE void first_zero_##E(const unsigned char *a, size_t cols, unsigned char *d) {       \
        (void)a, (void)cols, (void)d;                                                              \
    }
UNSIGNED(NO_SIGN, )
SIGNED(NO_SIGN, )

/* Running values start with the first element: a NaN there stays, as no comparison beats it. */
#define ROW_EXTREME(OP, E)                                                                         \
    PTRT_INLINE c_##E extreme_##OP##_##E(const unsigned char *a, size_t cols) {                    \
        c_##E s = splat_##E(a), t = s, u = s, w = s;                                               \
        size_t i = 0;                                                                              \
        if (cols < N_##E) {                                                                        \
            s_##E few[N_##E];                                                                      \
            for (size_t k = 0; k < N_##E; k++)                                                     \
                few[k] = ((const s_##E *)a)[k < cols ? k : 0];                                     \
            s = OP##_##E(s, ld_##E(few));                                                          \
        } else {                                                                                   \
            for (; i + 4 * N_##E <= cols; i += 4 * N_##E) {                                        \
                s = OP##_##E(s, ld_##E(a + i * S_##E));                                            \
                t = OP##_##E(t, ld_##E(a + (i + N_##E) * S_##E));                                  \
                u = OP##_##E(u, ld_##E(a + (i + 2 * N_##E) * S_##E));                              \
                w = OP##_##E(w, ld_##E(a + (i + 3 * N_##E) * S_##E));                              \
            }                                                                                      \
            for (; i + N_##E <= cols; i += N_##E)                                                  \
                s = OP##_##E(s, ld_##E(a + i * S_##E));                                            \
            s = OP##_##E(s, ld_##E(a + (cols - N_##E) * S_##E));                                   \
        }                                                                                          \
        c_##E v = OP##_##E(OP##_##E(s, t), OP##_##E(u, w));                                        \
        FOLD_STEP(E, OP, 32)                                                                       \
        FOLD_STEP(E, OP, 16)                                                                       \
        FOLD_STEP(E, OP, 8)                                                                        \
        FOLD_STEP(E, OP, 4)                                                                        \
        FOLD_STEP(E, OP, 2)                                                                        \
        FOLD_STEP(E, OP, 1)                                                                        \
        return v;                                                                                  \
    }                                                                                              \
    static void rowreduce_##OP##_##E(void *dp, const void *ap, size_t rows, size_t cols,           \
                                     ptrdiff_t ldd, ptrdiff_t lda) {                               \
        unsigned char *d = dp;                                                                     \
        const unsigned char *a = ap;                                                               \
        for (; rows > 0; rows--, d += ldd * S_##E, a += lda * S_##E) {                             \
            put_one_##E(d, extreme_##OP##_##E(a, cols));                                           \
            first_zero_##E(a, cols, d);                                                            \
        }                                                                                          \
    }                                                                                              \
    /* The first column that has the extreme; a NaN in column 0 is never beaten. */                \
    static void rowarg_##OP##_##E(void *dp, const void *ap, size_t rows, size_t cols,              \
                                  ptrdiff_t ldd, ptrdiff_t lda) {                                  \
        s_u32 *d = dp;                                                                             \
        const unsigned char *a = ap;                                                               \
        for (; rows > 0; rows--, d += ldd, a += lda * S_##E) {                                     \
            unsigned char one[N_##E * S_##E];                                                      \
            st_##E(one, extreme_##OP##_##E(a, cols));                                              \
            const c_##E best = splat_##E(one);                                                     \
            uint32_t at = 0;                                                                       \
            for (size_t i = 0; i < cols; i++) {                                                    \
                const c_##E x = splat_##E(a + i * S_##E);                                          \
                if (x[0] == best[0]) {                                                             \
                    at = (uint32_t)i;                                                              \
                    break;                                                                         \
                }                                                                                  \
            }                                                                                      \
            *d = at;                                                                               \
        }                                                                                          \
    }
#define ROW_EXTREME_(OP, E) ROW_EXTREME(OP, E)
EVERY(ROW_EXTREME_, max)
EVERY(ROW_EXTREME_, min)

/* ---- columns ---- */

/* Calls BODY with x = the columns c .. of a row; the last vector overlaps, or is short. */
#define COL_FOLD(NAME, OP, E, ID)                                                                  \
    PTRT_INLINE c_##E fold_##NAME##_##E(const unsigned char *a, size_t rows, ptrdiff_t lda,        \
                                        size_t few) {                                              \
        const s_##E id = ID;                                                                       \
        c_##E s[RUNNING];                                                                          \
        for (int k = 0; k < RUNNING; k++)                                                          \
            s[k] = splat_##E(&id);                                                                 \
        for (size_t r = 0; r < rows; r += RUNNING)                                                 \
            for (size_t k = 0; k < RUNNING && r + k < rows; k++, a += lda)                         \
                s[k] = OP##_##E(s[k], few < N_##E ? ldn_##E(a, few) : ld_##E(a));                  \
        for (int w = RUNNING / 2; w >= 1; w /= 2)                                                  \
            for (int k = 0; k < w; k++)                                                            \
                s[k] = OP##_##E(s[k], s[k + w]);                                                   \
        return s[0];                                                                               \
    }                                                                                              \
    COL_LOOP(NAME, E)
#define COL_LOOP(NAME, E)                                                                          \
    static void colreduce_##NAME##_##E(void *dp, const void *ap, size_t rows, size_t cols,         \
                                       ptrdiff_t ldd, ptrdiff_t lda) {                             \
        unsigned char *d = dp;                                                                     \
        const unsigned char *a = ap;                                                               \
        (void)ldd;                                                                                 \
        lda *= S_##E;                                                                              \
        size_t c = 0;                                                                              \
        for (; c + N_##E <= cols; c += N_##E)                                                      \
            st_##E(d + c * S_##E, fold_##NAME##_##E(a + c * S_##E, rows, lda, N_##E));             \
        if (c < cols)                                                                              \
            stn_##E(d + c * S_##E, fold_##NAME##_##E(a + c * S_##E, rows, lda, cols - c),          \
                    cols - c);                                                                     \
    }
#define COL_FOLD_(NAME, OP, ID, E) COL_FOLD(NAME, OP, E, ID)
UNSIGNED(COL_FOLD_, sum, sum, 0)
WHOLE(COL_FOLD_, sum, sum, 0)
COL_FOLD(sum, sumr, f16, 0)
COL_FOLD(sum, sumr, bf16, 0)
UNSIGNED(COL_FOLD_, prod, prod, 1)
WHOLE(COL_FOLD_, prod, prod, 1)
COL_FOLD(prod, prod, f16, 0x3C00)
COL_FOLD(prod, prod, bf16, 0x3F80)

/* Rows in order: the first extreme stays without looking it up. */
#define COL_EXTREME(OP, E)                                                                         \
    PTRT_INLINE c_##E fold_##OP##_##E(const unsigned char *a, size_t rows, ptrdiff_t lda,          \
                                      size_t few) {                                                \
        c_##E s = few < N_##E ? ldn_##E(a, few) : ld_##E(a);                                       \
        for (size_t r = 1; r < rows; r++) {                                                        \
            a += lda;                                                                              \
            s = OP##_##E(s, few < N_##E ? ldn_##E(a, few) : ld_##E(a));                            \
        }                                                                                          \
        return s;                                                                                  \
    }                                                                                              \
    COL_LOOP(OP, E)                                                                                \
    typedef int32_t where_##OP##_##E __attribute__((vector_size(4 * N_##E)));                      \
    PTRT_INLINE void where_fold_##OP##_##E(unsigned char *d, const unsigned char *a, size_t rows,  \
                                           ptrdiff_t lda, size_t few) {                            \
        c_##E s = few < N_##E ? ldn_##E(a, few) : ld_##E(a);                                       \
        where_##OP##_##E at = {0};                                                                 \
        for (size_t r = 1; r < rows; r++) {                                                        \
            a += lda;                                                                              \
            const c_##E x = few < N_##E ? ldn_##E(a, few) : ld_##E(a);                             \
            const __typeof__(s < x) beats = WINS_##OP(s, x);                                       \
            const where_##OP##_##E m = __builtin_convertvector(beats, where_##OP##_##E);           \
            s = SELECT(c_##E, beats, x, s);                                                        \
            at = (m & (int32_t)r) | (~m & at);                                                     \
        }                                                                                          \
        memcpy(d, &at, 4 * (few < N_##E ? few : (size_t)N_##E));                                   \
    }                                                                                              \
    static void colarg_##OP##_##E(void *dp, const void *ap, size_t rows, size_t cols,              \
                                  ptrdiff_t ldd, ptrdiff_t lda) {                                  \
        unsigned char *d = dp;                                                                     \
        const unsigned char *a = ap;                                                               \
        (void)ldd;                                                                                 \
        lda *= S_##E;                                                                              \
        size_t c = 0;                                                                              \
        for (; c + N_##E <= cols; c += N_##E)                                                      \
            where_fold_##OP##_##E(d + c * 4, a + c * S_##E, rows, lda, N_##E);                     \
        if (c < cols) where_fold_##OP##_##E(d + c * 4, a + c * S_##E, rows, lda, cols - c);        \
    }
#define WINS_max(s, x) (s < x)
#define WINS_min(s, x) (x < s)
#define COL_EXTREME_(OP, E) COL_EXTREME(OP, E)
EVERY(COL_EXTREME_, max)
EVERY(COL_EXTREME_, min)

/* Neighbours added; a last one without a partner gets 0. d has half the columns. */
#define PAIRS(E)                                                                                   \
    static void rowpairs_add_##E(void *dp, const void *ap, size_t rows, size_t cols,               \
                                 ptrdiff_t ldd, ptrdiff_t lda) {                                   \
        s_##E *d = dp, even[N_##E] = {0}, odd[N_##E] = {0};                                        \
        const s_##E *a = ap;                                                                       \
        for (; rows > 0; rows--, d += ldd, a += lda) {                                             \
            for (size_t c = 0; c < cols; c += 2 * N_##E) {                                         \
                const size_t left = (cols - c + 1) / 2, n = left < N_##E ? left : N_##E;           \
                for (size_t i = 0; i < n; i++) {                                                   \
                    even[i] = a[c + 2 * i];                                                        \
                    odd[i] = c + 2 * i + 1 < cols ? a[c + 2 * i + 1] : 0;                          \
                }                                                                                  \
                const c_##E sum = ld_##E(even) + ld_##E(odd);                                      \
                if (n < N_##E)                                                                     \
                    stn_##E(d + c / 2, sum, n);                                                    \
                else                                                                               \
                    st_##E(d + c / 2, sum);                                                        \
            }                                                                                      \
        }                                                                                          \
    }
PAIRS(u8)
PAIRS(u16)
PAIRS(u32)
PAIRS(u64)
PAIRS(f16)
PAIRS(bf16)
PAIRS(f32)
PAIRS(f64)

#define PTRT_SHAPE_rowpairs rowpairs
#define PTRT_SHAPE_rowreduce rowreduce
#define PTRT_SHAPE_colreduce colreduce
#define PTRT_SHAPE_colsum colreduce
#define PTRT_SHAPE_rowarg rowarg
#define PTRT_SHAPE_colarg colarg
#define REDUCE(id, name, when, driver, args, elems, types, body)                                   \
    PTRT_TYPES_##types(PTRT_ROW, id, PTRT_SHAPE_##driver, body)
static const ptrt_body_row rows[] = {
#include "ptort_kernels.def"
};
/* clang-format on */
PTRT_BODIES(reduce)
