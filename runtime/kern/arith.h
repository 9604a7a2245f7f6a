/* SPDX-License-Identifier: Apache-2.0 */
/* arith.h - the elementwise operations of tiles and of vector registers, on compute vectors:
 * OP_E(x) and OP_E(x, y). */
#ifndef PTORT_KERN_ARITH_H
#define PTORT_KERN_ARITH_H

#include "kern/divide.h"
#include "kern/exp.h"
#include "kern/ops.h"

/* clang-format off */
/* ---- arithmetic ---- */

WRAPPING(OP2, add, x + y)
WRAPPING(OP2, sub, x - y)
WRAPPING(OP2, mul, x * y)
/* Returns the first operand unless it is smaller (larger), also for NaN and for zeros of both
 * signs. */
INTEGERS(OP2, max, SELECT(X_TYPE, x < y, y, x))
INTEGERS(OP2, min, SELECT(X_TYPE, y < x, y, x))
#define OP2_SINGLE(OP, EXPR) OP2(OP, EXPR, f16) OP2(OP, EXPR, bf16) OP2(OP, EXPR, f32)
OP2_SINGLE(max, larger_f32(y, x))
OP2_SINGLE(min, smaller_f32(y, x))
OP2(max, SELECT(X_TYPE, x < y, y, x), f64)
OP2(min, SELECT(X_TYPE, y < x, y, x), f64)

/* The same, but NaN if either is. */
INTEGERS(OP2, lane_max, SELECT(X_TYPE, x < y, y, x))
INTEGERS(OP2, lane_min, SELECT(X_TYPE, y < x, y, x))
OP2_SINGLE(lane_max, SELECT(X_TYPE, y != y, y, larger_f32(y, x)))
OP2_SINGLE(lane_min, SELECT(X_TYPE, y != y, y, smaller_f32(y, x)))
OP2(lane_max, SELECT(X_TYPE, (x < y) | (y != y), y, x), f64)
OP2(lane_min, SELECT(X_TYPE, (y < x) | (y != y), y, x), f64)

WRAPPING(OP1, neg, -x)
/* Negates as unsigned, so that the smallest integer stays as it is. */
SIGNED(OP1, abs, (x ^ (x >> (8 * sizeof x[0] - 1))) - (x >> (8 * sizeof x[0] - 1)))
FLOATS(OP1, abs, SELECT(X_TYPE, x < NONE, -x, x))
SIGNED(OP1, relu, SELECT(X_TYPE, x < NONE, NONE, x))
OP1(relu, larger_f32(NONE, x), f16) OP1(relu, larger_f32(NONE, x), bf16) OP1(relu, larger_f32(NONE, x), f32)
OP1(relu, SELECT(X_TYPE, x < NONE, NONE, x), f64)
FLOATS(OP2, prelu, SELECT(X_TYPE, x > NONE, x, x * y))
/* The sum wraps before it is compared. */
#define OP2_SUM_RELU(OP, E) OP2(OP, relu_##E((c_##E)(x + y)), E)
OP2_SUM_RELU(addrelu, i16)
OP2_SUM_RELU(addrelu, f16)
OP2_SUM_RELU(addrelu, f32)

/* f16 and bf16 divide and take roots in f32: rounding the 24-bit result again gives the correctly
 * rounded one. */
FLOATS(OP1, recip, 1.0f / x)

FLOATS(OP2, div, x / y)
#define DIVIDE(OP, E) OP2(OP, quotient_##E(x, y), E)
INTEGERS(DIVIDE, div)

