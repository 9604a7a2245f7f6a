/* SPDX-License-Identifier: Apache-2.0 */
/* Dominator tree of a region with several blocks (Lengauer and Tarjan's algorithm with path
 * compression, O(n log n)), and a pre-order walk over it. Nothing here recurses. */
#include "verifier/structure/structure.h"

#include <stdlib.h>
#include <string.h>

#define NOWHERE UINT32_MAX

typedef struct Graph {
    Block **blocks; /* sorted by address */
    uint32_t n;
    uint32_t *number; /* per block: number in depth-first order, NOWHERE = unreachable */
    /* By number: */
    uint32_t count;
    uint32_t *vertex, *parent, *idom, *semi, *label, *ancestor;
    uint32_t *bucket, *next; /* blocks by semidominator, as lists: number + 1, 0 = end */
    uint32_t *stack;
    uint32_t *first_pred, *preds; /* predecessors of number i: preds[first_pred[i] ..] */
} Graph;

static int by_address(const void *a, const void *b) {
    uintptr_t x = (uintptr_t) * (Block *const *)a, y = (uintptr_t) * (Block *const *)b;
    return (x > y) - (x < y);
}

static uint32_t block_index(const Graph *g, Block *b) {
    Block **at = b != NULL ? bsearch(&b, g->blocks, g->n, sizeof *g->blocks, by_address) : NULL;
    return at != NULL ? (uint32_t)(at - g->blocks) : NOWHERE;
}

static const Op *last_op(const Graph *g, uint32_t number) {
    return g->blocks[g->vertex[number]]->last;
}

static void enter(Graph *g, uint32_t block, uint32_t parent) {
    g->number[block] = g->count;
    g->vertex[g->count] = block;
    g->parent[g->count++] = parent;
}

/* Numbers blocks depth-first from the entry. */
static void number_blocks(Arena *a, Graph *g, Block *entry) {
    uint32_t *next = ARENA_ARRAY(a, uint32_t, g->n); /* successor to look at, by number */
    uint32_t top = 0;
    memset(g->number, 0xFF, g->n * sizeof *g->number);
    enter(g, block_index(g, entry), NOWHERE);
    g->stack[top++] = 0;
    while (top > 0) {
        uint32_t v = g->stack[top - 1];
        const Op *t = last_op(g, v);
        if (t == NULL || next[v] >= t->nsuccs) {
            top--;
            continue;
        }
        uint32_t to = block_index(g, op_succs(t)[next[v]++].block);
        if (to != NOWHERE && g->number[to] == NOWHERE) {
            g->stack[top++] = g->count;
            enter(g, to, v);
        }
    }
}

/* Visits each edge between reachable blocks: the first pass counts predecessors, the second fills
 * their lists. */
static void each_edge(Graph *g, uint32_t *at, uint32_t *fill) {
    for (uint32_t v = 0; v < g->count; v++) {
        const Op *t = last_op(g, v);
        for (unsigned s = 0; t != NULL && s < t->nsuccs; s++) {
            uint32_t to = block_index(g, op_succs(t)[s].block);
            if (to == NOWHERE) continue;
            uint32_t w = g->number[to];
            if (fill != NULL) fill[at[w]] = v;
            at[w]++;
        }
    }
}

static void collect_preds(Arena *a, Graph *g) {
    uint32_t *counts = ARENA_ARRAY(a, uint32_t, g->count);
    each_edge(g, counts, NULL);
    g->first_pred = ARENA_ARRAY(a, uint32_t, g->count + 1);
    for (uint32_t i = 0; i < g->count; i++) {
        g->first_pred[i + 1] = g->first_pred[i] + counts[i];
        counts[i] = g->first_pred[i];
    }
    g->preds = ARENA_ARRAY(a, uint32_t, g->first_pred[g->count] + 1);
    each_edge(g, counts, g->preds);
}

