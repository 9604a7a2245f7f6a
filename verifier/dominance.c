/* Dominator tree of a region with several blocks (Cooper, Harvey and Kennedy's iteration over a
 * reverse post-order), and a pre-order walk over it. Nothing here recurses. */
#include "verifier/structure.h"

#include <stdlib.h>
#include <string.h>

#define NOWHERE UINT32_MAX

typedef struct Graph {
    Block **blocks; /* sorted by address */
    uint32_t n;
    uint32_t *number; /* per block: place in the reverse post-order, NOWHERE = unreachable */
    uint32_t *rpo;    /* per place: block */
    uint32_t nrpo;
    uint32_t *idom; /* per place */
} Graph;

static int by_address(const void *a, const void *b) {
    uintptr_t x = (uintptr_t) * (Block *const *)a, y = (uintptr_t) * (Block *const *)b;
    return (x > y) - (x < y);
}

static uint32_t block_index(const Graph *g, Block *b) {
    Block **at = bsearch(&b, g->blocks, g->n, sizeof *g->blocks, by_address);
    return at != NULL ? (uint32_t)(at - g->blocks) : NOWHERE;
}

/* Depth-first from the entry; each block gets its place when all its successors are done. */
static void number_blocks(Arena *a, Graph *g, Block *entry) {
    uint32_t *stack = ARENA_ARRAY(a, uint32_t, g->n);
    uint32_t *next = ARENA_ARRAY(a, uint32_t, g->n); /* next successor to look at */
    uint32_t *post = ARENA_ARRAY(a, uint32_t, g->n);
    bool *seen = ARENA_ARRAY(a, bool, g->n);
    uint32_t top = 0, done = 0, first = block_index(g, entry);
    stack[top++] = first;
    seen[first] = true;
    while (top > 0) {
        uint32_t b = stack[top - 1];
        const Op *t = g->blocks[b]->last;
        if (t == NULL || next[b] >= t->nsuccs) {
            post[done++] = b;
            top--;
            continue;
        }
        Block *to = t->succs[next[b]++].block;
        uint32_t i = to != NULL ? block_index(g, to) : NOWHERE;
        if (i != NOWHERE && !seen[i]) {
            seen[i] = true;
            stack[top++] = i;
        }
    }
    g->nrpo = done;
    for (uint32_t i = 0; i < g->n; i++)
        g->number[i] = NOWHERE;
    for (uint32_t i = 0; i < done; i++) {
        g->rpo[i] = post[done - 1 - i];
        g->number[g->rpo[i]] = i;
    }
}

static uint32_t meet(const uint32_t *idom, uint32_t a, uint32_t b) {
    while (a != b) {
        while (a > b)
            a = idom[a];
        while (b > a)
            b = idom[b];
    }
    return a;
}

/* One pass over all edges: each lowers the dominator of its target. True when something changed. */
static bool relax(Graph *g) {
    bool changed = false;
    for (uint32_t i = 0; i < g->nrpo; i++) {
        const Op *t = g->blocks[g->rpo[i]]->last;
        if (g->idom[i] == NOWHERE || t == NULL) continue;
        for (unsigned s = 0; s < t->nsuccs; s++) {
            uint32_t to = t->succs[s].block != NULL ? block_index(g, t->succs[s].block) : NOWHERE;
            if (to == NOWHERE || g->number[to] == 0) continue;
            uint32_t *d = &g->idom[g->number[to]];
            uint32_t m = *d == NOWHERE ? i : meet(g->idom, *d, i);
            changed |= m != *d;
            *d = m;
        }
    }
    return changed;
}

/* Children of each node as lists, then a pre-order walk with an explicit stack. */
static void preorder(Arena *a, const Graph *g, BlockOrder *out) {
    uint32_t *child = ARENA_ARRAY(a, uint32_t, g->nrpo),
             *sibling = ARENA_ARRAY(a, uint32_t, g->nrpo);
    uint32_t *stack = ARENA_ARRAY(a, uint32_t, g->nrpo), *depth = ARENA_ARRAY(a, uint32_t, g->nrpo);
    uint32_t top = 0;
    for (uint32_t i = g->nrpo; i > 1; i--) { /* 0 marks the end: the entry is nobody's child */
        sibling[i - 1] = child[g->idom[i - 1]];
        child[g->idom[i - 1]] = i - 1;
    }
    stack[top++] = 0;
    while (top > 0) {
        uint32_t at = stack[--top];
        out->order[out->n] = g->blocks[g->rpo[at]];
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
    g.number = ARENA_ARRAY(a, uint32_t, g.n);
    g.rpo = ARENA_ARRAY(a, uint32_t, g.n);
    g.idom = ARENA_ARRAY(a, uint32_t, g.n);
    number_blocks(a, &g, r->first);
    memset(g.idom, 0xFF, g.n * sizeof *g.idom);
    g.idom[0] = 0;
    while (relax(&g)) {
    }
    BlockOrder out = {ARENA_ARRAY(a, Block *, g.n), ARENA_ARRAY(a, uint32_t, g.n), 0};
    preorder(a, &g, &out);
    for (uint32_t i = 0; i < g.n; i++)
        if (g.number[i] == NOWHERE) {
            out.order[out.n] = g.blocks[i];
            out.depth[out.n++] = UINT32_MAX;
        }
    return out;
}
