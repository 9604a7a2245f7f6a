/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs the loops and branches of the cores: partners come next on each core and have the same trip
 * count or condition. A short loop without a partner is written out, if its trip count is known; a
 * branch without one is taken alone. Loops and branches in which cores do not meet stay with their
 * core. */
#include "analysis/launch/pairs.h"

#include "analysis/launch/statements.h"
#include "analysis/launch/values.h"

/* Steps that are still to be paired: those from `step` on, then those of `below`. */
typedef struct Rest {
    struct Rest *below;
    Step *step;
    const Env *env;
} Rest;

typedef struct Pairing {
    Attempt *a;
    Rest *rest[CORES];
    Step *ready[CORES]; /* what next_step() returned, until it is taken */
    unsigned present;   /* 1 << core */
    const Item *around;
    uint32_t depth;
} Pairing;

/* ---- what steps hold ---- */

enum { RELEVANT = 1, MEETS = 2, SEEN = 4 };

static unsigned relevance_of(Attempt *a, const Step *first);

static unsigned relevance_of_step(Attempt *a, const Step *s) {
    unsigned r = statement_relevance(a, s);
    if (s->kind == STEP_CALL && s->callee != NULL) r |= relevance_of(a, s->callee->body);
    if (s->kind == STEP_GRAPH)
        for (uint32_t i = 0; i < s->nblocks; i++)
            r |= relevance_of(a, s->blocks[i]->body);
    return r | relevance_of(a, s->body) | relevance_of(a, s->other);
}

/* Returns RELEVANT if a list has statements of interest, with MEETS if cores meet in it. */
static unsigned relevance_of(Attempt *a, const Step *first) {
    if (first == NULL) return 0;
    void **known = ptrmap_at(&a->relevance, first);
    if (*known != NULL) return (unsigned)(uintptr_t)*known & (RELEVANT | MEETS);
    *known = (void *)(uintptr_t)SEEN;
    unsigned r = 0;
    for (const Step *s = first; s != NULL; s = s->next)
        r |= relevance_of_step(a, s);
    *ptrmap_at(&a->relevance, first) = (void *)(uintptr_t)(r | SEEN);
    return r;
}

static unsigned relevance(Attempt *a, const Step *s) {
    return relevance_of_step(a, s);
}

/* ---- the next step of a core ---- */

static void push_rest(Pairing *p, unsigned core, Step *first, const Env *env) {
    if (first == NULL) return;
    Rest *r = ARENA_NEW(p->a->arena, Rest);
    *r = (Rest){p->rest[core], first, env};
    p->rest[core] = r;
}

static Env *new_env(Attempt *a, const Env *up, const Step *step) {
    Env *env = ARENA_NEW(a->arena, Env);
    *env = (Env){.up = up, .step = step};
    return env;
}

/* Puts the iterations of a loop in the place of the loop. */
static void write_out(Pairing *p, unsigned core, const Step *loop, const Env *env, int64_t trips) {
    for (int64_t k = trips - 1; k >= 0; k--) {
        Env *in = new_env(p->a, env, loop);
        in->k = k;
        push_rest(p, core, loop->body, in);
    }
}

static void push_call(Pairing *p, unsigned core, Step *s, const Env *env) {
    Env *in = new_env(p->a, env, s);
    const Step *body = s->callee != NULL ? s->callee : s;
    Functions functions = {.arena = p->a->arena};
    const Op *callee = functions_body(&functions, s->op);
    if (callee == NULL) {
        attempt_fails(p->a, s->op, "a call");
        return;
    }
    in->entry = op_regions(callee)[0].first;
    push_rest(p, core, body->body, in);
}

static const Term *trips_of(Pairing *p, unsigned core, const Step *s, const Env *env) {
    return s->trips >= 0 ? term_constant(p->a, s->trips) : term_trips(p->a, core, s, env);
}

/* True when a step was replaced by those inside. */
static bool is_opened(Pairing *p, unsigned core, Step *s, const Env *env) {
    if (s->kind == STEP_BLOCK) {
        push_rest(p, core, s->body, env);
    } else if (s->kind == STEP_CALL) {
        push_call(p, core, s, env);
    } else if (s->kind == STEP_IF) {
        const Term *t = s->never != 0 ? term_constant(p->a, s->never == 2)
                                      : term_condition(p->a, core, s->op, env);
        if (t->kind != TERM_CONSTANT) return false;
        push_rest(p, core, t->c != 0 ? s->body : s->other, env);
    } else if (s->kind == STEP_LOOP && s->other == NULL) {
        const Term *t = trips_of(p, core, s, env);
        const bool all = p->a->write_out || (t->kind == TERM_CONSTANT && t->c <= 1);
        if (t->kind != TERM_CONSTANT || !all) return false;
        if (t->c > MOST_WRITTEN)
            attempt_fails(p->a, s->op, "a loop that runs so often");
        else
            write_out(p, core, s, env, t->c);
    } else {
        return false;
    }
    return true;
}

