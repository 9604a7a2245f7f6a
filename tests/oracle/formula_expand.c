/* SPDX-License-Identifier: Apache-2.0 */
/* formula_expand.c - a tile with a column or a row of another. */
#define ORACLE_FAMILY "expand"
#include "matrix.h"

#include <math.h>

DRIVER(rowexpand, "tcd", ptrt_rowexpand(HEAD, T(0), T(1), T(2)));
DRIVER(colexpand, "trd", ptrt_colexpand(HEAD, T(0), T(1), T(2)));
DRIVER(spread, "td", ptrt_spread(HEAD, T(0), T(1)));

/* ---- operations on two elements ---- */

static Num add(const Case *c, Num a, Num b) {
    return is_real(c) ? real(a.f + b.f) : wrap_add(a.i, b.i);
}
static Num sub(const Case *c, Num a, Num b) {
    return is_real(c) ? real(a.f - b.f) : wrap_sub(a.i, b.i);
}
static Num mul(const Case *c, Num a, Num b) {
    return is_real(c) ? real(a.f * b.f) : wrap_mul(a.i, b.i);
}
static Num divide(const Case *c, Num a, Num b) {
    if (is_real(c)) return real(a.f / b.f);
    if (c->e1 == PTRT_U64) return whole(b.i == 0 ? 0 : (int64_t)((uint64_t)a.i / (uint64_t)b.i));
    return b.i == 0 ? whole(0) : b.i == -1 ? wrap_sub(0, a.i) : whole(a.i / b.i);
}
static Num max(const Case *c, Num a, Num b) {
    return is_less(c->e1, a, b) ? b : a;
}
static Num min(const Case *c, Num a, Num b) {
    return is_less(c->e1, b, a) ? b : a;
}

/* ---- a column ---- */

/* Which operand is the column, and whether it has a block of elements a row: drawn from the number
 * of the case. Lines with exchanged operands are called as they are. */
enum mode { SECOND, FIRST, BLOCKS };
static enum mode mode_of(const Case *c) {
    return (enum mode)(c->number % 3);
}

/* The second operand is the column. */
static bool plan_second(Case *c) {
    Arg *a = &c->arg[0], *b = &c->arg[1];
    a->vrow = c->vrow;
    a->vcol = c->vcol;
    b->vrow = c->vrow;
    b->vcol = 1;
    if (a->rows < a->vrow) a->rows = a->vrow;
    if (a->cols < a->vcol) a->cols = a->vcol;
    if (b->rows < b->vrow) b->rows = b->vrow;
    return true;
}

static bool plan_column(Case *c) {
    Arg *a = &c->arg[0], *b = &c->arg[1];
    int64_t lanes = 32 / elem_bytes(c->e1);
    plan_second(c);
    if (mode_of(c) == FIRST && c->vcol > 1) {
        Arg t = *a;
        a->rows = b->rows, a->cols = b->cols, a->vrow = b->vrow, a->vcol = b->vcol;
        a->layouts = b->layouts;
        b->rows = t.rows, b->cols = t.cols, b->vrow = t.vrow, b->vcol = t.vcol;
        b->layouts = t.layouts;
    } else if (mode_of(c) == BLOCKS && c->vcol != lanes) {
        b->cols = b->vcol = lanes;
        b->layouts = 1u << LAY_ND;
    }
    return true;
}

typedef Num (*OpFn)(const Case *c, Num a, Num b);

/* The operands of element (r, k). */
static void operands(const Case *c, int64_t r, int64_t k, Num *x, Num *y) {
    const Arg *a = &c->arg[0], *b = &c->arg[1], *d = &c->arg[2];
    bool first =
        (a->vrow != d->vrow || a->vcol != d->vcol) && b->vrow == d->vrow && b->vcol == d->vcol;
    const Arg *column = first ? a : b;
    int64_t at = column->vcol > 1 ? k % column->vcol : 0;
    *x = get(c, 0, r, first ? at : k);
    *y = get(c, 1, r, first ? k : at);
}

