/* SPDX-License-Identifier: Apache-2.0 */
/* Translates statements into steps: what they order, loops, branches, calls. What they read and
 * write is in analysis/uses.c. */
#include "analysis/maker.h"
#include "ir/core.h"
#include "ir/number.h"

enum { DEEPEST_CALL = 64 };

const char unplaced_tile[] = "a tile without an address";

void not_understood(Maker *m, const Op *op, const char *why) {
    if (m->out->unknown != NULL) return;
    m->out->unknown = op;
    m->out->why = why;
}

Step *add_step(Maker *m, StepKind kind, const Op *op, Pipe pipe) {
    Step *s = ARENA_NEW(m->arena, Step);
    if (++m->n == MOST_STEPS) not_understood(m, op, "a function of so many statements");
    s->op = op;
    s->at = m->calls > 0 ? m->call : op;
    s->kind = (uint8_t)kind;
    s->pipe = (uint8_t)pipe;
    s->statement = m->statements;
    s->loop = m->loop;
    s->depth = m->loop != NULL ? m->loop->depth : 0;
    *m->last = s;
    m->last = &s->next;
    return s;
}

/* ---- numbers that a loop determines ---- */

Step *step_of_loop(const Maker *m, const Op *loop) {
    for (Step *l = m->loop; l != NULL; l = l->loop)
        if (l->op == loop) return l;
    return NULL;
}

bool widen_ring(Step *loop, int64_t period) {
    int64_t n = loop->ring / common_divisor(loop->ring, period) * period;
    if (n > LONGEST_RING) return false;
    loop->ring = (uint32_t)n;
    return true;
}

bool read_cycle(Maker *m, const Value *v, Cycle *out) {
    const Number *n = number_of(&m->out->numbers, v);
    const Variable *variable = NULL;
    *out = (Cycle){.modulus = 1};
    if (affine_is(&n->form, &out->offset)) return true;
    const int64_t period = n->exact ? affine_period(&n->form, 0, &variable) : 0;
    Step *loop = period > 0 && variable != NULL ? step_of_loop(m, variable->loop) : NULL;
    if (loop == NULL || period > LONGEST_RING || !widen_ring(loop, period)) return false;
    m->out->assumed |= affine_assumed(&n->form);
    *out = (Cycle){.loop = loop, .modulus = period, .table = true};
    out->values = ARENA_ARRAY(m->arena, int64_t, (size_t)period);
    for (int64_t k = 0; k < period; k++)
        out->values[k] = affine_at(&n->form, k);
    return true;
}

/* True for a number that always is in [0, limit). */
static bool is_below(const Cycle *c, int64_t limit) {
    for (int64_t k = 0; c->values != NULL && k < c->modulus; k++)
        if (c->values[k] < 0 || c->values[k] >= limit) return false;
    return c->values != NULL || (c->offset >= 0 && c->offset < limit);
}

/* ---- synchronisation ---- */

static void take_event(Maker *m, const Op *op, Step *s) {
    const NamedAttr *named = op_attr_named(op, ATTR_event_id);
    const NamedAttr *from = op_attr(op, 0), *to = op_attr(op, 1);
    if (from == NULL || to == NULL) return;
    s->pipe = (uint8_t)attr_pipe(from->value);
    s->to = (uint8_t)attr_pipe(to->value);
    s->id = (Cycle){.modulus = 1};
    if (named != NULL && named->value->kind == ATTR_ENUM)
        s->id.offset = enum_number(named->value);
    else if (op->noperands == 0 || !read_cycle(m, op->operands[0].value, &s->id))
        not_understood(m, op, "the number of an event");
    if (!is_below(&s->id, 8)) not_understood(m, op, "the number of an event");
    if (s->pipe == PIPE_NONE || s->to == PIPE_NONE) not_understood(m, op, "a pipe");
}

static void take_buffer(Maker *m, const Op *op, Step *s) {
    const NamedAttr *id = op_attr_named(op, ATTR_buf_id);
    const NamedAttr *mode = op_attr_named(op, ATTR_mode);
    int64_t number = 0;
    s->id = (Cycle){.modulus = 1};
    if (id != NULL && id->value->kind == ATTR_INT)
        s->id.offset = id->value->i;
    else if (op->noperands == 0 || !read_cycle(m, op->operands[0].value, &s->id))
        not_understood(m, op, "the number of a buffer");
    if (!is_below(&s->id, 32)) not_understood(m, op, "the number of a buffer");
    if ((mode != NULL && (mode->value->kind != ATTR_INT || mode->value->i != 0)) ||
        (op->noperands > 1 && (!number_known(op->operands[1].value, &number) || number != 0)))
        not_understood(m, op, "buffers of mode 1");
    if (s->pipe == PIPE_NONE) not_understood(m, op, "a pipe");
}

