/* SPDX-License-Identifier: Apache-2.0 */
/* reduce.c - reductions of logical vectors, whole or in groups. The lanes of a group that are in
 * one register are reduced as a tree of halves, with the neutral element in inactive lanes; the
 * registers of a group follow each other. */
#include "core/core.h"
#include "half.h"
#include "logical/logical.h"

/* Reads lanes as numbers of type W, and stores one. */
#define LOAD_f32(x, at) (((const float *)(x))[at])
#define LOAD_f16(x, at) ptrt_f16_to_f32(((const uint16_t *)(x))[at])
#define LOAD_bf16(x, at) ptrt_bf16_to_f32(((const uint16_t *)(x))[at])
#define SAVE_f32(out, at, v) (((float *)(out))[at] = (v))
#define SAVE_f16(out, at, v) (((uint16_t *)(out))[at] = ptrt_f32_to_f16(v))
#define SAVE_bf16(out, at, v) (((uint16_t *)(out))[at] = ptrt_f32_to_bf16(v))
#define ROUND_f32(v) (v)
#define ROUND_f16(v) ptrt_f16_to_f32(ptrt_f32_to_f16(v))
#define ROUND_bf16(v) ptrt_bf16_to_f32(ptrt_f32_to_bf16(v))
#define INT_LANES(E, T)                                                                            \
    static inline T load_##E(const void *x, int64_t at) {                                          \
        return ((const T *)x)[at];                                                                 \
    }                                                                                              \
    static inline void save_##E(void *out, int64_t at, T v) {                                      \
        ((T *)out)[at] = v;                                                                        \
    }                                                                                              \
    static inline T round_##E(T v) {                                                               \
        return v;                                                                                  \
    }
#define FLOAT_LANES(E)                                                                             \
    static inline float load_##E(const void *x, int64_t at) {                                      \
        return LOAD_##E(x, at);                                                                    \
    }                                                                                              \
    static inline void save_##E(void *out, int64_t at, float v) {                                  \
        SAVE_##E(out, at, v);                                                                      \
    }                                                                                              \
    static inline float round_##E(float v) {                                                       \
        return ROUND_##E(v);                                                                       \
    }
INT_LANES(u8, uint8_t)
INT_LANES(i8, int8_t)
INT_LANES(u16, uint16_t)
INT_LANES(i16, int16_t)
INT_LANES(u32, uint32_t)
INT_LANES(i32, int32_t)
FLOAT_LANES(f32)
FLOAT_LANES(f16)
FLOAT_LANES(bf16)

/* The larger or smaller of two numbers: the first one unless the second is better or NaN. */
#define ADD(T, a, b) ((T)((a) + (b)))
#define MOST_INT(T, a, b) ((b) > (a) ? (b) : (a))
#define LEAST_INT(T, a, b) ((b) < (a) ? (b) : (a))
#define MOST_REAL(T, a, b) ((b) > (a) || (b) != (b) ? (b) : (a))
#define LEAST_REAL(T, a, b) ((b) < (a) || (b) != (b) ? (b) : (a))

/* Reduces the lanes [from, to), at most those of a register, to one. */
#define TREE(NAME, OP, E, T, W, neutral)                                                           \
    static T NAME##_tree_##E(const ptrt_vreg *x, int64_t from, int64_t to,                         \
                             const ptrt_vreg *mask) {                                              \
        T s[LG_REGISTER / (W)];                                                                    \
        const int m = (int)(to - from);                                                            \
        int n = 1;                                                                                 \
        while (n < m)                                                                              \
            n *= 2;                                                                                \
        for (int i = 0; i < m; i++)                                                                \
            s[i] = load_##E(x, from + i);                                                          \
        for (int i = 0; mask != NULL && i < m; i++)                                                \
            if (!lg_active(mask, from + i)) s[i] = (T)(neutral);                                   \
        for (int i = m; i < n; i++)                                                                \
            s[i] = (T)(neutral);                                                                   \
        for (n /= 2; n > 0; n /= 2)                                                                \
            for (int i = 0; i < n; i++)                                                            \
                s[i] = OP(T, s[i], s[i + n]);                                                      \
        return s[0];                                                                               \
    }                                                                                              \
    static void NAME##_##E(ptrt_vreg *out, int64_t lanes, const ptrt_vreg *x,                      \
                           const ptrt_vreg *mask, int64_t groups) {                                \
        const int64_t held = LG_REGISTER / (W), n = lanes / groups;                                \
        for (int64_t g = 0; g < groups; g++) {                                                     \
            int64_t at = g * n;                                                                    \
            T all = (T)(neutral);                                                                  \
            for (bool first = true; at < (g + 1) * n; first = false) {                             \
                const int64_t end = lg_min((g + 1) * n, at - at % held + held);                    \
                const T one = round_##E(NAME##_tree_##E(x, at, end, mask));                        \
                all = first ? one : round_##E(OP(T, all, one));                                    \
                at = end;                                                                          \
            }                                                                                      \
            save_##E(out, g, all);                                                                 \
        }                                                                                          \
    }

