/* SPDX-License-Identifier: Apache-2.0 */
/* samples.c - data for operands: noise, special values, ordinary values, small integers. */
#include "context.h"

#include <math.h>

/* ---- pools ---- */

static uint64_t special(int elem, Random *r) {
    static const double reals[] = {0,           -0.0,           1,           -1,
                                   (double)NAN, 0x1p-14,        -0x1p-126,   0x1p-1022,
                                   INFINITY,    -INFINITY,      0x1p-24,     -0x1p-149,
                                   0x1p-1074,   65504,          -65520,      0x1.fp-15,
                                   0x1.fp-127,  0x1.fffffep127, 1 + 0x1p-10, 0.5};
    static const int64_t ints[] = {0, 1, -1, 2, -2, 7, 8, 31, 32, 33, 63, 64, 127, -128, 32767};
    int64_t n = elem_is_real(elem) ? sizeof reals / sizeof *reals : sizeof ints / sizeof *ints;
    int64_t i = random_below(r, n + 4);
    if (i < n)
        return elem_is_real(elem) ? code_of_real(elem, reals[i], TO_EVEN, false)
                                  : code_of_int(elem, ints[i]);
    if (i == n) return code_max(elem);
    if (i == n + 1) return code_min(elem);
    if (!elem_is_real(elem)) return i == n + 2 ? code_max(elem) - 1 : code_min(elem) + 1;
    return code_of_real(elem, i == n + 2 ? real_limit(elem) : -real_limit(elem), TO_EVEN, true);
}

static uint64_t ordinary(int elem, Random *r) {
    if (!elem_is_real(elem)) return code_of_int(elem, random_below(r, 201) - 100);
    /* One after the other: arguments of a call are evaluated in any order. */
    double mantissa = (double)(random_bits(r) >> 11) + 0x1p52;
    double v = ldexp(mantissa, (int)random_below(r, 7) - 56);
    return code_of_real(elem, random_below(r, 2) ? v : -v, TO_EVEN, true);
}

static uint64_t small(int elem, Random *r) {
    int64_t v = random_below(r, 17) - 8;
    return elem_is_real(elem) ? code_of_real(elem, (double)v / 2, TO_EVEN, true)
                              : code_of_int(elem, v);
}

/* All lanes of one element. */
static uint64_t element(int elem, uint64_t (*make)(int, Random *), Random *r) {
    uint64_t bits = 0;
    for (int lane = 0; lane < elem_lanes(elem); lane++)
        bits = lane_put(elem, bits, lane, make(elem, r));
    return bits;
}

/* Mode 0 is noise, 1 special values and noise, 2 ordinary values, 3 small integers. Some special
 * values repeat for longer than a row: sums of nothing but -0, say. */
static void draw(Context *ctx, int elem, int mode, Random *r) {
    unsigned char *p = ctx->drawn[elem][mode];
    const uint32_t size = elem_bytes(elem);
    int64_t repeat = 0;
    uint64_t bits = 0;
    make_noise(p, DRAWN, r);
    if (mode == 0) return;
    for (size_t at = 0; at < DRAWN; at += size) {
        if (--repeat <= 0) {
            if (mode == 1 && random_below(r, 4) == 0) continue;
            bits = ctx->pool[elem][mode - 1][random_below(r, POOL)];
            if (mode == 1 && random_below(r, 128) == 0) repeat = 32 << random_below(r, 5);
        }
        bits_store(p + at, size, bits);
    }
}

void samples_make(Context *ctx) {
    static uint64_t (*const makers[POOLS])(int, Random *) = {special, ordinary, small};
    Random r = {2};
    for (int elem = 0; elem < PTRT_ELEMS; elem++)
        for (int p = 0; p < POOLS; p++)
            for (int i = 0; i < POOL; i++)
                ctx->pool[elem][p][i] = element(elem, makers[p], &r);
    for (int elem = 0; elem < PTRT_ELEMS; elem++)
        for (int mode = 0; mode < MODES; mode++)
            draw(ctx, elem, mode, &r);
}

/* ---- operands ---- */

static void fill_range(Case *c, const Arg *a, unsigned char *p) {
    uint32_t size = a->size;
    for (int64_t at = 0; at + size <= a->bytes; at += size) {
        int64_t v = a->lo + random_below(&c->random, a->hi - a->lo + 1);
        bits_store(p + at, size, code_of(a->elem, (Num){v, (double)v}));
    }
}

/* Pieces of what was drawn, each from an element of its own. */
static void fill_pieces(Case *c, const Arg *a, int mode) {
    enum { PIECE = 2048 };
    const unsigned char *drawn = c->ctx->drawn[a->elem][mode];
    unsigned char *p = arg_memory(c, a)->want + a->start;
    for (int64_t at = 0, n; at < a->bytes; at += n) {
        n = a->bytes - at < PIECE ? a->bytes - at : PIECE;
        memcpy(p + at, drawn + random_below(&c->random, (DRAWN - PIECE) / a->size) * a->size,
               (size_t)n);
    }
}

/* What is no source gets noise first: it may overlap with one. */
void fill_operands(Case *c, int mode) {
    for (int k = 0; k < c->nargs; k++) {
        const Arg *a = &c->arg[k];
        if ((is_tile(a) || is_view(a)) && !is_source(a)) fill_pieces(c, a, 0);
    }
    for (int k = 0; k < c->nargs; k++) {
        const Arg *a = &c->arg[k];
        if (!is_source(a)) continue;
        if (a->ranged)
            fill_range(c, a, arg_memory(c, a)->want + a->start);
        else
            fill_pieces(c, a, mode);
    }
}

void fill_scalar(Case *c, int k) {
    Arg *a = &c->arg[k];
    const uint64_t *pool = c->ctx->pool[a->elem][random_below(&c->random, POOLS)];
    bool noise = random_below(&c->random, 4) == 0;
    uint64_t bits = noise ? random_bits(&c->random) : pool[random_below(&c->random, POOL)];
    Num n = num_of(a->elem, lane_bits(a->elem, bits, 0));
    /* A real may come with more digits than the type has. */
    if (elem_is_real(a->elem) && random_below(&c->random, 2))
        n.f *= 1 + (double)random_below(&c->random, 1000) * 0x1p-26;
    a->i = n.i;
    a->f = n.f;
    a->value = num_of(a->elem, code_of(a->elem, n));
}
