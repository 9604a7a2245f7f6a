/* SPDX-License-Identifier: Apache-2.0 */
/* scalar.c - scalar float arithmetic and conversions that emitted code calls. */
#include "half.h"
#include "ptort_scalar.h"

#include <math.h>

/* Per type: W_ is the type in which arithmetic runs, IN_ and OUT_ convert to and from it. */
#define W_f16 float
#define W_bf16 float
#define W_f32 float
#define W_f64 double
#define IN_f16(x) ptrt_f16_to_f32(x)
#define IN_bf16(x) ptrt_bf16_to_f32(x)
#define IN_f32(x) (x)
#define IN_f64(x) (x)
#define OUT_f16(x) ptrt_f32_to_f16(x)
#define OUT_bf16(x) ptrt_f32_to_bf16(x)
#define OUT_f32(x) (x)
#define OUT_f64(x) (x)
#define MOD_f16 fmodf
#define MOD_bf16 fmodf
#define MOD_f32 fmodf
#define MOD_f64 fmod
#define NEG_f16(x) ((ptrt_f16)((x) ^ 0x8000u))
#define NEG_bf16(x) ((ptrt_bf16)((x) ^ 0x8000u))
#define NEG_f32(x) ptrt_f32_of_bits(ptrt_bits_of_f32(x) ^ 0x80000000u)
#define NEG_f64(x) ptrt_f64_of_bits(ptrt_bits_of_f64(x) ^ 0x8000000000000000u)

/* Every operand is exact as a double, so comparing there is exact. -0 is below +0. */
static bool greater(double x, double y) {
    return x > y || (x == y && !signbit(x) && signbit(y));
}

static bool compare(int pred, double x, double y) {
    bool unordered = isnan(x) || isnan(y);
    switch (pred) {
    case PTRT_CMPF_FALSE:
        return false;
    case PTRT_CMPF_OEQ:
        return x == y;
    case PTRT_CMPF_OGT:
        return x > y;
    case PTRT_CMPF_OGE:
        return x >= y;
    case PTRT_CMPF_OLT:
        return x < y;
    case PTRT_CMPF_OLE:
        return x <= y;
    case PTRT_CMPF_ONE:
        return !unordered && x != y;
    case PTRT_CMPF_ORD:
        return !unordered;
    case PTRT_CMPF_UEQ:
        return unordered || x == y;
    case PTRT_CMPF_UGT:
        return unordered || x > y;
    case PTRT_CMPF_UGE:
        return unordered || x >= y;
    case PTRT_CMPF_ULT:
        return unordered || x < y;
    case PTRT_CMPF_ULE:
        return unordered || x <= y;
    case PTRT_CMPF_UNE:
        return x != y;
    case PTRT_CMPF_UNO:
        return unordered;
    default:
        return true;
    }
}

/* ---- Narrowing: one rounding, in any mode, to a format with E exponent and M mantissa bits
 * ---- */

static bool rounds_up(uint64_t rem, uint64_t half, bool odd, bool negative, int mode) {
    switch (mode) {
    case PTRT_DOWNWARD:
        return negative && rem != 0;
    case PTRT_UPWARD:
        return !negative && rem != 0;
    case PTRT_TOWARD_ZERO:
        return false;
    case PTRT_NEAREST_AWAY:
        return rem >= half;
    default:
        return rem > half || (rem == half && odd);
    }
}

/* Whether a finite value out of range becomes infinity, not the largest finite value. */
static bool overflows(bool negative, int mode) {
    if (mode == PTRT_TOWARD_ZERO) return false;
    if (mode == PTRT_DOWNWARD) return negative;
    if (mode == PTRT_UPWARD) return !negative;
    return true;
}

static uint64_t narrow(double x, int E, int M, int mode) {
    uint64_t in = ptrt_bits_of_f64(x), man = in & 0xFFFFFFFFFFFFFu;
    bool negative = in >> 63 != 0;
    int exp = (int)(in >> 52 & 0x7FF), bias = (1 << (E - 1)) - 1;
    uint64_t sign = (uint64_t)negative << (E + M), inf = (((uint64_t)1 << E) - 1) << M;
    if (exp == 0x7FF && man != 0) return sign | inf | (uint64_t)1 << (M - 1) | man >> (52 - M);
    if (exp == 0x7FF) return sign | inf;
    if (exp == 0 && man == 0) return sign;
    int e = (exp ? exp : 1) - 1023;
    uint64_t sig = exp ? man | (uint64_t)1 << 52 : man;
    int least = 1 - bias, shift = 52 - M + (e < least ? least - e : 0);
    if (shift > 63) shift = 63; /* the whole significand is below half of the smallest value */
    uint64_t kept = sig >> shift, rem = sig & (((uint64_t)1 << shift) - 1);
    if (rounds_up(rem, (uint64_t)1 << (shift - 1), kept & 1, negative, mode)) kept++;
    /* A carry out of the mantissa increments the exponent field. */
    uint64_t bits = e < least ? kept : ((uint64_t)(e + bias - 1) << M) + kept;
    if (bits >= inf) bits = overflows(negative, mode) ? inf : inf - 1;
    return sign | bits;
}

