/* SPDX-License-Identifier: Apache-2.0 */
/* compare.h - compares the lanes of registers into masks. Floats compare as IEEE says: with NaN,
 * only UNEQUAL holds. */
#ifndef PTORT_KERN_COMPARE_H
#define PTORT_KERN_COMPARE_H

#include "kern/micro.h"

/* Numbered as enum ptrt_cmp. */
enum test { EQUAL, UNEQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL };
#define HOLDS(t, x, y)                                                                             \
    ((t) == EQUAL           ? (x) == (y)                                                           \
     : (t) == UNEQUAL       ? (x) != (y)                                                           \
     : (t) == LESS          ? (x) < (y)                                                            \
     : (t) == LESS_OR_EQUAL ? (x) <= (y)                                                           \
     : (t) == GREATER       ? (x) > (y)                                                            \
                            : (x) >= (y))

/* Sets d to the active lanes of a for which the test with those of b holds; b is read anew for each
 * VB bytes unless b_moves. */
#define COMPARE(E)                                                                                 \
    PTRT_INLINE void compare_##E(ptrt_mask *d, const void *a, const void *b, bool b_moves,         \
                                 const ptrt_mask *m, enum test t) {                                \
        const char *p = a, *q = b;                                                                 \
        MASKING(d, m, S_##E, test_##E(p + i, q + (b_moves ? i : 0), t))                            \
    }
#define COMPARE_NATURAL(E)                                                                         \
    PTRT_INLINE v_u8 test_##E(const char *p, const char *q, enum test t) {                         \
        const c_##E x = ld_##E(p), y = ld_##E(q);                                                  \
        return (v_u8)(HOLDS(t, x, y));                                                             \
    }                                                                                              \
    COMPARE(E)
/* 16-bit floats are compared as integers in their order, in which zeros are equal: magnitudes with
 * their signs. Those above INF are NaN. */
#define COMPARE_HALF(E, INF)                                                                       \
    PTRT_INLINE v_u8 test_##E(const char *p, const char *q, enum test t) {                         \
        const v_i16 a = ld_i16(p), b = ld_i16(q), c = a & 0x7FFF, d = b & 0x7FFF;                  \
        const v_i16 x = (c ^ (a >> 15)) - (a >> 15), y = (d ^ (b >> 15)) - (b >> 15);              \
        const v_i16 nan = (v_i16)((c > INF) | (d > INF)), holds = (v_i16)(HOLDS(t, x, y));         \
        return (v_u8)(t == UNEQUAL ? holds | nan : holds & ~nan);                                  \
    }                                                                                              \
    COMPARE(E)
COMPARE_NATURAL(u8)
COMPARE_NATURAL(i8)
COMPARE_NATURAL(u16)
COMPARE_NATURAL(i16)
COMPARE_NATURAL(u32)
COMPARE_NATURAL(i32)
COMPARE_NATURAL(f32)
COMPARE_HALF(f16, 0x7C00)
COMPARE_HALF(bf16, 0x7F80)

#endif
