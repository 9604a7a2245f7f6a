/* SPDX-License-Identifier: Apache-2.0 */
/* vchain.c - steps of chains of statements on lanes of 32 bits (kern/vchain.h). What a step
 * computes is what the body of its row computes, but for inactive lanes, which may hold anything:
 * they are zero where something can see them. Vectors of 16 bytes are too many to be arguments:
 * they are in memory, at `from`, and results at `held`. */
#include "kern/vchain.h"

#include "kern/arith.h"
#include "kern/compare.h"
#include "kern/fold.h"

#define LINK const ptrt_vlink *l, const ptrt_mask *m
#define OPERAND(E) ld_##E((const char *)l->p + i)

/* STEP(NAME, E, EXPR) defines a step that changes each vector x at byte i to EXPR: CHANGE does
 * that. LOOK(E, TEXT) runs TEXT for each x and i, LOOK_SMALL the same with less code. */
#if VB == 16
#define STEP_ARGS LINK, const vreg *from, vreg *held
#define NEXT ((step_fn)l[1].fn)(l + 1, m, from, held);
#define CHANGE(E, EXPR)                                                                            \
    _Pragma("GCC unroll 16") for (unsigned i = 0; i < VREG; i += VB) {                             \
        const c_##E x = ld_##E(from->at + i);                                                      \
        (void)x;                                                                                   \
        st_##E(held->at + i, EXPR);                                                                \
    }                                                                                              \
    from = held;
#define LOOK_BY(UNROLL, E, ...)                                                                    \
    UNROLL for (unsigned i = 0; i < VREG; i += VB) {                                               \
        const c_##E x = ld_##E(from->at + i);                                                      \
        __VA_ARGS__                                                                                \
    }
#define LOOK(E, ...) LOOK_BY(_Pragma("GCC unroll 16"), E, __VA_ARGS__)
#define LOOK_SMALL(E, ...) LOOK_BY(_Pragma("GCC unroll 4"), E, __VA_ARGS__)
#else
#if VB == 64
#define EACH_VECTOR(X, ...) X(0, __VA_ARGS__) X(1, __VA_ARGS__) X(2, __VA_ARGS__) X(3, __VA_ARGS__)
#define STEP_ARGS LINK, v_u8 x0, v_u8 x1, v_u8 x2, v_u8 x3
#define VECTORS x0, x1, x2, x3
#define ALL_OF(a) a[0], a[1], a[2], a[3]
#else
#define EACH_VECTOR(X, ...)                                                                        \
    X(0, __VA_ARGS__)                                                                              \
    X(1, __VA_ARGS__)                                                                              \
    X(2, __VA_ARGS__)                                                                              \
    X(3, __VA_ARGS__) X(4, __VA_ARGS__) X(5, __VA_ARGS__) X(6, __VA_ARGS__) X(7, __VA_ARGS__)
#define STEP_ARGS LINK, v_u8 x0, v_u8 x1, v_u8 x2, v_u8 x3, v_u8 x4, v_u8 x5, v_u8 x6, v_u8 x7
#define VECTORS x0, x1, x2, x3, x4, x5, x6, x7
#define ALL_OF(a) a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]
#endif
#define NEXT ((step_fn)l[1].fn)(l + 1, m, VECTORS);
#define CHANGE_ONE(K, E, EXPR)                                                                     \
    {                                                                                              \
        enum { i = K * VB };                                                                       \
        const c_##E x = (c_##E)x##K;                                                               \
        (void)x;                                                                                   \
        x##K = (v_u8)(EXPR);                                                                       \
    }
#define CHANGE(E, EXPR) EACH_VECTOR(CHANGE_ONE, E, EXPR)
#define LOOK_ONE(K, E, ...)                                                                        \
    {                                                                                              \
        enum { i = K * VB };                                                                       \
        const c_##E x = (c_##E)x##K;                                                               \
        __VA_ARGS__                                                                                \
    }
#define LOOK(E, ...) EACH_VECTOR(LOOK_ONE, E, __VA_ARGS__)
#define LOOK_SMALL LOOK
#endif

typedef void (*step_fn)(STEP_ARGS);
#define STEP(NAME, E, EXPR)                                                                        \
    static void NAME(STEP_ARGS) {                                                                  \
        CHANGE(E, EXPR)                                                                            \
        NEXT                                                                                       \
    }

