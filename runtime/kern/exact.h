/* SPDX-License-Identifier: Apache-2.0 */
/* exact.h - conversions of single numbers of 64 bits and from them, in the rounding modes of the
 * language. */
#ifndef PTORT_KERN_EXACT_H
#define PTORT_KERN_EXACT_H

#include "kern/kern.h"
#include "kern/vec.h"

#include <math.h>

/* Float to integer, to nearest by RINT; NaN becomes 0. */
#define LANE_INT(x, T, LOW, HIGH, BELOW_ALL, ABOVE_ALL, RINT)                                      \
    ((x) != (x) ? 0 : (x) < (BELOW_ALL) ? (LOW) : (x) >= (ABOVE_ALL) ? (HIGH) : (T)RINT(x))

/* ---- rounding in f64 ---- */

PTRT_INLINE double round_f64(double x, unsigned mode) {
    switch (mode) {
    case PTRT_AWAY: {
        const double t = trunc(x);
        return fabs(x - t) >= 0.5 ? t + copysign(1, x) : t;
    }
    case PTRT_FLOOR:
        return floor(x);
    case PTRT_CEIL:
        return ceil(x);
    case PTRT_TRUNC:
        return trunc(x);
    default:
        return rint(x);
    }
}

PTRT_INLINE uint64_t bits_of_f64(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
PTRT_INLINE double f64_of_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Returns what to add to a magnitude before the bits in `low` are cleared. */
PTRT_INLINE uint64_t up_by(uint64_t magnitude, uint64_t low, int negative, unsigned mode) {
    switch (mode) {
    case PTRT_AWAY:
        return (low >> 1) + 1;
    case PTRT_FLOOR:
        return negative ? low : 0;
    case PTRT_CEIL:
        return negative ? 0 : low;
    case PTRT_TRUNC:
        return 0;
    default:
        return (low >> 1) + ((magnitude & (low + 1)) != 0);
    }
}

/* Rounds to the values of f32, and to 2^128 on overflow. Below 2^-126 the step is 2^-149. */
PTRT_INLINE double f32_value(double x, unsigned mode) {
    const uint64_t low = (UINT64_C(1) << 29) - 1, bits = bits_of_f64(x);
    const int negative = (int)(bits >> 63);
    const double size = fabs(x), top = 0x1.FFFFFEp127;
    if (x != x || size == (double)INFINITY) return x;
    if (size < 0x1p-126) return copysign(round_f64(x * 0x1p149, mode) * 0x1p-149, x);
    if (size > top && (mode == PTRT_TRUNC || mode == (negative ? PTRT_CEIL : PTRT_FLOOR)))
        return copysign(top, x);
    return f64_of_bits((bits + up_by(bits, low, negative, mode)) & ~low);
}

/* ---- rounding to odd: rounding the result again to at least two bits fewer equals rounding once
 * ---- */

/* Rounds an integer to odd so that f64 represents it exactly; at least 42 bits are kept. */
#define ODD_WIDE(x, T)                                                                             \
    ((x) <= ((T)1 << 53) && ((T)-1 > 0 || (x) >= -((T)1 << 53))                                    \
         ? (x)                                                                                     \
         : (T)(((x) & ~(T)0x7FF) | ((T)(((x)&0x7FF) != 0) << 11)))

PTRT_INLINE float odd_f32(double x) {
    float f = (float)x;
    uint32_t bits;
    if ((double)f == x) return f;
    memcpy(&bits, &f, sizeof bits);
    if (fabs((double)f) > fabs(x)) bits--;
    bits |= 1;
    memcpy(&f, &bits, sizeof f);
    return f;
}

#endif
