/* root.h - 1 / sqrt(x) on vectors of f32 and f64, without fused multiply-add: the same bits on every
 * level, and hardly ever not the nearest value: two roundings of a quotient of a root are up to 1.5
 * units off, so what both lost is worked out and added. */
#ifndef PTORT_KERN_ROOT_H
#define PTORT_KERN_ROOT_H

#include "kern/vec.h"

/* With s = sqrt(x) and r = 1 / s as rounded: x = s^2 + e and r s = 1 - d, and 1 / sqrt(x) is
 * r (1 + d - e r^2 / 2). Products of halves of s and r are exact: MASK keeps the upper half. */
#define PTRT_RSQRT_NEAR(E, U, MASK)                                                                \
    PTRT_INLINE v_##E rsqrt_near_##E(v_##E x) {                                                    \
        const v_##E s = sqrt_##E(x), r = 1.0f / s;                                                  \
        const v_##E sh = AS(E, AS(U, s) & MASK), sl = s - sh;                                      \
        const v_##E rh = AS(E, AS(U, r) & MASK), rl = r - rh;                                      \
        const v_##E e = ((x - sh * sh) - (sh + sh) * sl) - sl * sl;                                \
        const v_##E d = ((1.0f - sh * rh) - (sh * rl + sl * rh)) - sl * rl;                           \
        return r + r * (d - (e * r) * (r * 0.5f));                                                 \
    }
PTRT_RSQRT_NEAR(f32, u32, 0xFFFFF000u)
PTRT_RSQRT_NEAR(f64, u64, UINT64_C(0xFFFFFFFFF8000000))

/* Any x. The squares of small values have no room below: scaled by a power of four. What has no
 * such root is 1 / sqrt(x) as it is: zeros, negative values, infinity, NaN. */
#define PTRT_RSQRT_FAR(E, U, MAX, TINY, UP, DOWN)                                                  \
    static __attribute__((noinline, unused)) v_##E rsqrt_far_##E(v_##E x) {                        \
        const __typeof__(x < x) fine = (x > 0) & (x <= MAX), tiny = x < TINY;                      \
        const v_##E xs = SELECT(v_##E, tiny, x *UP, x), r = rsqrt_near_##E(xs);                    \
        return SELECT(v_##E, fine, SELECT(v_##E, tiny, r *DOWN, r), 1.0f / sqrt_##E(x));              \
    }
PTRT_RSQRT_FAR(f32, u32, 0x1.fffffep127f, 0x1p-64f, 0x1p96f, 0x1p48f)
PTRT_RSQRT_FAR(f64, u64, 0x1.fffffffffffffp1023, 0x1p-800, 0x1p512, 0x1p256)

PTRT_INLINE v_f32 rsqrt_f32(v_f32 x) {
    const v_i32 near = (x >= 0x1p-64f) & (x <= 0x1.fffffep127f);
    if (__builtin_expect(!all_lanes((v_u32)near), 0)) return rsqrt_far_f32(x);
    return rsqrt_near_f32(x);
}
PTRT_INLINE v_f64 rsqrt_f64(v_f64 x) {
    return rsqrt_far_f64(x);
}
/* Two roundings to 24 bits leave one to fewer bits correct but for ties. */
PTRT_INLINE c_f16 rsqrt_f16(c_f16 x) {
    return 1.0f / sqrt_f32(x);
}
PTRT_INLINE c_bf16 rsqrt_bf16(c_bf16 x) {
    return 1.0f / sqrt_f32(x);
}

#endif
