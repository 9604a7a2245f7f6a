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
static int64_t repeats(const Where *w) {
    const Type *t = w->type;
    if (w->global || t == NULL || t->kind != TY_TILE || w->tile.lines == 0) return 0;
    int64_t rows = t->tile.vrow, cols = t->tile.vcol, bytes = elem_infos[t->elem].bytes;
    if (rows <= 0 || cols <= 0 || bytes <= 0) return 0;
    bool whole = t->tile.blayout == BL_COL_MAJOR ? rows == t->tile.rows || cols == 1
                                                 : cols == t->tile.cols || rows == 1;
    return whole ? (rows * cols * bytes + 255) / 256 : 0;
}

/* The vendor leaves out the barrier between two vector instructions when the first writes what the
 * second reads, the same bytes, in 16 repeats or more. */
static bool is_long_chain(const Use *a, const Where *x, const Use *b, const Where *y) {
    enum { LONG = 16 };
    return !a->scratch && !b->scratch && !a->maybe && !b->maybe && place_same(&x->tile, &y->tile) &&
           repeats(x) >= LONG && repeats(y) >= LONG;
}

/* Returns what a chain of vector instructions hands on: a place that the first writes and the
 * second reads; NULL: they are none. */
static const Where *handed_on(const Step *i, uint32_t ci, const Step *j, uint32_t cj) {
    for (uint32_t k = 0; k < i->nuses; k++)
        for (uint32_t l = 0; l < j->nuses; l++) {
            const Use *a = &i->uses[k], *b = &j->uses[l];
            const Where *x = place_in(a, i, ci), *y = place_in(b, j, cj);
            if (a->write && !b->write && !x->global && is_long_chain(a, x, b, y)) return x;
        }
    return NULL;
}

/* Whether two places share a byte in any two iterations. */
static Overlap meet_anywhere(const Where *x, const Where *y) {
    if (!where_may_meet(x, y)) return OVERLAP_NO;
    return where_meet(x, y, 0, 1) == OVERLAP_YES ? OVERLAP_YES : OVERLAP_MAYBE;
}

static void meet_uses(const Step *i, uint32_t ci, const Step *j, uint32_t cj, uint32_t level,
                      const Where *chain, Meeting *m) {
    uint32_t common = common_loops(i, j);
    for (uint32_t k = 0; k < i->nuses; k++)
        for (uint32_t l = 0; l < j->nuses; l++) {
            const Use *a = &i->uses[k], *b = &j->uses[l];
            if (!a->write && !b->write) continue;
            const Where *x = place_in(a, i, ci), *y = place_in(b, j, cj);
            Overlap o =
                level == ANOTHER_CALL ? meet_anywhere(x, y) : where_meet(x, y, common, level);
            if (o == OVERLAP_NO) continue;
            if (o == OVERLAP_YES && (a->maybe || b->maybe)) o = OVERLAP_MAYBE;
            m->outside |= chain == NULL || x->global || !place_same(&x->tile, &chain->tile) ||
                          !is_long_chain(a, x, b, y);
            if (m->overlap != OVERLAP_NO && (m->overlap == OVERLAP_YES || o == m->overlap))
                continue;
            *m = (Meeting){a, b, o, m->outside};
        }
}

static bool is_exempt(const PipeOrder *order, const Step *i, const Step *j, const Meeting *m) {
    if (!order->exceptions || i->pipe != j->pipe) return false;
    if (op_is(i->op, INST_TLOAD) && op_is(j->op, INST_TLOAD)) return true;
    return !m->outside;
}

/* A statement keeps the order of its phases; a phase on a pipe that is not determined is on one. */
static bool is_one_statement(const Step *i, const Step *j, uint32_t level) {
    return i != j && i->statement == j->statement && level != ANOTHER_CALL &&
           (level == 0 || i->phase == j->phase);
}

Meeting steps_meet(const PipeOrder *order, const Step *i, uint32_t ci, const Step *j, uint32_t cj,
                   uint32_t level) {
    Meeting m = {NULL, NULL, OVERLAP_NO, false};
    bool vector = order->exceptions && i->pipe == PIPE_V && j->pipe == PIPE_V && level == 0;
    if (is_one_statement(i, j, level)) return m;
    if (i->pipe == j->pipe && (i->signal || j->signal)) return m;
    meet_uses(i, ci, j, cj, level, vector ? handed_on(i, ci, j, cj) : NULL, &m);
    if (m.overlap != OVERLAP_NO && is_exempt(order, i, j, &m)) m.overlap = OVERLAP_NO;
    return m;
}
