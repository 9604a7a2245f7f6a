/* SPDX-License-Identifier: Apache-2.0 */
/* Orders sets that might come before the earlier wait for their flag has run. Pipes do not wait for
 * each other where no data asks for it: one that has little to do would set a flag again while
 * another is still busy with what comes before its wait, and the second set would be lost.
 *
 * A pair that a single statement needs goes right before it, if that is late enough: what the
 * statement makes keeps back the next set. In a loop whose slots take turns the flag takes
 * turns with them. Else the pipe of the set waits before it, for a flag in the other direction,
 * until the pipe that waits has come that far. Where no event is left, or a set is still early, all
 * pipes wait. */
#include "passes/fences.h"

enum { MOST_PAIRS = 6, MOST_ROUNDS = 40 }; /* rounds with pairs alone, and in all */
enum { MOST_MOVED = 32 };                  /* pairs to move: each costs three proofs */

static bool is_flag(const Step *s, uint8_t from, uint8_t to) {
    return (s->kind == STEP_SET || s->kind == STEP_WAIT || s->kind == STEP_BUSY) &&
           s->pipe == from && s->to == to;
}

/* Returns the events of the flags between two pipes in a list and those inside, a bit each. */
static unsigned events_in(const Step *first, uint8_t from, uint8_t to) {
    unsigned used = 0;
    for (const Step *s = first; s != NULL; s = s->next) {
        if (is_flag(s, from, to))
            used |= s->id.loop != NULL ? (1u << s->id.modulus) - 1 : 1u << s->id.offset % EVENTS;
        used |= events_in(s->body, from, to) | events_in(s->other, from, to);
    }
    return used;
}

static Step *list_of(const Fences *f, const Step *s) {
    if (s->around == NULL) return f->steps->first;
    return s->second ? s->around->other : s->around->body;
}

/* Returns the next flag step like `s` in its list, or NULL. */
static Step *partner_of(const Step *s) {
    Step *w = s->next;
    while (w != NULL && !(is_flag(w, s->pipe, s->to) && w->id.offset == s->id.offset))
        w = w->next;
    return w != NULL && w->kind == STEP_WAIT && is_inserted(w) && w->event == NULL ? w : NULL;
}

static void prove_all(Fences *f, Proof *proof) {
    scratch_rewind(f->scratch);
    prove_steps(&f->scratch->step, f->steps->first, &f->steps->places, f->order, false, NULL,
                proof);
    index_steps(f);
}

/* Returns the step that something can be inserted before, so that it comes before a step. */
static Step *place_before(const Step *s) {
    Step *near = (Step *)(uintptr_t)s;
    while (!is_own(near))
        near = near->around;
    return first_of_statement(near);
}

static Step *put_before(Fences *f, Step *near, StepKind kind, uint8_t pipe, uint8_t to) {
    const Edge e = {.pipe = pipe, .to_pipe = to};
    Step *s = new_step(f, kind, &e, near, near->after);
    put_between(f, s, near->prev, near);
    return s;
}

/* ---- pairs right before their use ---- */

typedef struct Moves {
    const Step *tried[MOST_MOVED]; /* sets */
    unsigned n;
} Moves;

static bool was_tried(const Moves *m, const Step *set) {
    for (unsigned i = 0; i < m->n; i++)
        if (m->tried[i] == set) return true;
    return false;
}

/* Returns the pair of an inserted set, if it may move: alone, without another that is there for
 * it. NULL otherwise. */
static Fence *movable_pair(Fences *f, const Step *set) {
    Fence *pair = NULL;
    if (!is_inserted(set) || set->event != NULL || partner_of(set) == NULL) return NULL;
    for (uint32_t i = 0; i < f->n; i++) {
        if (f->list[i].for_set == set) return NULL;
        if (f->list[i].set == set) pair = &f->list[i];
    }
    const bool alone =
        pair != NULL && pair->turns == 1 && pair->heads[0] == NULL && pair->for_set == NULL;
    return alone ? pair : NULL;
}

static Fence *pair_to_move(Fences *f, const Moves *m, const Proof *proof) {
    for (const Finding *r = proof->first; r != NULL; r = r->next) {
        Fence *x =
            r->kind == FINDING_EARLY && !was_tried(m, r->later) ? movable_pair(f, r->later) : NULL;
        if (x != NULL) return x;
    }
    return NULL;
}

