/* SPDX-License-Identifier: Apache-2.0 */
/* formula_sort.c - sorts. */
#define ORACLE_FAMILY "sort"
#include "context.h"

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

/* ---- merging ---- */

static ptrt_i16x4 expected_counts;

/* The counts are part of what is right. */
static int call_merge_and_compare(ptrt_core *core, const Case *c) {
    ptrt_i16x4 counts = {{-1, -1, -1, -1}};
    const int code = ptrt_merge(HEAD, T(0), T(1), T(2), T(3), T(4), &counts, A(6));
    return code == PTRT_OK && memcmp(&counts, &expected_counts, sizeof counts) != 0 ? -1 : code;
}
DRIVER(merge, "ttttdia", call_merge_and_compare(core, c));
DRIVER(merge_blocks, "tid", ptrt_merge_blocks(HEAD, T(0), I(1), T(2)));

static int64_t per_record(const Case *c) {
    return 8 / elem_bytes(c->e1);
}

static bool plan_merge(Case *c) {
    Arg *d = &c->arg[4];
    for (int k = 0; k < 4; k++) {
        Arg *a = &c->arg[k];
        a->rows = 1;
        a->vrow = random_below(&c->random, 12) != 0;
        a->absent = k > 1 + (int)(c->number % 3);
    }
    d->rows = d->vrow = 1;
    d->cols = 1 + random_below(&c->random, 3 * c->cols);
    d->vcol = random_below(&c->random, 3) ? d->cols : random_below(&c->random, d->cols + 1);
    return true;
}

/* Keys of few values, so that many are equal; lists descend in most cases. */
static void fill_lists(Case *c, int k, int64_t first, int64_t n) {
    const int64_t per = per_record(c);
    int64_t key = 60;
    for (int64_t i = 0; i < n; i++) {
        key -= random_below(&c->random, 3) == 0;
        if (c->ctx->digits.mode != 0) set(c, k, 0, first + i * per, (Num){key, (double)key / 2});
    }
}

static void fill_merge(Case *c) {
    for (int k = 0; k < 4; k++)
        if (!c->arg[k].absent) fill_lists(c, k, 0, c->arg[k].vcol / per_record(c));
}

/* Merges lists that begin at `first` of their tiles; returns the records that were written. */
static void merge_lists(Case *c, int dst, int64_t to, int64_t room, const int *tile,
                        const int64_t *first, const int64_t *n, int lists, int64_t *taken) {
    const int64_t per = per_record(c);
    for (int64_t i = 0; i < room; i++) {
        int best = -1;
        for (int k = 0; k < lists; k++) {
            if (taken[k] == n[k]) {
                if (dst == 4 && c->arg[6].i) return;
                continue;
            }
        }
        for (int k = 0; k < lists; k++) {
            if (taken[k] == n[k]) continue;
            if (best < 0 || is_less(c->e1, get(c, tile[best], 0, first[best] + taken[best] * per),
                                    get(c, tile[k], 0, first[k] + taken[k] * per)))
                best = k;
        }
        if (best < 0) return;
        for (int64_t e = 0; e < per; e++)
            put_bits(c, dst, 0, to + i * per + e,
                     get_bits(c, tile[best], 0, first[best] + taken[best] * per + e));
        taken[best]++;
    }
}

static void expect_merge(Case *c) {
    const Arg *d = &c->arg[4];
    const int tile[] = {0, 1, 2, 3};
    int64_t n[4] = {0}, first[4] = {0}, taken[4] = {0};
    int lists = 0;
    for (; lists < 4 && !c->arg[lists].absent; lists++)
        n[lists] = c->arg[lists].vrow > 0 ? c->arg[lists].vcol / per_record(c) : 0;
    merge_lists(c, 4, 0, d->vrow > 0 ? d->vcol / per_record(c) : 0, tile, first, n, lists, taken);
    for (int k = 0; k < 4; k++)
        expected_counts.at[k] = (int16_t)taken[k];
}
FORMULA(TMRGSORT, .plan = plan_merge, .fill = fill_merge, .expect = expect_merge, .exact = true,
        .ints = {[6] = INTS(0, 1)});

static bool plan_blocks(Case *c) {
    Arg *s = &c->arg[0], *d = &c->arg[2];
    static const int64_t lengths[] = {8, 64, 16, 128, 3, 0, -64, 8, 24, INT64_MAX};
    const int64_t length = lengths[random_below(&c->random, 10)];
    use_int(c, 1, length);
    s->rows = d->rows = s->vrow = 1;
    s->cols = d->cols = 1 + random_below(&c->random, 1500);
    s->vcol = random_below(&c->random, s->cols + 1);
    d->vcol = random_below(&c->random, 4) ? d->cols : random_below(&c->random, d->cols + 1);
    d->vrow = random_below(&c->random, 9) != 0;
    return true;
}

static void fill_blocks(Case *c) {
    const int64_t length = c->arg[1].i;
    if (length <= 0 || length > c->arg[0].cols) return;
    for (int64_t at = 0; at + length <= c->arg[0].cols; at += length)
        fill_lists(c, 0, at, length / per_record(c));
}

static void expect_blocks(Case *c) {
    const Arg *s = &c->arg[0], *d = &c->arg[2];
    const int64_t length = c->arg[1].i, all = d->vrow > 0 ? d->vcol : 0;
    const int tile[] = {0, 0, 0, 0};
    if (length <= 0 || length % per_record(c) != 0 || length > all / 4) return;
    if (s->cols < all / (4 * length) * 4 * length) {
        c->want_code = PTRT_E_VALID;
        return;
    }
    for (int64_t at = 0; at + 4 * length <= all; at += 4 * length) {
        const int64_t n = length / per_record(c), lengths[] = {n, n, n, n};
        const int64_t first[] = {at, at + length, at + 2 * length, at + 3 * length};
        int64_t taken[4] = {0};
        merge_lists(c, 2, at, 4 * n, tile, first, lengths, 4, taken);
    }
}
FORMULA(TMRGSORT_BLOCKS, .plan = plan_blocks, .fill = fill_blocks, .expect = expect_blocks,
        .exact = true);
