/* map.h - the loops of elementwise bodies, which treat every element by itself, in the shapes map1,
 * map2 and maps (kern.h). An operation is a function OP_E(c_E x[, c_E y]) on compute vectors;
 * MAP1(ROW, OP, E), MAP2(ROW, OP, E) and MAPS(ROW, OP, E) define map1_OP_E, map2_OP_E and maps_OP_E
 * with it. ROW is PTRT_MAP_SHORT or PTRT_MAP_LOOP.
 *
 * The last vector of a row overlaps the one before it, so that a row of any length from one vector
 * on takes whole vectors only. It is computed before anything of the row is stored: in place, its
 * sources still have their old values. */
#ifndef PTORT_KERN_MAP_H
#define PTORT_KERN_MAP_H

#include "kern/vec.h"

/* EXPR with `at` = OFFSET. */
#define PTRT_AT(OFFSET, EXPR)                                                                      \
    __extension__({                                                                                \
        const size_t at = (OFFSET);                                                                \
        EXPR;                                                                                      \
    })

/* d[0 .. n) = EXPR of the byte offset `at`, n >= W bytes. */
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

/* The same for operations as cheap as their loads: rows of tiles are short, and what a loop costs
 * per vector shows, so the last vectors before the overlapping one have none. A store follows each
 * vector: in groups, they wait for one another. */
#define PTRT_MAP_SHORT(E, EXPR)                                                                    \
    {                                                                                              \
        const c_##E last = PTRT_AT(n - W, EXPR);                                                   \
        size_t o = 0;                                                                              \
        for (; o + 8 * W < n; o += 4 * W) {                                                        \
            st_##E(d + o, PTRT_AT(o, EXPR));                                                       \
            st_##E(d + o + W, PTRT_AT(o + W, EXPR));                                               \
            st_##E(d + o + 2 * W, PTRT_AT(o + 2 * W, EXPR));                                       \
            st_##E(d + o + 3 * W, PTRT_AT(o + 3 * W, EXPR));                                       \
        }                                                                                          \
        switch ((n - o - 1) / W) {                                                                 \
            PTRT_MAP_CASE(E, 7, EXPR)                                                              \
            PTRT_MAP_CASE(E, 6, EXPR)                                                              \
            PTRT_MAP_CASE(E, 5, EXPR)                                                              \
            PTRT_MAP_CASE(E, 4, EXPR)                                                              \
            PTRT_MAP_CASE(E, 3, EXPR)                                                              \
            PTRT_MAP_CASE(E, 2, EXPR)                                                              \
            PTRT_MAP_CASE(E, 1, EXPR)                                                              \
        default:                                                                                   \
            st_##E(d + n - W, last);                                                               \
        }                                                                                          \
    }
#define PTRT_MAP_CASE(E, K, EXPR)                                                                  \
    case K:                                                                                        \
        st_##E(d + o + (K - 1) * W, PTRT_AT(o + (K - 1) * W, EXPR));                               \
        __attribute__((fallthrough));

