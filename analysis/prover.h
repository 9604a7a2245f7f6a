/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the proof share: its state, and the instances of steps. An instance is a step
 * in one phase of the loops around it. */
#ifndef ANALYSIS_PROVER_H
#define ANALYSIS_PROVER_H

#include "analysis/hazards.h"

enum {
    STORES = PIPE_NONE, /* the observer that signals ask: which writes of global memory may not
                           have arrived */
    BUFFERS = 32,
    MOST_INSTANCES = 1 << 17,
    MOST_VISITS = 64, /* of a loop body, for each instance */
    MOST_FINDINGS = 1000,
    MOST_SPARE = 512,           /* free states */
    MOST_WORDS = 1 << 21,       /* of all sets of places: four times 16 MB */
    MOST_STATE_WORDS = 1 << 24, /* of all states: 128 MB */
    ZERO = 1,
    ONE = 2 /* how often a flag may be set, as a set */
};

typedef struct State {
    uint64_t *bits;  /* words of each observer */
    uint8_t *counts; /* by flag: ZERO | ONE; then, by pipe and buffer, how often it is taken */
} State;

enum { ANOTHER_CALL = UINT16_MAX }; /* the level of an access that an earlier call made */

/* What the proof remembers of a call whose steps others share: states before it, and what they
 * become. */
typedef struct Memory {
    struct Memory *next;
    State before, after;
} Memory;

/* A loop in one phase of the loops around it. */
typedef struct LoopState {
    bool begun;
    State *heads; /* before each copy; bits NULL: not reached */
    State exit;
    uint32_t visits;
} LoopState;

typedef struct ProverPlace {
    const Place *place;
    uint32_t next; /* in its chain */
} ProverPlace;

struct Prover {
    Arena *arena;
    PipeOrder order;
    Proof *out;
    Step **of;         /* step of each instance */
    uint32_t *copy_of; /* its copy */
    const CarryIn *in; /* the first instances, or NULL */
    uint32_t n, words, levels;
    bool shared;         /* calls share their steps: */
    uint32_t other_call; /* the level of what an earlier one of them did; else 0 */
    uint32_t nflags, observers;
    unsigned used;                      /* 1 << Pipe of the observers that any step asks or tells */
    int16_t flag[PIPES][PIPES][EVENTS]; /* number of a flag, or -1 */
    int16_t buffer[BUFFERS];            /* observer of a buffer, or -1 */
    int16_t taken[PIPES][BUFFERS];      /* number of its count, or -1 */
    uint32_t ncounts;                   /* flags, then these */
    const Step **last_set;              /* by count: where it was set or taken */
    uint64_t *own[PIPES];               /* instances on each pipe */
    uint64_t **waits;                   /* instances that wait for each flag */
    uint32_t *local;                    /* by number of a Place: its place in `places`, from 1 */
    uint32_t *chains;                   /* of places at constant addresses */
    ProverPlace *places;
    uint32_t nplaces;
    uint64_t **readers, **writers; /* by place: instances that use a place it may meet */
    size_t state_words;            /* of all states */
    State *spare;                  /* free states */
    uint32_t nspare;
    State now;  /* of prover_holds(): before the step that comes next */
    bool first; /* stop at the first race */
    bool raced; /* there was one */
};

/* ---- phases ---- */

/* Returns the phase of a loop in an instance of a step inside it. */
static inline uint32_t phase_of(const Step *inside, uint32_t copy, const Step *loop) {
    for (const Step *l = inside->loop; l != NULL; l = l->loop) {
        if (l == loop) return copy % l->ring;
        copy /= l->ring;
    }
    return 0;
}

static inline int64_t cycle_value(const Cycle *c, const Step *inside, uint32_t copy) {
    if (c->loop == NULL) return c->offset;
    int64_t k = phase_of(inside, copy, c->loop);
    if (c->table) return c->values != NULL ? c->values[k % c->modulus] : k % c->modulus;
    int64_t n = (c->scale * k + c->offset) % c->modulus;
    return n < 0 ? n + c->modulus : n;
}

static inline const Place *place_in(const Use *u, const Step *s, uint32_t copy) {
    return u->places[u->slot.loop == NULL ? 0 : cycle_value(&u->slot, s, copy)];
}

static inline int flag_in(const Prover *p, const Step *s, uint32_t copy) {
    return p->flag[s->pipe][s->to][cycle_value(&s->id, s, copy) % EVENTS];
}
/* ---- bit sets ---- */

static inline uint64_t *new_set(Prover *p) {
    return ARENA_ARRAY(p->arena, uint64_t, p->words);
}

static inline void set_bit(uint64_t *bits, uint32_t i) {
    bits[i / 64] |= (uint64_t)1 << i % 64;
}

static inline size_t set_words(const Prover *p) {
    return (size_t)p->words * p->levels;
}

static inline size_t state_words(const Prover *p) {
    return set_words(p) * p->observers;
}

/* ---- states ---- */

static inline uint64_t *seen_by(const Prover *p, const State *s, uint32_t observer) {
    return s->bits + (size_t)observer * p->words * p->levels;
}

static inline bool is_pipe(uint32_t observer) {
    return observer < PIPES;
}

State new_state(Prover *p);
void free_state(Prover *p, State s);
void copy_state(const Prover *p, State to, State from);
bool same_state(const Prover *p, State a, State b);
/* Adds what `from` may hold; true if that is new. */
bool join_state(const Prover *p, State to, State from);
/* Of a set: keeps what is in another one, too. */
void keep_common(const Prover *p, uint64_t *set, const uint64_t *with);
/* Removes the instances of `mask`, at every level. */
void drop_mask(const Prover *p, uint64_t *set, const uint64_t *mask);
bool meets_mask(const Prover *p, const uint64_t *set, const uint64_t *mask);
/* Moves what the body did in this iteration, and in earlier ones of loops inside, to the level of
 * the loop. */
void age_loop(const Prover *p, State *st, const Step *loop);
/* Moves what a function did when it was called before, in the same iteration of the loops around
 * the call, to the level of such accesses. */
void age_calls(const Prover *p, State *st, const Step *call);

/* ---- steps ---- */

/* Takes a step that has none inside. */
void take_step(Prover *p, State *st, Step *s, uint32_t copy);
/* Finds flags and buffers that the kernel leaves set. */
void find_leaks(Prover *p, const State *st);

/* ---- the whole ---- */

/* Numbers the instances of a program and notes what each does; false when it is too large. */
bool prover_prepare(Prover *p, Step *program, const Places *t);
/* Writes the state before the program. */
void prover_begin(const Prover *p, State st);

/* How two accesses meet. */
typedef struct Meeting {
    const Use *a, *b;
    Overlap overlap;  /* OVERLAP_NO: they need no order */
    bool outside;     /* a dependence on other bytes than those of a chain of vector instructions */
    unsigned assumed; /* ASSUMED_.., what it relies on */
} Meeting;
/* Compares instance `ci` of an access with a later one, where a loop carries it as `level` says.
 * Accesses that the hardware or the statement itself orders do not meet. */
Meeting steps_meet(const PipeOrder *order, const Step *i, uint32_t ci, const Step *j, uint32_t cj,
                   uint32_t level);

#endif
