/* SPDX-License-Identifier: Apache-2.0 */
/* Takes long functions in parts, so that the time is in proportion to their length: a part is a row
 * of elements of one list, and what may not have ended before it is carried in. Long lists inside
 * loops and branches get their own fences first, as if nothing came before them; the proof of the
 * whole element then finds what is left between its iterations. */
#include "passes/fences.h"

enum { PART = 256 /* steps */ };

/* ---- sizes ---- */

/* Returns the number of steps of a list that can hold fences. */
static uint32_t size_of(const Step *first) {
    uint32_t n = 0;
    for (const Step *s = first; s != NULL; s = s->next) {
        n++;
        if (s->kind != STEP_CALL) n += size_of(s->body) + size_of(s->other);
    }
    return n;
}

static uint32_t size_of_one(const Step *s) {
    return s->kind == STEP_CALL ? 1 : 1 + size_of(s->body) + size_of(s->other);
}

/* ---- one part ---- */

static unsigned pipes_of(const Step *first) {
    unsigned pipes = 0;
    for (const Step *s = first; s != NULL; s = s->next) {
        if (s->kind == STEP_ACCESS) pipes |= 1u << s->pipe;
        if (s->kind == STEP_SIGNAL) pipes |= 1u << PIPE_NONE;
        pipes |= pipes_of(s->body) | pipes_of(s->other);
    }
    return pipes;
}

/* Cuts a list after the first steps, about PART of them, but not inside a statement; returns the
 * rest. */
static Step *cut(Step *first) {
    uint32_t n = 0;
    Step *last = first;
    for (Step *s = first; s != NULL; s = s->next) {
        n += size_of_one(s);
        last = s;
        if (n >= PART && (s->next == NULL || s->at == NULL || s->next->at != s->at)) break;
    }
    Step *rest = last->next;
    last->next = NULL;
    return rest;
}

static Step *last_in(Step *first) {
    while (first->next != NULL)
        first = first->next;
    return first;
}

/* Returns a step that does nothing, after the last statement of a part. */
static Step *new_anchor(Fences *f, Step *last) {
    while (last->at == NULL)
        last = last->prev;
    Step *s = ARENA_NEW(f->arena, Step);
    *s = (Step){.kind = STEP_BARRIER, .pipe = PIPE_NONE, .op = last->op, .at = last->at};
    s->loop = last->loop;
    s->depth = last->depth;
    return s;
}

/* Notes where the events were used last. */
static void note_last(Fences *f) {
    for (uint32_t i = 0; i < f->n; i++) {
        const Fence *x = &f->list[i];
        for (unsigned e = 0; x->set != NULL && e < EVENTS; e++)
            if (x->turns > 1 ? e < x->turns : e == (unsigned)x->set->id.offset)
                f->last[x->set->pipe][x->set->to][e] = end_of(x)->number;
    }
}

/* Carries on what may not have ended after the part. */
static bool carry(Fences *f, Step *last) {
    scratch_rewind(f->scratch);
    Prover *p = prover_new(&f->scratch->step, f->steps->first, &f->steps->places, f->order, &f->in);
    if (p == NULL) return false;
    for (Step *s = f->steps->first; s != NULL; s = s->next)
        prover_pass(p, s);
    if (!prover_is_idle(p)) return false;
    f->in = prover_carry(p, f->arena, f->pipes);
    note_last(f);
    f->base = last->end + 1;
    return true;
}

/* ---- lists ---- */

/* What the parts of a list have in common, while another list is taken. */
typedef struct Around {
    Step *first, *anchor;
    CarryIn in;
    uint32_t base;
    uint32_t last[PIPES][PIPES][EVENTS];
    Fence *list;
    uint32_t n, cap;
} Around;

static Around leave(Fences *f) {
    Around p = {.first = f->steps->first,
                .anchor = f->anchor,
                .in = f->in,
                .base = f->base,
                .list = f->list,
                .n = f->n,
                .cap = f->cap};
    memcpy(p.last, f->last, sizeof p.last);
    f->anchor = NULL;
    f->in = (CarryIn){NULL, 0};
    f->base = 0;
    f->list = NULL;
    f->n = f->cap = 0;
    return p;
}

