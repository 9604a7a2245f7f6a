/* SPDX-License-Identifier: Apache-2.0 */
/* codec.c - bits of elements <-> numbers, from a table of formats. */
#include "codec.h"

#include <math.h>

typedef enum Kind {
    SIGNED,
    UNSIGNED,
    IEEE,   /* infinities and NaNs at the largest exponent */
    FN,     /* no infinity; all ones is NaN */
    FINITE, /* neither infinity nor NaN */
    HIF8,   /* tapered precision */
    POWER   /* unsigned power of two, 255 is NaN */
} Kind;

typedef struct Format {
    const char *name;
    uint8_t bytes, lanes, kind;
    uint8_t bits;   /* of a lane */
    uint8_t e, m;   /* exponent and mantissa bits */
    uint8_t unused; /* low bits of a lane that encoding leaves at 0 */
    int16_t bias;
} Format;

static const Format formats[PTRT_ELEMS] = {
    [PTRT_I8] = {"i8", 1, 1, SIGNED, 8, 0, 0, 0, 0},
    [PTRT_U8] = {"u8", 1, 1, UNSIGNED, 8, 0, 0, 0, 0},
    [PTRT_I16] = {"i16", 2, 1, SIGNED, 16, 0, 0, 0, 0},
    [PTRT_U16] = {"u16", 2, 1, UNSIGNED, 16, 0, 0, 0, 0},
    [PTRT_I32] = {"i32", 4, 1, SIGNED, 32, 0, 0, 0, 0},
    [PTRT_U32] = {"u32", 4, 1, UNSIGNED, 32, 0, 0, 0, 0},
    [PTRT_I64] = {"i64", 8, 1, SIGNED, 64, 0, 0, 0, 0},
    [PTRT_U64] = {"u64", 8, 1, UNSIGNED, 64, 0, 0, 0, 0},
    [PTRT_F16] = {"f16", 2, 1, IEEE, 16, 5, 10, 0, 15},
    [PTRT_BF16] = {"bf16", 2, 1, IEEE, 16, 8, 7, 0, 127},
    [PTRT_F32] = {"f32", 4, 1, IEEE, 32, 8, 23, 0, 127},
    [PTRT_F64] = {"f64", 8, 1, IEEE, 64, 11, 52, 0, 1023},
    [PTRT_TF32] = {"tf32", 4, 1, IEEE, 32, 8, 10, 13, 127},
    [PTRT_F8E4M3] = {"f8e4m3", 1, 1, FN, 8, 4, 3, 0, 7},
    [PTRT_F8E4M3FN] = {"f8e4m3fn", 1, 1, FN, 8, 4, 3, 0, 7},
    [PTRT_F8E4M3FNUZ] = {"f8e4m3fnuz", 1, 1, FN, 8, 4, 3, 0, 7},
    [PTRT_F8E4M3B11FNUZ] = {"f8e4m3b11fnuz", 1, 1, FN, 8, 4, 3, 0, 7},
    [PTRT_F8E5M2] = {"f8e5m2", 1, 1, IEEE, 8, 5, 2, 0, 15},
    [PTRT_F8E5M2FNUZ] = {"f8e5m2fnuz", 1, 1, IEEE, 8, 5, 2, 0, 15},
    [PTRT_HIF8] = {"hif8", 1, 1, HIF8, 8, 0, 0, 0, 0},
    [PTRT_F8E8M0] = {"f8e8m0", 1, 1, POWER, 8, 8, 0, 0, 127},
    [PTRT_F4E1M2X2] = {"f4e1m2x2", 1, 2, FINITE, 4, 1, 2, 0, 1},
    [PTRT_F4E2M1X2] = {"f4e2m1x2", 1, 2, FINITE, 4, 2, 1, 0, 1},
    [PTRT_HIF8X2] = {"hif8x2", 2, 2, HIF8, 8, 0, 0, 0, 0},
    [PTRT_BF16X2] = {"bf16x2", 4, 2, IEEE, 16, 8, 7, 0, 127},
};

uint32_t elem_bytes(int elem) {
    return formats[elem].bytes;
}

int elem_lanes(int elem) {
    return formats[elem].lanes;
}

