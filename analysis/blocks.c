/* SPDX-License-Identifier: Apache-2.0 */
/* Compares each access to global memory with those of another block: the same places, where the
 * index of the block is larger by some number, and what a block computes otherwise is any number.
 */
#include "analysis/blocks.h"

#include "analysis/pipe_links.h"
#include "analysis/rename.h"
#include "analysis/steps.h"
#include "ir/profile.h"

enum { MOST_ACCESSES = 2000, MOST_BLOCKS = 1 << 16 };

typedef struct BlockAccess {
    struct BlockAccess *next;
    const Op *op;
    const Place *place, *other; /* of this block, and of one with a larger index */
    bool write;
} BlockAccess;

typedef struct Judge {
    Arena *arena;
    const Context *ctx;
    const Block *entry; /* of the function whose accesses are collected */
    SharedVariables shared;
    char index, count; /* keys of the index of the block and of the number of blocks */
    Variable ahead;    /* by how much the index of the other block is larger */
    Value *params;     /* the arguments of all functions */
    uint32_t nparams;
    BlockAccess *first, **last;
    uint32_t n;
    BlocksVerdict out;
} Judge;

/* ---- the index of a block ---- */

/* True for the argument in which the front end pypto passes the index. */
static bool is_named_index(const Judge *j, const Value *v) {
    const Interner *names = &j->ctx->names;
    return v->argument && value_block(v) == j->entry &&
           atom_ends_with(names, v->name, "block_idx") &&
           !atom_ends_with(names, v->name, "subblock_idx");
}

static bool is_index(const Judge *j, const Value *v) {
    return (v->def != NULL && op_is(v->def, INST_GET_BLOCK_IDX)) || is_named_index(j, v);
}

/* Returns the key of a value that all cores and blocks have alike, but for the index; NULL: it is
 * none. */
static const void *key_of(const Judge *j, const Variable *v) {
    if (v->kind != VAR_VALUE || v->value == NULL) return NULL;
    if (is_index(j, v->value)) return &j->index;
    if (v->value->argument && value_block(v->value) == j->entry) return &j->params[v->value->index];
    const Op *def = v->value->def;
    return def != NULL && op_is(def, INST_GET_BLOCK_NUM) ? &j->count : NULL;
}

static bool see_index(Op *op, void *arg) {
    *(bool *)arg |= op_is(op, INST_GET_BLOCK_IDX);
    return true;
}

static bool asks_for_index(const Judge *j, const CallNode *n, unsigned deep) {
    enum { DEEPEST = 16 };
    bool asks = false;
    op_walk(n->func, see_index, &asks);
    for (uint32_t i = 0; deep == 0 && i < j->entry->nargs; i++)
        asks |= is_named_index(j, &j->entry->args[i]);
    for (const CallEdge *e = n->callees; e != NULL && !asks && deep < DEEPEST; e = e->next_callee)
        asks = asks_for_index(j, e->to, deep + 1);
    return asks;
}

/* ---- the same form in another block ---- */

static Affine leaf_here(Renaming *r, const Variable *v) {
    Judge *j = r->arg;
    const void *key = v->kind != VAR_LOOP ? key_of(j, v) : NULL;
    return affine_of(j->arena, key != NULL ? shared_value(&j->shared, key, v, 0) : v);
}

/* As another block computes it: iterations are any, the index is larger, and what is neither an
 * argument nor computed from these is any number. */
static Affine leaf_there(Renaming *r, const Variable *v) {
    Judge *j = r->arg;
    const void *key = v->kind != VAR_LOOP ? key_of(j, v) : NULL;
    if (v->kind != VAR_LOOP && key == NULL)
        return affine_of(j->arena, lone_variable(&j->shared, v));
    Affine form = leaf_here(r, v);
    const Affine ahead = affine_of(j->arena, &j->ahead);
    if (key == &j->index) r->failed |= !affine_add(j->arena, &form, &ahead, 1, &form);
    return form;
}

/* Returns the place as this block or another one has it; bounds that hold for one hold for all. */
static const Place *place_in_block(Judge *j, const Place *p, bool other) {
    Renaming r = {.variables = &j->shared,
                  .leaf = other ? leaf_there : leaf_here,
                  .arg = j,
                  .fresh = p->fresh};
    Place *out = ARENA_NEW(j->arena, Place);
    *out = *p;
    if (p->base == BASE_PARAMETER) {
        const Value *v = p->of;
        r.failed = value_block(v) != j->entry || v->index >= j->nparams;
        if (!r.failed) out->of = &j->params[v->index];
    }
    *out = renamed_place(&r, out);
    return out;
}

/* ---- accesses ---- */

