/* SPDX-License-Identifier: Apache-2.0 */
/* formula_matmul.c - matrix products, by their definition: s = fma(a, b, s) in f32 over ascending
 * k, then what is added; wrapping sums of integers. */
#define ORACLE_FAMILY "matmul"
#include "matrix.h"

#include <math.h>

DRIVER(matmul, "ttttd", ptrt_matmul(HEAD, T(0), T(1), T(2), T(3), T(4)));
DRIVER(matmul_mx, "ttttttd", ptrt_matmul_mx(HEAD, T(0), T(1), T(2), T(3), T(4), T(5), T(6)));

/* The places of the operands among the arguments; -1: the line has none. */
typedef struct Places {
    int sum, a, a_scale, b, b_scale, bias, dst;
} Places;
static const Places plain = {0, 1, -1, 2, -1, 3, 4}, scaled = {0, 1, 2, 3, 4, 5, 6};

static bool is_scaled(const Case *c) {
    return c->nargs == 7;
}
static Places places(const Case *c) {
    return is_scaled(c) ? scaled : plain;
}

/* ---- operands ---- */

static int64_t pick(Case *c, const int64_t *list, int n) {
    return list[random_below(&c->random, n)];
}

/* A tile of at least rows x cols, all of which is valid or all but some. */
static void extents(Case *c, int k, int space, int64_t rows, int64_t cols) {
    Arg *a = &c->arg[k];
    a->rows = rows > 0 ? rows : 1;
    a->cols = cols > 0 ? cols : 1;
    if (random_below(&c->random, 2)) a->rows += random_below(&c->random, 20);
    if (random_below(&c->random, 2)) a->cols += random_below(&c->random, 20);
    a->vrow = rows;
    a->vcol = cols;
    /* Now and then all in one memory, where destinations overlap sources. */
    a->space = c->number % 5 == 0 ? PTRT_VEC : space;
}

/* Layouts as hardware has them, or any. */
static void layouts(Case *c, int k, unsigned usual) {
    if (c->number % 3 != 0) c->arg[k].layouts = usual;
}

#define LAY(x) (1u << LAY_##x)

static void plan_added(Case *c, const Places *p, int64_t m, int64_t n) {
    const int elem = c->e1 <= PTRT_U8 ? PTRT_I32 : PTRT_F32;
    const int which[] = {p->sum, p->dst};
    for (int i = 0; i < 2; i++) {
        c->arg[which[i]].elem = elem;
        extents(c, which[i], PTRT_ACC, m, n);
        layouts(c, which[i], LAY(NZ_1024) | LAY(NZ));
    }
    c->arg[p->bias].elem = elem;
    extents(c, p->bias, PTRT_BIAS, 1, n);
    layouts(c, p->bias, LAY(ND));
}

static int64_t numbers(const Case *c, int64_t k) {
    return k * elem_lanes(c->e1);
}

static void plan_scales(Case *c, const Places *p, int64_t m, int64_t n, int64_t k) {
    const int64_t groups = (numbers(c, k) + 31) / 32;
    extents(c, p->a_scale, PTRT_SCALING, m, groups);
    extents(c, p->b_scale, PTRT_SCALING, groups, n);
    layouts(c, p->a_scale, LAY(ZZ_32));
    layouts(c, p->b_scale, LAY(NN_32));
    c->arg[p->a_scale].elem = c->arg[p->b_scale].elem = PTRT_F8E8M0;
}

static bool plan(Case *c) {
    static const int64_t rows[] = {1, 2, 3, 5, 6, 7, 11, 12, 13, 16, 17, 25, 33};
    static const int64_t cols[] = {1, 3, 8, 15, 16, 17, 31, 32, 40, 48};
    static const int64_t depths[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 40, 64, 65, 100};
    const Places p = places(c);
    const bool vector = strncmp(c->line->name, "tgemv", 5) == 0;
    int64_t m = vector ? 1 : pick(c, rows, sizeof rows / sizeof *rows);
    int64_t n = pick(c, cols, sizeof cols / sizeof *cols);
    int64_t k = pick(c, depths, sizeof depths / sizeof *depths);
    if (c->number % 29 == 7) m = 0;
    if (c->number % 29 == 8) n = 0;
    if (c->number % 29 == 9) k = 0;
    if (c->number % 80 == 11) k = 700;
    if (c->number == 37 && !vector) m = 150, n = 70;
    if (c->number == 37 && vector) n = 530;
    c->arg[p.a].elem = c->e1;
    c->arg[p.b].elem = c->e2;
    extents(c, p.a, PTRT_LEFT, m, k);
    extents(c, p.b, PTRT_RIGHT, k, n);
    layouts(c, p.a, LAY(NZ) | LAY(ZZ));
    layouts(c, p.b, LAY(ZN));
    /* Only the columns of the right factor count. */
    if (random_below(&c->random, 4) == 0) c->arg[p.b].vrow = c->arg[p.b].rows;
    plan_added(c, &p, m, n);
    if (is_scaled(c)) plan_scales(c, &p, m, n, k);
    return true;
}

