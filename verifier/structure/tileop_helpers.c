/* SPDX-License-Identifier: Apache-2.0 */
/* Functions with pto.tileop.helper: the body of a tile instruction for the vendor's other backend,
 * as micro-instructions on tiles that the caller has placed. Statements that belong in the caller
 * are refused. */
#include "verifier/structure/core_kinds.h"

#include "ir/core.h"

static DiagList *diags(Verifier *v) {
    return &v->judge.ctx->diags;
}

bool is_helper(const Op *func) {
    return func != NULL && op_attr_named(func, ATTR_pto_tileop_helper) != NULL;
}

/* Names the kind of a statement that does not belong in a helper; NULL when it may be there. */
static const char *foreign_kind(const Op *op) {
    const Inst *inst = op->inst;
    if (op_is_section(op)) return "a section";
    if (op_is(op, INST_CALL)) return "a call";
    if (op_is(op, INST_TASSIGN)) return "an address";
    if (op_is(op, INST_TENSOR_VIEW_ADDR)) return "the address of a view";
    if ((inst->flags & IF_ALLOC) != 0) return "an allocation";
    if ((inst->flags & IF_SYNC) != 0 || inst->fifo) return "synchronisation";
    if (inst->family == FAM_COMM || inst->family == FAM_PREFETCH) return "a transfer";
    if (inst->family == FAM_COPY) return "a copy";
    if (inst->family == FAM_SIMT && !op_is(op, INST_SIMT_LAUNCH)) return "code of work items";
    return inst->form == FORM_TILE ? "a tile instruction" : NULL;
}

/* Returns the first such statement, or NULL. */
static const Op *find_foreign(const Op *op) {
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (const Op *o = b->first; o != NULL; o = o->next) {
                if (foreign_kind(o) != NULL) return o;
                const Op *inner = find_foreign(o);
                if (inner != NULL) return inner;
            }
    return NULL;
}

/* The vendor's verifier leaves pointers to a later pass. */
static bool is_parameter(const Verifier *v, const Type *t) {
    return t->kind == TY_TILE || t->kind == TY_SCALAR ||
           (v->judge.opt->compat && t->kind == TY_PTR);
}

static bool check_signature(Verifier *v, const FuncData *f) {
    const Type *t = f->type;
    uint32_t i = 0;
    while (i < t->ninputs && is_parameter(v, t->types[i]))
        i++;
    if (i < t->ninputs)
        diag_add(diags(v), DIAG_HELPER_FUNCTION, f->name_span,
                 "parameter %u has type %.*s; a helper takes tiles and scalars only", i,
                 TYPE_TEXT(&v->judge, t->types[i]));
    else if (t->ntypes > t->ninputs)
        diag_add(diags(v), DIAG_HELPER_FUNCTION, f->name_span, "a helper returns nothing");
    return i == t->ninputs && t->ntypes == t->ninputs;
}

static bool has_micro(const Op *op) {
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (const Op *o = b->first; o != NULL; o = o->next)
                if (inst_is_micro(o->inst) || has_micro(o)) return true;
    return false;
}

void verify_helper(Verifier *v, const Op *func) {
    const FuncData *f = func_data(func);
    if (!check_signature(v, f) || !f->has_body || func->nregions == 0) return;
    if (op_regions(func)[0].first != NULL && op_regions(func)[0].first->next != NULL) {
        diag_add(diags(v), DIAG_HELPER_FUNCTION, f->name_span, "a helper has one block");
        return;
    }
    const Op *op = find_foreign(func);
    if (op != NULL)
        diag_add(diags(v), DIAG_HELPER_FUNCTION, op->name_span,
                 "%s: %s does not belong in a helper", op->inst->name, foreign_kind(op));
    else if (!has_micro(func) && !v->judge.partial)
        diag_add(diags(v), DIAG_HELPER_FUNCTION, f->name_span,
                 "a helper computes with micro-instructions, and this one has none");
}
