/* SPDX-License-Identifier: Apache-2.0 */
/* chain.c - elementwise steps of chains on eight vectors in registers (kern/chain.h). */
#include "ptort_emitted.h"

#include "kern/arith.h"
#include "kern/bf16.h"
#include "kern/chain.h"

enum { N = N_f32, GROUP = 8 * N };

/* `at` is the first element of the group. */
#define STEP_ARGS                                                                                  \
    const ptrt_lane *l, size_t at, v_f32 x0, v_f32 x1, v_f32 x2, v_f32 x3, v_f32 x4, v_f32 x5,     \
        v_f32 x6, v_f32 x7
typedef void (*step_fn)(STEP_ARGS);
#define NEXT ((step_fn)l[1].fn)(l + 1, at, x0, x1, x2, x3, x4, x5, x6, x7);

/* x_k = EXPR of x, the old value, and k. */
#define STEP(NAME, EXPR)                                                                           \
    static void NAME(STEP_ARGS) {                                                                  \
        STEP_ONE(0, EXPR)                                                                          \
        STEP_ONE(1, EXPR)                                                                          \
        STEP_ONE(2, EXPR)                                                                          \
        STEP_ONE(3, EXPR)                                                                          \
        STEP_ONE(4, EXPR) STEP_ONE(5, EXPR) STEP_ONE(6, EXPR) STEP_ONE(7, EXPR) NEXT               \
    }
#define STEP_ONE(K, EXPR)                                                                          \
    {                                                                                              \
        enum { k = K };                                                                            \
        const v_f32 x = x##K;                                                                      \
        (void)x;                                                                                   \
        x##K = EXPR;                                                                               \
    }
/* The same of x_k = e^EXPR. */
#define STEP_EXP(NAME, EXPR)                                                                       \
    static void NAME(STEP_ARGS) {                                                                  \
        v_f32 all[8] = {STEP_POWER(0, EXPR), STEP_POWER(1, EXPR), STEP_POWER(2, EXPR),             \
                        STEP_POWER(3, EXPR), STEP_POWER(4, EXPR), STEP_POWER(5, EXPR),             \
                        STEP_POWER(6, EXPR), STEP_POWER(7, EXPR)};                                 \
        exps_f32(all, 8);                                                                          \
        ((step_fn)l[1].fn)(l + 1, at, all[0], all[1], all[2], all[3], all[4], all[5], all[6],      \
                           all[7]);                                                                \
    }
#define STEP_POWER(K, EXPR)                                                                        \
    __extension__({                                                                                \
        enum { k = K };                                                                            \
        const v_f32 x = x##K;                                                                      \
        EXPR;                                                                                      \
    })
