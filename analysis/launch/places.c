/* SPDX-License-Identifier: Apache-2.0 */
/* Translates places of global memory into variables that all cores share, and compares accesses. */
#include "analysis/launch/places.h"

#include "analysis/launch/flight.h"
#include "analysis/launch/values.h"
#include "analysis/rename.h"

/* ---- places ---- */

typedef struct Where {
    Attempt *a;
    const Statement *of;
} Where;

static const Env *env_of_loop(const Env *env, const Op *loop) {
    while (env != NULL && (env->entry != NULL || env->step->op != loop))
        env = env->up;
    return env;
}

static Affine renamed_loop(Renaming *r, const Variable *v) {
    const Where *w = r->arg;
    const Env *env = env_of_loop(w->of->env, v->loop);
    if (env == NULL) return affine_of(w->a->arena, lone_variable(r->variables, v));
    return env->item != NULL ? affine_of(w->a->arena, env->item->count) : affine_constant(env->k);
}

/* Returns iterations of paired loops, and values as terms. */
static Affine renamed_leaf(Renaming *r, const Variable *v) {
    const Where *w = r->arg;
    if (v->kind == VAR_LOOP) return renamed_loop(r, v);
    const Term *term = term_of(w->a, w->of->core, v->value, w->of->env);
    if (term->kind == TERM_CONSTANT) return affine_constant(term->c);
    return affine_of(w->a->arena, shared_value(r->variables, term, v, term->depth));
}

/* The parameters of all functions of a launch are the same arguments. */
static const Place *place_between(Attempt *a, const Statement *s, const Place *p) {
    Where where = {a, s};
    Renaming r = {.variables = &a->shared, .leaf = renamed_leaf, .arg = &where, .fresh = p->fresh};
    Place *out = ARENA_NEW(a->arena, Place);
    *out = *p;
    if (p->base == BASE_PARAMETER)
        out->of = &a->block->params[argument_number(a->block, s->core, p->of)];
    *out = renamed_place(&r, out);
    return out;
}

const Place **places_between(Attempt *a, const Statement *s, const Use *u) {
    const int64_t n = u->slot.loop != NULL ? u->slot.modulus : 1;
    const Place **out = ARENA_ARRAY(a->arena, const Place *, (size_t)n);
    for (int64_t i = 0; i < n; i++)
        out[i] = place_between(a, s, u->places[i]);
    return out;
}

/* ---- instances ---- */

int64_t cycle_now(const Flight *f, const Statement *s, const Cycle *c) {
    if (c->loop == NULL) return c->offset;
    const Env *env = s->env;
    while (env != NULL && env->step != c->loop)
        env = env->up;
    int64_t k = env == NULL ? 0 : env->item != NULL ? f->phase[env->item->number] : env->k;
    if (c->table) return c->values != NULL ? c->values[k % c->modulus] : k % c->modulus;
    const int64_t n = (c->scale * k + c->offset) % c->modulus;
    return n < 0 ? n + c->modulus : n;
}

/* Which place of a use this is. */
static int64_t place_number(const Flight *f, const Statement *s, const Use *u) {
    if (u->slot.loop == NULL) return 0;
    Cycle count = u->slot;
    const int64_t n = cycle_now(f, s, &count);
    return n < 0 || n >= u->slot.modulus ? 0 : n;
}

static uint8_t half_of(const Statement *s, uint8_t split) {
    return split == 0 || s->core == ON_CUBE ? 0 : (uint8_t)s->core;
}

static int32_t bound_to(const Flight *f, const Statement *s, int entry) {
    return f->bound[entry * CORES + s->core];
}

/* What a statement about entries does itself to its slot; returns the end of the list. */
static InFlight *add_own(InFlight *t, const Statement *s, uint32_t k) {
    const Queue *q = s->queue;
    const uint8_t half = half_of(s, s->split);
    if (s->kind == DO_PUSH && !s->empty && !q->views)
        *t++ = (InFlight){.half = half, .write = true, .queue = q, .slot = k % q->slots};
    if (s->kind == DO_POP && q->copied && !q->views) {
        *t++ = (InFlight){.half = half, .queue = q, .slot = k % q->slots};
        *t++ =
            (InFlight){.half = half, .write = true, .ring = true, .queue = q, .slot = k % q->ring};
    }
    if (s->kind == DO_FREE && !q->copied && !q->views)
        *t++ = (InFlight){.half = half, .write = true, .queue = q, .slot = k % q->slots};
    return t;
}

static InFlight *add_touch(const Attempt *a, InFlight *out, const Flight *f, const Statement *s,
                           const Touch *t) {
    *out = (InFlight){.write = t->write, .maybe = t->maybe};
    if (t->entry < 0) {
        out->place = t->places[place_number(f, s, t->use)];
        return out + 1;
    }
    const Queue *q = a->queue_of[t->entry];
    const int32_t k = bound_to(f, s, t->entry);
    if (q == NULL || k < 0) return out; /* nothing is bound to it yet */
    const bool consumes = q->to_vector != (s->core == ON_CUBE);
    out->queue = q;
    out->half = f->halves[t->entry * CORES + s->core];
    out->ring = q->copied && !q->views && consumes;
    out->slot = (uint32_t)k % (out->ring ? q->ring : q->slots);
    return out + 1;
}