/* Scales around 1 in most cases, so that sums are neither all zero nor all infinite. */
static void fill_scales(Case *c, int k) {
    const Arg *a = &c->arg[k];
    for (int64_t r = 0; r < a->vrow; r++)
        for (int64_t g = 0; g < a->vcol; g++)
            set_bits(c, k, r, g, (uint64_t)(120 + random_below(&c->random, 15)));
}

static void fill(Case *c) {
    if (!is_scaled(c) || c->number % 4 == 0) return;
    fill_scales(c, scaled.a_scale);
    fill_scales(c, scaled.b_scale);
}

/* ---- numbers of the factors ---- */

enum { MOST = 160 * 800 };
static double left[MOST], right[MOST];

/* Number q of an element pair, or the element; scaled. */
static double number(const Case *c, int k, int64_t row, int64_t col, int lane, double scale) {
    const int elem = c->arg[k].elem;
    const Num v = num_of(elem, lane_bits(elem, get_bits(c, k, row, col), lane));
    return elem_is_real(elem) ? v.f * scale : (double)v.i;
}

static void decode(const Case *c, const Places *p, int64_t m, int64_t n, int64_t k) {
    const int lanes = elem_lanes(c->e1);
    for (int64_t q = 0; q < k * lanes; q++) {
        for (int64_t i = 0; i < m; i++) {
            const double by = is_scaled(c) ? get(c, p->a_scale, i, q / 32).f : 1;
            left[i * k * lanes + q] = number(c, p->a, i, q / lanes, (int)(q % lanes), by);
        }
        for (int64_t j = 0; j < n; j++) {
            const double by = is_scaled(c) ? get(c, p->b_scale, q / 32, j).f : 1;
            right[j * k * lanes + q] = number(c, p->b, q / lanes, j, (int)(q % lanes), by);
        }
    }
}

/* ---- the chain ---- */

/* A product of scaled numbers has at most 16 bits, an f32 has 24: their sum is exact in a double,
 * or one of the two is so small that it does not count. */
static Num chain(const Case *c, const double *x, const double *y, int64_t depth) {
    float s = 0;
    int64_t whole_sum = 0;
    for (int64_t q = 0; q < depth; q++) {
        if (!is_real(c))
            whole_sum += (int64_t)(x[q] * y[q]);
        else if (is_scaled(c))
            s = (float)(x[q] * y[q] + (double)s);
        else
            s = fmaf((float)x[q], (float)y[q], s);
    }
    return (Num){whole_sum, s};
}

static Num add(const Case *c, Num a, Num b) {
    return is_real(c) ? real(single(a.f + b.f)) : wrap_add(a.i, b.i);
}

static void expect(Case *c) {
    const Places p = places(c);
    const int64_t m = c->arg[p.a].vrow, n = c->arg[p.b].vcol, k = c->arg[p.a].vcol;
    const int64_t depth = numbers(c, k);
    decode(c, &p, m, n, k);
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) {
            Num s = chain(c, left + i * depth, right + j * depth, depth);
            if (!c->arg[p.sum].absent) s = add(c, get(c, p.sum, i, j), s);
            if (!c->arg[p.bias].absent) s = add(c, get(c, p.bias, 0, j), s);
            put(c, p.dst, i, j, s);
        }
    }
}

#define PRODUCT(ID) FORMULA(ID, .plan = plan, .fill = fill, .expect = expect)
PRODUCT(TMATMUL);
PRODUCT(TMATMUL_ACC);
PRODUCT(TMATMUL_BIAS);
PRODUCT(TGEMV);
PRODUCT(TGEMV_ACC);
PRODUCT(TGEMV_BIAS);
PRODUCT(TMATMUL_MX);
PRODUCT(TMATMUL_MX_ACC);
PRODUCT(TMATMUL_MX_BIAS);
PRODUCT(TGEMV_MX);
PRODUCT(TGEMV_MX_ACC);
PRODUCT(TGEMV_MX_BIAS);
