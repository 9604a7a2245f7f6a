/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about whole functions, which backends ask before they print one. */
#include "analysis/callgraph.h"
#include "analysis/effects.h"
#include "analysis/handover.h"
#include "backends/lower/lower.h"
#include "ir/core.h"
#include "verifier/lints/lints.h"

#include <string.h>

static void walk(const LowerFunc *f, bool (*see)(Op *op, void *arg), void *arg) {
    if (f->data->has_body) op_walk((Op *)(uintptr_t)f->op, see, arg);
}

const Value *lower_params(const LowerFunc *f) {
    return f->data->has_body ? op_regions(f->op)[0].first->args : NULL;
}

/* ---- calls ---- */

typedef struct Callees {
    const Lower *l;
    void (*see)(LowerFunc *callee, void *arg);
    void *arg;
} Callees;

static bool see_call(Op *op, void *arg) {
    const Callees *c = arg;
    LowerFunc *callee = lower_callee(c->l, op);
    if (callee != NULL) c->see(callee, c->arg);
    return true;
}

void lower_each_callee(const Lower *l, const LowerFunc *f,
                       void (*see)(LowerFunc *callee, void *arg), void *arg) {
    Callees c = {l, see, arg};
    walk(f, see_call, &c);
}

/* ---- synchronisation ---- */

static bool see_flag(Op *op, void *arg) {
    bool *found = arg;
    *found |= op_orders_pipes(op);
    return !*found;
}

bool lower_has_flags(const LowerFunc *f) {
    bool found = false;
    walk(f, see_flag, &found);
    return found;
}

static bool see_pipe(Op *op, void *arg) {
    unsigned *pipes = arg;
    if (op->inst->entry == ENTRY_NONE && op->inst->sync == SYNC_NONE && !op_transfers(op))
        *pipes |= 1u << inst_pipe(op->inst, PROFILE_DEFAULT);
    return true;
}

unsigned lower_unordered_pipes(const LowerFunc *f) {
    unsigned pipes = 0;
    walk(f, see_pipe, &pipes);
    return pipes & ~(1u << PIPE_NONE | 1u << PIPE_S);
}

typedef struct Signals {
    const Op *first; /* NULL: there are none */
    bool has_base;
} Signals;

static bool see_signal(Op *op, void *arg) {
    Signals *s = arg;
    const bool is_signal =
        op->inst->sync == SYNC_CORES && inst_slot(op->inst, OPERAND_event_id_dyn) >= 0;
    if (is_signal && s->first == NULL) s->first = op;
    s->has_base |= op_is(op, INST_SET_FFTS);
    return true;
}

const Inst *lower_baseless_signal(const LowerFunc *f, Span *at) {
    Signals s = {NULL, false};
    walk(f, see_signal, &s);
    if (s.first == NULL || s.has_base) return NULL;
    *at = s.first->name_span;
    return s.first->inst;
}

bool lower_relies_on_insertion(const Lower *l, const LowerFunc *f) {
    return relies_on_insertion(l->ctx, (Op *)(uintptr_t)f->op, l->profile);
}

/* ---- memory ---- */

const PlanFunction *lower_plan(const LowerFunc *f, const Plan *plan) {
    return plan_function(plan, f->op);
}

/* ---- kinds of cores ---- */

typedef struct Kinds {
    const Context *ctx;
    LowerKinds found;
} Kinds;

static bool see_kind(Op *op, void *arg) {
    Kinds *k = arg;
    const Core core = op_core(op);
    if (core != CORE_ANY) k->found.statements |= 1u << core;
    k->found.sections |= op_is_section(op);
    return true;
}

LowerKinds lower_kinds(const Context *ctx, const LowerFunc *f) {
    Kinds k = {ctx, {.given = op_given_core(f->op)}};
    op_walk((Op *)(uintptr_t)f->op, see_kind, &k);
    return k.found;
}

/* ---- tiles ---- */

static bool see_move(Op *op, void *arg) {
    const Value **tile = arg;
    if (handover_rebinds(op) != *tile) return true;
    *tile = NULL;
    return false;
}

bool lower_moves(const LowerFunc *f, const Value *tile) {
    walk(f, see_move, &tile);
    return tile == NULL;
}

/* ---- names ---- */

Span lower_location_name(const Context *ctx, const Value *v) {
    const char *text = ctx->source->data;
    for (const Trivia *t = v->def != NULL ? op_trivia(v->def) : NULL; t != NULL; t = t->next) {
        const uint32_t end = t->text.off + t->text.len;
        uint32_t from = t->text.off + 5;
        if (t->kind != TRIVIA_LOCATION || t->text.len < 8 || text[from - 1] != '"') continue;
        if (text[end - 2] == '"' && memchr(text + from, '"', t->text.len - 5) == text + end - 2)
            return (Span){.off = from, .len = end - 2 - from};
    }
    return (Span){0};
}