static bool is_control(const Step *s) {
    return s->kind == STEP_LOOP || s->kind == STEP_IF;
}

/* Returns the next step of a core that is of interest: a statement, a loop or a branch. It stays
 * the next one. */
static Step *next_step(Pairing *p, unsigned core) {
    if (p->ready[core] != NULL && p->a->why == NULL) return p->ready[core];
    while (p->rest[core] != NULL && p->a->why == NULL) {
        Rest *r = p->rest[core];
        Step *s = r->step;
        if (s == NULL) {
            p->rest[core] = r->below;
            continue;
        }
        const bool skip = relevance(p->a, s) == 0;
        if (!skip && s->kind == STEP_GRAPH) attempt_fails(p->a, s->op, "branches between blocks");
        r->step = s->next;
        if (skip || is_opened(p, core, s, r->env)) continue;
        r->step = s;
        return p->ready[core] = s;
    }
    return NULL;
}

/* Takes the step that next_step() returned. */
static const Env *take_step(Pairing *p, unsigned core) {
    const Env *env = p->rest[core]->env;
    p->rest[core]->step = p->rest[core]->step->next;
    p->ready[core] = NULL;
    return env;
}

/* ---- items ---- */

static Item *new_item(Pairing *p, ItemKind kind, unsigned cores) {
    Item *item = ARENA_NEW(p->a->arena, Item);
    *item = (Item){.kind = (uint8_t)kind, .cores = (uint8_t)cores, .around = p->around, .ring = 1};
    item->depth = p->depth;
    return item;
}

static Item *pair(Attempt *a, Rest *const rest[CORES], const Item *around, uint32_t depth);

static Rest *rest_of(Attempt *a, Step *first, const Env *env) {
    Rest *r = ARENA_NEW(a->arena, Rest);
    *r = (Rest){NULL, first, env};
    return r;
}

/* A loop or branch that the cores of a set take together. */
typedef struct Group {
    const Term *term;
    bool loop, swapped[CORES];
    unsigned cores;
} Group;

static Item *make_loop(Pairing *p, const Group *g) {
    Item *item = new_item(p, ITEM_LOOP, g->cores);
    Rest *body[CORES] = {NULL}, *other[CORES] = {NULL};
    Variable *count = ARENA_NEW(p->a->arena, Variable);
    item->number = p->a->nloops++;
    item->depth = p->depth + 1;
    item->trips = g->term->kind == TERM_CONSTANT ? g->term->c : -1;
    if (item->depth > p->a->deepest) p->a->deepest = item->depth;
    *count = (Variable){.kind = VAR_LOOP,
                        .number = p->a->shared.n++,
                        .depth = item->depth,
                        .hi = item->trips > 0 ? item->trips - 1 : (int64_t)1 << 36};
    item->count = count;
    for (unsigned c = 0; c < CORES; c++) {
        if ((g->cores >> c & 1) == 0) continue;
        Step *s = next_step(p, c);
        Env *env = new_env(p->a, take_step(p, c), s);
        env->item = item;
        item->ring = (uint32_t)common_multiple(item->ring, s->ring > 0 ? s->ring : 1);
        item->meets |= (relevance(p->a, s) & MEETS) != 0;
        if (item->op == NULL) item->op = s->op;
        item->ops[c] = s->op;
        body[c] = rest_of(p->a, s->body, env);
        if (s->other != NULL) other[c] = rest_of(p->a, s->other, env);
    }
    if (item->ring == 0) attempt_fails(p->a, item->op, "turns of slots and events that long");
    item->other = pair(p->a, other, item, item->depth);
    item->body = pair(p->a, body, item, item->depth);
    return item;
}

