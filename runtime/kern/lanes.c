/* SPDX-License-Identifier: Apache-2.0 */
/* lanes.c - bodies of micro-instructions on the lanes of registers. Inactive lanes of a result are
 * 0 unless the instruction merges. */
#include "kern/micro.h"

#include "kern/arith.h"
#include "kern/fused.h"
#include "kern/kern.h"
#include "kern/log.h"

/* clang-format off */
#define LANE_FLOATS(X, ...) X(__VA_ARGS__, f16) X(__VA_ARGS__, bf16) X(__VA_ARGS__, f32)
#define F16_F32(X, ...) X(__VA_ARGS__, f16) X(__VA_ARGS__, f32)

/* ---- two registers, or a register and a scalar ---- */

#define BOTH(OP, E) LANES2(OP, E) LANES1S(OP, E)
UNSIGNED(BOTH, add)
LANE_FLOATS(BOTH, add)
LANES2(add, f64)
WRAPPING(LANES2, sub)
UNSIGNED(BOTH, mul)
LANE_FLOATS(BOTH, mul)
LANES2(mul, f64)
ARITHMETIC(LANES2, div)
INTEGERS(BOTH, lane_max)
LANE_FLOATS(BOTH, lane_max)
LANES2(lane_max, f64)
INTEGERS(BOTH, lane_min)
LANE_FLOATS(BOTH, lane_min)
LANES2(lane_min, f64)
UNSIGNED(LANES2, and)
UNSIGNED(LANES2, or)
UNSIGNED(LANES2, xor)
/* NaN times the slope is NaN; zeros of both signs stay. */
LANE_FLOATS(OP2, slope, SELECT(X_TYPE, x >= NONE, x, x * y))
LANE_FLOATS(LANES1S, slope)
F16_F32(LANES2, slope)

