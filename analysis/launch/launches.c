/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the launches of a module, and describes each for one profile: the steps of its cores, whose
 * memory they use, and what is bound to entries. */
#include "analysis/entries.h"
#include "analysis/launch/attempts.h"
#include "ir/core.h"
#include "ir/functions.h"

typedef struct Finder {
    const Module *m;
    CallGraph *graph;
    PipeProgram *pipes;
    ProfileSet profiles;
    LaunchOrder how;
    bool only_proofs;
    CoreLaunch *first, **last;
} Finder;

/* ---- which functions belong together ---- */

static CoreLaunch *add_launch(Finder *f, const CallNode *cube, const CallNode *vector) {
    CoreLaunch *l = ARENA_NEW(&f->m->ctx->arena, CoreLaunch);
    *l = (CoreLaunch){.cube = cube, .vector = vector};
    *f->last = l;
    f->last = &l->next;
    return l;
}

static bool is_both(const CallNode *n) {
    const unsigned both = 1u << CORE_CUBE | 1u << CORE_VECTOR;
    return (n->cores & both) == both;
}

/* True for a function in which a core begins and meets others. */
static bool is_start(const CallNode *n) {
    return n->root && n->meets && n->cores != 0;
}

static bool is_of(const CallNode *n, Core core) {
    return is_start(n) && !is_both(n) && n->cores == 1u << core;
}

/* True when a function is another one or called from it. */
static bool is_reached(const CallNode *from, const Op *func, unsigned deep) {
    enum { DEEPEST = 16 };
    if (from->func == func) return true;
    for (const CallEdge *e = from->callees; e != NULL && deep < DEEPEST; e = e->next_callee)
        if (is_reached(e->to, func, deep + 1)) return true;
    return false;
}

/* True when a pipe has one end in each of two functions. */
static bool share_pipe(const Finder *f, const CallNode *a, const CallNode *b) {
    PipeProgram *p = f->pipes;
    for (uint32_t i = 0; p != NULL && i < p->nends; i++)
        for (uint32_t k = 0; k < p->nends && is_reached(a, p->ends[i].note->func, 0); k++)
            if (pipe_root(p, i) == pipe_root(p, k) && is_reached(b, p->ends[k].note->func, 0))
                return true;
    return false;
}

static unsigned count_of(const Finder *f, Core core) {
    unsigned n = 0;
    for (const CallNode *x = f->graph->first; x != NULL; x = x->next)
        n += is_of(x, core);
    return n;
}

static bool has_launch(const Finder *f, const CallNode *vector) {
    for (const CoreLaunch *l = f->first; l != NULL; l = l->next)
        if (l->vector == vector) return true;
    return false;
}

/* Returns the vector function of a cube function: one with an end of its pipes, or the only one. */
static const CallNode *partner_of(const Finder *f, const CallNode *cube) {
    const CallNode *only = NULL;
    for (const CallNode *x = f->graph->first; x != NULL; x = x->next) {
        if (!is_of(x, CORE_VECTOR) || has_launch(f, x)) continue;
        if (share_pipe(f, cube, x)) return x;
        only = x;
    }
    return count_of(f, CORE_CUBE) == 1 && count_of(f, CORE_VECTOR) == 1 ? only : NULL;
}

static void find_launches(Finder *f) {
    for (const CallNode *n = f->graph->first; n != NULL; n = n->next) {
        if (is_start(n) && is_both(n)) add_launch(f, n, n);
        if (is_of(n, CORE_CUBE)) add_launch(f, n, partner_of(f, n));
    }
    for (const CallNode *n = f->graph->first; n != NULL; n = n->next)
        if (is_of(n, CORE_VECTOR) && !has_launch(f, n)) add_launch(f, NULL, n);
}

/* ---- the cores ---- */

/* What the functions that a core runs say about the vector cores. */
typedef struct Asks {
    bool which, second, split;
} Asks;

static void see_calls(const CallNode *n, Asks *a, unsigned deep) {
    enum { DEEPEST = 16 };
    a->which |= n->asks;
    a->second |= n->second;
    a->split |= n->split;
    for (const CallEdge *e = n->callees; e != NULL && deep < DEEPEST; e = e->next_callee)
        see_calls(e->to, a, deep + 1);
}