static Item *make_branch(Pairing *p, const Group *g) {
    Item *item = new_item(p, ITEM_BRANCH, g->cores);
    Rest *body[CORES] = {NULL}, *other[CORES] = {NULL};
    item->condition = g->term;
    for (unsigned c = 0; c < CORES; c++) {
        if ((g->cores >> c & 1) == 0) continue;
        Step *s = next_step(p, c);
        const Env *env = take_step(p, c);
        item->meets |= (relevance(p->a, s) & MEETS) != 0;
        if (item->op == NULL) item->op = s->op;
        body[c] = rest_of(p->a, g->swapped[c] ? s->other : s->body, env);
        other[c] = rest_of(p->a, g->swapped[c] ? s->body : s->other, env);
    }
    item->body = pair(p->a, body, p->around, p->depth);
    item->other = pair(p->a, other, p->around, p->depth);
    return item;
}

static bool same_statements(const LaunchBlock *b, const Statement *s, const Statement *t) {
    for (; s != NULL && t != NULL; s = s->next, t = t->next)
        if (s->kind != t->kind || s->queue != t->queue || s->split != t->split ||
            s->empty != t->empty || s->event != t->event || s->pipe != t->pipe ||
            (b->ordered && s->entry != t->entry) || s->ntouches + t->ntouches > 0 ||
            s->kind < DO_ALLOC)
            return false;
    return s == t;
}

/* True when both parts of a branch do the same to queues and events, and nothing else. */
static bool does_the_same(const LaunchBlock *b, const Item *branch) {
    const Item *x = branch->body, *y = branch->other;
    if (x == NULL || y == NULL || x->kind != ITEM_SEGMENT || y->kind != ITEM_SEGMENT ||
        x->next != NULL || y->next != NULL)
        return false;
    for (unsigned c = 0; c < CORES; c++)
        if (!same_statements(b, x->first[c], y->first[c])) return false;
    return true;
}

static Item *make_item(Pairing *p, const Group *g) {
    if (g->loop) return make_loop(p, g);
    Item *branch = make_branch(p, g);
    return does_the_same(p->a->block, branch) ? branch->body : branch;
}

/* Takes the statements that come next on each core; NULL: there are none. */
static Item *take_segment(Pairing *p) {
    Item *item = NULL;
    for (unsigned c = 0; c < CORES; c++)
        for (Step *s; (s = next_step(p, c)) != NULL && !is_control(s);) {
            if (item == NULL) item = new_item(p, ITEM_SEGMENT, p->present);
            if (p->a->written++ == MOST_WRITTEN) {
                attempt_fails(p->a, NULL, "it is too large");
                return item;
            }
            Statement *made = statement_new(p->a, c, s, take_step(p, c), p->around);
            if (made == NULL) continue;
            if (item->first[c] == NULL)
                item->first[c] = made;
            else
                item->last[c]->next = made;
            item->last[c] = made;
        }
    return item;
}

/* ---- partners ---- */

static Group group_of(Pairing *p, unsigned core, Step *s) {
    Group g = {.loop = s->kind == STEP_LOOP, .cores = 1u << core};
    const Env *env = p->rest[core]->env;
    g.term =
        g.loop ? (s->other != NULL ? term_of_op(p->a, core, s->op, env) : trips_of(p, core, s, env))
               : term_condition(p->a, core, s->op, env);
    if (!g.loop && g.term->kind == TERM_NOT) {
        g.term = g.term->in[0];
        g.swapped[core] = true;
    }
    return g;
}

/* Finds a loop or branch in which cores do not meet. */
static bool find_own(Pairing *p, Group *out) {
    for (unsigned c = 0; c < CORES; c++) {
        Step *s = next_step(p, c);
        if (s == NULL || (relevance(p->a, s) & MEETS) != 0) continue;
        *out = group_of(p, c, s);
        return true;
    }
    return false;
}

typedef struct Groups {
    Group all[CORES];
    unsigned n, waiting; /* cores with something left */
} Groups;

static void find_groups(Pairing *p, Groups *out) {
    *out = (Groups){.n = 0};
    for (unsigned c = 0; c < CORES; c++) {
        Step *s = next_step(p, c);
        if (s == NULL) continue;
        const Group g = group_of(p, c, s);
        unsigned i = 0;
        while (i < out->n && (out->all[i].term != g.term || out->all[i].loop != g.loop))
            i++;
        if (i == out->n) out->all[out->n++] = (Group){.term = g.term, .loop = g.loop};
        out->all[i].cores |= 1u << c;
        out->all[i].swapped[c] = g.swapped[c];
        out->waiting++;
    }
}

