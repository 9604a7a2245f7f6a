/* SPDX-License-Identifier: Apache-2.0 */
/* Calls: no recursion, and no call passes overlapping tiles as parameters that a statement of the
 * callee must keep apart. */
#include "verifier/judge.h"
#include "verifier/rules/sharing.h"
#include "verifier/structure/structure.h"

#include <stdlib.h>

void note_call(Verifier *v, const Op *op, const Op *callee) {
    Judge *j = &v->judge;
    bool tiles = false;
    if (v->func == NULL) return;
    CallEdge *e = ARENA_NEW(&j->ctx->arena, CallEdge);
    *e = (CallEdge){.next = v->calls, .from = v->func, .to = callee, .call = op};
    e->verdict = j->verdict;
    v->calls = e;
    for (unsigned i = 0; i < op->noperands; i++)
        tiles |= op->operands[i].value != NULL && type_is_tile(op->operands[i].value->type);
    if (!tiles) return;
    e->passed = ARENA_ARRAY(&j->ctx->arena, AliasSet, op->noperands);
    for (unsigned i = 0; i < op->noperands; i++)
        e->passed[i] = kept_places(j, op, op->operands[i].value);
}

/* ---- recursion ---- */

typedef struct CallGraph {
    CallEdge **edges; /* sorted by caller */
    uint32_t n;
} CallGraph;

static int by_caller(const void *a, const void *b) {
    const CallEdge *x = *(CallEdge *const *)a, *y = *(CallEdge *const *)b;
    uintptr_t p = (uintptr_t)x->from, q = (uintptr_t)y->from;
    if (p != q) return p < q ? -1 : 1;
    return (x->call->span.off > y->call->span.off) - (x->call->span.off < y->call->span.off);
}

