/* SPDX-License-Identifier: Apache-2.0 */
/* micro.h - what the bodies of micro-instructions share: masks of lanes, and the bodies of
 * elementwise operations from functions on compute vectors (kern/arith.h). W is the width of a lane
 * in bytes. all_E(bits) is a vector of lanes of E with the same bits. */
#ifndef PTORT_KERN_MICRO_H
#define PTORT_KERN_MICRO_H

#include "ptort_micro.h"

#include "kern/mask.h"
#include "kern/ops.h"

#include <stdbool.h>

enum { VREG = sizeof(ptrt_vreg) };

/* A register that is computed before it is masked. */
typedef struct vreg {
    unsigned char at[VREG];
} __attribute__((aligned(64))) vreg;

/* Returns the bits that govern lanes, of 64. */
PTRT_INLINE uint64_t first_bits(unsigned w) {
    return w == 1   ? ~UINT64_C(0)
           : w == 2 ? UINT64_C(0x5555555555555555)
           : w == 4 ? UINT64_C(0x1111111111111111)
                    : UINT64_C(0x0101010101010101);
}

/* Sets all bits of the lanes whose first bit is set. */
PTRT_INLINE uint64_t whole_lanes(uint64_t bits, unsigned w) {
    return (bits & first_bits(w)) * ((UINT64_C(1) << w) - 1);
}

PTRT_INLINE bool all_active(const ptrt_mask *m, unsigned w) {
    const uint64_t all = m->bits[0] & m->bits[1] & m->bits[2] & m->bits[3], first = first_bits(w);
    return (all & first) == first;
}

PTRT_INLINE bool is_active(const ptrt_mask *m, unsigned lane, unsigned w) {
    return (m->bits[lane * w / 64] >> (lane * w % 64) & 1) != 0;
}

/* Returns the bits of the bytes from `at` on, a multiple of VB, in whole lanes. */
PTRT_INLINE uint64_t bytes_at(const ptrt_mask *m, unsigned at, unsigned w) {
    return whole_lanes(m->bits[at / 64], w) >> (at % 64);
}

/* Returns the active lanes of a, of VB bytes from `at` on, and those of b elsewhere. */
PTRT_INLINE v_u8 pick_lanes(const ptrt_mask *m, unsigned at, unsigned w, v_u8 a, v_u8 b) {
#if VB == 32
    if (w == 4) { /* each lane shifts its own bit to the sign, which the blend tests */
        int bits;
        memcpy(&bits, (const char *)m->bits + at / 8, sizeof bits);
        const __m256i up = _mm256_setr_epi32(31, 27, 23, 19, 15, 11, 7, 3);
        const __m256 signs = (__m256)_mm256_sllv_epi32(_mm256_set1_epi32(bits), up);
        return (v_u8)_mm256_blendv_ps((__m256)b, (__m256)a, signs);
    }
#endif
    return pick_8(bytes_at(m, at, w), a, b);
}

/* Stores the active lanes of t and those of `other` elsewhere. */
PTRT_INLINE void merge_lanes(void *d, const void *t, const void *other, const ptrt_mask *m,
                             unsigned w) {
    for (unsigned i = 0; i < VREG; i += VB)
        st_u8((char *)d + i,
              pick_lanes(m, i, w, ld_u8((const char *)t + i), ld_u8((const char *)other + i)));
}

/* Stores the active lanes of t and zeros elsewhere. */
PTRT_INLINE void zero_lanes(void *d, const void *t, const ptrt_mask *m, unsigned w) {
    for (unsigned i = 0; i < VREG; i += VB)
        st_u8((char *)d + i, pick_lanes(m, i, w, ld_u8((const char *)t + i), (v_u8){0}));
}

/* Runs `each` for the byte offset `i` of every compute vector of E, with its results at `to`: d if
 * all lanes are active, else a register of which the inactive lanes then become 0. */
