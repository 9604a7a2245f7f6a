/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the pops and frees of one side of a pipe. Where each block frees in order what it popped,
 * as many entries are freed in a block before a statement as were popped in it before theirs. */
#include "analysis/entries.h"
#include "analysis/freed.h"
#include "ir/core.h"

typedef struct Count {
    FreedEntries *out;
    const Op *like;
    const Block *block; /* of the last statement of the side */
    uint32_t open;      /* entries of that block that are not freed */
    bool unmatched;     /* some block frees what it did not pop, or leaves an entry */
    const Op **pops;    /* of the function */
    uint32_t n, cap;
    const Op **frees;
    uint32_t *oldest; /* by free: which pop */
    uint32_t nfrees, cap_frees;
} Count;

const Value *entry_value(const Op *op) {
    const int slot = inst_slot(op->inst, OPERAND_entry);
    const Value *v = slot >= 0 ? slot_value(op, slot) : NULL;
    return v == NULL && op->nresults > 0 ? &op->results[0] : v;
}

const Value *viewed_value(const Value *v) {
    while (v->def != NULL && (v->def->inst->flags & IF_VIEW) != 0 && v->def->noperands > 0)
        v = v->def->operands[0].value;
    return v;
}

static bool is_side(const Count *c, const Op *op, EntryUse use) {
    return op->inst->entry == use && same_pipe_side(op, c->like);
}

static void *grown(const Count *c, const void *list, uint32_t n, uint32_t cap, size_t size) {
    void *more = arena_zalloc(c->out->arena, cap, size, 8);
    if (n > 0) memcpy(more, list, n * size);
    return more;
}

static void add_pop(Count *c, const Op *pop) {
    if (c->n == c->cap) {
        c->cap = c->cap == 0 ? 8 : c->cap * 2;
        c->pops = grown(c, c->pops, c->n, c->cap, sizeof *c->pops);
    }
    c->pops[c->n++] = pop;
}

/* Adds a free of the oldest entry that is open. */
static void add_free(Count *c, const Op *op) {
    if (c->nfrees == c->cap_frees) {
        c->cap_frees = c->cap_frees == 0 ? 8 : c->cap_frees * 2;
        c->frees = grown(c, c->frees, c->nfrees, c->cap_frees, sizeof *c->frees);
        c->oldest = grown(c, c->oldest, c->nfrees, c->cap_frees, sizeof *c->oldest);
    }
    c->oldest[c->nfrees] = c->n - c->open;
    c->frees[c->nfrees++] = op;
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
    if (frees) add_free(c, op);
    c->open = pops ? c->open + 1 : c->open - (c->open > 0);
    return true;
}

/* Finds what the frees of the side of a pipe release that a free belongs to. */
static void find_freed(FreedEntries *f, const Op *op) {
    Count c = {.out = f, .like = op};
    op_walk((Op *)(uintptr_t)op_function(op), see_op, &c);
    c.unmatched |= c.open > 0;
    FreedPops *all = ARENA_ARRAY(f->arena, FreedPops, c.nfrees + 1);
    for (uint32_t i = 0; i < c.nfrees; i++) {
        all[i] = c.unmatched ? (FreedPops){c.pops, c.n} : (FreedPops){&c.pops[c.oldest[i]], 1};
        *ptrmap_at(&f->by_free, c.frees[i]) = &all[i];
    }
}

FreedPops freed_pops(FreedEntries *f, const Op *op) {
    const Value *named = entry_value(op);
    if (named != NULL && named->def != NULL && named->def->inst->entry == ENTRY_POP)
        return (FreedPops){(const Op **)&named->def, 1};
    f->by_free.arena = f->arena;
    if (op_function(op) != NULL && ptrmap_get(&f->by_free, op) == NULL) find_freed(f, op);
    const FreedPops *found = ptrmap_get(&f->by_free, op);
    return found != NULL ? *found : (FreedPops){NULL, 0};
}

/* ---- pipes ---- */

