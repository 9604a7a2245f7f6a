/* SPDX-License-Identifier: Apache-2.0 */
/* Takes away fences that the others make needless. */
#include "passes/fences.h"

#include <stdlib.h>

enum { FENCE_STEPS = 2 + 2 * EVENTS };

static void list_steps(const Fence *x, Step *steps[FENCE_STEPS]) {
    steps[0] = x->set;
    steps[1] = x->wait;
    for (int i = 0; i < EVENTS; i++) {
        steps[2 + 2 * i] = x->heads[i];
        steps[3 + 2 * i] = x->tails[i];
    }
}

static bool is_among(const Step *s, Step *const steps[FENCE_STEPS]) {
    for (int i = 0; i < FENCE_STEPS; i++)
        if (steps[i] == s) return true;
    return false;
}

/* Tells whether the proof still holds without a fence. `*from` is the first step that may begin a
 * race; on success it moves past the steps of the fence. */
static bool holds_without(Fences *f, Prover *p, const Fence *x, Step **from) {
    Step *steps[FENCE_STEPS], *s = *from;
    list_steps(x, steps);
    for (int i = 0; i < FENCE_STEPS; i++)
        if (steps[i] != NULL) unlink_step(f, steps[i]);
    while (s != NULL && is_among(s, steps))
        s = s->next;
    if (prover_holds(p, s)) {
        *from = s;
        return true;
    }
    for (int i = FENCE_STEPS; i-- > 0;)
        if (steps[i] != NULL) link_again(f, steps[i]);
    return false;
}

static Step *top_of(Step *s) {
    while (s->around != NULL)
        s = s->around;
    return s;
}

bool is_needed(const Fences *f, const Fence *x) {
    for (uint32_t i = 0; x->for_set != NULL && i < f->n; i++)
        if (f->list[i].set == x->for_set) return true;
    return false;
}

/* Fences by the step of the first list that holds them, and those of inner loops first. */
static int compare_fences(const void *a, const void *b) {
    const Step *x = ((const Fence *)a)->wait, *y = ((const Fence *)b)->wait;
    const Step *m = start_of(a), *n = start_of(b);
    while (m->around != NULL)
        m = m->around;
    while (n->around != NULL)
        n = n->around;
    if (m != n) return m->number < n->number ? -1 : 1;
    if (x->depth != y->depth) return x->depth > y->depth ? -1 : 1;
    return x->number > y->number ? -1 : 1;
}

/* Takes away fences that the others make needless, those inside loops or those outside. */
static bool shrink_some(Fences *f, bool loops) {
    scratch_rewind(f->scratch);
    Prover *p = prover_new(&f->scratch->step, f->steps->first, &f->steps->places, f->order, &f->in);
    uint32_t n = 0, i = 0;
    if (p == NULL) return false;
    for (Step *s = f->steps->first; s != NULL;) {
        Step *from = s;
        for (; i < f->n && top_of(start_of(&f->list[i])) == s; i++) {
            const Fence x = f->list[i];
            bool wanted = !x.old && (x.wait->depth > 0) == loops && !is_needed(f, &x);
            if (!wanted || !holds_without(f, p, &x, &from)) f->list[n++] = x;
        }
        if (from == s) {
            prover_pass(p, s);
            s = s->next;
        } else {
            s = from; /* a fence itself is gone */
        }
    }
    f->n = n;
    return true;
}

/* ---- one flag for two ---- */

/* True when nothing comes between the waits of two fences: one for both delays little. */
static bool are_adjacent(const Fence *x, const Fence *y) {
    const Step *first = x->wait, *second = y->wait;
    if (!same_list(first, second) || x->set->to == y->set->to) return false;
    if (first->place > second->place) {
        first = y->wait;
        second = x->wait;
    }
    for (first = first->next; first != NULL && is_inserted(first) && first != second;)
        first = first->next;
    return first == second;
}

