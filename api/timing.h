/* SPDX-License-Identifier: Apache-2.0 */
/* How long a program takes on the chip. For the command; not part of the installed interface. */
#ifndef API_TIMING_H
#define API_TIMING_H

#include "api/ptoasm.h"
#include "ir/core.h"
#include "timing/prices.h"

/* What is to be timed. */
typedef struct TimingRequest {
    const char *entry;       /* NULL: the only function, or the first entry */
    const char *const *args; /* `[NAME=]VALUE`, of all parameters or of numbers alone */
    size_t nargs;
    bool lenient; /* names that the program does not have are left out */
    int64_t grid, block;
    TimeParams params; /* of the profile that the text or the options name: see timing_begin */
    bool what_if;
    bool whole;  /* all blocks are timed, too */
    bool slices; /* when each statement runs */
    bool uncut;  /* turns of loops that repeat run all the same: for tests */
} TimingRequest;

/* A statement that kept a pipe busy, or waited. */
typedef struct TimedStatement {
    uint32_t line;    /* 0: inserted */
    const char *name; /* pto.tload */
    const char *text; /* the statement without its types */
    /* Where the author wrote it, as its `loc(..)` says; 0: it has none. */
    const char *source_file;
    uint32_t source_line;
    Pipe pipe; /* that it runs on, or that waits */
    Pipe from; /* of a wait: that sets the flag; else PIPE_NONE */
    uint32_t set_line;
    uint64_t count;
    double cycles, stalled, critical;
    Origin origin;
} TimedStatement;

enum { TIMING_PIPES = 8, MOST_WHAT_IFS = 12, MOST_SLICES = 1 << 20 };
/* Returns the name of a pipe; PIPE_NONE, in what another waits for, is the other core. */
static inline const char *timing_pipe_name(Pipe p) {
    return pipe_short_name(p, "other core");
}

/* What the same program would take. */
typedef struct WhatIf {
    const char *what;
    double cycles;
} WhatIf;

/* The time of one core of a block. */
typedef struct TimedCore {
    const char *kind; /* cube, vector or "" */
    double cycles;
    double busy[TIMING_PIPES], stall[TIMING_PIPES][TIMING_PIPES];
    double by_origin[ORIGIN_COUNT];
    int64_t bytes, flops;
    uint64_t events;
    bool path_known; /* the longest chain was kept */
    const TimedStatement *list;
    size_t n;
    const struct TimedSlice *slices; /* in the order of the program; the first MOST_SLICES */
    size_t nslices;
    bool slices_left_out;
} TimedCore;

/* One run of a statement, for a drawing. */
typedef struct TimedSlice {
    double start, end;
    uint32_t statement; /* of TimedCore.list */
} TimedSlice;

/* Blocks that take as long: first, first + step, ... */
typedef struct TimedKind {
    int64_t first, step, count;
    double cycles;
} TimedKind;

/* All blocks of the launch. */
typedef struct TimedGrid {
    int64_t blocks;
    unsigned at_once; /* how many run at the same time */
    bool known;
    const char *why; /* why not; NULL also if it was not asked for */
    double cycles;
    TimedKind *kinds;
    uint32_t nkinds;
} TimedGrid;

/* What the statements of a line cost on all cores. */
typedef struct TimedLine {
    double cycles, stalled;
    /* of the last statement, if possible of one that takes time; 0: none runs */
    uint64_t count;
    Pipe pipe;
} TimedLine;

/* What could be changed, and how many cycles that saves, by the model of the changed program. */
typedef struct TimingAdvice {
    uint32_t line;
    const char *text;
    double gain;
} TimingAdvice;
enum { MOST_ADVICE = 5, MOST_ASSUMED = 16 };

typedef struct Timing {
    const char *function;
    uint32_t line;
    Profile profile;
    Law law;
    double clock;  /* cycles a second */
    double launch; /* cycles until a task that the host launches begins; in no other figure */
    int64_t grid, block;
    TimedGrid whole;
    bool shared;    /* blocks share the global memory */
    uint64_t steps; /* statements and events that the model ran one by one */
    bool inserted;  /* flags were inserted */
    bool crosses;   /* cores of the block wait for each other: uncertain */
    TimedCore cores[2];
    unsigned ncores;
    const TimedLine *lines; /* by number; below `nlines` */
    uint32_t nlines;
    WhatIf what_if[MOST_WHAT_IFS];
    unsigned nwhat_if;
    TimingAdvice advice[MOST_ADVICE]; /* the largest gain first */
    unsigned nadvice, ntried;         /* of so many changes that were tried */
    uint32_t assumed[MOST_ASSUMED];   /* lines of conditions that data decides, taken to hold */
    unsigned nassumed;                /* of all, which may be more */
    /* why there is no time; NULL: there is one */
    const char *why;
    uint32_t why_line;
    int why_code; /* 0: of the program, 1: of the arguments */
} Timing;

/* Times a program; the result has its diagnostics, and owns what `out` points to. `params` of the
 * request is filled by `prepare` once the profile is known; it returns false to stop. Returns as
 * ptoasm_program_plan(). */
typedef struct TimingCall {
    TimingRequest request;
    bool (*prepare)(TimingRequest *q, Profile profile, void *arg);
    void *arg;
    Timing timing;
} TimingCall;
int program_time(ptoasm_program *program, const ptoasm_options *options, TimingCall *call,
                 ptoasm_result **out);

#endif
