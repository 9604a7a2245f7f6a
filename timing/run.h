/* SPDX-License-Identifier: Apache-2.0 */
/* A program while it is timed: its statements run in the order of the text with numbers alone, the
 * data is absent; each statement that needs a pipe is scheduled there. */
#ifndef TIMING_RUN_H
#define TIMING_RUN_H

#include "backends/lower/body.h"
#include "timing/prices.h"

enum {
    TIMED_PIPES = PIPE_BY_OPERAND, /* the pipes that have a queue, by Pipe */
    TIMED_EVENTS = 32,             /* of two pipes, and buffers */
    TIMED_SIGNALS = 32,            /* between cores */
    TIMED_CORES = 2,               /* of a block, that are told apart */
    MOST_STEPS = 1 << 26,          /* statements that run one by one */
    MOST_EVENTS = 1 << 24,         /* of a core, without those of skipped turns */
    MOST_PROBES = 7                /* loops in each other whose turns are skipped */
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
    bool by_zero;       /* it is not known because it is divided by zero */
    /* How it changes with the periods of loops: see timing/probe.h. */
    bool moves;   /* it does */
    uint8_t bent; /* levels at which the slope is not known */
    int64_t slope[MOST_PROBES];
} Cell;

/* ---- statements ---- */

typedef struct TimeBlock {
    struct TimeBlock *next;
    struct TimeNode *first, *last;
    uint32_t *args;
    unsigned nargs;
    struct TimeLoop *loop; /* the innermost one that it is in, or NULL */
} TimeBlock;

/* What a loop needs to watch its turns: see timing/probe.h. It is kept for the next time that the
 * loop runs. */
typedef struct LoopRoom {
    int64_t *guess;
    struct Cell *start;
    int64_t *history; /* carried values after turns, a ring of rows */
    uint32_t caphistory;
} LoopRoom;

/* A loop of branches between the blocks of a region: a turn begins with its header. */
typedef struct TimeLoop {
    struct TimeLoop *outer;
    TimeBlock *header;
    unsigned depth;
    uint32_t *defined; /* cells of the values of its blocks */
    uint32_t ndefined, capdefined;
    LoopRoom room;
} TimeLoop;

typedef struct TimeRegion {
    TimeBlock *first; /* NULL: it has none */
} TimeRegion;

typedef struct TimeFunc {
    struct TimeFunc *next;
    TimeRegion body;
    bool running;
} TimeFunc;

typedef struct TimeNode {
    struct TimeNode *next;   /* in its block */
    struct TimeNode *listed; /* in the order of the text */
    const LowerStmt *stmt;
    uint8_t form;            /* StmtForm */
    uint8_t sync;            /* SyncUse */
    uint8_t pipe, to;        /* on which it runs or which sets a flag; that waits */
    bool literal;            /* `event` is written; else an operand gives it */
    int64_t event;           /* of a flag, a buffer or a signal between cores */
    uint8_t core;            /* Core */
    bool bursts;             /* a copy of bursts between pointers */
    const PhaseForm *phases; /* of a statement that works on several pipes, or NULL */
    bool scope;              /* a vector scope */
    bool vector;             /* an operation on registers */
    uint32_t *in, *out;      /* cells of operands and results */
    TimeRegion *regions;
    TimeBlock **ways;
    unsigned *way_args; /* where the arguments of each begin in `in` */
    TimeFunc *callee;
    TileNow *tile; /* that it makes */
    ViewNow *view;
    Cell *store;            /* of an array */
    LoopRoom room;          /* of a loop */
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
    double in_scope; /* how often it ran in the scope that is running */
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
    struct ScopeRun *scope; /* of a vector scope */
} PriceSet;

/* What ran in a vector scope that has this price. */
typedef struct ScopeCount {
    TimeNode *node;
    double count;
} ScopeCount;
typedef struct ScopeRun {
    PriceSet price;
    struct ScopeRun *next;
    double runs; /* of the scope */
    uint32_t n;
    ScopeCount *list;
} ScopeRun;

/* ---- events ---- */

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
    TIME_PHASE,    /* inside a statement a pipe waits for the pipe `number` */
    TIME_TURNS,    /* the events up to TIME_AGAIN come several times */
    TIME_AGAIN,
    TIME_NOTHING
} TimeWhat;

/* What a core does next. */
typedef struct TimeEvent {
    TimeNode *node;
    const PriceSet *price;
    uint8_t what;    /* TimeWhat */
    uint8_t pipe;    /* that is held, or that must be done */
    uint32_t number; /* of an event, a buffer, a channel or turns */
} TimeEvent;
typedef struct EventTurns {
    uint64_t times;
    bool crosses; /* signals or entries between cores are among the events */
} EventTurns;

