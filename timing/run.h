/* SPDX-License-Identifier: Apache-2.0 */
/* A program while it is timed: its statements run in the order of the text with numbers alone, the
 * data is absent; each statement that needs a pipe is scheduled there. */
#ifndef TIMING_RUN_H
#define TIMING_RUN_H

#include "backends/lower/forms.h"
#include "backends/lower/lower.h"
#include "timing/prices.h"

enum {
    TIMED_PIPES = PIPE_BY_OPERAND, /* the pipes that have a queue, by Pipe */
    TIMED_EVENTS = 32,             /* of two pipes, and buffers */
    TIMED_SIGNALS = 32,            /* between cores */
    MOST_STEPS = 1 << 26,          /* statements of a run */
    MOST_LOGGED = 1 << 22,         /* statements on pipes of which the order is kept */
    MOST_EVENTS = 1 << 22          /* of a core that waits for another */
};
#define EXTENT_OPEN (-1)
/* Numbers that the price of a statement depends on while the program runs. */
enum { PRICE_KEYS = 7 };

/* ---- values ---- */

/* A tile: its extents when the statement runs. */
typedef struct TileNow {
    const Type *type; /* of the tile, or of the slots of several */
    int64_t vrows, vcols;
    struct TileNow *slots; /* of a multi tile */
    const Value *open;     /* the value that an open extent comes from */
} TileNow;

typedef struct ViewNow {
    Elem elem;
    unsigned rank;
    int64_t dims[8], strides[8];
    const Value *open;
} ViewNow;

/* What is known of a value. */
typedef struct Cell {
    bool known; /* `n` */
    int64_t n;
    TileNow *tile;
    ViewNow *view;
    struct Cell *array; /* of an array of integers or event ids: `count` elements */
    int64_t count;
    double ready;       /* of a register: the latencies of what leads to it in its scope */
    const Value *cause; /* what it depends on if it is not known */
} Cell;

/* ---- statements ---- */

typedef struct TimeBlock {
    struct TimeBlock *next;
    struct TimeNode *first;
    uint32_t *args;
    unsigned nargs;
} TimeBlock;

typedef struct TimeRegion {
    TimeBlock *first; /* NULL: it has none */
} TimeRegion;

typedef struct TimeFunc {
    struct TimeFunc *next;
    const Op *op;
    TimeRegion body;
    bool running;
} TimeFunc;

typedef struct TimeNode {
    struct TimeNode *next;   /* in its block */
    struct TimeNode *listed; /* in the order of the text */
    const Op *op;
    uint8_t form;       /* StmtForm */
    uint8_t sync;       /* SyncUse */
    uint8_t pipe, to;   /* on which it runs or which sets a flag; that waits */
    bool literal;       /* `event` is written; else an operand gives it */
    int64_t event;      /* of a flag, a buffer or a signal between cores */
    uint8_t core;       /* Core */
    bool bursts;        /* a copy of bursts between pointers */
    bool scope;         /* a vector scope */
    bool vector;        /* an operation on registers */
    uint32_t *in, *out; /* cells of operands and results */
    TimeRegion *regions;
    TimeBlock **ways;
    unsigned *way_args; /* where the arguments of each begin in `in` */
    TimeFunc *callee;
    TileNow *tile; /* that it makes */
    ViewNow *view;
    Cell *store;            /* of an array */
    struct ScopeStep *step; /* of an operation on registers; NULL: not yet known */
    int64_t constant;
    /* the last price, and the numbers that it is for */
    int64_t key[PRICE_KEYS];
    const struct PriceSet *price;
    bool assumed; /* its condition was taken to hold */
    bool ignored; /* advice: a wait or barrier that holds nothing */
    bool rounded; /* advice: with columns that fill whole repeats */
    /* what it cost */
    uint64_t count;
    double cycles, stalled, critical;
    Origin origin;
    const struct TimeNode *setter; /* of the flag that it last waited for, in vain */
} TimeNode;

/* What an operation of a vector scope takes. */
typedef struct ScopeStep {
    StepCost cost;
    bool memory, load;
    bool chained; /* its latency counts in chains of results */
    bool known;   /* it has a published cost */
} ScopeStep;

/* What a statement costs, by the state of the vector pipe, and what it moves and computes. */
typedef struct PriceSet {
    Price by[3];
    int64_t flops, bytes;
} PriceSet;

/* ---- the schedule ---- */

typedef enum TimeWhat {
    TIME_DO,
    TIME_SET,
    TIME_WAIT,
    TIME_BARRIER,
    TIME_GET,
    TIME_RELEASE,
    TIME_SEND,     /* a signal to another core, or an entry or its place */
    TIME_SEND_TOO, /* the same signal of vector core 1 */
    TIME_RECEIVE,  /* waits for one */
} TimeWhat;

/* What a core does next. */
typedef struct TimeEvent {
    TimeNode *node;
    const PriceSet *price;
    uint8_t what;    /* TimeWhat */
    uint8_t pipe;    /* that is held, or that must be done */
    uint16_t number; /* of an event, a buffer or a channel */
} TimeEvent;