/* Finds whether both vector cores take part. Where whole entries are for the first one alone, a
 * program that never asks which one it is runs there only. */
static void count_vector_cores(LaunchBlock *b, const CoreLaunch *l) {
    Asks a = {false, false, false};
    see_calls(l->vector, &a, 0);
    if (l->cube != l->vector) see_calls(l->cube, &a, 0);
    a.which |= subblock_argument(b->ctx, l->vector->func) != NULL;
    b->asks = a.which || subblock_argument(b->ctx, l->cube->func) != NULL;
    b->second = !b->info->whole_entry_to_first || a.which || a.second || a.split;
}

/* Takes the steps of a core: those that are proved by themselves, in which pto.get_subblock_idx is
 * any number, or, if that is not enough, others in which it is known. */
static bool add_core(LaunchBlock *b, CoreLaunch *l, unsigned core, CallNode *n) {
    LaunchCore *c = &b->cores[core];
    c->there = true;
    c->kind = core == ON_CUBE ? CORE_CUBE : CORE_VECTOR;
    c->func = n->func;
    c->named = subblock_argument(b->ctx, n->func);
    if (b->any_subblock) {
        c->steps = steps_known(b->graph, n, b->profile, c->kind);
    } else {
        c->steps = ARENA_NEW(b->arena, Steps);
        steps_between(b->arena, b->graph, n->func, b->profile, c->kind, core == ON_VECTOR_1,
                      c->steps);
    }
    l->assumed |= c->steps->assumed | (c->named != NULL ? ASSUMED_SUBBLOCK : 0);
    if (c->steps->unknown == NULL) return true;
    l->why = c->steps->why;
    l->at = c->steps->unknown;
    return false;
}

/* ---- memory and entries ---- */

typedef struct Scan {
    LaunchBlock *b;
    unsigned core;
    const Block *entry; /* of the function */
} Scan;

static void *new_entry(LaunchBlock *b, const Value *v) {
    if (b->nentries == b->cap_entries)
        b->bound = ARENA_WIDEN(b->arena, const Value *, b->bound, &b->cap_entries, b->nentries, 8);
    b->bound[b->nentries++] = v;
    return *ptrmap_at(&b->entries, v) = (void *)(uintptr_t)b->nentries;
}

/* A declared tile is an entry even if nothing is ever bound to it. */
static void scan_declared(LaunchBlock *b, const Place *p) {
    const Value *v = p->base == BASE_BOUND && !place_is_memory(p) ? p->of : NULL;
    if (v == NULL || ptrmap_get(&b->entries, v) != NULL || ptrmap_get(&b->declared, v) == NULL)
        return;
    new_entry(b, v);
}

static void scan_use(const Scan *s, const Use *u) {
    LaunchBlock *b = s->b;
    const Place *p = u->places[0];
    scan_declared(b, p);
    if (!place_is_memory(p) || p->base == BASE_BOUND) return;
    const Value *v = p->base == BASE_PARAMETER ? p->of : NULL;
    if (v == NULL || value_block(v) != s->entry) {
        b->any_written |= u->write;
        return;
    }
    const uint32_t i = argument_number(b, s->core, v);
    b->users[i] |= (uint8_t)(1u << s->core);
    if (u->write) b->writers[i] |= (uint8_t)(1u << s->core);
}

static void add_entry(LaunchBlock *b, const void *key, const Op *op) {
    const Value *v = entry_value(op);
    void *number = ptrmap_get(&b->entries, v);
    if (number == NULL) number = new_entry(b, v);
    *ptrmap_at(&b->entries, key) = number;
}

static void scan_steps(const Scan *s, const Step *first) {
    for (const Step *x = first; x != NULL; x = x->next) {
        for (uint32_t i = 0; x->kind == STEP_ACCESS && i < x->nuses; i++)
            scan_use(s, &x->uses[i]);
        const unsigned use = x->kind == STEP_ACCESS ? x->op->inst->entry : ENTRY_NONE;
        if ((use == ENTRY_POP || use == ENTRY_ALLOC) && entry_value(x->op) != NULL)
            add_entry(s->b, x->op, x->op);
        scan_steps(s, x->body);
        scan_steps(s, x->other);
    }
}

