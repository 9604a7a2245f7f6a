/* SPDX-License-Identifier: Apache-2.0 */
/* Compares how many entries the one end of a pipe pushes with how many the other pops and frees.
 * Whatever the order of the statements, a core that pops more than the other one pushes, or pushes
 * more than there are slots and releases, does not end. */
#include "analysis/traffic.h"
#include "analysis/number.h"
#include "analysis/pipe_links.h"
#include "ir/core.h"
#include "ir/profile.h"

/* The statements of one end, by EntryUse. */
typedef struct Counts {
    int64_t n[ENTRY_FREE + 1]; /* how often such statements run */
    const Op *first[ENTRY_FREE + 1];
    bool views; /* entries are views of global memory */
    bool unknown;
} Counts;

typedef struct Counter {
    const Module *m;
    const CallGraph *graph;
    Numbers numbers;
    ProfileSet profiles;
    Traffic *first, **last;
    const PipeEnd *end; /* whose statements are counted */
    Counts *out;
} Counter;

/* ---- how often a statement runs ---- */

/* Returns how often a block runs per run of the block around it; -1: not known. */
static int64_t runs_of(Counter *c, const Block *b, const Op *owner, const CallNode *node) {
    const RegionsInfo *r = owner->inst->regions;
    if (r == NULL || r->blocks || b->next != NULL) return -1;
    if (op_is_section(owner) && node->core != CORE_ANY) return -1;
    if (r->runs == RUNS_TIMES) return r->times;
    return r->runs == RUNS_COUNTED ? loop_trips(&c->numbers, owner) : -1;
}

/* Returns how often a statement runs in one run of its function; -1: not known. */
static int64_t times_of(Counter *c, const Op *op) {
    const CallNode *node = callgraph_node(c->graph, op_function(op));
    int64_t times = 1;
    for (const Block *b = op->block; b != NULL;) {
        const Op *owner = region_owner(b);
        if (owner == NULL) return -1;
        if (op_is(owner, INST_FUNC)) {
            const Region *body = &op_regions(owner)[0];
            return body->first == b && b->next == NULL ? times : -1;
        }
        const int64_t runs = runs_of(c, b, owner, node);
        if (runs < 0 || __builtin_mul_overflow(times, runs, &times)) return -1;
        b = owner->block;
    }
    return -1;
}

/* ---- the statements of an end ---- */

static bool names_handle(const Op *op, const Op *init) {
    for (unsigned i = 0; i < op->noperands; i++)
        if (init->nresults > 0 && op->operands[i].value == &init->results[0]) return true;
    return false;
}

static bool is_of_end(const Op *op, const PipeEnd *e) {
    const Op *init = e->note->op;
    if (e->lowered) return names_handle(op, init);
    const bool frontend =
        op->inst->entry != ENTRY_NONE && inst_slot(op->inst, OPERAND_pipe_handle) < 0;
    return frontend && op->inst->core == init->inst->core && pipe_attr(op, ATTR_id, 0) == e->id;
}

static bool count_op(Op *op, void *arg) {
    Counter *c = arg;
    Counts *out = c->out;
    if (op == c->end->note->op || !is_of_end(op, c->end)) return true;
    const unsigned use = op->inst->entry;
    const int64_t times = use != ENTRY_NONE ? times_of(c, op) : -1;
    out->unknown |= times < 0 || __builtin_add_overflow(out->n[use], times, &out->n[use]);
    if (out->first[use] == NULL && times > 0) out->first[use] = op;
    const int slot = inst_slot(op->inst, OPERAND_entry);
    const Value *v = slot >= 0 ? slot_value(op, slot) : NULL;
    if (v == NULL && op->nresults > 0) v = &op->results[0];
    out->views |= v != NULL && !type_is_tile(v->type);
    return true;
}

/* Counts nothing in a function that calls others or is called, where statements may run again. */
static void count_end(Counter *c, const PipeEnd *e, Counts *out) {
    const CallNode *node = callgraph_node(c->graph, e->note->func);
    *out = (Counts){.unknown = e->peer_unknown || node->callers != NULL || node->callees != NULL ||
                               times_of(c, e->note->op) != 1};
    c->end = e;
    c->out = out;
    if (!out->unknown) op_walk(node->func, count_op, c);
}

/* ---- comparing ---- */

