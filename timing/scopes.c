/* SPDX-License-Identifier: Apache-2.0 */
/* Vector scopes: functions of operations on registers. Bounded from below, not scheduled: the
 * operations run out of order, as fast as units, ports for loads and ports for stores let them, and
 * no faster than the longest chain of results. A barrier of memory ends all chains before it. */
#include "ir/vector_code.h"
#include "timing/schedule.h"

static double larger(double a, double b) {
    return a > b ? a : b;
}

static bool has_register(const Value *v) {
    return v->type->kind == TY_VREG;
}

/* The element of a register; of an address or a mask ELEM_NONE. */
static Elem register_elem(const Value *v) {
    const Type *t = v->type;
    return has_register(v) && t->elem_type != NULL ? (Elem)t->elem_type->elem : ELEM_NONE;
}

/* The elements of the first registers that a statement reads and makes, each in place of the other
 * where there is none. */
static void find_elems(const LowerStmt *s, Elem *from, Elem *to) {
    *from = *to = ELEM_NONE;
    for (unsigned i = 0; i < s->nargs && *from == ELEM_NONE; i++)
        *from = register_elem(s->args[i].value);
    for (unsigned i = 0; i < s->nresults && *to == ELEM_NONE; i++)
        *to = register_elem(&s->results[i]);
    if (*from == ELEM_NONE) *from = *to != ELEM_NONE ? *to : ELEM_F32;
    if (*to == ELEM_NONE) *to = *from;
}

static bool has_pointer(const LowerStmt *s) {
    for (unsigned i = 0; i < s->nargs; i++)
        if (s->args[i].value->type->kind == TY_PTR) return true;
    return false;
}

static bool reads_register(const LowerStmt *s) {
    for (unsigned i = 0; i < s->nargs; i++)
        if (has_register(s->args[i].value)) return true;
    return false;
}

static bool makes_register(const LowerStmt *s) {
    for (unsigned i = 0; i < s->nresults; i++)
        if (has_register(&s->results[i])) return true;
    return false;
}

/* What an operation of a scope takes. Loads and stores of all kinds take what the usual ones take.
 */
static const ScopeStep *step_of(TimeRun *r, TimeNode *n) {
    if (n->step != NULL) return n->step;
    Elem from, to;
    const InstId id = inst_id(inst_meant(n->stmt->inst));
    find_elems(n->stmt, &from, &to);
    ScopeStep *s = n->step = ARENA_NEW(r->arena, ScopeStep);
    s->memory = has_pointer(n->stmt);
    s->load = s->memory && makes_register(n->stmt);
    /* The fixed part of a scope has a load and a store; masks of constants are there in time. */
    s->chained = !s->memory && (reads_register(n->stmt) || makes_register(n->stmt));
    s->cost = step_cost(id, from, to);
    s->known = s->cost.known;
    if (s->memory) s->cost = step_cost(s->load ? INST_VLDS : INST_VSTS, from, to);
    s->cost.interval = exact_cycles(s->cost.interval);
    s->cost.latency = exact_cycles(s->cost.latency);
    return s;
}

/* Counts a run of an operation. */
static void count(TimeRun *r, TimeNode *n) {
    if (n->in_scope <= 0) {
        if (r->nscope == r->capscope)
            r->scope_list =
                ARENA_WIDEN(r->arena, TimeNode *, r->scope_list, &r->capscope, r->nscope, 16);
        r->scope_list[r->nscope++] = n;
    }
    n->in_scope += r->scope_weight;
}

/* Adds an operation to the scope that is running. */
void scope_add(TimeRun *r, TimeNode *n) {
    ScopeSum *s = r->scope;
    const ScopeStep *step = step_of(r, n);
    const StepCost c = step->cost;
    const double busy = r->scope_weight * c.interval;
    count(r, n);
    s->unknown |= !step->known;
    if (step->load)
        s->loads += busy;
    else if (step->memory)
        s->stores += busy;
    else if (c.units == UNITS_ONE)
        s->one += busy, s->slow_one = larger(s->slow_one, c.interval);
    else
        s->both += busy, s->slow_both = larger(s->slow_both, c.interval);
    double begin = s->floor;
    for (unsigned i = 0; i < n->stmt->nargs; i++)
        if (value_is_register(n->stmt->args[i].value))
            begin = larger(begin, r->cells[n->in[i]].ready);
    const double end = step->chained ? begin + c.latency : begin;
    for (unsigned i = 0; i < n->stmt->nresults; i++)
        r->cells[n->out[i]].ready = end;
    if (step->chained) s->latency = larger(s->latency, c.latency);
    s->chain = larger(s->chain, end);
}

void scope_barrier(TimeRun *r) {
    r->scope->floor = r->scope->chain;
}

/* How long after the first operation the last one begins, by the scarcest of units and ports. */
static double last_begin(const ScopeSum *s, double ports) {
    const double units = larger((s->both - s->slow_both) / 2, s->one - s->slow_one);
    return larger(units, larger((s->loads - 1) / ports, s->stores - 1));
}

/* Whether the scope ran as it did with this price. */
static bool is_same(const TimeRun *r, const ScopeRun *scope, double cycles) {
    if (scope == NULL || scope->price.by[0].cycles != cycles || scope->n != r->nscope) return false;
    for (uint32_t i = 0; i < r->nscope; i++)
        if (scope->list[i].node != r->scope_list[i] ||
            scope->list[i].count != r->scope_list[i]->in_scope)
            return false;
    return true;
}

static ScopeRun *new_run(TimeRun *r, double cycles, bool unknown) {
    ScopeRun *scope = ARENA_NEW(r->arena, ScopeRun);
    Origin origin = r->params->profile != PROFILE_A5 ? ORIGIN_BORROWED
                    : unknown                        ? ORIGIN_RELATIVE
                                                     : ORIGIN_CALL;
    origin = origin_with(r->params, origin, TIME_VF_FIXED);
    origin = origin_with(r->params, origin, TIME_LOAD_PORTS);
    scope->next = r->scopes;
    r->scopes = scope;
    for (int i = VECTOR_FRESH; i <= VECTOR_RUNNING; i++)
        scope->price.by[i] = (Price){cycles, origin, VECTOR_FRESH};
    scope->price.scope = scope;
    scope->n = r->nscope;
    scope->list = ARENA_ARRAY(r->arena, ScopeCount, r->nscope + 1u);
    for (uint32_t i = 0; i < r->nscope; i++)
        scope->list[i] = (ScopeCount){r->scope_list[i], r->scope_list[i]->in_scope};
    return scope;
}

/* Emits the scope as one statement of the vector pipe. */
void scope_end(TimeRun *r, TimeNode *n) {
    const ScopeSum *s = r->scope;
    const double last = last_begin(s, r->params->number[TIME_LOAD_PORTS]);
    const double cycles =
        r->params->number[TIME_VF_FIXED] + larger(s->chain, s->latency + larger(last, 0));
    ScopeRun *scope = n->price != NULL ? n->price->scope : NULL;
    if (!is_same(r, scope, cycles)) scope = new_run(r, cycles, s->unknown);
    for (uint32_t i = 0; i < r->nscope; i++)
        r->scope_list[i]->in_scope = 0;
    r->nscope = 0;
    n->price = &scope->price;
    r->scope = NULL;
    time_emit_at(r, n, n->price);
}
