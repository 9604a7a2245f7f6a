/* SPDX-License-Identifier: Apache-2.0 */
/* The edges between steps that the races of a proof are, by lists and pipes. */
#include "passes/fences.h"

/* Returns the loop that carries a race; NULL when none around both accesses does. */
static const Step *carrying_loop(const Finding *f) {
    const Step *loop = f->later->loop, *around = f->earlier->loop;
    while (f->level > 0 && loop != NULL && loop->depth != f->level)
        loop = loop->loop;
    while (around != NULL && around != loop)
        around = around->loop;
    return f->level > 0 ? around : NULL;
}

/* True for a block of a graph, to which branches lead. */
static bool is_target(const Step *s) {
    return s->kind == STEP_BLOCK && s->around != NULL && s->around->kind == STEP_GRAPH;
}

/* Lifts a step to the list of the block of a graph, or of the function, that holds it. */
static Step *in_block(Step *s) {
    while (s->around != NULL && !is_target(s->around))
        s = s->around;
    return s;
}

static Edge edge_here(const Finding *f, const Edge *like) {
    Edge e = *like;
    Step *to;
    memcpy(&to, &f->later, sizeof to);
    e.from = e.to = in_block(to);
    e.carried = false;
    e.here = true;
    return e;
}

/* Writes the edge of a race. */
static Edge edge_of(const Fences *fences, const Finding *f) {
    const Step *loop = carrying_loop(f);
    Edge e = {.pipe = f->earlier->pipe,
              .to_pipe = f->later->pipe,
              .carried = loop != NULL,
              .use = f->earlier_use,
              .to_use = f->later_use};
    Step *a, *b, *inner = NULL;
    memcpy(&a, &f->earlier, sizeof a);
    memcpy(&b, &f->later, sizeof b);
    if (f->carried_in) a = fences->anchor;
    if (loop != NULL) {
        while (a->around != loop)
            a = a->around;
        while (b->around != loop)
            b = b->around;
        if (loop->kind == STEP_GRAPH) return edge_here(f, &e);
        e.from = a;
        e.to = same_list(a, b) ? b : NULL;
        return e;
    }
    while (b->nest > a->nest)
        b = b->around;
    while (a->nest > b->nest || !same_list(a, b)) {
        inner = a;
        if (a->nest == b->nest) b = b->around;
        a = a->around;
    }
    if (is_target(a)) return edge_here(f, &e);
    /* from the condition of a scf.while to its body */
    if (a == b) return (Edge){.from = inner, .pipe = e.pipe, .to_pipe = e.to_pipe, .carried = true};
    e.from = a;
    e.to = b;
    return e;
}

Edges collect_edges(Fences *f, const Proof *proof) {
    Edges out = {ARENA_ARRAY(&f->scratch->step, Edge, proof->n), 0};
    for (const Finding *r = proof->first; r != NULL; r = r->next)
        if (r->kind == FINDING_RACE) out.list[out.n++] = edge_of(f, r);
    return out;
}

/* True when `a` gets its fence before `b`. */
static bool comes_before(const Edge *a, const Edge *b) {
    bool x = a->pipe == a->to_pipe, y = b->pipe == b->to_pipe;
    if (a->here != b->here) return b->here;
    if (a->from->nest != b->from->nest) return a->from->nest > b->from->nest;
    if (x != y) return y;
    if (a->carried != b->carried) return b->carried;
    if (a->carried) return a->from->number < b->from->number;
    uint32_t m = a->to->number - a->from->number, n = b->to->number - b->from->number;
    return m != n ? m < n : a->to->number < b->to->number;
}

/* Removes the edges that have the list and pipes of the first one, and returns them. */
Edges take_group(Edges *e) {
    Edge *best = &e->list[0];
    for (uint32_t i = 1; i < e->n; i++)
        if (comes_before(&e->list[i], best)) best = &e->list[i];
    const Edge first = *best;
    Edges group = {e->list, 0};
    for (uint32_t i = 0; i < e->n; i++) {
        Edge x = e->list[i];
        if (x.pipe != first.pipe || x.to_pipe != first.to_pipe || x.carried != first.carried ||
            x.here != first.here || !same_list(x.from, first.from))
            continue;
        e->list[i] = e->list[group.n];
        e->list[group.n++] = x;
    }
    e->list += group.n;
    e->n -= group.n;
    return group;
}

/* Keeps only the edges of other lists that are like this one: as deep, carried or not, between two
 * pipes or within one. */
void keep_similar(Edges *e, const Edge *like) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n; i++) {
        const Edge *x = &e->list[i];
        if (x->from->nest == like->from->nest && x->carried == like->carried &&
            x->here == like->here && (x->pipe == x->to_pipe) == (like->pipe == like->to_pipe) &&
            !same_list(x->from, like->from))
            e->list[n++] = *x;
    }
    e->n = n;
}
