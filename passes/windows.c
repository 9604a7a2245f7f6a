/* SPDX-License-Identifier: Apache-2.0 */
/* Windows that only the PTO-AS form has. */
#include "passes/passes.h"

/* Returns the first operand of a kind that its slot has in the PTO-AS form alone, or NULL. */
static const Operand *window_of_as(const Op *op) {
    if (op->form != OPF_AS) return NULL;
    for (int s = 0; s < op->inst->nslots; s++) {
        const SlotTypes *types = &slot_types[op->inst->slots[s].kind];
        const Value *v = slot_value(op, s);
        if (v != NULL && (v->type->kinds & types->as_kinds & ~types->kinds) != 0)
            return slot_operands(op, s);
    }
    return NULL;
}

static bool report_window(Op *op, void *arg) {
    Context *ctx = arg;
    const Operand *o = window_of_as(op);
    if (o != NULL)
        diag_add(&ctx->diags, DIAG_CONVERSION, o->span,
                 "only the PTO-AS form reads a window of %%%.*s by indices; pto.make_tensor_view "
                 "and pto.partition_view make one for the other forms",
                 (int)atom_len(&ctx->names, o->value->name),
                 atom_text(&ctx->names, o->value->name));
    return true;
}

bool passes_have_no_as_windows(const Module *m) {
    const size_t errors = m->ctx->diags.errors;
    op_walk(m->root, report_window, m->ctx);
    return m->ctx->diags.errors == errors;
}
