/* formula_sort.c - sorts. */
#define ORACLE_FAMILY "sort"
#include "matrix.h"

#include <math.h>

/* ---- blocks of 32 ---- */

DRIVER(sort32, "ttd", ptrt_sort32(HEAD, T(0), T(1), T(2)));

static bool plan_sort32(Case *c) {
    Arg *s = &c->arg[0], *d = &c->arg[2];
    const int64_t per = 8 / elem_bytes(c->e1);
    c->arg[1].elem = c->number % 2 ? PTRT_U32 : PTRT_I32;
    if (c->number % 5 == 0) {
        c->arg[1].rows = c->arg[1].vrow = 1;
        c->arg[1].layouts = 1 << LAY_ND;
    }
    d->rows = s->rows;
    d->cols = s->cols * per;
    d->vrow = random_below(&c->random, d->rows + 1);
    d->vcol = random_below(&c->random, d->cols + 1);
    d->keep_shape = true;
    return d->rows * d->cols <= 8192;
}

/* -1 and 1 for NaNs by their sign. */
static int nan_side(const Case *c, int64_t r, int64_t k) {
    if (!is_real(c) || !isnan(get(c, 0, r, k).f)) return 0;
    return get_bits(c, 0, r, k) >> (8 * elem_bytes(c->e1) - 1) & 1 ? -1 : 1;
}

/* Element a of row r comes before element b. */
static bool before(const Case *c, int64_t r, int64_t a, int64_t b) {
    const int x = nan_side(c, r, a), y = nan_side(c, r, b);
    if (x != y) return x > y;
    if (x == 0) {
        const Num p = get(c, 0, r, a), q = get(c, 0, r, b);
        if (is_less(c->e1, q, p)) return true;
        if (is_less(c->e1, p, q)) return false;
    }
    return a < b;
}

/* Writes the record of element k as number `at` of row r. */
static void put_record(Case *c, int64_t r, int64_t at, int64_t k) {
    const int64_t size = elem_bytes(c->e1), per = 8 / size;
    const int64_t row = c->arg[1].rows == 1 ? 0 : r;
    const uint64_t record = get_bits(c, 0, r, k) | get_bits(c, 1, row, k) << 32;
    for (int64_t i = 0; i < per; i++)
        put_bits(c, 2, r, at * per + i, record >> 8 * size * i & (UINT64_MAX >> (64 - 8 * size)));
}

/* A destination that took over the source's shape may be too small. */
static void expect_sort32(Case *c) {
    const Arg *s = &c->arg[0], *d = &c->arg[2];
    if (d->rows < s->vrow || d->cols < s->vcol * 8 / elem_bytes(c->e1)) {
        c->want_code = PTRT_E_VALID;
        return;
    }
    for (int64_t r = 0; r < s->vrow; r++) {
        for (int64_t k = 0; k < s->vcol; k++) {
            const int64_t first = k / 32 * 32;
            int64_t at = first;
            for (int64_t j = first; j < first + 32 && j < s->vcol; j++)
                at += j != k && before(c, r, j, k);
            put_record(c, r, at, k);
        }
    }
}
FORMULA(TSORT32, .plan = plan_sort32, .expect = expect_sort32, .exact = true);
