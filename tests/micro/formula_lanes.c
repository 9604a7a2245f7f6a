/* SPDX-License-Identifier: Apache-2.0 */
/* formula_lanes.c - arithmetic on lanes. */
#include "lanes.h"

#include <math.h>

static unsigned width(const Trial *t) {
    return 8 * elem_bytes(t->e1);
}

/* ---- two operands ---- */

static Num add(const Trial *t, const Num *x) {
    return is_real(t) ? real(x[0].f + x[1].f) : whole(wrap_add(x[0].i, x[1].i));
}

static Num sub(const Trial *t, const Num *x) {
    return is_real(t) ? real(x[0].f - x[1].f) : whole(wrap_sub(x[0].i, x[1].i));
}

static Num mul(const Trial *t, const Num *x) {
    return is_real(t) ? real(x[0].f * x[1].f) : whole(wrap_mul(x[0].i, x[1].i));
}

/* An integer divided by 0 is 0; the smallest one divided by -1 is itself. */
static Num divide(const Trial *t, const Num *x) {
    if (is_real(t)) return real(x[0].f / x[1].f);
    if (x[1].i == 0) return whole(0);
    if (!elem_is_signed(t->e1)) return whole((int64_t)((uint64_t)x[0].i / (uint64_t)x[1].i));
    return whole(x[1].i == -1 ? wrap_sub(0, x[0].i) : x[0].i / x[1].i);
}

/* NaN if either is NaN; of zeros of both signs the first. */
static Num larger(const Trial *t, const Num *x) {
    if (is_real(t) && isnan(x[1].f)) return x[1];
    return is_less(t->e1, x[0], x[1]) ? x[1] : x[0];
}

static Num smaller(const Trial *t, const Num *x) {
    if (is_real(t) && isnan(x[1].f)) return x[1];
    return is_less(t->e1, x[1], x[0]) ? x[1] : x[0];
}

static uint64_t both(const Trial *t, const uint64_t *x) {
    (void)t;
    return x[0] & x[1];
}

static uint64_t either(const Trial *t, const uint64_t *x) {
    (void)t;
    return x[0] | x[1];
}

static uint64_t differing(const Trial *t, const uint64_t *x) {
    (void)t;
    return x[0] ^ x[1];
}

static uint64_t ones(const Trial *t) {
    return width(t) == 64 ? UINT64_MAX : (UINT64_C(1) << width(t)) - 1;
}

/* Counts outside of the width leave nothing, or the sign. */
static uint64_t left(const Trial *t, const uint64_t *x) {
    return x[1] < width(t) ? x[0] << x[1] & ones(t) : 0;
}

static uint64_t right(const Trial *t, const uint64_t *x) {
    const bool minus = elem_is_signed(t->e1) && (x[0] >> (width(t) - 1) & 1) != 0;
    if (x[1] >= width(t)) return minus ? ones(t) : 0;
    const uint64_t sign = minus ? ones(t) ^ ones(t) >> x[1] : 0;
    return x[0] >> x[1] | sign;
}

/* Of a scalar, only 16 bits count. */
static uint64_t left_by_all(const Trial *t, const uint64_t *x) {
    return left(t, (const uint64_t[]){x[0], x[1] & 0xFFFF});
}

static uint64_t right_by_all(const Trial *t, const uint64_t *x) {
    return right(t, (const uint64_t[]){x[0], x[1] & 0xFFFF});
}

static Num slope(const Trial *t, const Num *x) {
    (void)t;
    return x[0].f >= 0 ? x[0] : real(x[0].f * x[1].f);
}

FORMULA(VADD, .lane = add);
FORMULA(VSUB, .lane = sub);
FORMULA(VMUL, .lane = mul);
FORMULA(VDIV, .lane = divide);
FORMULA(VMAX, .lane = larger);
FORMULA(VMIN, .lane = smaller);
FORMULA(VAND, .bits = both);
FORMULA(VOR, .bits = either);
FORMULA(VXOR, .bits = differing);
FORMULA(VSHL, .bits = left);
FORMULA(VSHR, .bits = right);
FORMULA(VPRELU, .lane = slope);
FORMULA(VADDS, .lane = add);
FORMULA(VMULS, .lane = mul);
FORMULA(VMAXS, .lane = larger);
FORMULA(VMINS, .lane = smaller);
FORMULA(VSHLS, .bits = left_by_all);
FORMULA(VSHRS, .bits = right_by_all);
FORMULA(VLRELU, .lane = slope);

static uint64_t first_bits_of(const Trial *t, const uint64_t *x) {
    (void)t;
    return x[0];
}

FORMULA(VSEL, .bits = first_bits_of, .merges = 2);

/* ---- one operand ---- */

static uint64_t magnitude(const Trial *t, const uint64_t *x) {
    if (is_real(t)) return x[0] & ones(t) >> 1;
    const bool minus = elem_is_signed(t->e1) && (x[0] >> (width(t) - 1) & 1) != 0;
    return minus ? (0 - x[0]) & ones(t) : x[0];
}

