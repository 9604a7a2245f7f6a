/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a function as a tree into which fences are linked, and the events that are free
 * there.
 */
#include "passes/fences.h"

/* ---- the tree of steps ---- */

/* Numbers the steps of a list and of those inside; returns the next number. */
static uint32_t index_list(Step *first, Step *around, bool second, uint32_t number) {
    uint32_t place = 0;
    Step *prev = NULL;
    for (Step *s = first; s != NULL; prev = s, s = s->next) {
        bool loop = s->kind == STEP_LOOP;
        s->prev = prev;
        s->around = around;
        s->second = second;
        s->nest = around != NULL ? around->nest + 1 : 0;
        s->place = place++;
        s->number = number++;
        number = index_list(loop ? s->other : s->body, s, loop, number);
        number = index_list(loop ? s->body : s->other, s, !loop, number);
        s->end = number - 1;
    }
    return number;
}

void index_steps(Fences *f) {
    index_list(f->steps->first, NULL, false, f->base);
}

bool same_list(const Step *a, const Step *b) {
    return a->around == b->around && a->second == b->second;
}

static Step **list_head(Fences *f, Step *s) {
    if (s->around == NULL) return &f->steps->first;
    return s->second ? &s->around->other : &s->around->body;
}

void unlink_step(Fences *f, Step *s) {
    *(s->prev != NULL ? &s->prev->next : list_head(f, s)) = s->next;
    if (s->next != NULL) s->next->prev = s->prev;
}

/* Undoes unlink_step(), if all that was unlinked later is linked again. */
void link_again(Fences *f, Step *s) {
    *(s->prev != NULL ? &s->prev->next : list_head(f, s)) = s;
    if (s->next != NULL) s->next->prev = s;
}

/* Statements are inserted between two statements: not between steps of one, nor inside a function
 * that it calls. */
bool is_own(const Step *s) {
    return s->around == NULL || s->around->at != s->at;
}

static bool same_statement(const Step *a, const Step *b) {
    return a != NULL && b != NULL && a->at != NULL && a->at == b->at;
}

Step *last_of_statement(Step *s) {
    while (same_statement(s, s->next))
        s = s->next;
    return s;
}

Step *first_of_statement(Step *s) {
    while (same_statement(s, s->prev))
        s = s->prev;
    return s;
}

void put_between(Fences *f, Step *s, Step *prev, Step *next) {
    s->prev = prev;
    s->next = next;
    link_again(f, s);
}

/* Puts a step after a statement, before or after others that were inserted there. */
void put_after(Fences *f, Step *s, Step *a, bool last) {
    while (last && a->next != NULL && is_inserted(a->next) && a->next->after)
        a = a->next;
    put_between(f, s, a, a->next);
}

/* ---- events ---- */

bool is_inserted(const Step *s) {
    return s->at == NULL;
}

static void add_hidden(Fences *f, Step *s) {
    if (f->nhidden == f->hidden_cap) {
        Step **more = ARENA_ARRAY(f->arena, Step *, f->hidden_cap * 2 + 16);
        if (f->nhidden > 0) memcpy(more, f->hidden, f->nhidden * sizeof *more);
        f->hidden = more;
        f->hidden_cap = f->hidden_cap * 2 + 16;
    }
    f->hidden[f->nhidden++] = s;
}

/* Notes the events that the program itself uses. */
void take_events(Fences *f, Step *first) {
    for (Step *s = first; s != NULL; s = s->next) {
        if (s->hidden && (s->kind == STEP_SET || s->kind == STEP_BUSY))
            add_hidden(f, s);
        else if (s->hidden)
            continue;
        else if ((s->kind == STEP_SET || s->kind == STEP_WAIT) && !is_inserted(s))
            f->taken[s->pipe][s->to] |=
                (uint8_t)(s->id.loop == NULL ? 1u << s->id.offset % EVENTS : 0xff);
        take_events(f, s->body);
        take_events(f, s->other);
    }
}

Step *start_of(const Fence *x) {
    return x->heads[0] != NULL ? x->heads[0] : x->set != NULL ? x->set : x->wait;
}

const Step *end_of(const Fence *x) {
    return x->tails[0] != NULL ? x->tails[0] : x->wait;
}

/* Notes the events of other fences: of the first ones, and of all that take turns. */
static void note_events(const Fences *f, Taken *t, uint32_t fences) {
    t->events |= f->taken[t->pipe][t->to];
    memcpy(t->last, f->last[t->pipe][t->to], sizeof t->last);
    for (uint32_t i = 0; i < f->nhidden; i++) {
        const Step *s = f->hidden[i];
        if (s->pipe == t->pipe && s->to == t->to && s->number > t->low && s->number < t->high)
            t->events |= 1u << s->id.offset;
    }
    for (uint32_t i = 0; i < f->n; i++) {
        const Fence *x = &f->list[i];
        if (x->set == NULL || x->set->pipe != t->pipe || x->set->to != t->to ||
            (i >= fences && x->turns == 1 && !x->old))
            continue;
        unsigned events = x->turns > 1 ? (1u << x->turns) - 1 : 1u << x->set->id.offset;
        for (int e = 0; e < EVENTS; e++)
            if ((events >> e & 1) != 0 && end_of(x)->number > t->last[e])
                t->last[e] = end_of(x)->number;
        if (end_of(x)->number > t->low && start_of(x)->number < t->high) t->events |= events;
    }
}

/* Returns an event that is free, or -1; the one that was used longest ago, so that no flag is set
 * again before a slow pipe has waited for it. */
int free_event(const Fences *f, Taken *t, uint32_t fences) {
    int best = -1;
    note_events(f, t, fences);
    for (int e = 0; e < EVENTS; e++)
        if ((t->events >> e & 1) == 0 && (best < 0 || t->last[e] < t->last[best])) best = e;
    return best;
}
