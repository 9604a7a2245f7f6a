/* Takes one barrier, or the flags of one event, out of the steps at a time, and proves again. */
#include "analysis/redundant.h"

enum { MOST_CANDIDATES = 100, MOST_WORK = 200000 /* steps of all proofs */ };

typedef struct Candidate {
    Step *first;
    struct Candidate *next;
} Candidate;

typedef struct Taker {
    Arena *arena, *scratch;
    Steps *steps;
    PipeOrder order;
    Candidate *list, **last;
    unsigned candidates, n; /* n: all steps */
} Taker;

static bool is_flag(const Step *s) {
    return s->kind == STEP_SET || s->kind == STEP_WAIT;
}

/* True for the flags of one event, whose number may depend on a loop. */
static bool same_event(const Step *a, const Step *b) {
    return is_flag(a) && is_flag(b) && a->pipe == b->pipe && a->to == b->to &&
           a->id.modulus == b->id.modulus && a->id.offset == b->id.offset &&
           a->id.scale == b->id.scale && (a->id.loop == NULL) == (b->id.loop == NULL);
}

/* Several steps may belong to one barrier. */
static bool is_known(const Taker *t, const Step *s) {
    for (const Candidate *c = t->list; c != NULL; c = c->next)
        if (is_flag(s) ? same_event(c->first, s) : c->first->op == s->op) return true;
    return false;
}

static void collect(Taker *t, Step *first) {
    for (Step *s = first; s != NULL; s = s->next) {
        t->n++;
        collect(t, s->body);
        collect(t, s->other);
        const bool barrier = s->kind == STEP_BARRIER || s->kind == STEP_BARRIER_ALL;
        if ((!barrier && !is_flag(s)) || is_known(t, s)) continue;
        *t->last = ARENA_NEW(t->arena, Candidate);
        (*t->last)->first = s;
        t->last = &(*t->last)->next;
        t->candidates++;
    }
}

static bool belongs(const Step *s, const Step *to) {
    return is_flag(to) ? same_event(s, to) : s->op == to->op && !is_flag(s);
}

/* Turns the steps of a candidate into branches without statements, or back: `kinds` remembers what
 * they were. Returns how many there are. */
static unsigned turn(Step *first, const Step *like, bool out, uint8_t *kinds, unsigned n) {
    for (Step *s = first; s != NULL; s = s->next) {
        n = turn(s->body, like, out, kinds, n);
        n = turn(s->other, like, out, kinds, n);
        if (!out && s->kind == STEP_IF && s->body == NULL && s->other == NULL &&
            s->op->nregions == 0) {
            s->kind = kinds[n++];
        } else if (out && s != like && belongs(s, like)) {
            kinds[n++] = s->kind;
            s->kind = STEP_IF;
        }
    }
    return n;
}

static unsigned count_races(Taker *t) {
    Proof proof;
    const ArenaMark mark = arena_mark(t->scratch);
    prove_steps(t->scratch, t->steps->first, &t->steps->places, t->order, false, &proof);
    unsigned n = proof.gave_up != NULL ? UINT32_MAX : 0;
    for (const Finding *f = proof.first; f != NULL && n != UINT32_MAX; f = f->next)
        n += f->kind == FINDING_RACE;
    arena_rewind(t->scratch, mark);
    return n;
}

Redundant *find_redundant(Arena *arena, Arena *scratch, Steps *steps, Profile p) {
    Taker t = {arena, scratch, steps, pipe_order_documented(p), NULL, &t.list, 0, 0};
    Redundant *found = NULL, **last = &found;
    t.order.exceptions = true;
    collect(&t, steps->first);
    if (t.candidates > MOST_CANDIDATES || t.candidates * t.n > MOST_WORK) return NULL;
    uint8_t *kinds = ARENA_ARRAY(arena, uint8_t, t.n + 1);
    const unsigned races = count_races(&t);
    for (const Candidate *c = t.list; c != NULL && races != UINT32_MAX; c = c->next) {
        Step *first = c->first;
        const uint8_t kind = first->kind;
        turn(steps->first, first, true, kinds, 0);
        first->kind = STEP_IF;
        const bool needless = count_races(&t) <= races;
        first->kind = kind;
        turn(steps->first, first, false, kinds, 0);
        if (!needless) continue;
        *last = ARENA_NEW(arena, Redundant);
        (*last)->first = first;
        last = &(*last)->next;
    }
    return found;
}
