/* SPDX-License-Identifier: Apache-2.0 */
/* formula_cmp.c - masks of bits: comparisons and selections. */
#define ORACLE_FAMILY "cmp"
#include "matrix.h"

#include <math.h>

DRIVER(cmp, "ttda", ptrt_cmp(HEAD, T(0), T(1), T(2), A(3)));
DRIVER(cmps, "teda",
       is_real(c) ? ptrt_cmps_f(HEAD, T(0), F(1), T(2), A(3))
                  : ptrt_cmps_i(HEAD, T(0), I(1), T(2), A(3)));
DRIVER(sel, "tttd", ptrt_sel(HEAD, T(0), T(1), T(2), T(3)));
DRIVER(sels, "tted",
       is_real(c) ? ptrt_sels_f(HEAD, T(0), T(1), F(2), T(3))
                  : ptrt_sels_i(HEAD, T(0), T(1), I(2), T(3)));

/* ---- masks ---- */

/* A mask of any carrier with room for a bit per column of the case. */
static void plan_mask(Case *c, Arg *m) {
    static const int carriers[] = {PTRT_U8, PTRT_I8, PTRT_I32, PTRT_U32, PTRT_I16, PTRT_U16};
    m->elem = carriers[c->number % 6];
    int64_t bits = 8 * elem_bytes(m->elem), need = (c->vcol + bits - 1) / bits;
    m->cols = need + random_below(&c->random, 3);
    if (m->cols == 0) m->cols = 1;
    m->vrow = c->vrow;
    m->vcol = need;
}

/* Which element of the mask has bit `col`, and where in it. */
static int64_t carrier(const Case *c, int k, int64_t col, int *bit) {
    int64_t bits = 8 * elem_bytes(c->arg[k].elem);
    *bit = (int)(col % bits);
    return col / bits;
}

/* ---- comparisons ---- */

static bool plan_cmp(Case *c) {
    plan_mask(c, &c->arg[2]);
    return true;
}

static bool holds(const Case *c, Num a, Num b, int mode) {
    bool nan = is_real(c) && (isnan(a.f) || isnan(b.f));
    bool less = is_less(c->e1, a, b), more = is_less(c->e1, b, a);
    switch (mode) {
    case PTRT_CMP_EQ:
        return !nan && !less && !more;
    case PTRT_CMP_NE:
        return nan || less || more;
    case PTRT_CMP_LT:
        return less;
    case PTRT_CMP_LE:
        return !nan && !more;
    case PTRT_CMP_GT:
        return more;
    default:
        return !nan && !less;
    }
}

/* One byte of the mask: bits beyond the region are 0. */
static uint64_t byte_from(const Case *c, int64_t r, int64_t first) {
    unsigned byte = 0;
    for (int64_t k = 0; k < 8 && first + k < c->arg[0].vcol; k++) {
        Num b = c->arg[1].letter == 'e' ? c->arg[1].value : get(c, 1, r, first + k);
        byte |= (unsigned)holds(c, get(c, 0, r, first + k), b, A(3)) << k;
    }
    return byte;
}

/* Bytes of the mask that have no column keep what they had. */
static void compare(Case *c) {
    int64_t bits = 8 * elem_bytes(c->arg[2].elem);
    for (int64_t r = 0; r < c->arg[0].vrow; r++) {
        for (int64_t first = 0; first < c->arg[0].vcol; first += bits) {
            uint64_t value = get_bits(c, 2, r, first / bits);
            for (int64_t k = 0; k < bits && first + k < c->arg[0].vcol; k += 8)
                value = (value & ~(UINT64_C(0xFF) << k)) | byte_from(c, r, first + k) << k;
            put_bits(c, 2, r, first / bits, value);
        }
    }
}

#define MODES INTS(PTRT_CMP_EQ, PTRT_CMP_NE, PTRT_CMP_LT, PTRT_CMP_LE, PTRT_CMP_GT, PTRT_CMP_GE)
FORMULA(TCMP, .plan = plan_cmp, .expect = compare, .ints = {[3] = MODES});
FORMULA(TCMPS, .plan = plan_cmp, .expect = compare, .ints = {[3] = MODES});

/* ---- selections ---- */

static bool plan_sel(Case *c) {
    plan_mask(c, &c->arg[0]);
    /* A scalar's NaN may change on its way to the type. */
    if (c->arg[2].letter == 'e' && is_real(c) && isnan(c->arg[2].value.f)) c->exact = false;
    return true;
}

static bool bit_of(const Case *c, int64_t r, int64_t col) {
    int bit;
    int64_t at = carrier(c, 0, col, &bit);
    return get_bits(c, 0, r, at) >> bit & 1;
}

static void choose(Case *c) {
    const Arg *d = &c->arg[3], *b = &c->arg[2];
    for (int64_t r = 0; r < d->vrow; r++)
        for (int64_t k = 0; k < d->vcol; k++)
            put_bits(c, 3, r, k,
                     bit_of(c, r, k)    ? get_bits(c, 1, r, k)
                     : b->letter == 'e' ? code_of(c->e1, b->value)
                                        : get_bits(c, 2, r, k));
}
FORMULA(TSEL, .plan = plan_sel, .expect = choose, .exact = true);
FORMULA(TSELS, .plan = plan_sel, .expect = choose, .exact = true);
