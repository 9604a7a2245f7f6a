/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves out one group of statements after the other and repeats the proof. A group leaves the
 * number of every flag as it is, so that the proof need only look for races. */
#include "analysis/redundant.h"
#include "analysis/effects.h"

enum {
    MOST_WORK = 1 << 20 /* statements that can be left out, times steps */
};

typedef struct Group {
    struct Group *next;
    Step **steps;
    uint32_t n;
    const Step *place; /* the step of the first list that holds its first statement */
} Group;

typedef struct Finder {
    Arena *arena;
    Step **syncs; /* sets, waits and barriers, in the order of the text */
    Step **places;
    bool *taken; /* in a group */
    uint32_t n, cap, steps;
    Group *first, **last;
} Finder;

/* ---- the text ---- */

static bool see_other_cores(Op *op, void *arg) {
    bool *alone = arg;
    SyncUse use = (SyncUse)op->inst->sync;
    if (use == SYNC_CORES || use == SYNC_DRAIN || use == SYNC_FENCE || op_transfers(op) ||
        op->inst->entry != ENTRY_NONE)
        *alone = false;
    return *alone;
}

bool redundant_applies(Op *func) {
    bool alone = true;
    op_walk(func, see_other_cores, &alone);
    return alone;
}

static bool is_barrier(const Step *s) {
    return !s->hidden && (s->kind == STEP_BARRIER || s->kind == STEP_BARRIER_ALL);
}

static bool is_flag(const Step *s) {
    return !s->hidden && (s->kind == STEP_SET || s->kind == STEP_WAIT);
}

static bool has_access(const Step *first) {
    for (const Step *s = first; s != NULL; s = s->next)
        if (s->kind == STEP_ACCESS || has_access(s->body) || has_access(s->other)) return true;
    return false;
}

static void add_sync(Finder *f, Step *s, Step *place) {
    if (f->n == f->cap) {
        uint32_t cap = f->cap == 0 ? 64 : f->cap * 2;
        Step **syncs = ARENA_ARRAY(f->arena, Step *, cap);
        Step **places = ARENA_ARRAY(f->arena, Step *, cap);
        if (f->n > 0) memcpy(syncs, f->syncs, f->n * sizeof(Step *));
        if (f->n > 0) memcpy(places, f->places, f->n * sizeof(Step *));
        f->syncs = syncs;
        f->places = places;
        f->cap = cap;
    }
    f->syncs[f->n] = s;
    f->places[f->n++] = place;
}

/* Collects the statements; `place` is NULL in the first list. A called function may have other
 * callers, which need what is in it. */
static void collect_syncs(Finder *f, Step *first, Step *place) {
    for (Step *s = first; s != NULL; s = s->next) {
        Step *around = place != NULL ? place : s;
        f->steps++;
        if (is_flag(s) || is_barrier(s)) add_sync(f, s, around);
        collect_syncs(f, s->kind == STEP_LOOP ? s->other : s->body, around);
        collect_syncs(f, s->kind == STEP_LOOP ? s->body : s->other, around);
    }
}

/* ---- groups ---- */

static bool same_flag(const Step *a, const Step *b) {
    return is_flag(a) && is_flag(b) && a->pipe == b->pipe && a->to == b->to && a->id.loop == NULL &&
           b->id.loop == NULL && a->id.offset == b->id.offset;
}

static bool has_flag(const Step *first, const Step *flag) {
    for (const Step *s = first; s != NULL; s = s->next)
        if (same_flag(s, flag) || has_flag(s->body, flag) || has_flag(s->other, flag)) return true;
    return false;
}

/* Returns the wait for a set in its list, if nothing sets or waits for the flag between. */
static Step *wait_of(const Step *set) {
    for (Step *s = set->next; s != NULL; s = s->next) {
        if (same_flag(s, set)) return s->kind == STEP_WAIT ? s : NULL;
        if (has_flag(s->body, set) || has_flag(s->other, set)) return NULL;
    }
    return NULL;
}

static bool pair_is_dynamic(const Finder *f, const Step *flag) {
    for (uint32_t i = 0; i < f->n; i++) {
        const Step *s = f->syncs[i];
        if (is_flag(s) && s->pipe == flag->pipe && s->to == flag->to && s->id.loop != NULL)
            return true;
    }
    return false;
}

static void add_member(Finder *f, Group *g, uint32_t i) {
    g->steps[g->n++] = f->syncs[i];
    f->taken[i] = true;
}

/* Adds to the group of a flag all up to the next wait in the first list. Flags of a pair of pipes
 * with numbers that a loop determines are one group. */
static void add_rest(Finder *f, Group *g, uint32_t from) {
    const Step *flag = f->syncs[from];
    bool all = pair_is_dynamic(f, flag);
    for (uint32_t i = from; i < f->n; i++) {
        Step *s = f->syncs[i];
        bool same =
            all ? is_flag(s) && s->pipe == flag->pipe && s->to == flag->to : same_flag(s, flag);
        if (!same || f->taken[i]) continue;
        add_member(f, g, i);
        if (!all && s->kind == STEP_WAIT && f->places[i] == s) return;
    }
}

