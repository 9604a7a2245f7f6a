/* SPDX-License-Identifier: Apache-2.0 */
/* formula_math.c - roots, logarithms, powers and remainders. Drivers: formula_map.c. */
#define ORACLE_FAMILY "math"
#include "matrix.h"

#include <math.h>

static long double reciprocal_root(const Case *c, const Num *x) {
    (void)c;
    return 1 / sqrtl((long double)x[0].f);
}

static long double logarithm(const Case *c, const Num *x) {
    (void)c;
    return logl((long double)x[0].f);
}

FORMULA(TRSQRT, .real = reciprocal_root, .ulps = 1);
FORMULA(TLOG, .real = logarithm, .ulps = 1);

/* ---- remainders ---- */

/* The sign of the dividend; by 0 integers give 0. */
static Num truncated(const Case *c, const Num *x) {
    if (is_real(c)) return real(fmod(x[0].f, x[1].f));
    if (x[1].i == 0 || (x[1].i == -1 && c->e1 != PTRT_U64)) return whole(0);
    if (c->e1 == PTRT_U64) return whole((int64_t)((uint64_t)x[0].i % (uint64_t)x[1].i));
    return whole(x[0].i % x[1].i);
}

/* The sign of the divisor. */
static Num floored(const Case *c, const Num *x) {
    Num r = truncated(c, x), none = {0, 0};
    bool zero = is_real(c) ? r.f == 0 : r.i == 0;
    bool a = is_real(c) ? x[0].f >= 0 : !is_less(c->e1, x[0], none);
    bool b = is_real(c) ? x[1].f >= 0 : !is_less(c->e1, x[1], none);
    if (zero || a == b) return r;
    return is_real(c) ? real(r.f + x[1].f) : wrap_add(r.i, x[1].i);
}

FORMULA(TREM, .map = floored);
FORMULA(TREMS, .map = floored);
FORMULA(TFMOD, .map = truncated);
FORMULA(TFMODS, .map = truncated);

/* ---- powers ---- */

static long double power_of_reals(const Case *c, const Num *x) {
    (void)c;
    return powl((long double)x[0].f, (long double)x[1].f);
}

/* Only 1 and -1 have negative powers that are not 0. */
static uint64_t power_of_integers(const Case *c, const Num *x) {
    int64_t base = x[0].i, exponent = x[1].i;
    uint64_t r = 1;
    if (exponent < 0 && base != 1 && base != -1) return 0;
    if (exponent < 0) exponent = exponent & 1;
    for (uint64_t b = (uint64_t)base; exponent > 0; exponent >>= 1, b *= b)
        if (exponent & 1) r *= b;
    return code_of(c->e1, whole((int64_t)r));
}

static void power(Case *c) {
    Num x[MAX_ARGS] = {{0, 0}};
    int k = c->nargs - 1;
    if (is_real(c)) {
        expect_map(c, c->arg[k].vrow, c->arg[k].vcol);
        return;
    }
    for (int64_t r = 0; r < c->arg[k].vrow; r++) {
        for (int64_t col = 0; col < c->arg[k].vcol; col++) {
            x[0] = get(c, 0, r, col);
            x[1] = c->arg[1].letter == 'e' ? c->arg[1].value : get(c, 1, r, col);
            put_bits(c, k, r, col, power_of_integers(c, x));
        }
    }
}

FORMULA(TPOW, .real = power_of_reals, .ulps = 1, .expect = power);
FORMULA(TPOWS, .real = power_of_reals, .ulps = 1, .expect = power);
