/* What scf.for carries from one iteration to the next: where a value comes from, and numbers and
 * tiles that take turns. */
#include "analysis/carried.h"

#include "analysis/number.h"

const Op *carrying_for(const Value *v) {
    const Block *b = v->argument ? value_block(v) : NULL;
    if (b == NULL || b->region == NULL || v->index == 0 || b != b->region->first) return NULL;
    const Op *owner = b->region->owner;
    if (owner == NULL || !op_is(owner, INST_SCF_FOR) || owner->noperands < 3u + v->index)
        return NULL;
    return b->last != NULL && b->last->noperands >= v->index ? owner : NULL;
}

const Value *carried_first(const Value *v) {
    const Op *loop = carrying_for(v);
    return slot_operands(loop, inst_slot(loop->inst, "init"))[v->index - 1].value;
}

const Value *carried_next(const Value *v) {
    return value_block(v)->last->operands[v->index - 1].value;
}

/* Computes an expression of `v`, of which this is the number; false when it depends on more. */
static bool compute_of(const Value *e, const Value *v, int64_t x, int depth, int64_t *out) {
    int64_t operands[3] = {0, 0, 0};
    const Op *op = e->def;
    if (e == v || value_constant(e, out)) {
        if (e == v) *out = x;
        return true;
    }
    if (op == NULL || depth == 0 || op->nresults != 1 || op->noperands > 3 ||
        !(number_is_arithmetic(op) || op_is(op, INST_SELECT)))
        return false;
    for (unsigned i = 0; i < op->noperands; i++)
        if (op->operands[i].value == NULL || number_width(op->operands[i].value->type) == 0 ||
            !compute_of(op->operands[i].value, v, x, depth - 1, &operands[i]))
            return false;
    return number_compute(op, operands, out);
}

uint32_t carried_turns(const Value *v, int64_t first, int64_t values[CARRIED_TURNS]) {
    enum { DEEPEST = 6 };
    const unsigned width = number_width(v->type);
    uint32_t n = 0;
    int64_t x = first;
    do {
        if (n == CARRIED_TURNS) return 0;
        values[n++] = x;
        if (!compute_of(carried_next(v), v, x, DEEPEST, &x)) return 0;
        x = number_signed(x, width);
    } while (x != first);
    return n;
}

uint32_t carried_exchange(const Value *v, const Value *first[CARRIED_TURNS]) {
    const Op *loop = carrying_for(v);
    const Value *at = v;
    uint32_t n = 0;
    do {
        if (loop == NULL || n == CARRIED_TURNS || carrying_for(at) != loop) return 0;
        first[n++] = carried_first(at);
        at = carried_next(at);
    } while (at != v);
    return n;
}
