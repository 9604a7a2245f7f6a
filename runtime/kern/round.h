/* SPDX-License-Identifier: Apache-2.0 */
/* round.h - rounds f32 vectors in the rounding modes of the language: to integers, and to the
 * values of f16 or bf16, so that the conversion that follows is exact. */
#ifndef PTORT_KERN_ROUND_H
#define PTORT_KERN_ROUND_H

#include "kern/kern.h"
#include "kern/vec.h"

/* Clamps x to -limit .. limit; NaN stays NaN. */
PTRT_INLINE v_f32 clamp_f32(v_f32 x, float limit) {
    return larger_f32(splat_of_f32(-limit), smaller_f32(splat_of_f32(limit), x));
}

PTRT_INLINE v_u32 sign_of_f32(v_f32 x) {
    return AS(u32, x) & 0x80000000u;
}
PTRT_INLINE v_f32 magnitude_f32(v_f32 x) {
    return AS(f32, AS(u32, x) & 0x7FFFFFFFu);
}

/* ---- to integers; signs of zeros, NaN and infinities are kept ---- */

#if VB == 64
#define PTRT_ROUND_WITH(x, MODE, NEON, LANE)                                                       \
    (v_f32) _mm512_roundscale_ps((__m512)(x), (MODE) | _MM_FROUND_NO_EXC)
#elif VB == 32
#define PTRT_ROUND_WITH(x, MODE, NEON, LANE)                                                       \
    (v_f32) _mm256_round_ps((__m256)(x), (MODE) | _MM_FROUND_NO_EXC)
#elif defined(__x86_64__)
#define PTRT_ROUND_WITH(x, MODE, NEON, LANE)                                                       \
    (v_f32) _mm_round_ps((__m128)(x), (MODE) | _MM_FROUND_NO_EXC)
#elif defined(__aarch64__)
#define PTRT_ROUND_WITH(x, MODE, NEON, LANE) (v_f32) NEON((float32x4_t)(x))
#else
#define PTRT_ROUND_WITH(x, MODE, NEON, LANE)                                                       \
    __extension__({                                                                                \
        v_f32 r_;                                                                                  \
        for (int i_ = 0; i_ < N_f32; i_++)                                                         \
            r_[i_] = LANE((x)[i_]);                                                                \
        r_;                                                                                        \
    })
#endif
#define PTRT_ROUNDING(NAME, MODE, NEON, LANE)                                                      \
    PTRT_INLINE v_f32 NAME(v_f32 x) {                                                              \
        return PTRT_ROUND_WITH(x, MODE, NEON, LANE);                                               \
    }
PTRT_ROUNDING(rint_f32, _MM_FROUND_TO_NEAREST_INT, vrndnq_f32, __builtin_rintf)
PTRT_ROUNDING(floor_f32, _MM_FROUND_TO_NEG_INF, vrndmq_f32, __builtin_floorf)
PTRT_ROUNDING(ceil_f32, _MM_FROUND_TO_POS_INF, vrndpq_f32, __builtin_ceilf)
PTRT_ROUNDING(trunc_f32, _MM_FROUND_TO_ZERO, vrndq_f32, __builtin_truncf)

/* Rounds ties away from zero. x - trunc(x) is exact; for infinities it is NaN, which adds
 * nothing. */
PTRT_INLINE v_f32 away_f32(v_f32 x) {
    const v_f32 t = trunc_f32(x);
    const v_u32 up = (v_u32)(magnitude_f32(x - t) >= 0.5f);
    const v_f32 one = AS(f32, (AS(u32, splat_of_f32(1)) & up) | sign_of_f32(x));
    return AS(f32, AS(u32, t + one) | sign_of_f32(x));
}