/* What a core does, in the order of the program. */
enum { EVENT_CHUNK = 1 << 12 };
typedef struct EventList {
    TimeEvent **chunks;
    uint32_t n, nchunks, capchunks;
    EventTurns *turns;
    uint32_t nturns, capturns;
    uint32_t crossing; /* events between cores */
    /* flags that something waits for, a bit each: others need not be kept */
    uint32_t awaited[TIMED_PIPES][TIMED_PIPES];
} EventList;

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
    PtrMap funcs;    /* LowerFunc -> TimeFunc */
    PtrMap origins;  /* LowerStmt -> its operation, for messages */
    TimeFunc *all;   /* of these */
    Cell *cells;
    uint32_t ncells;
    Cell *copied; /* values while they are assigned */
    uint32_t capcopied;
    TimeNode *nodes, **last_node;
    Core core;
    int64_t grid, block;
    int64_t block_step; /* of blocks that are compared; 0: this one alone */
    /* how many such blocks, with this one, have the same events; in how many classes they fall */
    uint64_t block_same, block_period;
    double scale[TIMED_PIPES]; /* of the time of each pipe: 0: infinitely fast */
    bool free_flags;           /* nothing waits */
    bool free_buffers;         /* nothing waits until a buffer has been read */
    bool named;                /* there is a core of the other kind */
    bool uncut;                /* all turns run */
    EventList events;
    const GivenNumber *given;
    size_t ngiven;
    uint64_t steps;
    ScopeSum *scope;       /* the vector scope that is running, or NULL */
    double scope_weight;   /* turns that the one that runs in it counts for */
    TimeNode **scope_list; /* its statements */
    uint32_t nscope, capscope;
    ScopeRun *scopes;      /* all prices of scopes */
    struct Probes *probes; /* of the loops that are running */
    unsigned nprobes;
    unsigned number; /* of the core */
    struct Schedule *s;
    struct TimeLog *log;
    struct TimeShared *shared;
    jmp_buf stop;
    char why[256]; /* why it stopped */
    Span where;    /* len 0: nowhere */
    bool waits;    /* it waits there for ever */
} TimeRun;

/* Makes the statements of a function and of those that it calls. */
TimeFunc *time_function(TimeRun *r, const LowerFunc *func);
uint32_t time_cell(TimeRun *r, const Value *v);
/* Runs a function, whose arguments are in the cells, and keeps its events; false: `why` and `where`
 * say why not. */
bool time_run(TimeRun *r, TimeFunc *f);
/* Ends the run with a message. */
_Noreturn void time_stop(TimeRun *r, const LowerStmt *s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for a value that must be known, such as `the number of iterations`. */
_Noreturn void time_unknown(TimeRun *r, const LowerStmt *s, const char *what, const Value *cause);
/* Returns the number of the event, buffer or signal of a statement, which must be below `limit`. */
unsigned time_event_number(TimeRun *r, const TimeNode *n, unsigned limit);

/* ---- blocks.c ---- */

/* Finds the loops of a region with several blocks. */
void time_find_loops(TimeRun *r, const TimeRegion *region);

/* ---- work.c ---- */

/* Prices a statement on its pipe, with the extents that its tiles have now. */
const PriceSet *time_price(TimeRun *r, TimeNode *n);

/* ---- cores.c ---- */

/* Signals of other cores, and entries of pipes between them. */
void time_cores(TimeRun *r, TimeNode *n);
void time_entry(TimeRun *r, TimeNode *n);

/* ---- scopes.c ---- */

void scope_add(TimeRun *r, TimeNode *n);
void scope_barrier(TimeRun *r);
void scope_end(TimeRun *r, TimeNode *n);

/* ---- events.c ---- */

/* Adds an event of a statement. */
void time_emit(TimeRun *r, TimeNode *n, TimeWhat what, Pipe pipe, unsigned number);
/* The same for a statement that has this price. */
void time_emit_at(TimeRun *r, TimeNode *n, const PriceSet *price);
static inline const TimeEvent *event_at(const EventList *l, uint32_t i) {
    return &l->chunks[i / EVENT_CHUNK][i % EVENT_CHUNK];
}
void events_reset(EventList *l);
/* Marks the beginning of events that may come several times. */
uint32_t events_mark(TimeRun *r, TimeNode *loop);
/* Says how often those since the mark come. */
void events_repeat(TimeRun *r, uint32_t mark, uint64_t times);

#endif
