/* Corrections of scalar arithmetic: the instruction for the types that the operands have, or
 * another type for one operand. */
#include "parser/conversions.h"
#include "parser/type_places.h"
#include "verifier/offers.h"

/* The same statement with another instruction. */
static bool is_legal_as(Case *c, const Inst *inst) {
    Case other;
    Op op = *c->op;
    op.inst = inst;
    if (inst->nslots != c->op->inst->nslots || inst->nresults != c->op->inst->nresults)
        return false;
    case_init(&other, c->judge, &op);
    return case_is_legal(&other);
}

static bool offer_other(Case *c, Diag *d) {
    const char *names = c->op->inst->others;
    for (const Inst *inst; (inst = next_other(&names)) != NULL;)
        if (inst != c->op->inst && is_legal_as(c, inst))
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