static uint32_t first_edge(const CallGraph *g, const Op *from) {
    uint32_t lo = 0, hi = g->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if ((uintptr_t)g->edges[mid]->from < (uintptr_t)from)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* ---- tiles that calls pass ---- */

enum { MOST_PASSED = 16 }; /* places of one tile; with more, the decision is left to run time */

typedef struct Passed {
    Place places[MOST_PASSED];
    AliasSet set;
    const Operand *from; /* the first argument that contributes a place, or NULL */
} Passed;

/* Computes where a tile of the callee is for this call; false when that is not known. */
static bool map_to_call(Numbers *t, const CallEdge *e, AliasSet s, Passed *out) {
    unsigned n = 0;
    out->from = NULL;
    for (unsigned i = 0; i < s.n; i++) {
        const Place *p = &s.places[i];
        const Value *param = p->base == BASE_PARAMETER ? p->of : NULL;
        if (param != NULL && (e->passed == NULL || param->index >= e->call->noperands))
            return false;
        AliasSet tile = param != NULL ? e->passed[param->index] : (AliasSet){p, 1};
        if (tile.n == 0 || n + tile.n > MOST_PASSED) return false;
        for (unsigned k = 0; k < tile.n; k++)
            out->places[n++] = param != NULL ? place_within(t, p, &tile.places[k]) : *p;
        if (param != NULL && out->from == NULL) out->from = &e->call->operands[param->index];
    }
    out->set = (AliasSet){out->places, n};
    return n > 0;
}

/* Writes `%x as src`, or only the slot when the tile is not an argument. */
static void put_passed(Verifier *v, const TileNeed *need, int slot, const Passed *p, StrBuf *out) {
    const Interner *names = &v->judge.ctx->names;
    const char *role = need->op->inst->slots[slot].name;
    if (p->from == NULL)
        sb_printf(out, "its %s", role);
    else
        sb_printf(out, "%%%.*s as %s", (int)atom_len(names, p->from->value->name),
                  atom_text(names, p->from->value->name), role);
}

static void report_overlap(Verifier *v, const CallEdge *e, const TileNeed *need, const Passed *a,
                           const Passed *b, ProfileSet profiles) {
    const Interner *names = &v->judge.ctx->names;
    DiagList *list = &v->judge.ctx->diags;
    Atom callee = func_data(e->to)->name;
    Span at = a->from != NULL   ? a->from->span
              : b->from != NULL ? b->from->span
                                : e->call->name_span;
    StrBuf out;
    sb_init(&out, &v->judge.ctx->arena);
    sb_printf(&out, "@%.*s uses ", (int)atom_len(names, callee), atom_text(names, callee));
    put_passed(v, need, need->a, a, &out);
    sb_puts(&out, " and ");
    put_passed(v, need, need->b, b, &out);
    sb_printf(&out, " of %s: they overlap in memory, but may not", need->op->inst->name);
    if (__builtin_popcount(v->judge.profiles) > 1) {
        sb_puts(&out, " (");
        put_profiles(&out, profiles);
        sb_puts(&out, ")");
    }
    Diag *d = diag_add(list, DIAG_OPERAND_OVERLAP, at, "%s", sb_text(&out));
    d->profiles = profiles;
    diag_note_at(list, d, need->op->name_span, "the statement is here");
    if (e->verdict == NULL) return;
    for (int p = 0; p < PROFILE_COUNT; p++)
        if ((profiles & (ProfileSet)~e->verdict->refused & PROFILE_BIT(p)) != 0)
            e->verdict->ids[p] = DIAG_OPERAND_OVERLAP;
    e->verdict->refused |= profiles;
}

/* Returns the profiles whose rules refuse the statement when its two operands overlap. */
static ProfileSet refusing(Judge *j, const TileNeed *need) {
    ProfileSet set = 0;
    j->assumed = need;
    for (int p = 0; p < PROFILE_COUNT; p++) {
        bool error = false;
        const RuleRow *row = (j->profiles & PROFILE_BIT(p)) != 0
                                 ? first_broken_row(j, need->op, (Profile)p, &error)
                                 : NULL;
        if (error && row->cond == C_OPERAND_OVERLAP) set |= PROFILE_BIT(p);
    }
    j->assumed = NULL;
    return set;
}

/* Reports the first mistake of a call. */
static void judge_call(Verifier *v, const CallEdge *e) {
    static const AliasSet none = {NULL, 0};
    bool reported = false;
    Numbers numbers = numbers_in(&v->judge.ctx->arena);
    for (const TileNeed *need = needs_of(&v->judge, e->to); need != NULL; need = need->next) {
        Passed a = {.set = none}, b = {.set = none};
        if (!map_to_call(&numbers, e, need->places[0], &a) ||
            !map_to_call(&numbers, e, need->places[1], &b))
            continue;
        Overlap answer = alias_sets_overlap(a.set, b.set);
        if (answer == OVERLAP_MAYBE)
            add_need(&v->judge, e->from, need->op, need->a, need->b, a.set, b.set);
        ProfileSet profiles = answer == OVERLAP_YES && !reported ? refusing(&v->judge, need) : 0;
        if (profiles == 0) continue;
        report_overlap(v, e, need, &a, &b, profiles);
        reported = true;
    }
}

static void judge_calls(Verifier *v, const CallGraph *g, uint32_t first) {
    for (uint32_t i = first; i < g->n && g->edges[i]->from == g->edges[first]->from; i++)
        judge_call(v, g->edges[i]);
}

/* ---- the walk ---- */

/* Walks the edges depth-first. state[first edge of a function]: 0 new, 1 on the path, 2 done. */
static void walk_calls(Verifier *v, const CallGraph *g, uint8_t *state, uint32_t *stack,
                       uint32_t *next, uint32_t root) {
    uint32_t top = 0;
    stack[top] = next[top] = root;
    state[root] = 1;
    top++;
    while (top > 0) {
        uint32_t start = stack[top - 1], e = next[top - 1];
        if (e >= g->n || g->edges[e]->from != g->edges[start]->from) {
            judge_calls(v, g, start); /* its callees were judged before */
            state[start] = 2;
            top--;
            continue;
        }
        next[top - 1]++;
        uint32_t to = first_edge(g, g->edges[e]->to);
        if (to >= g->n || g->edges[to]->from != g->edges[e]->to) continue; /* it has no calls */
        if (state[to] == 1)
            diag_add(&v->judge.ctx->diags, DIAG_RECURSION, g->edges[e]->call->span,
                     "@%.*s calls itself through this call; there is no stack to recurse on",
                     (int)atom_len(&v->judge.ctx->names, func_data(g->edges[e]->to)->name),
                     atom_text(&v->judge.ctx->names, func_data(g->edges[e]->to)->name));
        if (state[to] != 0) continue;
        state[to] = 1;
        stack[top] = next[top] = to;
        top++;
    }
}

void verify_calls(Verifier *v) {
    Arena *a = &v->judge.ctx->arena;
    CallGraph g = {NULL, 0};
    for (CallEdge *e = v->calls; e != NULL; e = e->next)
        g.n++;
    if (g.n == 0) return;
    g.edges = ARENA_ARRAY(a, CallEdge *, g.n);
    uint32_t k = 0;
    for (CallEdge *e = v->calls; e != NULL; e = e->next)
        g.edges[k++] = e;
    qsort(g.edges, g.n, sizeof *g.edges, by_caller);
    uint8_t *state = ARENA_ARRAY(a, uint8_t, g.n);
    uint32_t *stack = ARENA_ARRAY(a, uint32_t, g.n), *next = ARENA_ARRAY(a, uint32_t, g.n);
    for (uint32_t i = 0; i < g.n; i++)
        if (first_edge(&g, g.edges[i]->from) == i && state[i] == 0)
            walk_calls(v, &g, state, stack, next, i);
}
