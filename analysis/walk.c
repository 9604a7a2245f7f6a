/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the program of a proof: branches, loops and graphs of blocks until nothing changes, and
 * calls. */
#include "analysis/prover.h"

/* ---- control flow ---- */

static void walk(Prover *p, Step *first, State *st, uint32_t copy);

static void walk_branches(Prover *p, Step *s, State *st, uint32_t copy) {
    if (s->never != 0) {
        walk(p, s->never == 1 ? s->other : s->body, st, copy);
        return;
    }
    State other = new_state(p);
    copy_state(p, other, *st);
    walk(p, s->body, st, copy);
    walk(p, s->other, &other, copy);
    join_state(p, *st, other);
    free_state(p, other);
}

/* ---- calls ---- */

static void forget_loops(Prover *p, Step *s);

/* Walks a function with the steps of one call for all calls that share them. From the same state
 * it does the same. */
static void walk_shared(Prover *p, Step *call, State *st) {
    enum { MOST_REMEMBERED = 16 };
    unsigned n = 0;
    age_calls(p, st, call);
    for (const Memory *m = call->memory; m != NULL; m = m->next, n++) {
        if (!same_state(p, m->before, *st)) continue;
        copy_state(p, *st, m->after);
        return;
    }
    State before = new_state(p);
    copy_state(p, before, *st);
    for (Step *s = call->body; s != NULL; s = s->next)
        forget_loops(p, s);
    walk(p, call->body, st, 0);
    if (n == MOST_REMEMBERED || p->state_words > MOST_STATE_WORDS / 2 || p->out->gave_up != NULL) {
        free_state(p, before);
        return;
    }
    Memory *m = ARENA_NEW(p->arena, Memory);
    *m = (Memory){call->memory, before, new_state(p)};
    copy_state(p, m->after, *st);
    call->memory = m;
}

static void walk_call(Prover *p, Step *s, State *st, uint32_t copy) {
    Step *call = s->callee != NULL ? s->callee : s;
    if (call->shared)
        walk_shared(p, call, st);
    else
        walk(p, call->body, st, copy);
}

/* Joins a state into another, which may not have been reached yet. */
static bool reach(Prover *p, State *to, State from) {
    if (to->bits != NULL) return join_state(p, *to, from);
    *to = new_state(p);
    copy_state(p, *to, from);
    return true;
}

/* Walks the copies of the ring that changed. */
static bool walk_ring(Prover *p, Step *s, LoopState *loop, uint32_t copy, uint64_t *todo) {
    State st = new_state(p);
    bool exact = s->trips >= 0;
    uint32_t c = (uint32_t)__builtin_ctzll(*todo), next = (c + 1) % s->ring;
    *todo &= *todo - 1;
    copy_state(p, st, loop->heads[c]);
    walk(p, s->other, &st, copy * s->ring + c);
    if (s->other != NULL) reach(p, &loop->exit, st);
    walk(p, s->body, &st, copy * s->ring + c);
    if (s->other == NULL && (!exact || (s->trips - 1) % s->ring == c)) reach(p, &loop->exit, st);
    if (!exact || s->trips > s->ring || c != s->trips - 1) {
        age_loop(p, &st, s);
        if (reach(p, &loop->heads[next], st)) *todo |= (uint64_t)1 << next;
    }
    free_state(p, st);
    return ++loop->visits <= MOST_VISITS * s->ring;
}

static void free_loop(Prover *p, const Step *s, const LoopState *loop) {
    uint32_t n = s->kind == STEP_GRAPH ? s->nblocks : s->ring;
    for (uint32_t i = 0; i < n; i++)
        if (loop->heads[i].bits != NULL) free_state(p, loop->heads[i]);
    if (loop->exit.bits != NULL) free_state(p, loop->exit);
}

static void walk_loop(Prover *p, Step *s, State *st, uint32_t copy) {
    LoopState *loop = &s->states[copy];
    uint64_t todo = 0;
    if (s->trips == 0) return;
    if (loop->heads == NULL) loop->heads = ARENA_ARRAY(p->arena, State, s->ring);
    if (reach(p, &loop->heads[0], *st)) todo = 1;
    if (s->trips < 0 && s->other == NULL) reach(p, &loop->exit, *st);
    while (todo != 0 && p->out->gave_up == NULL)
        if (!walk_ring(p, s, loop, copy, &todo)) p->out->gave_up = "its loops take too long";
    if (loop->exit.bits != NULL) copy_state(p, *st, loop->exit);
    if (s->loop == NULL) free_loop(p, s, loop); /* it is not walked again */
}

/* Joins a state into the blocks that come next. One that comes before in the text may be in a later
 * iteration. */
static void reach_blocks(Prover *p, const Step *graph, LoopState *g, const Step *from, State st,
                         uint32_t number, bool *todo) {
    for (uint32_t i = 0; i < from->nnext; i++) {
        uint32_t next = from->next_blocks[i];
        State passed = new_state(p);
        copy_state(p, passed, st);
        if (from != graph && next <= number) age_loop(p, &passed, graph);
        todo[next] |= reach(p, &g->heads[next], passed);
        free_state(p, passed);
    }
    if (from->nnext == 0) reach(p, &g->exit, st);
}