static void add(Counter *c, const Op *op, bool leaks, ProfileSet profiles, const char *text) {
    Traffic *t = ARENA_NEW(&c->m->ctx->arena, Traffic);
    *t = (Traffic){.op = op, .leaks = leaks, .profiles = profiles, .text = text};
    *c->last = t;
    c->last = &t->next;
}

/* The most slots that the consumer can release: tiles are released by the pop where that copies
 * them, else by the free; through global memory the library may do both. */
static int64_t most_released(const Counts *to, const PipeEnd *e, Profile p, bool views) {
    if (views) return to->n[ENTRY_FREE];
    if (!profile_infos[p].entries_on_chip) return to->n[ENTRY_POP];
    return to->n[ENTRY_FREE] + (e->has_gm ? to->n[ENTRY_POP] : 0);
}

/* Returns for which profiles the last push never gets a slot. */
static ProfileSet stopped_on(const Counter *c, const Counts *from, const Counts *to,
                             const PipeEnd *e) {
    const bool views = from->views || to->views;
    ProfileSet set = 0;
    for (int p = 0; p < PROFILE_COUNT; p++)
        if ((c->profiles & PROFILE_BIT(p)) != 0 && profile_infos[p].chip &&
            from->n[ENTRY_PUSH] - e->slot_num > most_released(to, e, (Profile)p, views))
            set |= PROFILE_BIT(p);
    return set;
}

static void compare(Counter *c, const Counts *from, const Counts *to, const PipeEnd *e) {
    Arena *a = &c->m->ctx->arena;
    const int64_t pushes = from->n[ENTRY_PUSH], pops = to->n[ENTRY_POP];
    const ProfileSet stopped = stopped_on(c, from, to, e);
    if (pops > pushes)
        add(c, to->first[ENTRY_POP], false, c->profiles,
            arena_printf(a, "%s waits for ever: %lld entries of the pipe are popped, %lld pushed",
                         to->first[ENTRY_POP]->inst->name, (long long)pops, (long long)pushes));
    if (stopped != 0)
        add(c, from->first[ENTRY_PUSH], false, stopped,
            arena_printf(
                a,
                "%s waits for ever: %lld entries are pushed into %lld slots, and the other "
                "core pops %lld and frees %lld",
                from->first[ENTRY_PUSH]->inst->name, (long long)pushes, (long long)e->slot_num,
                (long long)pops, (long long)to->n[ENTRY_FREE]));
    const ProfileSet left = (ProfileSet)(c->profiles & ~stopped);
    if (pushes > pops && left != 0)
        add(c, from->first[ENTRY_PUSH], true, left,
            arena_printf(a, "%s: %lld entries of the pipe are pushed, and %lld popped",
                         from->first[ENTRY_PUSH]->inst->name, (long long)pushes, (long long)pops));
}

static void compare_ends(Counter *c, const PipeEnd *a, const PipeEnd *b) {
    if (a->dir != b->dir || a->slot_num != b->slot_num || a->lowered != b->lowered) return;
    if (a->slot_num < 1 || (a->lowered ? a->dir == 3 : a->cube == b->cube)) return;
    Counts x, y;
    count_end(c, a, &x);
    count_end(c, b, &y);
    if (x.unknown || y.unknown) return;
    const bool x_pushes = x.first[ENTRY_PUSH] != NULL, y_pushes = y.first[ENTRY_PUSH] != NULL;
    const bool x_pops = x.first[ENTRY_POP] != NULL, y_pops = y.first[ENTRY_POP] != NULL;
    /* A direction with one end in use is a fragment. */
    if (x_pushes && y_pops) compare(c, &x, &y, a);
    if (y_pushes && x_pops) compare(c, &y, &x, b);
}

const Traffic *traffic_find(const Module *m, const CallGraph *g, ProfileSet profiles) {
    PipeProgram *p = pipes_of_module(m);
    Arena *arena = &m->ctx->arena;
    Counter c = {.m = m, .graph = g, .numbers = numbers_in(arena), .profiles = profiles};
    c.last = &c.first;
    if (p == NULL) return NULL;
    uint32_t *n = ARENA_ARRAY(arena, uint32_t, p->nends + 1); /* ends of a pipe, by its root */
    for (uint32_t i = 0; i < p->nends; i++)
        n[pipe_root(p, i)]++;
    for (uint32_t i = 0; i < p->nends; i++) /* the root is the first of its ends */
        if (pipe_root(p, i) != i && n[pipe_root(p, i)] == 2)
            compare_ends(&c, &p->ends[pipe_root(p, i)], &p->ends[i]);
    return c.first;
}