const char *elem_text(int elem) {
    return formats[elem].name;
}

bool elem_is_real(int elem) {
    return formats[elem].kind >= IEEE;
}

bool elem_is_signed(int elem) {
    return formats[elem].kind == SIGNED;
}

/* ---- bits ---- */

static uint64_t ones(int n) {
    return n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
}

uint64_t lane_bits(int elem, uint64_t bits, int lane) {
    return bits >> (lane * formats[elem].bits) & ones(formats[elem].bits);
}

uint64_t lane_put(int elem, uint64_t bits, int lane, uint64_t code) {
    int at = lane * formats[elem].bits;
    uint64_t mask = ones(formats[elem].bits) << at;
    return (bits & ~mask) | (code << at & mask);
}

/* ---- decoding ---- */

/* As ldexp, which takes longer. */
static double times_power(double v, int e) {
    if (e < -1022 || e > 1023) return ldexp(v, e);
    const uint64_t bits = (uint64_t)(e + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return v * power;
}

static double decode_hif8(uint64_t code) {
    int c = (int)(code & 0x7F), m = 0, bits = 3, e = 0;
    double sign = code & 0x80 ? -1.0 : 1.0;
    if (code == 0x80) return (double)NAN;
    if (c == 0) return 0;
    if (c == 0x6F) return sign * (double)INFINITY;
    if (c < 0x08) return sign * ldexp(1, c - 23);
    if (c < 0x10) {
        m = c & 7;
    } else if (c < 0x20) {
        e = c & 8 ? -1 : 1;
        m = c & 7;
    } else {
        /* The dot gives the number of exponent bits: 2, 3 or 4, the first of them its sign. */
        int n = (c >> 5) + 1;
        bits = 5 - n;
        m = c & ((1 << bits) - 1);
        int x = c >> bits & ((1 << n) - 1);
        int magnitude = (1 << (n - 1)) + (x & ((1 << (n - 1)) - 1));
        e = x >> (n - 1) ? -magnitude : magnitude;
    }
    return sign * ldexp(1 + ldexp(m, -bits), e);
}

/* Rounding goes through all codes: they are decoded once. */
static double hif8_of(uint64_t code) {
    static double table[256];
    static bool made;
    for (unsigned i = 0; !made && i < 256; i++)
        table[i] = decode_hif8(i);
    made = true;
    return table[code & 0xFF];
}

static double real_of(const Format *f, uint64_t code) {
    int stored = f->m + f->unused;
    uint64_t mantissa = code & ones(stored), exponent = code >> stored & ones(f->e);
    bool top = exponent == ones(f->e), negative = code >> (stored + f->e) & 1;
    double v;
    if (f->kind == IEEE && top)
        v = mantissa != 0 ? (double)NAN : (double)INFINITY;
    else if (f->kind == FN && top && mantissa == ones(stored))
        v = (double)NAN;
    else if (exponent == 0)
        v = times_power((double)mantissa, 1 - f->bias - stored);
    else
        v = times_power((double)(mantissa + ((uint64_t)1 << stored)),
                        (int)exponent - f->bias - stored);
    return negative ? -v : v;
}

Num num_of(int elem, uint64_t code) {
    const Format *f = &formats[elem];
    Num n = {0, 0};
    switch (f->kind) {
    case UNSIGNED:
        n.i = (int64_t)(code & ones(f->bits));
        break;
    case SIGNED:
        n.i = (int64_t)(code << (64 - f->bits)) >> (64 - f->bits);
        break;
    case HIF8:
        n.f = hif8_of(code & 0xFF);
        break;
    case POWER:
        n.f = code == 255 ? (double)NAN : times_power(1, (int)code - 127);
        break;
    default:
        if (elem == PTRT_F32) {
            uint32_t b = (uint32_t)code;
            float v;
            memcpy(&v, &b, sizeof v);
            n.f = (double)v;
        } else if (elem == PTRT_F64) {
            memcpy(&n.f, &code, sizeof n.f);
        } else {
            n.f = real_of(f, code);
        }
    }
    return n;
}

/* ---- encoding ---- */

/* Whether a magnitude between two codes goes to the upper one: `part` of the way, 0..1. */
static bool goes_up(double part, bool odd, bool negative, Rounding r) {
    if (part == 0) return false;
    switch (r) {
    case TO_EVEN:
        return part > 0.5 || (part == 0.5 && odd);
    case TO_AWAY:
        return part >= 0.5;
    case TO_FLOOR:
        return negative;
    case TO_CEIL:
        return !negative;
    case TO_ODD:
        return !odd;
    default:
        return false;
    }
}

/* Largest finite magnitude as a code. */
static uint64_t finite_code(const Format *f) {
    uint64_t all = ones(f->e + f->m);
    switch (f->kind) {
    case IEEE:
        return all - ((uint64_t)1 << f->m);
    case FN:
        return all - 1;
    case HIF8:
        return 0x6E;
    case POWER:
        return 254;
    default:
        return all;
    }
}

/* The code of a magnitude as if exponents went on without end. */
static uint64_t magnitude_code(const Format *f, double v, bool negative, Rounding r) {
    int least = 1 - f->bias, e = v == 0 ? least : ilogb(v);
    if (e < least) e = least;
    double scaled = times_power(v, f->m - e), whole = floor(scaled);
    uint64_t n = (uint64_t)whole;
    n += goes_up(scaled - whole, n & 1, negative, r);
    return ((uint64_t)(e - least) << f->m) + n;
}

#define OVERFLOWS UINT64_MAX

/* Between the largest code that is not above v and the smallest that is; infinity counts as what
 * would come after the largest finite value, 1.5 * 2^15. */
static uint64_t hif8_code(double v, bool negative, Rounding r) {
    uint64_t low = 0, high = OVERFLOWS;
    double below = 0, above = 49152;
    for (uint64_t code = 1; code < 0x80; code++) {
        double x = hif8_of(code);
        if (code == 0x6F) continue;
        if (x <= v && x > below) {
            below = x;
            low = code;
        }
        if (x > v && x < above) {
            above = x;
            high = code;
        }
    }
    if (v >= above) return high;
    double low_part = v - below, high_part = above - v;
    double part = low_part == 0           ? 0
                  : low_part == high_part ? 0.5
                  : low_part < high_part  ? 0.25
                                          : 0.75;
    return goes_up(part, low & 1, negative, r == TO_EVEN ? TO_AWAY : r) ? high : low;
}

/* 2^(code - 127) at least 2^-127. */
static uint64_t power_code(double v, Rounding r) {
    uint64_t code = (uint64_t)(ilogb(v) + 127);
    return code + goes_up(times_power(v, -ilogb(v)) - 1, code & 1, false, r);
}

static uint64_t nan_code(const Format *f) {
    switch (f->kind) {
    case IEEE:
        return ones(f->e) << f->m | (uint64_t)1 << (f->m - 1);
    case FN:
        return ones(f->e + f->m);
    case HIF8:
        return 0x80;
    case POWER:
        return 255;
    default:
        return 0;
    }
}

/* Magnitudes above the largest finite code. */
static uint64_t overflow_code(const Format *f, bool negative, Rounding r, bool clamp,
                              bool infinite) {
    bool toward = r == TO_ZERO || r == TO_ODD || r == (negative ? TO_CEIL : TO_FLOOR);
    if (clamp || f->kind == FINITE || (toward && !infinite)) return finite_code(f);
    return f->kind == IEEE ? ones(f->e) << f->m : f->kind == HIF8 ? 0x6F : nan_code(f);
}

static uint64_t double_bits(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

uint64_t code_of_real(int elem, double v, Rounding r, bool clamp) {
    const Format *f = &formats[elem];
    bool negative = signbit(v) != 0;
    double size = fabs(v);
    if (isnan(v)) return nan_code(f) << f->unused;
    if (elem == PTRT_F64) return double_bits(v);
    if (f->kind == POWER && negative) return v == 0 ? 0 : nan_code(f);
    if (f->kind == POWER && size < 0x1p-127) return 0;
    uint64_t code = isinf(size)        ? OVERFLOWS
                    : f->kind == HIF8  ? hif8_code(size, negative, r)
                    : f->kind == POWER ? power_code(size, r)
                                       : magnitude_code(f, size, negative, r);
    if (code == OVERFLOWS || (f->kind != HIF8 && code > finite_code(f)))
        code = overflow_code(f, negative, r, clamp, isinf(size));
    if (code == nan_code(f) && f->kind != FINITE) return code << f->unused;
    bool no_zero = code == 0 && f->kind == HIF8;
    return (code | (uint64_t)(negative && !no_zero) << (f->bits - 1 - f->unused)) << f->unused;
}

uint64_t code_of_int(int elem, int64_t v) {
    return (uint64_t)v & ones(formats[elem].bits);
}

uint64_t code_of(int elem, Num v) {
    return elem_is_real(elem) ? code_of_real(elem, v.f, TO_EVEN, false) : code_of_int(elem, v.i);
}

double real_in(int elem, double v) {
    return num_of(elem, code_of_real(elem, v, TO_EVEN, false)).f;
}

/* ---- reals to integers ---- */

double real_to_integral(double v, Rounding r) {
    if (isnan(v) || isinf(v)) return v;
    double whole = floor(fabs(v));
    whole += goes_up(fabs(v) - whole, fmod(whole, 2) == 1, v < 0, r) ? 1 : 0;
    return copysign(whole, v);
}

uint64_t code_of_clamped(int elem, double v, Rounding r) {
    const Format *f = &formats[elem];
    double whole = real_to_integral(v, r);
    double below = elem_is_signed(elem) ? -ldexp(1, f->bits - 1) : 0;
    double above = times_power(1, elem_is_signed(elem) ? f->bits - 1 : f->bits);
    if (isnan(v)) return 0;
    if (whole <= below) return code_min(elem);
    if (whole >= above) return code_max(elem);
    return code_of_int(elem, whole < 0x1p63 ? (int64_t)whole : (int64_t)(uint64_t)whole);
}

/* ---- extremes ---- */

uint64_t code_max(int elem) {
    const Format *f = &formats[elem];
    switch (f->kind) {
    case UNSIGNED:
        return ones(f->bits);
    case SIGNED:
        return ones(f->bits - 1);
    case IEEE:
        return ones(f->e) << (f->m + f->unused);
    case HIF8:
        return 0x6F;
    default:
        return finite_code(f);
    }
}

uint64_t code_min(int elem) {
    const Format *f = &formats[elem];
    if (f->kind == UNSIGNED || f->kind == POWER) return 0;
    if (f->kind == SIGNED) return (uint64_t)1 << (f->bits - 1);
    return code_max(elem) | (uint64_t)1 << (f->bits - 1);
}

double real_limit(int elem) {
    const Format *f = &formats[elem];
    return num_of(elem, finite_code(f) << f->unused).f;
}

/* ---- comparisons ---- */

static bool code_is_nan(int elem, uint64_t code) {
    return elem_is_real(elem) && isnan(num_of(elem, code).f);
}

bool bits_have_nan(int elem, uint64_t bits) {
    for (int lane = 0; lane < formats[elem].lanes; lane++)
        if (code_is_nan(elem, lane_bits(elem, bits, lane))) return true;
    return false;
}

bool bits_same(int elem, uint64_t a, uint64_t b) {
    for (int lane = 0; lane < formats[elem].lanes; lane++) {
        uint64_t x = lane_bits(elem, a, lane), y = lane_bits(elem, b, lane);
        if (x != y && !(code_is_nan(elem, x) && code_is_nan(elem, y))) return false;
    }
    return true;
}

bool is_less(int elem, Num a, Num b) {
    if (elem_is_real(elem)) return a.f < b.f;
    return elem_is_signed(elem) ? a.i < b.i : (uint64_t)a.i < (uint64_t)b.i;
}

double ulps_between(int elem, uint64_t code, long double want) {
    const Format *f = &formats[elem];
    double got = num_of(elem, code).f, rounded = real_in(elem, (double)want);
    if (isnan(got) || isnan(want)) return isnan(got) && isnan(want) ? 0 : (double)INFINITY;
    if (isinf(got) || isinf(rounded)) return got == rounded ? 0 : (double)INFINITY;
    int least = 1 - f->bias, e = want == 0 ? least : ilogbl(want);
    if (e < least) e = least;
    return (double)(fabsl((long double)got - want) / ldexpl(1, e - f->m));
}
