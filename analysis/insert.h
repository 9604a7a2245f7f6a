/* Inserts the flags and barriers that the proof of analysis/hazards.h finds missing. */
#ifndef ANALYSIS_INSERT_H
#define ANALYSIS_INSERT_H

#include "analysis/steps.h"
#include "passes/scratch.h"

/* Inserts them into a legal module of level 3, for a profile with pipes. Functions that have flags,
 * events or buffers are left as they are, and those in which the proof does not understand
 * something. The caller proves the result. */
void insert_sync(Module *m, Profile profile);

enum { FENCE_PIPES = PIPE_FIX + 1, FENCE_EVENTS = 8 };

/* A pair of a set and a wait, or a barrier, among the steps of a function. A pair whose wait comes
 * before its set has sets before the loop and waits after it: one, or one for each event of those
 * that take turns. */
typedef struct Fence {
    Step *set, *wait; /* of a barrier: `wait` alone */
    Step *heads[FENCE_EVENTS], *tails[FENCE_EVENTS];
    uint32_t turns; /* number of events: 0 to turns - 1 if there are several */
} Fence;

typedef struct Fences {
    Arena *arena;     /* for steps */
    Scratch *scratch; /* its `step` holds one proof */
    Steps *steps;
    PipeOrder order;
    uint8_t taken[FENCE_PIPES][FENCE_PIPES]; /* 1 << event: used by the steps themselves */
    Step **hidden;                           /* flags that statements use inside */
    uint32_t nhidden, hidden_cap;
    Fence *list; /* in the order in which they were found */
    uint32_t n, cap;
} Fences;

/* Adds fences to the steps until the proof finds no race, then takes away those that it does not
 * need, and numbers the events. False when that is impossible. */
bool fences_find(Fences *f);

#endif
