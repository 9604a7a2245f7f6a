/* SPDX-License-Identifier: Apache-2.0 */
/* Compares each access to global memory with those of another block: the same places, where the
 * index of the block is larger by some number, and what a block computes otherwise is any number.
 */
#include "analysis/blocks.h"

#include "analysis/pipe_links.h"
#include "analysis/rename.h"
#include "analysis/steps.h"
#include "ir/core.h"
#include "ir/profile.h"

enum { MOST_ACCESSES = 2000, MOST_BLOCKS = 1 << 16 };

typedef struct BlockAccess {
    struct BlockAccess *next;
    const Op *op;
    const Place *place, *other; /* of this block, and of one with a larger index */
    uint32_t phase;             /* barriers of all blocks before it */
    bool write, transfer;       /* a transfer: scalar accesses go through a cache */
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
    /* Of the core whose accesses are collected: barriers of all blocks so far, and the kinds of
     * core, 1 << Core, that take part in all of them. */
    uint32_t phase;
    unsigned kinds;
    unsigned users;  /* the kinds of core that do the transfers */
    uint32_t phases; /* of all cores */
    bool counted;    /* some core is collected */
    bool unphased;   /* barriers are not known to come equally often to all cores */
    bool again;      /* a function was called again with the same arguments */
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

static bool is_fixed(const Renaming *r, const Variable *v) {
    return key_of(r->arg, v) != NULL;
}

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
                  .fixed = is_fixed,
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

static void add_access(Judge *j, const Op *op, const Place *p, bool write, bool transfer) {
    BlockAccess *a = ARENA_NEW(j->arena, BlockAccess);
    *a = (BlockAccess){.op = op, .phase = j->phase, .write = write, .transfer = transfer};
    a->place = place_in_block(j, p, false);
    for (const BlockAccess *b = j->first; b != NULL; b = b->next)
        if (b->write == write && b->op == op && b->phase == j->phase &&
            place_same(a->place, b->place))
            return;
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

/* Returns the kinds of core, 1 << Core, that may run a statement. */
static unsigned cores_of(const Op *op) {
    const Core core = op_core(op);
    return core != CORE_ANY ? 1u << core : 1u << CORE_CUBE | 1u << CORE_VECTOR;
}

/* Entries of pipes are on the chip, or in the slots of the pipe, which are added as a whole. */
static void add_uses(Judge *j, const Step *s) {
    for (uint32_t i = 0; i < s->nuses; i++) {
        const Use *u = &s->uses[i];
        const int64_t n = u->slot.loop != NULL ? u->slot.modulus : 1;
        for (int64_t k = 0; k < n; k++)
            if (place_is_memory(u->places[k]) && u->places[k]->base != BASE_BOUND) {
                add_access(j, s->op, u->places[k], u->write, s->pipe != PIPE_S);
                j->users |= cores_of(s->op);
            }
    }
}

static void add_barrier(Judge *j, const Op *op, bool once) {
    if (!op_is(op, INST_SYNCALL)) return;
    j->phase++;
    j->kinds &= op_syncs_all(op);
    j->unphased |= !once;
}

/* `once`: each core comes to these steps exactly once. */
static void add_steps(Judge *j, const Step *first, bool once) {
    for (const Step *s = first; s != NULL && j->n <= MOST_ACCESSES; s = s->next) {
        if (s->kind == STEP_ACCESS) add_uses(j, s);
        if (s->kind == STEP_CORES) add_barrier(j, s->op, once);
        j->again |= s->callee != NULL;
        add_steps(j, s->body, once && s->kind == STEP_CALL);
        add_steps(j, s->other, false);
    }
}

/* ---- comparing ---- */

/* True if a barrier of all blocks is between the accesses. */
static bool are_ordered(Judge *j, const BlockAccess *a, const BlockAccess *b) {
    if (a->phase == b->phase || j->unphased || !a->transfer || !b->transfer) return false;
    j->out.assumed |= ASSUMED_SYNCALL;
    return true;
}

static Overlap meet(Judge *j, const Place *one, const Place *other) {
    static const When any = {.any = true};
    return place_meet(one, other, &any, &j->out.assumed);
}

static void compare(Judge *j, const BlockAccess *a, const BlockAccess *b) {
    if ((!a->write && !b->write) || j->out.state == BLOCKS_SHARED) return;
    if (meet(j, a->place, b->other) == OVERLAP_NO && meet(j, b->place, a->other) == OVERLAP_NO)
        return;
    if (are_ordered(j, a, b)) return;
    j->out.state = BLOCKS_SHARED;
    j->out.first = a->op;
    j->out.second = b->op;
}

/* A barrier orders what a core does if that takes part in all barriers, as each other core does. */
static void check_phases(Judge *j, Core core) {
    const unsigned kinds = core == CORE_ANY ? j->users : 1u << core;
    if (j->counted && j->phase != j->phases) j->unphased = true;
    if (j->phase > 0 && (j->again || (j->kinds & kinds) != kinds)) j->unphased = true;
    j->counted = true;
    j->phases = j->phase;
}

static void collect_core(Judge *j, CallGraph *graph, const CallNode *n, Profile profile, Core core,
                         unsigned subblock) {
    Steps *steps = ARENA_NEW(j->arena, Steps);
    steps_between(j->arena, graph, n->func, profile, core, subblock, steps);
    if (steps->unknown != NULL) unknown(j, steps->unknown, steps->why);
    j->out.assumed |= steps->assumed;
    j->phase = 0;
    j->kinds = 1u << CORE_CUBE | 1u << CORE_VECTOR;
    j->users = 0;
    add_steps(j, steps->first, true);
    check_phases(j, core);
    for (const SlotMemory *s = steps->slots; s != NULL; s = s->next)
        add_access(j, s->op, s->place, true, false);
}

static void collect(Judge *j, CallGraph *graph, const CallNode *n, Profile profile) {
    const bool vector = n->cores == 0 || (n->cores >> CORE_VECTOR & 1) != 0;
    j->entry = op_regions(n->func)[0].first;
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
    if (with != NULL) {
        const Block *one = j.entry;
        collect(&j, graph, with, profile);
        if (!functions_share_arguments(one, j.entry))
            unknown(&j, with->func,
                    "a function with other parameters than that of the other cores");
    }
    if (j.n > MOST_ACCESSES) unknown(&j, n->func, "so many accesses");
    for (const BlockAccess *a = j.first; a != NULL && j.out.why == NULL; a = a->next)
        for (const BlockAccess *b = a; b != NULL; b = b->next)
            compare(&j, a, b);
    return j.out;
}
