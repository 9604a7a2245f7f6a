/* SPDX-License-Identifier: Apache-2.0 */
/* formula_reduce.c - reductions along rows and columns, by the order that is defined for them:
 * along a row 16 running values, element number mod 16, folded by halves; along a column the rows
 * in order. */
#define ORACLE_FAMILY "reduce"
#include "matrix.h"

DRIVER(rowreduce, "tC", ptrt_rowreduce(HEAD, T(0), T(1)));
DRIVER(colreduce, "tR", ptrt_colreduce(HEAD, T(0), T(1)));
DRIVER(colsum, "tRaa", ptrt_colsum(HEAD, T(0), T(1), A(2), A(3)));
DRIVER(rowarg, "tC", ptrt_rowarg(HEAD, T(0), T(1)));
DRIVER(colarg, "tR", ptrt_colarg(HEAD, T(0), T(1)));

/* Element i of line n: of row n, or of column n. */
static Num line_element(const Case *c, bool rows, int64_t n, int64_t i) {
    return rows ? get(c, 0, n, i) : get(c, 0, i, n);
}

static void put_value(Case *c, bool rows, int64_t n, Num value) {
    put(c, 1, rows ? n : 0, rows ? 0 : n, value);
}

/* ---- sums and products ---- */

typedef Num (*StepFn)(const Case *c, Num s, Num x);

static Num rounded(const Case *c, double f) {
    return num_of(c->e1, code_of(c->e1, real(f)));
}

static Num add(const Case *c, Num s, Num x) {
    return is_real(c) ? rounded(c, s.f + x.f) : wrap_add(s.i, x.i);
}

/* Sums along a row of f16 and bf16 are f32 inside. */
static Num add_wide(const Case *c, Num s, Num x) {
    if (c->e1 == PTRT_F64 || !is_real(c)) return add(c, s, x);
    return real(single(s.f + x.f));
}

static Num multiply(const Case *c, Num s, Num x) {
    return is_real(c) ? rounded(c, s.f * x.f) : wrap_mul(s.i, x.i);
}

static void fold_row(Case *c, StepFn step, int identity) {
    const Arg *s = &c->arg[0];
    if (s->vcol == 0) return;
    for (int64_t n = 0; n < s->vrow; n++) {
        Num run[16];
        for (int k = 0; k < 16; k++)
            run[k] = (Num){identity, identity};
        for (int64_t i = 0; i < s->vcol; i++)
            run[i % 16] = step(c, run[i % 16], line_element(c, true, n, i));
        for (int w = 8; w >= 1; w /= 2)
            for (int k = 0; k < w; k++)
                run[k] = step(c, run[k], run[k + w]);
        put_value(c, true, n, run[0]);
    }
}

static void fold_column(Case *c, StepFn step, int identity) {
    const Arg *s = &c->arg[0];
    for (int64_t n = 0; n < s->vcol && s->vrow > 0; n++) {
        Num sum = {identity, identity};
        for (int64_t i = 0; i < s->vrow; i++)
            sum = step(c, sum, line_element(c, false, n, i));
        put_value(c, false, n, sum);
    }
}

static void row_sum(Case *c) {
    fold_row(c, add_wide, 0);
}
static void row_prod(Case *c) {
    fold_row(c, multiply, 1);
}
static void col_sum(Case *c) {
    fold_column(c, add, 0);
}
/* Pairs of rows, and pairs of their sums; an odd last row joins the first sum or the last one. */
static void col_sum_pairs(Case *c, bool last) {
    Num t[1024];
    const int64_t rows = c->arg[0].vrow;
    for (int64_t k = 0; k < c->arg[0].vcol && rows > 0 && rows <= 1024; k++) {
        for (int64_t i = 0; i < rows; i++)
            t[i] = get(c, 0, i, k);
        for (int64_t n = rows; n > 1; n /= 2) {
            Num odd = t[n - 1];
            int64_t to = last ? n / 2 - 1 : 0;
            for (int64_t i = 0; i < n / 2; i++)
                t[i] = add(c, t[2 * i], t[2 * i + 1]);
            if (n % 2 != 0) t[to] = add(c, t[to], odd);
        }
        put_value(c, false, k, t[0]);
    }
}
static void col_sum_any(Case *c) {
    if (A(2) && A(3) != PTRT_FOR_CPU)
        col_sum_pairs(c, A(3) == PTRT_FOR_A5);
    else
        col_sum(c);
}
static void col_prod(Case *c) {
    fold_column(c, multiply, 1);
}
FORMULA(TROWSUM, .expect = row_sum);
FORMULA(TROWPROD, .expect = row_prod);
FORMULA(TCOLSUM, .expect = col_sum_any,
        .ints = {[2] = INTS(0, 1), [3] = INTS(PTRT_FOR_CPU, PTRT_FOR_A2A3, PTRT_FOR_A5)});