static bool is_opening(const Op *op, const Op *entry_op) {
    const NamedAttr *a = op_attr_named(op, ATTR_id), *b = op_attr_named(entry_op, ATTR_id);
    int64_t x = a != NULL && a->value->kind == ATTR_INT ? a->value->i : 0;
    int64_t y = b != NULL && b->value->kind == ATTR_INT ? b->value->i : 0;
    bool opens = op_is(op, INST_AIC_INITIALIZE_PIPE) || op_is(op, INST_AIV_INITIALIZE_PIPE);
    return opens && op->inst->core == entry_op->inst->core && x == y;
}

typedef struct Opening {
    const Context *ctx;
    const Op *entry_op, *found;
} Opening;

static bool see_opening(Op *op, void *arg) {
    Opening *o = arg;
    if (o->found == NULL && is_opening(op, o->entry_op)) o->found = op;
    return o->found == NULL;
}

/* Returns the statement that opens the pipe, or NULL. */
static const Op *opening_of(const Context *ctx, const Op *op) {
    int slot = inst_slot(op->inst, OPERAND_pipe_handle);
    const Value *pipe = slot >= 0 ? slot_value(op, slot) : NULL;
    Opening o = {ctx, op, NULL};
    if (slot >= 0) return pipe != NULL ? pipe->def : NULL;
    op_walk((Op *)(uintptr_t)op_function(op), see_opening, &o);
    return o.found;
}

static bool has_operand(const Op *op, OperandName slot) {
    int s = inst_slot(op->inst, slot);
    return s >= 0 && slot_count(op, s) > 0;
}

/* True for a pipe of one direction whose entries go through global memory; one of both directions
 * has them on the chip where the profile can. */
static bool is_through_memory(const Context *ctx, const Op *op) {
    const Op *init = opening_of(ctx, op);
    const NamedAttr *dirs = init != NULL ? op_attr_named(init, ATTR_dir_mask) : NULL;
    if (dirs == NULL || dirs->value->kind != ATTR_INT || dirs->value->i == 3) return false;
    return op_is(init, INST_INITIALIZE_L2G2L_PIPE) || has_operand(init, OPERAND_gm_slot_buffer) ||
           has_operand(init, OPERAND_gm_slot_tensor);
}

/* A view of a slot in global memory: the pipes that write and read it. */
static EntryPipe pipe_of_view(const Op *op, Profile profile, bool cube) {
    switch ((EntryUse)op->inst->entry) {
    case ENTRY_POP:
        return (EntryPipe){PIPE_MTE2, true};
    case ENTRY_FREE:
        return (EntryPipe){cube && profile_infos[profile].entries_on_chip ? PIPE_MTE1 : PIPE_MTE2,
                           true};
    default:
        return (EntryPipe){cube ? PIPE_FIX : PIPE_MTE3, true};
    }
}

/* A tile: a pop copies it, or gets it where the other core put it. */
static EntryPipe pipe_of_tile(const Context *ctx, const Op *op, const Value *entry,
                              Profile profile) {
    bool vec = entry->type->tile.space == SPACE_VEC, frees = op->inst->entry == ENTRY_FREE;
    if (!profile_infos[profile].entries_on_chip)
        return frees ? (EntryPipe){PIPE_NONE, false} : (EntryPipe){PIPE_MTE2, false};
    if (!frees && is_through_memory(ctx, op)) return (EntryPipe){PIPE_MTE2, false};
    if (vec && is_through_memory(ctx, op)) return (EntryPipe){PIPE_MTE2, true};
    return (EntryPipe){vec ? PIPE_V : PIPE_MTE1, true};
}

EntryPipe entry_pipe(const Context *ctx, const Op *op, const Value *entry, Profile profile,
                     Core on) {
    Core core = op_core(op);
    if (!type_is_tile(entry->type))
        return pipe_of_view(op, profile, (core != CORE_ANY ? core : on) == CORE_CUBE);
    if (op->inst->entry == ENTRY_POP || op->inst->entry == ENTRY_FREE)
        return pipe_of_tile(ctx, op, entry, profile);
    Pipe other;
    return (EntryPipe){op_pipe_by_tiles(op, profile, &other), false};
}
