/* SPDX-License-Identifier: Apache-2.0 */
/* formula_vcompare.c - comparisons of lanes, and lanes by number. */
#include "lanes.h"

#include <math.h>

static bool holds(const Trial *t, int mode, Num a, Num b) {
    const bool less = is_less(t->e1, a, b), greater = is_less(t->e1, b, a);
    const bool equal = is_real(t) ? a.f == b.f : a.i == b.i;
    switch (mode) {
    case PTRT_CMP_EQ:
        return equal;
    case PTRT_CMP_NE:
        return !equal;
    case PTRT_CMP_LT:
        return less;
    case PTRT_CMP_LE:
        return less || equal;
    case PTRT_CMP_GT:
        return greater;
    default:
        return greater || equal;
    }
}

/* Returns the expected mask of a comparison with lanes of b, or with the scalar if it is NULL. */
static ptrt_mask expected(const Trial *t, int mode, const ptrt_vreg *b) {
    ptrt_mask want = {{0}};
    const unsigned width = elem_bytes(t->e1);
    for (unsigned i = 0; i < lanes_of(t->e1); i++) {
        const Num y = b != NULL ? lane_value(b, t->e1, i) : num_of(t->e1, t->scalar);
        if (lane_active(t, i, width) && holds(t, mode, lane_value(&t->in[0], t->e1, i), y))
            mask_set(&want, i * width);
    }
    return want;
}

static void compare(Trial *t) {
    /* Some equal lanes. */
    for (unsigned i = 0; i < lanes_of(t->e1); i += 3)
        lane_set(&t->in[1], t->e1, i, lane_get(&t->in[0], t->e1, i));
    for (int mode = PTRT_CMP_EQ; mode <= PTRT_CMP_GE; mode++) {
        ptrt_mask out;
        draw_bytes(t, &out, sizeof out);
        CALL_BODY(t, compare2)(&out, &t->in[0], &t->in[1], &t->mask, mode);
        const ptrt_mask want = expected(t, mode, &t->in[1]);
        same_mask(t, "result", &out, &want);
    }
}

static void compare_scalar(Trial *t) {
    lane_set(&t->in[0], t->e1, (unsigned)random_below(&t->random, lanes_of(t->e1)), t->scalar);
    for (int mode = PTRT_CMP_EQ; mode <= PTRT_CMP_GE; mode++) {
        ptrt_mask out;
        draw_bytes(t, &out, sizeof out);
        CALL_BODY(t, compare1s)(&out, &t->in[0], t->scalar, &t->mask, mode);
        const ptrt_mask want = expected(t, mode, NULL);
        same_mask(t, "result", &out, &want);
    }
}

static void by_number(Trial *t) {
    _Alignas(64) ptrt_vreg out;
    ptrt_vreg want;
    draw_bytes(t, &out, sizeof out);
    CALL_BODY(t, numbered)(&out, &t->in[0], &t->in[1]);
    for (unsigned i = 0; i < lanes_of(t->e1); i++) {
        const uint64_t at = lane_get(&t->in[1], t->e1, i) % lanes_of(t->e1);
        lane_set(&want, t->e1, i, lane_get(&t->in[0], t->e1, (unsigned)at));
    }
    same_bytes(t, "result", &out, &want, sizeof want);
}

FORMULA(VCMP, .run = compare);
FORMULA(VCMPS, .run = compare_scalar);
FORMULA(VSELR, .run = by_number);