/* Counts the early sets; -1: something else is wrong. */
static int early_alone(const Proof *proof) {
    int n = 0;
    for (const Finding *r = proof->first; r != NULL; r = r->next, n++)
        if (r->kind != FINDING_EARLY) return -1;
    return proof->gave_up != NULL ? -1 : n;
}

/* Returns the place before the only statement of the pipe that waits which races without the pair;
 * NULL: there are several, or none. */
static Step *only_use(const Proof *proof, const Step *set) {
    Step *only = NULL;
    for (const Finding *r = proof->first; r != NULL; r = r->next) {
        if (r->kind != FINDING_RACE || r->later->pipe != set->to) continue;
        Step *near = place_before(r->later);
        if (only != NULL && only != near) return NULL;
        only = near;
    }
    return only;
}

/* Moves a pair right before what needs it, if fewer sets are early then. */
static bool move_to_use(Fences *f, Fence *x, int early) {
    Proof proof;
    Step *set = x->set, *wait = x->wait;
    unlink_step(f, set);
    unlink_step(f, wait);
    prove_all(f, &proof);
    Step *near = only_use(&proof, set);
    if (near != NULL) {
        x->set = put_before(f, near, STEP_SET, set->pipe, set->to);
        x->wait = put_before(f, near, STEP_WAIT, set->pipe, set->to);
        x->set->id = x->wait->id = set->id;
        prove_all(f, &proof);
        const int now = early_alone(&proof);
        if (now >= 0 && now < early) return true;
        unlink_step(f, x->wait);
        unlink_step(f, x->set);
        x->set = set;
        x->wait = wait;
    }
    link_again(f, wait);
    link_again(f, set);
    return false;
}

/* Returns whether a pair moved. */
static bool move_pairs(Fences *f) {
    Moves moves = {.n = 0};
    bool moved = false;
    while (moves.n < MOST_MOVED) {
        Proof proof;
        prove_all(f, &proof);
        Fence *x = pair_to_move(f, &moves, &proof);
        const int early = early_alone(&proof);
        if (x == NULL || early < 0) break;
        moves.tried[moves.n++] = x->set;
        moved |= move_to_use(f, x, early);
    }
    return moved;
}

/* ---- flags that take turns ---- */

/* True when a value is defined before the statement that an inserted step comes after. */
static bool is_defined_at(const Value *v, const Step *s) {
    const Op *def = v->def;
    while (s != NULL && is_inserted(s))
        s = s->prev;
    if (s == NULL || def == NULL || def->block != s->at->block) return false;
    for (const Op *op = s->at; op != NULL; op = op->prev)
        if (op == def) return true;
    return false;
}

/* Gives a pair in a loop the events of another one whose events take turns. */
static bool take_turns(Fences *f, Step *set) {
    Step *wait = is_inserted(set) && set->event == NULL ? partner_of(set) : NULL;
    const Step *turn = list_of(f, set);
    if (wait == NULL) return false;
    while (turn != NULL && (!is_inserted(turn) || turn->event == NULL))
        turn = turn->next;
    if (turn == NULL || !is_defined_at(turn->event, set)) return false;
    const Cycle own = set->id;
    set->id = wait->id = (Cycle){.modulus = 1, .offset = EVENTS - 1};
    const unsigned used = events_in(f->steps->first, set->pipe, set->to) & 0x7fu;
    const bool is_free = (used & ((1u << turn->id.modulus) - 1)) == 0;
    set->id = wait->id = is_free ? turn->id : own;
    if (!is_free) return false;
    set->event = wait->event = turn->event;
    for (uint32_t i = 0; i < f->n; i++)
        if (f->list[i].set == set) f->list[i].turns = (uint32_t)turn->id.modulus;
    return true;
}

/* ---- the way back ---- */

/* Returns the events that are in use at a place of a list: those set before and waited for after
 * it, and those of which the wait comes first. */
