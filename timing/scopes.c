/* SPDX-License-Identifier: Apache-2.0 */
/* Vector scopes: functions of operations on registers. Bounded from below, not scheduled: the
 * operations run out of order, as fast as units, ports for loads and ports for stores let them, and
 * no faster than the longest chain of results. A barrier of memory ends all chains before it. */
#include "ir/vector_code.h"
#include "timing/run.h"

#include <string.h>

static double larger(double a, double b) {
    return a > b ? a : b;
}

static bool has_register(const Value *v) {
    return v->type->kind == TY_VREG;
}

/* The element of the first register of a statement. */
static Elem register_elem(const Op *op) {
    for (unsigned i = 0; i < op->noperands + op->nresults; i++) {
        const Value *v =
            i < op->noperands ? op->operands[i].value : &op->results[i - op->noperands];
        if (has_register(v) && v->type->elem_type != NULL) return (Elem)v->type->elem_type->elem;
    }
    return ELEM_F32;
}

static bool has_pointer(const Op *op) {
    for (unsigned i = 0; i < op->noperands; i++)
        if (op->operands[i].value->type->kind == TY_PTR) return true;
    return false;
}

static bool makes_register(const Op *op) {
    for (unsigned i = 0; i < op->nresults; i++)
        if (has_register(&op->results[i])) return true;
    return false;
}

/* Adds an operation to the scope that is running. */
void scope_add(TimeRun *r, TimeNode *n) {
    const char *name = n->op->inst->name;
    ScopeSum *s = r->scope;
    if (strncmp(name, "pto.", 4) == 0) name += 4;
    const bool memory = has_pointer(n->op), load = memory && makes_register(n->op);
    const StepCost c = step_cost(memory ? (load ? "vlds" : "vsts") : name, register_elem(n->op));
    n->count++;
    r->s->events++;
    s->unknown |= !c.known || !step_cost(name, register_elem(n->op)).known;
    if (load)
        s->loads += c.interval;
    else if (memory)
        s->stores += c.interval;
    else if (c.units == UNITS_ONE)
        s->one += c.interval, s->slow_one = larger(s->slow_one, c.interval);
    else
        s->both += c.interval, s->slow_both = larger(s->slow_both, c.interval);
    double begin = s->floor;
    for (unsigned i = 0; i < n->op->noperands; i++)
        if (has_register(n->op->operands[i].value)) begin = larger(begin, r->cells[n->in[i]].ready);
    const double end =
        memory ? begin : begin + c.latency; /* the fixed part has a load and a store */
    for (unsigned i = 0; i < n->op->nresults; i++)
        r->cells[n->out[i]].ready = end;
    if (!memory) s->latency = larger(s->latency, c.latency);
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

/* Emits the scope as one statement of the vector pipe. */
void scope_end(TimeRun *r, TimeNode *n) {
    const ScopeSum *s = r->scope;
    const double last = last_begin(s, r->params->number[TIME_LOAD_PORTS]);
    const double cycles =
        r->params->number[TIME_VF_FIXED] + larger(s->chain, s->latency + larger(last, 0));
    if (n->price == NULL || n->price->by[0].cycles != cycles) {
        PriceSet *set = ARENA_NEW(r->arena, PriceSet);
        const Origin origin = r->params->profile != PROFILE_A5 ? ORIGIN_BORROWED
                              : s->unknown                     ? ORIGIN_RELATIVE
                                                               : ORIGIN_CALL;
        for (int i = VECTOR_FRESH; i <= VECTOR_RUNNING; i++)
            set->by[i] = (Price){cycles, origin, VECTOR_FRESH};
        n->price = set;
    }
    r->scope = NULL;
    time_emit_at(r, n, n->price);
}