static void take_sync(Maker *m, const Op *op) {
    Pipe pipe = op_pipe(op, m->profile);
    switch ((SyncUse)op->inst->sync) {
    case SYNC_SET:
        take_event(m, op, add_step(m, STEP_SET, op, pipe));
        break;
    case SYNC_WAIT:
        take_event(m, op, add_step(m, STEP_WAIT, op, pipe));
        break;
    case SYNC_GET:
        take_buffer(m, op, add_step(m, STEP_GET, op, pipe));
        break;
    case SYNC_RELEASE:
        take_buffer(m, op, add_step(m, STEP_RELEASE, op, pipe));
        break;
    case SYNC_BARRIER:
        add_step(m, pipe == PIPE_NONE ? STEP_BARRIER_ALL : STEP_BARRIER, op, pipe);
        break;
    case SYNC_DRAIN:
        add_step(m, STEP_BARRIER_ALL, op, PIPE_NONE);
        if (m->between) add_step(m, STEP_CORES, op, pipe);
        break;
    case SYNC_FENCE:
        add_step(m, m->inner == CORE_VECTOR ? STEP_BARRIER_ALL : STEP_FENCE, op, PIPE_NONE);
        break;
    case SYNC_CORES:
        if (m->between) add_step(m, STEP_CORES, op, pipe);
        break;
    case SYNC_MEMORY:
        break;
    case SYNC_NONE:
        not_understood(m, op, "the order that it makes");
        break;
    }
}

/* ---- control flow ---- */

static void take_region(Maker *m, const Region *r);

static void take_part(Maker *m, const Region *r, Step **part) {
    Step **last = m->last;
    m->last = part;
    take_region(m, r);
    m->last = last;
}

/* How often a loop runs its body; -1: that is not known. */
static int64_t trips_of(Maker *m, const Op *op) {
    if (op_runs(op, RUNS_TIMES)) return op->inst->regions->times;
    return op_counts(op) ? loop_trips(&m->out->numbers, op) : -1;
}

static void take_loop(Maker *m, const Op *op) {
    Step *s = add_step(m, STEP_LOOP, op, PIPE_NONE), *around = m->loop;
    const bool two = op_runs(op, RUNS_WHILE);
    s->depth++;
    s->ring = 1;
    s->trips = trips_of(m, op);
    m->loop = s;
    if (two) take_part(m, &op_regions(op)[0], &s->other);
    take_part(m, &op_regions(op)[two], &s->body);
    m->loop = around;
}

/* True for a condition that is the same number whenever it is computed, in this call, whatever is
 * assumed. */
static bool is_decided(Maker *m, const Value *condition, int64_t *yes) {
    for (const Frame *f = m->frame; f->around != NULL; f = f->around) {
        if (!condition->argument || value_block(condition) != f->entry) break;
        condition = f->call->operands[condition->index].value;
    }
    const Number *n = number_of(&m->out->numbers, condition);
    return n->exact && affine_is(&n->form, yes) && n->form.assumed == 0;
}

/* Takes a statement that runs one of its regions from `at` on: that one or one of the others. The
 * last one may be missing. */
static void take_choice(Maker *m, const Op *op, unsigned at) {
    Step *s = add_step(m, STEP_IF, op, PIPE_NONE);
    Step **last = m->last;
    int64_t yes;
    if (op_runs(op, RUNS_IF) && is_decided(m, op->operands[0].value, &yes))
        s->never = yes != 0 ? 2 : 1;
    take_part(m, &op_regions(op)[at], &s->body);
    m->last = &s->other;
    if (at + 2 < op->nregions)
        take_choice(m, op, at + 1);
    else if (at + 1 < op->nregions)
        take_region(m, &op_regions(op)[at + 1]);
    m->last = last;
}

static void take_section(Maker *m, const Op *op) {
    Core inner = m->inner;
    if (m->core != CORE_ANY && op->inst->core != m->core) return;
    m->inner = (Core)op->inst->core;
    take_region(m, &op_regions(op)[0]);
    m->inner = inner;
}

static void take_nested(Maker *m, Op *op) {
    if (op_is_section(op))
        take_section(m, op);
    else if (op_chooses(op))
        take_choice(m, op, 0);
    else if (op_loops(op))
        take_loop(m, op);
    else if (op_runs(op, RUNS_TIMES))
        take_part(m, &op_regions(op)[0], &add_step(m, STEP_BLOCK, op, PIPE_NONE)->body);
    else
        not_understood(m, op, "a statement with a region");
}

/* ---- calls ---- */

/* What a call gives to a parameter: all places that it may be, or a number. */
typedef struct Given {
    const void *what[ALIAS_PLACES];
    unsigned n;
} Given;

/* A function that has been taken with some arguments. */
struct Called {
    struct Called *next; /* of the same function */
    Step *call;
    const Given *given;
    bool done;
};