static void column(Case *c, OpFn op, bool exchanged) {
    const Arg *d = &c->arg[2];
    for (int64_t r = 0; r < d->vrow; r++) {
        for (int64_t k = 0; k < d->vcol; k++) {
            Num x, y;
            operands(c, r, k, &x, &y);
            put(c, 2, r, k, exchanged ? op(c, y, x) : op(c, x, y));
        }
    }
}

#define COLUMN(ID, OP)                                                                             \
    static void column_##OP(Case *c) {                                                             \
        column(c, OP, false);                                                                      \
    }                                                                                              \
    static void exchanged_##OP(Case *c) {                                                          \
        column(c, OP, true);                                                                       \
    }                                                                                              \
    FORMULA(ID, .expect = column_##OP, .plan = plan_column);                                       \
    FORMULA(ID##_R, .expect = exchanged_##OP, .plan = plan_second)
COLUMN(TROWEXPANDADD, add);
COLUMN(TROWEXPANDSUB, sub);
COLUMN(TROWEXPANDMUL, mul);
COLUMN(TROWEXPANDDIV, divide);
COLUMN(TROWEXPANDMAX, max);
COLUMN(TROWEXPANDMIN, min);

/* ---- a row ---- */

/* Both sources may be one tile, which then has the shape of the row: refused where it is too small.
 */
static void row(Case *c) {
    const Arg *a = &c->arg[0], *b = &c->arg[1], *d = &c->arg[2];
    if (d->vrow == 0 || d->vcol == 0) return;
    if (a->rows < d->vrow || a->cols < d->vcol || b->cols < d->vcol)
        c->want_code = PTRT_E_VALID;
    else
        expect_map(c, d->vrow, d->vcol);
}

#define ROW(ID, OP)                                                                                \
    static Num row_##OP(const Case *c, const Num *x) {                                             \
        return OP(c, x[0], x[1]);                                                                  \
    }                                                                                              \
    FORMULA(ID, .map = row_##OP, .expect = row)
ROW(TCOLEXPANDADD, add);
ROW(TCOLEXPANDSUB, sub);
ROW(TCOLEXPANDMUL, mul);
ROW(TCOLEXPANDDIV, divide);
ROW(TCOLEXPANDMAX, max);
ROW(TCOLEXPANDMIN, min);

/* ---- exp of a difference, which is rounded to the type first ---- */

static long double power(const Case *c, double a, double b) {
    double difference = num_of(c->e1, code_of(c->e1, real(a - b))).f;
    return c->e1 == PTRT_F64 ? expl((long double)difference) : (long double)exp(difference);
}
static long double expdif(const Case *c, const Num *x) {
    return power(c, x[0].f, x[1].f);
}
static long double exchanged_expdif(const Case *c, const Num *x) {
    return power(c, x[1].f, x[0].f);
}
FORMULA(TROWEXPANDEXPDIF, .real = expdif, .ulps = 1, .plan = plan_second);
FORMULA(TROWEXPANDEXPDIF_R, .real = exchanged_expdif, .ulps = 1, .plan = plan_second);
FORMULA(TCOLEXPANDEXPDIF, .real = expdif, .ulps = 1, .expect = row);

/* ---- over a whole tile ---- */

static void spread_column(Case *c) {
    for (int64_t r = 0; r < c->arg[1].vrow; r++)
        for (int64_t k = 0; k < c->arg[1].vcol; k++)
            put_bits(c, 1, r, k, get_bits(c, 0, r, 0));
}
static void spread_row(Case *c) {
    for (int64_t r = 0; r < c->arg[1].vrow; r++)
        for (int64_t k = 0; k < c->arg[1].vcol; k++)
            put_bits(c, 1, r, k, get_bits(c, 0, 0, k));
}
FORMULA(TROWEXPAND, .expect = spread_column, .exact = true);
FORMULA(TCOLEXPAND, .expect = spread_row, .exact = true);
