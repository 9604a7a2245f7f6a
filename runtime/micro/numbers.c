/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.c - arithmetic and conversions of work items. exp, log, pow and the floats of 8 and 4
 * bits are those of tiles; all other results are rounded once, in the way that is asked for. */
#include "core/core.h"
#include "micro/sine.h"
#include "micro/value.h"

/* ---- two operands ---- */

/* minnumf and maxnumf keep the bits of the operand that they return. */
static uint64_t pick(value_op op, int elem, uint64_t x, uint64_t y) {
    const float a = float_of(elem, x), b = float_of(elem, y);
    if (isnan(a)) return isnan(b) ? bits_of_float(elem, NAN) : y;
    if (isnan(b)) return x;
    const bool below = a < b || (a == b && signbit(a) && !signbit(b));
    return below == (op == VALUE_MIN) ? x : y;
}

static uint64_t compute_float(value_op op, int elem, uint64_t x, uint64_t y) {
    const float a = float_of(elem, x), b = float_of(elem, y);
    if (op == VALUE_ADD || op == VALUE_SUB)
        return bits_of_float(elem, op == VALUE_ADD ? a + b : a - b);
    return pick(op, elem, x, y);
}

static bool is_below(uint64_t x, uint64_t y, unsigned bytes, bool is_unsigned) {
    return is_unsigned ? x < y : value_signed(x, bytes) < value_signed(y, bytes);
}

uint64_t value_compute(value_op op, int elem, uint64_t x, uint64_t y, bool is_unsigned) {
    const unsigned bytes = ptrt_elem_size(elem);
    switch (op) {
    case VALUE_SECOND:
        return y;
    case VALUE_AND:
        return x & y;
    case VALUE_OR:
        return x | y;
    case VALUE_XOR:
        return x ^ y;
    default:
        break;
    }
    if (is_float_value(elem)) return compute_float(op, elem, x, y);
    if (op == VALUE_ADD || op == VALUE_SUB) return low_bits(op == VALUE_ADD ? x + y : x - y, bytes);
    return is_below(x, y, bytes, is_unsigned) == (op == VALUE_MIN) ? x : y;
}

uint64_t value_compute_all(value_op op, int elem, int lanes, uint64_t x, uint64_t y,
                           bool is_unsigned) {
    const unsigned bytes = ptrt_elem_size(elem);
    uint64_t all = 0;
    for (int i = 0; i < lanes; i++)
        all = value_with(
            all, i, bytes,
            value_compute(op, elem, value_lane(x, i, bytes), value_lane(y, i, bytes), is_unsigned));
    return all;
}

/* ---- integers ---- */

void ptrt_prmt(int32_t *out, uint64_t high, uint64_t low, uint64_t select) {
    const uint64_t bytes = high << 32 | low;
    uint32_t r = 0;
    for (int j = 0; j < 4; j++)
        r |= (uint32_t)(bytes >> (select >> 4 * j & 7) * 8 & 0xFF) << 8 * j;
    *out = (int32_t)r;
}

void ptrt_mul_i32toi64(int64_t *out, uint64_t x, uint64_t y, int signedness) {
    *out = signedness == 0 ? (int64_t)(int32_t)x * (int32_t)y
                           : (int64_t)((x & UINT32_MAX) * (y & UINT32_MAX));
}

void ptrt_mulhi(void *out, uint64_t x, uint64_t y, int elem, int lanes, int signedness) {
    int64_t high;
    if (value_bytes(elem, lanes) == 4) {
        ptrt_mul_i32toi64(&high, x, y, signedness);
        value_store(out, (uint64_t)high >> 32, 4);
        return;
    }
    if (signedness == 0)
        (void)ptrt_mulsi_extended_i64((int64_t)x, (int64_t)y, &high);
    else
        (void)ptrt_mului_extended_i64((int64_t)x, (int64_t)y, &high);
    value_store(out, (uint64_t)high, 8);
}

/* ---- floats, element by element ---- */

static int no_floats(ptrt_core *core, uint32_t line, const char *op) {
    return ptrt_fail(core, PTRT_E_TYPE, line, "%s: not computed for this type", op);
}

