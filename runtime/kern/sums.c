/* sums.c - bodies of elementwise sums with three inputs. f16 and bf16 are rounded after every
 * operation. */
#include "ptort_emitted.h"

#include "kern/kern.h"
#include "kern/ops.h"

/* Rounds to the type; the result is a compute vector. */
#define STEP_f16(v) f16_widen(f16_round(v))
#define STEP_bf16(v) bf16_widen(bf16_round_result(v))
#define STEP_f32(v) (v)
#define STEP_f64(v) (v)
#define STEP_u8(v) (v)
#define STEP_u16(v) (v)
#define STEP_u32(v) (v)
#define STEP_u64(v) (v)

/* clang-format off */

/* ---- three tiles; two tiles and a scalar ---- */

#define MAP3(OP, E)                                                                                \
    static void map3_##OP##_##E(void *dp, const void *ap, const void *bp, const void *cp,          \
                                size_t rows, size_t cols, ptrdiff_t ldd, ptrdiff_t lda,            \
                                ptrdiff_t ldb, ptrdiff_t ldc) {                                    \
        const unsigned char *b = bp, *c = cp;                                                      \
        PTRT_MAP_START(E)                                                                          \
        ldd *= S_##E, lda *= S_##E, ldb *= S_##E, ldc *= S_##E;                                    \
        for (; rows > 0; rows--, d += ldd, a += lda, b += ldb, c += ldc) {                         \
            if (n < W) {                                                                           \
                stn_##E(d, OP##_##E(ldn_##E(a, cols), ldn_##E(b, cols), ldn_##E(c, cols)), cols);  \
                continue;                                                                          \
            }                                                                                      \
            PTRT_MAP_LOOP(E, OP##_##E(ld_##E(a + at), ld_##E(b + at), ld_##E(c + at)))             \
        }                                                                                          \
    }                                                                                              \
    static void map2s_##OP##_##E(void *dp, const void *ap, const void *kp, const void *cp,         \
                                 size_t rows, size_t cols, ptrdiff_t ldd, ptrdiff_t lda,           \
                                 ptrdiff_t ldk, ptrdiff_t ldc) {                                   \
        const unsigned char *c = cp;                                                               \
        PTRT_MAP_START(E)                                                                          \
        (void)ldk;                                                                                 \
        ldd *= S_##E, lda *= S_##E, ldc *= S_##E;                                                  \
        const c_##E k = splat_##E(kp);                                                             \
        for (; rows > 0; rows--, d += ldd, a += lda, c += ldc) {                                   \
            if (n < W) {                                                                           \
                stn_##E(d, OP##_##E(ldn_##E(a, cols), k, ldn_##E(c, cols)), cols);                 \
                continue;                                                                          \
            }                                                                                      \
            PTRT_MAP_LOOP(E, OP##_##E(ld_##E(a + at), k, ld_##E(c + at)))                          \
        }                                                                                          \
    }
#define OP3(OP, EXPR, E)                                                                           \
    PTRT_INLINE c_##E OP##_##E(c_##E x, c_##E y, c_##E z) {                                        \
        return STEP_##E(EXPR) + z;                                                                 \
    }
WRAPPING(OP3, add, x + y)
WRAPPING(MAP3, add)
WRAPPING(OP3, sub, x - y)
WRAPPING(MAP3, sub)

/* ---- adding a multiple of a tile ---- */

/* Processes N elements at a time; the compute vectors of S and E have equally many lanes. */
#define AXPY(NAME, S, E)                                                                           \
    static void axpy_add_##NAME(void *dp, const void *ap, const void *kp, size_t rows,             \
                                size_t cols, ptrdiff_t ldd, ptrdiff_t lda, ptrdiff_t ldk) {        \
        unsigned char *d = dp;                                                                     \
        const unsigned char *a = ap;                                                               \
        enum { N = N_##E };                                                                        \
        const c_##S k = splat_##S(kp);                                                             \
        (void)ldk;                                                                                 \
        for (; rows > 0; rows--, d += ldd * S_##E, a += lda * S_##S) {                             \
            size_t c = 0;                                                                          \
            for (; c + N <= cols; c += N)                                                          \
                st_##E(d + c * S_##E,                                                              \
                       ld_##E(d + c * S_##E) + STEP_##E(ld_##S(a + c * S_##S) * k));               \
            if (c < cols)                                                                          \
                stn_##E(d + c * S_##E,                                                             \
                        ldn_##E(d + c * S_##E, cols - c) +                                         \
                            STEP_##E(ldn_##S(a + c * S_##S, cols - c) * k),                        \
                        cols - c);                                                                 \
        }                                                                                          \
    }
AXPY(f16, f16, f16)
AXPY(bf16, bf16, bf16)
AXPY(f32, f32, f32)
AXPY(f16_f32, f16, f32)
/* clang-format on */
#include "kern/family.h"