static Given given_to(Maker *m, const Op *call, const Value *v) {
    Given g = {{v}, 1};
    if (is_memory(v->type) || type_is_tile(v->type) || v->type->kind == TY_MULTI_TILE) {
        const AliasSet set = places_of(m, m->frame, call, v);
        g.n = set.n;
        for (unsigned i = 0; i < set.n; i++)
            g.what[i] = place_keep(&m->out->places, &set.places[i]);
    }
    return g;
}

static bool same_given(const Given *a, const Given *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (a[i].n != b[i].n) return false;
        for (unsigned k = 0; k < a[i].n; k++)
            if (a[i].what[k] != b[i].what[k]) return false;
    }
    return true;
}

/* Returns the entry of a function with these arguments, which is new unless it has a call. */
static Called *find_called(Maker *m, const Op *call, const Op *callee) {
    Called **all = (Called **)ptrmap_at(&m->called, callee);
    Given *given = ARENA_ARRAY(m->arena, Given, call->noperands + 1);
    for (uint32_t i = 0; i < call->noperands; i++)
        given[i] = given_to(m, call, call->operands[i].value);
    for (Called *c = *all; c != NULL; c = c->next)
        if (same_given(c->given, given, call->noperands)) return c;
    Called *c = ARENA_NEW(m->arena, Called);
    *c = (Called){.next = *all, .given = given};
    return *all = c;
}

static const Alias *alias_of(Maker *m, Op *callee) {
    void **known = ptrmap_at(&m->aliases, callee);
    if (*known == NULL) *known = alias_memory(&m->out->numbers, m->ctx, callee);
    return *known;
}

/* Takes the statements of a called function into its call. */
static void take_callee(Maker *m, const Op *op, Op *callee, Step *call) {
    const Block *entry = op_regions(callee)[0].first;
    const Step *outside = m->outside;
    const Frame frame = {m->frame, alias_of(m, callee), op, entry};
    const Core core = op_core_around(callee), inner = m->inner;
    Step **last = m->last;
    m->frame = &frame;
    m->outside = m->loop;
    m->last = &call->body;
    if (core != CORE_ANY) m->inner = core;
    m->calls++;
    take_region(m, &op_regions(callee)[0]);
    m->calls--;
    m->inner = inner;
    m->last = last;
    m->outside = outside;
    m->frame = frame.around;
}

/* True for a function of the other kind of core, which does nothing on this one. */
static bool runs_elsewhere(const Maker *m, const Op *callee) {
    const Core here = m->inner != CORE_ANY ? m->inner : m->core;
    const Core there = callee != NULL ? op_core_around(callee) : CORE_ANY;
    return here != CORE_ANY && there != CORE_ANY && here != there;
}

/* Takes a call. Within one statement of the function to prove, a function that is called again with
 * the same arguments is not taken again: calls that double at each level stay few steps. */
static void take_call(Maker *m, const Op *op) {
    if (runs_elsewhere(m, functions_callee(m->functions, op))) return;
    Op *callee = functions_body(m->functions, op);
    if (callee == NULL || m->calls == DEEPEST_CALL || m->out->unknown != NULL) {
        not_understood(m, op, "a call");
        return;
    }
    if (m->calls == 0) {
        m->call = op;
        m->called = (PtrMap){.arena = m->arena};
    }
    Called *known = find_called(m, op, callee);
    Step *s = add_step(m, STEP_CALL, op, PIPE_NONE);
    if (known->call == NULL) {
        known->call = s;
        take_callee(m, op, callee, s);
        known->done = true;
        return;
    }
    if (!known->done) not_understood(m, op, "a call of a function by itself");
    s->callee = known->call;
    known->call->shared = true;
    m->out->shared = true;
}

static void take_op(Maker *m, Op *op) {
    m->statements++;
    if (m->between) take_slot_memory(m, op);
    if (op->inst->family == FAM_SIMT && inst_accesses(op->inst) && !op_is(op, INST_CALL))
        not_understood(m, op, "the memory that work items touch");
    else if (op->nregions > 0)
        take_nested(m, op);
    else if ((op->inst->flags & IF_SYNC) != 0)
        take_sync(m, op);
    else if (op_is(op, INST_CALL))
        take_call(m, op);
    else
        take_access(m, op);
}

static void take_block(Maker *m, const Block *b) {
    for (Op *op = b->first; op != NULL; op = op->next)
        take_op(m, op);
}

/* Returns the number of a block after the first of its region. */
static uint32_t block_number(const Block *b) {
    uint32_t n = 0;
    for (const Block *x = b->region->first->next; x != b; x = x->next)
        n++;
    return n;
}

