/* SPDX-License-Identifier: Apache-2.0 */
/* Enumerates where the operands of terminators, loops, branches and views flow. */
#include "analysis/handover.h"
#include "ir/number.h"

typedef struct Hander {
    void (*see)(void *arg, const Handover *h);
    void *arg;
} Hander;

static void hand(const Hander *to, Op *op, Operand *from, Value *value, HandKind kind) {
    if (from->value == NULL || value == NULL) return;
    to->see(to->arg, &(Handover){.op = op, .from = from, .to = value, .kind = kind});
}

/* Passes each value of a list to the corresponding one of `n` from `values` on. */
static void hand_list(const Hander *to, Op *op, Operand *from, unsigned nfrom, Value *values,
                      unsigned n, HandKind kind) {
    for (unsigned i = 0; i < nfrom && i < n; i++)
        hand(to, op, &from[i], &values[i], kind);
}

static void hand_results(const Hander *to, Op *op, Operand *from, unsigned n, Op *owner) {
    hand_list(to, op, from, n, owner->results, owner->nresults, HAND_ON);
}

/* Passes values to the arguments of a region's first block after the first `skip`. */
static void hand_arguments(const Hander *to, Op *op, Operand *from, unsigned n, Op *owner,
                           unsigned region, unsigned skip, HandKind kind) {
    Block *b = region < owner->nregions ? op_regions(owner)[region].first : NULL;
    if (b != NULL && b->nargs > skip)
        hand_list(to, op, from, n, b->args + skip, b->nargs - skip, kind);
}

/* ---- statements with regions ---- */

/* True when a loop certainly runs its body. */
static bool loop_runs_at_least_once(const Op *op) {
    int64_t from, to;
    return op_counts(op) && op->noperands >= 2 && number_known(op->operands[0].value, &from) &&
           number_known(op->operands[1].value, &to) && from < to;
}

/* Passes the initial values of a loop; they are the results when it runs no iteration. */
static void hand_init(const Hander *to, Op *op) {
    const uint8_t whom = op->inst->regions->init;
    int slot = inst_slot(op->inst, OPERAND_init);
    unsigned n = slot_count(op, slot);
    Operand *init = slot_operands(op, slot);
    hand_arguments(to, op, init, n, op, 0, op_own_args(op), HAND_ON);
    if ((whom & TO_RESULTS) != 0 && !loop_runs_at_least_once(op)) hand_results(to, op, init, n, op);
}

/* Passes the operands of a terminator to the next iteration, the second region and the results. */
static void hand_end(const Hander *to, Op *op) {
    const RegionEnd *end = op_end_of(op);
    if (end == NULL || op->noperands < end->before) return;
    Op *owner = region_owner(op->block);
    const unsigned n = (unsigned)op->noperands - end->before;
    Operand *passed = n > 0 ? op->operands + end->before : NULL;
    if ((end->to & TO_FIRST) != 0)
        hand_arguments(to, owner, passed, n, owner, 0, op_own_args(owner), HAND_NEXT);
    if ((end->to & TO_SECOND) != 0) hand_arguments(to, op, passed, n, owner, 1, 0, HAND_ON);
    if ((end->to & TO_RESULTS) != 0) hand_results(to, op, passed, n, owner);
}

static void hand_branches(const Hander *to, Op *op) {
    for (unsigned i = 0; i < op->nsuccs; i++) {
        Successor *s = &op_succs(op)[i];
        if (s->block != NULL)
            hand_list(to, op, s->args, s->nargs, s->block->args, s->block->nargs, HAND_BRANCH);
    }
}

/* ---- tiles ---- */

static bool has_address(const Value *v) {
    return v->def != NULL && op_is(v->def, INST_ALLOC_TILE) && slot_count(v->def, 0) > 0;
}

/* The destination of a view in the DPS form gets the storage of the source. Where it has an
 * address in the text, another type of the same bytes is a copy. */
static bool is_copy(const Op *op, const Value *dst) {
    return op->nresults == 0 && !op_is(op, INST_TSUBVIEW) && has_address(dst);
}

static void hand_view(const Hander *to, Op *op) {
    if (op_is(op, INST_TASSIGN)) return; /* it gets another address */
    int dst = inst_slot(op->inst, OPERAND_dst);
    Value *v = dst >= 0 ? slot_value(op, dst) : op->nresults > 0 ? &op->results[0] : NULL;
    if (op->noperands > 0 && v != NULL && !is_copy(op, v))
        hand(to, op, &op->operands[0], v, HAND_VIEW);
}

static void hand_selected(const Hander *to, Op *op) {
    for (unsigned i = 1; i < op->noperands && op->nresults > 0; i++)
        hand(to, op, &op->operands[i], &op->results[0], HAND_ON);
}

void handover_each(Op *op, void (*see)(void *arg, const Handover *h), void *arg) {
    const Hander to = {see, arg};
    if (op->nsuccs > 0) hand_branches(&to, op);
    if ((op->inst->flags & IF_VIEW) != 0) hand_view(&to, op);
    if ((op->inst->flags & IF_TERMINATOR) != 0) hand_end(&to, op);
    if (op->inst->regions != NULL && op->inst->regions->init != 0) hand_init(&to, op);
    switch (inst_id(op->inst)) {
    case INST_SELECT:
        hand_selected(&to, op);
        break;
    case INST_MULTI_TILE_GET:
    case INST_UNREALIZED_CAST:
        if (op->noperands > 0 && op->nresults > 0)
            hand(&to, op, &op->operands[0], &op->results[0], HAND_VIEW);
        break;
    default:
        break;
    }
}

Value *handover_rebinds(const Op *op) {
    bool binds = op_is(op, INST_TASSIGN) || op_is(op, INST_TPOP);
    if (binds) return op->nresults == 0 && op->noperands > 0 ? op->operands[0].value : NULL;
    bool view = (op->inst->flags & IF_VIEW) != 0 || op_is(op, INST_TGET_SCALE_ADDR);
    int dst = view && op->nresults == 0 ? inst_slot(op->inst, OPERAND_dst) : -1;
    Value *v = dst >= 0 ? slot_value(op, dst) : NULL;
    return v != NULL && !is_copy(op, v) ? v : NULL;
}

bool handover_ends(const Op *op) {
    const Region *r = op->block->region;
    if (r->first != r->last) return false;
    return (op->inst->flags & IF_VIEW) != 0 || value_home(handover_rebinds(op))->region == r;
}