/* ---- arithmetic ---- */

OP1(without_sign, AS(f32, AS(u32, x) & 0x7FFFFFFFu), f32)
OP1(opposite, AS(f32, AS(u32, x) ^ 0x80000000u), f32)
OP1(rectified, SELECT(X_TYPE, x > NONE, x, NONE), f32)

#define BOTH_WAYS(OP, E)                                                                           \
    STEP(left_##OP##_##E, E, OP##_##E(x, OPERAND(E)))                                              \
    STEP(right_##OP##_##E, E, OP##_##E(OPERAND(E), x))                                             \
    STEP(self_##OP##_##E, E, OP##_##E(x, x))
#define SCALAR(OP, E) STEP(scalar_##OP##_##E, E, OP##_##E(x, splat_##E(l->p)))
#define ONE(OP) STEP(one_##OP##_f32, f32, OP##_f32(x))
#define BITS_BOTH(OP) BOTH_WAYS(OP, u32) BOTH_WAYS(OP, f32)
#define NUMBERS_BOTH(OP) BOTH_WAYS(OP, i32) BOTH_WAYS(OP, u32) BOTH_WAYS(OP, f32)

BITS_BOTH(add)
BITS_BOTH(sub)
BITS_BOTH(mul)
BOTH_WAYS(div, f32)
NUMBERS_BOTH(lane_max)
NUMBERS_BOTH(lane_min)
SCALAR(add, u32)
SCALAR(add, f32)
SCALAR(mul, u32)
SCALAR(mul, f32)
SCALAR(lane_max, i32)
SCALAR(lane_max, u32)
SCALAR(lane_max, f32)
SCALAR(lane_min, i32)
SCALAR(lane_min, u32)
SCALAR(lane_min, f32)
ONE(without_sign)
ONE(opposite)
ONE(rectified)
ONE(sqrt)

/* ---- exponentials ---- */

/* Of one number in all lanes, as maxima of rows are, an exponential is computed once. */
#define EXP_STEP(NAME, OF)                                                                         \
    static void NAME(STEP_ARGS) {                                                                  \
        v_u32 some = {0}, same;                                                                    \
        LOOK(f32, if (i == 0) some = AS(u32, OF);)                                                 \
        const v_u32 first = splat_of_u32(some[0]);                                                 \
        same = (v_u32)(some == first);                                                             \
        if (all_lanes(same)) {                                                                     \
            LOOK(f32, same &= (v_u32)(AS(u32, OF) == first);)                                      \
        }                                                                                          \
        if (all_lanes(same)) {                                                                     \
            const v_f32 power = exp_f32(AS(f32, first));                                           \
            CHANGE(f32, power)                                                                     \
            NEXT                                                                                   \
        } else {                                                                                   \
            enum { ALL = VREG / VB, PART = ALL < 8 ? ALL : 8 };                                    \
            v_f32 all[ALL];                                                                        \
            LOOK(f32, all[i / VB] = OF;)                                                           \
            for (int k = 0; k < ALL; k += PART)                                                    \
                exps_f32(all + k, PART);                                                           \
            CHANGE(f32, all[i / VB])                                                               \
            NEXT                                                                                   \
        }                                                                                          \
    }
EXP_STEP(one_exp_f32, x)
EXP_STEP(left_expdif_f32, DIFFERENCE_f32(x, OPERAND(f32)))
EXP_STEP(right_expdif_f32, DIFFERENCE_f32(OPERAND(f32), x))
EXP_STEP(self_expdif_f32, DIFFERENCE_f32(x, x))

/* ---- comparisons and selections ---- */

/* A word of the mask is stored as one, which is what will be loaded; the compiler would combine
 * words. */
#define FOUND(T, X, Y)                                                                             \
    found |= bits_8((v_u8)(HOLDS(T, X, Y))) << (i % 64);                                           \
    if (i % 64 == 64 - VB) {                                                                       \
        made->bits[i / 64] = found & m->bits[i / 64] & first_bits(4);                              \
        __asm__("" ::: "memory");                                                                  \
        found = 0;                                                                                 \
    }
#define COMPARED(E, T, Y)                                                                          \
    case T:                                                                                        \
        LOOK_SMALL(E, FOUND(T, x, Y))                                                              \
        break;
#define COMPARE_STEP(NAME, E, Y)                                                                   \
    static void NAME##_compare_##E(STEP_ARGS) {                                                    \
        ptrt_mask *made = l->mask;                                                                 \
        uint64_t found = 0;                                                                        \
        switch ((enum test)l->how) {                                                               \
            COMPARED(E, EQUAL, Y)                                                                  \
            COMPARED(E, UNEQUAL, Y)                                                                \
            COMPARED(E, LESS, Y)                                                                   \
            COMPARED(E, LESS_OR_EQUAL, Y)                                                          \
            COMPARED(E, GREATER, Y)                                                                \
            COMPARED(E, GREATER_OR_EQUAL, Y)                                                       \
        }                                                                                          \
        NEXT                                                                                       \
    }
#define COMPARE_STEPS(E)                                                                           \
    COMPARE_STEP(left, E, OPERAND(E))                                                              \
    COMPARE_STEP(self, E, x)                                                                       \
    COMPARE_STEP(scalar, E, splat_##E(l->p))
COMPARE_STEPS(i32)
COMPARE_STEPS(u32)
COMPARE_STEPS(f32)

/* The compiler would load all operands first, and spill registers for them. */
#define SELECTED(a, b)                                                                             \
    __extension__({                                                                                \
        __asm__("" ::: "memory");                                                                  \
        pick_lanes(l->mask, i, 4, a, b);                                                           \
    })
STEP(left_select_u32, u8, SELECTED(x, OPERAND(u8)))
STEP(right_select_u32, u8, SELECTED(OPERAND(u8), x))

/* ---- reductions ---- */

/* Keeps the first lane and sets the others to zero. */
#define ONLY_FIRST(v) (v_u8)(v_u32)((v_u32)(v) & (v_u32){~UINT32_C(0)})
/* Inactive lanes are zero before it. */
#define SUM_STEP(E)                                                                                \
    static void one_sum_##E(STEP_ARGS) {                                                           \
        c_##E s[VREG / VB];                                                                        \
        LOOK(E, s[i / VB] = x;)                                                                    \
        _Pragma("GCC unroll 8") for (unsigned n = VREG / VB / 2; n >= 1; n /= 2)                   \
            _Pragma("GCC unroll 16") for (unsigned k = 0; k < n; k++) s[k] =                       \
                add_##E(s[k], s[k + n]);                                                           \
        c_##E v = s[0];                                                                            \
        FOLD_LANES(E, add, N_##E)                                                                  \
        const v_u8 first = ONLY_FIRST(v);                                                          \
        CHANGE(u8, i == 0 ? first : (v_u8){0})                                                     \
        NEXT                                                                                       \
    }
SUM_STEP(u32)
SUM_STEP(f32)

static void one_spread_u32(STEP_ARGS) {
    uint32_t first = 0;
    LOOK(u32, if (i == 0) first = x[0];)
    CHANGE(u32, splat_of_u32(first))
    NEXT
}

STEP(other_spread_u32, u32, splat_u32(l->p))

/* ---- memory ---- */

#if VB == 16
static void load_u32(STEP_ARGS) {
    from = l->p;
    NEXT
}
/* What is stored may be a part of what was loaded. */
#define DETACH                                                                                     \
    if (from != held) {                                                                            \
        CHANGE(u8, x)                                                                              \
    }
#else
STEP(load_u32, u8, OPERAND(u8))
#define DETACH
#endif

static void clear_u32(STEP_ARGS) {
    if (!all_active(m, 4)) {
        CHANGE(u8, pick_lanes(m, i, 4, x, (v_u8){0}))
    }
    NEXT
}

/* `l->p` as memory that is written. */
#define TO ((char *)(uintptr_t)l->p)
static void store_u32(STEP_ARGS) {
    DETACH
    if (all_active(m, 4)) {
        LOOK(u8, st_u8(TO + i, x);)
    } else {
        LOOK(u8, st_u8(TO + i, pick_lanes(m, i, 4, x, ld_u8(TO + i)));)
    }
    NEXT
}
static void keep_active_u32(STEP_ARGS) {
    if (all_active(m, 4)) {
        LOOK(u8, st_u8(TO + i, x);)
    } else {
        LOOK(u8, st_u8(TO + i, pick_lanes(m, i, 4, x, (v_u8){0}));)
    }
    NEXT
}
static void keep_u32(STEP_ARGS) {
    LOOK(u8, st_u8(TO + i, x);)
    NEXT
}
static void first_u32(STEP_ARGS) {
    LOOK(u32, if (i == 0) * (s_u32 *)TO = x[0];)
    NEXT
}

/* ---- the ends ---- */

static void end(STEP_ARGS) {
    (void)l, (void)m;
#if VB == 16
    (void)from, (void)held;
#else
    LOOK(u8, (void)x;)
#endif
}

static void start(LINK) {
#if VB == 16
    static const vreg none;
    vreg t;
    ((step_fn)l->fn)(l, m, &none, &t);
#elif VB == 32
    const v_u8 none = {0};
    ((step_fn)l->fn)(l, m, none, none, none, none, none, none, none, none);
#else
    const v_u8 none = {0};
    ((step_fn)l->fn)(l, m, none, none, none, none);
#endif
}

/* ---- rows ---- */

#define ROW(id, E, fn) {PTRT_##id, PTRT_##E, PTRT_ANY, (ptrt_body)fn},
#define ROW_WORD(id, op, suffix, E1, E2) ROW(LEFT_##id, E1, op##_u32)
#define ROW_LEFT(id, op, suffix, E1, E2) ROW(LEFT_##id, E1, left_##op##_##suffix)
#define ROW_RIGHT(id, op, suffix, E1, E2) ROW(RIGHT_##id, E1, right_##op##_##suffix)
#define ROW_SELF(id, op, suffix, E1, E2) ROW(SELF_##id, E1, self_##op##_##suffix)
#define ROW_SCALAR(id, op, suffix, E1, E2) ROW(LEFT_##id, E1, scalar_##op##_##suffix)
#define ROW_ONE(id, op, suffix, E1, E2) ROW(LEFT_##id, E1, one_##op##_##suffix)
#define ROWS_LOAD(types, ...) types(ROW_WORD, __VA_ARGS__)
#define ROWS_STORE(types, ...) types(ROW_WORD, __VA_ARGS__)
#define ROWS_STORE_FIRST(types, ...) types(ROW_WORD, __VA_ARGS__)
#define ROWS_TWO(types, ...)                                                                       \
    types(ROW_LEFT, __VA_ARGS__) types(ROW_RIGHT, __VA_ARGS__) types(ROW_SELF, __VA_ARGS__)
#define ROWS_SCALAR(types, ...) types(ROW_SCALAR, __VA_ARGS__)
#define ROWS_ONE(types, ...) types(ROW_ONE, __VA_ARGS__)
#define ROWS_COMPARE(types, ...) types(ROW_LEFT, __VA_ARGS__) types(ROW_SELF, __VA_ARGS__)
#define ROWS_COMPARE_SCALAR(types, ...) types(ROW_SCALAR, __VA_ARGS__)
#define ROWS_SELECT(types, ...) types(ROW_LEFT, __VA_ARGS__) types(ROW_RIGHT, __VA_ARGS__)
#define ROW_OTHER(id, op, suffix, E1, E2) ROW(RIGHT_##id, E1, other_##op##_##suffix)
#define ROWS_SPREAD(types, ...) types(ROW_ONE, __VA_ARGS__) types(ROW_OTHER, __VA_ARGS__)
#define ROWS_SUM(types, ...) types(ROW_ONE, __VA_ARGS__)
#define CHAINED(id, way, types, op) ROWS_##way(PTRT_TYPES_##types, id, op)
static const ptrt_body_row rows[] = {
#include "ptort_micro.def"
    ROW(CHAIN_START, ANY, start) ROW(CHAIN_END, ANY, end) ROW(CHAIN_KEEP, ANY, keep_u32)
        ROW(CHAIN_KEEP_ACTIVE, ANY, keep_active_u32) ROW(CHAIN_CLEAR, ANY, clear_u32)};

extern const ptrt_body_list PTRT_LIST(PTRT_FAMILY, PTRT_LEVEL);
const ptrt_body_list PTRT_LIST(PTRT_FAMILY, PTRT_LEVEL) = {rows, sizeof rows / sizeof *rows};
