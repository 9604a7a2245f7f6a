/* SPDX-License-Identifier: Apache-2.0 */
/* map.h - loops of elementwise bodies, in the shapes map1, map2 and maps (kern.h). An operation is
 * a function OP_E(c_E x[, c_E y]) on compute vectors; MAP1(ROW, OP, E), MAP2(ROW, OP, E) and
 * MAPS(ROW, OP, E) define the bodies map1_OP_E, map2_OP_E and maps_OP_E. ROW is SHORT for
 * operations as cheap as their loads, else LOOP.
 *
 * The last vector of a row overlaps the one before it, so that a row of at least one vector is
 * processed in whole vectors. It is computed before anything of the row is stored, because in place
 * the stores would change its sources. */
#ifndef PTORT_KERN_MAP_H
#define PTORT_KERN_MAP_H

#include "kern/vec.h"

/* Evaluates EXPR with `at` = OFFSET. */
#define PTRT_AT(OFFSET, EXPR)                                                                      \
    __extension__({                                                                                \
        const size_t at = (OFFSET);                                                                \
        EXPR;                                                                                      \
    })

/* d[0 .. n) = EXPR at byte offset `at`; n is at least W. */
#define PTRT_MAP_LOOP(E, EXPR)                                                                     \
    {                                                                                              \
        const c_##E last = PTRT_AT(n - W, EXPR);                                                   \
        size_t o = 0;                                                                              \
        for (; o + 2 * W < n; o += 2 * W) {                                                        \
            const c_##E r0 = PTRT_AT(o, EXPR), r1 = PTRT_AT(o + W, EXPR);                          \
            st_##E(d + o, r0);                                                                     \
            st_##E(d + o + W, r1);                                                                 \
        }                                                                                          \
        if (o + W < n) st_##E(d + o, PTRT_AT(o, EXPR));                                            \
        st_##E(d + n - W, last);                                                                   \
    }

/* The same with fewer branches per vector. Each vector is stored at once, because grouped vectors
 * would wait for each other. */
#define PTRT_MAP_SHORT(E, EXPR)                                                                    \
    {                                                                                              \
        const c_##E last = PTRT_AT(n - W, EXPR);                                                   \
        size_t o = 0;                                                                              \
        for (; o + 4 * W < n; o += 4 * W) {                                                        \
            st_##E(d + o, PTRT_AT(o, EXPR));                                                       \
            st_##E(d + o + W, PTRT_AT(o + W, EXPR));                                               \
            st_##E(d + o + 2 * W, PTRT_AT(o + 2 * W, EXPR));                                       \
            st_##E(d + o + 3 * W, PTRT_AT(o + 3 * W, EXPR));                                       \
        }                                                                                          \
        if (o + 2 * W < n) {                                                                       \
            st_##E(d + o, PTRT_AT(o, EXPR));                                                       \
            st_##E(d + o + W, PTRT_AT(o + W, EXPR));                                               \
            o += 2 * W;                                                                            \
        }                                                                                          \
        if (o + W < n) st_##E(d + o, PTRT_AT(o, EXPR));                                            \
        st_##E(d + n - W, last);                                                                   \
    }

/* The same of e^EXPR, of several vectors at a time. Only the last vector of a row that is not a
 * multiple of a vector overlaps another one; its source is read before anything is stored. */
#define PTRT_MAP_EXPS(E, EXPR)                                                                     \
    {                                                                                              \
        c_##E x[PTRT_EXPS], last = PTRT_AT(n - W, EXPR);                                           \
        size_t o = 0;                                                                              \
        for (; n - o >= PTRT_EXPS * W; o += PTRT_EXPS * W) {                                       \
            _Pragma("GCC unroll 8") for (int i = 0; i < PTRT_EXPS; i++) x[i] =                     \
                PTRT_AT(o + (size_t)i * W, EXPR);                                                  \
            exps_f32(x, PTRT_EXPS);                                                                \
            _Pragma("GCC unroll 8") for (int i = 0; i < PTRT_EXPS; i++)                            \
                st_##E(d + o + (size_t)i * W, x[i]);                                               \
        }                                                                                          \
        for (; o + W < n; o += W)                                                                  \
            st_##E(d + o, exp_f32(PTRT_AT(o, EXPR)));                                              \
        if (o < n) st_##E(d + n - W, exp_f32(last));                                               \
    }

