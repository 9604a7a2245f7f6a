/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the pipes of a module: their ends, how entries are shared, which cores take part, and
 * which ends free slots. */
#include "backends/lower/pipes.h"

#include "analysis/pipe_links.h"
#include "backends/lower/lower.h"
#include "ir/core.h"

#include <stdlib.h>

/* ---- statements and ends ---- */

static bool pushes(const Op *op) {
    return op->inst->entry == ENTRY_PUSH || op->inst->entry == ENTRY_ALLOC;
}

static bool pops(const Op *op) {
    return op->inst->entry == ENTRY_POP;
}

static bool frees(const Op *op) {
    return op->inst->entry == ENTRY_FREE;
}

/* Returns the pipe operand of a lowered statement, or NULL. */
static const Value *pipe_operand(const Op *op) {
    int slot = inst_slot(op->inst, OPERAND_pipe_handle);
    return slot >= 0 ? slot_value(op, slot) : NULL;
}

static bool is_about_entries(const Op *op) {
    return op->inst->entry != ENTRY_NONE;
}

/* Returns the direction of a statement about entries, FROM_..; 0 when it is unknown. */
static int lower_direction(const Op *op) {
    Core core = op_core(op);
    if (core == CORE_ANY) core = op_core_around(op);
    if (core == CORE_ANY || !is_about_entries(op)) return 0;
    return (core == CORE_CUBE) == pushes(op) ? FROM_CUBE : FROM_VECTOR;
}

/* ---- the end that a statement uses ---- */

typedef struct EndKey {
    const FuncData *func;
    int64_t id;
    uint32_t index;
} EndKey;

static int by_function(const void *a, const void *b) {
    const EndKey *x = a, *y = b;
    if (x->func != y->func) return (uintptr_t)x->func < (uintptr_t)y->func ? -1 : 1;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void sort_ends(LowerPipes *p, Arena *arena) {
    EndKey *keys = ARENA_ARRAY(arena, EndKey, p->n + 1);
    p->by_function = ARENA_ARRAY(arena, uint32_t, p->n + 1);
    for (uint32_t i = 0; i < p->n; i++)
        keys[i] = (EndKey){p->list[i].func, p->list[i].number, i};
    qsort(keys, p->n, sizeof *keys, by_function);
    for (uint32_t i = 0; i < p->n; i++)
        p->by_function[i] = keys[i].index;
}

/* Returns the index of the end with this number in a function, among those that are not lowered; n
 * when there is none. */
static uint32_t find_end(const LowerPipes *p, const FuncData *func, int64_t id) {
    EndKey key = {func, id, 0};
    uint32_t lo = 0, hi = p->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2, i = p->by_function[mid];
        EndKey at = {p->list[i].func, p->list[i].number, i};
        if (by_function(&at, &key) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == p->n) return p->n;
    const LowerPipe *e = &p->list[p->by_function[lo]];
    return e->func == func && e->number == id && !e->lowered ? e->index : p->n;
}

/* Returns the index of the end that a statement uses; n when it is unknown. */
static uint32_t end_of(const LowerPipes *p, const Op *op, const Op *func) {
    const Value *v = pipe_operand(op);
    const PipeEnd *e = pipe_end_of(p->program, v != NULL && v->def != NULL ? v->def : op);
    if (e != NULL) return (uint32_t)(e - p->program->ends);
    return v == NULL ? find_end(p, func_data(func), pipe_attr(op, ATTR_id, 0)) : p->n;
}

const LowerPipe *lower_pipe_of(const LowerPipes *pipes, const Op *op) {
    if (pipes->program == NULL) return NULL;
    uint32_t i = end_of(pipes, op, op_function(op));
    return i < pipes->n ? &pipes->list[i] : NULL;
}

const Op *lower_reserve_of(const LowerPipes *pipes, const Op *op) {
    return pipes->program != NULL ? pipe_reserve_of(pipes->program, op, op_function(op)) : NULL;
}

/* ---- uses of the ends ---- */

static Elem popped_elem(const Op *op) {
    int slot = inst_slot(op->inst, OPERAND_entry);
    const Value *v = slot >= 0 ? slot_value(op, slot) : NULL;
    if (v == NULL && op->nresults > 0) v = &op->results[0];
    const Type *t = v != NULL && type_is_tile(v->type) ? tile_value_type(v) : NULL;
    return t != NULL && t->elem_type != NULL ? t->elem_type->elem : ELEM_NONE;
}

static void note_use(LowerPipes *p, const PipeNote *note, Profile profile, bool *first_only) {
    const Op *op = note->op;
    uint32_t i = is_about_entries(op) ? end_of(p, op, note->func) : p->n;
    if (i == p->n) return;
    LowerPipe *pipe = &p->list[i];
    const Context *ctx = p->program->ctx;
    uint32_t root = p->root[i];
    int direction = lower_direction(op);
    p->list[root].used = true;
    if (pipe_attr(op, ATTR_split, 0) != 0 && !frees(op)) p->list[root].split = true;
    if (pops(op)) pipe->popped |= (uint8_t)direction;
    if (frees(op)) pipe->freed |= (uint8_t)direction;
    if (!pops(op) || direction != FROM_CUBE) return;
    p->list[root].elem = popped_elem(op);
    const Op *around = op;
    while (around->block != NULL && op_given_core(around) == CORE_ANY)
        around = region_owner(around->block);
    first_only[root] |= lower_first_core_only(ctx, around, profile);
}

/* ---- numbers ---- */

typedef struct PipeNumber {
    int64_t id;
    uint32_t root;
} PipeNumber;

static int by_number(const void *a, const void *b) {
    const PipeNumber *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return (x->root > y->root) - (x->root < y->root);
}

/* Uses the numbers of the program, unless two pipes share one or one is missing. */
static void number_pipes(LowerPipes *p, Arena *arena) {
    PipeNumber *list = ARENA_ARRAY(arena, PipeNumber, p->n + 1);
    bool own = true;
    for (uint32_t i = 0; i < p->n; i++)
        list[i] = (PipeNumber){p->list[i].number, p->root[i]};
    qsort(list, p->n, sizeof *list, by_number);
    for (uint32_t i = 0; i < p->n; i++) {
        own &= list[i].id >= 0 && list[i].id <= INT32_MAX;
        own &= i == 0 || list[i].id != list[i - 1].id || list[i].root == list[i - 1].root;
    }
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t root = p->root[i];
        p->list[i].id = own ? (int32_t)p->list[root].number : (int32_t)root;
    }
}

