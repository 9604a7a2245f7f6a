/* SPDX-License-Identifier: Apache-2.0 */
/* formula_vreduce.c - reductions of registers. */
#include "lanes.h"

#include <math.h>

/* ---- sums ---- */

/* Adds numbers in place: number i and number i + n / 2 first. Floats in f32. */
static Num tree(const Trial *t, Num *x, unsigned n) {
    for (n /= 2; n >= 1; n /= 2)
        for (unsigned i = 0; i < n; i++)
            x[i] = is_real(t) ? real(real_in(PTRT_F32, x[i].f + x[i + n].f))
                              : whole(wrap_add(x[i].i, x[i + n].i));
    return x[0];
}

static Num active_value(const Trial *t, unsigned i) {
    return lane_active(t, i, elem_bytes(t->e1)) ? lane_value(&t->in[0], t->e1, i) : (Num){0, 0};
}

static void reduce(Trial *t, ptrt_vreg *out) {
    draw_bytes(t, out, sizeof *out);
    CALL_BODY(t, lanes1)(out, &t->in[0], &t->mask);
}

static void sum(Trial *t) {
    _Alignas(64) ptrt_vreg out;
    ptrt_vreg want = {{0}};
    Num x[BYTES];
    const int wide = t->e1 == PTRT_I8    ? PTRT_I16
                     : t->e1 == PTRT_U8  ? PTRT_U16
                     : t->e1 == PTRT_I16 ? PTRT_I32
                     : t->e1 == PTRT_U16 ? PTRT_U32
                                         : t->e1;
    for (unsigned i = 0; i < lanes_of(t->e1); i++)
        x[i] = active_value(t, i);
    lane_set(&want, wide, 0, code_of(wide, tree(t, x, lanes_of(t->e1))));
    reduce(t, &out);
    same_register(t, "result", wide, &out, &want);
}

static void group_sums(Trial *t) {
    _Alignas(64) ptrt_vreg out;
    ptrt_vreg want = {{0}};
    const unsigned n = lanes_of(t->e1) / 8;
    for (unsigned g = 0; g < 8; g++) {
        Num x[BYTES / 8];
        for (unsigned i = 0; i < n; i++)
            x[i] = active_value(t, g * n + i);
        lane_set(&want, t->e1, g, code_of(t->e1, tree(t, x, n)));
    }
    reduce(t, &out);
    same_register(t, "result", t->e1, &out, &want);
}

static void pair_sums(Trial *t) {
    _Alignas(64) ptrt_vreg out;
    ptrt_vreg want = {{0}};
    for (unsigned i = 0; i < lanes_of(t->e1) / 2; i++) {
        Num x[2] = {active_value(t, 2 * i), active_value(t, 2 * i + 1)};
        lane_set(&want, t->e1, i, code_of(t->e1, tree(t, x, 2)));
    }
    reduce(t, &out);
    same_register(t, "result", t->e1, &out, &want);
}

FORMULA(VCADD, .run = sum);
FORMULA(VCGADD, .run = group_sums);
FORMULA(VCPADD, .run = pair_sums);

/* ---- extremes ---- */

static bool before(const Trial *t, bool most, Num a, Num b) {
    if (is_real(t) && (isnan(a.f) || isnan(b.f))) return isnan(a.f) && !isnan(b.f);
    return most ? is_less(t->e1, b, a) : is_less(t->e1, a, b);
}

/* Returns the first active lane from `from` on that no lane comes before; -1: none is active. */
static int extreme_lane(const Trial *t, bool most, unsigned from, unsigned n) {
    int best = -1;
    for (unsigned i = from; i < from + n; i++)
        if (lane_active(t, i, elem_bytes(t->e1)) &&
            (best < 0 || before(t, most, lane_value(&t->in[0], t->e1, i),
                                lane_value(&t->in[0], t->e1, (unsigned)best))))
            best = (int)i;
    return best;
}

static uint64_t extreme_bits(const Trial *t, bool most, int lane) {
    if (lane >= 0) return lane_get(&t->in[0], t->e1, (unsigned)lane);
    return most ? code_min(t->e1) : code_max(t->e1);
}

static void extreme(Trial *t, bool most) {
    _Alignas(64) ptrt_vreg out;
    ptrt_vreg want = {{0}};
    const int lane = extreme_lane(t, most, 0, lanes_of(t->e1));
    lane_set(&want, t->e1, 0, extreme_bits(t, most, lane));
    lane_set(&want, t->e1, 1, lane < 0 ? 0 : (uint64_t)lane);
    reduce(t, &out);
    same_register(t, "result", t->e1, &out, &want);
    same_int(t, "the lane", (int64_t)lane_get(&out, t->e1, 1), lane < 0 ? 0 : lane);
}