#define SELECTED(E)                                                                                \
    static void lanes2_select_##E(ptrt_vreg *d, const ptrt_vreg *a, const ptrt_vreg *b,            \
                                  const ptrt_mask *m) {                                            \
        merge_lanes(d, a, b, m, S_##E);                                                            \
    }
SELECTED(u8)
SELECTED(u16)
SELECTED(u32)
SELECTED(u64)

/* ---- shifts: a count that is negative, or not below the width, leaves 0 or the sign ---- */

#define IN_WIDTH(E, y) (X_TYPE)((c_##E)(y) < (c_##E){0} + 8 * S_##E)
#define SHIFTED_OUT(E)                                                                             \
    OP2(lane_shl, SELECT(X_TYPE, IN_WIDTH(E, y), shl_##E(x, y), NONE), E)                              \
    OP2(lane_shr, SELECT(X_TYPE, IN_WIDTH(E, y), shr_##E(x, y), NONE), E)
#define SHIFTED_SIGN(E, U)                                                                         \
    OP2(lane_shr, shr_##E(x, SELECT(X_TYPE, IN_WIDTH(U, y), y, NONE + (8 * S_##E - 1))), E)
SHIFTED_OUT(u8)
SHIFTED_OUT(u16)
SHIFTED_OUT(u32)
SHIFTED_OUT(u64)
SHIFTED_SIGN(i8, u8)
SHIFTED_SIGN(i16, u16)
SHIFTED_SIGN(i32, u32)
SHIFTED_SIGN(i64, u64)
UNSIGNED(LANES2, lane_shl)
INTEGERS(LANES2, lane_shr)

/* The count has 16 bits whatever the lanes have. */
#define SHIFT_ALL(NAME, OP, E, TOO_FAR)                                                            \
    static void lanes1s_##NAME##_##E(ptrt_vreg *d, const ptrt_vreg *a, uint64_t bits,              \
                                     const ptrt_mask *m) {                                         \
        uint64_t count = bits & 0xFFFF;                                                            \
        if (count >= 8 * S_##E) TOO_FAR;                                                           \
        const c_##E k = splat_##E(&count);                                                         \
        ZEROING(E, st_##E(to + i, OP##_##E(LANES_AT(E, a), k)))                                    \
    }
#define GONE                                                                                       \
    {                                                                                              \
        fill_lanes(d, (v_u8){0});                                                                  \
        return;                                                                                    \
    }
#define SHL_ALL(NAME, E) SHIFT_ALL(NAME, shls, E, GONE)
#define SHR_ALL(NAME, E) SHIFT_ALL(NAME, shrs, E, GONE)
#define SAR_ALL(NAME, E) SHIFT_ALL(NAME, shrs, E, count = 8 * S_##E - 1)
UNSIGNED(SHL_ALL, lane_shl)
UNSIGNED(SHR_ALL, lane_shr)
SIGNED(SAR_ALL, lane_shr)

/* ---- one register ---- */

/* Floats by their bits, so that NaN keeps its other ones. */
#define BY_BITS(NAME, E, U, EXPR)                                                                  \
    PTRT_INLINE c_##U NAME##_bits_##E(c_##U x) {                                                   \
        return (c_##U)(EXPR);                                                                      \
    }                                                                                              \
    static void lanes1_##NAME##_##E(ptrt_vreg *d, const ptrt_vreg *a, const ptrt_mask *m) {        \
        ZEROING(U, st_##U(to + i, NAME##_bits_##E(LANES_AT(U, a))))                                \
    }
UNSIGNED(OP1, abs, x)
INTEGERS(LANES1, abs)
BY_BITS(abs, f16, u16, x & 0x7FFF)
BY_BITS(abs, bf16, u16, x & 0x7FFF)
BY_BITS(abs, f32, u32, x & 0x7FFFFFFFu)
UNSIGNED(LANES1, neg)
BY_BITS(neg, f16, u16, x ^ 0x8000)
BY_BITS(neg, bf16, u16, x ^ 0x8000)
BY_BITS(neg, f32, u32, x ^ 0x80000000u)
UNSIGNED(LANES1, not)
LANE_FLOATS(LANES1, sqrt)
/* As the formula says: NaN and -0 are not above 0. */
F16_F32(OP1, rectified, SELECT(X_TYPE, x > NONE, x, NONE))
OP1(rectified, SELECT(X_TYPE, x > NONE, x, NONE), i32)
LANES1(rectified, i32)
F16_F32(LANES1, rectified)

/* Functions that are slow for some numbers get `idle` instead of what inactive lanes hold. */
#define LANES1_CALM(OP, E, IDLE)                                                                   \
    static void lanes1_##OP##_##E(ptrt_vreg *d, const ptrt_vreg *a, const ptrt_mask *m) {          \
        vreg calm;                                                                                 \
        const void *x = a;                                                                         \
        if (!all_active(m, S_##E)) {                                                               \
            fill_idle(&calm, a, all_##E(IDLE), m, S_##E);                                          \
            x = &calm;                                                                             \
        }                                                                                          \
        ZEROING(E, st_##E(to + i, OP##_##E(LANES_AT(E, x))))                                       \
    }
LANES1_CALM(exp, f16, 0)
LANES1_CALM(exp, bf16, 0)
LANES1_CALM(exp, f32, 0)
LANES1_CALM(log, f16, 0x3C00)
LANES1_CALM(log, bf16, 0x3F80)
LANES1_CALM(log, f32, 0x3F800000)

/* ---- no register: the same bits, or numbers, in all lanes ---- */

#define SPLAT(E, T)                                                                                \
    static void splat_bits_##E(ptrt_vreg *d, uint64_t bits, const ptrt_mask *m) {                  \
        ZEROING(E, st_##E(to + i, splat_##E(&bits)))                                               \
    }                                                                                              \
    static void fill_bits_##E(ptrt_vreg *d, uint64_t bits) {                                       \
        fill_lanes(d, all_##E(bits));                                                              \
    }                                                                                              \
    static void lanes1_first_##E(ptrt_vreg *d, const ptrt_vreg *a, const ptrt_mask *m) {           \
        splat_bits_##E(d, *(const s_##E *)a, m);                                                   \
    }                                                                                              \
    static void lanes1_last_##E(ptrt_vreg *d, const ptrt_vreg *a, const ptrt_mask *m) {            \
        splat_bits_##E(d, ((const s_##E *)a)[VREG / S_##E - 1], m);                                \
    }
SPLAT(u8, uint8_t)
SPLAT(u16, uint16_t)
SPLAT(u32, uint32_t)
SPLAT(u64, uint64_t)

/* The numbers of lanes are exact in every type; floats are rounded once. */
#define COUNTS(E, T)                                                                               \
    PTRT_INLINE c_##E first_counts_##E(void) {                                                     \
        c_##E at;                                                                                  \
        for (int l = 0; l < N_##E; l++)                                                            \
            at[l] = (T)l;                                                                          \
        return at;                                                                                 \
    }                                                                                              \
    static void fill_up_##E(ptrt_vreg *d, uint64_t bits) {                                         \
        const c_##E base = splat_##E(&bits);                                                       \
        c_##E at = first_counts_##E();                                                             \
        for (unsigned i = 0; i < VREG; i += N_##E * S_##E, at += (T)N_##E)                         \
            st_##E((char *)d + i, base + at);                                                      \
    }                                                                                              \
    static void fill_down_##E(ptrt_vreg *d, uint64_t bits) {                                       \
        const c_##E base = splat_##E(&bits);                                                       \
        c_##E at = first_counts_##E();                                                             \
        for (unsigned i = 0; i < VREG; i += N_##E * S_##E, at += (T)N_##E)                         \
            st_##E((char *)d + i, base - at);                                                      \
    }
COUNTS(u8, uint8_t)
COUNTS(u16, uint16_t)
COUNTS(u32, uint32_t)
COUNTS(f16, float)
COUNTS(f32, float)

/* ---- fused: products and sums are rounded once, in f32 also those of f16 and bf16 ---- */

#define OP3(OP, EXPR, E)                                                                           \
    PTRT_INLINE c_##E OP##_##E(c_##E x, c_##E y, c_##E z) {                                        \
        return (c_##E)(EXPR);                                                                      \
    }
OP3(fused, fused_f32(x, y, z), f16)
OP3(fused, fused_f32(x, y, z), bf16)
LANE_FLOATS(LANES3_MERGING, fused)
LANE_FLOATS(OP3, vmula, fused_f32(y, z, x))
UNSIGNED(OP3, vmula, x + y * z)
UNSIGNED(LANES3_MERGING, vmula)
LANE_FLOATS(LANES3_MERGING, vmula)

#define MULTIPLE_ADDED(OP, E)                                                                      \
    static void lanes2s_##OP##_##E(ptrt_vreg *d, const ptrt_vreg *a, const ptrt_vreg *b,           \
                                   uint64_t bits, const ptrt_mask *m) {                            \
        const c_##E k = splat_##E(&bits);                                                          \
        MERGING(E, b, st_##E(to + i, OP##_##E(LANES_AT(E, a), k, LANES_AT(E, b))))                 \
    }
F16_F32(MULTIPLE_ADDED, fused)

/* The parts of a product of 32-bit lanes. */
#define WIDE_PRODUCT(E, T, W)                                                                      \
    static void halves2_mul_##E(ptrt_vreg *low, ptrt_vreg *high, const ptrt_vreg *a,               \
                                const ptrt_vreg *b, const ptrt_mask *m) {                          \
        const s_##E *x = (const s_##E *)a, *y = (const s_##E *)b;                                  \
        uint32_t lows[VREG / 4] __attribute__((aligned(64)));                                      \
        uint32_t highs[VREG / 4] __attribute__((aligned(64)));                                     \
        for (unsigned i = 0; i < VREG / 4; i++) {                                                  \
            const W p = (W)x[i] * y[i];                                                            \
            lows[i] = (uint32_t)p;                                                                 \
            highs[i] = (uint32_t)(p >> 32);                                                        \
        }                                                                                          \
        zero_lanes(low, lows, m, 4);                                                               \
        zero_lanes(high, highs, m, 4);                                                             \
    }
WIDE_PRODUCT(i32, int32_t, int64_t)
WIDE_PRODUCT(u32, uint32_t, uint64_t)
/* clang-format on */

/* ---- carries ---- */

/* Returns the lanes of `carries` as numbers, -1 or 0; 0 if it is NULL. */
PTRT_INLINE v_u32 carries_at(const ptrt_mask *carries, unsigned at) {
    return carries == NULL ? (v_u32){0} : (v_u32)lanes_at(carries, at, 4);
}
PTRT_INLINE void add_carried(ptrt_vreg *d, ptrt_mask *out, const ptrt_vreg *a, const ptrt_vreg *b,
                             const ptrt_mask *in, const ptrt_mask *m) {
    vreg sum;
    for (unsigned i = 0; i < VREG; i += VB)
        st_u32(sum.at + i, LANES_AT(u32, a) + LANES_AT(u32, b) - carries_at(in, i));
    MASKING(out, m, 4,
            (v_u8)((LANES_AT(u32, sum.at) < LANES_AT(u32, a)) |
                   ((LANES_AT(u32, sum.at) == LANES_AT(u32, a)) & (v_i32)carries_at(in, i))))
    zero_lanes(d, &sum, m, 4);
}
/* A carry of a difference says that it does not borrow, as the first one does not. */
PTRT_INLINE v_u32 kept_at(const ptrt_mask *in, unsigned at) {
    return in == NULL ? ~(v_u32){0} : (v_u32)lanes_at(in, at, 4);
}
PTRT_INLINE void sub_carried(ptrt_vreg *d, ptrt_mask *out, const ptrt_vreg *a, const ptrt_vreg *b,
                             const ptrt_mask *in, const ptrt_mask *m) {
    vreg rest;
    for (unsigned i = 0; i < VREG; i += VB)
        st_u32(rest.at + i, LANES_AT(u32, a) - LANES_AT(u32, b) - 1 - kept_at(in, i));
    MASKING(out, m, 4,
            (v_u8)((LANES_AT(u32, a) > LANES_AT(u32, b)) |
                   ((LANES_AT(u32, a) == LANES_AT(u32, b)) & (v_i32)kept_at(in, i))))
    zero_lanes(d, &rest, m, 4);
}
static void carry_add_u32(ptrt_vreg *d, ptrt_mask *out, const ptrt_vreg *a, const ptrt_vreg *b,
                          const ptrt_mask *m) {
    add_carried(d, out, a, b, NULL, m);
}
static void carry_sub_u32(ptrt_vreg *d, ptrt_mask *out, const ptrt_vreg *a, const ptrt_vreg *b,
                          const ptrt_mask *m) {
    sub_carried(d, out, a, b, NULL, m);
}
static void carried_add_u32(ptrt_vreg *d, ptrt_mask *out, const ptrt_vreg *a, const ptrt_vreg *b,
                            const ptrt_mask *in, const ptrt_mask *m) {
    add_carried(d, out, a, b, in, m);
}
static void carried_sub_u32(ptrt_vreg *d, ptrt_mask *out, const ptrt_vreg *a, const ptrt_vreg *b,
                            const ptrt_mask *in, const ptrt_mask *m) {
    sub_carried(d, out, a, b, in, m);
}

/* ---- exponentials of differences, which are rounded to f32 ---- */

/* Stores e^x of f32 lanes, where they are active. */
PTRT_INLINE void exp_lanes(ptrt_vreg *d, vreg *x, const ptrt_mask *m) {
    if (!all_active(m, 4)) fill_idle(x, x, (v_u8){0}, m, 4);
    ZEROING(f32, st_f32(to + i, exp_f32(LANES_AT(f32, x->at))))
}
static void expdif_lanes_f32(ptrt_vreg *d, const ptrt_vreg *a, const ptrt_vreg *b,
                             const ptrt_mask *m, int part) {
    vreg x;
    (void)part;
    for (unsigned i = 0; i < VREG; i += VB)
        st_f32(x.at + i, LANES_AT(f32, a) - LANES_AT(f32, b));
    exp_lanes(d, &x, m);
}
/* The lower or upper f16 of each 32 bits. */
PTRT_INLINE v_f32 half_of_pairs(v_u32 pairs, int part) {
    return f16_widen(narrow_u32(part != 0 ? pairs >> 16 : pairs & 0xFFFF));
}
static void expdif_lanes_f16(ptrt_vreg *d, const ptrt_vreg *a, const ptrt_vreg *b,
                             const ptrt_mask *m, int part) {
    vreg x;
    ptrt_mask half;
    for (int i = 0; i < 4; i++)
        half.bits[i] = m->bits[i] >> (part != 0 ? 2 : 0);
    for (unsigned i = 0; i < VREG; i += VB)
        st_f32(x.at + i,
               half_of_pairs(LANES_AT(u32, a), part) - half_of_pairs(LANES_AT(u32, b), part));
    exp_lanes(d, &x, &half);
}
#include "kern/family.h"