float ptrt_extf_f16_f32(ptrt_f16 x) {
    return ptrt_f16_to_f32(x);
}
double ptrt_extf_f16_f64(ptrt_f16 x) {
    return (double)ptrt_f16_to_f32(x);
}
float ptrt_extf_bf16_f32(ptrt_bf16 x) {
    return ptrt_bf16_to_f32(x);
}
double ptrt_extf_bf16_f64(ptrt_bf16 x) {
    return (double)ptrt_bf16_to_f32(x);
}
double ptrt_extf_f32_f64(float x) {
    return (double)x;
}
ptrt_f16 ptrt_truncf_f32_f16(float x, int rounding) {
    return (ptrt_f16)narrow((double)x, 5, 10, rounding);
}
ptrt_bf16 ptrt_truncf_f32_bf16(float x, int rounding) {
    return (ptrt_bf16)narrow((double)x, 8, 7, rounding);
}
ptrt_f16 ptrt_truncf_f64_f16(double x, int rounding) {
    return (ptrt_f16)narrow(x, 5, 10, rounding);
}
ptrt_bf16 ptrt_truncf_f64_bf16(double x, int rounding) {
    return (ptrt_bf16)narrow(x, 8, 7, rounding);
}
float ptrt_truncf_f64_f32(double x, int rounding) {
    return ptrt_f32_of_bits((uint32_t)narrow(x, 8, 23, rounding));
}

/* ---- Integers to floats ---- */

/* Returns x as a double. Bits that do not fit are ORed into the last one, so that rounding the
 * result to fewer bits equals rounding x itself. */
static double sticky(uint64_t x) {
    int shift = 0;
    while (x >> shift >= (uint64_t)1 << 53)
        shift++;
    uint64_t kept = x >> shift;
    if (kept << shift != x) kept |= 1;
    return ldexp((double)kept, shift);
}

#define TO_f16(x) ((ptrt_f16)narrow(sticky(x), 5, 10, PTRT_NEAREST_EVEN))
#define TO_bf16(x) ((ptrt_bf16)narrow(sticky(x), 8, 7, PTRT_NEAREST_EVEN))
#define TO_f32(x) ((float)(x))
#define TO_f64(x) ((double)(x))

/* ---- Floats to integers ---- */

static int64_t to_signed(double x, int bits) {
    double limit = ldexp(1.0, bits - 1);
    int64_t max = (int64_t)(((uint64_t)1 << (bits - 1)) - 1);
    if (isnan(x)) return 0;
    if (x >= limit) return max;
    if (x <= -limit) return -max - 1;
    return (int64_t)x;
}

static uint64_t to_unsigned(double x, int bits) {
    if (isnan(x) || x <= 0) return 0;
    if (x >= ldexp(1.0, bits)) return UINT64_MAX >> (64 - bits);
    return (uint64_t)x;
}

#define DEFINE_TO_INT(E, T, N)                                                                     \
    int##N##_t ptrt_fptosi_##E##_i##N(T x) {                                                       \
        return (int##N##_t)to_signed((double)IN_##E(x), N);                                        \
    }                                                                                              \
    int##N##_t ptrt_fptoui_##E##_i##N(T x) {                                                       \
        return (int##N##_t)to_unsigned((double)IN_##E(x), N);                                      \
    }

#define DEFINE_BINARY(NAME, E, T, EXPR)                                                            \
    T ptrt_##NAME##_##E(T x_, T y_) {                                                              \
        W_##E x = IN_##E(x_), y = IN_##E(y_);                                                      \
        return OUT_##E(EXPR);                                                                      \
    }

#define DEFINE(E, T)                                                                               \
    DEFINE_BINARY(addf, E, T, x + y)                                                               \
    DEFINE_BINARY(subf, E, T, x - y)                                                               \
    DEFINE_BINARY(mulf, E, T, x *y)                                                                \
    DEFINE_BINARY(divf, E, T, x / y)                                                               \
    DEFINE_BINARY(remf, E, T, MOD_##E(x, y))                                                       \
    DEFINE_BINARY(maximumf, E, T,                                                                  \
                  isnan(x) || isnan(y)            ? x + y                                          \
                  : greater((double)x, (double)y) ? x                                              \
                                                  : y)                                             \
    DEFINE_BINARY(minimumf, E, T,                                                                  \
                  isnan(x) || isnan(y)            ? x + y                                          \
                  : greater((double)x, (double)y) ? y                                              \
                                                  : x)                                             \
    DEFINE_BINARY(maxnumf, E, T,                                                                   \
                  isnan(x)   ? y                                                                   \
                  : isnan(y) ? x                                                                   \
                             : (greater((double)x, (double)y) ? x : y))                            \
    DEFINE_BINARY(minnumf, E, T,                                                                   \
                  isnan(x)   ? y                                                                   \
                  : isnan(y) ? x                                                                   \
                             : (greater((double)x, (double)y) ? y : x))                            \
    T ptrt_negf_##E(T x) {                                                                         \
        return NEG_##E(x);                                                                         \
    }                                                                                              \
    bool ptrt_cmpf_##E(int pred, T x, T y) {                                                       \
        return compare(pred, (double)IN_##E(x), (double)IN_##E(y));                                \
    }                                                                                              \
    T ptrt_uitofp_##E(uint64_t x) {                                                                \
        return TO_##E(x);                                                                          \
    }                                                                                              \
    T ptrt_sitofp_##E(int64_t x) {                                                                 \
        return x < 0 ? NEG_##E(TO_##E(0 - (uint64_t)x)) : TO_##E((uint64_t)x);                     \
    }                                                                                              \
    DEFINE_TO_INT(E, T, 8)                                                                         \
    DEFINE_TO_INT(E, T, 16)                                                                        \
    DEFINE_TO_INT(E, T, 32)                                                                        \
    DEFINE_TO_INT(E, T, 64)
PTRT_FOR_FLOAT(DEFINE)
