/* SPDX-License-Identifier: Apache-2.0 */
/* Dominator trees of random graphs against the definition: a dominates b when every path from the
 * entry to b goes through a. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "verifier/structure/structure.h"

#include <string.h>

enum { MOST = 12, GRAPHS = 3000 };

static uint32_t random_next(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

typedef struct Graph {
    unsigned n;
    bool edge[MOST][MOST];
} Graph;

/* Blocks reachable from 0 without passing `without` (n: nothing is left out). */
static void reach(const Graph *g, unsigned without, bool seen[MOST]) {
    memset(seen, 0, MOST * sizeof *seen);
    seen[0] = without != 0;
    for (unsigned round = 0; round < g->n; round++)
        for (unsigned i = 0; i < g->n; i++)
            for (unsigned k = 0; k < g->n; k++)
                if (seen[i] && g->edge[i][k] && k != without) seen[k] = true;
}

static Region *build(Context *ctx, const Graph *g, Block *blocks[MOST]) {
    Op *owner = op_new(ctx, &inst_table[INST_FUNC], (Span){0, 0});
    Region *r = region_init(ctx, owner, 1);
    for (unsigned i = 0; i < g->n; i++)
        blocks[i] = block_new(ctx, r);
    for (unsigned i = 0; i < g->n; i++) {
        Op *t = op_new(ctx, &inst_table[INST_CF_SWITCH], (Span){0, 0});
        op_more(&ctx->arena, t)->succs = ARENA_ARRAY(&ctx->arena, Successor, MOST);
        for (unsigned k = 0; k < g->n; k++)
            if (g->edge[i][k]) op_succs(t)[t->nsuccs++].block = blocks[k];
        op_append(blocks[i], t);
    }
    return r;
}

static unsigned index_of(Block *const blocks[MOST], unsigned n, const Block *b) {
    for (unsigned i = 0; i < n; i++)
        if (blocks[i] == b) return i;
    fail();
    return 0;
}

/* The path of a block in the order is the chain of its dominators. */
static void compare(const Graph *g, Block *const blocks[MOST], const BlockOrder *o) {
    unsigned path[MOST], listed = 0;
    bool reachable[MOST], seen[MOST];
    reach(g, g->n, reachable);
    assert_int_equal(o->n, g->n);
    for (uint32_t i = 0; i < o->n; i++) {
        unsigned b = index_of(blocks, g->n, o->order[i]);
        listed++;
        assert_int_equal(reachable[b], o->depth[i] != UINT32_MAX);
        if (!reachable[b]) continue;
        path[o->depth[i]] = b;
        for (unsigned a = 0; a < g->n; a++) {
            bool chained = false;
            for (uint32_t k = 0; k <= o->depth[i]; k++)
                chained |= path[k] == a;
            reach(g, a, seen);
            assert_int_equal(chained, reachable[a] && !seen[b]);
        }
    }
    assert_int_equal(listed, g->n);
}

static Graph random_graph(uint32_t *random) {
    Graph g = {.n = 2 + random_next(random) % (MOST - 1)};
    unsigned edges = random_next(random) % (3 * g.n);
    for (unsigned e = 0; e < edges; e++) {
        unsigned from = random_next(random) % g.n;
        g.edge[from][random_next(random) % g.n] = true;
    }
    return g;
}

static void judge_graph(const Graph *g) {
    static const Source source = {.name = "t", .data = ""};
    Context ctx = {0};
    if (setjmp(ctx.oom) != 0) fail();
    context_init(&ctx, &source, 0);
    Block *blocks[MOST];
    Region *r = build(&ctx, g, blocks);
    BlockOrder o = dominance_order(&ctx.arena, r);
    compare(g, blocks, &o);
    context_free(&ctx);
}

static void trees_follow_the_definition(void **state) {
    (void)state;
    uint32_t random = 7;
    for (unsigned round = 0; round < GRAPHS; round++) {
        Graph g = random_graph(&random);
        judge_graph(&g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(trees_follow_the_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
