/* SPDX-License-Identifier: Apache-2.0 */
/* When the events of cores happen: every pipe runs its statements in order, flags, barriers,
 * buffers and other cores hold it back. Turns of loops that only move all times on are skipped. */
#ifndef TIMING_SCHEDULE_H
#define TIMING_SCHEDULE_H

#include "timing/run.h"

/* Times are multiples of 2^-12 cycles, so that sums and products with counts are exact up to 2^41
 * cycles: turns that are skipped add what they would have added one by one. */
static inline double exact_cycles(double cycles) {
    return cycles < 1e12 ? (double)(int64_t)(cycles * 4096 + 0.5) / 4096 : cycles;
}

/* The run of a statement that is in the log of a core: its number there, times TIMED_CORES, and the
 * core; -1: none. */
typedef int64_t Who;

typedef struct Token {
    double at;
    Who who;
    const TimeNode *setter;
} Token;
typedef struct TokenQueue {
    Token *list;
    uint32_t first, n, cap;
} TokenQueue;
void queue_add(TimeRun *r, TokenQueue *q, Token t);

typedef struct Schedule {
    double free[TIMED_PIPES], busy[TIMED_PIPES];
    double stall[TIMED_PIPES][TIMED_PIPES]; /* by pipe that waits and pipe that it waits for */
    Who last[TIMED_PIPES];
    VectorState vector;
    double now;                /* of the scalar unit */
    double issue, flag, cross; /* parameters, exact */
    TokenQueue flags[TIMED_PIPES][TIMED_PIPES][TIMED_EVENTS];
    TokenQueue *used[TIMED_PIPES * TIMED_PIPES * TIMED_EVENTS]; /* of `flags`, in order of use */
    unsigned nused;
    Token buffers[TIMED_EVENTS];
    double events;
    double by_origin[ORIGIN_COUNT];
    double bytes, flops;
    double weight; /* turns that the one that runs counts for */
} Schedule;

/* Between the cores of a block: signals by number, entries of a pipe, their places. */
typedef struct Channel {
    int64_t key;
    int64_t places; /* tokens that are there at the beginning */
    bool awaited;   /* something waits for it */
    TokenQueue queue;
} Channel;

/* What the cores of a block share. */
typedef struct TimeShared {
    Channel *channels;
    uint32_t nchannels, capchannels;
    bool logs;         /* the order of statements is kept */
    uint64_t executed; /* events of the last schedule */
} TimeShared;

/* ---- schedule.c ---- */

/* Begins a schedule at time 0. */
void schedule_reset(TimeRun *r);
/* Schedules an event; false: it waits for what has not happened. */
bool schedule_event(TimeRun *r, const TimeEvent *e);
double schedule_end(const Schedule *s);

/* ---- turns.c ---- */

/* Schedules the events of the cores; false: `why` and `where` of the first core say why not. */
bool time_schedule(TimeRun *cores, unsigned n);

/* ---- log.c ---- */

enum { MOST_LOGGED = 1 << 22 };

/* Where the longest chain was when it last came to a time of a part of the log that comes again. */
typedef struct LogAnchor {
    bool set;
    Who at; /* the run, in the first time */
    uint64_t time, around;
    uint64_t lowest; /* the lowest time where it was since */
    uint64_t power;  /* after so many times it is set again */
} LogAnchor;

/* How the log goes on when turns are skipped: with each period the numbers of statements of core c
 * grow by length[c]. */
typedef struct LogShift {
    int64_t length[TIMED_CORES];
    LogAnchor *anchor;
} LogShift;
typedef struct LogMark {
    int64_t first;
    uint32_t entry, repeat;
} LogMark;

void log_reset(TimeRun *r);
bool log_is_full(const TimeRun *r);
/* Adds a run of a statement; returns -1 when the log is full. */
Who log_add(TimeRun *r, TimeNode *n, double start, double end, Who before);
LogMark log_mark(const TimeRun *r);
/* How many runs of statements there are in all. */
uint64_t log_runs(const TimeRun *r);
/* How many statements came since. */
int64_t log_length(const TimeRun *r, const LogMark *from);
/* Says that they come so often in all, on each pipe later by delta[pipe] each time. */
void log_repeat(TimeRun *r, const LogMark *from, uint64_t times, const LogShift *shift,
                const double delta[TIMED_PIPES]);
/* Adds to TimeNode.critical what each statement adds to the longest chain. */
void log_path(TimeRun *cores, unsigned n);
/* Calls `each` for the first `most` runs of statements, in their order. */
void log_each(const TimeRun *r, uint64_t most,
              void (*each)(void *arg, const TimeNode *n, double start, double end), void *arg);

#endif