static void found(Trial *t, bool most) {
    _Alignas(64) ptrt_vreg out;
    ptrt_vreg want = {{0}};
    ptrt_mask mask, lanes = {{0}};
    const unsigned width = elem_bytes(t->e1);
    const int best = extreme_lane(t, most, 0, lanes_of(t->e1));
    lane_set(&want, t->e1, 0, extreme_bits(t, most, best));
    for (unsigned i = 0; i < lanes_of(t->e1); i++)
        if (lane_active(t, i, width) &&
            !before(t, most, lane_value(&t->in[0], t->e1, (unsigned)best),
                    lane_value(&t->in[0], t->e1, i)))
            mask_set(&lanes, i * width);
    draw_bytes(t, &out, sizeof out);
    draw_bytes(t, &mask, sizeof mask);
    CALL_BODY(t, find1)(&out, &mask, &t->in[0], &t->mask);
    same_register(t, "value", t->e1, &out, &want);
    same_mask(t, "lanes", &mask, &lanes);
}

/* Of zeros of both signs, the largest is +0 and the smallest -0. */
static void group_extremes(Trial *t, bool most) {
    _Alignas(64) ptrt_vreg out;
    ptrt_vreg want = {{0}};
    const unsigned n = lanes_of(t->e1) / 8, width = elem_bytes(t->e1);
    for (unsigned g = 0; g < 8; g++) {
        const int best = extreme_lane(t, most, g * n, n);
        uint64_t bits = extreme_bits(t, most, best);
        for (unsigned i = g * n; best >= 0 && is_real(t) && i < (g + 1) * n; i++) {
            const Num x = lane_value(&t->in[0], t->e1, i);
            if (num_of(t->e1, bits).f == 0 && x.f == 0 && lane_active(t, i, width) &&
                (signbit(x.f) != 0) != most)
                bits = lane_get(&t->in[0], t->e1, i);
        }
        lane_set(&want, t->e1, g, bits);
    }
    reduce(t, &out);
    same_register(t, "result", t->e1, &out, &want);
    /* same_register() judges lanes; the rest must be 0 bit by bit. */
    for (unsigned i = 8; i < lanes_of(t->e1); i++)
        same_int(t, "rest", (int64_t)lane_get(&out, t->e1, i), 0);
}

static void largest(Trial *t) {
    extreme(t, true);
}

static void smallest(Trial *t) {
    extreme(t, false);
}

static void find_largest(Trial *t) {
    found(t, true);
}

static void find_smallest(Trial *t) {
    found(t, false);
}

static void group_largest(Trial *t) {
    group_extremes(t, true);
}

static void group_smallest(Trial *t) {
    group_extremes(t, false);
}

FORMULA(VCMAX, .run = largest);
FORMULA(VCMIN, .run = smallest);
FORMULA(VCBMAX, .run = find_largest);
FORMULA(VCBMIN, .run = find_smallest);
FORMULA(VCGMAX, .run = group_largest);
FORMULA(VCGMIN, .run = group_smallest);

/* ---- histograms ---- */

static void histogram(Trial *t, bool cumulative) {
    static const int64_t some[] = {0, 1, 2, -1, 16};
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        _Alignas(64) ptrt_vreg out;
        ptrt_vreg want;
        for (unsigned b = 0; b < 128; b++) {
            uint64_t n = lane_get(&t->in[1], PTRT_U16, b);
            for (unsigned i = 0; i < BYTES; i++) {
                const int64_t x = (int64_t)lane_get(&t->in[0], PTRT_U8, i);
                const int64_t value = 128 * some[k] + (int64_t)b;
                n += lane_active(t, i, 1) && (cumulative ? x <= value : x == value);
            }
            lane_set(&want, PTRT_U16, b, n & 0xFFFF);
        }
        draw_bytes(t, &out, sizeof out);
        CALL_BODY(t, histogram1)(&out, &t->in[1], &t->in[0], &t->mask, some[k], cumulative);
        same_register(t, "result", PTRT_U16, &out, &want);
    }
}

static void histogram_of_each(Trial *t) {
    histogram(t, false);
}

static void histogram_up_to(Trial *t) {
    histogram(t, true);
}

FORMULA(DHISTV2, .run = histogram_of_each);
FORMULA(CHISTV2, .run = histogram_up_to);
