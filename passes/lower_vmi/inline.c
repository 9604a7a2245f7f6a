/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the statements of functions that pass logical vectors in the place of their calls: registers
 * exist inside a vector scope only, and a function is outside of it. */
#include "passes/lower_vmi/lower.h"

#include "ir/clone.h"
#include "ir/functions.h"

/* Copies of functions that call others grow: after as many the calls stay, and are refused. */
enum { MOST_CALLS = 1000, MOST_STATEMENTS = 1 << 18 };

typedef struct Inliner {
    Lowering *l;
    Functions functions;
    Op *call;                   /* one that is found */
    uint32_t calls, statements; /* that were replaced, copied */
} Inliner;

bool vmi_passes_vectors(const Op *func) {
    const FuncData *f = op_is(func, INST_FUNC) ? func_data(func) : NULL;
    for (uint32_t i = 0; f != NULL && i < f->type->ntypes; i++)
        if (type_is_logical(f->type->types[i])) return true;
    return false;
}

/* Stops at a call that passes vectors to a function of one block. */
static bool find_call(Op *op, void *arg) {
    Inliner *in = arg;
    const Op *func = op_is(op, INST_CALL) ? functions_body(&in->functions, op) : NULL;
    if (func == NULL || !vmi_passes_vectors(func)) return true;
    const Region *body = op_regions(func);
    if (body->first != body->last || !op_is(body->last->last, INST_RETURN)) return true;
    in->call = op;
    return false;
}

/* ---- names ---- */

/* Gives copies names of their own; the values of one group keep theirs together. */
static void rename_values(Context *ctx, Value *list, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        list[i].name = i > 0 && list[i].pack > 0
                           ? list[i - 1].name
                           : fresh_name(ctx, name_stem(ctx, list[i].name, "in"));
}

static bool rename_copy(Op *op, void *arg) {
    Inliner *in = arg;
    Context *ctx = in->l->ctx;
    in->statements++;
    rename_values(ctx, op->results, op->nresults);
    for (unsigned r = 0; r < op->nregions; r++)
        for (Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            rename_values(ctx, b->args, b->nargs);
    return true;
}

/* ---- calls ---- */

typedef struct Replaced {
    const Op *call;
    const Op *end; /* the copy of the return */
} Replaced;

static Value *returned(const Replaced *r, Value *v) {
    return v->def == r->call ? r->end->operands[v - r->call->results].value : v;
}

static bool use_returned(Op *op, void *arg) {
    const Replaced *r = arg;
    for (unsigned i = 0; i < op->noperands; i++)
        op->operands[i].value = returned(r, op->operands[i].value);
    for (unsigned s = 0; s < op->nsuccs; s++)
        for (uint32_t i = 0; i < op_succs(op)[s].nargs; i++)
            op_succs(op)[s].args[i].value = returned(r, op_succs(op)[s].args[i].value);
    return true;
}

static void replace_call(Inliner *in, Op *call) {
    Context *ctx = in->l->ctx;
    const Op *func = functions_body(&in->functions, call);
    Value **args = vmi_room(in->l, call->noperands);
    for (unsigned i = 0; i < call->noperands; i++)
        args[i] = call->operands[i].value;
    Op *before = call->prev;
    Op *end = block_copy_before(ctx, op_regions(func)->first, call, args);
    Op *caller = op_function(call);
    for (Op *op = before != NULL ? before->next : call->block->first; op != call; op = op->next)
        op_walk(op, rename_copy, in);
    Replaced r = {.call = call, .end = end};
    op_walk(caller, use_returned, &r);
    use_returned(end, &r);
    op_remove(call);
}

/* Removes private functions that no call needs any more. */
static bool remove_called(Op *op, void *arg) {
    const Interner *names = arg;
    for (unsigned r = 0; r < op->nregions; r++)
        for (Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (Op *o = b->first, *next; o != NULL; o = next) {
                next = o->next;
                if (vmi_passes_vectors(o) && func_is_private(names, o) && func_data(o)->has_body)
                    op_remove(o);
            }
    return !op_is(op, INST_FUNC);
}

void vmi_inline_calls(Lowering *l, Module *m) {
    Inliner in = {.l = l, .functions = {.arena = l->arena}};
    for (; in.calls < MOST_CALLS && in.statements < MOST_STATEMENTS; in.calls++) {
        in.call = NULL;
        op_walk(m->root, find_call, &in);
        if (in.call == NULL) break;
        replace_call(&in, in.call);
    }
    if (in.call == NULL && in.calls > 0) op_walk(m->root, remove_called, &l->ctx->names);
}
