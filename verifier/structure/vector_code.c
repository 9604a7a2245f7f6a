/* SPDX-License-Identifier: Apache-2.0 */
/* Vector scopes. A statement with registers, masks or alignment states is in a vector scope; where
 * the text has none, the vendor's assembler puts one around statements that follow each other.
 * Registers exist inside a scope only, so such a run of statements ends where something is that a
 * scope cannot hold, and no register may be needed after it. */
#include "verifier/structure/vector_code.h"

#include "ir/functions.h"
#include "ir/vector_code.h"

#include <stdlib.h>
#include <string.h>

/* A register outside of scopes: the run of statements that defines it. */
typedef struct Defined {
    const Value *value;
    uint32_t run;
} Defined;

/* A block around the current statement, and the run that the walk has reached in it. */
typedef struct Around {
    const struct Around *outer;
    const Block *block;
    uint32_t run;
} Around;

typedef struct Scopes {
    Verifier *v;
    const Op *func;
    Defined *defined; /* sorted by value before uses are judged */
    uint32_t ndefined, cap;
    uint32_t run; /* the last one */
    const Op *first_outside;
    bool collects; /* first pass: definitions; second: uses */
} Scopes;

static DiagList *diags(const Scopes *s) {
    return &s->v->judge.ctx->diags;
}

/* ---- inside ---- */

static void check_inside(const Scopes *s, const Op *op, const Op *scope) {
    if (op_is_vector_scope(op)) {
        if (s->v->judge.opt->compat) return;
        Diag *d = diag_add(diags(s), DIAG_VECTOR_SCOPE, op->name_span,
                           "a vector scope is in another one");
        diag_note_at(diags(s), d, scope->name_span, "the scope around it");
    } else if (inst_scope_use(op->inst) == SCOPE_OUT) {
        Diag *d = diag_add(diags(s), DIAG_VECTOR_SCOPE, op->name_span,
                           "%s cannot be in a vector scope", op->inst->name);
        diag_note_at(diags(s), d, scope->name_span, "the scope");
    }
}

static void walk_inside(const Scopes *s, const Op *op, const Op *scope) {
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (const Op *o = b->first; o != NULL; o = o->next) {
                check_inside(s, o, scope);
                if (o->nregions > 0) walk_inside(s, o, scope);
            }
}

/* ---- outside ---- */

static void define(Scopes *s, const Value *v, uint32_t run) {
    if (!s->collects || !value_is_register(v)) return;
    if (s->ndefined == s->cap)
        s->defined =
            ARENA_WIDEN(&s->v->judge.ctx->arena, Defined, s->defined, &s->cap, s->ndefined, 64);
    s->defined[s->ndefined++] = (Defined){v, run};
}

static int by_value(const void *a, const void *b) {
    const Defined *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* Logical vectors pass between functions when the callee becomes part of the caller: it is private
 * and has a body. */
static bool is_passed(const Scopes *s, const Op *op, const Value *value) {
    if (!type_is_logical(value->type)) return false;
    const bool call = op_is(op, INST_CALL);
    const Op *func = call ? functions_callee(NULL, op) : s->func;
    s->v->vectors_passed |= call;
    return func != NULL && func_is_private(&s->v->judge.ctx->names, func) &&
           func_data(func)->has_body;
}

/* Reports an operand that is made in another run than the one that uses it. */
static void check_operand(const Scopes *s, const Op *op, const Operand *o, const Around *at) {
    if (s->ndefined == 0) return;
    const Defined key = {o->value, 0};
    const Defined *d = bsearch(&key, s->defined, s->ndefined, sizeof key, by_value);
    if (d == NULL) return;
    while (at != NULL && at->block != value_home(o->value))
        at = at->outer;
    const bool leaves = (op_is(op, INST_RETURN) || op_is(op, INST_CALL) || op->nsuccs > 0) &&
                        !is_passed(s, op, o->value);
    if (!leaves && (at == NULL || at->run == d->run)) return;
    const Span made = o->value->def != NULL ? o->value->def->name_span : op->name_span;
    Diag *e =
        diag_add(diags(s), DIAG_VECTOR_SCOPE, made,
                 "no vector scope can be put around it: the value is used after what cannot be "
                 "in a scope");
    diag_note_at(diags(s), e, o->span, "used here");
}

/* A branch passes its values to another block, and a scope holds one. Logical vectors are lowered
 * where their functions have one block. */
static void check_branch_values(const Scopes *s, const Op *op, const Around *at) {
    for (unsigned k = 0; k < op->nsuccs; k++)
        for (unsigned i = 0; i < op_succs(op)[k].nargs; i++) {
            const Operand *o = &op_succs(op)[k].args[i];
            if (o->value != NULL && !type_is_logical(o->value->type)) check_operand(s, op, o, at);
        }
}

static void walk_outside(Scopes *s, const Op *op, const Around *outer);

static void visit_outside(Scopes *s, const Op *op, Around *at) {
    const bool alone = op_ends_vector_run(op);
    if (alone && (op->inst->flags & IF_TERMINATOR) == 0) at->run = ++s->run;
    if (!s->collects) {
        if (op_is_vector_code(op) && s->first_outside == NULL && op->nregions == 0 &&
            (op->inst->flags & IF_TERMINATOR) == 0)
            s->first_outside = op;
        if (inst_scope_use(op->inst) == SCOPE_IN)
            diag_add(diags(s), DIAG_VECTOR_SCOPE, op->name_span, "%s belongs in a vector scope",
                     op->inst->name);
        for (unsigned i = 0; i < op->noperands; i++)
            if (op->operands[i].value != NULL) check_operand(s, op, &op->operands[i], at);
        check_branch_values(s, op, at);
    }
    if (op_is_vector_scope(op)) {
        if (!s->collects) walk_inside(s, op, op);
    } else if (op->nregions > 0) {
        walk_outside(s, op, at);
    }
    if (alone && (op->inst->flags & IF_TERMINATOR) == 0) at->run = ++s->run;
    for (unsigned i = 0; i < op->nresults; i++)
        define(s, &op->results[i], alone ? UINT32_MAX : at->run);
}

static void walk_outside(Scopes *s, const Op *op, const Around *outer) {
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *b = op_regions(op)[r].first; b != NULL; b = b->next) {
            Around at = {outer, b, ++s->run};
            for (uint32_t i = 0; i < b->nargs && !op_is(op, INST_FUNC); i++)
                define(s, &b->args[i], at.run);
            for (const Op *o = b->first; o != NULL; o = o->next)
                visit_outside(s, o, &at);
        }
}

void check_vector_scopes(Verifier *v, const Op *func) {
    Scopes s = {.v = v, .func = func, .collects = true};
    const uint32_t before = diags(&s)->errors;
    walk_outside(&s, func, NULL);
    if (s.ndefined > 0) qsort(s.defined, s.ndefined, sizeof *s.defined, by_value);
    s.collects = false;
    s.run = 0;
    walk_outside(&s, func, NULL);
    if (s.first_outside == NULL || diags(&s)->errors != before || v->judge.opt->compat) return;
    Diag *d = diag_add(diags(&s), DIAG_IMPLIED_SCOPE, s.first_outside->name_span,
                       "%s is in no vector scope: one is put around it and its neighbours",
                       s.first_outside->inst->name);
    diag_note(diags(&s), d, "`ptoasm fmt --scopes` writes the scopes");
}