/* Returns the block with the least semidominator on the path above v, and compresses that path. */
static uint32_t evaluate(Graph *g, uint32_t v) {
    if (g->ancestor[v] == NOWHERE) return g->label[v];
    uint32_t top = 0, at = v;
    while (g->ancestor[g->ancestor[at]] != NOWHERE) {
        g->stack[top++] = at;
        at = g->ancestor[at];
    }
    while (top > 0) {
        uint32_t w = g->stack[--top], up = g->ancestor[w];
        if (g->semi[g->label[up]] < g->semi[g->label[w]]) g->label[w] = g->label[up];
        g->ancestor[w] = g->ancestor[up];
    }
    return g->label[v];
}

static void find_dominators(Graph *g) {
    for (uint32_t i = 0; i < g->count; i++) {
        g->semi[i] = g->label[i] = i;
        g->ancestor[i] = NOWHERE;
    }
    for (uint32_t w = g->count; w-- > 1;) {
        for (uint32_t k = g->first_pred[w]; k < g->first_pred[w + 1]; k++) {
            uint32_t u = evaluate(g, g->preds[k]);
            if (g->semi[u] < g->semi[w]) g->semi[w] = g->semi[u];
        }
        g->next[w] = g->bucket[g->semi[w]];
        g->bucket[g->semi[w]] = w + 1;
        uint32_t p = g->parent[w];
        g->ancestor[w] = p;
        for (uint32_t v; (v = g->bucket[p]) != 0;) {
            g->bucket[p] = g->next[v - 1];
            uint32_t u = evaluate(g, v - 1);
            g->idom[v - 1] = g->semi[u] < g->semi[v - 1] ? u : p;
        }
    }
    for (uint32_t w = 1; w < g->count; w++)
        if (g->idom[w] != g->semi[w]) g->idom[w] = g->idom[g->idom[w]];
}

/* Builds lists of children, then walks them in pre-order with an explicit stack. */
static void preorder(Arena *a, const Graph *g, BlockOrder *out) {
    uint32_t *child = ARENA_ARRAY(a, uint32_t, g->count),
             *sibling = ARENA_ARRAY(a, uint32_t, g->count);
    uint32_t *stack = ARENA_ARRAY(a, uint32_t, g->count),
             *depth = ARENA_ARRAY(a, uint32_t, g->count);
    uint32_t top = 0;
    for (uint32_t i = g->count; i > 1; i--) { /* 0 ends a list: the entry has no parent */
        sibling[i - 1] = child[g->idom[i - 1]];
        child[g->idom[i - 1]] = i - 1;
    }
    stack[top++] = 0;
    while (top > 0) {
        uint32_t at = stack[--top];
        out->order[out->n] = g->blocks[g->vertex[at]];
        out->depth[out->n++] = depth[at];
        for (uint32_t c = child[at]; c != 0; c = sibling[c]) {
            depth[c] = depth[at] + 1;
            stack[top++] = c;
        }
    }
}

BlockOrder dominance_order(Arena *a, const Region *r) {
    Graph g = {0};
    for (Block *b = r->first; b != NULL; b = b->next)
        g.n++;
    g.blocks = ARENA_ARRAY(a, Block *, g.n);
    uint32_t k = 0;
    for (Block *b = r->first; b != NULL; b = b->next)
        g.blocks[k++] = b;
    qsort(g.blocks, g.n, sizeof *g.blocks, by_address);
    uint32_t **const arrays[] = {&g.number, &g.vertex,   &g.parent, &g.idom, &g.semi,
                                 &g.label,  &g.ancestor, &g.bucket, &g.next, &g.stack};
    for (unsigned i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        *arrays[i] = ARENA_ARRAY(a, uint32_t, g.n);
    number_blocks(a, &g, r->first);
    collect_preds(a, &g);
    find_dominators(&g);
    BlockOrder out = {ARENA_ARRAY(a, Block *, g.n), ARENA_ARRAY(a, uint32_t, g.n), 0};
    preorder(a, &g, &out);
    for (uint32_t i = 0; i < g.n; i++)
        if (g.number[i] == NOWHERE) {
            out.order[out.n] = g.blocks[i];
            out.depth[out.n++] = UINT32_MAX;
        }
    return out;
}