/* ---- the parts of a body ---- */

/* A SHORT body handles one long row, the common case, without saving registers; several rows, and
 * rows shorter than a vector, are separate functions. LOOP bodies handle one and several rows
 * alike. */
#define PTRT_APART static __attribute__((noinline))

#define PTRT_MAP_START(E)                                                                          \
    unsigned char *d = dp;                                                                         \
    const unsigned char *a = ap;                                                                   \
    enum { W = N_##E * S_##E };                                                                    \
    const size_t n = cols * S_##E;

#define PTRT_ARGS1 void *dp, const void *ap, size_t rows, size_t cols, ptrdiff_t ldd, ptrdiff_t lda
#define PTRT_ARGS2                                                                                 \
    void *dp, const void *ap, const void *bp, size_t rows, size_t cols, const ptrdiff_t *ld
#define PTRT_ARGSS                                                                                 \
    void *dp, const void *ap, const void *kp, size_t rows, size_t cols, ptrdiff_t ldd,             \
        ptrdiff_t lda, ptrdiff_t ldk

#define PTRT_EACH1(E) for (; rows > 0; rows--, d += ldd * S_##E, a += lda * S_##E)
#define PTRT_EACH2(E)                                                                              \
    const ptrdiff_t ldd = ld[0] * S_##E, lda = ld[1] * S_##E, ldb = ld[2] * S_##E;                 \
    for (; rows > 0; rows--, d += ldd, a += lda, b += ldb)
#define PTRT_EACHS(E) for (; rows > 0; rows--, d += ldd * S_##E, a += lda * S_##E, k += ldk * S_##E)

/* What a kind of row computes with its loop: OP, or the powers of OP that it raises e to. */
#define PTRT_FN_SHORT(OP, E) OP##_##E
#define PTRT_FN_LOOP(OP, E) OP##_##E
#define PTRT_FN_EXPS(OP, E) OP##_power_##E
#define PTRT_ROW1(ROW, OP, E) PTRT_MAP_##ROW(E, PTRT_FN_##ROW(OP, E)(ld_##E(a + at)))
#define PTRT_ROW2(ROW, OP, E)                                                                      \
    PTRT_MAP_##ROW(E, PTRT_FN_##ROW(OP, E)(ld_##E(a + at), ld_##E(b + at)))
#define PTRT_ROWS(ROW, OP, E) PTRT_MAP_##ROW(E, PTRT_FN_##ROW(OP, E)(ld_##E(a + at), y))

/* ---- one tile ---- */

#define MAP1(ROW, OP, E) MAP1_(ROW, OP, E)
#define MAP1_(ROW, OP, E)                                                                          \
    PTRT_APART void few1_##OP##_##E(PTRT_ARGS1) {                                                  \
        unsigned char *d = dp;                                                                     \
        const unsigned char *a = ap;                                                               \
        PTRT_EACH1(E) stn_##E(d, OP##_##E(ldn_##E(a, cols)), cols);                                \
    }                                                                                              \
    MAP1_##ROW(OP, E)
#define MAP1_SHORT(OP, E)                                                                          \
    PTRT_APART void rows1_##OP##_##E(PTRT_ARGS1) {                                                 \
        PTRT_MAP_START(E)                                                                          \
        PTRT_EACH1(E) PTRT_ROW1(SHORT, OP, E)                                                      \
    }                                                                                              \
    static void map1_##OP##_##E(PTRT_ARGS1) {                                                      \
        PTRT_MAP_START(E)                                                                          \
        if (n < W)                                                                                 \
            few1_##OP##_##E(dp, ap, rows, cols, ldd, lda);                                         \
        else if (rows != 1)                                                                        \
            rows1_##OP##_##E(dp, ap, rows, cols, ldd, lda);                                        \
        else                                                                                       \
            PTRT_ROW1(SHORT, OP, E)                                                                \
    }
