/* SPDX-License-Identifier: Apache-2.0 */
/* sine.h - sine and cosine of f32, computed in f64 without fused multiply-add: the same bits on all
 * machines, and the nearest f32 except in a few near ties. */
#ifndef PTORT_MICRO_SINE_H
#define PTORT_MICRO_SINE_H

#include "ptort_scalar.h"

#include <math.h>

/* Divides by pi/2 where the quotient is small: its product with the first part of pi/2, which has
 * 33 bits, is exact. Returns the rest, at most pi/4, and stores the quotient modulo 4. */
static inline double sine_near(double x, unsigned *quadrant) {
    const double n = rint(x * 0x1.45f306dc9c883p-1);
    *quadrant = (unsigned)(int64_t)n & 3;
    return (x - n * 0x1.921fb544p+0) - n * 0x1.0b4611a626331p-34;
}

/* The same for |x| from 2^20 on, a multiple of 2^-3: x = m 2^k. Of 2/pi only the 96 bits from
 * 2^(1-k) down matter: those above make multiples of 4. */
static inline double sine_far(float x, unsigned *quadrant) {
    static const uint32_t two_over_pi[] = {0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0,
                                           0xDB629599, 0x3C439041, 0xFE5163AB};
    const uint32_t bits = ptrt_bits_of_f32(x) & 0x7FFFFFFFu, m = (bits & 0x007FFFFFu) | 0x00800000u;
    const int first = (int)(bits >> 23) - 150 - 2; /* bits of 2/pi to leave out */
    uint32_t w[3];
    for (int i = 0; i < 3; i++) {
        const int at = first + 32 * i;
        const int word = at >= 0 ? at / 32 : -1, shift = at - 32 * word;
        const uint64_t pair =
            (uint64_t)(word >= 0 ? two_over_pi[word] : 0) << 32 | two_over_pi[word + 1];
        w[i] = (uint32_t)(pair >> (32 - shift));
    }
    /* In units of 2^-62 quadrants; what exceeds 64 bits are multiples of 4. */
    const uint64_t product =
        ((uint64_t)m * w[0] << 32) + (uint64_t)m * w[1] + ((uint64_t)m * w[2] >> 32);
    const uint64_t n = (product + (UINT64_C(1) << 61)) >> 62;
    const double rest = (double)(int64_t)(product - (n << 62)) * 0x1.921fb54442d18p-62;
    *quadrant = (unsigned)n & 3;
    if ((ptrt_bits_of_f32(x) >> 31) == 0) return rest;
    *quadrant = (4 - *quadrant) & 3;
    return -rest;
}

/* Taylor series; the first term left out is below 2^-44 on the interval. */
static inline double sine_series(double r) {
    const double z = r * r;
    double p = z * (1.0 / 6227020800) - 1.0 / 39916800;
    p = p * z + 1.0 / 362880;
    p = p * z - 1.0 / 5040;
    p = p * z + 1.0 / 120;
    p = p * z - 1.0 / 6;
    return r + r * z * p;
}

static inline double cosine_series(double r) {
    const double z = r * r;
    double p = 1.0 / 479001600 - z * (1.0 / 87178291200);
    p = p * z - 1.0 / 3628800;
    p = p * z + 1.0 / 40320;
    p = p * z - 1.0 / 720;
    p = p * z + 1.0 / 24;
    return 1.0 - z * (0.5 - z * p);
}

/* Returns the sine of x + ahead * pi/2. */
static inline float sine_ahead(float x, unsigned ahead) {
    unsigned quadrant;
    if (!isfinite(x)) return NAN;
    if (ahead == 0 && fabsf(x) < 0x1p-13f) return x; /* keeps -0 */
    const double r = fabsf(x) < 0x1p20f ? sine_near((double)x, &quadrant) : sine_far(x, &quadrant);
    quadrant = (quadrant + ahead) & 3;
    const double y = (quadrant & 1) != 0 ? cosine_series(r) : sine_series(r);
    return (float)((quadrant & 2) != 0 ? -y : y);
}

#endif
