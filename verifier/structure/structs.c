/* SPDX-License-Identifier: Apache-2.0 */
/* Where structs may be defined and used. Only pto.declare_struct makes one; parameters and results
 * of functions and operands of terminators may not be structs. Programs without struct types are
 * not walked. */
#include "verifier/structure/structs.h"

static bool is_struct(const Type *t) {
    return t != NULL && t->kind == TY_STRUCT;
}

static Diag *report(Verifier *v, Span at, const char *what) {
    Diag *d = diag_add(&v->judge.ctx->diags, DIAG_STRUCT_SCOPE, at, "%s", what);
    diag_note(&v->judge.ctx->diags, d,
              "a struct is on the stack of the scope with its pto.declare_struct");
    return d;
}

static void check_signature(Verifier *v, const Op *func) {
    const FuncData *f = func_data(func);
    if (f->type == NULL || f->type->kind != TY_FUNCTION) return;
    for (uint32_t i = 0; i < f->type->ntypes; i++)
        if (is_struct(f->type->types[i])) {
            report(v, f->name_span,
                   i < f->type->ninputs ? "a parameter of a function cannot be a struct"
                                        : "a function cannot return a struct");
            return;
        }
}

/* True when check_signature reports the values that the function returns. */
static bool is_reported(const Op *op) {
    const Op *func = op_is(op, INST_RETURN) ? op_function(op) : NULL;
    const Type *t = func != NULL ? func_data(func)->type : NULL;
    for (uint32_t i = t != NULL ? t->ninputs : 0; t != NULL && i < t->ntypes; i++)
        if (is_struct(t->types[i])) return true;
    return false;
}

/* Checks the values that a terminator passes to its owner or to a block. */
static void check_escape(Verifier *v, const Op *op) {
    bool escapes = false;
    Span at = op->name_span;
    for (unsigned i = 0; i < op->noperands; i++) {
        const Value *value = op->operands[i].value;
        bool declared = value != NULL && value->def != NULL && is_struct(value->type) &&
                        op_is(value->def, INST_DECLARE_STRUCT);
        if (declared && !escapes && op->operands[i].span.len != 0) at = op->operands[i].span;
        escapes |= declared;
    }
    for (unsigned s = 0; s < op->nsuccs; s++)
        for (uint32_t i = 0; i < op_succs(op)[s].nargs; i++)
            escapes |= op_succs(op)[s].args[i].value != NULL &&
                       is_struct(op_succs(op)[s].args[i].value->type);
    if (escapes && !is_reported(op))
        report(v, at, "a struct cannot leave the scope that declares it");
}

static void walk(Verifier *v, const Op *op) {
    uint32_t before = v->judge.ctx->diags.errors;
    if (op_is(op, INST_FUNC)) check_signature(v, op);
    if ((op->inst->flags & IF_TERMINATOR) != 0) check_escape(v, op);
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (const Op *o = b->first; o != NULL; o = o->next)
                walk(v, o);
    /* The result of a statement with regions was reported at the yield already. */
    bool judged = op_is(op, INST_DECLARE_STRUCT) || op_is(op, INST_STRUCT_GET); /* by its rules */
    if (judged || v->judge.ctx->diags.errors != before) return;
    for (unsigned i = 0; i < op->nresults; i++)
        if (is_struct(op->results[i].type)) {
            report(v, op->name_span, "only pto.declare_struct makes a struct");
            return;
        }
}

void verify_structs(Verifier *v) {
    if (v->judge.ctx->has_structs && !v->judge.partial) walk(v, v->judge.root);
}
