/* SPDX-License-Identifier: Apache-2.0 */
/* vcompare.c - bodies that compare lanes, and that take lanes by number. */
#include "kern/compare.h"

#include "kern/kern.h"

/* ---- comparisons ---- */

#define BY_MODE(E)                                                                                 \
    PTRT_INLINE void compare_by_##E(ptrt_mask *d, const void *a, const void *b, bool b_moves,      \
                                    const ptrt_mask *m, int mode) {                                \
        switch (mode) {                                                                            \
        case PTRT_CMP_EQ:                                                                          \
            compare_##E(d, a, b, b_moves, m, EQUAL);                                               \
            break;                                                                                 \
        case PTRT_CMP_NE:                                                                          \
            compare_##E(d, a, b, b_moves, m, UNEQUAL);                                             \
            break;                                                                                 \
        case PTRT_CMP_LT:                                                                          \
            compare_##E(d, a, b, b_moves, m, LESS);                                                \
            break;                                                                                 \
        case PTRT_CMP_LE:                                                                          \
            compare_##E(d, a, b, b_moves, m, LESS_OR_EQUAL);                                       \
            break;                                                                                 \
        case PTRT_CMP_GT:                                                                          \
            compare_##E(d, a, b, b_moves, m, GREATER);                                             \
            break;                                                                                 \
        default:                                                                                   \
            compare_##E(d, a, b, b_moves, m, GREATER_OR_EQUAL);                                    \
        }                                                                                          \
    }                                                                                              \
    static void compare_lanes_##E(ptrt_mask *d, const ptrt_vreg *a, const ptrt_vreg *b,            \
                                  const ptrt_mask *m, int mode) {                                  \
        compare_by_##E(d, a, b, true, m, mode);                                                    \
    }                                                                                              \
    static void compare_scalar_##E(ptrt_mask *d, const ptrt_vreg *a, uint64_t bits,                \
                                   const ptrt_mask *m, int mode) {                                 \
        const v_u8 b = all_##E(bits);                                                              \
        compare_by_##E(d, a, &b, false, m, mode);                                                  \
    }
BY_MODE(u8)
BY_MODE(i8)
BY_MODE(u16)
BY_MODE(i16)
BY_MODE(u32)
BY_MODE(i32)
BY_MODE(f16)
BY_MODE(bf16)
BY_MODE(f32)

/* ---- lanes by number, modulo how many there are ---- */

#define NUMBERED(E)                                                                                \
    static void numbered_##E(ptrt_vreg *d, const ptrt_vreg *a, const ptrt_vreg *idx) {             \
        const s_##E *s = (const s_##E *)a, *at = (const s_##E *)idx;                               \
        s_##E *to = (s_##E *)d;                                                                    \
        for (unsigned i = 0; i < VREG / S_##E; i++)                                                \
            to[i] = s[at[i] % (VREG / S_##E)];                                                     \
    }
NUMBERED(u8)
NUMBERED(u16)
NUMBERED(u32)
NUMBERED(u64)
#include "kern/family.h"