#define ZEROING(E, each)                                                                           \
    if (all_active(m, S_##E)) {                                                                    \
        char *to = (char *)d;                                                                      \
        for (unsigned i = 0; i < VREG; i += N_##E * S_##E) {                                       \
            each;                                                                                  \
        }                                                                                          \
    } else {                                                                                       \
        vreg t;                                                                                    \
        char *to = (char *)t.at;                                                                   \
        for (unsigned i = 0; i < VREG; i += N_##E * S_##E) {                                       \
            each;                                                                                  \
        }                                                                                          \
        zero_lanes(d, &t, m, S_##E);                                                               \
    }

/* The same with the lanes of `other` where the mask is not set. */
#define MERGING(E, other, each)                                                                    \
    if (all_active(m, S_##E)) {                                                                    \
        char *to = (char *)d;                                                                      \
        for (unsigned i = 0; i < VREG; i += N_##E * S_##E) {                                       \
            each;                                                                                  \
        }                                                                                          \
    } else {                                                                                       \
        vreg t;                                                                                    \
        char *to = (char *)t.at;                                                                   \
        for (unsigned i = 0; i < VREG; i += N_##E * S_##E) {                                       \
            each;                                                                                  \
        }                                                                                          \
        merge_lanes(d, &t, other, m, S_##E);                                                       \
    }

#define LANES_AT(E, x) ld_##E((const char *)(x) + i)

#define ALL_LANES_ALIKE(E, U)                                                                      \
    PTRT_INLINE v_u8 all_##E(uint64_t bits) {                                                      \
        return (v_u8)splat_##U(&bits);                                                             \
    }
ALL_LANES_ALIKE(u8, u8)
ALL_LANES_ALIKE(i8, u8)
ALL_LANES_ALIKE(u16, u16)
ALL_LANES_ALIKE(i16, u16)
ALL_LANES_ALIKE(u32, u32)
ALL_LANES_ALIKE(i32, u32)
ALL_LANES_ALIKE(u64, u64)
ALL_LANES_ALIKE(i64, u64)
ALL_LANES_ALIKE(f16, u16)
ALL_LANES_ALIKE(bf16, u16)
ALL_LANES_ALIKE(f32, u32)

PTRT_INLINE void fill_lanes(void *d, v_u8 lanes) {
    for (unsigned i = 0; i < VREG; i += VB)
        st_u8((char *)d + i, lanes);
}

/* Stores the active lanes of a and those of `idle` elsewhere. */
PTRT_INLINE void fill_idle(void *d, const void *a, v_u8 idle, const ptrt_mask *m, unsigned w) {
    for (unsigned i = 0; i < VREG; i += VB)
        st_u8((char *)d + i, pick_lanes(m, i, w, ld_u8((const char *)a + i), idle));
}

/* Returns the lanes of VB bytes from `at` on as zeros and ones. */
PTRT_INLINE v_u8 lanes_at(const ptrt_mask *m, unsigned at, unsigned w) {
    return pick_lanes(m, at, w, ~(v_u8){0}, (v_u8){0});
}

/* Sets d to the active lanes for which `lanes`, VB bytes at offset `i`, has ones. */
#define MASKING(d, m, w, lanes)                                                                    \
    _Pragma("GCC unroll 4") for (unsigned part = 0; part < 4; part++) {                            \
        uint64_t found = 0;                                                                        \
        _Pragma("GCC unroll 4") for (unsigned i = 64 * part; i < 64 * part + 64; i += VB) found |= \
            bits_8(lanes) << (i % 64);                                                             \
        (d)->bits[part] = found & (m)->bits[part] & first_bits(w);                                 \
    }

/* Bodies from OP_E(x) and OP_E(x, y): LANES1(OP, E), and with a scalar as the second operand. */
#define LANES1(OP, E)                                                                              \
    static void lanes1_##OP##_##E(ptrt_vreg *d, const ptrt_vreg *a, const ptrt_mask *m) {          \
        ZEROING(E, st_##E(to + i, OP##_##E(LANES_AT(E, a))))                                       \
    }
#define LANES2(OP, E)                                                                              \
    static void lanes2_##OP##_##E(ptrt_vreg *d, const ptrt_vreg *a, const ptrt_vreg *b,            \
                                  const ptrt_mask *m) {                                            \
        ZEROING(E, st_##E(to + i, OP##_##E(LANES_AT(E, a), LANES_AT(E, b))))                       \
    }
/* The same from OP_E(x, y, z); inactive lanes are those of `a`. */
#define LANES3_MERGING(OP, E)                                                                      \
    static void lanes3_##OP##_##E(ptrt_vreg *d, const ptrt_vreg *a, const ptrt_vreg *b,            \
                                  const ptrt_vreg *c, const ptrt_mask *m) {                        \
        MERGING(E, a, st_##E(to + i, OP##_##E(LANES_AT(E, a), LANES_AT(E, b), LANES_AT(E, c))))    \
    }
#define LANES1S(OP, E)                                                                             \
    static void lanes1s_##OP##_##E(ptrt_vreg *d, const ptrt_vreg *a, uint64_t bits,                \
                                   const ptrt_mask *m) {                                           \
        const c_##E k = splat_##E(&bits);                                                          \
        ZEROING(E, st_##E(to + i, OP##_##E(LANES_AT(E, a), k)))                                    \
    }

#endif
