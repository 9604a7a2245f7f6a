/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the proof between cores share: the cores of a launch, the items into which
 * their steps are paired, and the states of a run.
 *
 * An attempt numbers the values that decide control flow (values.c), pairs loops and branches of
 * the cores (pairs.c), prepares each statement (statements.c, places.c), and runs the result in one
 * order (run.c, settle.c, flight.c). All of an attempt is in one arena. */
#ifndef ANALYSIS_LAUNCH_ATTEMPT_H
#define ANALYSIS_LAUNCH_ATTEMPT_H

#include "analysis/launch/launch.h"
#include "analysis/pipe_links.h"
#include "analysis/rename.h"
#include "analysis/steps.h"
#include "ir/profile.h"

enum {
    ON_CUBE,
    ON_VECTOR_0,
    ON_VECTOR_1,
    CORES,
    MOST_COPIES = 16,    /* of a loop whose partner is not found */
    MOST_WRITTEN = 6000, /* statements of a program whose loops are written out */
    MOST_CONFIGS = 400,  /* configurations of a loop */
    MOST_ROUNDS = 2000,  /* of all loops */
    MOST_MERGED = 50000, /* states of the cores, at all places */
    FEW_MERGED = 1000,   /* of an edit that is tried */
    MOST_SIGNALS = 15,   /* that an event counts */
    MOST_AHEAD = 64,     /* entries of a queue that are counted apart */
    MOST_KNOWN = 4096,   /* waits of a core that its pipes have not come to */
    MOST_INPUTS = 4,     /* arguments and loads that are tried one by one */
    MOST_CHOICES = 160,  /* of their values */
    DEEPEST_VALUE = 200  /* statements from a value to what it is computed from */
};

/* ---- values ---- */

typedef enum TermKind {
    TERM_CONSTANT,
    TERM_ARGUMENT, /* of the functions, by position */
    TERM_COUNT,    /* iterations of a paired loop that ended */
    TERM_LOAD,     /* an element of global memory that no core writes */
    TERM_COMPUTED,
    TERM_EQUAL,
    TERM_LESS,  /* as signed numbers */
    TERM_BELOW, /* as unsigned ones */
    TERM_NOT,
    TERM_TRIPS,  /* how often a loop runs: its length and step */
    TERM_UNKNOWN /* a value of one core */
} TermKind;

/* A value as all cores know it: equal terms are one term. */
typedef struct Term {
    struct Term *chain;
    uint8_t kind;           /* TermKind */
    bool loads;             /* it depends on a load */
    bool unknown;           /* on a value of one core, which cannot be compared with others */
    bool counts;            /* on which iteration it is, other than by what is loaded */
    uint32_t number, depth; /* it may differ in iterations of a loop of this depth; 0: never */
    int64_t c;              /* the constant, argument or loop */
    const void *of;         /* the instruction, or the unknown value */
    const void *at;         /* attributes, or where the unknown value is */
    const struct Term *in[3];
} Term;

typedef struct Item Item;

/* Where a statement is: in an iteration of a loop, or in a called function. */
typedef struct Env {
    const struct Env *up;
    const Step *step;   /* the loop or call */
    const Item *item;   /* of a loop that stays a loop; NULL: */
    int64_t k;          /* which iteration is written out */
    const Block *entry; /* of a called function */
} Env;

/* The term of a value on a core. */
typedef struct ReadValue {
    struct ReadValue *chain;
    const Value *value;
    const Env *env;
    unsigned core;
    const Term *term;
} ReadValue;

/* ---- queues ---- */

/* One direction of a pipe between the cores. */
typedef struct Queue {
    struct Queue *next;
    uint32_t number;
    uint32_t root; /* of its ends */
    bool to_vector;
    bool views;  /* entries are views of global memory */
    bool copied; /* a pop copies the entry into a ring of the consumer */
    uint32_t slots, ring;
    uint32_t period;  /* slots come back in groups of so many */
    uint32_t modulus; /* after so many entries everything repeats */
    const Op *opening;
    int entries[CORES], freed[CORES]; /* by vector core: channel + 1; 0: it is not made */
} Queue;

