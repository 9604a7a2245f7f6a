/* Counts the pops and frees of one side of a pipe. Where each block frees in order what it popped,
 * as many entries are freed in a block before a statement as were popped in it before theirs. */
#include "analysis/entries.h"
#include "analysis/freed.h"

typedef struct Count {
    Arena *arena;
    const Context *ctx;
    const Op *like;
    const Block *block; /* of the last statement of the side */
    uint32_t open;      /* entries of that block that are not freed */
    bool unmatched;     /* some block frees what it did not pop, or leaves an entry */
    const Op **pops;    /* of the function */
    uint32_t n, cap;
} Count;

const Value *entry_value(const Op *op) {
    const int slot = inst_slot(op->inst, "entry");
    const Value *v = slot >= 0 ? slot_value(op, slot) : NULL;
    return v == NULL && op->nresults > 0 ? &op->results[0] : v;
}

static bool is_side(const Count *c, const Op *op, EntryUse use) {
    return op->inst->entry == use && same_pipe_side(c->ctx, op, c->like);
}

static void add_pop(Count *c, const Op *pop) {
    if (c->n == c->cap) {
        uint32_t cap = c->cap == 0 ? 8 : c->cap * 2;
        const Op **more = ARENA_ARRAY(c->arena, const Op *, cap);
        if (c->n > 0) memcpy(more, c->pops, c->n * sizeof *more);
        c->pops = more;
        c->cap = cap;
    }
    c->pops[c->n++] = pop;
}

/* Between statements of one block there must be none of another that changes how many are open. */
static bool see_op(Op *op, void *arg) {
    Count *c = arg;
    bool pops = is_side(c, op, ENTRY_POP), frees = is_side(c, op, ENTRY_FREE);
    if (!pops && !frees) return true;
    if (op->block != c->block) {
        c->unmatched |= c->open > 0;
        c->open = 0;
        c->block = op->block;
    }
    c->unmatched |= frees && c->open == 0;
    if (pops) add_pop(c, op);
    c->open = pops ? c->open + 1 : c->open - (c->open > 0);
    return true;
}

/* Returns the pop of the block whose entry is the oldest before a free. */
static const Op *oldest(const Count *c, const Op *op) {
    uint32_t freed = 0, popped = 0;
    const Op *first = op->block->first;
    for (const Op *o = first; o != op; o = o->next)
        freed += is_side(c, o, ENTRY_FREE);
    for (const Op *o = first; o != op; o = o->next)
        if (is_side(c, o, ENTRY_POP) && popped++ == freed) return o;
    return NULL;
}

FreedPops freed_pops(Arena *arena, const Context *ctx, const Op *op) {
    Count c = {.arena = arena, .ctx = ctx, .like = op};
    Op *func = (Op *)(uintptr_t)op_function(op);
    if (func == NULL) return (FreedPops){NULL, 0};
    op_walk(func, see_op, &c);
    c.unmatched |= c.open > 0;
    const Op *pop = c.unmatched ? NULL : oldest(&c, op);
    if (pop == NULL) return (FreedPops){c.pops, c.n};
    c.pops[0] = pop;
    return (FreedPops){c.pops, 1};
}
