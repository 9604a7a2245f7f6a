/* SPDX-License-Identifier: Apache-2.0 */
/* formula_make.c - values that are made: sequences, random words, histograms. */
#define ORACLE_FAMILY "make"
#include "matrix.h"

DRIVER(sequence, "eda", ptrt_sequence_i(HEAD, I(0), T(1), A(2)));

static void expect_sequence(Case *c) {
    const Arg *d = &c->arg[1];
    for (int64_t k = 0; k < d->vcol; k++)
        put(c, 1, 0, k, c->arg[2].i ? wrap_sub(c->arg[0].i, k) : wrap_add(c->arg[0].i, k));
}
FORMULA(TCI, .expect = expect_sequence, .ints = {[2] = INTS(0, 1)});

/* ---- random words ---- */

DRIVER(random, "iiiiiida", ptrt_random(HEAD, I(0), I(1), I(2), I(3), I(4), I(5), T(6), A(7)));
DRIVER(random_tiles, "ttda", ptrt_random_tiles(HEAD, T(0), T(1), T(2), A(3)));

/* Word w of Philox with a counter. */
static uint32_t philox(const uint32_t *counter, const uint32_t *key, int64_t rounds, int w) {
    uint32_t c[4], k[2] = {key[0], key[1]};
    memcpy(c, counter, sizeof c);
    for (int64_t i = 0; i < rounds; i++) {
        const uint64_t p = (uint64_t)c[0] * 0xD2511F53, q = (uint64_t)c[2] * 0xCD9E8D57;
        const uint32_t next[4] = {(uint32_t)(q >> 32) ^ c[1] ^ k[0], (uint32_t)q,
                                  (uint32_t)(p >> 32) ^ c[3] ^ k[1], (uint32_t)p};
        memcpy(c, next, sizeof c);
        k[0] += 0x9E3779B9;
        k[1] += 0xBB67AE85;
    }
    return c[w];
}

static void add_to_counter(uint32_t *c, uint64_t by) {
    for (int w = 0; w < 4; w++) {
        by += c[w];
        c[w] = (uint32_t)by;
        by >>= 32;
    }
}

static void expect_words(Case *c, int dst, const uint32_t *key, const uint32_t *first) {
    const Arg *d = &c->arg[dst];
    uint32_t counter[4];
    memcpy(counter, first, sizeof counter);
    for (int64_t r = 0; r < d->vrow && d->vcol > 0; r++) {
        for (int64_t k = 0; k < d->vcol; k++) {
            uint32_t lane[4];
            memcpy(lane, counter, sizeof lane);
            add_to_counter(lane, (uint64_t)(k / 256 * 64 + k % 256 / 4));
            put_bits(c, dst, r, k, philox(lane, key, c->arg[dst + 1].i, (int)(k % 4)));
        }
        add_to_counter(counter, (uint64_t)((d->vcol - 1) / 256 * 64 + (d->vcol - 1) % 64 + 1));
    }
}

static void expect_random(Case *c) {
    uint32_t w[6];
    for (int i = 0; i < 6; i++)
        w[i] = (uint32_t)c->arg[i].i;
    expect_words(c, 6, w, w + 2);
}

#define KEYS INTS(0, 1, -1, 0x12345678, INT32_MIN, 0xFFFFFFC1, 0xFFFFFFFF)
FORMULA(TRANDOM, .expect = expect_random,
        .ints = {KEYS, KEYS, KEYS, KEYS, KEYS, KEYS, [7] = INTS(7, 10)});

/* Rows of 4 words at least, or columns of one: of the whole shape. */
static bool plan_words(Case *c) {
    for (int k = 0; k < 2; k++) {
        Arg *a = &c->arg[k];
        const bool column = c->number / 2 % 2;
        a->rows = column ? 4 : 1 + random_below(&c->random, 3);
        a->cols = column ? 1 : 4 + random_below(&c->random, 5);
        a->vrow = a->rows;
        a->vcol = a->cols;
        a->elem = c->number % 2 ? PTRT_U32 : PTRT_I32;
        a->keep_shape = true;
    }
    return true;
}

