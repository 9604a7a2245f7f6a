/* SPDX-License-Identifier: Apache-2.0 */
/* wide.h - converts the halves of f32 vectors to f64 vectors, and back with one rounding. */
#ifndef PTORT_KERN_WIDE_H
#define PTORT_KERN_WIDE_H

#include "kern/vec.h"

PTRT_INLINE v_f64 low_f64(v_f32 v) {
#if VB == 64
    return (v_f64)_mm512_cvtps_pd(_mm512_castps512_ps256((__m512)v));
#elif VB == 32
    return (v_f64)_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)v));
#elif defined(__x86_64__)
    return (v_f64)_mm_cvtps_pd((__m128)v);
#else
    v_f64 r;
    for (int i = 0; i < N_f64; i++)
        r[i] = v[i];
    return r;
#endif
}

PTRT_INLINE v_f64 high_f64(v_f32 v) {
#if VB == 64
    return (v_f64)_mm512_cvtps_pd(_mm512_extractf32x8_ps((__m512)v, 1));
#elif VB == 32
    return (v_f64)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)v, 1));
#elif defined(__x86_64__)
    return (v_f64)_mm_cvtps_pd(_mm_movehl_ps((__m128)v, (__m128)v));
#else
    v_f64 r;
    for (int i = 0; i < N_f64; i++)
        r[i] = v[N_f64 + i];
    return r;
#endif
}

PTRT_INLINE v_f32 narrow_f64(v_f64 low, v_f64 high) {
#if VB == 64
    return (v_f32)_mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps((__m512d)low)),
                                     _mm512_cvtpd_ps((__m512d)high), 1);
#elif VB == 32
    return (v_f32)_mm256_set_m128(_mm256_cvtpd_ps((__m256d)high), _mm256_cvtpd_ps((__m256d)low));
#elif defined(__x86_64__)
    return (v_f32)_mm_movelh_ps(_mm_cvtpd_ps((__m128d)low), _mm_cvtpd_ps((__m128d)high));
#else
    v_f32 r;
    for (int i = 0; i < N_f64; i++) {
        r[i] = (float)low[i];
        r[N_f64 + i] = (float)high[i];
    }
    return r;
#endif
}

#endif