/* ---- statements ---- */

typedef enum StatementKind {
    DO_ACCESS,
    DO_SET,
    DO_WAIT,
    DO_BARRIER,
    DO_BARRIER_ALL,
    DO_FENCE,
    DO_GET,
    DO_RELEASE,
    DO_ALLOC,
    DO_PUSH,
    DO_POP,
    DO_FREE,
    DO_SIGNAL, /* an event between cores */
    DO_AWAIT,
    DO_MEET /* all cores, or those of one kind */
} StatementKind;

/* Bytes that a statement touches and another core may, too: global memory, or an entry. */
typedef struct Touch {
    bool write;
    bool maybe;
    const Use *use;
    const Place **places; /* global memory, by the number of the cycle; NULL: an entry */
    int entry;            /* number of the value that is bound to it */
} Touch;

typedef struct Statement {
    struct Statement *next;
    const Step *step;
    const Env *env;
    const Item *around; /* the innermost loop, or NULL */
    uint8_t core, kind; /* StatementKind */
    uint8_t pipe;
    uint8_t split;
    bool empty; /* of a push: of no element */
    uint32_t number;
    Queue *queue;
    int entry;      /* of an alloc or pop: the number of what it binds; else -1 */
    uint32_t event; /* of signals between cores */
    uint8_t meets;  /* DO_MEET: 1 << core of the others */
    Touch *touches;
    uint32_t ntouches;
} Statement;

typedef enum ItemKind { ITEM_SEGMENT, ITEM_LOOP, ITEM_BRANCH } ItemKind;

/* Statements without control flow, or a loop or branch that some cores share. */
struct Item {
    Item *next;
    const Item *around; /* the loop around it */
    uint8_t kind;       /* ItemKind */
    uint8_t cores;      /* 1 << core */
    uint32_t number, depth;
    Statement *first[CORES], *last[CORES];
    const Term *condition;
    bool once;     /* nothing else depends on the condition while it is the same */
    int64_t trips; /* -1: not known */
    uint32_t ring; /* iterations after which slots and events repeat */
    bool meets;    /* cores meet in it */
    const Op *op;  /* on the first core */
    const Op *ops[CORES];
    Variable *count;
    Item *body, *other; /* of a loop `other` is what decides whether the body runs */
};

/* ---- running ---- */

typedef enum MicroKind {
    MICRO_STOP, /* the core waits for a token */
    MICRO_WAIT, /* a pipe does */
    MICRO_WORK,
    MICRO_TOKEN,
    MICRO_ORDER,
    MICRO_DRAIN,
    MICRO_GET,
    MICRO_RELEASE
} MicroKind;

typedef struct Micro {
    uint8_t kind; /* MicroKind */
    uint8_t pipe;
    int channel; /* of a token */
    const Statement *of;
    uint32_t index;    /* among those of the statement */
    uint32_t instance; /* of work */
} Micro;

/* What a statement does every time; NULL: it differs, or has not been done. */
typedef struct Fixed {
    const Micro *list;
    uint32_t n;
} Fixed;

typedef enum ChannelKind {
    CHANNEL_KNOWN, /* what a wait of the core makes known to one of its pipes */
    CHANNEL_FLAG,
    CHANNEL_ENTRY,
    CHANNEL_SLOT,
    CHANNEL_EVENT,
    CHANNEL_MEETING
} ChannelKind;

typedef struct Channel {
    uint8_t kind; /* ChannelKind */
    uint8_t core; /* that takes the tokens */
    uint8_t from; /* that gives them */
    uint32_t id;
    const Queue *queue;
    uint32_t tokens; /* at the start */
    uint32_t most;
    bool awaited; /* some statement takes its tokens */
    int lag;      /* number among events; -1: none */
    const Op *last;
} Channel;