typedef struct Token {
    double at;
    int32_t who; /* entry of the log; -1: none */
    const TimeNode *setter;
} Token;
typedef struct TokenQueue {
    Token *list;
    uint32_t first, n, cap;
} TokenQueue;

typedef struct Logged {
    TimeNode *node;
    double start, end;
    int32_t before; /* the entry that it waited for; -1: none */
} Logged;

typedef struct Schedule {
    double free[TIMED_PIPES], busy[TIMED_PIPES];
    double stall[TIMED_PIPES][TIMED_PIPES]; /* by pipe that waits and pipe that it waits for */
    int32_t last[TIMED_PIPES];
    VectorState vector;
    double now; /* of the scalar unit */
    TokenQueue flags[TIMED_PIPES][TIMED_PIPES][TIMED_EVENTS];
    Token buffers[TIMED_EVENTS];
    uint64_t events;
    double by_origin[ORIGIN_COUNT];
    int64_t bytes, flops;
} Schedule;

/* Between the cores of a block: signals by number, entries of a pipe, their places. */
typedef struct Channel {
    int64_t key;
    TokenQueue queue;
} Channel;

/* What the cores of a block share. */
typedef struct TimeShared {
    Logged *log; /* of all cores, in the order in which statements are scheduled */
    uint32_t nlog, caplog;
    Channel *channels;
    uint32_t nchannels, capchannels;
} TimeShared;

/* A number that the caller gives a value that data decides. */
typedef struct GivenNumber {
    Atom name;
    int64_t n;
} GivenNumber;

/* What the operations of a vector scope took so far, in cycles of each kind of unit. */
typedef struct ScopeSum {
    double both, one, loads, stores;
    double slow_both, slow_one; /* the longest interval of one operation */
    double latency;             /* the longest of one operation */
    double chain;               /* the longest chain of operations that need each other's results */
    double floor;               /* nothing begins earlier: a barrier of memory */
    bool unknown;
} ScopeSum;

typedef struct TimeRun {
    const Lower *lower;
    Arena *arena;
    const TimeParams *params;
    PtrMap cells_of; /* Value -> its cell + 1 */
    PtrMap funcs;    /* Op of a function -> TimeFunc */
    TimeFunc *all;   /* of these */
    Cell *cells;
    uint32_t ncells;
    TimeNode *nodes, **last_node;
    Core core;
    int64_t grid, block;
    double scale[TIMED_PIPES]; /* of the time of each pipe: 0: infinitely fast */
    bool free_flags;           /* nothing waits */
    bool records;              /* events are kept, to be scheduled with those of another core */
    TimeEvent *events;
    uint32_t nevents, capevents, done;
    const GivenNumber *given;
    size_t ngiven;
    uint64_t steps;
    ScopeSum *scope; /* the vector scope that is running, or NULL */
    Schedule *s;
    TimeShared *shared;
    jmp_buf stop;
    char why[256]; /* why it stopped */
    const Op *where;
} TimeRun;

/* Makes the statements of a function and of those that it calls. */
TimeFunc *time_function(TimeRun *r, const Op *func);
uint32_t time_cell(TimeRun *r, const Value *v);
/* Runs a function, whose arguments are in the cells; false: `why` and `where` say why not. */
bool time_run(TimeRun *r, TimeFunc *f);
void time_reset(TimeRun *r);
/* Ends the run with a message. */
_Noreturn void time_stop(TimeRun *r, const Op *op, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for a value that must be known, such as `the number of iterations`. */
_Noreturn void time_unknown(TimeRun *r, const Op *op, const char *what, const Value *cause);
/* Returns the number of the event, buffer or signal of a statement, which must be below `limit`. */
unsigned time_event_number(TimeRun *r, const TimeNode *n, unsigned limit);

/* ---- work.c ---- */

/* Prices a statement on its pipe, with the extents that its tiles have now. */
const PriceSet *time_price(TimeRun *r, TimeNode *n);

/* ---- cores.c ---- */

/* Signals of other cores, and entries of pipes between them. */
void time_cores(TimeRun *r, TimeNode *n);
void time_entry(TimeRun *r, TimeNode *n);
/* Schedules the events of several cores, each until it waits for another; false: all wait, and the
 * first says where. */
bool time_schedule(TimeRun *cores, unsigned n);

/* ---- scopes.c ---- */

void scope_add(TimeRun *r, TimeNode *n);
void scope_barrier(TimeRun *r);
void scope_end(TimeRun *r, TimeNode *n);

/* ---- schedule.c ---- */

/* Keeps an event, or schedules it at once. */
void time_emit(TimeRun *r, TimeNode *n, TimeWhat what, Pipe pipe, unsigned number);
/* The same for a statement that has this price. */
void time_emit_at(TimeRun *r, TimeNode *n, const PriceSet *price);
/* Schedules an event; false: it waits for what has not happened. */
bool schedule_event(TimeRun *r, const TimeEvent *e);
double schedule_end(const Schedule *s);
/* Adds to TimeNode.critical what each statement adds to the longest chain. */
void schedule_path(const TimeShared *s);
void queue_add(TimeRun *r, TokenQueue *q, Token t);

#endif