static uint64_t negated(const Trial *t, const uint64_t *x) {
    return is_real(t) ? x[0] ^ (ones(t) ^ ones(t) >> 1) : (0 - x[0]) & ones(t);
}

static uint64_t inverted(const Trial *t, const uint64_t *x) {
    return x[0] ^ ones(t);
}

static long double exponential(const Trial *t, const Num *x) {
    (void)t;
    return expl(x[0].f);
}

static long double logarithm(const Trial *t, const Num *x) {
    (void)t;
    return logl(x[0].f);
}

static Num root(const Trial *t, const Num *x) {
    (void)t;
    return real(sqrt(x[0].f));
}

static Num rectified(const Trial *t, const Num *x) {
    if (is_real(t)) return x[0].f > 0 ? x[0] : real(0);
    return whole(x[0].i < 0 ? 0 : x[0].i);
}

FORMULA(VABS, .bits = magnitude);
FORMULA(VNEG, .bits = negated);
FORMULA(VNOT, .bits = inverted);
FORMULA(VEXP, .real = exponential, .ulps = 1);
FORMULA(VLN, .real = logarithm, .ulps = 1);
FORMULA(VSQRT, .lane = root);
FORMULA(VRELU, .lane = rectified);

/* ---- none ---- */

FORMULA(VDUP, .bits = first_bits_of);

/* Bodies that give every active lane the bits of one lane. */
static void dup_lane(Trial *t, unsigned lane) {
    _Alignas(64) ptrt_vreg out;
    ptrt_vreg want;
    draw_bytes(t, &out, sizeof out);
    CALL_BODY(t, lanes1)(&out, &t->in[0], &t->mask);
    for (unsigned i = 0; i < lanes_of(t->e1); i++)
        lane_set(&want, t->e1, i,
                 lane_active(t, i, elem_bytes(t->e1)) ? lane_get(&t->in[0], t->e1, lane) : 0);
    same_register(t, "result", t->e1, &out, &want);
}

static void dup_low(Trial *t) {
    dup_lane(t, 0);
}

static void dup_high(Trial *t) {
    dup_lane(t, lanes_of(t->e1) - 1);
}

FORMULA(VDUP_LOW, .run = dup_low);
FORMULA(VDUP_HIGH, .run = dup_high);

/* Bodies without a mask: the scalar, plus `step` per lane. */
static void fill(Trial *t, int step) {
    _Alignas(64) ptrt_vreg out;
    ptrt_vreg want;
    draw_bytes(t, &out, sizeof out);
    CALL_BODY(t, lanes0)(&out, t->scalar);
    for (unsigned i = 0; i < lanes_of(t->e1); i++) {
        const Num base = num_of(t->e1, t->scalar);
        const double far = step < 0 ? base.f - i : base.f + i;
        uint64_t bits = t->scalar;
        if (step != 0)
            bits = code_of(t->e1, is_real(t) ? real(real_in(PTRT_F32, far))
                                             : whole(wrap_add(base.i, (int64_t)i * step)));
        lane_set(&want, t->e1, i, bits);
    }
    same_register(t, "result", t->e1, &out, &want);
}

static void fill_same(Trial *t) {
    fill(t, 0);
}

static void count_up(Trial *t) {
    fill(t, 1);
}

static void count_down(Trial *t) {
    fill(t, -1);
}

FORMULA(VBR, .run = fill_same);
FORMULA(VCI, .run = count_up);
FORMULA(VCI_DOWN, .run = count_down);

/* ---- three operands ---- */

/* x * y + z, once rounded to f32. */
static Num multiply_add(const Trial *t, Num x, Num y, Num z) {
    if (is_real(t)) return real((double)fmaf((float)x.f, (float)y.f, (float)z.f));
    return whole(wrap_add(wrap_mul(x.i, y.i), z.i));
}

static Num add_product(const Trial *t, const Num *x) {
    return multiply_add(t, x[1], x[2], x[0]);
}

static Num multiply_first(const Trial *t, const Num *x) {
    return multiply_add(t, x[0], x[1], x[2]);
}

FORMULA(VMULA, .lane = add_product, .merges = 1);
FORMULA(VMADD, .lane = multiply_first, .merges = 1);

static void axpy(Trial *t) {
    _Alignas(64) ptrt_vreg out;
    ptrt_vreg want;
    draw_bytes(t, &out, sizeof out);
    CALL_BODY(t, lanes2s)(&out, &t->in[0], &t->in[1], t->scalar, &t->mask);
    for (unsigned i = 0; i < lanes_of(t->e1); i++) {
        uint64_t bits = lane_get(&t->in[1], t->e1, i);
        if (lane_active(t, i, elem_bytes(t->e1)))
            bits = code_of(t->e1, multiply_add(t, num_of(t->e1, t->scalar),
                                               lane_value(&t->in[0], t->e1, i),
                                               lane_value(&t->in[1], t->e1, i)));
        lane_set(&want, t->e1, i, bits);
    }
    same_register(t, "result", t->e1, &out, &want);
}

