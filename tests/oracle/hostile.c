/* SPDX-License-Identifier: Apache-2.0 */
/* hostile.c - operands that no program can make: tiles outside of their memory, valid regions
 * larger than the shape, wrong element types. Calls refuse them, and never touch a byte outside of
 * the destinations' memory. */
#include "context.h"

typedef struct Attack {
    const char *what;
    void (*change)(Case *c, ptrt_tile *t);
    /* Whose call must be refused; any other must only be safe: what a source's valid region or type
     * has no part in may be computed. */
    enum { NOBODY, DESTINATIONS, ALL_TILES } refused;
} Attack;

/* A tile that is changed by hand takes the long way. */
static void go_the_long_way(ptrt_tile *t) {
    t->key = 0;
    t->n = 0;
}

static void leave_memory(Case *c, ptrt_tile *t) {
    t->addr = t->last + (uint64_t)(1 + random_below(&c->random, 4096));
    go_the_long_way(t);
}

static void far_away(Case *c, ptrt_tile *t) {
    t->addr = UINT64_MAX - (uint64_t)random_below(&c->random, 4096);
    go_the_long_way(t);
}

static void too_many_rows(Case *c, ptrt_tile *t) {
    t->vrow = t->rows + 1 + random_below(&c->random, 100);
    go_the_long_way(t);
}

static void too_many_cols(Case *c, ptrt_tile *t) {
    t->vcol = t->cols + 1 + random_below(&c->random, 100);
    go_the_long_way(t);
}

static void negative_rows(Case *c, ptrt_tile *t) {
    t->vrow = -1 - random_below(&c->random, 100);
    go_the_long_way(t);
}

static void negative_cols(Case *c, ptrt_tile *t) {
    (void)c;
    t->vcol = INT64_MIN;
    go_the_long_way(t);
}

/* Of the same size: the tile's extent in memory stays right. */
static void other_type(Case *c, ptrt_tile *t) {
    int elem;
    do
        elem = (int)random_below(&c->random, PTRT_ELEMS);
    while (elem_bytes(elem) != elem_bytes(t->elem));
    t->elem = (uint8_t)elem;
    go_the_long_way(t);
}

static const Attack attacks[] = {
    {"outside of its memory", leave_memory, ALL_TILES},
    {"far outside of its memory", far_away, ALL_TILES},
    {"too many valid rows", too_many_rows, DESTINATIONS},
    {"too many valid columns", too_many_cols, DESTINATIONS},
    {"negative valid rows", negative_rows, DESTINATIONS},
    {"negative valid columns", negative_cols, DESTINATIONS},
    {"another element type", other_type, NOBODY},
};
enum { ATTACKS = sizeof attacks / sizeof *attacks };

static void attack(Case *c, int k, const Attack *a, bool last) {
    const Passes *passes = &c->ctx->run->passes;
    Arg *arg = &c->arg[k];
    const ptrt_tile kept = arg->tile;
    const bool must =
        a->refused == ALL_TILES ? arg->letter != 's' : a->refused == DESTINATIONS && arg->out;
    a->change(c, &arg->tile);
    const ptrt_tile hostile = arg->tile;
    c->ctx->run->done++;
    for (int i = 0; i < passes->n; i++) {
        use_pass(c->ctx, &passes->pass[i]);
        open_case(c);
        arg->tile = hostile;
        const int code = c->line->driver->call(c->ctx->core, c);
        arg->tile = kept;
        if (!judge_refusal(c, a->what, must && code == PTRT_OK, last && i == passes->n - 1)) break;
    }
}

void run_hostile(Case *c) {
    for (int i = 0; i < ATTACKS; i++) {
        c->number = (unsigned)(40 + 7 * i);
        for (int k = 0; k == 0 || k < c->nargs; k++)
            if (build_case(c) && is_tile(&c->arg[k])) attack(c, k, &attacks[i], k == c->nargs - 1);
    }
}
