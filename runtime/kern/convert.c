/* SPDX-License-Identifier: Apache-2.0 */
/* convert.c - bodies of the conversions of lanes. A body takes W bytes of both registers at a time,
 * W being the width of the wider of the two types: the lane of the narrower type is at position
 * `part` of them. So nothing is moved between lanes: what narrows shifts its codes to that position
 * and leaves zeros beside them, what widens shifts the lane down. */
#include "kern/micro.h"

#include "kern/exact.h"
#include "kern/kern.h"
#include "kern/narrow.h"

/* ---- what each type makes of 32-bit lanes ---- */

/* Float to integers of 8 and 16 bits without saturation keeps the low bits of an i32. */
PTRT_INLINE v_u32 to_int(v_f32 x, unsigned mode, bool sat, int32_t low, int32_t high) {
    v_i32 r = i32_of_f32(mode == PTRT_RINT ? x : round_f32(x, mode));
    if (sat) {
        r = SELECT(v_i32, r < low, splat_of_i32(low), r);
        r = SELECT(v_i32, r > high, splat_of_i32(high), r);
    }
    return (v_u32)r;
}
PTRT_INLINE v_u32 to_i32(v_f32 x, unsigned mode) {
    return (v_u32)i32_of_f32(mode == PTRT_RINT ? x : round_f32(x, mode));
}

/* Integers that saturate; else the caller takes their low bits. */
PTRT_INLINE v_u32 fit_i32(v_i32 x, bool sat, int32_t low, int32_t high) {
    if (!sat) return (v_u32)x;
    x = SELECT(v_i32, x < low, splat_of_i32(low), x);
    return (v_u32)SELECT(v_i32, x > high, splat_of_i32(high), x);
}
PTRT_INLINE v_u32 fit_u32(v_u32 x, bool sat, uint32_t high) {
    return sat ? SELECT(v_u32, (v_u32)(x > high), splat_of_u32(high), x) : x;
}

/* Saturation makes NaN 0 and clamps infinities too. */
PTRT_INLINE v_u32 to_f16(v_f32 x, unsigned mode, bool sat) {
    if (mode != PTRT_RINT) x = f16_grid(x, mode);
    if (sat) x = nan_as_0(f16_clamp(x));
    return widen_u16(f16_round(x));
}
PTRT_INLINE v_u32 to_bf16(v_f32 x, unsigned mode, bool sat) {
    if (mode != PTRT_RINT) x = bf16_grid(x, mode);
    if (sat) return bf16_bits(nan_as_0(bf16_clamp(x)));
    return SELECT(v_u32, (v_u32)(x == x), bf16_bits(x), splat_of_u32(0x7FC0));
}

/* The hybrid mode is known for ties alone, which go toward zero: taken as that mode. Without
 * saturation overflow gives the infinity or NaN of the format, with the sign. `wild` says that
 * saturation gives the codes below instead of the largest value on overflow, as the device does for
 * f32 in some modes. */
#define TO_FORMAT_8(NAME, E, M, BIAS, SPECIAL, MOST, BEYOND, ...)                                  \
    PTRT_INLINE v_u32 to_##NAME(v_f32 x, unsigned mode, bool sat, bool wild) {                     \
        if (mode > PTRT_ODD) mode = PTRT_TRUNC;                                                    \
        const v_f32 y = mode == PTRT_RINT ? x : small_grid(x, mode, M, 1 - BIAS, MOST);            \
        if (!sat) return code_##NAME##_open(y) | sign_of_f32(x) >> 24;                             \
        v_u32 code = code_##NAME(y);                                                               \
        if (wild && mode != PTRT_RINT) {                                                           \
            const v_u32 over =                                                                     \
                (v_u32)(magnitude_f32(y) > MOST) | (v_u32)(magnitude_f32(x) >= BEYOND);            \
            const uint32_t most = mode == PTRT_AWAY ? OVERFLOW_AWAY_##NAME : OVERFLOW_##NAME;      \
            code = SELECT(v_u32, over, sign_of_f32(x) >> 24 | most, code);                         \
        }                                                                                          \
        return code & (v_u32)(x == x);                                                             \
    }                                                                                              \
    PTRT_INLINE v_u32 f32_to_##NAME(v_f32 x, unsigned mode, bool sat) {                            \
        return to_##NAME(x, mode, sat, true);                                                      \
    }                                                                                              \
    PTRT_INLINE v_u32 half_to_##NAME(v_f32 x, unsigned mode, bool sat) {                           \
        return to_##NAME(x, mode, sat, false);                                                     \
    }
