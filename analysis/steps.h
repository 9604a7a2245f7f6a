/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a program of steps, which analysis/hazards.h proves, of a function. */
#ifndef ANALYSIS_STEPS_H
#define ANALYSIS_STEPS_H

#include "analysis/callgraph.h"
#include "analysis/hazards.h"

/* Global memory that a pipe between the cores has for its slots. */
typedef struct SlotMemory {
    struct SlotMemory *next;
    const Op *op; /* the statement that sets up an end */
    const Place *place;
} SlotMemory;

typedef struct Steps {
    const Context *ctx;
    Step *first;
    bool shared; /* some call shares the steps of another */
    Places places;
    Numbers numbers;
    SlotMemory *slots; /* of steps_between() */
    unsigned assumed;  /* ASSUMED_.., of what the loops determine */
    const Op *unknown; /* the first statement that is not understood, or NULL */
    const char *why;   /* what is not */
} Steps;

/* Takes the statements of a function for a profile that a kind of core runs, with those of the
 * functions that it calls; CORE_ANY: all. */
void steps_of(Arena *arena, CallGraph *graph, Op *func, Profile profile, Core core, Steps *out);

/* Returns the argument that tells which vector core a function runs on, by its name, as the front
 * end pypto passes it; NULL: none does. */
const Value *subblock_argument(const Context *ctx, const Op *func);
/* The same for one core of a block: with the statements that signal to other cores and wait for
 * them. `subblock`: what pto.get_subblock_idx returns there. */
void steps_between(Arena *arena, CallGraph *graph, Op *func, Profile profile, Core core,
                   unsigned subblock, Steps *out);

#endif