static void scan_core(LaunchBlock *b, unsigned core) {
    const LaunchCore *c = &b->cores[core];
    if (!c->there) return;
    const Scan s = {b, core, op_regions(c->func)[0].first};
    scan_steps(&s, c->steps->first);
}

static bool see_declared(Op *op, void *arg) {
    LaunchBlock *b = arg;
    if (op_is(op, INST_DECLARE_TILE)) *ptrmap_at(&b->declared, &op->results[0]) = op;
    return true;
}

/* ---- proving ---- */

/* The text is a constant: it outlives a copy of the module that is proved. */
static const char *scope_of(const LaunchBlock *b) {
    return b->cores[ON_VECTOR_1].there ? "the cube and both vector cores"
                                       : "the cube and one vector core";
}

/* Returns the kind of core at an end; CORE_ANY: both kinds use it. */
static Core core_of_end(const PipeEnd *e) {
    if (!e->lowered) return e->cube ? CORE_CUBE : CORE_VECTOR;
    return op_core_around(e->note->op);
}

static bool are_two_ends(const PipeEnd *x, const PipeEnd *y) {
    const Core a = core_of_end(x), b = core_of_end(y);
    return a != CORE_ANY && b != CORE_ANY && a != b;
}

/* Tells whether an end has another one in the launch. */
static bool has_partner(const LaunchBlock *b, uint32_t i) {
    const PipeProgram *p = b->pipes;
    if (core_of_end(&p->ends[i]) == CORE_ANY) return true;
    for (uint32_t k = 0; k < p->nends; k++)
        if (b->ours[k] && b->roots[k] == b->roots[i] && are_two_ends(&p->ends[i], &p->ends[k]))
            return true;
    return false;
}

/* Links an end without a buffer or flags that would tell its partner with the only end of the other
 * kind of core of which nothing tells it, either. */
static void link_lonely(LaunchBlock *b, uint32_t i) {
    const PipeProgram *p = b->pipes;
    uint32_t found = UINT32_MAX;
    for (uint32_t k = 0; k < p->nends; k++) {
        const PipeEnd *x = &p->ends[i], *y = &p->ends[k];
        if (k == i || !b->ours[k] || has_partner(b, k)) continue;
        if (!are_two_ends(x, y) || found != UINT32_MAX) return;
        if (x->dir != y->dir || x->slot_num != y->slot_num || x->slot_size != y->slot_size) return;
        found = k;
    }
    if (found != UINT32_MAX) b->roots[found] = b->roots[i];
}

static void link_ends(LaunchBlock *b, const CoreLaunch *l) {
    PipeProgram *p = b->pipes;
    b->ours = ARENA_ARRAY(b->arena, bool, p->nends + 1);
    b->alone = ARENA_ARRAY(b->arena, bool, p->nends + 1);
    b->roots = ARENA_ARRAY(b->arena, uint32_t, p->nends + 1);
    for (uint32_t i = 0; i < p->nends; i++) {
        const Op *func = p->ends[i].note->func;
        b->ours[i] = is_reached(l->cube, func, 0) || is_reached(l->vector, func, 0);
        b->roots[i] = pipe_root(p, i);
    }
    for (uint32_t i = 0; i < p->nends; i++)
        if (b->ours[i] && !has_partner(b, i)) link_lonely(b, i);
    for (uint32_t i = 0; i < p->nends; i++)
        b->alone[i] = b->ours[i] && !has_partner(b, i);
}

/* True if the memory of an argument of one kind of core may be that of an argument of the other,
 * and is written. */
static bool may_share_arguments(const LaunchBlock *b) {
    unsigned used[2] = {0}, written[2] = {0};
    for (uint32_t i = 0; i < b->nparams; i++) {
        used[i >= b->shift] |= b->users[i];
        written[i >= b->shift] |= b->writers[i];
    }
    return b->shift > 0 && ((written[0] != 0 && used[1] != 0) || (written[1] != 0 && used[0] != 0));
}