/* Bytes that an access touches. */
typedef struct InFlight {
    const Place *place; /* global memory; NULL: */
    const Queue *queue; /* a slot */
    uint32_t slot;
    uint8_t half; /* of it; 0: all */
    bool ring;    /* it is in the ring of the core */
    bool write, maybe;
} InFlight;

/* An access to certain bytes: a statement may touch another slot or entry each time. */
typedef struct Instance {
    struct Instance *chain;
    const Statement *of;
    uint32_t number;
    uint8_t pipe;
    InFlight *touched;
    uint32_t n;
    uint64_t hints; /* two instances that have none in common share no byte */
} Instance;

typedef struct Token {
    struct Token *next;
    uint64_t *bits; /* levels * words */
    uint8_t *lag;
} Token;

typedef struct Fifo {
    const void **items;
    uint32_t first, n, cap;
} Fifo;

typedef struct Decision {
    const Term *term;
    bool yes;
} Decision;

typedef struct Flight {
    struct Flight *next; /* free, or in a list */
    uint64_t *seen;      /* of each pipe of each core, then of each buffer */
    Token **first;       /* by channel */
    uint32_t *ntokens;
    uint8_t *lag;    /* by pipe and event */
    int32_t *counts; /* by core and queue: ALLOC, PUSH, POP, FREE */
    int32_t *bound;  /* by entry: which one; -1: none */
    uint8_t *halves; /* by entry */
    uint32_t *phase; /* by loop */
    Fifo rest[CORES], queue[CORES * PIPES];
    const Micro *now[CORES]; /* the statement that is being issued */
    uint32_t nnow[CORES];
    Decision *decisions;
    uint32_t ndecisions, cap_decisions;
    bool guessed; /* some decision may not be possible together with others */
    bool uneven;  /* how often a loop ran decides what is left in flight */
    uint64_t hash;
} Flight;

/* What is bound to no entry, or to one that is freed. */
enum { ENTRY_UNBOUND = -1, ENTRY_GONE = -2 };
enum { COUNT_ALLOC, COUNT_PUSH, COUNT_POP, COUNT_FREE, COUNTS };

typedef struct LaunchCore {
    bool there;
    Core kind;
    const Op *func;
    const Value *named; /* an argument that tells which vector core it is, or NULL */
    Steps *steps;
} LaunchCore;

/* An argument or a load whose values are tried. */
typedef struct Input {
    const Term *term;
    int64_t value;
} Input;

typedef struct Found {
    struct Found *next;
    uint8_t kind; /* FoundKind */
    uint8_t core, other_core;
    const Statement *of, *other;
    const Channel *channel;
    const Queue *queue;
    bool maybe;
    bool follows; /* of a wait: the core that should end it waits itself */
    int64_t n;
} Found;

typedef enum FoundKind {
    FOUND_DEADLOCK,
    FOUND_RACE,
    FOUND_LEFT, /* entries, slots or signals */
    FOUND_KEPT, /* slots are missing at the end */
    FOUND_OVERFLOW,
    FOUND_FREED,
    FOUND_CREDIT /* slots that the vendor's library may return too early */
} FoundKind;