FORMULA(TCOLPROD, .expect = col_prod);

/* ---- extremes ---- */

/* The first element that no later one is beyond; where it is. */
static int64_t extreme(const Case *c, bool rows, int64_t n, bool largest) {
    const Arg *s = &c->arg[0];
    int64_t best = 0;
    for (int64_t i = 1; i < (rows ? s->vcol : s->vrow); i++) {
        Num a = line_element(c, rows, n, best), b = line_element(c, rows, n, i);
        if (largest ? is_less(c->e1, a, b) : is_less(c->e1, b, a)) best = i;
    }
    return best;
}

static void extremes(Case *c, bool rows, bool largest, bool place) {
    const Arg *s = &c->arg[0];
    if (s->vrow == 0 || s->vcol == 0) return;
    for (int64_t n = 0; n < (rows ? s->vrow : s->vcol); n++) {
        int64_t at = extreme(c, rows, n, largest);
        put_value(c, rows, n, place ? whole(at) : line_element(c, rows, n, at));
    }
}

#define EXTREME(NAME, ROWS, LARGEST, PLACE)                                                        \
    static void NAME(Case *c) {                                                                    \
        extremes(c, ROWS, LARGEST, PLACE);                                                         \
    }
EXTREME(row_max, true, true, false)
EXTREME(row_min, true, false, false)
EXTREME(row_argmax, true, true, true)
EXTREME(row_argmin, true, false, true)
EXTREME(col_max, false, true, false)
EXTREME(col_min, false, false, false)
EXTREME(col_argmax, false, true, true)
EXTREME(col_argmin, false, false, true)
FORMULA(TROWMAX, .expect = row_max);
FORMULA(TROWMIN, .expect = row_min);
FORMULA(TCOLMAX, .expect = col_max);
FORMULA(TCOLMIN, .expect = col_min);
FORMULA(TROWARGMAX, .expect = row_argmax, .elem = {[1] = ELEM(I32)});
FORMULA(TROWARGMIN, .expect = row_argmin, .elem = {[1] = ELEM(U32)});
FORMULA(TCOLARGMAX, .expect = col_argmax, .elem = {[1] = ELEM(I32)});
FORMULA(TCOLARGMIN, .expect = col_argmin, .elem = {[1] = ELEM(U32)});

/* ---- neighbours ---- */

DRIVER(rowpairs, "td", ptrt_rowpairs(HEAD, T(0), T(1)));

static bool plan_pairs(Case *c) {
    c->arg[1].keep_shape = true;
    return true;
}

static void expect_pairs(Case *c) {
    const Arg *s = &c->arg[0], *d = &c->arg[1];
    if (s->vrow == 0 || s->vcol == 0) return;
    for (int64_t r = 0; r < d->rows; r++)
        for (int64_t k = 0; k < d->cols; k++)
            put_bits(c, 1, r, k, 0);
    for (int64_t r = 0; r < s->vrow; r++)
        for (int64_t k = 0; 2 * k < s->vcol; k++) {
            const Num a = get(c, 0, r, 2 * k);
            const Num b = 2 * k + 1 < s->vcol ? get(c, 0, r, 2 * k + 1) : whole(0);
            put(c, 1, r, k,
                !is_real(c)         ? wrap_add(a.i, b.i)
                : c->e1 == PTRT_F64 ? real(a.f + b.f)
                                    : real(single(a.f + b.f)));
        }
}
FORMULA(TPAIRREDUCESUM, .plan = plan_pairs, .expect = expect_pairs);
