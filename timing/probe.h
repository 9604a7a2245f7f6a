/* SPDX-License-Identifier: Apache-2.0 */
/* Probes: what the values of a program do from one period of a loop to the next. While a probe
 * watches one period, each integer carries its slope, by how much it grows with every further
 * period, and each comparison adds a bound up to which its outcome stays. When the period ends it
 * is known how many further periods make the same decisions, so that they need not run.
 *
 * Probes of nested loops are active at the same time; a level is the number of a probe. */
#ifndef TIMING_PROBE_H
#define TIMING_PROBE_H

#include "timing/run.h"

/* A loop of which a period is watched. */
typedef struct Probe {
    uint64_t period, asked; /* turns of a period; how many periods would be one that repeats */
    uint32_t first_bound, first_change;
    bool fails; /* a decision changes */
} Probe;

/* e + the sum of slope[l] * (periods of level l) is 0 or more as long as decisions are the same. */
typedef struct ProbeBound {
    int64_t e, slope[MOST_PROBES];
} ProbeBound;

/* What a tile or an element was before it changed in place. */
typedef struct ProbeChange {
    TileNow *tile;
    Cell *cell;
    int64_t rows, cols; /* or the number of the element */
    bool known;
} ProbeChange;

typedef struct Probes {
    Probe list[MOST_PROBES]; /* by level; TimeRun.nprobes are active */
    ProbeBound *bounds;
    uint32_t nbounds, capbounds;
    ProbeChange *changes;
    uint32_t nchanges, capchanges;
} Probes;

void probes_reset(TimeRun *r);

/* ---- what values do ---- */

/* Sets the slopes of the result of integer arithmetic on the numbers `x`, which was computed. */
void probe_compute(TimeRun *r, const TimeNode *n, const int64_t *x, Cell *to);
/* The same for a value that was chosen by a condition. */
void probe_choice(TimeRun *r, const Cell *condition, Cell *chosen);
/* A decision depends on a value: it must be the same in all periods. */
void probe_fixed(TimeRun *r, const Cell *c);
/* The number of the block. */
void probe_block(const TimeRun *r, Cell *c);
/* The number of a loop, which grows by `step` with each turn. */
void probe_counter(TimeRun *r, Cell *i, int64_t step, uint64_t period);
/* As probe_fixed() for the difference of two values. */
void probe_distance(TimeRun *r, const Cell *a, const Cell *b);
/* Forgets the slopes of probes that have ended, in a value that outlives them. */
void probe_drop(const TimeRun *r, Cell *c);
/* A value is kept where slopes are not known. */
Cell probe_flat(TimeRun *r, const Cell *c);
/* Tells that a tile or an element of an array is about to change. */
void probe_tile(TimeRun *r, TileNow *t);
void probe_element(TimeRun *r, Cell *c);

/* ---- loops ---- */

/* The history of carried values tells a period when it has three of them. */
enum { MOST_PERIOD = 1024, MOST_HISTORY = 3 * MOST_PERIOD };
/* A loop while it runs. */
typedef struct ProbedLoop {
    const uint32_t *carried; /* cells of the values that one turn gives to the next */
    unsigned ncarried;
    uint64_t period; /* in turns, of the next probe */
    unsigned failed; /* probes, one after the other */
    unsigned wait;   /* turns without one, after many that failed */
    int64_t *guess;  /* the slope of each carried value */
    Cell *start;     /* these at the beginning of the probe */
    LoopRoom *room;  /* its history: these after each of the last turns */
    uint32_t nhistory, next_history;
    bool endless;   /* no turn changes what decides whether there is another one */
    ScopeSum scope; /* the scope then */
    double entered; /* the longest chain of the scope when the loop began */
} ProbedLoop;

void loop_init(TimeRun *r, ProbedLoop *l, LoopRoom *room, const uint32_t *carried, unsigned n);
/* A turn has ended: notes the carried values. */
void loop_turned(const TimeRun *r, ProbedLoop *l);
/* Begins to watch a period, if it can and there are turns enough. */
bool loop_begin(TimeRun *r, ProbedLoop *l, uint64_t turns);
/* Ends it. Returns how many periods, this one included, make the same decisions: at most `most`. */
uint64_t loop_end(TimeRun *r, ProbedLoop *l, uint64_t most);
/* Moves the carried values on by so many periods. */
void loop_skip(TimeRun *r, ProbedLoop *l, uint64_t periods);
/* Ends it where the loop ends. */
void loop_abandon(TimeRun *r, ProbedLoop *l);
/* In a scope: whether what it takes grows the same way with each period; then the next period may
 * count for several. */
bool loop_scope_repeats(TimeRun *r, ProbedLoop *l);
/* Begins such a period. */
void loop_scope_begin(TimeRun *r, ProbedLoop *l);
/* Moves the results of a scope on by so many periods as grew in this one. */
void loop_scope_skip(TimeRun *r, ProbedLoop *l, uint64_t periods);

#endif
