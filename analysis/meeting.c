/* SPDX-License-Identifier: Apache-2.0 */
/* Tells whether two accesses need an order: they share bytes that one writes, and neither their
 * pipe nor their statement orders them. */
#include "analysis/prover.h"

static uint32_t common_loops(const Step *a, const Step *b) {
    const Step *x = a->loop, *y = b->loop;
    while (x != y) {
        uint32_t dx = x != NULL ? x->depth : 0, dy = y != NULL ? y->depth : 0;
        if (dx >= dy && x != NULL) x = x->loop;
        if (dy >= dx && y != NULL) y = y->loop;
    }
    return x != NULL ? x->depth : 0;
}

/* The number of repeats that a vector instruction needs for the valid region, if its bytes are
 * contiguous. */
static int64_t repeats(const Place *w) {
    const Type *t = w->type;
    if (t == NULL || t->kind != TY_TILE || w->lines == 0) return 0;
    int64_t rows = t->tile.vrow, cols = t->tile.vcol, bytes = elem_infos[t->elem].bytes;
    if (rows <= 0 || cols <= 0 || bytes <= 0) return 0;
    bool whole = t->tile.blayout == BL_COL_MAJOR ? rows == t->tile.rows || cols == 1
                                                 : cols == t->tile.cols || rows == 1;
    return whole ? (rows * cols * bytes + 255) / 256 : 0;
}

/* The vendor leaves out the barrier between two vector instructions when the first writes what the
 * second reads, the same bytes, in 16 repeats or more. */
static bool is_long_chain(const Use *a, const Place *x, const Use *b, const Place *y) {
    enum { LONG = 16 };
    return !a->scratch && !b->scratch && !a->maybe && !b->maybe && place_same(x, y) &&
           repeats(x) >= LONG && repeats(y) >= LONG;
}

/* Returns what a chain of vector instructions hands on: a place that the first writes and the
 * second reads; NULL: they are none. */
static const Place *handed_on(const Step *i, uint32_t ci, const Step *j, uint32_t cj) {
    for (uint32_t k = 0; k < i->nuses; k++)
        for (uint32_t l = 0; l < j->nuses; l++) {
            const Use *a = &i->uses[k], *b = &j->uses[l];
            const Place *x = place_in(a, i, ci), *y = place_in(b, j, cj);
            if (a->write && !b->write && is_long_chain(a, x, b, y)) return x;
        }
    return NULL;
}

static void meet_uses(const Step *i, uint32_t ci, const Step *j, uint32_t cj, uint32_t level,
                      const Place *chain, Meeting *m) {
    const When when = {.common = level == ANOTHER_CALL ? 0 : common_loops(i, j),
                       .level = level == ANOTHER_CALL ? 0 : level,
                       .any = level == ANOTHER_CALL,
                       .entries = true};
    unsigned assumed = 0;
    for (uint32_t k = 0; k < i->nuses; k++)
        for (uint32_t l = 0; l < j->nuses; l++) {
            const Use *a = &i->uses[k], *b = &j->uses[l];
            if (!a->write && !b->write) continue;
            const Place *x = place_in(a, i, ci), *y = place_in(b, j, cj);
            Overlap o = place_meet(x, y, &when, &assumed);
            if (o == OVERLAP_NO) continue;
            if (o == OVERLAP_YES && (a->maybe || b->maybe)) o = OVERLAP_MAYBE;
            m->outside |= chain == NULL || !place_same(x, chain) || !is_long_chain(a, x, b, y);
            if (m->overlap != OVERLAP_NO && (m->overlap == OVERLAP_YES || o == m->overlap))
                continue;
            *m = (Meeting){a, b, o, m->outside, 0};
        }
    m->assumed = assumed;
}

static bool is_exempt(const PipeOrder *order, const Step *i, const Step *j, const Meeting *m) {
    if (!order->exceptions || i->pipe != j->pipe) return false;
    if ((i->op->inst->flags & j->op->inst->flags & IF_LOADS) != 0) return true;
    return !m->outside;
}

/* A statement keeps the order of its phases; a phase on a pipe that is not determined is on one. */
static bool is_one_statement(const Step *i, const Step *j, uint32_t level) {
    return i != j && i->statement == j->statement && level != ANOTHER_CALL &&
           (level == 0 || i->phase == j->phase);
}

Meeting steps_meet(const PipeOrder *order, const Step *i, uint32_t ci, const Step *j, uint32_t cj,
                   uint32_t level) {
    Meeting m = {.overlap = OVERLAP_NO};
    bool vector = order->exceptions && i->pipe == PIPE_V && j->pipe == PIPE_V && level == 0;
    if (is_one_statement(i, j, level)) return m;
    if (i->pipe == j->pipe && (i->signal || j->signal)) return m;
    meet_uses(i, ci, j, cj, level, vector ? handed_on(i, ci, j, cj) : NULL, &m);
    if (m.overlap != OVERLAP_NO && is_exempt(order, i, j, &m)) m.overlap = OVERLAP_NO;
    return m;
}
