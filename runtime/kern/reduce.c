/* SPDX-License-Identifier: Apache-2.0 */
/* reduce.c - bodies of reductions along rows (one value per row) and columns (one value per
 * column).
 *
 * Sums and products along a row keep 16 running values, for element number mod 16, and combine v[i]
 * with v[i+8], then +4, +2, +1, so that every vector width gives the same bits. Lanes without an
 * element hold the identity. Those along a column start with the identity and take the rows in
 * order. f16 and bf16 are rounded to the type after every step, except in sums along a row, which
 * use f32. An extreme is the first element unless a later one is beyond it, also for NaN and zeros
 * of both signs. */
#include "ptort_emitted.h"

#include "kern/fold.h"
#include "kern/kern.h"

#include <stdbool.h>

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
#define SINGLE(X, ...) HALVES(X, __VA_ARGS__) X(__VA_ARGS__, f32)
#define SELECTED(X, ...) UNSIGNED(X, __VA_ARGS__) SIGNED(X, __VA_ARGS__) X(__VA_ARGS__, f64)
SELECTED(PLAIN_STEP, max, SELECT(S_TYPE, s < x, x, s))
SELECTED(PLAIN_STEP, min, SELECT(S_TYPE, x < s, x, s))
SINGLE(PLAIN_STEP, max, larger_f32(x, s))
SINGLE(PLAIN_STEP, min, smaller_f32(x, s))

