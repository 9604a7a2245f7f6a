/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of insertion share: the tree of steps, the edges between them, events. */
#ifndef PASSES_FENCES_H
#define PASSES_FENCES_H

#include "analysis/steps.h"
#include "passes/scratch.h"

/* A pair of a set and a wait, or a barrier, among the steps of a function. A pair whose wait comes
 * before its set has sets before the loop and waits after it: one, or one for each event of those
 * that take turns. */
typedef struct Fence {
    Step *set, *wait; /* of a barrier: `wait` alone */
    Step *heads[EVENTS], *tails[EVENTS];
    uint32_t turns;      /* number of events: 0 to turns - 1 if there are several */
    bool old;            /* of a part that is finished: it stays as it is */
    const Step *for_set; /* it stays as long as the fence with this set does; NULL: none */
} Fence;

/* An overlap of two statements that is lost because the place of a tile is not known. */
typedef struct LostOverlap {
    struct LostOverlap *next;
    const Op *earlier, *statement; /* the second waits for the first */
    const Op *later;               /* in the function: the second, or the call that holds it */
    const Use *use;                /* of the tile */
    bool next_iteration;           /* the first is in an iteration before */
} LostOverlap;

typedef struct Fences {
    Arena *arena;     /* for steps */
    Scratch *scratch; /* its `step` holds one proof */
    Steps *steps;     /* a part of the function */
    PipeOrder order;
    CarryIn in;     /* from the parts before */
    bool parted;    /* there are several */
    bool stay;      /* early sets: pairs do not move to where they are needed */
    bool unsettled; /* they moved, and others were added after that */
    unsigned pipes; /* 1 << Pipe of the accesses, and of the signals */
    Step *anchor;   /* the first step of a part that is not the first: nothing, after a statement */
    uint32_t base;  /* the number of its first step */
    uint32_t last[PIPES][PIPES][EVENTS]; /* of the parts before: where each event
                                                              was used last */
    uint8_t taken[PIPES][PIPES];         /* 1 << event: used by the steps themselves */
    Step **hidden;                       /* flags that statements use inside */
    uint32_t nhidden, hidden_cap;
    Fence *list; /* in the order in which they were found */
    uint32_t n, cap;
    unsigned open[PIPES]; /* by the earlier pipe, 1 << the later: races of tiles of which the
                                   place is not known */
    LostOverlap *lost;
} Fences;

/* Adds fences to the steps of a part until the proof finds no race, then takes away those that it
 * does not need, and numbers the events. False when that is impossible. */
bool fences_find_part(Fences *f);
/* The same for a whole function, part by part. False also where a flag or buffer of the program is
 * in use between two parts; then the steps are of no use any more. */
bool fences_find(Fences *f);
/* Returns what the fences cost: steps, each ten times as much in a loop. */
uint64_t weight_of(const Fences *f);
/* Adds what keeps flags of a whole function from being set before the earlier wait has run. */
void delay_early_sets(Fences *f);

/* An edge in a list. `to` is NULL when the list does not hold its end. */
typedef struct Edge {
    Step *from, *to;
    uint8_t pipe, to_pipe;
    bool carried;
    bool here; /* between blocks of a graph: only the place before `to` is on every path */
    const Use *use, *to_use;
} Edge;

typedef struct Edges {
    Edge *list;
    uint32_t n;
} Edges;

/* Events that the numbers from `low` to `high` may not use: those of other pairs that are set
 * there, those that statements there use inside, and those of the program itself, wherever it uses
 * them. */
typedef struct Taken {
    uint32_t low, high;
    uint8_t pipe, to;
    unsigned events;
    uint32_t last[EVENTS]; /* the latest number at which another pair has each event */
} Taken;

/* Numbers the steps in the order of the text, and links them to those around. */
void index_steps(Fences *f);
bool same_list(const Step *a, const Step *b);
void unlink_step(Fences *f, Step *s);
/* Undoes unlink_step(). What was unlinked later must have been linked again before. */
void link_again(Fences *f, Step *s);
void put_between(Fences *f, Step *s, Step *prev, Step *next);
/* Puts a step after a statement, before or after others that were inserted there. */
void put_after(Fences *f, Step *s, Step *a, bool last);
/* False for steps inside a statement, or inside a function that it calls: there nothing can be
 * inserted. */
bool is_own(const Step *s);
bool is_inserted(const Step *s);
Step *last_of_statement(Step *s);
Step *first_of_statement(Step *s);

/* Returns a step that is in no list yet: of a pair or barrier for the pipes of an edge, in the loop
 * of another step; `after`: its statement comes after the one before it, else before the next. */
Step *new_step(Fences *f, StepKind kind, const Edge *e, const Step *near, bool after);

void add_fence(Fences *f, Fence x);

Edges collect_edges(Fences *f, const Proof *proof);
/* Removes the edges that have the list and pipes of the first one, and returns them. */
Edges take_group(Edges *e);
/* Keeps only the edges of other lists that are like this one: as deep, carried or not, between two
 * pipes or within one. */
void keep_similar(Edges *e, const Edge *like);

/* Notes the events that the steps use already. */
void take_events(Fences *f, Step *first);
Step *start_of(const Fence *x);
const Step *end_of(const Fence *x);
/* Returns an event that is free, or -1; the one that was used longest ago, so that no flag is set
 * again before a slow pipe has waited for it. Only the first `fences` fences count, and those with
 * slots that take turns. */
int free_event(const Fences *f, Taken *t, uint32_t fences);

/* True for a fence that another one needs. */
bool is_needed(const Fences *f, const Fence *x);
/* Takes away the fences without which the proof holds, and joins others. False when it is too
 * large. */
bool shrink_fences(Fences *f);
/* Runs the proof; what it finds is valid until the next one. */
void prove_fences(Fences *f, Proof *proof);
/* Notes between which pipes the first proof finds races that only may be some, as the place of a
 * tile is not known. */
void note_open_races(Fences *f, const Proof *proof);
/* Lists the overlap that fences cost which are needed for nothing else. */
void find_lost_overlap(Fences *f);
/* Reports it. */
void tell_lost_overlap(Context *ctx, const Fences *f);
/* Numbers the events again, in the order of the text. */
void number_events(Fences *f);

#endif