static void describe(LaunchBlock *b, const Finder *f, const CoreLaunch *l) {
    b->entries = b->declared = (PtrMap){.arena = b->arena};
    op_walk(l->cube->func, see_declared, b);
    if (l->vector != l->cube) op_walk(l->vector->func, see_declared, b);
    const Block *cube = op_regions(l->cube->func)[0].first;
    const Block *vector = op_regions(l->vector->func)[0].first;
    b->shift = functions_share_arguments(cube, vector) ? 0 : cube->nargs;
    b->nparams =
        b->shift + (vector->nargs > cube->nargs || b->shift > 0 ? vector->nargs : cube->nargs);
    b->users = ARENA_ARRAY(b->arena, uint8_t, b->nparams + 1);
    b->writers = ARENA_ARRAY(b->arena, uint8_t, b->nparams + 1);
    b->params = ARENA_ARRAY(b->arena, Value, b->nparams + 1);
    b->pipes = f->pipes;
    if (b->pipes != NULL) link_ends(b, l);
    count_vector_cores(b, l);
}

static bool add_cores(LaunchBlock *b, CoreLaunch *l) {
    const unsigned cores = b->second ? CORES : ON_VECTOR_1;
    for (unsigned c = 0; c < cores; c++)
        if (!add_core(b, l, c,
                      callgraph_node(b->graph, (c == ON_CUBE ? l->cube : l->vector)->func)))
            return false;
    for (unsigned c = 0; c < cores; c++)
        scan_core(b, c);
    return true;
}

/* Tries it with steps that hold for any vector core, or not; false: nothing is known. */
static bool prove_with(const Finder *f, CoreLaunch *l, Profile profile, bool any_subblock) {
    Context *ctx = f->m->ctx;
    LaunchBlock b = {.ctx = ctx, .arena = &ctx->step, .graph = f->graph, .profile = profile};
    const unsigned assumed = l->assumed;
    b.info = &profile_infos[profile];
    b.any_subblock = any_subblock;
    b.ordered = l->ordered;
    b.brief = f->only_proofs;
    b.sequential = !b.info->entries_on_chip && !l->cube->unordered && !l->vector->unordered;
    describe(&b, f, l);
    const bool again = any_subblock && b.asks;
    if (!add_cores(&b, l)) {
        if (again) l->why = NULL;
    } else if (b.ordered && may_share_arguments(&b)) {
        l->why = "functions with other parameters, which may be given the same memory";
        return true;
    } else {
        l->scope = scope_of(&b);
        if (launch_prove(&b, l, again || f->only_proofs)) return true;
        if (!again) l->why = "more than a proof";
    }
    if (again) l->assumed = assumed;
    return !again;
}

static void prove_on(const Finder *f, CoreLaunch *l, Profile profile) {
    if (!prove_with(f, l, profile, true)) prove_with(f, l, profile, false);
}

static void prove(const Finder *f, CoreLaunch *l) {
    if (l->cube == NULL || l->vector == NULL) {
        l->why = l->cube != NULL ? "only the cube's side is in this file"
                                 : "only the vector cores' side is in this file";
        return;
    }
    const bool flags = l->cube->flags || l->vector->flags;
    const bool clean = !l->cube->unordered && !l->vector->unordered;
    l->ordered = (f->how != LAUNCH_WAITS && flags) || (f->how == LAUNCH_ALL && clean);
    for (int p = 0; p < PROFILE_COUNT; p++) {
        const ArenaMark mark = arena_mark(&f->m->ctx->step);
        if ((f->profiles & PROFILE_BIT(p)) != 0 && profile_infos[p].chip)
            prove_on(f, l, (Profile)p);
        arena_rewind(&f->m->ctx->step, mark);
    }
}

uint32_t launch_findings(const CoreLaunch *l) {
    uint32_t n = 0;
    for (const LaunchFinding *f = l->findings; f != NULL; f = f->next)
        n += f->id != DIAG_SYNC_CREDIT;
    return n;
}

CoreLaunch *launches_prove(const Module *m, CallGraph *graph, ProfileSet profiles, LaunchOrder how,
                           bool only_proofs) {
    Finder f = {.m = m, .graph = graph, .profiles = profiles, .how = how};
    f.only_proofs = only_proofs;
    f.last = &f.first;
    bool any = false;
    for (const CallNode *n = graph->first; n != NULL; n = n->next)
        any |= is_start(n);
    if (!any) return NULL;
    f.pipes = pipes_of_module(m);
    find_launches(&f);
    for (CoreLaunch *l = f.first; l != NULL; l = l->next)
        prove(&f, l);
    return f.first;
}
