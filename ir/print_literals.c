/* SPDX-License-Identifier: Apache-2.0 */
/* Operands that are written as literals. Each is a constant before its statement (OPF_LITERAL), and
 * printed in place unless the form of some statement that uses it takes no literals there. */
#include "ir/format.h"
#include "ir/print.h"

bool print_in_place(const Printer *p, const Op *constant) {
    return constant->form == OPF_LITERAL && p->form != PRINT_GENERIC &&
           ptrmap_get(&p->named, constant) == NULL;
}

/* Returns the type that a format gives to a literal of a slot, as the parser does; NULL: none. */
static const Type *type_in_format(Printer *p, const Op *op, int slot) {
    const SlotKind kind = (SlotKind)op->inst->slots[slot].kind;
    const Format *f = inst_format(p->ctx, op->inst);
    const Type *last = NULL;
    if (kind == SLOT_INDEX) return type_scalar(p->ctx->types, ELEM_INDEX);
    if (kind == SLOT_I64) return type_scalar(p->ctx->types, ELEM_I64);
    if (!slot_takes_literal(kind)) return NULL;
    for (unsigned i = 0; i < f->n; i++) {
        const FmtElem *e = &f->elems[i];
        if ((e->kind != FMT_TYPE && e->kind != FMT_NAMED) || slot_count(op, e->index) == 0)
            continue;
        last = slot_type(op, e->index);
        if (e->index == slot) return last;
    }
    if (last != NULL && last->kind == TY_SCALAR && slot_accepts(kind, last)) return last;
    return kind == SLOT_INT || kind == SLOT_INTEGER ? type_scalar(p->ctx->types, ELEM_I64) : NULL;
}

/* The same in a form of a tile instruction, of which the operands have types. */
static const Type *type_in_tile(Printer *p, const Op *op, int slot, const Type *own) {
    const SlotInfo *info = &op->inst->slots[slot];
    if (info->kind == SLOT_INDEX) return type_scalar(p->ctx->types, ELEM_INDEX);
    if (info->kind == SLOT_I64) return type_scalar(p->ctx->types, ELEM_I64);
    if (info->rare->clause != NULL && (info->rare->trailing || print_form(p, op) == OPF_DPS))
        return NULL;
    return slot_in_outs(info) ? NULL : own;
}

/* True when the statement may have a literal of this type in place of an operand. */
static bool takes_literal(Printer *p, const Op *op, int slot, const Type *type) {
    const Type *read = NULL;
    if (print_form(p, op) == OPF_GENERIC) return false;
    if (op->inst->form == FORM_CUSTOM)
        read = (op->inst->regions != NULL && op->inst->regions->init != 0) ||
                       (op_is(op, INST_TASSIGN) && slot == 1)
                   ? type
                   : NULL;
    else
        read = op->inst->form == FORM_FORMAT ? type_in_format(p, op, slot)
                                             : type_in_tile(p, op, slot, type);
    return read != NULL && type_same(read, type);
}

static void keep_name(Printer *p, const Value *v) {
    *ptrmap_at(&p->named, v->def) = p;
}

static bool is_literal(const Value *v) {
    return v->def != NULL && v->def->form == OPF_LITERAL;
}

static bool find_in(Op *op, void *arg) {
    Printer *p = arg;
    unsigned at = 0;
    for (int s = 0; s < op->inst->nslots; s++)
        for (unsigned i = 0; i < slot_count(op, s); i++, at++) {
            const Value *v = op->operands[at].value;
            if (is_literal(v) && !takes_literal(p, op, s, v->type)) keep_name(p, v);
        }
    for (; at < op->noperands; at++)
        if (is_literal(op->operands[at].value)) keep_name(p, op->operands[at].value);
    for (unsigned i = 0; i < op->nsuccs; i++)
        for (uint32_t k = 0; k < op_succs(op)[i].nargs; k++)
            if (is_literal(op_succs(op)[i].args[k].value))
                keep_name(p, op_succs(op)[i].args[k].value);
    return true;
}

void print_find_literals(Printer *p, Op *root) {
    op_walk(root, find_in, p);
}