/* Notes where a block goes to. */
static void note_branches(Maker *m, Step *s, const Block *b) {
    const Op *last = b->last;
    int64_t yes = 0;
    if (last == NULL) return;
    s->next_blocks = ARENA_ARRAY(m->arena, uint32_t, last->nsuccs + 1);
    const bool decided =
        op_is(last, INST_CF_COND_BR) && is_decided(m, last->operands[0].value, &yes);
    for (unsigned i = 0; i < last->nsuccs; i++) {
        const Block *to = op_succs(last)[i].block;
        if (decided && (yes != 0) != (i == 0)) continue;
        if (to == NULL || to == b->region->first)
            not_understood(m, last, "a branch to the first block");
        else
            s->next_blocks[s->nnext++] = block_number(to);
    }
}

/* Takes the blocks of a region after the first, which goes to them. */
static void take_graph(Maker *m, const Region *r) {
    enum { MOST_BLOCKS = 1000 };
    Step *graph = add_step(m, STEP_GRAPH, r->first->last, PIPE_NONE), *around = m->loop;
    Step **last = m->last;
    graph->nblocks = block_number(r->last) + 1;
    if (graph->nblocks > MOST_BLOCKS) {
        not_understood(m, r->first->last, "so many blocks");
        return;
    }
    graph->depth++;
    graph->ring = 1;
    graph->trips = -1;
    graph->blocks = ARENA_ARRAY(m->arena, Step *, graph->nblocks);
    m->loop = graph;
    m->last = &graph->body;
    note_branches(m, graph, r->first);
    uint32_t n = 0;
    for (const Block *b = r->first->next; b != NULL; b = b->next) {
        Step *s = graph->blocks[n++] = add_step(m, STEP_BLOCK, b->last, PIPE_NONE);
        Step **after = m->last;
        m->last = &s->body;
        note_branches(m, s, b);
        take_block(m, b);
        m->last = after;
    }
    m->loop = around;
    m->last = last;
}

static void take_region(Maker *m, const Region *r) {
    if (r->first == NULL) return;
    take_block(m, r->first);
    if (r->first != r->last) take_graph(m, r);
}

static void make_steps(Arena *arena, CallGraph *graph, Op *func, Profile profile, Core core,
                       bool between, Steps *out) {
    const Context *ctx = graph->ctx;
    const Alias *alias = alias_memory(&out->numbers, ctx, func);
    Maker m = {.arena = arena,
               .ctx = ctx,
               .profile = profile,
               .core = core,
               .inner = op_core_around(func),
               .between = between,
               .last = &out->first,
               .out = out,
               .functions = &graph->functions,
               .aliases = {.arena = arena},
               .freed = {.arena = arena, .ctx = ctx}};
    const Frame frame = {.alias = alias};
    m.frame = &frame;
    take_region(&m, &op_regions(func)[0]);
}

void steps_of(Arena *arena, CallGraph *graph, Op *func, Profile profile, Core core, Steps *out) {
    *out = (Steps){.ctx = graph->ctx, .places = {.arena = arena}, .numbers = numbers_in(arena)};
    make_steps(arena, graph, func, profile, core, false, out);
}

typedef struct KnownSteps {
    struct KnownSteps *next; /* of the same function */
    uint8_t profile, core;
    Steps steps;
} KnownSteps;

Steps *steps_known(CallGraph *graph, CallNode *n, Profile profile, Core core) {
    for (KnownSteps *k = n->steps; k != NULL; k = k->next)
        if (k->profile == profile && k->core == core) return &k->steps;
    KnownSteps *k = ARENA_NEW(graph->arena, KnownSteps);
    k->next = n->steps;
    k->profile = (uint8_t)profile;
    k->core = (uint8_t)core;
    k->steps.ctx = graph->ctx;
    k->steps.places.arena = graph->arena;
    k->steps.numbers = numbers_in(graph->arena);
    make_steps(graph->arena, graph, n->func, profile, core, true, &k->steps);
    n->steps = k;
    return &k->steps;
}

const Value *subblock_argument(const Context *ctx, const Op *func) {
    const Block *entry = op_regions(func)[0].first;
    for (uint32_t i = 0; i < entry->nargs; i++) {
        const Value *v = &entry->args[i];
        if (number_width(v->type) != 0 && atom_ends_with(&ctx->names, v->name, "subblock_idx"))
            return v;
    }
    return NULL;
}

void steps_between(Arena *arena, CallGraph *graph, Op *func, Profile profile, Core core,
                   unsigned subblock, Steps *out) {
    *out = (Steps){.ctx = graph->ctx, .places = {.arena = arena}, .numbers = numbers_in(arena)};
    out->numbers.subblock = (uint8_t)(subblock + 1);
    const Value *named = subblock_argument(graph->ctx, func);
    if (named != NULL) {
        number_set(&out->numbers, named, subblock);
        out->assumed |= ASSUMED_SUBBLOCK;
    }
    make_steps(arena, graph, func, profile, core, true, out);
}
