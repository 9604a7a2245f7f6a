/* SPDX-License-Identifier: Apache-2.0 */
/* formula_quant.c - quantisation by rows and by groups of 32. */
#define ORACLE_FAMILY "quant"
#include "matrix.h"

#include <math.h>

DRIVER(quant, "tctd", ptrt_quant(HEAD, T(0), T(1), T(2), T(3)));
DRIVER(dequant, "tttd", ptrt_dequant(HEAD, T(0), T(1), T(2), T(3)));
DRIVER(quant_mx, "tdddddaaaa",
       ptrt_quant_mx(HEAD, T(0), T(1), T(2), T(3), T(4), T(5), A(6), A(7), A(8), A(9)));

/* ---- by rows ---- */

/* Now and then there are fewer rows of numbers than rows. */
static void shorten(Case *c, Arg *a) {
    if (random_below(&c->random, 4) == 0) a->vrow = random_below(&c->random, a->rows + 1);
}

static int64_t row_of(const Case *c, int k, int64_t r) {
    int64_t last = c->arg[k].vrow - 1;
    return r <= last ? r : last > 0 ? last : 0;
}

static bool plan_quant(Case *c) {
    shorten(c, &c->arg[1]);
    c->arg[2].elem = PTRT_F32;
    shorten(c, &c->arg[2]);
    return true;
}

static void expect_quant(Case *c) {
    const Arg *d = &c->arg[3];
    for (int64_t r = 0; r < d->vrow; r++) {
        for (int64_t k = 0; k < d->vcol; k++) {
            double x = single(get(c, 0, r, k).f * get(c, 1, row_of(c, 1, r), 0).f);
            if (!c->arg[2].absent) x = single(x + get(c, 2, row_of(c, 2, r), 0).f);
            put_bits(c, 3, r, k, code_of_clamped(d->elem, x, TO_EVEN));
        }
    }
}

FORMULA(TQUANT, .plan = plan_quant, .expect = expect_quant);
FORMULA(TQUANT_ASYM, .plan = plan_quant, .expect = expect_quant);

/* Some numbers a row, mostly one. */
static bool plan_dequant(Case *c) {
    Arg *scale = &c->arg[1], *offset = &c->arg[2];
    scale->vcol = random_below(&c->random, 3) == 0 ? random_below(&c->random, 9) : 1;
    scale->cols = scale->vcol + random_below(&c->random, 3) + 1;
    offset->cols = scale->cols;
    offset->vcol = random_below(&c->random, offset->cols + 1);
    shorten(c, scale);
    shorten(c, offset);
    return true;
}

static void expect_dequant(Case *c) {
    const Arg *d = &c->arg[3];
    int64_t last = c->arg[1].vcol > 0 ? c->arg[1].vcol - 1 : 0;
    for (int64_t r = 0; r < d->vrow; r++) {
        for (int64_t k = 0; k < d->vcol; k++) {
            int64_t p = k < last ? k : last;
            double x = (double)get(c, 0, r, k).i - get(c, 2, row_of(c, 2, r), p).f;
            x = single(single(x) * get(c, 1, row_of(c, 1, r), p).f);
            put(c, 3, r, k, real(x));
        }
    }
}

FORMULA(TDEQUANT, .plan = plan_dequant, .expect = expect_dequant,
        .elem = {[1] = ELEM(F32), [2] = ELEM(F32)});

/* ---- by groups ---- */

enum { SRC, DST, EXP, MAX, SCALING, EXP_ZZ, ALG, AXIS, INTERLEAVE, MODE };

static void set_extents(Arg *a, int64_t rows, int64_t cols) {
    a->rows = a->vrow = rows;
    a->cols = a->vcol = cols;
}

/* Groups of rows lie as a grid or in one row. */
static void shape_groups(Case *c, int k, int64_t rows, int64_t cols, bool may_be_flat) {
    bool flat = may_be_flat && random_below(&c->random, 2);
    set_extents(&c->arg[k], flat ? 1 : rows, flat ? rows * cols : cols);
}

static bool plan_mx(Case *c) {
    bool down = A(AXIS) == 0, pairs = A(INTERLEAVE) != 0, zz = !c->arg[EXP_ZZ].absent;
    bool whole_blocks = zz && c->number % 4 != 0;
    int64_t m = 1 + random_below(&c->random, 20), n = 32 * (1 + random_below(&c->random, 5));
    if (whole_blocks) {
        m = 16 * (1 + random_below(&c->random, 2));
        n = 64 * (1 + random_below(&c->random, 3));
    }
    if (down) {
        n = 2 * m;
        m = (pairs ? 64 : 32) * (1 + random_below(&c->random, 2));
    }
    set_extents(&c->arg[SRC], m, n);
    set_extents(&c->arg[DST], m, n / elem_lanes(c->e2));
    c->arg[SRC].cols += random_below(&c->random, 3);
    c->arg[DST].rows += random_below(&c->random, 3);
    for (int k = EXP; k <= SCALING; k++)
        shape_groups(c, k, down ? m / 32 : m, down ? n : n / 32, !down);
    if (down && pairs) set_extents(&c->arg[EXP], m / 64, 2 * n);
    if (c->number % 3 == 0) c->arg[EXP].elem = PTRT_I8;
    if (zz) shape_groups(c, EXP_ZZ, m, n / 32, true);
    if (zz && (down || (A(MODE) == 1 && (m % 16 != 0 || n % 64 != 0)))) c->want_code = PTRT_E_VALID;
    if (!down && pairs) c->want_code = PTRT_E_ARG;
    return true;
}