/* ---- all pipes ---- */

/* Returns the slots in global memory. */
static const Value *slots_of(const PipeEnd *e, Profile profile) {
    const Op *op = e->note->op;
    int ptr = inst_slot(op->inst, OPERAND_gm_slot_buffer),
        view = inst_slot(op->inst, OPERAND_gm_slot_tensor);
    if (e->lowered) return e->has_gm ? named_value(op, OPERAND_gm_addr) : NULL;
    const Value *v = slot_value(op, view);
    return v == NULL && !profile_infos[profile].entries_on_chip ? slot_value(op, ptr) : v;
}

/* Reads the conversions of a push. */
static void read_epilogue(LowerPipe *pipe, const PipeEnd *e) {
    if (!e->fixpipe || !e->cube) return;
    pipe->rectifies = e->epilogue.relu != 0;
    pipe->quant = epilogue_quants[e->epilogue.quant].state;
    pipe->converts = pipe->rectifies || e->epilogue.quant != EPI_QUANT_NO_CONVERT;
}

static void read_ends(LowerPipes *p, Profile profile) {
    for (uint32_t i = 0; i < p->n; i++) {
        const PipeEnd *e = &p->program->ends[i];
        p->root[i] = pipe_root(p->program, i);
        const Op *init = e->note->op;
        p->list[i] = (LowerPipe){.handle = init->nresults > 0 ? &init->results[0] : NULL,
                                 .at = init->name_span,
                                 .states_local = op_attr_named(init, ATTR_local_slot_num) != NULL,
                                 .func = func_data(e->note->func),
                                 .index = i,
                                 .dirs = e->dir,
                                 .lowered = e->lowered,
                                 .slots = slots_of(e, profile),
                                 .buffer = {e->buffer[0], e->buffer[1]},
                                 .number = e->id,
                                 .slot_num = e->slot_num,
                                 .slot_size = e->slot_size,
                                 .local_num = e->local_slot_num,
                                 .elem = ELEM_NONE};
        read_epilogue(&p->list[i], e);
    }
}

LowerPipes lower_pipes(const Module *m, Profile profile, Arena *arena) {
    LowerPipes p = {.program = pipes_of_module(m)};
    if (p.program == NULL) return p;
    p.n = p.program->nends;
    p.list = ARENA_ARRAY(arena, LowerPipe, p.n + 1);
    p.root = ARENA_ARRAY(arena, uint32_t, p.n + 1);
    bool *first_only = ARENA_ARRAY(arena, bool, p.n + 1);
    read_ends(&p, profile);
    sort_ends(&p, arena);
    number_pipes(&p, arena);
    for (uint32_t i = 0; i < p.program->n; i++)
        note_use(&p, &p.program->notes[i], profile, first_only);
    for (uint32_t i = 0; i < p.n; i++) {
        LowerPipe *pipe = &p.list[i];
        pipe->split = p.list[p.root[i]].split;
        pipe->used = p.list[p.root[i]].used;
        pipe->elem = p.list[p.root[i]].elem;
        pipe->consumers = first_only[p.root[i]] ? 1 : 0;
        pipe->auto_free = pipe->popped & ~pipe->freed;
    }
    return p;
}