FORMULA(VAXPY, .run = axpy);

/* ---- other types of results ---- */

static void exponentials(Trial *t) {
    for (int part = 0; part < 2; part++) {
        _Alignas(64) ptrt_vreg out;
        ptrt_vreg want;
        const unsigned bytes = elem_bytes(t->e1);
        draw_bytes(t, &out, sizeof out);
        CALL_BODY(t, lanes2p)(&out, &t->in[0], &t->in[1], &t->mask, part);
        for (unsigned i = 0; i < BYTES / 4; i++) {
            const unsigned lane = bytes == 4 ? i : 2 * i + (unsigned)part;
            const double far =
                lane_value(&t->in[0], t->e1, lane).f - lane_value(&t->in[1], t->e1, lane).f;
            const long double e = expl(real_in(PTRT_F32, far));
            const uint64_t got = lane_get(&out, PTRT_F32, i);
            const bool active = lane_active(t, lane, bytes);
            const bool near = active && ulps_between(PTRT_F32, got, e) <= 1;
            lane_set(&want, PTRT_F32, i,
                     near     ? got
                     : active ? code_of(PTRT_F32, real((double)e))
                              : 0);
        }
        same_register(t, "result", PTRT_F32, &out, &want);
    }
}

FORMULA(VEXPDIF, .run = exponentials);

static void long_products(Trial *t) {
    _Alignas(64) ptrt_vreg low, high;
    ptrt_vreg lows = {{0}}, highs = {{0}};
    draw_bytes(t, &low, sizeof low);
    draw_bytes(t, &high, sizeof high);
    CALL_BODY(t, halves2)(&low, &high, &t->in[0], &t->in[1], &t->mask);
    for (unsigned i = 0; i < BYTES / 4; i++) {
        const int64_t a = lane_value(&t->in[0], t->e1, i).i, b = lane_value(&t->in[1], t->e1, i).i;
        const uint64_t p = (uint64_t)wrap_mul(a, b);
        if (!lane_active(t, i, 4)) continue;
        lane_set(&lows, t->e1, i, p & UINT32_MAX);
        lane_set(&highs, t->e1, i, p >> 32);
    }
    same_register(t, "low", t->e1, &low, &lows);
    same_register(t, "high", t->e1, &high, &highs);
}

FORMULA(VMULL, .run = long_products);

/* ---- carries ---- */

/* Judges a sum of lhs, rhs or ~rhs, and a carry. Carries that go in are `in`, or all are 1 or 0 if
 * that is NULL. */
static void judge_carry(Trial *t, const ptrt_vreg *got, const ptrt_mask *carry, bool minus,
                        const ptrt_mask *in) {
    ptrt_vreg want = {{0}};
    ptrt_mask out = {{0}};
    for (unsigned i = 0; i < BYTES / 4; i++) {
        const uint64_t a = lane_get(&t->in[0], PTRT_U32, i), b = lane_get(&t->in[1], PTRT_U32, i);
        const uint64_t one = in != NULL ? mask_bit(in, 4 * i) : minus;
        const uint64_t sum = a + (minus ? b ^ UINT32_MAX : b) + one;
        if (!lane_active(t, i, 4)) continue;
        lane_set(&want, PTRT_U32, i, sum & UINT32_MAX);
        if (sum >> 32 != 0) mask_set(&out, 4 * i);
    }
    same_register(t, "result", PTRT_U32, got, &want);
    same_mask(t, "carry", carry, &out);
}

static void carry(Trial *t, bool minus) {
    _Alignas(64) ptrt_vreg out;
    ptrt_mask carry;
    draw_bytes(t, &out, sizeof out);
    draw_bytes(t, &carry, sizeof carry);
    CALL_BODY(t, carry2)(&out, &carry, &t->in[0], &t->in[1], &t->mask);
    judge_carry(t, &out, &carry, minus, NULL);
}

static void carry_on(Trial *t, bool minus) {
    _Alignas(64) ptrt_vreg out;
    ptrt_mask carry, in;
    draw_bytes(t, &out, sizeof out);
    draw_bytes(t, &carry, sizeof carry);
    draw_mask(t, &in, 4);
    CALL_BODY(t, carry3)(&out, &carry, &t->in[0], &t->in[1], &in, &t->mask);
    judge_carry(t, &out, &carry, minus, &in);
}

static void add_carry(Trial *t) {
    carry(t, false);
}

static void sub_carry(Trial *t) {
    carry(t, true);
}

static void add_carry_on(Trial *t) {
    carry_on(t, false);
}

static void sub_carry_on(Trial *t) {
    carry_on(t, true);
}

FORMULA(VADDC, .run = add_carry);
FORMULA(VSUBC, .run = sub_carry);
FORMULA(VADDCS, .run = add_carry_on);
FORMULA(VSUBCS, .run = sub_carry_on);