/* The exponent of a group whose largest magnitude is `most`, which is no NaN. */
static int exponent_of(const Case *c, double most) {
    bool fp4 = elem_lanes(c->e2) > 1;
    if (A(ALG) == 0) {
        int e = isinf(most) ? 255 : most < 0x1p-126 ? 0 : ilogb(most) + 127;
        int less = fp4 ? 2 : 8;
        return e > less ? e - less : 0;
    }
    float by = fp4 ? 1.0f / 6.0f : 1.0f / 448.0f;
    double d = single(most * (double)by);
    if (isinf(d)) return 254;
    if (d < 0x1p-126) return d > 0x1p-127 ? 1 : 0;
    int e = ilogb(d) + 127;
    return e + (ldexp(1, e - 127) != d && e != 254);
}

static uint64_t group_code(const Case *c, double x, int e) {
    bool fp4 = elem_lanes(c->e2) > 1;
    if (isnan(x) || e == 255) return fp4 ? 7 : 0x7F;
    return code_of_real(fp4 ? PTRT_F4E2M1X2 : PTRT_F8E4M3FN, ldexp(x, 127 - e), TO_EVEN, true);
}

/* Element i of a group. */
static void member(const Case *c, int64_t gr, int64_t gc, int64_t i, int64_t *r, int64_t *k) {
    bool down = A(AXIS) == 0;
    *r = down ? 32 * gr + i : gr;
    *k = down ? gc : 32 * gc + i;
}

/* The codes of all elements: two of them may share a byte. */
static uint8_t codes[8192];

static void put_codes(Case *c) {
    const Arg *d = &c->arg[DST];
    const int lanes = elem_lanes(c->e2);
    for (int64_t r = 0; r < d->vrow; r++) {
        for (int64_t k = 0; k < d->vcol; k++) {
            uint64_t bits = 0;
            for (int lane = 0; lane < lanes; lane++)
                bits = lane_put(c->e2, bits, lane, codes[(r * d->vcol + k) * lanes + lane]);
            put_bits(c, DST, r, k, bits);
        }
    }
}

static void put_group(Case *c, int64_t gr, int64_t gc, int64_t across, double most, int e) {
    int64_t g = gr * across + gc;
    bool down = A(AXIS) == 0;
    for (int k = EXP; k <= SCALING; k++) {
        bool flat = !down && c->arg[k].vrow == 1;
        int64_t r = flat ? 0 : gr, at = flat ? g : gc;
        double scale = e == 255 ? (double)NAN : ldexp(1, 127 - e);
        if (k == EXP && A(INTERLEAVE) != 0) {
            put_bits(c, EXP, gr / 2, 2 * gc + gr % 2, (uint64_t)e);
        } else if (k == EXP) {
            put_bits(c, EXP, r, at, (uint64_t)e);
        } else if (k == MAX) {
            put(c, MAX, r, at, real(most));
        } else {
            int elem = c->e1 == PTRT_F32 ? PTRT_F32 : PTRT_BF16;
            put_bits(c, SCALING, r, at, code_of_real(elem, scale, TO_EVEN, false));
        }
    }
    if (c->arg[EXP_ZZ].absent) return;
    if (A(MODE) == 1) g = (gr / 16 * (across / 2) + gc / 2) * 32 + gr % 16 * 2 + gc % 2;
    int64_t width = c->arg[EXP_ZZ].vcol;
    put_bits(c, EXP_ZZ, g / width, g % width, (uint64_t)e);
}

static void expect_group(Case *c, int64_t gr, int64_t gc, int64_t across) {
    double most = 0;
    int64_t r, k;
    for (int64_t i = 0; i < 32; i++) {
        member(c, gr, gc, i, &r, &k);
        double x = get(c, SRC, r, k).f;
        if (isnan(x) || isnan(most))
            most = (double)NAN;
        else if (fabs(x) > most)
            most = fabs(x);
    }
    if (elem_lanes(c->e2) > 1 && A(ALG) == 0 && !isnan(most))
        most = num_of(PTRT_BF16, code_of_real(PTRT_BF16, most, TO_ZERO, false)).f;
    int e = isnan(most) ? 255 : exponent_of(c, most);
    for (int64_t i = 0; i < 32; i++) {
        member(c, gr, gc, i, &r, &k);
        codes[r * c->arg[SRC].vcol + k] = (uint8_t)group_code(c, get(c, SRC, r, k).f, e);
    }
    put_group(c, gr, gc, across, most, e);
}

static void expect_mx(Case *c) {
    const Arg *s = &c->arg[SRC];
    bool down = A(AXIS) == 0;
    int64_t rows = down ? s->vrow / 32 : s->vrow, across = down ? s->vcol : s->vcol / 32;
    for (int64_t gr = 0; gr < rows && c->want_code == PTRT_OK; gr++)
        for (int64_t gc = 0; gc < across; gc++)
            expect_group(c, gr, gc, across);
    if (c->want_code == PTRT_OK) put_codes(c);
}

#define GROUPS(ID, ...)                                                                            \
    FORMULA(ID, .plan = plan_mx, .expect = expect_mx,                                              \
            .elem = {[EXP] = ELEM(U8), [EXP_ZZ] = ELEM(U8)},                                       \
            .ints = {[ALG] = INTS(0, 1), [AXIS] = INTS(0, 1), __VA_ARGS__})
GROUPS(TQUANT_MX, [INTERLEAVE] = INTS(0, 0, 1));
GROUPS(TQUANT_MX_ZZ, [INTERLEAVE] = INTS(0), [MODE] = INTS(0, 1));
