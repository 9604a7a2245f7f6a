/* SPDX-License-Identifier: Apache-2.0 */
/* Code of single work items: launches, sections, functions. */
#include "verifier/structure/simt.h"

#include "ir/core.h"

enum { MOST_ITEMS = 2048, MOST_REGISTERS = 128 };

static DiagList *diags(Verifier *v) {
    return &v->judge.ctx->diags;
}

/* ---- sections ---- */

static void check_dims(Verifier *v, const Op *op) {
    const NamedAttr *a = op_attr_named(op, ATTR_dims);
    if (a == NULL) return;
    int64_t items = 1;
    for (uint32_t i = 0; i < a->value->n; i++) {
        const Attr *n = a->value->items[i];
        if (n->kind == ATTR_INT && n->i < 0) {
            diag_add(diags(v), DIAG_SIMT_LAUNCH, op->name_span, "a dimension of the launch is %lld",
                     (long long)n->i);
            return;
        }
        if (n->kind != ATTR_INT || __builtin_mul_overflow(items, n->i, &items)) items = INT64_MAX;
    }
    if (a->value->n != 3)
        diag_add(diags(v), DIAG_SIMT_LAUNCH, op->name_span, "%u dimensions, expected 3",
                 a->value->n);
    else if (items < 1 || items > MOST_ITEMS)
        diag_add(diags(v), DIAG_SIMT_LAUNCH, op->name_span, "%lld work items, expected 1 to %d",
                 (long long)items, MOST_ITEMS);
}

void check_simt_section(Verifier *v, const Op *op) {
    const Op *around = op_simt_around(op);
    if (op_function(op) == NULL) {
        diag_add(diags(v), DIAG_SIMT_PLACE, op->name_span, "%s belongs in a function",
                 op->inst->name);
    } else if (around != NULL) {
        Diag *d = diag_add(diags(v), DIAG_SIMT_PLACE, op->name_span,
                           "%s launches work items inside the code of work items", op->inst->name);
        diag_note_at(diags(v), d, around->name_span, "that code");
    } else {
        check_dims(v, op);
    }
}

/* ---- launches ---- */

static void check_passed(Verifier *v, const Op *op, const Type *callee) {
    const int slot = inst_slot(op->inst, OPERAND_args);
    const unsigned n = slot_count(op, slot);
    const Operand *args = slot_operands(op, slot);
    if (n != callee->ninputs) {
        diag_add(diags(v), DIAG_SIMT_LAUNCH, op->name_span,
                 "%u value%s for %u parameter%s of the function", n, n == 1 ? "" : "s",
                 callee->ninputs, callee->ninputs == 1 ? "" : "s");
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        const Type *is = args[i].value != NULL ? args[i].value->type : NULL;
        if (is == NULL || is->kind == TY_NONE || type_same(is, callee->types[i])) continue;
        diag_add(diags(v), DIAG_SIMT_LAUNCH, op->name_span,
                 "value %u has type %.*s, but the function takes %.*s", i, TYPE_TEXT(&v->judge, is),
                 TYPE_TEXT(&v->judge, callee->types[i]));
        return;
    }
}

void check_simt_launch(Verifier *v, const Op *op) {
    Context *ctx = v->judge.ctx;
    const Span at = v->judge.opt->compat ? op->name_span : callee_span(op);
    const Op *callee = find_callee(v, op, at);
    if (callee == NULL) return;
    const Type *t = func_data(callee)->type;
    const int len = (int)atom_len(&ctx->names, func_data(callee)->name);
    const char *name = atom_text(&ctx->names, func_data(callee)->name);
    if (op_attr_named(callee, ATTR_pto_simt_entry) == NULL) {
        Diag *d = diag_add(diags(v), DIAG_SIMT_LAUNCH, at, "@%.*s has no attribute pto.simt_entry",
                           len, name);
        diag_note_at(diags(v), d, func_data(callee)->name_span, "the function");
    } else if (t->ntypes > t->ninputs) {
        diag_add(diags(v), DIAG_SIMT_LAUNCH, at,
                 "@%.*s returns values, which a launch does not take", len, name);
    } else {
        check_passed(v, op, t);
    }
}

/* ---- functions ---- */

static void check_limit(Verifier *v, const Op *func, AttrName limit, int most) {
    const NamedAttr *a = op_attr_named(func, limit);
    const char *name = attr_texts[limit];
    if (a == NULL) return;
    const Attr *n = a->value;
    const bool i32 = n->kind == ATTR_INT && n->type != NULL && n->type->elem == ELEM_I32;
    if (!i32)
        diag_add(diags(v), DIAG_SIMT_LAUNCH, a->span, "%s is not an i32", name);
    else if (n->i < 1 || n->i > most)
        diag_add(diags(v), DIAG_SIMT_LAUNCH, a->span, "%s is %lld, expected 1 to %d", name,
                 (long long)n->i, most);
    else if (op_attr_named(func, ATTR_pto_simt_entry) == NULL)
        diag_add(diags(v), DIAG_SIMT_LAUNCH, a->span, "%s needs the attribute pto.simt_entry",
                 name);
}

void check_simt_attrs(Verifier *v, const Op *func) {
    check_limit(v, func, ATTR_pto_simt_max_threads, MOST_ITEMS);
    check_limit(v, func, ATTR_pto_simt_max_registers, MOST_REGISTERS);
}