/* Lists what a statement touches now; returns how much that is. */
static uint32_t list_touched(Attempt *a, const Flight *f, const Statement *s, uint32_t k) {
    if (a->cap_now < s->ntouches + 2)
        a->now = ARENA_WIDEN(a->arena, InFlight, a->now, &a->cap_now, s->ntouches + 2, 8);
    InFlight *end = a->now;
    if (s->queue != NULL) end = add_own(end, s, k);
    for (uint32_t i = 0; i < s->ntouches; i++)
        end = add_touch(a, end, f, s, &s->touches[i]);
    return (uint32_t)(end - a->now);
}

static bool same_bytes(const InFlight *x, const InFlight *y) {
    return x->place == y->place && x->queue == y->queue && x->slot == y->slot &&
           x->half == y->half && x->ring == y->ring && x->write == y->write && x->maybe == y->maybe;
}

static bool touches_now(const Attempt *a, const Instance *x, const Statement *s, uint32_t n) {
    if (x->of != s || x->n != n) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!same_bytes(&x->touched[i], &a->now[i])) return false;
    return true;
}

/* True when two accesses may have to be ordered. What a core does to global memory by itself, and
 * two loads into its ring, are no business of other cores. */
static bool may_rival(const Instance *x, const InFlight *p, const Instance *y, const InFlight *q) {
    const bool same_core = x->of->core == y->of->core;
    if (!p->write && !q->write) return false;
    if (p->place != NULL || q->place != NULL)
        return p->place != NULL && q->place != NULL && !same_core;
    if (p->queue != q->queue || p->ring != q->ring || p->slot != q->slot) return false;
    if (p->half != 0 && q->half != 0 && p->half != q->half) return false;
    if (p->ring && !same_core) return false;
    return !(same_core && x->pipe == PIPE_MTE2 && y->pipe == PIPE_MTE2);
}

/* Global memory is one hint, a slot another one, which slots of other pipes may have, too. */
static uint64_t hint_of(const InFlight *t) {
    const uint32_t slot = t->queue != NULL ? t->queue->number * 8 + t->slot * 2 + t->ring : 0;
    return (uint64_t)1 << (t->place != NULL ? 0 : 1 + slot % 63);
}

static bool are_rivals(const Instance *x, const Instance *y) {
    if ((x->hints & y->hints) == 0) return false;
    for (uint32_t i = 0; i < x->n; i++)
        for (uint32_t k = 0; k < y->n; k++)
            if (may_rival(x, &x->touched[i], y, &y->touched[k])) return true;
    return false;
}

static void set_bit(uint64_t *bits, uint32_t i) {
    bits[i / 64] |= (uint64_t)1 << i % 64;
}

static void add_instance(Attempt *a, Instance *x) {
    uint64_t *rivals = ARENA_ARRAY(a->arena, uint64_t, a->words);
    a->instances[x->number] = x;
    a->rivals[x->number] = rivals;
    for (uint32_t i = 0; i < x->n; i++)
        x->hints |= hint_of(&x->touched[i]);
    for (const Item *i = x->of->around; i != NULL; i = i->around)
        set_bit(a->inside[i->number], x->number);
    set_bit(a->own[x->of->core * PIPES + x->pipe], x->number);
    for (uint32_t i = 0; i <= x->number; i++) {
        if (!are_rivals(a->instances[i], x)) continue;
        set_bit(rivals, i);
        set_bit(a->rivals[i], x->number);
    }
    a->ninstances++;
}

/* True for an entry that is not there: nothing popped it, or it is freed. */
static bool is_gone(const Attempt *a, const Flight *f, const Statement *s, const Queue *q,
                    int32_t k) {
    if (k < 0) return true;
    const int32_t *n = &f->counts[(s->core * a->nqueues + q->number) * COUNTS];
    const bool consumes = q->to_vector != (s->core == ON_CUBE);
    return consumes && (!q->copied || q->views) && k < n[COUNT_FREE];
}

void check_entries(Attempt *a, const Flight *f, const Statement *s) {
    for (uint32_t i = 0; i < s->ntouches; i++) {
        const Touch *t = &s->touches[i];
        const Queue *q = t->entry >= 0 ? a->queue_of[t->entry] : NULL;
        if (t->entry < 0 || t->maybe) continue;
        if (q == NULL || is_gone(a, f, s, q, bound_to(f, s, t->entry))) find_freed(a, f, s);
    }
}

uint32_t instance_now(Attempt *a, Flight *f, const Statement *s, uint32_t k) {
    const uint32_t n = list_touched(a, f, s, k);
    Instance **chain = &a->by_bytes[(s->number * 31 + (n > 0 ? a->now[0].slot : 0)) % 256];
    for (const Instance *x = *chain; x != NULL; x = x->chain)
        if (touches_now(a, x, s, n)) return x->number;
    if (a->ninstances == a->words * 64) {
        a->crowded = true;
        return 0;
    }
    Instance *x = ARENA_NEW(a->arena, Instance);
    *x = (Instance){.chain = *chain, .of = s, .number = a->ninstances, .pipe = s->pipe, .n = n};
    x->touched = ARENA_ARRAY(a->arena, InFlight, n + 1);
    if (n > 0) memcpy(x->touched, a->now, n * sizeof *x->touched);
    *chain = x;
    add_instance(a, x);
    return x->number;
}

