/* SPDX-License-Identifier: Apache-2.0 */
/* What analysis/steps.c and analysis/uses.c share: the steps of a function in the making. */
#ifndef ANALYSIS_MAKER_H
#define ANALYSIS_MAKER_H

#include "analysis/entries.h"
#include "analysis/steps.h"

/* A function whose statements are taken: the one to prove, or one that is called. */
typedef struct Frame {
    const struct Frame *around; /* of the caller; NULL: none */
    const Alias *alias;
    const Op *call; /* in the caller */
    const Block *entry;
} Frame;

typedef struct Called Called;

typedef struct Maker {
    Arena *arena;
    const Context *ctx;
    Profile profile;
    Core core;    /* whose statements count */
    Core inner;   /* of the function or section around */
    bool between; /* take signals between cores, too */
    Step *loop;
    Step **last;
    Steps *out;
    uint32_t calls, n;   /* calls around; steps so far */
    uint32_t statements; /* taken so far */
    const Op *call;      /* the outermost of these calls */
    const Frame *frame;
    Functions *functions;
    PtrMap aliases;      /* Op * of a called function -> Alias * */
    PtrMap called;       /* Op * of a function called by the statement `call` -> Called * */
    const Step *outside; /* the loop around the innermost call */
    FreedEntries freed;
} Maker;

enum { MOST_STEPS = 1 << 17 };

/* Notes the first statement that is not understood. */
void not_understood(Maker *m, const Op *op, const char *why);
/* Adds a step to the list that is being made. */
Step *add_step(Maker *m, StepKind kind, const Op *op, Pipe pipe);
/* Reads a constant, or a number that repeats in one loop; false: it is neither. */
bool read_cycle(Maker *m, const Value *v, Cycle *out);
/* Returns the places of a value of a function, by those of the caller's where it is called. */
AliasSet places_of(Maker *m, const Frame *f, const Op *op, const Value *v);
enum { LONGEST_RING = 16 };
/* Returns the step of a scf.for around the current statement, or NULL. */
Step *step_of_loop(const Maker *m, const Op *loop);
/* Lets the ring of a loop determine numbers that repeat after `period` iterations; false when the
 * ring would be too long. */
bool widen_ring(Step *loop, int64_t period);
/* Notes the memory that a statement gives to the slots of a pipe, if it does. */
void take_slot_memory(Maker *m, const Op *op);
/* Takes a statement that reads and writes tiles and memory, in all of its phases. */
void take_access(Maker *m, const Op *op);

#endif
