/* SPDX-License-Identifier: Apache-2.0 */
/* formula_convert.c - conversions of lanes, in all modes and at all positions. */
#include "lanes.h"

#include <math.h>

typedef struct Conversion {
    const Trial *t;
    int from, to, rnd, sat; /* rnd: R A F C Z O H */
} Conversion;

static Rounding rounding(int rnd) {
    static const Rounding modes[] = {TO_EVEN, TO_AWAY, TO_FLOOR, TO_CEIL, TO_ZERO, TO_ODD, TO_EVEN};
    return modes[rnd];
}

static bool is_fp8(int elem) {
    bool fp8 = false;
#define IS_FP8(id, ...) fp8 |= elem == PTRT_##id;
    PTRT_FLOATS_8(IS_FP8, )
    return fp8;
}

static bool is_e5m2(int elem) {
    return elem == PTRT_F8E5M2 || elem == PTRT_F8E5M2FNUZ;
}

/* ---- the code of one lane ---- */

static uint64_t of_real_to_int(const Conversion *c, double x) {
    const bool low = elem_bytes(c->to) < 4 && !c->sat;
    const uint64_t code = code_of_clamped(low ? PTRT_I32 : c->to, x, rounding(c->rnd));
    return low ? code_of_int(c->to, (int64_t)code) : code;
}

static uint64_t of_int_to_int(const Conversion *c, int64_t x) {
    if (c->sat && elem_bytes(c->to) < elem_bytes(c->from)) {
        const int64_t low = num_of(c->to, code_min(c->to)).i,
                      high = num_of(c->to, code_max(c->to)).i;
        x = x < low ? low : x > high ? high : x;
    }
    return code_of_int(c->to, x);
}

/* What the device gives for f32 that overflow f8 in modes other than R. */
static bool is_odd_overflow(const Conversion *c, double x, uint64_t *code) {
    const double most = is_e5m2(c->to) ? 57344 : 448, beyond = is_e5m2(c->to) ? 65536 : 480;
    const bool away = c->rnd == 1;
    if (c->from != PTRT_F32 || c->rnd == 0 || isnan(x)) return false;
    if (fabs(x) < (away ? (most + beyond) / 2 : beyond)) return false;
    *code = is_e5m2(c->to) ? (away ? 0x7D : 0x7C) : away ? 0x78 : 0x7E;
    *code |= signbit(x) ? 0x80 : 0;
    return true;
}

static uint64_t of_real_to_fp8(const Conversion *c, double x) {
    const Rounding r = c->rnd == 6 ? TO_ZERO : rounding(c->rnd);
    uint64_t code;
    if (c->sat && is_odd_overflow(c, x, &code)) return code;
    return code_of_real(c->to, x, r, c->sat);
}

/* An integer as a number of 53 bits that is rounded to f32 as the integer would be. */
static double sticky(int64_t v) {
    uint64_t size = v < 0 ? -(uint64_t)v : (uint64_t)v, rest = 0;
    int drop = 0;
    for (; size >> 52 != 0; drop++) {
        rest |= size & 1;
        size >>= 1;
    }
    const double x = ldexp((double)(int64_t)(2 * size + (rest != 0)), drop - 1);
    return v < 0 ? -x : x;
}

static uint64_t code_of_lane(const Conversion *c, Num x) {
    const bool real_from = elem_is_real(c->from);
    if (!elem_is_real(c->to)) return real_from ? of_real_to_int(c, x.f) : of_int_to_int(c, x.i);
    if (!real_from) return code_of_real(c->to, sticky(x.i), rounding(c->rnd), false);
    const bool narrows = elem_bytes(c->to) < elem_bytes(c->from) || c->to == PTRT_F16;
    if (!narrows) return code_of_real(c->to, x.f, TO_EVEN, false);
    if (elem_lanes(c->to) > 1 && isnan(x.f)) return signbit(x.f) ? 15 : 7;
    if (elem_lanes(c->to) == 1 && c->sat && isnan(x.f)) return 0;
    if (is_fp8(c->to)) return of_real_to_fp8(c, x.f);
    return code_of_real(c->to, x.f, c->to == PTRT_HIF8 ? TO_EVEN : rounding(c->rnd), c->sat);
}

/* ---- the register ---- */

