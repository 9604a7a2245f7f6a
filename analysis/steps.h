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
    /* The first statement about a tile without an address, before that one; with the statements
     * that signal to other cores, only the proof of one core does not understand it. */
    const Op *unplaced;
} Steps;
extern const char unplaced_tile[]; /* what is not understood of it */

/* Takes the statements of a function for a profile that a kind of core runs, with those of the
 * functions that it calls; CORE_ANY: all. */
void steps_of(Arena *arena, CallGraph *graph, Op *func, Profile profile, Core core, Steps *out);

/* The same, made once for each function, profile and kind of core, in the arena of the graph, with
 * the statements that signal to other cores and wait for them, which the proof of one core passes
 * over. */
Steps *steps_known(CallGraph *graph, CallNode *n, Profile profile, Core core);

/* Returns the argument that tells which vector core a function runs on, by its name, as the front
 * end pypto passes it; NULL: none does. */
const Value *subblock_argument(const Context *ctx, const Op *func);
/* Takes them for one core of a block, with such statements. `subblock`: what pto.get_subblock_idx
 * returns there. */
void steps_between(Arena *arena, CallGraph *graph, Op *func, Profile profile, Core core,
                   unsigned subblock, Steps *out);

#endif