#define MEMORY ld_f32(l->p + 4 * (at + (size_t)k * N))
#define ONE(WAY, OP) WAY(one_##OP, OP##_f32(x))
#define TWO_WAYS(WAY, OP)                                                                          \
    WAY(left_##OP, OP##_f32(x, MEMORY))                                                            \
    WAY(right_##OP, OP##_f32(MEMORY, x))                                                           \
    WAY(self_##OP, OP##_f32(x, x))                                                                 \
    WAY(scalar_##OP, OP##_f32(x, splat_f32(l->p)))

TWO_WAYS(STEP, add)
TWO_WAYS(STEP, sub)
TWO_WAYS(STEP, mul)
TWO_WAYS(STEP, max)
TWO_WAYS(STEP, min)
TWO_WAYS(STEP, div)
STEP_EXP(left_expdif, DIFFERENCE_f32(x, MEMORY))
STEP_EXP(scalar_expdif, DIFFERENCE_f32(x, splat_f32(l->p)))
ONE(STEP, abs)
ONE(STEP, neg)
ONE(STEP, relu)
ONE(STEP, recip)
ONE(STEP, sqrt)
STEP_EXP(one_exp, x)

/* ---- memory ---- */

STEP(load_f32, MEMORY)
STEP(load_f16, ld_f16(l->p + 2 * (at + (size_t)k * N)))
STEP(load_bf16, ld_bf16(l->p + 2 * (at + (size_t)k * N)))

#define STORE(NAME, TEXT)                                                                          \
    static void NAME(STEP_ARGS) {                                                                  \
        unsigned char *d = (unsigned char *)(uintptr_t)l->p;                                       \
        TEXT NEXT                                                                                  \
    }
#define PUT_ALL(ST, SIZE, VALUE)                                                                   \
    d += (SIZE)*at;                                                                                \
    ST(d, VALUE(x0));                                                                              \
    ST(d + (SIZE)*N, VALUE(x1));                                                                   \
    ST(d + 2 * (SIZE)*N, VALUE(x2));                                                               \
    ST(d + 3 * (SIZE)*N, VALUE(x3));                                                               \
    ST(d + 4 * (SIZE)*N, VALUE(x4));                                                               \
    ST(d + 5 * (SIZE)*N, VALUE(x5));                                                               \
    ST(d + 6 * (SIZE)*N, VALUE(x6));                                                               \
    ST(d + 7 * (SIZE)*N, VALUE(x7));
#define SAME(x) x
#define CLAMPED_F16(x) f16_round(f16_clamp(x))
STORE(store_f32, PUT_ALL(st_f32, 4, SAME))
STORE(store_f16, PUT_ALL(st_half, 2, CLAMPED_F16))
STORE(open_f16, PUT_ALL(st_half, 2, f16_round))
#define PUT_BF16(HOW)                                                                              \
    d += 2 * at;                                                                                   \
    st_bf16_##HOW(d, x0, x1, x2, x3);                                                              \
    st_bf16_##HOW(d + 8 * N, x4, x5, x6, x7);
STORE(store_bf16, PUT_BF16(clamped))
STORE(open_bf16, PUT_BF16(open))

/* ---- two steps in one: a jump takes as long as half of the work of a step ---- */

#define OF_LANE(LANE, SIZE, LD) LD((LANE)->p + (SIZE) * (at + (size_t)k * N))
#define DOES_load_f32(LANE) OF_LANE(LANE, 4, ld_f32)
#define DOES_load_f16(LANE) OF_LANE(LANE, 2, ld_f16)
#define DOES_load_bf16(LANE) OF_LANE(LANE, 2, ld_bf16)
#define DOES_left_add(LANE) add_f32(x, DOES_load_f32(LANE))
#define DOES_left_sub(LANE) sub_f32(x, DOES_load_f32(LANE))
#define DOES_left_mul(LANE) mul_f32(x, DOES_load_f32(LANE))
#define DOES_left_max(LANE) max_f32(x, DOES_load_f32(LANE))
#define DOES_left_min(LANE) min_f32(x, DOES_load_f32(LANE))
#define DOES_scalar_add(LANE) add_f32(x, splat_f32((LANE)->p))
#define DOES_scalar_sub(LANE) sub_f32(x, splat_f32((LANE)->p))
#define DOES_scalar_mul(LANE) mul_f32(x, splat_f32((LANE)->p))
#define DOES_scalar_max(LANE) max_f32(x, splat_f32((LANE)->p))
#define DOES_scalar_min(LANE) min_f32(x, splat_f32((LANE)->p))
#define DOES_self_mul(LANE) mul_f32(x, x)
#define DOES_one_neg(LANE) neg_f32(x)

#define NEXT_BUT_ONE ((step_fn)l[2].fn)(l + 2, at, x0, x1, x2, x3, x4, x5, x6, x7);
#define BOTH_ONE(K, A, B)                                                                          \
    {                                                                                              \
        enum { k = K };                                                                            \
        v_f32 x = x##K;                                                                            \
        (void)x;                                                                                   \
        x = DOES_##A(l);                                                                           \
        x = DOES_##B(l + 1);                                                                       \
        x##K = x;                                                                                  \
    }
#define BOTH(A, B)                                                                                 \
    static void A##_##B(STEP_ARGS) {                                                               \
        BOTH_ONE(0, A, B)                                                                          \
        BOTH_ONE(1, A, B)                                                                          \
        BOTH_ONE(2, A, B)                                                                          \
        BOTH_ONE(3, A, B)                                                                          \
        BOTH_ONE(4, A, B)                                                                          \
        BOTH_ONE(5, A, B)                                                                          \
        BOTH_ONE(6, A, B)                                                                          \
        BOTH_ONE(7, A, B)                                                                          \
        NEXT_BUT_ONE                                                                               \
    }
#define DO_ONE(K, A)                                                                               \
    {                                                                                              \
        enum { k = K };                                                                            \
        const v_f32 x = x##K;                                                                      \
        (void)x;                                                                                   \
        x##K = DOES_##A(l);                                                                        \
    }
#define AND_STORED(A, STORE, TEXT)                                                                 \
    static void A##_##STORE(STEP_ARGS) {                                                           \
        unsigned char *d = (unsigned char *)(uintptr_t)l[1].p;                                     \
        DO_ONE(0, A)                                                                               \
        DO_ONE(1, A)                                                                               \
        DO_ONE(2, A)                                                                               \
        DO_ONE(3, A) DO_ONE(4, A) DO_ONE(5, A) DO_ONE(6, A) DO_ONE(7, A) TEXT NEXT_BUT_ONE         \
    }

#define WITH_MEMORY(X, A) X(A, left_add) X(A, left_sub) X(A, left_mul) X(A, left_max) X(A, left_min)
#define WITH_SCALARS(X, A)                                                                         \
    X(A, scalar_add) X(A, scalar_sub) X(A, scalar_mul) X(A, scalar_max) X(A, scalar_min)
#define SECONDS(X, A) WITH_MEMORY(X, A) WITH_SCALARS(X, A)
#define STORED_FIRSTS(X)                                                                           \
    X(left_add)                                                                                    \
    X(left_sub)                                                                                    \
    X(left_mul)                                                                                    \
    X(left_max)                                                                                    \
    X(left_min) X(scalar_add) X(scalar_sub) X(scalar_mul) X(scalar_max) X(scalar_min)
#define PAIRS(X)                                                                                   \
    SECONDS(X, load_f32)                                                                           \
    SECONDS(X, load_f16)                                                                           \
    SECONDS(X, load_bf16)                                                                          \
    X(load_f32, self_mul)                                                                          \
    X(load_f16, self_mul)                                                                          \
    X(load_bf16, self_mul)                                                                         \
    X(load_f32, one_neg)                                                                           \
    X(load_f16, one_neg)                                                                           \
    X(load_bf16, one_neg)                                                                          \
    SECONDS(X, left_add)                                                                           \
    SECONDS(X, left_sub)                                                                           \
    SECONDS(X, left_mul)                                                                           \
    SECONDS(X, left_max)                                                                           \
    SECONDS(X, left_min)                                                                           \
    SECONDS(X, scalar_add)                                                                         \
    SECONDS(X, scalar_sub)                                                                         \
    SECONDS(X, scalar_mul) SECONDS(X, scalar_max) SECONDS(X, scalar_min)

PAIRS(BOTH)
#define WITH_STORES(A)                                                                             \
    AND_STORED(A, store_f32, PUT_ALL(st_f32, 4, SAME))                                             \
    AND_STORED(A, store_bf16, PUT_BF16(clamped))
STORED_FIRSTS(WITH_STORES)

#define PAIR_ROW(A, B) {(ptrt_body)A, (ptrt_body)B, (ptrt_body)A##_##B},
#define STORED_ROW(A) PAIR_ROW(A, store_f32) PAIR_ROW(A, store_bf16)
static const ptrt_lane_pair pairs[] = {PAIRS(PAIR_ROW) STORED_FIRSTS(STORED_ROW)};

/* ---- lists ---- */

static void end(STEP_ARGS) {
    (void)l, (void)at, (void)x0, (void)x1, (void)x2, (void)x3, (void)x4, (void)x5, (void)x6;
    (void)x7;
}

/* ---- lists ---- */

static void run(ptrt_lane *list, size_t n, size_t rows, size_t cols) {
    const v_f32 none = {0};
    for (size_t r = 0; r < rows; r++) {
        for (size_t at = 0; at < cols; at += GROUP)
            ((step_fn)list->fn)(list, at, none, none, none, none, none, none, none, none);
        for (size_t i = 0; i < n && r + 1 < rows; i++)
            list[i].p += list[i].row;
    }
}

#define ROW(KERNEL, FORM, ELEM, FN) {PTRT_##KERNEL, PTRT_LANE_##FORM, PTRT_##ELEM, (ptrt_body)FN},
#define MAP_ROWS(KERNEL, OP)                                                                       \
    ROW(T##KERNEL, LEFT, F32, left_##OP)                                                           \
    ROW(T##KERNEL, RIGHT, F32, right_##OP)                                                         \
    ROW(T##KERNEL, SELF, F32, self_##OP)                                                           \
    ROW(TCOLEXPAND##KERNEL, LEFT, F32, left_##OP)                                                  \
    ROW(T##KERNEL##S, SCALAR, F32, scalar_##OP)                                                    \
    ROW(TROWEXPAND##KERNEL, SCALAR, F32, scalar_##OP)
static const ptrt_lane_row rows[] = {
    MAP_ROWS(ADD, add) MAP_ROWS(SUB, sub) MAP_ROWS(MUL, mul) MAP_ROWS(MAX, max) MAP_ROWS(MIN, min)
        MAP_ROWS(DIV, div) ROW(TCOLEXPANDEXPDIF, LEFT, F32,
                               left_expdif) ROW(TROWEXPANDEXPDIF, SCALAR, F32, scalar_expdif)
            ROW(TABS, ONE, F32, one_abs) ROW(TNEG, ONE, F32, one_neg) ROW(TRELU, ONE, F32, one_relu)
                ROW(TRECIP, ONE, F32, one_recip) ROW(TSQRT, ONE, F32, one_sqrt)
                    ROW(TEXP, ONE, F32, one_exp) ROW(NO_KERNEL, LOAD, F32, load_f32)
                        ROW(NO_KERNEL, LOAD, F16, load_f16) ROW(NO_KERNEL, LOAD, BF16, load_bf16)
                            ROW(NO_KERNEL, STORE, F32, store_f32)
                                ROW(NO_KERNEL, STORE, F16, store_f16)
                                    ROW(NO_KERNEL, STORE_OPEN, F16, open_f16)
                                        ROW(NO_KERNEL, STORE, BF16, store_bf16)
                                            ROW(NO_KERNEL, STORE_OPEN, BF16, open_bf16)};

extern const ptrt_lanes PTRT_CAT(ptrt_lanes, PTRT_LEVEL);
const ptrt_lanes PTRT_CAT(ptrt_lanes, PTRT_LEVEL) = {GROUP,
                                                     run,
                                                     (ptrt_body)end,
                                                     rows,
                                                     sizeof rows / sizeof *rows,
                                                     pairs,
                                                     sizeof pairs / sizeof *pairs};