/* Returns the fence whose set is the next one of the same pipe in the list of a fence's set, if the
 * set may move there; f->n: none. */
static uint32_t next_of_pipe(const Fences *f, const Fence *x) {
    uint32_t found = f->n;
    if (x->set == NULL || x->turns > 1 || x->old || x->for_set != NULL) return found;
    for (uint32_t i = 0; i < f->n; i++) {
        const Fence *y = &f->list[i];
        bool waits = x->heads[0] == NULL && same_list(x->set, x->wait);
        if (y->set == NULL || y->turns > 1 || y->old || y->for_set != NULL ||
            y->set->pipe != x->set->pipe || !same_list(x->set, y->set) ||
            y->set->place <= x->set->place || !are_adjacent(x, y) ||
            (waits && y->set->place >= x->wait->place))
            continue;
        if (found == f->n || y->set->place < f->list[found].set->place) found = i;
    }
    return found;
}

/* Moves the set of a fence after that of another one, and takes that one away, if the proof holds
 * then: a set waits for all earlier work of its pipe. */
static bool join(Fences *f, Prover *p, const Fence *x, const Fence *y, Step *from) {
    Step *prev = x->set->prev, *next = x->set->next;
    bool after = x->set->after;
    unlink_step(f, x->set);
    x->set->after = y->set->after;
    put_between(f, x->set, y->set, y->set->next);
    if (holds_without(f, p, y, &from)) return true;
    unlink_step(f, x->set);
    x->set->after = after;
    put_between(f, x->set, prev, next);
    return false;
}

/* Joins fences of one step of the first list; returns whether there were any to join. */
static bool join_in(Fences *f, Prover *p, Step *top) {
    bool joined = false;
    for (uint32_t i = 0; i < f->n; i++) {
        const Fence x = f->list[i];
        if (x.set == NULL || x.wait->depth == 0 || top_of(x.set) != top) continue;
        uint32_t k = next_of_pipe(f, &x);
        if (k == f->n) continue;
        const Fence y = f->list[k];
        if (!join(f, p, &x, &y, top)) continue;
        memmove(&f->list[k], &f->list[k + 1], (--f->n - k) * sizeof y);
        index_steps(f);
        joined = true;
        i = UINT32_MAX; /* from the first on */
    }
    return joined;
}

/* Joins fences inside loops. */
static bool join_fences(Fences *f) {
    scratch_rewind(f->scratch);
    Prover *p = prover_new(&f->scratch->step, f->steps->first, &f->steps->places, f->order, &f->in);
    bool joined = false;
    for (Step *s = f->steps->first; p != NULL && s != NULL; s = s->next) {
        if (s->kind == STEP_LOOP) joined |= join_in(f, p, s);
        prover_pass(p, s);
    }
    return joined;
}

bool shrink_fences(Fences *f) {
    do {
        index_steps(f);
        qsort(f->list, f->n, sizeof *f->list, compare_fences);
        if (!shrink_some(f, true)) return false;
        index_steps(f);
    } while (join_fences(f));
    return shrink_some(f, false);
}

static int compare_starts(const void *a, const void *b) {
    uint32_t x = start_of(a)->number, y = start_of(b)->number;
    return (x > y) - (x < y);
}

/* Numbers the events again, in the order of the text. */
void number_events(Fences *f) {
    index_steps(f);
    qsort(f->list, f->n, sizeof *f->list, compare_starts);
    for (uint32_t i = 0; i < f->n; i++) {
        const Fence *x = &f->list[i];
        if (x->set == NULL || x->turns > 1 || x->old) continue;
        Taken t = {start_of(x)->number, end_of(x)->number, x->set->pipe, x->set->to, 0, {0}};
        Step *steps[FENCE_STEPS];
        int event = free_event(f, &t, i);
        list_steps(x, steps);
        for (int k = 0; k < FENCE_STEPS; k++)
            if (steps[k] != NULL && event >= 0) steps[k]->id.offset = event;
    }
}