/* The code of the pad, or, away from zero, the one after infinity and the first of the largest
 * exponent. */
#define AWAY_INFINITE(E, M, PAD) ((PAD) + 1)
#define AWAY_ONE_NAN(E, M, PAD) (((1 << (E)) - 1) << (M))
#define OVERFLOWS(NAME, E, M, BIAS, SPECIAL, MOST, BEYOND, NAN_CODE, PAD, ...)                     \
    OVERFLOW_##NAME = PAD, OVERFLOW_AWAY_##NAME = AWAY_##SPECIAL(E, M, PAD),
enum { PTRT_FORMATS_8(OVERFLOWS, ) };
PTRT_FORMATS_8(TO_FORMAT_8, )

/* Ties go away from zero in both modes. */
PTRT_INLINE v_u32 to_hif8(v_f32 x, bool sat) {
    const v_u32 code = code_hif8(x);
    if (!sat) return code;
    return (code - ((v_u32)((code & 0x7Fu) == 0x6Fu) & 1u)) & (v_u32)(x == x);
}

/* Numbers that f32 does not represent exactly. */
PTRT_INLINE float f32_of_exact(double x, unsigned mode) {
    return mode == PTRT_ODD ? odd_f32(x) : (float)f32_value(x, mode);
}
PTRT_INLINE v_u32 i32_to_f32(v_i32 x, unsigned mode) {
    v_f32 r = __builtin_convertvector(x, v_f32);
    if (mode != PTRT_RINT)
        for (int i = 0; i < N_f32; i++)
            r[i] = f32_of_exact((double)x[i], mode);
    return AS(u32, r);
}

/* ---- lanes of W bytes as 32-bit lanes ---- */

#define RAW_2(p) ld_wide_u16(p)
#define RAW_4(p) ld_u32(p)
#define PUT_2(p, v) st_half(p, narrow_u32(v))
#define PUT_4(p, v) st_u32(p, v)
/* The lane of a type, which is `in` bits up. */
#define GET_f32_4(p) AS(f32, ld_u32(p))
#define GET_f16_2(p) ld_f16(p)
#define GET_f16_4(p) f16_widen(narrow_u32(ld_u32(p) >> in & 0xFFFFu))
#define GET_bf16_2(p) ld_bf16(p)
#define GET_bf16_4(p) AS(f32, (ld_u32(p) >> in) << 16)
#define GET_u8_2(p) (RAW_2(p) >> in & 0xFFu)
#define GET_u8_4(p) (RAW_4(p) >> in & 0xFFu)
#define GET_i8_2(p) ((v_i32)((RAW_2(p) >> in) << 24) >> 24)
#define GET_i8_4(p) ((v_i32)((RAW_4(p) >> in) << 24) >> 24)
#define GET_u16_2(p) RAW_2(p)
#define GET_u16_4(p) (RAW_4(p) >> in & 0xFFFFu)
#define GET_i16_2(p) ld_wide_i16(p)
#define GET_i16_4(p) ((v_i32)((RAW_4(p) >> in) << 16) >> 16)
#define GET_u32_4(p) ld_u32(p)
#define GET_i32_4(p) ld_i32(p)
#define GET_hif8_4(p) value_hif8(GET_u8_4(p))

/* ---- bodies ---- */

/* Returns the mask of the lanes of W bytes, from that of narrower ones at a position of them. */
PTRT_INLINE ptrt_mask mask_down(const ptrt_mask *m, unsigned bits) {
    return (ptrt_mask){
        {m->bits[0] >> bits, m->bits[1] >> bits, m->bits[2] >> bits, m->bits[3] >> bits}};
}

#define SIGNATURE(S, D)                                                                            \
    static void convert_##S##_##D(ptrt_vreg *d, const ptrt_vreg *a, const ptrt_mask *mask,         \
                                  int rnd, int saturation, int part)
