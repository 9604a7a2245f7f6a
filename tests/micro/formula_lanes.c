/* SPDX-License-Identifier: Apache-2.0 */
/* formula_lanes.c - arithmetic on lanes. */
#include "lanes.h"

#include <math.h>

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

FORMULA(VADD, .lane = add);
FORMULA(VSUB, .lane = sub);
FORMULA(VMUL, .lane = mul);
FORMULA(VDIV, .lane = divide);
FORMULA(VMAX, .lane = larger);