/* `mode` is an enum ptrt_round_mode; PTRT_ODD gives the odd one of the two neighbours. */
PTRT_INLINE v_f32 round_f32(v_f32 x, unsigned mode) {
    switch (mode) {
    case PTRT_AWAY:
        return away_f32(x);
    case PTRT_FLOOR:
        return floor_f32(x);
    case PTRT_CEIL:
        return ceil_f32(x);
    case PTRT_TRUNC:
        return trunc_f32(x);
    case PTRT_ODD: {
        /* From 2^24 on all floats are even integers; below, half of an integer is exact. */
        const v_f32 t = trunc_f32(x), half = t * splat_of_f32(0.5f);
        const v_u32 up = (v_u32)(t != x) & (v_u32)(trunc_f32(half) == half);
        const v_f32 one = AS(f32, (AS(u32, splat_of_f32(1)) & up) | sign_of_f32(x));
        return AS(f32, AS(u32, t + one) | sign_of_f32(x));
    }
    default:
        return rint_f32(x);
    }
}

/* ---- to the values of narrower floats ---- */

/* Returns what to add to a magnitude before the bits in `low` are cleared. */
PTRT_INLINE v_u32 round_up_by(v_u32 bits, uint32_t low, unsigned mode) {
    const v_u32 negative = (v_u32)((v_i32)bits >> 31), all = splat_of_u32(low);
    switch (mode) {
    case PTRT_AWAY:
        return splat_of_u32((low >> 1) + 1);
    case PTRT_FLOOR:
        return all & negative;
    case PTRT_CEIL:
        return all & ~negative;
    case PTRT_TRUNC:
        return splat_of_u32(0);
    default:
        return (low >> 1) + ((v_u32)((bits & (low + 1)) != 0) & 1u);
    }
}

/* Rounds away the bits in `low`. Overflow becomes infinity, NaN stays NaN. */
PTRT_INLINE v_u32 drop_bits(v_f32 x, uint32_t low, unsigned mode) {
    const v_u32 bits = AS(u32, x), nan = (v_u32)(x != x);
    v_u32 r;
    if (mode == PTRT_ODD)
        r = (bits & ~low) | ((v_u32)((bits & low) != 0) & (low + 1));
    else
        r = (bits + round_up_by(bits, low, mode)) & ~low;
    return SELECT(v_u32, nan, bits | 0x00400000u, r);
}

/* Rounds to the values of bf16, whose exponents are those of f32. */
PTRT_INLINE v_f32 bf16_grid(v_f32 x, unsigned mode) {
    const v_u32 inf = (v_u32)(magnitude_f32(x) == __builtin_inff());
    return AS(f32, SELECT(v_u32, inf, AS(u32, x), drop_bits(x, 0xFFFFu, mode)));
}

/* Rounds to the values of a format with `mantissa` bits whose smallest normal value is 2^least and
 * whose largest is `most`. Overflow gives the next larger values, but finite values that are
 * rounded toward zero stay finite. */
PTRT_INLINE v_f32 small_grid(v_f32 x, unsigned mode, int mantissa, int least, float most) {
    const v_f32 mag = magnitude_f32(x), top = splat_of_f32(most);
    const uint32_t steps = (uint32_t)(127 + mantissa - least) << 23,
                   step = (uint32_t)(127 - mantissa + least) << 23;
    v_u32 r = drop_bits(x, (1u << (23 - mantissa)) - 1, mode);
    r = SELECT(
        v_u32, (v_u32)(mag < AS(f32, splat_of_u32((uint32_t)(127 + least) << 23))),
        AS(u32, round_f32(x * AS(f32, splat_of_u32(steps)), mode) * AS(f32, splat_of_u32(step))),
        r);
    const v_u32 negative = (v_u32)((v_i32)AS(u32, x) >> 31);
    const v_u32 toward = mode == PTRT_TRUNC || mode == PTRT_ODD ? splat_of_u32(UINT32_MAX)
                         : mode == PTRT_FLOOR                   ? ~negative
                         : mode == PTRT_CEIL                    ? negative
                                                                : splat_of_u32(0);
    const v_u32 cut = toward & (v_u32)(mag > top) & (v_u32)(mag < __builtin_inff());
    r = SELECT(v_u32, cut, AS(u32, top) | sign_of_f32(x), r);
    return AS(f32, SELECT(v_u32, (v_u32)(mag == __builtin_inff()), AS(u32, x), r));
}
PTRT_INLINE v_f32 f16_grid(v_f32 x, unsigned mode) {
    return small_grid(x, mode, 10, -14, 65504.0f);
}

#endif