#define STEPS(S, W, BITS, CODE)                                                                    \
    for (unsigned i = 0; i < VREG; i += N_f32 * W) {                                               \
        const __typeof__(GET_##S##_##W((const char *)a)) x = GET_##S##_##W((const char *)a + i);   \
        PUT_##W(to + i, ((CODE)&BITS_##BITS) << out);                                              \
    }
#define BITS_8 0xFFu
#define BITS_16 0xFFFFu
#define BITS_32 0xFFFFFFFFu
/* Results are computed from all lanes, and masked after that. */
#define BEGIN(W, UP, DOWN)                                                                         \
    const unsigned at = (unsigned)part & 3, in = at * UP, out = at * DOWN;                         \
    const unsigned mode = (unsigned)rnd + 1;                                                       \
    const bool sat = saturation > 0;                                                               \
    const ptrt_mask m = mask_down(mask, in / 8);                                                   \
    const bool all = all_active(&m, W);                                                            \
    vreg t;                                                                                        \
    char *to = all ? (char *)d : (char *)t.at;                                                     \
    (void)mode, (void)sat, (void)in, (void)out;
#define END(W)                                                                                     \
    if (!all) zero_lanes(d, &t, &m, W);

/* From S to D, whose code has BITS bits; UP and DOWN are the bits from one position to the next of
 * a narrower source or result, or 0. ROUNDED: the mode and saturation matter, and the usual ones
 * have loops of their own. */
#define EXACT(S, D, W, BITS, UP, DOWN, CODE)                                                       \
    SIGNATURE(S, D) {                                                                              \
        BEGIN(W, UP, DOWN)                                                                         \
        STEPS(S, W, BITS, CODE(x))                                                                 \
        END(W)                                                                                     \
    }
#define ROUNDED(S, D, W, BITS, UP, DOWN, CODE)                                                     \
    SIGNATURE(S, D) {                                                                              \
        BEGIN(W, UP, DOWN)                                                                         \
        if (mode == PTRT_RINT && sat)                                                              \
            STEPS(S, W, BITS, CODE(x, PTRT_RINT, true))                                            \
        else if (mode == PTRT_RINT)                                                                \
            STEPS(S, W, BITS, CODE(x, PTRT_RINT, false))                                           \
        else                                                                                       \
            STEPS(S, W, BITS, CODE(x, mode, sat))                                                  \
        END(W)                                                                                     \
    }
#define FITTED(S, D, W, BITS, UP, DOWN, CODE)                                                      \
    SIGNATURE(S, D) {                                                                              \
        BEGIN(W, UP, DOWN)                                                                         \
        if (sat)                                                                                   \
            STEPS(S, W, BITS, CODE(x, true))                                                       \
        else                                                                                       \
            STEPS(S, W, BITS, CODE(x, false))                                                      \
        END(W)                                                                                     \
    }

#define CODE_f16(x, mode, sat) to_f16(x, mode, sat)
#define CODE_bf16(x, mode, sat) to_bf16(x, mode, sat)
#define CODE_i16(x, mode, sat) to_int(x, mode, sat, INT16_MIN, INT16_MAX)
#define CODE_i8(x, mode, sat) to_int(x, mode, sat, INT8_MIN, INT8_MAX)
#define CODE_u8(x, mode, sat) to_int(x, mode, sat, 0, UINT8_MAX)
#define CODE_i32(x, mode, sat) to_i32(x, mode)
#define CODE_F32(x) AS(u32, x)
#define CODE_BITS(x) (v_u32)(x)
#define CODE_hif8(x, sat) to_hif8(x, sat)

/* clang-format off */
ROUNDED(f32, f16, 4, 16, 0, 16, CODE_f16)
ROUNDED(f32, bf16, 4, 16, 0, 16, CODE_bf16)
ROUNDED(f32, i16, 4, 16, 0, 16, CODE_i16)
ROUNDED(f32, i32, 4, 32, 0, 0, CODE_i32)
#define F32_TO_FORMAT(NAME, ...) ROUNDED(f32, NAME, 4, 8, 0, 8, f32_to_##NAME)
PTRT_FORMATS_8(F32_TO_FORMAT, )
FITTED(f32, hif8, 4, 8, 0, 8, CODE_hif8)

#define F16_TO_FORMAT(NAME, ...) ROUNDED(f16, NAME, 2, 8, 0, 8, half_to_##NAME)
#define BF16_TO_FORMAT(NAME, ...) ROUNDED(bf16, NAME, 2, 8, 0, 8, half_to_##NAME)
PTRT_FORMATS_8(F16_TO_FORMAT, )
PTRT_FORMATS_8(BF16_TO_FORMAT, )
#define FROM_HALF(S)                                                                               \
    EXACT(S, f32, 4, 32, 16, 0, CODE_F32)                                                          \
    ROUNDED(S, i32, 4, 32, 16, 0, CODE_i32)
FROM_HALF(f16)
ROUNDED(f16, i16, 2, 16, 0, 0, CODE_i16)
ROUNDED(f16, i8, 2, 8, 0, 8, CODE_i8)
ROUNDED(f16, u8, 2, 8, 0, 8, CODE_u8)
FITTED(f16, hif8, 2, 8, 0, 8, CODE_hif8)
FROM_HALF(bf16)
ROUNDED(bf16, f16, 2, 16, 0, 0, CODE_f16)

#define CODE_INT_F16(x) widen_u16(f16_round(__builtin_convertvector((v_i32)(x), v_f32)))
#define CODE_INT_F32(x) AS(u32, __builtin_convertvector((v_i32)(x), v_f32))
#define CODE_I16_F16(x, mode, sat) to_f16(__builtin_convertvector(x, v_f32), mode, false)
#define CODE_I32_F32(x, mode, sat) i32_to_f32(x, mode)
#define U_TO_u8(x, sat) fit_u32(x, sat, UINT8_MAX)
#define U_TO_u16(x, sat) fit_u32(x, sat, UINT16_MAX)
#define U_TO_i16(x, sat) fit_u32(x, sat, INT16_MAX)
#define I_TO_u8(x, sat) fit_i32(x, sat, 0, UINT8_MAX)
#define I_TO_u16(x, sat) fit_i32(x, sat, 0, UINT16_MAX)
#define I_TO_i16(x, sat) fit_i32(x, sat, INT16_MIN, INT16_MAX)
EXACT(u8, f16, 2, 16, 8, 0, CODE_INT_F16)
EXACT(u8, u16, 2, 16, 8, 0, CODE_BITS)
EXACT(u8, u32, 4, 32, 8, 0, CODE_BITS)
EXACT(i8, f16, 2, 16, 8, 0, CODE_INT_F16)
EXACT(i8, i16, 2, 16, 8, 0, CODE_BITS)
EXACT(i8, i32, 4, 32, 8, 0, CODE_BITS)
FITTED(u16, u8, 2, 8, 0, 8, U_TO_u8)
EXACT(u16, u32, 4, 32, 16, 0, CODE_BITS)
ROUNDED(i16, f16, 2, 16, 0, 0, CODE_I16_F16)
EXACT(i16, f32, 4, 32, 16, 0, CODE_INT_F32)
/* To ui32 the sign is extended, too. */
EXACT(i16, u32, 4, 32, 16, 0, CODE_BITS)
EXACT(i16, i32, 4, 32, 16, 0, CODE_BITS)
FITTED(i16, u8, 2, 8, 0, 8, I_TO_u8)
FITTED(u32, u8, 4, 8, 0, 8, U_TO_u8)
FITTED(u32, u16, 4, 16, 0, 16, U_TO_u16)
FITTED(u32, i16, 4, 16, 0, 16, U_TO_i16)
ROUNDED(i32, f32, 4, 32, 0, 0, CODE_I32_F32)
FITTED(i32, u8, 4, 8, 0, 8, I_TO_u8)
FITTED(i32, u16, 4, 16, 0, 16, I_TO_u16)
FITTED(i32, i16, 4, 16, 0, 16, I_TO_i16)

#define FROM_FORMAT(NAME, ...)                                                                     \
    SIGNATURE(NAME, f32) {                                                                         \
        BEGIN(4, 8, 0)                                                                             \
        STEPS(u8, 4, 32, AS(u32, value_##NAME(x)))                                                 \
        END(4)                                                                                     \
    }
PTRT_FORMATS_8(FROM_FORMAT, )
EXACT(hif8, f32, 4, 32, 8, 0, CODE_F32)
/* clang-format on */

/* ---- pairs of 4 bits ---- */

/* Two bf16 make a byte, the first one its low half. NaN becomes the largest code. */
#define CODE_F4(F, x)                                                                              \
    (SELECT(v_u32, (v_u32)(code_##F(x, mode) > 7) | (v_u32)((x) != (x)), splat_of_u32(7),          \
            code_##F(x, mode)) |                                                                   \
     sign_of_f32(x) >> 28)
#define FROM_BF16_PAIRS(D, F)                                                                      \
    SIGNATURE(bf16, D) {                                                                           \
        const unsigned out = 8 * ((unsigned)part & 3), mode = (unsigned)rnd + 1;                   \
        vreg s;                                                                                    \
        (void)saturation;                                                                          \
        zero_lanes(&s, a, mask, 2);                                                                \
        for (unsigned i = 0; i < VREG; i += VB) {                                                  \
            const v_u32 two = ld_u32(s.at + i);                                                    \
            const v_f32 even = AS(f32, two << 16), odd = AS(f32, two & 0xFFFF0000u);               \
            st_u32((char *)d + i, (CODE_F4(F, even) | CODE_F4(F, odd) << 4) << out);               \
        }                                                                                          \
    }
/* The bits of the bf16 of a code in the upper half; the product normalises the mantissa. */
PTRT_INLINE v_u32 f4_value(v_u32 code, int mantissa) {
    const v_f32 scale = splat_of_f32(0x1p126f);
    return AS(u32, AS(f32, (code & 7u) << (23 - mantissa)) * scale) | (code & 8u) << 28;
}
#define TO_BF16_PAIRS(S, MANTISSA)                                                                 \
    SIGNATURE(S, bf16) {                                                                           \
        BEGIN(4, 8, 0)                                                                             \
        (void)mode;                                                                                \
        for (unsigned i = 0; i < VREG; i += VB) {                                                  \
            const v_u32 two = GET_u8_4((const char *)a + i);                                       \
            st_u32(to + i, f4_value(two, MANTISSA) >> 16 | f4_value(two >> 4, MANTISSA));          \
        }                                                                                          \
        END(4)                                                                                     \
    }
FROM_BF16_PAIRS(f4e1m2x2, e1m2)
FROM_BF16_PAIRS(f4e2m1x2, e2m1)
TO_BF16_PAIRS(f4e1m2x2, 2)
TO_BF16_PAIRS(f4e2m1x2, 1)

/* ---- lanes of 64 bits ---- */

/* 32 pieces of 8 bytes: x of type S at index `in`, and D at index `out` of each. */
#define LONG_LANES(S, D, UP, DOWN, EXPR)                                                           \
    SIGNATURE(S, D) {                                                                              \
        const unsigned mode = (unsigned)rnd + 1, in = UP * ((unsigned)part & 1),                   \
                       out = DOWN * ((unsigned)part & 1);                                          \
        const bool sat = saturation > 0;                                                           \
        const ptrt_mask m = mask_down(mask, 4 * in);                                               \
        const s_##S *s = (const void *)a;                                                          \
        vreg t = {{0}};                                                                            \
        s_##D *r = (void *)t.at;                                                                   \
        (void)mode, (void)sat;                                                                     \
        for (unsigned i = 0; i < VREG / 8; i++) {                                                  \
            const S##_number x = s[8 / sizeof *s * i + in];                                        \
            r[8 / sizeof *r * i + out] = (s_##D)(EXPR);                                            \
        }                                                                                          \
        zero_lanes(d, &t, &m, 8);                                                                  \
    }
typedef float f32_number;
typedef int32_t i32_number;
typedef int64_t i64_number;

PTRT_INLINE int32_t fit_i64(int64_t x, bool sat) {
    if (!sat) return (int32_t)x;
    return (int32_t)(x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x);
}
PTRT_INLINE float i64_to_f32(int64_t x, unsigned mode) {
    return mode == PTRT_RINT ? (float)x : f32_of_exact((double)ODD_WIDE(x, int64_t), mode);
}
LONG_LANES(i32, i64, 1, 0, x)
LONG_LANES(i64, i32, 0, 1, fit_i64(x, sat))
LONG_LANES(i64, f32, 0, 1, i64_to_f32(x, mode))
typedef float whole_number;
typedef s_f32 s_whole;
LONG_LANES(whole, i64, 1, 0, LANE_INT(x, int64_t, INT64_MIN, INT64_MAX, -0x1p63f, 0x1p63f, rintf))
/* Out of range it saturates, whatever the statement says, as f32 to si32 does. */
SIGNATURE(f32, i64) {
    vreg whole;
    for (unsigned i = 0; i < VREG; i += VB)
        st_f32(whole.at + i, round_f32(ld_f32((const char *)a + i), (unsigned)rnd + 1));
    convert_whole_i64(d, (const ptrt_vreg *)(const void *)&whole, mask, rnd, saturation, part);
}

/* ---- whole numbers, products ---- */

#define WHOLE(E)                                                                                   \
    static void whole_##E(ptrt_vreg *d, const ptrt_vreg *a, const ptrt_mask *m, int rnd) {         \
        const unsigned mode = (unsigned)rnd + 1;                                                   \
        ZEROING(E, st_##E(to + i, round_f32(LANES_AT(E, a), mode)))                                \
    }
WHOLE(f16)
WHOLE(bf16)
WHOLE(f32)

/* The product is rounded to f32 and then, ties away from zero, to f16; it may overflow. */
static void mulscvt_f32(ptrt_vreg *d, const ptrt_vreg *a, uint64_t bits, const ptrt_mask *m,
                        int part) {
    const v_f32 k = splat_f32(&bits);
    const unsigned out = 16 * ((unsigned)part & 1);
    ZEROING(f32, st_u32(to + i, to_f16(LANES_AT(f32, a) * k, PTRT_AWAY, false) << out))
}
#include "kern/family.h"
