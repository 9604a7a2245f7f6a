/* SPDX-License-Identifier: Apache-2.0 */
/* What a loop that counts carries from one iteration to the next: where a value comes from, and
 * numbers and tiles that take turns. */
#include "analysis/carried.h"

#include "ir/number.h"

const Op *carrying_for(const Value *v) {
    const Block *b = v->argument ? value_block(v) : NULL;
    if (b == NULL || b->region == NULL || v->index == 0 || b != b->region->first) return NULL;
    const Op *owner = b->region->owner;
    if (owner == NULL || !op_counts(owner) || owner->noperands < 3u + v->index) return NULL;
    return b->last != NULL && b->last->noperands >= v->index ? owner : NULL;
}

const Value *carried_first(const Value *v) {
    const Op *loop = carrying_for(v);
    return slot_operands(loop, inst_slot(loop->inst, OPERAND_init))[v->index - 1].value;
}

const Value *carried_next(const Value *v) {
    return value_block(v)->last->operands[v->index - 1].value;
}

/* A value, and its number. */
typedef struct Given {
    const Value *v;
    int64_t x;
} Given;

static bool is_given(void *arg, const Value *v, int64_t *out) {
    const Given *given = arg;
    *out = given->x;
    return v == given->v;
}

/* Computes what the next iteration gets of what this one got; false when that depends on more. */
static bool compute_next(const Value *v, int64_t x, int64_t *out) {
    enum { MOST_STATEMENTS = 32 };
    NumberFrame frames[MOST_STATEMENTS];
    Given given = {v, x};
    Evaluation e = {.known = is_given,
                    .arg = &given,
                    .left = 2 * MOST_STATEMENTS,
                    .size = MOST_STATEMENTS,
                    .frames = frames};
    return number_evaluate(&e, carried_next(v), out);
}

uint32_t carried_turns(const Value *v, int64_t first, int64_t values[CARRIED_TURNS]) {
    const unsigned width = number_width(v->type);
    uint32_t n = 0;
    int64_t x = first;
    do {
        if (n == CARRIED_TURNS) return 0;
        values[n++] = x;
        if (!compute_next(v, x, &x)) return 0;
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
