/* SPDX-License-Identifier: Apache-2.0 */
/* formula_map.c - elementwise kernels. */
#define ORACLE_FAMILY "map"
#include "matrix.h"

#include <math.h>

DRIVER(map1, "td", ptrt_map1(HEAD, T(0), T(1)));
DRIVER(map2, "ttd", ptrt_map2(HEAD, T(0), T(1), T(2)));
DRIVER(maps, "ted",
       is_real(c) ? ptrt_maps_f(HEAD, T(0), F(1), T(2)) : ptrt_maps_i(HEAD, T(0), I(1), T(2)));

/* ---- arithmetic ---- */

static Num add(const Case *c, const Num *x) {
    return is_real(c) ? real(x[0].f + x[1].f) : wrap_add(x[0].i, x[1].i);
}

static Num sub(const Case *c, const Num *x) {
    return is_real(c) ? real(x[0].f - x[1].f) : wrap_sub(x[0].i, x[1].i);
}

static Num mul(const Case *c, const Num *x) {
    return is_real(c) ? real(x[0].f * x[1].f) : wrap_mul(x[0].i, x[1].i);
}

/* The first operand unless the other is larger (smaller): decides for NaN and zeros. */
static Num max(const Case *c, const Num *x) {
    return is_less(c->e1, x[0], x[1]) ? x[1] : x[0];
}

static Num min(const Case *c, const Num *x) {
    return is_less(c->e1, x[1], x[0]) ? x[1] : x[0];
}

static Num neg(const Case *c, const Num *x) {
    return is_real(c) ? real(-x[0].f) : wrap_sub(0, x[0].i);
}

/* -0 stays. */
static Num absolute(const Case *c, const Num *x) {
    return is_less(c->e1, x[0], (Num){0, 0}) ? neg(c, x) : x[0];
}

static Num relu(const Case *c, const Num *x) {
    return is_less(c->e1, x[0], (Num){0, 0}) ? (Num){0, 0} : x[0];
}

static Num prelu(const Case *c, const Num *x) {
    return is_less(c->e1, (Num){0, 0}, x[0]) ? x[0] : mul(c, x);
}

/* The sum is one of the type before it is compared. */
static Num addrelu(const Case *c, const Num *x) {
    Num sum = num_of(c->e1, code_of(c->e1, add(c, x)));
    return relu(c, &sum);
}

static Num recip(const Case *c, const Num *x) {
    (void)c;
    return real(1 / x[0].f);
}

static Num root(const Case *c, const Num *x) {
    (void)c;
    return real(sqrt(x[0].f));
}

static long double exponential(const Case *c, const Num *x) {
    return c->e1 == PTRT_F64 ? expl((long double)x[0].f) : (long double)exp(x[0].f);
}

/* Rows that src does not have keep their bytes. */
static void adds(Case *c) {
    const Arg *src = &c->arg[0], *dst = &c->arg[2];
    expect_map(c, src->vrow < dst->vrow ? src->vrow : dst->vrow, dst->vcol);
}

FORMULA(TADD, .map = add);
FORMULA(TADDS, .map = add, .expect = adds);
FORMULA(TSUB, .map = sub);
FORMULA(TSUBS, .map = sub);
FORMULA(TMUL, .map = mul);
FORMULA(TMULS, .map = mul);
FORMULA(TMAX, .map = max);
FORMULA(TMAXS, .map = max);
FORMULA(TMIN, .map = min);
FORMULA(TMINS, .map = min);
FORMULA(TNEG, .map = neg);
FORMULA(TABS, .map = absolute);
FORMULA(TRELU, .map = relu);
FORMULA(TPRELU, .map = prelu);
FORMULA(TLRELU, .map = prelu);
FORMULA(TADDRELU, .map = addrelu);
FORMULA(TRECIP, .map = recip);
FORMULA(TSQRT, .map = root);
FORMULA(TEXP, .real = exponential, .ulps = 1);

/* ---- bits ---- */

static Num bits_and(const Case *c, const Num *x) {
    (void)c;
    return whole(x[0].i & x[1].i);
}

static Num bits_or(const Case *c, const Num *x) {
    (void)c;
    return whole(x[0].i | x[1].i);
}

static Num bits_xor(const Case *c, const Num *x) {
    (void)c;
    return whole(x[0].i ^ x[1].i);
}

static Num bits_not(const Case *c, const Num *x) {
    (void)c;
    return whole(~x[0].i);
}

/* Narrow elements are shifted as 32 bits, by the count modulo 32; those of 64 bits modulo 64. */
static int count(const Case *c, const Num *x) {
    return (int)(x[1].i & (elem_bytes(c->e1) == 8 ? 63 : 31));
}

static Num shl(const Case *c, const Num *x) {
    return whole((int64_t)((uint64_t)x[0].i << count(c, x)));
}

static Num shr(const Case *c, const Num *x) {
    int n = count(c, x);
    return whole(elem_is_signed(c->e1) ? x[0].i >> n : (int64_t)((uint64_t)x[0].i >> n));
}

FORMULA(TAND, .map = bits_and);
FORMULA(TANDS, .map = bits_and);
FORMULA(TOR, .map = bits_or);
FORMULA(TORS, .map = bits_or);
FORMULA(TXOR, .map = bits_xor);
FORMULA(TXORS, .map = bits_xor);
FORMULA(TNOT, .map = bits_not);
FORMULA(TSHL, .map = shl);
FORMULA(TSHLS, .map = shl);
FORMULA(TSHR, .map = shr);
FORMULA(TSHRS, .map = shr);

/* ---- quotients: truncated; 0 by 0, and the smallest integer by -1 wraps ---- */

static Num quotient(const Case *c, Num a, Num b) {
    if (is_real(c)) return real(a.f / b.f);
    if (b.i == 0) return whole(0);
    if (c->e1 == PTRT_U64) return whole((int64_t)((uint64_t)a.i / (uint64_t)b.i));
    return b.i == -1 ? wrap_sub(0, a.i) : whole(a.i / b.i);
}

static Num divide(const Case *c, const Num *x) {
    return quotient(c, x[0], x[1]);
}

static Num divide_scalar(const Case *c, const Num *x) {
    return quotient(c, x[1], x[0]);
}

FORMULA(TDIV, .map = divide);
FORMULA(TDIVS, .map = divide);
FORMULA(TDIVS_R, .map = divide_scalar);