/* Powers of e, and what they are powers of: the difference is rounded to the element type. */
#define DIFFERENCE_f16(x, y) f16_widen(f16_round(x - y))
#define DIFFERENCE_bf16(x, y) bf16_widen(bf16_round(x - y))
#define DIFFERENCE_f32(x, y) (x - y)
#define DIFFERENCE_f64(x, y) (x - y)
#define EXPDIF(OP, E)                                                                              \
    OP2(OP##_power, DIFFERENCE_##E(x, y), E)                                                       \
    OP2(OP, exp_##E(OP##_power_##E(x, y)), E)
FLOATS(EXPDIF, expdif)
FLOATS(OP1, exp_power, x)

/* ---- bits ---- */

UNSIGNED(OP2, and, x & y)
UNSIGNED(OP2, or, x | y)
UNSIGNED(OP2, xor, x ^ y)
UNSIGNED(OP1, not, ~x)

/* Counts are taken modulo 32 (64 for 64-bit elements), and the value is shifted as if widened to 32
 * bits: a count beyond the width of a narrow element leaves 0 or the sign. */
#define WIDTH (int)(8 * sizeof x[0])
#define COUNT (y & (WIDTH == 64 ? 63 : 31))
#define SHL(OP, E) OP2(OP, SELECT(X_TYPE, COUNT < WIDTH, x << (y & (WIDTH - 1)), NONE), E)
#define SHR(OP, E) OP2(OP, SELECT(X_TYPE, COUNT < WIDTH, x >> (y & (WIDTH - 1)), NONE), E)
#define SAR(E) OP2(shr, x >> SELECT(X_TYPE, COUNT < WIDTH, y & (WIDTH - 1), NONE + (WIDTH - 1)), E)
#if VB == 32
/* AVX2 has no shift with a count per lane for lanes of 8 or 16 bits. Shifts the elements of each
 * 32-bit lane one at a time and masks off the bits outside the element. */
#define SHIFT_PARTS(NAME, E, SHIFTED)                                                              \
    PTRT_INLINE c_##E NAME##_##E(c_##E x, c_##E y) {                                               \
        enum { BITS = 8 * S_##E };                                                                 \
        const __m256i count = _mm256_set1_epi32(31), last = _mm256_set1_epi32((int)(0xFFFFFFFFu << (32 - BITS))); \
        const __m256i in = (__m256i)x, counts = (__m256i)y;                                        \
        __m256i all = _mm256_setzero_si256();                                                      \
        _Pragma("GCC unroll 4") for (int at = 0; at < 32; at += BITS) {                            \
            const int up = 32 - BITS - at;                                                         \
            const __m256i by = _mm256_and_si256(_mm256_srli_epi32(counts, at), count);             \
            all = _mm256_or_si256(all, SHIFTED);                                                   \
        }                                                                                          \
        return (c_##E)all;                                                                         \
    }
#define PLACE _mm256_srli_epi32(last, up)
#define LEFT _mm256_and_si256(_mm256_sllv_epi32(_mm256_and_si256(in, PLACE), by), PLACE)
#define RIGHT _mm256_and_si256(_mm256_srlv_epi32(_mm256_and_si256(in, PLACE), by), PLACE)
#define RIGHT_SIGNED                                                                               \
    _mm256_srli_epi32(                                                                             \
        _mm256_and_si256(_mm256_srav_epi32(_mm256_slli_epi32(in, up), by), last), up)
SHIFT_PARTS(shl, u8, LEFT)
SHIFT_PARTS(shl, u16, LEFT)
SHIFT_PARTS(shr, u8, RIGHT)
SHIFT_PARTS(shr, u16, RIGHT)
SHIFT_PARTS(shr, i8, RIGHT_SIGNED)
SHIFT_PARTS(shr, i16, RIGHT_SIGNED)
#else
SHL(shl, u8)
SHL(shl, u16)
SHR(shr, u8)
SHR(shr, u16)
SAR(i8)
SAR(i16)
#endif
SHL(shl, u32)
SHL(shl, u64)
SHR(shr, u32)
SHR(shr, u64)
SAR(i32)
SAR(i64)
/* Unsigned elements do not need the code above when one count is for all: compilers use the
 * instructions with a single count. */
#define SAME_SHR(OP, E) OP2(OP, shr_##E(x, y), E)
UNSIGNED(SHL, shls)
UNSIGNED(SHR, shrs)
SIGNED(SAME_SHR, shrs)
/* clang-format on */

#endif