/* Stores lane 0 of a compute vector as an element. */
#define PUT_ONE(E)                                                                                 \
    PTRT_INLINE void put_one_##E(void *p, c_##E v) {                                               \
        unsigned char t[N_##E * S_##E];                                                            \
        st_##E(t, v);                                                                              \
        memcpy(p, t, S_##E);                                                                       \
    }
#define PUT_ONE_(x, E) PUT_ONE(E)
EVERY(PUT_ONE_, )

/* ---- eight rows at a time ---- */

SUM_EIGHTS(f16)
SUM_EIGHTS(bf16)
SUM_EIGHTS(f32)
SINGLE(EXTREME_EIGHTS, max)
SINGLE(EXTREME_EIGHTS, min)
#define NONE_EIGHTS(d, a, rows, cols, ldd, lda, zeros)                                             \
    ((void)(d), (void)(a), (void)(cols), (void)(ldd), (void)(lda), (void)(zeros), (size_t)0)

/* ---- sums and products along a row ---- */

/* The arguments of a body whose source and destination have one type; distances in bytes. */
#define ROWS_OF(E)                                                                                 \
    const unsigned char *a = x->p[0];                                                              \
    unsigned char *d = x->p[1];                                                                    \
    size_t rows = x->rows;                                                                         \
    const size_t cols = x->cols;                                                                   \
    const ptrdiff_t lda = x->ld[0] * S_##E, ldd = x->ld[1] * S_##E;

/* ID is the identity as stored bits. */
#define ROW_FOLD(NAME, OP, E, ID, EIGHTS)                                                          \
    static __attribute__((noinline)) void fold_rows_##NAME##_##E(const ptrt_args *x,               \
                                                                 size_t done) {                    \
        enum { NV = RUNNING > N_##E ? RUNNING / N_##E : 1, GROUP = NV * N_##E };                   \
        ROWS_OF(E)                                                                                 \
        s_##E rest[GROUP];                                                                         \
        const s_##E id = ID;                                                                       \
        const c_##E start = splat_##E(&id);                                                        \
        d += (ptrdiff_t)done * ldd, a += (ptrdiff_t)done * lda;                                    \
        for (rows -= done; rows > 0; rows--, d += ldd, a += lda) {                                 \
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
    }                                                                                              \
    static void rowreduce_##NAME##_##E(const ptrt_args *x) {                                       \
        ROWS_OF(E)                                                                                 \
        bool zeros = false;                                                                        \
        const size_t done = EIGHTS(d, a, rows, cols, ldd, lda, &zeros);                            \
        if (done < rows) fold_rows_##NAME##_##E(x, done);                                          \
    }
#define ROW_FOLD_(NAME, OP, ID, E) ROW_FOLD(NAME, OP, E, ID, NONE_EIGHTS)
UNSIGNED(ROW_FOLD_, sum, sum, 0)
ROW_FOLD(sum, sum, f16, 0, eights_sum_f16)
ROW_FOLD(sum, sum, bf16, 0, eights_sum_bf16)
ROW_FOLD(sum, sum, f32, 0, eights_sum_f32)
ROW_FOLD(sum, sum, f64, 0, NONE_EIGHTS)
UNSIGNED(ROW_FOLD_, prod, prod, 1)
WHOLE(ROW_FOLD_, prod, prod, 1)
ROW_FOLD(prod, prod, f16, 0x3C00, NONE_EIGHTS)
ROW_FOLD(prod, prod, bf16, 0x3F80, NONE_EIGHTS)

/* ---- extremes along a row ---- */

/* Among zeros of both signs the first one is the result, but lanes do not keep the order: looks it
 * up again. */
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

/* Returns the first column that holds `best`, or 0. The last vector overlaps the one before it. */
#define FIND(E)                                                                                    \
    PTRT_INLINE size_t find_##E(const unsigned char *a, size_t cols, c_##E best) {                 \
        for (size_t i = 0; cols >= N_##E && i < cols; i += N_##E) {                                \
            const size_t from = i + N_##E <= cols ? i : cols - N_##E;                              \
            const uint64_t k = bits_8((v_u8)(ld_##E(a + from * S_##E) == best));                   \
            if (k != 0) return from + (size_t)__builtin_ctzll(k) / (VB / N_##E);                   \
        }                                                                                          \
        for (size_t i = 0; cols < N_##E && i < cols; i++)                                          \
            if (splat_##E(a + i * S_##E)[0] == best[0]) return i;                                  \
        return 0;                                                                                  \
    }
#define FIND_(x, E) FIND(E)
EVERY(FIND_, )

/* Running values start with the first element. If it is NaN it remains, because every comparison
 * with NaN is false. */
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
    static __attribute__((noinline)) void extreme_rows_##OP##_##E(const ptrt_args *x,              \
                                                                  size_t done) {                   \
        ROWS_OF(E)                                                                                 \
        d += (ptrdiff_t)done * ldd, a += (ptrdiff_t)done * lda;                                    \
        for (rows -= done; rows > 0; rows--, d += ldd, a += lda) {                                 \
            put_one_##E(d, extreme_##OP##_##E(a, cols));                                           \
            first_zero_##E(a, cols, d);                                                            \
        }                                                                                          \
    }                                                                                              \
    static void rowreduce_##OP##_##E(const ptrt_args *x) {                                         \
        ROWS_OF(E)                                                                                 \
        bool zeros = false;                                                                        \
        const size_t done = EIGHTS_##E(OP)(d, a, rows, cols, ldd, lda, &zeros);                    \
        for (size_t r = 0; zeros && r < done; r++)                                                 \
            first_zero_##E(a + (ptrdiff_t)r * lda, cols, d + (ptrdiff_t)r * ldd);                  \
        if (done < rows) extreme_rows_##OP##_##E(x, done);                                         \
    }
/* Stores the first column with the extreme, or 0 if column 0 is NaN. */
#define ROW_ARG(OP, E)                                                                             \
    static void rowarg_##OP##_##E(const ptrt_args *x) {                                            \
        const unsigned char *a = x->p[0];                                                          \
        s_u32 *d = x->p[1];                                                                        \
        const size_t cols = x->cols;                                                               \
        const ptrdiff_t lda = x->ld[0] * S_##E, ldd = x->ld[1];                                    \
        for (size_t rows = x->rows; rows > 0; rows--, a += lda, d += ldd) {                        \
            unsigned char one[N_##E * S_##E];                                                      \
            st_##E(one, extreme_##OP##_##E(a, cols));                                              \
            *d = (uint32_t)find_##E(a, cols, splat_##E(one));                                      \
        }                                                                                          \
    }
#define EIGHTS_u8(OP) NONE_EIGHTS
#define EIGHTS_u16(OP) NONE_EIGHTS
#define EIGHTS_u32(OP) NONE_EIGHTS
#define EIGHTS_u64(OP) NONE_EIGHTS
#define EIGHTS_i8(OP) NONE_EIGHTS
#define EIGHTS_i16(OP) NONE_EIGHTS
#define EIGHTS_i32(OP) NONE_EIGHTS
#define EIGHTS_i64(OP) NONE_EIGHTS
#define EIGHTS_f64(OP) NONE_EIGHTS
#define EIGHTS_f16(OP) eights_##OP##_f16
#define EIGHTS_bf16(OP) eights_##OP##_bf16
#define EIGHTS_f32(OP) eights_##OP##_f32
#define ROW_EXTREME_(OP, E) ROW_EXTREME(OP, E) ROW_ARG(OP, E)
EVERY(ROW_EXTREME_, max)
EVERY(ROW_EXTREME_, min)

/* ---- columns ---- */

/* Loads `few` columns of a row. */
#define COLUMNS(E, p, few) ((few) < N_##E ? ldn_##E(p, few) : ld_##E(p))

/* Reduces rows in order, first to last. A vector's steps wait for each other, so several vectors take
 * turns: eight where a step is one instruction, of which the smaller types have fewer registers left.
 * Neighbouring vectors use whole cache lines: distant rows may evict each other's lines. */
enum { MOST_VECTORS = 8, PLAIN_VECTORS = VB == 64 ? 4 : 8 };
#define UNROLLED(v, n) _Pragma("GCC unroll 8") for (int v = 0; v < (n); v++)
#define COL_FOLD(NAME, OP, E, ID, SEVERAL)                                                         \
    PTRT_INLINE c_##E fold_##NAME##_##E(const unsigned char *a, size_t rows, ptrdiff_t lda,        \
                                        size_t few) {                                              \
        const s_##E id = ID;                                                                       \
        c_##E s = splat_##E(&id);                                                                  \
        for (size_t r = 0; r < rows; r++, a += lda)                                                \
            s = OP##_##E(s, COLUMNS(E, a, few));                                                   \
        return s;                                                                                  \
    }                                                                                              \
    PTRT_INLINE void folds_##NAME##_##E(unsigned char *d, const unsigned char *a, size_t rows,     \
                                        ptrdiff_t lda, const int n) {                              \
        const s_##E id = ID;                                                                       \
        c_##E s[MOST_VECTORS];                                                                     \
        UNROLLED(v, n) s[v] = splat_##E(&id);                                                      \
        for (size_t r = 0; r < rows; r++, a += lda)                                                \
            UNROLLED(v, n) s[v] = OP##_##E(s[v], ld_##E(a + v * N_##E * S_##E));                   \
        UNROLLED(v, n) st_##E(d + v * N_##E * S_##E, s[v]);                                        \
    }                                                                                              \
    PTRT_INLINE void few_##NAME##_##E(unsigned char *d, const unsigned char *a, size_t rows,       \
                                      ptrdiff_t lda) {                                             \
        folds_##NAME##_##E(d, a, rows, lda, 2);                                                    \
    }                                                                                              \
    PTRT_INLINE void many_##NAME##_##E(unsigned char *d, const unsigned char *a, size_t rows,      \
                                       ptrdiff_t lda) {                                            \
        folds_##NAME##_##E(d, a, rows, lda, SEVERAL);                                              \
    }                                                                                              \
    COL_LOOP(NAME, E, SEVERAL, many_##NAME##_##E, 2, few_##NAME##_##E)
/* Reduces SEVERAL vectors at a time with FOLDS, then FEW with FOLD_FEW, then single ones, then the rest. */
#define COL_LOOP(NAME, E, SEVERAL, FOLDS, FEW, FOLD_FEW)                                           \
    static void colreduce_##NAME##_##E(const ptrt_args *x) {                                       \
        const unsigned char *a = x->p[0];                                                          \
        unsigned char *d = x->p[1];                                                                \
        const size_t rows = x->rows, cols = x->cols;                                               \
        const ptrdiff_t lda = x->ld[0] * S_##E;                                                    \
        size_t c = 0;                                                                              \
        for (; c + SEVERAL * N_##E <= cols; c += SEVERAL * N_##E)                                  \
            FOLDS(d + c * S_##E, a + c * S_##E, rows, lda);                                        \
        for (; FEW < SEVERAL && c + FEW * N_##E <= cols; c += FEW * N_##E)                         \
            FOLD_FEW(d + c * S_##E, a + c * S_##E, rows, lda);                                     \
        for (; c + N_##E <= cols; c += N_##E)                                                      \
            st_##E(d + c * S_##E, fold_##NAME##_##E(a + c * S_##E, rows, lda, N_##E));             \
        if (c < cols)                                                                              \
            stn_##E(d + c * S_##E, fold_##NAME##_##E(a + c * S_##E, rows, lda, cols - c),          \
                    cols - c);                                                                     \
    }
#define COL_FOLD_(NAME, OP, ID, E) COL_FOLD(NAME, OP, E, ID, PLAIN_VECTORS)
UNSIGNED(COL_FOLD_, sum, sum, 0)
WHOLE(COL_FOLD_, sum, sum, 0)
COL_FOLD(sum, sumr, f16, 0, PLAIN_VECTORS)
COL_FOLD(sum, sumr, bf16, 0, PLAIN_VECTORS)
UNSIGNED(COL_FOLD_, prod, prod, 1)
WHOLE(COL_FOLD_, prod, prod, 1)
COL_FOLD(prod, prod, f16, 0x3C00, PLAIN_VECTORS)
COL_FOLD(prod, prod, bf16, 0x3F80, PLAIN_VECTORS)

/* Adds rows in pairs until one is left in the scratch memory, which has a row for every pair and one
 * more. */
#define COL_SUM(OP, E)                                                                             \
    static void add_rows_##E(unsigned char *d, const unsigned char *a, const unsigned char *b,     \
                             size_t cols) {                                                        \
        size_t c = 0;                                                                              \
        for (; c + N_##E <= cols; c += N_##E)                                                      \
            st_##E(d + c * S_##E, OP##_##E(ld_##E(a + c * S_##E), ld_##E(b + c * S_##E)));         \
        const size_t n = cols - c;                                                                 \
        if (n > 0)                                                                                 \
            stn_##E(d + c * S_##E,                                                                 \
                    OP##_##E(ldn_##E(a + c * S_##E, n), ldn_##E(b + c * S_##E, n)), n);            \
    }                                                                                              \
    static void colsum_sum_##E(const ptrt_args *x) {                                               \
        const int pairs = *(const int *)x->how;                                                    \
        const size_t cols = x->cols, row = cols * S_##E;                                           \
        const unsigned char *a = x->p[0];                                                          \
        unsigned char *t = x->scratch;                                                             \
        ptrdiff_t lda = x->ld[0] * S_##E;                                                          \
        if (pairs == PTRT_IN_ORDER) {                                                              \
            colreduce_sum_##E(x);                                                                  \
            return;                                                                                \
        }                                                                                          \
        for (size_t n = x->rows; n > 1; n /= 2, a = t, lda = (ptrdiff_t)row) {                     \
            unsigned char *odd = pairs == PTRT_ODD_TO_LAST ? t + (n / 2 - 1) * row : t;            \
            for (size_t k = 0; k < n / 2; k++)                                                     \
                add_rows_##E(t + k * row, a + 2 * (ptrdiff_t)k * lda,                              \
                             a + (2 * (ptrdiff_t)k + 1) * lda, cols);                              \
            if (n % 2 != 0) add_rows_##E(odd, odd, a + (ptrdiff_t)(n - 1) * lda, cols);            \
        }                                                                                          \
        memcpy(x->p[1], a, row);                                                                   \
    }
UNSIGNED(COL_SUM, sum)
WHOLE(COL_SUM, sum)
COL_SUM(sumr, f16)
COL_SUM(sumr, bf16)

/* Rows are compared in order, so the first extreme needs no look-up. Several vectors at a time, so
 * that steps need not wait for each other. */
#define COL_EXTREME(OP, E)                                                                         \
    PTRT_INLINE c_##E fold_##OP##_##E(const unsigned char *a, size_t rows, ptrdiff_t lda,          \
                                      size_t few) {                                                \
        c_##E s = COLUMNS(E, a, few);                                                              \
        for (size_t r = 1; r < rows; r++) {                                                        \
            a += lda;                                                                              \
            s = OP##_##E(s, COLUMNS(E, a, few));                                                   \
        }                                                                                          \
        return s;                                                                                  \
    }                                                                                              \
    PTRT_INLINE void folds_##OP##_##E(unsigned char *d, const unsigned char *a, size_t rows,       \
                                      ptrdiff_t lda) {                                             \
        enum { W = N_##E * S_##E };                                                                \
        c_##E s = ld_##E(a), t = ld_##E(a + W), u = ld_##E(a + 2 * W), v = ld_##E(a + 3 * W);      \
        for (size_t r = 1; r < rows; r++) {                                                        \
            a += lda;                                                                              \
            s = OP##_##E(s, ld_##E(a)), t = OP##_##E(t, ld_##E(a + W));                            \
            u = OP##_##E(u, ld_##E(a + 2 * W)), v = OP##_##E(v, ld_##E(a + 3 * W));                \
        }                                                                                          \
        st_##E(d, s), st_##E(d + W, t), st_##E(d + 2 * W, u), st_##E(d + 3 * W, v);                \
    }                                                                                              \
    COL_LOOP(OP, E, 4, folds_##OP##_##E, 4, folds_##OP##_##E)                                      \
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
    static void colarg_##OP##_##E(const ptrt_args *x) {                                            \
        const unsigned char *a = x->p[0];                                                          \
        unsigned char *d = x->p[1];                                                                \
        const size_t rows = x->rows, cols = x->cols;                                               \
        const ptrdiff_t lda = x->ld[0] * S_##E;                                                    \
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

/* Adds neighbours; a last element without a partner is added to 0. d has half the columns. */
#define PAIRS(E)                                                                                   \
    static void rowpairs_add_##E(const ptrt_args *x) {                                             \
        const s_##E *a = x->p[0];                                                                  \
        s_##E *d = x->p[1], even[N_##E] = {0}, odd[N_##E] = {0};                                   \
        const size_t cols = x->cols;                                                               \
        const ptrdiff_t lda = x->ld[0], ldd = x->ld[1];                                            \
        for (size_t rows = x->rows; rows > 0; rows--, a += lda, d += ldd) {                        \
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
/* clang-format on */
#include "kern/family.h"