static void come_back(Fences *f, const Around *p) {
    memcpy(f->last, p->last, sizeof f->last);
    f->steps->first = p->first;
    f->anchor = p->anchor;
    f->in = p->in;
    f->base = p->base;
    f->list = p->list;
    f->n = p->n;
    f->cap = p->cap;
}

/* Steps and fences of the parts that are finished. */
typedef struct Done {
    Step *first, *last;
    Fence *list;
    uint32_t n, cap;
} Done;

static void keep_fences(Fences *f, Done *done) {
    if (done->n + f->n > done->cap) {
        done->cap = (done->n + f->n) * 2;
        Fence *more = ARENA_ARRAY(f->arena, Fence, done->cap);
        if (done->n > 0) memcpy(more, done->list, done->n * sizeof *more);
        done->list = more;
    }
    for (uint32_t i = 0; i < f->n; i++) {
        done->list[done->n] = f->list[i];
        done->list[done->n++].old = true;
    }
    f->n = 0;
}

/* Adds a part to the others, without its anchor. */
static void append(Fences *f, Done *done) {
    if (f->anchor != NULL) unlink_step(f, f->anchor);
    Step *first = f->steps->first;
    if (first == NULL) return;
    *(done->last != NULL ? &done->last->next : &done->first) = first;
    done->last = last_in(first);
}

static bool find_in_list(Fences *f, Step **list, bool whole);

/* Finds the fences of a long list inside an element, and adds them to those of the part. */
static bool find_in_branch(Fences *f, Step **list) {
    if (size_of(*list) <= PART) return true;
    Around here = leave(f);
    const bool found = find_in_list(f, list, false);
    const Fence *inner = f->list;
    const uint32_t n = f->n;
    come_back(f, &here);
    if (f->n + n > f->cap) {
        f->cap = (f->n + n) * 2;
        Fence *more = ARENA_ARRAY(f->arena, Fence, f->cap);
        if (f->n > 0) memcpy(more, f->list, f->n * sizeof *more);
        f->list = more;
    }
    if (n > 0) memcpy(&f->list[f->n], inner, n * sizeof *inner);
    f->n += n;
    return found;
}

/* Blocks of a graph follow one another by branches alone. */
static bool find_inside(Fences *f, Step *first) {
    for (Step *s = first; s != NULL; s = s->next) {
        if (s->kind == STEP_CALL || size_of_one(s) <= PART) continue;
        if (s->kind == STEP_GRAPH ? !find_inside(f, s->body)
                                  : !find_in_branch(f, &s->body) || !find_in_branch(f, &s->other))
            return false;
    }
    return true;
}

/* True for a part of one long element inside another, which is taken with that. */
static bool is_left(const Step *first, bool whole) {
    return !whole && first->next == NULL && size_of_one(first) > PART;
}

static bool find_in_part(Fences *f, bool whole, bool more) {
    Step *first = f->steps->first;
    if (!find_inside(f, first)) return false;
    f->steps->first = first;
    if (f->anchor != NULL) {
        f->anchor->next = first;
        f->steps->first = f->anchor;
    }
    if (!is_left(first, whole) && !fences_find_part(f)) return false;
    if (!more) return true;
    index_steps(f);
    return carry(f, last_in(f->steps->first));
}

/* Finds the fences in a list, part by part. `whole`: it is that of the function. */
static bool find_in_list(Fences *f, Step **list, bool whole) {
    Done done = {NULL, NULL, NULL, 0, 0};
    for (Step *rest, *first = *list; first != NULL; first = rest) {
        rest = cut(first);
        f->steps->first = first;
        f->parted |= rest != NULL;
        if (!find_in_part(f, whole, rest != NULL)) return false;
        Step *last = last_in(f->steps->first);
        Step *anchor = rest != NULL ? new_anchor(f, last) : NULL;
        append(f, &done);
        keep_fences(f, &done);
        if (whole && f->parted) done.n = 0;
        f->anchor = anchor;
    }
    *list = done.first;
    f->list = done.list;
    f->n = done.n;
    f->cap = done.cap;
    return true;
}

bool fences_find(Fences *f) {
    f->pipes = pipes_of(f->steps->first);
    take_events(f, f->steps->first);
    Step *first = f->steps->first;
    const bool found = find_in_list(f, &first, true);
    f->steps->first = first;
    return found;
}
