/* SPDX-License-Identifier: Apache-2.0 */
/* Summarises functions: the places of each access lead to the parameters that it concerns. */
#include "analysis/calls.h"

#include "analysis/alias.h"
#include "analysis/effects.h"
#include "ir/core.h"
#include "ir/functions.h"

enum { DEEPEST = 16, MOST_ACCESSES = 32 };

struct Calls {
    Context *ctx;
    Effects effects;
    Functions functions;
    PtrMap by_function; /* const Op * -> CallSummary *, NULL while it is made */
    unsigned depth;
};

Calls *calls_new(Context *ctx, Profile profile) {
    Calls *c = ARENA_NEW(&ctx->arena, Calls);
    c->ctx = ctx;
    c->effects = (Effects){.ctx = ctx, .profile = profile, .calls = c};
    c->by_function.arena = c->functions.arena = &ctx->arena;
    return c;
}

/* ---- one function ---- */

typedef struct Reader {
    Calls *calls;
    CallSummary *out;
    const Block *entry;
    const Alias *alias;
} Reader;

/* Notes an access to parameter `i`. */
static void note_param(Reader *r, uint32_t i, const Access *a, bool certain) {
    ParamEffects *p = &r->out->params[i];
    if (a->read && certain && !p->writes) p->needs = true;
    p->reads |= a->read;
    p->writes |= a->write;
    p->fills |= a->write && certain;
}

/* Notes an access to some unknown place: any argument of the same kind may be meant. */
static void note_any(Reader *r, const Access *a) {
    const bool tile = is_tile_type(a->value->type);
    r->out->elsewhere = true;
    for (uint32_t i = 0; i < r->out->n; i++)
        if (is_tile_type(r->entry->args[i].type) == tile) note_param(r, i, a, false);
}

/* Notes an access by the places that its operand may be. */
static void note_access(Reader *r, const Op *op, const Access *a, bool certain) {
    const AliasSet s = alias_places(r->alias, op, a->value);
    for (unsigned i = 0; i < s.n; i++) {
        const Place *p = &s.places[i];
        const Value *param = p->base == BASE_PARAMETER ? p->of : NULL;
        if (param != NULL)
            note_param(r, param->index, a, certain && s.n == 1);
        else if (p->base == BASE_ADDRESS)
            r->out->elsewhere = true;
        else if (p->base != BASE_BUFFER && p->base != BASE_VALUE)
            note_any(r, a);
    }
}

static bool note_op(Op *op, void *arg) {
    Reader *r = arg;
    Access list[MOST_ACCESSES];
    const size_t all = op_accesses(&r->calls->effects, op, list, MOST_ACCESSES);
    const CallSummary *callee = op_is(op, INST_CALL) ? calls_summary(r->calls, op) : NULL;
    r->out->elsewhere |= op->inst->fifo || op_transfers(op) || all > MOST_ACCESSES ||
                         (op_is(op, INST_CALL) && (callee == NULL || callee->elsewhere));
    for (size_t i = 0; i < all && i < MOST_ACCESSES; i++) {
        const bool certain = op->block == r->entry && !list[i].maybe && !list[i].scratch;
        note_access(r, op, &list[i], certain);
    }
    return true;
}

static void summarise(Calls *c, Op *func, CallSummary *out) {
    Arena *step = &c->ctx->step;
    const ArenaMark mark = arena_mark(step);
    Reader r = {.calls = c, .out = out, .entry = op_regions(func)[0].first};
    Numbers numbers = numbers_in(step);
    r.alias = alias_memory(&numbers, c->ctx, func);
    op_walk(func, note_op, &r);
    arena_rewind(step, mark);
}

/* ---- look-up ---- */

/* What a call does on a core of the other kind than its function. */
static const CallSummary *nothing(Calls *c, uint32_t nparams) {
    CallSummary *s = ARENA_NEW(&c->ctx->arena, CallSummary);
    *s = (CallSummary){nparams, ARENA_ARRAY(&c->ctx->arena, ParamEffects, nparams + 1), false};
    return s;
}

static bool is_of_other_kind(const Op *call, const Op *callee) {
    const Core here = op_core_around(call), there = op_core_around(callee);
    return here != CORE_ANY && there != CORE_ANY && here != there;
}

const CallSummary *calls_function(Calls *c, Op *func) {
    CallSummary *s = ptrmap_get(&c->by_function, func);
    if (s != NULL) return s->params != NULL ? s : NULL;
    s = ARENA_NEW(&c->ctx->arena, CallSummary);
    *ptrmap_at(&c->by_function, func) = s;
    CallSummary made = {.n = op_regions(func)[0].first->nargs};
    made.params = ARENA_ARRAY(&c->ctx->arena, ParamEffects, made.n + 1);
    c->depth++;
    summarise(c, func, &made);
    c->depth--;
    *s = made;
    return s;
}

const CallSummary *calls_summary(Calls *c, const Op *call) {
    Op *callee = functions_body(&c->functions, call);
    if (callee == NULL || c->depth == DEEPEST) return NULL;
    if (is_of_other_kind(call, callee)) return nothing(c, call->noperands);
    return calls_function(c, callee);
}