#define PTRT_MAP_START(E)                                                                          \
    unsigned char *d = dp;                                                                         \
    const unsigned char *a = ap;                                                                   \
    enum { W = N_##E * S_##E };                                                                    \
    const size_t n = cols * S_##E;                                                                 \
    ldd *= S_##E;                                                                                  \
    lda *= S_##E;

#define MAP1(ROW, OP, E)                                                                           \
    static void map1_##OP##_##E(void *dp, const void *ap, size_t rows, size_t cols, ptrdiff_t ldd, \
                                ptrdiff_t lda) {                                                   \
        PTRT_MAP_START(E)                                                                          \
        for (; rows > 0; rows--, d += ldd, a += lda) {                                             \
            if (n < W) {                                                                           \
                stn_##E(d, OP##_##E(ldn_##E(a, cols)), cols);                                      \
                continue;                                                                          \
            }                                                                                      \
            ROW(E, OP##_##E(ld_##E(a + at)))                                                       \
        }                                                                                          \
    }

#define MAP2(ROW, OP, E)                                                                           \
    static void map2_##OP##_##E(void *dp, const void *ap, const void *bp, size_t rows,             \
                                size_t cols, ptrdiff_t ldd, ptrdiff_t lda, ptrdiff_t ldb) {        \
        const unsigned char *b = bp;                                                               \
        PTRT_MAP_START(E)                                                                          \
        ldb *= S_##E;                                                                              \
        for (; rows > 0; rows--, d += ldd, a += lda, b += ldb) {                                   \
            if (n < W) {                                                                           \
                stn_##E(d, OP##_##E(ldn_##E(a, cols), ldn_##E(b, cols)), cols);                    \
                continue;                                                                          \
            }                                                                                      \
            ROW(E, OP##_##E(ld_##E(a + at), ld_##E(b + at)))                                       \
        }                                                                                          \
    }

#define MAPS(ROW, OP, E)                                                                           \
    static void maps_##OP##_##E(void *dp, const void *ap, const void *kp, size_t rows,             \
                                size_t cols, ptrdiff_t ldd, ptrdiff_t lda, ptrdiff_t ldk) {        \
        const unsigned char *k = kp;                                                               \
        PTRT_MAP_START(E)                                                                          \
        ldk *= S_##E;                                                                              \
        c_##E y = splat_##E(k);                                                                    \
        for (; rows > 0; rows--, d += ldd, a += lda, k += ldk) {                                   \
            if (ldk != 0) y = splat_##E(k);                                                        \
            if (n < W) {                                                                           \
                stn_##E(d, OP##_##E(ldn_##E(a, cols), y), cols);                                   \
                continue;                                                                          \
            }                                                                                      \
            ROW(E, OP##_##E(ld_##E(a + at), y))                                                    \
        }                                                                                          \
    }

/* ---- bf16 by whole registers ---- */

/* The even elements of a register are the upper halves of 32-bit lanes after a shift, the odd ones
 * as they lie: both are f32 values without any conversion. */
PTRT_INLINE c_bf16 even_bf16(v_u32 v) {
    return AS(f32, v << 16);
}
PTRT_INLINE c_bf16 odd_bf16(v_u32 v) {
    return AS(f32, v & 0xFFFF0000u);
}
/* Results of arithmetic, rounded as st_bf16 does. */
PTRT_INLINE v_u32 join_bf16(c_bf16 even, c_bf16 odd) {
    const v_u32 e = AS(u32, even), o = AS(u32, odd);
    return (e + 0x7FFFu + (e >> 16 & 1u)) >> 16 | ((o + 0x7FFFu + (o >> 16 & 1u)) & 0xFFFF0000u);
}

/* MAP2 and MAPS of bf16. Rows shorter than a register take the loop of single vectors. */
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
    static void map2_##OP##_bf16(void *dp, const void *ap, const void *bp, size_t rows,            \
                                 size_t cols, ptrdiff_t ldd, ptrdiff_t lda, ptrdiff_t ldb) {       \
        const unsigned char *b = bp;                                                               \
        PTRT_MAP_START(bf16)                                                                       \
        ldb *= S_bf16;                                                                             \
        for (; rows > 0; rows--, d += ldd, a += lda, b += ldb) {                                   \
            if (n >= VB)                                                                           \
                row2_##OP(d, a, b, n);                                                             \
            else if (n < W)                                                                        \
                stn_bf16(d, OP##_bf16(ldn_bf16(a, cols), ldn_bf16(b, cols)), cols);                \
            else                                                                                   \
                PTRT_MAP_LOOP(bf16, OP##_bf16(ld_bf16(a + at), ld_bf16(b + at)))                   \
        }                                                                                          \
    }                                                                                              \
    static void maps_##OP##_bf16(void *dp, const void *ap, const void *kp, size_t rows,            \
                                 size_t cols, ptrdiff_t ldd, ptrdiff_t lda, ptrdiff_t ldk) {       \
        const unsigned char *k = kp;                                                               \
        PTRT_MAP_START(bf16)                                                                       \
        ldk *= S_bf16;                                                                             \
        c_bf16 y = splat_bf16(k);                                                                  \
        for (; rows > 0; rows--, d += ldd, a += lda, k += ldk) {                                   \
            if (ldk != 0) y = splat_bf16(k);                                                       \
            if (n >= VB)                                                                           \
                rows_##OP(d, a, y, n);                                                             \
            else if (n < W)                                                                        \
                stn_bf16(d, OP##_bf16(ldn_bf16(a, cols), y), cols);                                \
            else                                                                                   \
                PTRT_MAP_LOOP(bf16, OP##_bf16(ld_bf16(a + at), y))                                 \
        }                                                                                          \
    }

#endif
