/* SPDX-License-Identifier: Apache-2.0 */
/* fused.h - x * y + z with one rounding, with the same bits on every level. */
#ifndef PTORT_KERN_FUSED_H
#define PTORT_KERN_FUSED_H

#include "kern/wide.h"

/* Computes p + s, rounded to odd if it is not exact: rounding it to float then equals rounding the
 * exact sum once. */
PTRT_INLINE v_f64 odd_sum_f64(v_f64 p, v_f64 s) {
    const v_f64 t = p + s, part = t - p;
    const v_f64 lost = (p - (t - part)) + (s - part), zero = {0};
    const v_i64 inexact = (v_i64)(lost > zero) | (v_i64)(lost < zero);
    const v_i64 towards = ((v_i64)(lost > zero) ^ (v_i64)(t > zero)) | 1;
    const v_i64 even = (AS(i64, t) & 1) - 1;
    return AS(f64, AS(i64, t) + (inexact & even & towards));
}

#if (VB == 32 && defined(__FMA__)) || VB == 64 || defined(__aarch64__)
#define HAS_FMA 1
PTRT_INLINE v_f32 fused_f32(v_f32 x, v_f32 y, v_f32 z) {
#if VB == 64
    return (v_f32)_mm512_fmadd_ps((__m512)x, (__m512)y, (__m512)z);
#elif VB == 32
    return (v_f32)_mm256_fmadd_ps((__m256)x, (__m256)y, (__m256)z);
#else
    return (v_f32)vfmaq_f32((float32x4_t)z, (float32x4_t)x, (float32x4_t)y);
#endif
}
#else
#define HAS_FMA 0
/* Products of floats are exact in double. */
PTRT_INLINE v_f32 fused_f32(v_f32 x, v_f32 y, v_f32 z) {
    return narrow_f64(odd_sum_f64(low_f64(x) * low_f64(y), low_f64(z)),
                      odd_sum_f64(high_f64(x) * high_f64(y), high_f64(z)));
}
#endif

#endif