/* Defines an instruction whose result EXPR, a float, comes of the floats x, y and z. */
#define EACH(op, X, Y, BITS)                                                                       \
    const unsigned bytes = ptrt_elem_size(elem);                                                   \
    uint64_t all = 0;                                                                              \
    if (!is_float_value(elem)) return no_floats(core, line, op);                                   \
    for (int i = 0; i < lanes; i++) {                                                              \
        const uint64_t xb = value_lane(X, i, bytes), yb = value_lane(Y, i, bytes);                 \
        const float x = float_of(elem, xb), y = float_of(elem, yb);                                \
        (void)x;                                                                                   \
        (void)y;                                                                                   \
        all = value_with(all, i, bytes, BITS);                                                     \
    }                                                                                              \
    value_store(out, all, bytes *(unsigned)lanes);                                                 \
    return PTRT_OK;
#define MATH_1(name, BITS)                                                                         \
    int ptrt_num_##name(ptrt_core *core, uint32_t line, void *out, uint64_t value, int elem,       \
                        int lanes) {                                                               \
        EACH("pto." #name, value, 0, BITS)                                                         \
    }
#define MATH_2(name, BITS)                                                                         \
    int ptrt_num_##name(ptrt_core *core, uint32_t line, void *out, uint64_t a, uint64_t b,         \
                        int elem, int lanes) {                                                     \
        EACH("pto." #name, a, b, BITS)                                                             \
    }
MATH_1(absf, xb & ~(UINT64_C(1) << (bytes * 8 - 1)))
MATH_1(sqrt, bits_of_float(elem, sqrtf(x)))
MATH_1(sin, bits_of_float(elem, sine_ahead(x, 0)))
MATH_1(cos, bits_of_float(elem, sine_ahead(x, 1)))
MATH_1(ceil, bits_of_float(elem, ceilf(x)))
MATH_1(floor, bits_of_float(elem, floorf(x)))
MATH_1(rint, bits_of_float(elem, rintf(x)))
MATH_1(round, bits_of_float(elem, roundf(x)))
MATH_2(fmin, pick(VALUE_MIN, elem, xb, yb))
MATH_2(fmax, pick(VALUE_MAX, elem, xb, yb))

/* ---- as tiles compute it ---- */

/* Stores the elements, each NaN as the one NaN. */
static int give(void *out, const void *from, int elem, int lanes) {
    const unsigned bytes = ptrt_elem_size(elem);
    uint64_t all = 0;
    for (int i = 0; i < lanes; i++) {
        const uint64_t x = value_load((const char *)from + (unsigned)i * bytes, bytes);
        const bool nan = isnan(float_of(elem, x));
        all = value_with(all, i, bytes, nan ? bits_of_float(elem, NAN) : x);
    }
    value_store(out, all, bytes * (unsigned)lanes);
    return PTRT_OK;
}

enum { ROOM = 64 };

static int map_1(ptrt_core *core, uint32_t line, const char *op, int kernel, void *out, uint64_t x,
                 int elem, int lanes) {
    const ptrt_map1_fn body = (ptrt_map1_fn)core->bodies->one[kernel][elem];
    _Alignas(64) unsigned char a[ROOM] = {0}, d[ROOM];
    if (!body || !is_float_value(elem)) return no_floats(core, line, op);
    value_store(a, x, value_bytes(elem, lanes));
    body(d, a, 1, (size_t)lanes, 0, 0);
    return give(out, d, elem, lanes);
}

int ptrt_num_exp(ptrt_core *core, uint32_t line, void *out, uint64_t x, int elem, int lanes) {
    return map_1(core, line, "pto.exp", PTRT_TEXP, out, x, elem, lanes);
}

int ptrt_num_log(ptrt_core *core, uint32_t line, void *out, uint64_t x, int elem, int lanes) {
    return map_1(core, line, "pto.log", PTRT_TLOG, out, x, elem, lanes);
}

int ptrt_num_pow(ptrt_core *core, uint32_t line, void *out, uint64_t x, uint64_t y, int elem,
                 int lanes) {
    const ptrt_map2_fn body = (ptrt_map2_fn)core->bodies->one[PTRT_TPOW][elem];
    _Alignas(64) unsigned char a[ROOM] = {0}, b[ROOM] = {0}, d[ROOM];
    if (!body || !is_float_value(elem)) return no_floats(core, line, "pto.pow");
    value_store(a, x, value_bytes(elem, lanes));
    value_store(b, y, value_bytes(elem, lanes));
    (void)body(d, a, b, 1, (size_t)lanes, ptrt_one_row);
    return give(out, d, elem, lanes);
}

/* ---- rounding ---- */

/* The rounding words of the language, by number. */
enum { TO_EVEN, TO_AWAY, TO_FLOOR, TO_CEIL, TO_ZERO, TO_ODD };

/* The number (-1)^negative * mag * 2^exp. */
typedef struct exact {
    bool negative;
    uint64_t mag;
    int exp;
} exact;

/* Returns mag * 2^-drop, rounded. */
static uint64_t drop_bits(bool negative, uint64_t mag, int drop, int rounding) {
    if (drop <= 0) return mag;
    const uint64_t kept = drop < 64 ? mag >> drop : 0;
    const uint64_t rest = drop < 64 ? mag - (kept << drop) : mag;
    const uint64_t half = drop <= 64 ? UINT64_C(1) << (drop - 1) : UINT64_MAX;
    if (rest == 0) return kept;
    switch (rounding) {
    case TO_EVEN:
        return kept + (rest > half || (rest == half && (kept & 1) != 0 && drop <= 64));
    case TO_AWAY:
        return kept + (rest >= half && drop <= 64);
    case TO_FLOOR:
        return kept + negative;
    case TO_CEIL:
        return kept + !negative;
    case TO_ODD:
        return kept | 1;
    default:
        return kept;
    }
}

/* Whether what is too large becomes infinity. */
static bool goes_beyond(bool negative, int rounding) {
    return rounding == TO_EVEN || rounding == TO_AWAY || (rounding == TO_FLOOR && negative) ||
           (rounding == TO_CEIL && !negative);
}

/* Returns a number in a format of IEEE with E bits of exponent and M bits of mantissa. */
static uint64_t float_from(exact x, int E, int M, int rounding, bool clamps) {
    const uint64_t sign = (uint64_t)x.negative << (E + M), inf = ((UINT64_C(1) << E) - 1) << M;
    const int bias = (1 << (E - 1)) - 1, least = 1 - bias;
    if (x.mag == 0) return sign;
    const int zeros = __builtin_clzll(x.mag), e = x.exp - zeros + 63;
    const int drop = 63 - M + (e < least ? least - e : 0);
    const uint64_t kept = drop_bits(x.negative, x.mag << zeros, drop, rounding);
    /* A carry out of the mantissa increments the exponent. */
    uint64_t bits = kept;
    if (e > bias)
        bits = inf;
    else if (e >= least)
        bits = ((uint64_t)(e + bias - 1) << M) + kept;
    if (bits >= inf) bits = !clamps && goes_beyond(x.negative, rounding) ? inf : inf - 1;
    return sign | bits;
}

static uint64_t narrow_to(int elem, exact x, int rounding, bool clamps) {
    return elem == PTRT_F16    ? float_from(x, 5, 10, rounding, clamps)
           : elem == PTRT_BF16 ? float_from(x, 8, 7, rounding, clamps)
                               : float_from(x, 8, 23, rounding, clamps);
}

static exact exact_of_float(float x) {
    const uint32_t bits = ptrt_bits_of_f32(x), exp = bits >> 23 & 0xFF;
    return (exact){.negative = bits >> 31 != 0,
                   .mag = (bits & 0x007FFFFF) | (exp != 0 ? 0x00800000u : 0),
                   .exp = (int)(exp != 0 ? exp : 1) - 150};
}

/* ---- one rounding for product and sum ---- */

/* Returns x * y + z, where the product is exact, rounded to odd: a second rounding to less than 52
 * bits is then the only one. */
static double product_and_sum(double x, double y, double z) {
    const double p = x * y, s = p + z, part = s - p;
    const double rest = (p - (s - part)) + (z - part);
    uint64_t bits = ptrt_bits_of_f64(s);
    if (rest == 0 || !isfinite(s) || (bits & 1) != 0) return s;
    return ptrt_f64_of_bits((rest > 0) == (s > 0) ? bits + 1 : bits - 1);
}

static uint64_t fma_lane(int elem, float x, float y, float z) {
    const double s = product_and_sum((double)x, (double)y, (double)z);
    if (isnan(s)) return bits_of_float(elem, NAN);
    return elem == PTRT_F16    ? ptrt_truncf_f64_f16(s, PTRT_NEAREST_EVEN)
           : elem == PTRT_BF16 ? ptrt_truncf_f64_bf16(s, PTRT_NEAREST_EVEN)
                               : ptrt_bits_of_f32(ptrt_truncf_f64_f32(s, PTRT_NEAREST_EVEN));
}

int ptrt_num_fma(ptrt_core *core, uint32_t line, void *out, uint64_t a, uint64_t b, uint64_t c,
                 int elem, int lanes) {
    EACH("pto.fma", a, b, fma_lane(elem, x, y, float_of(elem, value_lane(c, i, bytes))))
}

/* ---- conversions of numbers ---- */

/* Returns a float as an integer: rounded and clamped; NaN becomes 0. */
static uint64_t integer_from(float f, unsigned bytes, bool is_unsigned, int rounding) {
    const exact x = exact_of_float(f);
    const uint64_t top = UINT64_C(1) << (bytes * 8 - 1);
    const uint64_t most = is_unsigned ? top - 1 + top : top - (x.negative ? 0 : 1);
    if (isnan(f)) return 0;
    uint64_t mag = x.exp > 40  ? UINT64_MAX
                   : x.exp > 0 ? x.mag << x.exp
                               : drop_bits(x.negative, x.mag, -x.exp, rounding);
    if (isinf(f) || mag > most) mag = most;
    if (x.negative && is_unsigned) return 0;
    return low_bits(x.negative ? 0 - mag : mag, bytes);
}

static exact exact_of_integer(uint64_t bits, unsigned bytes, bool is_unsigned) {
    const int64_t v = value_signed(bits, bytes);
    if (is_unsigned || v >= 0) return (exact){.mag = bits};
    return (exact){.negative = true, .mag = 0 - (uint64_t)v};
}

static uint64_t convert_float(int elem, float x, int rounding, bool clamps) {
    if (isnan(x)) return bits_of_float(elem, NAN);
    if (isinf(x)) return bits_of_float(elem, x);
    return narrow_to(elem, exact_of_float(x), rounding, clamps);
}

typedef struct conversion {
    int from, from_lanes, to, lanes;
    int rounding;
    bool clamps, is_unsigned;
} conversion;

static bool is_integer(int elem) {
    return elem == PTRT_I32 || elem == PTRT_I64 || elem == PTRT_U32 || elem == PTRT_U64;
}

/* Converts numbers of 16 bits or more. */
static uint64_t convert_lanes(const conversion *c, uint64_t x) {
    const unsigned from = ptrt_elem_size(c->from), to = ptrt_elem_size(c->to);
    uint64_t all = 0;
    for (int i = 0; i < c->lanes; i++) {
        const uint64_t bits = value_lane(x, i, from);
        uint64_t r;
        if (is_integer(c->to))
            r = integer_from(float_of(c->from, bits), to, c->is_unsigned, c->rounding);
        else if (is_integer(c->from))
            r = narrow_to(c->to, exact_of_integer(bits, from, c->is_unsigned), c->rounding,
                          c->clamps);
        else
            r = convert_float(c->to, float_of(c->from, bits), c->rounding, c->clamps);
        all = value_with(all, i, to, r);
    }
    return all;
}

/* ---- conversions of floats of 8 and 4 bits ---- */

static bool is_pair(int elem) {
    return elem == PTRT_F4E1M2X2 || elem == PTRT_F4E2M1X2;
}

static bool is_small(int elem) {
    return ptrt_elem_size(elem) == 1;
}

/* Converts two elements as tiles do. Returns false when these have no such conversion. */
static bool convert_tile(const ptrt_core *core, const conversion *c, int from, int to, uint64_t x,
                         uint64_t *out) {
    const ptrt_args_fn body = (ptrt_args_fn)ptrt_body_of_pair(core->bodies, PTRT_TCVT, from, to);
    unsigned how = (unsigned)c->rounding + PTRT_RINT;
    if (!c->clamps) how |= PTRT_UNCLAMPED;
    _Alignas(64) unsigned char a[ROOM] = {0}, d[ROOM] = {0};
    const ptrt_args args = {
        .rows = 1, .cols = (size_t)c->lanes, .p = {a, d}, .ld = {c->lanes, c->lanes}, .how = &how};
    if (!body) return false;
    value_store(a, x, is_pair(from) ? 1 : ptrt_elem_size(from) * (unsigned)c->lanes);
    body(&args);
    *out = value_load(d, is_pair(to) ? 1 : ptrt_elem_size(to) * (unsigned)c->lanes);
    return true;
}

/* Makes the largest finite hif8 of an infinite one that comes of a number. */
static uint64_t clamp_hif8(const conversion *c, uint64_t wide, uint64_t codes) {
    enum { INF = 0x6F };
    for (int i = 0; i < c->lanes; i++) {
        const float x = float_of(PTRT_F32, value_lane(wide, i, 4));
        if ((value_lane(codes, i, 1) & 0x7F) == INF && !isinf(x)) codes -= UINT64_C(1) << 8 * i;
    }
    return codes;
}

/* To and from fp8 and hif8 by way of f32, which has all of their values and those of f16. */
static bool convert_small(const ptrt_core *core, const conversion *c, uint64_t x, uint64_t *out) {
    const conversion exactly = {.from = is_small(c->from) ? PTRT_F32 : c->from,
                                .to = is_small(c->from) ? c->to : PTRT_F32,
                                .lanes = c->lanes,
                                .rounding = c->rounding,
                                .clamps = c->clamps};
    uint64_t wide;
    if (is_pair(c->from) || is_pair(c->to)) return convert_tile(core, c, c->from, c->to, x, out);
    if (is_small(c->from)) {
        if (!convert_tile(core, c, c->from, PTRT_F32, x, &wide)) return false;
        *out = convert_lanes(&exactly, wide);
        return true;
    }
    wide = convert_lanes(&exactly, x);
    if (!convert_tile(core, c, PTRT_F32, c->to, wide, out)) return false;
    if (c->to == PTRT_HIF8 && c->clamps) *out = clamp_hif8(c, wide, *out);
    return true;
}

/* A type that holds two numbers in one element becomes two elements. */
static void open_pair(int *elem, int *lanes) {
    if (*elem == PTRT_HIF8X2)
        *elem = PTRT_HIF8;
    else if (*elem == PTRT_BF16X2)
        *elem = PTRT_BF16;
    else if (!is_pair(*elem))
        return;
    *lanes = 2;
}

int ptrt_num_convert(ptrt_core *core, uint32_t line, void *out, uint64_t x, int from_elem,
                     int from_lanes, int elem, int lanes, int rounding, int saturation,
                     int64_t signedness) {
    conversion c = {from_elem, from_lanes, elem, lanes, rounding, saturation == 0, signedness == 1};
    const unsigned bytes = value_bytes(elem, lanes);
    uint64_t r = 0;
    open_pair(&c.from, &c.from_lanes);
    open_pair(&c.to, &c.lanes);
    bool done = c.from_lanes == c.lanes && c.lanes <= 2;
    if (done && (is_small(c.from) || is_small(c.to)))
        done = convert_small(core, &c, x, &r);
    else if (done)
        r = convert_lanes(&c, x);
    if (!done) return no_floats(core, line, "pto.convert");
    value_store(out, r, bytes);
    return PTRT_OK;
}