/* ---- meeting ---- */

static uint32_t common_loops(const Statement *s, const Statement *t) {
    const Item *x = s->around, *y = t->around;
    while (x != y) {
        const uint32_t dx = x != NULL ? x->depth : 0, dy = y != NULL ? y->depth : 0;
        if (dx >= dy) x = x != NULL ? x->around : NULL;
        if (dy >= dx) y = y != NULL ? y->around : NULL;
    }
    return x != NULL ? x->depth : 0;
}

/* A loop whose iterations are tried. */
typedef struct Tried {
    const Variable *variable;
    bool same;  /* in both places the same iteration */
    bool later; /* in the second a later one */
} Tried;

/* Lists the loops that two starts depend on; false when they depend on anything else. */
static bool loops_of(const Affine *form, const When *when, Tried *list, uint32_t *n) {
    for (uint32_t i = 0; i < form->n; i++) {
        const Variable *v = form->terms[i].variable;
        uint32_t k = 0;
        while (k < *n && list[k].variable != v)
            k++;
        if (k < *n) continue;
        if (v->kind != VAR_LOOP || v->depth == NEVER_EQUAL || *n == 2) return false;
        const uint32_t equal = when->level == 0 ? when->common : when->level - 1;
        list[(*n)++] = (Tried){v, v->depth <= equal, when->level != 0 && v->depth == when->level};
    }
    return true;
}

static int64_t start_at(const Affine *form, const Tried *list, uint32_t n, const int64_t *k) {
    int64_t at = form->c;
    for (uint32_t i = 0; i < n; i++)
        at += affine_coefficient(form, list[i].variable) * k[i];
    return at;
}

/* Tells whether two places that may share a byte certainly do in some of the first iterations. */
static bool do_meet(const Place *p, const Place *q, const When *when) {
    enum { TRIED = 8 };
    static const When now = {.common = UINT32_MAX};
    Tried list[2];
    uint32_t n = 0;
    if (p->of != q->of || p->base != q->base || p->rough || q->rough || p->bytes == INT64_MAX ||
        q->bytes == INT64_MAX || !loops_of(&p->start, when, list, &n) ||
        !loops_of(&q->start, when, list, &n))
        return false;
    int64_t choices = 1;
    for (uint32_t i = 0; i < 2 * n; i++)
        choices *= TRIED;
    for (int64_t c = 0; c < choices; c++) {
        int64_t first[2] = {0, 0}, second[2] = {0, 0}, rest = c;
        bool legal = true;
        for (uint32_t i = 0; i < n; i++) {
            first[i] = rest % TRIED;
            second[i] = rest / TRIED % TRIED;
            rest /= TRIED * TRIED;
            legal &= first[i] <= list[i].variable->hi && second[i] <= list[i].variable->hi;
            legal &= !list[i].same || first[i] == second[i];
            legal &= !list[i].later || first[i] < second[i];
        }
        if (!legal) continue;
        Place x = *p, y = *q;
        x.start = affine_constant(start_at(&p->start, list, n, first));
        y.start = affine_constant(start_at(&q->start, list, n, second));
        x.window = y.window = NULL;
        if (place_meet(&x, &y, &now, NULL) == OVERLAP_YES) return true;
    }
    return false;
}

static Overlap meet(Attempt *a, const Instance *x, const Instance *y, uint32_t level) {
    const uint32_t common = common_loops(x->of, y->of);
    const When when = {.common = common, .level = level <= common ? level : 0};
    Overlap most = OVERLAP_NO;
    for (uint32_t i = 0; i < x->n; i++)
        for (uint32_t k = 0; k < y->n; k++) {
            const InFlight *p = &x->touched[i], *q = &y->touched[k];
            if (!may_rival(x, p, y, q)) continue;
            Overlap o = OVERLAP_YES;
            if (p->place != NULL) o = place_meet(p->place, q->place, &when, &a->assumed);
            if (o == OVERLAP_MAYBE && do_meet(p->place, q->place, &when)) o = OVERLAP_YES;
            if (o == OVERLAP_YES && (p->maybe || q->maybe)) o = OVERLAP_MAYBE;
            if (o > most) most = o;
        }
    return most;
}

Overlap instances_meet(Attempt *a, uint32_t first, uint32_t second, uint32_t level) {
    const size_t n = (size_t)a->words * 64;
    uint8_t **row = &a->meets[first];
    if (*row == NULL) *row = ARENA_ARRAY(a->arena, uint8_t, n * a->levels);
    uint8_t *known = &(*row)[level * n + second];
    if (*known == 0)
        *known = (uint8_t)(1 + meet(a, a->instances[first], a->instances[second], level));
    return (Overlap)(*known - 1);
}