#define MAP1_LOOP(OP, E) MAP1_ROWS(LOOP, OP, E)
#define MAP1_EXPS(OP, E) MAP1_ROWS(EXPS, OP, E)
#define MAP1_ROWS(ROW, OP, E)                                                                      \
    static void map1_##OP##_##E(PTRT_ARGS1) {                                                      \
        PTRT_MAP_START(E)                                                                          \
        if (n < W)                                                                                 \
            few1_##OP##_##E(dp, ap, rows, cols, ldd, lda);                                         \
        else                                                                                       \
            PTRT_EACH1(E) PTRT_ROW1(ROW, OP, E)                                                    \
    }

/* ---- two tiles ---- */

#define MAP2(ROW, OP, E) MAP2_(ROW, OP, E)
#define MAP2_(ROW, OP, E)                                                                          \
    PTRT_APART int few2_##OP##_##E(PTRT_ARGS2) {                                                   \
        unsigned char *d = dp;                                                                     \
        const unsigned char *a = ap, *b = bp;                                                      \
        PTRT_EACH2(E) stn_##E(d, OP##_##E(ldn_##E(a, cols), ldn_##E(b, cols)), cols);              \
        return 0;                                                                                  \
    }                                                                                              \
    PTRT_APART int rows2_##OP##_##E(PTRT_ARGS2) {                                                  \
        const unsigned char *b = bp;                                                               \
        PTRT_MAP_START(E)                                                                          \
        PTRT_EACH2(E) PTRT_ROW2(ROW, OP, E) return 0;                                              \
    }                                                                                              \
    static int map2_##OP##_##E(PTRT_ARGS2) {                                                       \
        const unsigned char *b = bp;                                                               \
        PTRT_MAP_START(E)                                                                          \
        if (n < W) return few2_##OP##_##E(dp, ap, bp, rows, cols, ld);                             \
        MAP2_##ROW(OP, E)                                                                          \
    }
#define MAP2_SHORT(OP, E)                                                                          \
    if (rows != 1) return rows2_##OP##_##E(dp, ap, bp, rows, cols, ld);                            \
    PTRT_ROW2(SHORT, OP, E)                                                                        \
    return 0;
#define MAP2_LOOP(OP, E)                                                                           \
    (void)d, (void)a, (void)b;                                                                     \
    return rows2_##OP##_##E(dp, ap, bp, rows, cols, ld);
#define MAP2_EXPS MAP2_LOOP

/* ---- a tile and a scalar, or an element for each row ---- */

#define MAPS(ROW, OP, E) MAPS_(ROW, OP, E)
#define MAPS_(ROW, OP, E)                                                                          \
    PTRT_APART void fews_##OP##_##E(PTRT_ARGSS) {                                                  \
        unsigned char *d = dp;                                                                     \
        const unsigned char *a = ap, *k = kp;                                                      \
        PTRT_EACHS(E) stn_##E(d, OP##_##E(ldn_##E(a, cols), splat_##E(k)), cols);                  \
    }                                                                                              \
    MAPS_##ROW(OP, E)
#define MAPS_SHORT(OP, E)                                                                          \
    PTRT_APART void rowss_##OP##_##E(PTRT_ARGSS) {                                                 \
        const unsigned char *k = kp;                                                               \
        PTRT_MAP_START(E)                                                                          \
        PTRT_EACHS(E) {                                                                            \
            const c_##E y = splat_##E(k);                                                          \
            PTRT_ROWS(SHORT, OP, E)                                                                \
        }                                                                                          \
    }                                                                                              \
    static void maps_##OP##_##E(PTRT_ARGSS) {                                                      \
        PTRT_MAP_START(E)                                                                          \
        if (n < W) {                                                                               \
            fews_##OP##_##E(dp, ap, kp, rows, cols, ldd, lda, ldk);                                \
        } else if (rows != 1) {                                                                    \
            rowss_##OP##_##E(dp, ap, kp, rows, cols, ldd, lda, ldk);                               \
        } else {                                                                                   \
            const c_##E y = splat_##E(kp);                                                         \
            PTRT_ROWS(SHORT, OP, E)                                                                \
        }                                                                                          \
    }
