/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that time a program share. */
#ifndef API_TIMER_H
#define API_TIMER_H

#include "api/job.h"
#include "api/timing.h"
#include "ir/plan.h"
#include "timing/schedule.h"

typedef struct Timer {
    ptoasm_result *res;
    TimingCall *call;
    const Lower *lower;
    Arena *arena;
    Plan plan; /* of memory, for advice */
    bool planned;
} Timer;

/* A core and what it runs. */
typedef struct Part {
    const LowerFunc *func;
    TimeFunc *body;
    Core kind;
    bool named; /* there are others */
} Part;
typedef struct TimedBlock {
    Part list[2];
    TimeRun runs[2];
    unsigned n;
    TimeShared shared;
} TimedBlock;

/* Sets why there is no time: 0: of the program, 1: of the arguments. Returns false. */
bool timer_refuse(Timer *t, Span at, int code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
uint32_t timer_line(Timer *t, Span at);
const char *timer_name(Timer *t, const LowerFunc *f);
/* Finds the events of the cores of a block; false after timer_refuse(). */
bool timer_find(Timer *t, TimedBlock *b);
/* Schedules them; with `logs`, the longest chain can be told afterwards. */
bool timer_schedule(Timer *t, TimedBlock *b, bool logs);
double timer_end(const TimedBlock *b);

/* ---- timing_args.c ---- */

/* Gives the parameters of a function the arguments; false after timer_refuse(). */
bool timer_arguments(Timer *t, TimeRun *r, const LowerFunc *f);

/* ---- timing_grid.c ---- */

/* Times all blocks of the launch. */
void timer_grid(Timer *t, TimedBlock *b);

/* ---- timing_advice.c ---- */

/* A change to try. */
typedef struct Try {
    TimeNode *node;
    unsigned core;
    bool rounds;   /* columns are filled; else the statement holds nothing */
    bool second;   /* another tile would do that */
    double weight; /* what it may save at most */
    const char *text;
    uint32_t line;
} Try;
enum { MOST_TRIED = 24 };
/* Finds changes that may save time, while the counts of statements are those of the whole run. */
unsigned timer_tries(Timer *t, const TimedBlock *b, Try *list);
/* Runs the model again with each; keeps those that save a hundredth. */
void timer_advise(Timer *t, TimedBlock *b, const Try *tries, unsigned n);
/* Runs it with each pipe infinitely fast. */
void timer_what_if(Timer *t, TimedBlock *b);

#endif