static void add_access(Judge *j, const Op *op, const Place *p, bool write) {
    BlockAccess *a = ARENA_NEW(j->arena, BlockAccess);
    *a = (BlockAccess){.op = op, .write = write};
    a->place = place_in_block(j, p, false);
    for (const BlockAccess *b = j->first; b != NULL; b = b->next)
        if (b->write == write && b->op == op && place_same(a->place, b->place)) return;
    a->other = place_in_block(j, p, true);
    *j->last = a;
    j->last = &a->next;
    j->n++;
}

static void unknown(Judge *j, const Op *op, const char *why) {
    if (j->out.why != NULL) return;
    j->out.state = BLOCKS_UNKNOWN;
    j->out.first = op;
    j->out.why = why;
}

/* Entries of pipes are in memory of the block, or of the pipe, which is looked at by itself. */
static void add_uses(Judge *j, const Step *s) {
    for (uint32_t i = 0; i < s->nuses; i++) {
        const Use *u = &s->uses[i];
        const int64_t n = u->slot.loop != NULL ? u->slot.modulus : 1;
        for (int64_t k = 0; k < n; k++)
            if (place_is_memory(u->places[k]) && u->places[k]->base != BASE_BOUND)
                add_access(j, s->op, u->places[k], u->write);
    }
}

static void add_steps(Judge *j, const Step *first) {
    for (const Step *s = first; s != NULL && j->n <= MOST_ACCESSES; s = s->next) {
        if (s->kind == STEP_ACCESS) add_uses(j, s);
        add_steps(j, s->body);
        add_steps(j, s->other);
    }
}

static bool see_slots(Op *op, void *arg) {
    Judge *j = arg;
    if (!pipe_is_opening(op)) return true;
    for (unsigned i = 0; i < op->noperands; i++)
        if (op->operands[i].value != NULL && is_memory(op->operands[i].value->type))
            unknown(j, op, "a pipe whose slots are in global memory");
    return true;
}

/* ---- comparing ---- */

static Overlap meet(Judge *j, const Place *one, const Place *other) {
    static const When any = {.any = true};
    return place_meet(one, other, &any, &j->out.assumed);
}

static void compare(Judge *j, const BlockAccess *a, const BlockAccess *b) {
    if ((!a->write && !b->write) || j->out.state == BLOCKS_SHARED) return;
    if (meet(j, a->place, b->other) == OVERLAP_NO && meet(j, b->place, a->other) == OVERLAP_NO)
        return;
    j->out.state = BLOCKS_SHARED;
    j->out.first = a->op;
    j->out.second = b->op;
}

static void collect_core(Judge *j, CallGraph *graph, const CallNode *n, Profile profile, Core core,
                         unsigned subblock) {
    Steps *steps = ARENA_NEW(j->arena, Steps);
    steps_between(j->arena, graph, n->func, profile, core, subblock, steps);
    if (steps->unknown != NULL) unknown(j, steps->unknown, steps->why);
    j->out.assumed |= steps->assumed;
    add_steps(j, steps->first);
}

static void collect(Judge *j, CallGraph *graph, const CallNode *n, Profile profile) {
    const bool vector = n->cores == 0 || (n->cores >> CORE_VECTOR & 1) != 0;
    j->entry = op_regions(n->func)[0].first;
    op_walk(n->func, see_slots, j);
    if ((n->cores >> CORE_CUBE & 1) != 0) collect_core(j, graph, n, profile, CORE_CUBE, 0);
    for (unsigned i = 0; vector && i < 2; i++)
        collect_core(j, graph, n, profile, n->cores == 0 ? CORE_ANY : CORE_VECTOR, i);
}

static bool asks(Judge *j, const CallNode *n) {
    j->entry = op_regions(n->func)[0].first;
    if (j->entry->nargs > j->nparams) j->nparams = j->entry->nargs;
    return asks_for_index(j, n, 0);
}

BlocksVerdict blocks_judge(Arena *arena, CallGraph *graph, const CallNode *n, const CallNode *with,
                           Profile profile) {
    Judge j = {.arena = arena, .ctx = graph->ctx, .shared = shared_variables(arena)};
    j.last = &j.first;
    j.ahead = (Variable){.kind = VAR_VALUE, .number = UINT32_MAX, .lo = 1, .hi = MOST_BLOCKS};
    const bool first = asks(&j, n), second = with != NULL && asks(&j, with);
    if (!first && !second) return j.out;
    j.params = ARENA_ARRAY(arena, Value, j.nparams + 1);
    j.out.state = BLOCKS_DISJOINT;
    collect(&j, graph, n, profile);
    if (with != NULL) collect(&j, graph, with, profile);
    if (j.n > MOST_ACCESSES) unknown(&j, n->func, "so many accesses");
    for (const BlockAccess *a = j.first; a != NULL && j.out.why == NULL; a = a->next)
        for (const BlockAccess *b = a; b != NULL; b = b->next)
            compare(&j, a, b);
    return j.out;
}