static void add_group(Finder *f, uint32_t i) {
    Step *s = f->syncs[i];
    Group *g = ARENA_NEW(f->arena, Group);
    g->place = f->places[i];
    g->steps = ARENA_ARRAY(f->arena, Step *, is_barrier(s) ? 1 : f->n - i);
    if (is_barrier(s))
        add_member(f, g, i);
    else
        add_rest(f, g, i);
    *f->last = g;
    f->last = &g->next;
}

static void add_pair(Finder *f, uint32_t i, const Step *wait) {
    Group *g = ARENA_NEW(f->arena, Group);
    g->place = f->places[i];
    g->steps = ARENA_ARRAY(f->arena, Step *, 2);
    add_member(f, g, i);
    for (uint32_t k = i + 1; k < f->n; k++)
        if (f->syncs[k] == wait) add_member(f, g, k);
    *f->last = g;
    f->last = &g->next;
}

/* A barrier at the end of the kernel may be meant for what comes after it. */
static bool is_last(const Finder *f, uint32_t i) {
    return is_barrier(f->syncs[i]) && f->places[i] == f->syncs[i] && !has_access(f->syncs[i]->next);
}

static void make_groups(Finder *f) {
    f->last = &f->first;
    f->taken = ARENA_ARRAY(f->arena, bool, f->n + 1);
    for (uint32_t i = 0; i < f->n; i++) {
        Step *s = f->syncs[i];
        Step *wait = s->kind == STEP_SET && !pair_is_dynamic(f, s) ? wait_of(s) : NULL;
        if (wait != NULL) add_pair(f, i, wait);
    }
    for (uint32_t i = 0; i < f->n; i++)
        if (!f->taken[i] && !is_last(f, i)) add_group(f, i);
}

static bool in_callee(const Group *g) {
    for (uint32_t i = 0; i < g->n; i++)
        if (g->steps[i]->at != g->steps[i]->op) return true;
    return false;
}

/* ---- the proof without a group ---- */

typedef struct Kept {
    uint8_t kind, pipe;
} Kept;

/* A barrier of no pipe orders nothing. */
static void leave_out(const Group *g, Kept *kept) {
    for (uint32_t i = 0; i < g->n; i++) {
        kept[i] = (Kept){g->steps[i]->kind, g->steps[i]->pipe};
        g->steps[i]->kind = STEP_BARRIER;
        g->steps[i]->pipe = PIPE_NONE;
    }
}

static void put_back(const Group *g, const Kept *kept) {
    for (uint32_t i = 0; i < g->n; i++) {
        g->steps[i]->kind = kept[i].kind;
        g->steps[i]->pipe = kept[i].pipe;
    }
}

static void take_needless(Redundant *r, Context *ctx, const Group *g) {
    Needless *x = ARENA_NEW(&ctx->arena, Needless);
    x->n = g->n;
    x->steps = ARENA_ARRAY(&ctx->arena, const Step *, g->n);
    memcpy(x->steps, g->steps, g->n * sizeof *g->steps);
    *r->last = x;
    r->last = &x->next;
}

static void try_group(Redundant *r, Context *ctx, Prover *prover, Step *from, const Group *g) {
    Kept *kept = ARENA_ARRAY(&ctx->arena, Kept, g->n);
    leave_out(g, kept);
    if (!in_callee(g) && prover_holds(prover, from)) {
        take_needless(r, ctx, g);
        return;
    }
    put_back(g, kept);
    for (uint32_t i = 0; i < g->n; i++)
        *ptrmap_at(&r->needed, g->steps[i]->op) = g->steps[i];
}

/* Gives the steps back what they were, for messages. */
typedef struct Copy {
    Step **steps;
    Kept *kept;
} Copy;

static Copy copy_syncs(const Finder *f) {
    Copy c = {f->syncs, ARENA_ARRAY(f->arena, Kept, f->n + 1)};
    for (uint32_t i = 0; i < f->n; i++)
        c.kept[i] = (Kept){f->syncs[i]->kind, f->syncs[i]->pipe};
    return c;
}

static void restore_syncs(const Finder *f, const Copy *c) {
    put_back(&(Group){.steps = c->steps, .n = f->n}, c->kept);
}

void redundant_find(Redundant *r, Context *ctx, Steps *steps, Profile p) {
    Finder f = {.arena = &ctx->arena};
    PipeOrder order = pipe_order_documented(p);
    collect_syncs(&f, steps->first, NULL);
    if (f.n == 0) return;
    /* What keeps flags from being set too early has its use, where none is. */
    Prover *prover = NULL;
    for (int early = 1; early >= 0 && prover == NULL; early--) {
        order.early = early;
        if ((uint64_t)f.n * f.steps <= MOST_WORK)
            prover = prover_new(&ctx->arena, steps->first, &steps->places, order, NULL);
        if (prover != NULL && !prover_holds(prover, steps->first)) prover = NULL;
    }
    if (prover == NULL) {
        r->unclear = true;
        return;
    }
    const Copy before = copy_syncs(&f);
    make_groups(&f);
    for (Step *s = steps->first; s != NULL; s = s->next) {
        for (Group *g = f.first; g != NULL; g = g->next)
            if (g->place == s) try_group(r, ctx, prover, s, g);
        prover_pass(prover, s);
    }
    restore_syncs(&f, &before);
}

bool is_redundant(const Redundant *r, const Needless *x) {
    for (uint32_t i = 0; i < x->n; i++)
        if (ptrmap_get(&r->needed, x->steps[i]->op) != NULL) return false;
    return !r->unclear;
}