static void expect_random_tiles(Case *c) {
    uint32_t w[6];
    for (int i = 0; i < 6; i++) {
        const Arg *a = &c->arg[i < 2 ? 0 : 1];
        const int64_t k = i < 2 ? i : i - 2;
        w[i] = (uint32_t)get_bits(c, i < 2 ? 0 : 1, k / a->cols, k % a->cols);
    }
    expect_words(c, 2, w, w + 2);
}
FORMULA(TRANDOM_TILES, .plan = plan_words, .expect = expect_random_tiles,
        .ints = {[3] = INTS(7, 10)});

/* ---- histograms ---- */

DRIVER(histogram, "ttdaa", ptrt_histogram(HEAD, T(0), T(1), T(2), A(3), A(4)));

static int64_t byte_of(const Case *c) {
    return c->arg[3].i != PTRT_ABSENT ? c->arg[3].i : c->arg[4].i != PTRT_ABSENT ? c->arg[4].i : 1;
}

static bool plan_histogram(Case *c) {
    Arg *i = &c->arg[1], *d = &c->arg[2];
    const bool wide = elem_bytes(c->e1) == 4;
    if (byte_of(c) >= elem_bytes(c->e1)) c->want_code = PTRT_E_ARG;
    i->elem = c->number % 2 ? PTRT_U8 : PTRT_I8;
    i->rows = i->vrow = wide ? 3 : c->rows;
    i->cols = i->vcol = 1 + random_below(&c->random, 3);
    d->elem = c->number % 3 ? PTRT_U32 : PTRT_I32;
    d->cols = 256 + random_below(&c->random, 5);
    d->vcol = random_below(&c->random, d->cols + 1);
    d->keep_shape = true;
    return d->rows * d->cols <= 16384;
}

/* Few values of each byte, and a filter that has them. */
static void fill_histogram(Case *c) {
    const Arg *s = &c->arg[0], *i = &c->arg[1];
    for (int64_t r = 0; r < s->rows; r++)
        for (int64_t k = 0; k < s->cols; k++) {
            uint64_t x = 0;
            for (int b = 0; b < 4; b++)
                x = x << 8 | (uint64_t)random_below(&c->random, b == 3 ? 256 : 3);
            set_bits(c, 0, r, k, elem_bytes(s->elem) == 2 && byte_of(c) == 0 ? x & 0x2FF : x);
        }
    for (int64_t r = 0; r < i->rows; r++)
        for (int64_t k = 0; k < i->cols; k++)
            set_bits(c, 1, r, k, (uint64_t)random_below(&c->random, 2));
}

/* The bytes above the one that is counted are those of idx. */
static bool passes(const Case *c, int64_t r, uint64_t x) {
    const int bytes = (int)elem_bytes(c->e1);
    for (int b = bytes - 1; b > byte_of(c); b--)
        if ((x >> 8 * b & 0xFF) != get_bits(c, 1, bytes == 2 ? r : bytes - 1 - b, 0)) return false;
    return true;
}

static void expect_histogram(Case *c) {
    const Arg *s = &c->arg[0], *d = &c->arg[2];
    if (c->want_code != PTRT_OK) return;
    if (d->cols < 256 || d->rows < s->vrow) {
        c->want_code = PTRT_E_VALID;
        return;
    }
    for (int64_t r = 0; r < s->vrow; r++) {
        int64_t total[256] = {0};
        for (int64_t k = 0; k < s->vcol; k++) {
            const uint64_t x = get_bits(c, 0, r, k);
            for (int b = 0; b < 256; b++)
                total[b] += passes(c, r, x) && (int)(x >> 8 * byte_of(c) & 0xFF) <= b;
        }
        for (int b = 0; b < 256; b++)
            put(c, 2, r, b, whole(total[b]));
    }
}
FORMULA(THISTOGRAM, .plan = plan_histogram, .fill = fill_histogram, .expect = expect_histogram,
        .ints = {[3] = INTS(PTRT_ABSENT, 0, 1, 2, 3), [4] = INTS(PTRT_ABSENT, 0, 1)});
