/* SPDX-License-Identifier: Apache-2.0 */
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

/* SECOND is the second input at byte offset `at`, SECOND_FEW that of a row shorter than a vector. */
#define SUM_ROWS(OP, E, C, D, SECOND, SECOND_FEW)                                                  \
    const unsigned char *a = x->p[0], *b = x->p[1], *c = x->p[C];                                  \
    unsigned char *d = x->p[D];                                                                    \
    enum { W = N_##E * S_##E };                                                                    \
    const ptrdiff_t lda = x->ld[0] * S_##E, ldb = x->ld[1] * S_##E, ldc = x->ld[C] * S_##E,        \
                    ldd = x->ld[D] * S_##E;                                                        \
    const size_t cols = x->cols, n = cols * S_##E;                                                 \
    (void)b;                                                                                       \
    for (size_t rows = x->rows; rows > 0; rows--, a += lda, b += ldb, c += ldc, d += ldd) {        \
        if (n < W)                                                                                 \
            stn_##E(d, OP##_##E(ldn_##E(a, cols), SECOND_FEW, ldn_##E(c, cols)), cols);            \
        else                                                                                       \
            PTRT_MAP_LOOP(E, OP##_##E(ld_##E(a + at), SECOND, ld_##E(c + at)))                     \
    }
#define MAP3(OP, E)                                                                                \
    static void map3_##OP##_##E(const ptrt_args *x) {                                              \
        SUM_ROWS(OP, E, 2, 3, ld_##E(b + at), ldn_##E(b, cols))                                    \
    }                                                                                              \
    static void map2s_##OP##_##E(const ptrt_args *x) {                                             \
        const c_##E k = splat_##E(x->k);                                                           \
        SUM_ROWS(OP, E, 1, 2, k, k)                                                                \
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
    static void axpy_add_##NAME(const ptrt_args *x) {                                              \
        const unsigned char *a = x->p[0];                                                          \
        unsigned char *d = x->p[1];                                                                \
        enum { N = N_##E };                                                                        \
        const c_##S k = splat_##S(x->k);                                                           \
        const ptrdiff_t lda = x->ld[0] * S_##S, ldd = x->ld[1] * S_##E;                            \
        const size_t cols = x->cols;                                                               \
        for (size_t rows = x->rows; rows > 0; rows--, a += lda, d += ldd) {                        \
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
