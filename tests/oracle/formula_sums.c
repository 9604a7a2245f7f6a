/* SPDX-License-Identifier: Apache-2.0 */
/* formula_sums.c - sums of three operands, and operations on tiles of which parts are valid. */
#define ORACLE_FAMILY "sums"
#include "matrix.h"

#include <math.h>

DRIVER(map3, "tttd", ptrt_map3(HEAD, T(0), T(1), T(2), T(3)));
DRIVER(map2s, "tetd",
       is_real(c) ? ptrt_map2s_f(HEAD, T(0), F(1), T(2), T(3))
                  : ptrt_map2s_i(HEAD, T(0), I(1), T(2), T(3)));
DRIVER(axpy, "teu", ptrt_axpy_f(HEAD, T(0), F(1), T(2)));

/* Rounded as an element of the destination. */
static Num step(int elem, Num v) {
    if (elem == PTRT_F16 || elem == PTRT_BF16) v.f = single(v.f);
    return num_of(elem, code_of(elem, v));
}

static Num add(const Case *c, Num a, Num b) {
    return is_real(c) ? real(a.f + b.f) : wrap_add(a.i, b.i);
}

static Num addc(const Case *c, const Num *x) {
    return add(c, step(c->e1, add(c, x[0], x[1])), x[2]);
}

static Num subc(const Case *c, const Num *x) {
    Num difference = is_real(c) ? real(x[0].f - x[1].f) : wrap_sub(x[0].i, x[1].i);
    return add(c, step(c->e1, difference), x[2]);
}

static Num axpy(const Case *c, const Num *x) {
    return real(step(c->e2, real(x[0].f * x[1].f)).f + x[2].f);
}

FORMULA(TADDC, .map = addc);
FORMULA(TADDSC, .map = addc);
FORMULA(TSUBC, .map = subc);
FORMULA(TSUBSC, .map = subc);
FORMULA(TAXPY, .map = axpy);
