/* SPDX-License-Identifier: Apache-2.0 */
/* Corrections that follow the operands: the instruction for the types that they have, or another
 * type for one scalar. */
#include "parser/conversions.h"
#include "parser/type_places.h"
#include "verifier/fixes/corrections.h"

/* Counts the operands of each slot of another instruction, whose optional slots that this one does
 * not have stay empty; false when the operands do not fit. */
static bool take_slots(const Op *op, const Inst *inst, uint16_t *segs) {
    int from = 0;
    for (int s = 0; s < inst->nslots; s++) {
        const bool empty = inst->nslots > op->inst->nslots && inst->slots[s].arity == ARITY_OPT;
        if (!empty && from == op->inst->nslots) return false;
        segs[s] = empty ? 0 : (uint16_t)slot_count(op, from++);
    }
    return from == op->inst->nslots;
}

/* The same statement with another instruction. */
static bool is_legal_as(Case *c, const Inst *inst) {
    Case other;
    Op op = *c->op;
    uint16_t segs[INST_MOST_OPERANDS];
    if (inst->nresults != c->op->inst->nresults || !take_slots(c->op, inst, segs)) return false;
    op.inst = inst;
    op.segs = segs;
    case_init(&other, c->judge, &op);
    return case_is_legal(&other);
}

/* Is a tile of one row or column meant to go with all of another? */
static bool has_vector(const Case *c) {
    for (int i = 0; i < c->ntypes; i++) {
        const Type *t = case_tile(c, i);
        if (t != NULL && (t->tile.vrow == 1 || t->tile.vcol == 1)) return true;
    }
    return false;
}

static bool offer_other(Case *c, Diag *d) {
    InstList others = c->op->inst->rare->others;
    for (const Inst *inst; (inst = next_inst(&others)) != NULL;)
        if (inst != c->op->inst && (inst->family != FAM_REDUCE || has_vector(c)) &&
            is_legal_as(c, inst))
            return offer_instruction(c->judge->ctx, d, c->op, inst);
    return false;
}

static bool is_legal_with(Case *c, int at, const Type *type) {
    Case other = *c;
    other.types[at] = type;
    /* The result has the type of the first operand, and does so still. */
    for (unsigned i = 0; at == 0 && i < c->op->nresults; i++)
        if (type_same(c->op->results[i].type, c->types[0])) return false;
    return case_is_legal(&other);
}

/* Two scalars that must have one type. */
static bool offer_one_type(Case *c, const Rule *r, Diag *d) {
    const Type *a = case_type(c, r->a), *b = case_type(c, r->b);
    if (a == NULL || b == NULL || a->kind != TY_SCALAR || b->kind != TY_SCALAR ||
        r->a >= c->op->inst->nslots || r->b >= c->op->inst->nslots)
        return false;
    const Operand *first = slot_operands(c->op, r->a), *second = slot_operands(c->op, r->b);
    Context *ctx = c->judge->ctx;
    Span place;
    if (first == NULL || second == NULL) return false;
    /* A constant can follow the other operand, whichever it is. */
    bool follow = constant_takes(ctx, second->value, a, &place) &&
                  !constant_takes(ctx, first->value, b, &place) && is_legal_with(c, r->b, a);
    if (follow) return offer_operand_type(ctx, d, c->op, second, a);
    return is_legal_with(c, r->a, b) && offer_operand_type(ctx, d, c->op, first, b);
}

bool offer_scalars(Case *c, const Rule *r, Diag *d) {
    if (offer_other(c, d)) return true;
    return r->row->cond == C_TYPE_MISMATCH && offer_one_type(c, r, d);
}