static void walk_graph(Prover *p, Step *s, State *st, uint32_t copy) {
    LoopState *g = &s->states[copy];
    bool *todo = ARENA_ARRAY(p->arena, bool, s->nblocks);
    if (g->heads == NULL) g->heads = ARENA_ARRAY(p->arena, State, s->nblocks);
    reach_blocks(p, s, g, s, *st, 0, todo);
    for (uint32_t b = 0; b < s->nblocks && p->out->gave_up == NULL;) {
        if (!todo[b]) {
            b++;
            continue;
        }
        State now = new_state(p);
        todo[b] = false;
        copy_state(p, now, g->heads[b]);
        walk(p, s->blocks[b]->body, &now, copy);
        reach_blocks(p, s, g, s->blocks[b], now, b, todo);
        free_state(p, now);
        if (++g->visits > MOST_VISITS * s->nblocks) p->out->gave_up = "its loops take too long";
        b = 0;
    }
    if (g->exit.bits != NULL)
        copy_state(p, *st, g->exit);
    else
        memset(st->counts, 0, p->ncounts); /* it is never left */
    if (s->loop == NULL) free_loop(p, s, g);
}

static void walk(Prover *p, Step *first, State *st, uint32_t copy) {
    for (Step *s = first; s != NULL && p->out->gave_up == NULL; s = s->next) {
        if (s->kind == STEP_IF)
            walk_branches(p, s, st, copy);
        else if (s->kind == STEP_LOOP)
            walk_loop(p, s, st, copy);
        else if (s->kind == STEP_GRAPH)
            walk_graph(p, s, st, copy);
        else if (s->kind == STEP_BLOCK)
            walk(p, s->body, st, copy);
        else if (s->kind == STEP_CALL)
            walk_call(p, s, st, copy);
        else
            take_step(p, st, s, copy);
    }
}

/* ---- entry points ---- */

void prove_steps(Arena *arena, Step *program, const Places *t, PipeOrder order, bool entry,
                 const CarryIn *in, Proof *out) {
    Prover *p = ARENA_NEW(arena, Prover);
    p->arena = arena;
    p->order = order;
    p->in = in;
    p->out = out;
    *out = (Proof){.last = &out->first};
    if (!prover_prepare(p, program, t)) {
        out->gave_up = "it is too large";
        return;
    }
    State st = new_state(p);
    prover_begin(p, st);
    walk(p, program, &st, 0);
    if (entry && out->gave_up == NULL) find_leaks(p, &st);
}

/* ---- a proof that is repeated ---- */

/* Frees what the loops of a step and of those inside remember. */
static void forget_loops(Prover *p, Step *s) {
    for (Step *in = s->body; in != NULL; in = in->next)
        forget_loops(p, in);
    for (Step *in = s->other; in != NULL; in = in->next)
        forget_loops(p, in);
    for (uint32_t c = 0; c < s->loops; c++) {
        if (s->states[c].heads != NULL && s->loop != NULL) free_loop(p, s, &s->states[c]);
        s->states[c] = (LoopState){.heads = NULL};
    }
}

static void walk_one(Prover *p, Step *s, State *st) {
    forget_loops(p, s);
    if (s->kind == STEP_IF)
        walk_branches(p, s, st, 0);
    else if (s->kind == STEP_LOOP)
        walk_loop(p, s, st, 0);
    else if (s->kind == STEP_GRAPH)
        walk_graph(p, s, st, 0);
    else if (s->kind == STEP_BLOCK)
        walk(p, s->body, st, 0);
    else if (s->kind == STEP_CALL)
        walk_call(p, s, st, 0);
    else
        take_step(p, st, s, 0);
}

Prover *prover_new(Arena *arena, Step *program, const Places *t, PipeOrder order,
                   const CarryIn *in) {
    Prover *p = ARENA_NEW(arena, Prover);
    p->arena = arena;
    p->order = order;
    p->in = in;
    p->out = ARENA_NEW(arena, Proof);
    *p->out = (Proof){.last = &p->out->first};
    p->first = true;
    if (!prover_prepare(p, program, t)) return NULL;
    p->now = new_state(p);
    prover_begin(p, p->now);
    return p;
}

bool prover_holds(Prover *p, Step *from) {
    State st = new_state(p);
    copy_state(p, st, p->now);
    for (Step *s = from; s != NULL && p->out->gave_up == NULL; s = s->next)
        walk_one(p, s, &st);
    free_state(p, st);
    bool holds = p->out->gave_up == NULL;
    if (p->raced) p->out->gave_up = NULL;
    p->raced = false;
    return holds;
}

void prover_pass(Prover *p, Step *s) {
    walk_one(p, s, &p->now);
}