#define MAPS_LOOP(OP, E) MAPS_ROWS(LOOP, OP, E)
#define MAPS_EXPS(OP, E) MAPS_ROWS(EXPS, OP, E)
#define MAPS_ROWS(ROW, OP, E)                                                                      \
    static void maps_##OP##_##E(PTRT_ARGSS) {                                                      \
        const unsigned char *k = kp;                                                               \
        PTRT_MAP_START(E)                                                                          \
        if (n < W)                                                                                 \
            fews_##OP##_##E(dp, ap, kp, rows, cols, ldd, lda, ldk);                                \
        else                                                                                       \
            PTRT_EACHS(E) {                                                                        \
                const c_##E y = splat_##E(k);                                                      \
                PTRT_ROWS(ROW, OP, E)                                                              \
            }                                                                                      \
    }

/* ---- bf16 in whole registers ---- */

/* Even elements of a register become f32 lanes by a shift, odd ones by clearing the low halves. */
PTRT_INLINE c_bf16 even_bf16(v_u32 v) {
    return AS(f32, v << 16);
}
PTRT_INLINE c_bf16 odd_bf16(v_u32 v) {
    return AS(f32, v & 0xFFFF0000u);
}
/* Rounds results of arithmetic as st_bf16 does and interleaves them. */
PTRT_INLINE v_u32 join_bf16(c_bf16 even, c_bf16 odd) {
    const v_u32 e = AS(u32, even), o = AS(u32, odd);
    return (e + 0x7FFFu + (e >> 16 & 1u)) >> 16 | ((o + 0x7FFFu + (o >> 16 & 1u)) & 0xFFFF0000u);
}

/* MAP2 and MAPS of bf16. Rows shorter than a register use single compute vectors. */
#define MAP_PAIRS(OP)                                                                              \
    PTRT_INLINE v_u32 pairs_##OP(v_u32 x, v_u32 y) {                                               \
        return join_bf16(OP##_bf16(even_bf16(x), even_bf16(y)),                                    \
                         OP##_bf16(odd_bf16(x), odd_bf16(y)));                                     \
    }                                                                                              \
    PTRT_INLINE void row2_##OP(unsigned char *d, const unsigned char *a, const unsigned char *b,   \
                               size_t n) {                                                         \
        enum { W = VB };                                                                           \
        PTRT_MAP_LOOP(u32, pairs_##OP(ld_u32(a + at), ld_u32(b + at)))                             \
    }                                                                                              \
    PTRT_INLINE void rows_##OP(unsigned char *d, const unsigned char *a, c_bf16 y, size_t n) {     \
        enum { W = VB };                                                                           \
        const v_u32 k = AS(u32, y) | AS(u32, y) >> 16;                                             \
        PTRT_MAP_LOOP(u32, pairs_##OP(ld_u32(a + at), k))                                          \
    }                                                                                              \
    static int map2_##OP##_bf16(PTRT_ARGS2) {                                                      \
        const unsigned char *b = bp;                                                               \
        PTRT_MAP_START(bf16)                                                                       \
        PTRT_EACH2(bf16) {                                                                         \
            if (n >= VB)                                                                           \
                row2_##OP(d, a, b, n);                                                             \
            else if (n < W)                                                                        \
                stn_bf16(d, OP##_bf16(ldn_bf16(a, cols), ldn_bf16(b, cols)), cols);                \
            else                                                                                   \
                PTRT_MAP_LOOP(bf16, OP##_bf16(ld_bf16(a + at), ld_bf16(b + at)))                   \
        }                                                                                          \
        return 0;                                                                                  \
    }                                                                                              \
    static void maps_##OP##_bf16(PTRT_ARGSS) {                                                     \
        const unsigned char *k = kp;                                                               \
        PTRT_MAP_START(bf16)                                                                       \
        PTRT_EACHS(bf16) {                                                                         \
            const c_bf16 y = splat_bf16(k);                                                        \
            if (n >= VB)                                                                           \
                rows_##OP(d, a, y, n);                                                             \
            else if (n < W)                                                                        \
                stn_bf16(d, OP##_bf16(ldn_bf16(a, cols), y), cols);                                \
            else                                                                                   \
                PTRT_MAP_LOOP(bf16, OP##_bf16(ld_bf16(a + at), y))                                 \
        }                                                                                          \
    }

#endif
