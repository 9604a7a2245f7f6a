/* SPDX-License-Identifier: Apache-2.0 */
/* Modules that name no kind of core: the vendor's assembler takes the kind from the statements of
 * each function, and refuses a module with micro-instructions in which a function tells none. */
#include "verifier/structure/vector_code.h"

#include "ir/core.h"
#include "verifier/structure/core_kinds.h"

/* Returns whether a statement, or one in it, tells a kind of core. */
static bool tells_core(const Op *op) {
    if (inst_is_micro(op->inst) || op->inst->core != CORE_ANY || op_given_core(op) != CORE_ANY ||
        op_attr_named(op, ATTR_pto_simt_entry) != NULL)
        return true;
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (const Op *o = b->first; o != NULL; o = o->next)
                if (tells_core(o)) return true;
    return false;
}

static bool names_vectors(const Type *t) {
    for (uint32_t i = 0; i < t->ntypes; i++)
        if (type_is_logical(t->types[i])) return true;
    return false;
}

void note_function_core(const Verifier *v, Op *func) {
    FuncData *f = func_data(func);
    if (!v->judge.opt->compat || f->forgotten) return;
    f->micro = v->vector_code ||
               (f->type != NULL && f->type->kind == TY_FUNCTION && names_vectors(f->type));
    f->tells_core = tells_core(func);
}

void check_container(Verifier *v, const Op *module) {
    const Op *first = NULL, *silent = NULL;
    bool micro = false;
    if (!v->judge.opt->compat || op_core_around(module) != CORE_ANY || module->nregions == 0)
        return;
    const Block *b = op_regions(module)[0].first;
    for (const Op *op = b != NULL ? b->first : NULL; op != NULL; op = op->next) {
        /* what calls helpers has tile instructions */
        if (!op_is(op, INST_FUNC) || is_helper(op)) return;
        micro |= func_data(op)->micro;
        if (first == NULL) first = op;
        if (silent == NULL && !func_data(op)->tells_core) silent = op;
    }
    if (!micro || silent == NULL) return;
    DiagList *diags = &v->judge.ctx->diags;
    Diag *d = diag_add(diags, DIAG_SECTION_KIND, first->name_span,
                       "the module names no kind of core, and nothing in one of its functions "
                       "tells one");
    diag_note_at(diags, d, silent->name_span, "that function");
}