/* What all attempts for one launch and profile share. */
typedef struct LaunchBlock {
    Context *ctx;
    Arena *arena;
    CallGraph *graph;
    Profile profile;
    const ProfileInfo *info;
    PipeProgram *pipes;
    /* By end of a pipe. */
    bool *ours;      /* some function of the launch sets it up */
    uint32_t *roots; /* ends with equal roots belong together */
    bool *alone;     /* its other end is not known */
    LaunchCore cores[CORES];
    /* Arguments of all cores: two functions share them by position where the parameters of one
     * begin those of the other; else those of the vector cores come after those of the cube. */
    uint32_t nparams, shift;
    Value *params; /* the arguments of all functions */
    /* By argument of the functions: 1 << core of those that use its memory, and that write it. */
    uint8_t *users, *writers;
    bool ordered; /* accesses are compared */
    /* A wait for another core stops the whole core, and flags are proved to be set before they are
     * waited for: they have no part in whether waits end. */
    bool sequential;
    bool any_written;  /* some store may be to any memory */
    bool brief;        /* an edit is tried, and given up early */
    bool second;       /* both vector cores take part */
    bool asks;         /* a vector core asks which one it is */
    bool any_subblock; /* that is not known in the steps */
    PtrMap declared;   /* results of pto.declare_tile */
    PtrMap entries;    /* what is bound to entries, and the statements that bind it -> number + 1 */
    const Value **bound; /* by entry: what is bound to it */
    uint32_t nentries, cap_entries;
} LaunchBlock;

/* Returns the number of an argument of a core's function. */
static inline uint32_t argument_number(const LaunchBlock *b, unsigned core, const Value *v) {
    return v->index + (core != ON_CUBE ? b->shift : 0);
}

typedef struct Attempt {
    Arena *arena;
    const LaunchBlock *block;
    bool write_out;            /* loops with known trip counts */
    bool batch;                /* free slots come back in groups */
    bool fewer;                /* queues have no slot more than groups leave free at any time */
    bool whole;                /* a wait of a pipe stops its core */
    bool followed;             /* which entries values are bound to */
    bool judged;               /* accesses are compared, of these values, too */
    Input inputs[MOST_INPUTS]; /* that have a value */
    uint32_t ninputs;
    /* values */
    Term *chains[256];
    ReadValue **read; /* chains */
    uint32_t nread, read_mask, nterms;
    SharedVariables shared;              /* of places as all cores know them */
    const Term *needed[MOST_INPUTS * 4]; /* arguments and loads that decide control flow */
    uint32_t nneeded;
    bool loads;
    /* items */
    Item *first;
    uint32_t nloops, deepest, nstatements, written, nest;
    PtrMap relevance; /* const Step * -> bits */
    Queue *queues;
    uint32_t nqueues;
    const Queue **queue_of; /* by entry: of which queue it is */
    /* running */
    Channel *channels;
    uint32_t nchannels, cap_channels, nevents;
    int known[CORES][PIPES]; /* CHANNEL_KNOWN of a pipe that is used */
    Fixed *fixed;            /* by statement */
    uint32_t *buffers;       /* by core and number: + 1 */
    uint32_t nbuffers;
    Instance **instances, *by_bytes[256];
    InFlight *now; /* what the current statement touches */
    uint32_t cap_now;
    uint32_t ninstances, expected, words, levels;
    uint64_t *own[CORES * PIPES], **rivals;
    uint64_t *every;   /* by level: what all pipes of a core know */
    uint64_t **inside; /* by loop: the instances in it */
    uint8_t **meets;   /* by first instance: by level and second one 1 + Overlap, where known */
    Flight *spare;
    Token *spare_tokens;
    uint32_t rounds, merged;
    bool blocked, crowded;
    bool late_release; /* a buffer was waited for that this order releases late */
    const Item *blocked_in;
    unsigned assumed;
    const char *why;
    const Op *at, *at_other; /* statements that `why` is about; or NULL */
    Found *found, **last_found;
    uint32_t used[CORES]; /* 1 << Pipe */
    /* Rows of states: by core and pipe, those of buffers come after; how many there are. */
    uint8_t row[CORES * PIPES];
    uint32_t npipes, nrows;
} Attempt;

static inline bool attempt_ended(const Attempt *a) {
    return a->why != NULL || a->crowded;
}
/* Returns the statement that gave or took the tokens of a channel last, or any that may, as a pop
 * for free slots; NULL: there is none. */
const Statement *statement_of_channel(const Attempt *a, const Item *first, const Channel *c);
void attempt_fails(Attempt *a, const Op *at, const char *why);

#endif