static unsigned events_open(const Fences *f, const Step *at, uint8_t from, uint8_t to) {
    unsigned open = 0, seen = 0, busy = 0;
    bool before = true;
    for (const Step *s = list_of(f, at); s != NULL; s = s->next) {
        if (s == at) {
            before = false;
            busy |= open;
        }
        if (!is_flag(s, from, to)) continue;
        const unsigned event = s->id.loop != NULL ? ~0u : 1u << s->id.offset % EVENTS;
        if (s->kind != STEP_SET && (seen & event) == 0) busy |= event;
        if (s->hidden || !is_inserted(s)) busy |= event;
        seen |= event;
        if (before) open = s->kind == STEP_SET ? open | event : open & ~event;
    }
    return busy;
}

/* Returns an event for a pair right before a step: one that no other pair has, if there is one; -1:
 * none is free. */
static int way_back(const Fences *f, const Step *near, uint8_t from, uint8_t to) {
    const unsigned used = events_in(f->steps->first, from, to);
    unsigned busy = 0;
    for (const Step *s = near; s != NULL; s = s->around)
        busy |= events_open(f, s, from, to);
    for (int pass = 0; pass < 2; pass++)
        for (int e = EVENTS; e-- > 0;)
            if (((pass == 0 ? used : busy) >> e & 1) == 0) return e;
    return -1;
}

/* Lets all pipes wait before a step. */
static void stop_all(Fences *f, Step *near) {
    if (near->prev != NULL && near->prev->kind == STEP_BARRIER_ALL) return;
    Step *all = put_before(f, near, STEP_BARRIER_ALL, PIPE_NONE, PIPE_NONE);
    add_fence(f, (Fence){.wait = all});
}

/* Keeps a set back, or the call that it is in. `all`: by letting all pipes wait. */
static void keep_back(Fences *f, const Step *early, bool all) {
    if (take_turns(f, (Step *)(uintptr_t)early)) return;
    Step *near = place_before(early);
    const int event = all ? -1 : way_back(f, near, early->to, early->pipe);
    if (event < 0) {
        stop_all(f, near);
        return;
    }
    Step *set = put_before(f, near, STEP_SET, early->to, early->pipe);
    Step *wait = put_before(f, near, STEP_WAIT, early->to, early->pipe);
    set->id.offset = wait->id.offset = event;
    add_fence(f, (Fence){.set = set, .wait = wait, .turns = 1});
}

/* Keeps back sets that the proof finds; returns whether there were any. What one waits for serves
 * those of the same pipes after it, until all events have been in use: they are left to the next
 * round. */
static bool keep_found(Fences *f, bool all) {
    Proof proof;
    uint8_t left[PIPES][PIPES] = {{0}};
    bool some = false;
    prove_all(f, &proof);
    for (const Finding *r = proof.first; r != NULL; r = r->next) {
        if (r->kind != FINDING_EARLY) continue;
        uint8_t *n = &left[r->later->pipe][r->later->to];
        if (*n == 0) keep_back(f, r->later, all);
        *n = (uint8_t)((*n + 1) % (EVENTS - 1));
        some = true;
    }
    return some;
}

void delay_early_sets(Fences *f) {
    int rounds = 0;
    f->order.early = true;
    f->in = (CarryIn){NULL, 0};
    const bool moved = !f->parted && !f->stay && move_pairs(f);
    while (rounds < MOST_ROUNDS && keep_found(f, rounds >= MOST_PAIRS))
        rounds++;
    f->unsettled = moved && rounds > 0;
    if ((rounds == 0 && !moved) || rounds == MOST_ROUNDS || f->parted) return;
    for (uint32_t i = 0; i < f->n; i++)
        f->list[i].old = false;
    /* others may do without each other now, and those in loops without some outside */
    uint32_t before;
    do
        before = f->n;
    while (shrink_fences(f) && f->n < before);
}

uint64_t weight_of(const Fences *f) {
    enum { DEEPEST = 6 };
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        const Fence *x = &f->list[i];
        uint64_t each = 1;
        for (uint32_t d = 0; d < x->wait->depth && d < DEEPEST; d++)
            each *= 10;
        sum += each * (x->set != NULL ? 2 : 1);
        if (x->heads[0] != NULL) sum += each / 10 * 2 * x->turns; /* around the loop */
    }
    return sum;
}