/* Writes out the shortest loop that has no partner; false when there is none. */
static bool write_shortest(Pairing *p, const Groups *g) {
    const Group *best = NULL;
    for (unsigned i = 0; i < g->n; i++) {
        const Group *x = &g->all[i];
        if (!x->loop || x->term->kind != TERM_CONSTANT || x->term->c > MOST_COPIES) continue;
        if (best == NULL || x->term->c < best->term->c) best = x;
    }
    if (best == NULL) return false;
    const unsigned core = (unsigned)__builtin_ctz(best->cores);
    Step *s = next_step(p, core);
    if (s->other != NULL) return false;
    const Env *env = take_step(p, core);
    write_out(p, core, s, env, best->term->c);
    return true;
}

static const Group *find_branch(const Groups *g) {
    for (unsigned i = 0; i < g->n; i++)
        if (!g->all[i].loop) return &g->all[i];
    return NULL;
}

static void fail_unpaired(Pairing *p, const Groups *g) {
    unsigned first = (unsigned)__builtin_ctz(g->all[0].cores);
    unsigned second = (unsigned)__builtin_ctz(g->all[1].cores);
    const Step *s = next_step(p, first), *t = next_step(p, second);
    if (p->a->why != NULL || s == NULL || t == NULL) return;
    attempt_fails(p->a, s->op, "loops that are not known to run equally often");
    p->a->at_other = t->op;
}

/* Chooses what the cores do next together; false when steps were written out instead, or the
 * attempt ended. */
static bool choose(Pairing *p, Group *out) {
    Groups g;
    if (find_own(p, out)) return true;
    find_groups(p, &g);
    if (g.n == 0 || p->a->why != NULL) return false;
    const bool alone = g.n == 1 && g.waiting < 2 && (p->present & (p->present - 1)) != 0;
    *out = g.all[0];
    if (g.n == 1 && !alone) return true;
    if (write_shortest(p, &g)) return false;
    const Group *branch = find_branch(&g);
    if (branch != NULL)
        *out = *branch;
    else if (g.n > 1)
        fail_unpaired(p, &g);
    return p->a->why == NULL;
}

static bool has_rest(Pairing *p) {
    for (unsigned c = 0; c < CORES; c++)
        if (next_step(p, c) != NULL) return true;
    return false;
}

static Item *pair(Attempt *a, Rest *const rest[CORES], const Item *around, uint32_t depth) {
    enum { DEEPEST_NEST = 100 };
    Pairing p = {.a = a, .around = around, .depth = depth};
    Item *first = NULL, **last = &first;
    if (++a->nest > DEEPEST_NEST) attempt_fails(a, NULL, "its loops and branches are so deep");
    for (unsigned c = 0; c < CORES; c++) {
        p.rest[c] = rest[c];
        if (rest[c] != NULL) p.present |= 1u << c;
    }
    while (a->why == NULL && has_rest(&p)) {
        Group g;
        Item *item = take_segment(&p);
        if (item != NULL) {
            *last = item;
            last = &item->next;
        }
        if (a->why != NULL || !has_rest(&p) || !choose(&p, &g)) continue;
        *last = item = make_item(&p, &g);
        last = &item->next;
    }
    a->nest--;
    return first;
}

/* Counts the branches that depend on each condition. */
static void count_conditions(PtrMap *uses, const Item *first) {
    for (const Item *i = first; i != NULL; i = i->next) {
        if (i->kind == ITEM_BRANCH) {
            void **n = ptrmap_at(uses, i->condition);
            *n = (void *)((uintptr_t)*n + 1);
        }
        count_conditions(uses, i->body);
        count_conditions(uses, i->other);
    }
}

static void note_single(const PtrMap *uses, Item *first) {
    for (Item *i = first; i != NULL; i = i->next) {
        i->once = i->kind == ITEM_BRANCH && i->depth <= i->condition->depth &&
                  (uintptr_t)ptrmap_get(uses, i->condition) == 1;
        note_single(uses, i->body);
        note_single(uses, i->other);
    }
}

void pair_cores(Attempt *a) {
    Rest *rest[CORES] = {NULL};
    for (unsigned c = 0; c < CORES; c++)
        if (a->block->cores[c].there) rest[c] = rest_of(a, a->block->cores[c].steps->first, NULL);
    a->first = pair(a, rest, NULL, 0);
    PtrMap uses = {.arena = a->arena};
    count_conditions(&uses, a->first);
    note_single(&uses, a->first);
}