/* Two values of 16 bits to a byte, and back. */
static void expect_pairs(Conversion *c, unsigned at, ptrt_vreg *want) {
    const Trial *t = c->t;
    for (unsigned i = 0; i < BYTES / 4; i++) {
        if (elem_lanes(c->from) > 1) {
            const uint64_t pair = lane_get(&t->in[0], c->from, 4 * i + at);
            for (int k = 0; k < 2 && lane_active(t, 4 * i + at, 1); k++)
                lane_set(want, c->to, 2 * i + (unsigned)k,
                         code_of_lane(c, num_of(c->from, lane_bits(c->from, pair, k))));
            continue;
        }
        uint64_t bits = 0;
        for (unsigned k = 0; k < 2; k++)
            if (lane_active(t, 2 * i + k, 2))
                bits = lane_put(c->to, bits, (int)k,
                                code_of_lane(c, lane_value(&t->in[0], c->from, 2 * i + k)));
        lane_set(want, c->to, 4 * i + at, bits);
    }
}

static void expect(Conversion *c, unsigned at, ptrt_vreg *want) {
    const Trial *t = c->t;
    const unsigned from = elem_bytes(c->from), to = elem_bytes(c->to);
    *want = (ptrt_vreg){{0}};
    if (elem_lanes(c->from) + elem_lanes(c->to) > 2) {
        expect_pairs(c, at, want);
        return;
    }
    const unsigned lanes = BYTES / (from > to ? from : to);
    for (unsigned i = 0; i < lanes; i++) {
        const unsigned s = to > from ? to / from * i + at : i,
                       d = from > to ? from / to * i + at : i;
        if (lane_active(t, s, from))
            lane_set(want, c->to, d, code_of_lane(c, lane_value(&t->in[0], c->from, s)));
    }
}

/* One of the modes that the pair of types has. */
static int draw_rounding(Trial *t) {
    static const uint8_t of_f32[] = {0, 1, 4, 6}, of_hif8[] = {1, 6};
    if (t->e2 == PTRT_HIF8) return of_hif8[random_below(&t->random, 2)];
    if (is_fp8(t->e2) && t->e1 == PTRT_F32) return of_f32[random_below(&t->random, 4)];
    return (int)random_below(&t->random, is_fp8(t->e2) || elem_lanes(t->e2) > 1 ? 5 : 7);
}

static void convert(Trial *t) {
    _Alignas(64) ptrt_vreg out;
    ptrt_vreg want;
    const unsigned a = elem_bytes(t->e1), b = elem_bytes(t->e2);
    const unsigned ratio = elem_lanes(t->e1) + elem_lanes(t->e2) > 2 ? 4 : a > b ? a / b : b / a;
    const unsigned at = (unsigned)random_below(&t->random, ratio);
    Conversion c = {.t = t, .from = t->e1, .to = t->e2};
    c.rnd = draw_rounding(t);
    c.sat = (int)random_below(&t->random, 2);
    draw_bytes(t, &out, sizeof out);
    CALL_BODY(t, convert)
    (&out, &t->in[0], &t->mask, c.rnd, c.sat,
     ratio == 1 ? PTRT_ABSENT : (int)(ratio == 4 ? 4 + at : at));
    expect(&c, at, &want);
    same_register(t, "result", t->e2, &out, &want);
}

FORMULA(VCVT, .run = convert);

/* ---- whole numbers, products ---- */

static void whole_numbers(Trial *t) {
    _Alignas(64) ptrt_vreg out;
    ptrt_vreg want = {{0}};
    const int rnd = (int)random_below(&t->random, 5);
    CALL_BODY(t, whole)(&out, &t->in[0], &t->mask, rnd);
    for (unsigned i = 0; i < lanes_of(t->e1); i++)
        if (lane_active(t, i, elem_bytes(t->e1)))
            lane_set(&want, t->e1, i,
                     code_of_real(
                         t->e1, real_to_integral(lane_value(&t->in[0], t->e1, i).f, rounding(rnd)),
                         TO_EVEN, false));
    same_register(t, "result", t->e1, &out, &want);
}

static void products(Trial *t) {
    _Alignas(64) ptrt_vreg out;
    ptrt_vreg want = {{0}};
    const unsigned at = (unsigned)random_below(&t->random, 2);
    const double k = num_of(PTRT_F32, t->scalar).f;
    CALL_BODY(t, mulscvt)(&out, &t->in[0], t->scalar, &t->mask, (int)at);
    for (unsigned i = 0; i < lanes_of(PTRT_F32); i++)
        if (lane_active(t, i, 4))
            lane_set(&want, PTRT_F16, 2 * i + at,
                     code_of_real(PTRT_F16,
                                  real_in(PTRT_F32, lane_value(&t->in[0], PTRT_F32, i).f * k),
                                  TO_AWAY, false));
    same_register(t, "result", PTRT_F16, &out, &want);
}

FORMULA(VTRC, .run = whole_numbers);
FORMULA(VMULSCVT, .run = products);