#define ALL_TYPES(X)                                                                               \
    X(u8, U8, uint8_t, 1, INT, 0, UINT8_MAX)                                                       \
    X(i8, I8, int8_t, 1, INT, INT8_MIN, INT8_MAX)                                                  \
    X(u16, U16, uint16_t, 2, INT, 0, UINT16_MAX)                                                   \
    X(i16, I16, int16_t, 2, INT, INT16_MIN, INT16_MAX)                                             \
    X(u32, U32, uint32_t, 4, INT, 0, UINT32_MAX)                                                   \
    X(i32, I32, int32_t, 4, INT, INT32_MIN, INT32_MAX)                                             \
    X(f16, F16, float, 2, REAL, -__builtin_inff(), __builtin_inff())                               \
    X(bf16, BF16, float, 2, REAL, -__builtin_inff(), __builtin_inff())                             \
    X(f32, F32, float, 4, REAL, -__builtin_inff(), __builtin_inff())

#define SUM_OF(E, T, W) TREE(sum, ADD, E, T, W, 0)
#define MOST_OF(E, N, T, W, K, LOW, HIGH) TREE(most, MOST_##K, E, T, W, LOW)
#define LEAST_OF(E, N, T, W, K, LOW, HIGH) TREE(least, LEAST_##K, E, T, W, HIGH)
ALL_TYPES(MOST_OF)
ALL_TYPES(LEAST_OF)
/* Signed sums wrap, so those of unsigned integers do for them. */
SUM_OF(u8, uint8_t, 1)
SUM_OF(u16, uint16_t, 2)
SUM_OF(u32, uint32_t, 4)
SUM_OF(f16, float, 2)
SUM_OF(bf16, float, 2)
SUM_OF(f32, float, 4)

#define CASE(NAME, E, N)                                                                           \
    case PTRT_##N:                                                                                 \
        NAME##_##E(out, lanes, x, mask, groups);                                                   \
        break;

void ptrt_logical_sum(ptrt_vreg *out, int64_t lanes, int elem, const ptrt_vreg *x,
                      const ptrt_vreg *mask, int64_t groups) {
    if (groups == 0) groups = 1;
    mask = lg_some(mask, lanes);
    switch (elem) {
        CASE(sum, u8, U8)
        CASE(sum, u8, I8)
        CASE(sum, u16, U16)
        CASE(sum, u16, I16)
        CASE(sum, u32, U32)
        CASE(sum, u32, I32)
        CASE(sum, f16, F16)
        CASE(sum, bf16, BF16)
        CASE(sum, f32, F32)
    default:
        break;
    }
}

#define MOST_CASE(E, N, ...) CASE(most, E, N)
#define LEAST_CASE(E, N, ...) CASE(least, E, N)

void ptrt_logical_most(ptrt_vreg *out, int64_t lanes, int elem, const ptrt_vreg *x,
                       const ptrt_vreg *mask, int64_t groups) {
    if (groups == 0) groups = 1;
    mask = lg_some(mask, lanes);
    switch (elem) {
        ALL_TYPES(MOST_CASE)
    default:
        break;
    }
}

void ptrt_logical_least(ptrt_vreg *out, int64_t lanes, int elem, const ptrt_vreg *x,
                        const ptrt_vreg *mask, int64_t groups) {
    if (groups == 0) groups = 1;
    mask = lg_some(mask, lanes);
    switch (elem) {
        ALL_TYPES(LEAST_CASE)
    default:
        break;
    }
}
