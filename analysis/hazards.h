/* SPDX-License-Identifier: Apache-2.0 */
/* Proves the order of the pipes of a core: of every two accesses that share a byte, one of them a
 * write, the earlier in the text has ended before the later starts, on every path and for every
 * speed of the pipes.
 *
 * The proof runs on a program of steps, which analysis/steps.c makes of a function. */
#ifndef ANALYSIS_HAZARDS_H
#define ANALYSIS_HAZARDS_H

#include "analysis/alias.h"

enum {
    PIPES = PIPE_FIX + 1, /* that have an order of their own, by Pipe */
    EVENTS = 8            /* flags of a pair of pipes */
};

typedef struct Step Step;

/* A number that a loop determines, as the slot `%i rem 3`: (scale * k + offset) mod modulus, where
 * k counts the iterations. Without a loop it is `offset`. */
typedef struct Cycle {
    const Step *loop;
    int64_t scale, offset, modulus;
    bool table;      /* not of this form: */
    int64_t *values; /* by k mod modulus; NULL: k mod modulus itself */
} Cycle;

/* A read or write of an access. */
typedef struct Use {
    Cycle slot;
    const Place **places; /* by the value of `slot`; one if it has no loop */
    const Value *value;   /* the operand or result; NULL: none */
    bool write;
    bool scratch;
    bool maybe; /* one of several places */
} Use;

typedef enum StepKind {
    STEP_ACCESS,
    STEP_SET,
    STEP_WAIT,
    STEP_BARRIER,
    STEP_BARRIER_ALL,
    STEP_GET,
    STEP_RELEASE,
    STEP_SIGNAL, /* other devices may read what was written before */
    STEP_FENCE,  /* what was written has arrived */
    STEP_CORES,  /* a signal between cores, or a wait for one; the proof of a core passes over it */
    STEP_BUSY,   /* a flag that may be set here and waited for at once */
    STEP_IF,     /* body or other */
    STEP_LOOP,   /* (other body)*, leaves after `other`, which may be empty */
    STEP_GRAPH,  /* body: its blocks, and where they go; what a branch back repeats is a loop */
    STEP_BLOCK,  /* body: of a graph, or a region that runs once */
    STEP_CALL    /* body, or that of the call `callee`, which is of the same function */
} StepKind;

struct Step {
    Step *next;
    const Op *op;
    Step *loop;         /* the loop around it, or NULL */
    Step *body, *other; /* first steps */
    Use *uses;
    uint32_t nuses;
    uint8_t kind;       /* StepKind */
    uint8_t pipe, to;   /* Pipe; `to` of flags: the pipe that waits */
    bool hidden;        /* of flags and barriers: inside a statement of several phases */
    uint8_t phase;      /* of an access: which of its statement */
    bool stores;        /* of an access: it writes global memory */
    bool signal;        /* of an access: its own pipe waits or signals and leaves the bytes alone */
    uint32_t statement; /* the same number for all steps of one statement, at one call */
    Cycle id;           /* of the event or buffer */
    int64_t trips;      /* STEP_LOOP: -1 when unknown */
    uint8_t never;      /* STEP_IF: 1: `body` never runs; 2: `other` never does */
    uint32_t ring;      /* STEP_LOOP: iterations after which slots and events repeat */
    uint32_t depth;     /* number of loops around it; of a loop: with itself */
    /* Of a block: the numbers of those that it goes to, none: it leaves the graph; of a graph: of
     * those that it begins with, and all blocks. */
    uint32_t *next_blocks, nnext, nblocks;
    Step **blocks;
    Step *callee;          /* of a call */
    bool shared;           /* of a call: others have its body, too */
    struct Memory *memory; /* of such a call: states before and after it */
    /* Of the proof: the instances of accesses and waits, one for each phase of the loops around. */
    uint32_t first, copies;
    struct LoopState *states; /* of a loop: one for each phase of those around, `loops` */
    uint32_t loops;
    struct Finding *findings; /* races in which it is the later access */
    /* Of insertion: the statement of the function, which for steps of a called function is the
     * call; NULL for an inserted step, which is put `after` a statement or before one. */
    const Op *at;
    bool after;
    bool fence;           /* of an inserted barrier: it is a pto.fence.barrier_all */
    Step *prev, *around;  /* the loop or branch around it */
    bool second;          /* it is in `other` of that */
    uint32_t nest, place; /* steps around; position in its list */
    const Value *event;   /* the number of the event in the program, if that is no constant */
    uint32_t number, end; /* in the order of the text; that of the last step inside */
};

/* The order that the hardware keeps by itself. */
typedef struct PipeOrder {
    unsigned ordered; /* 1 << Pipe of the pipes that complete in order */
    bool issue;       /* a wait of the scalar pipe delays all that comes after it */
    bool exceptions;  /* two loads, and a long vector instruction that reads what another wrote */
    bool early;       /* look for flags that may be set too early */
} PipeOrder;
/* What shipped kernels rely on, and what is documented. */
PipeOrder pipe_order_practice(Profile p);
PipeOrder pipe_order_documented(Profile p);

typedef enum FindingKind {
    FINDING_RACE,
    FINDING_DEADLOCK,
    FINDING_REUSE,
    FINDING_LEAK,
    FINDING_EARLY,
    FINDING_SIGNAL, /* a signal may overtake what an access writes */
    FINDING_TAKEN,  /* a buffer is taken twice */
    FINDING_KEPT    /* a buffer is never released */
} FindingKind;

typedef struct Finding {
    struct Finding *next;    /* in the order in which they were found */
    struct Finding *sibling; /* of the same later access */
    const Step *earlier;     /* race and signal: the access; NULL otherwise */
    const Step *later;
    const Use *earlier_use, *later_use;
    uint32_t level;    /* race: 0 in one iteration, d: carried by the loop of depth d */
    uint8_t kind;      /* FindingKind */
    uint8_t from, to;  /* flags; buffers: the pipe */
    uint8_t event;     /* flags; buffers: the number */
    bool carried_in;   /* race: `earlier` is before the program */
    bool maybe;        /* an address is not known */
    bool on_some_path; /* flags: not on every path */
} Finding;

typedef struct Proof {
    Finding *first, **last;
    uint32_t n;
    unsigned assumed;    /* ASSUMED_.., what it relies on */
    const char *gave_up; /* why the proof stopped; NULL: it is complete */
} Proof;

/* An access before the program that may not have ended. */
typedef struct CarriedIn {
    Step *step;
    uint32_t copy, level;
    unsigned seen_by; /* 1 << Pipe of those from whose point of view */
} CarriedIn;

typedef struct CarryIn {
    CarriedIn *list;
    uint32_t n;
} CarryIn;

/* Runs the proof. `entry`: the program is a whole kernel, which must leave no flag set. `in` is
 * what comes before the program; NULL: nothing. */
void prove_steps(Arena *arena, Step *program, const Places *places, PipeOrder order, bool entry,
                 const CarryIn *in, Proof *out);

/* A proof that is repeated while flags and barriers are taken out of the program. It stops at the
 * first race. */
typedef struct Prover Prover;
/* Returns NULL when the program is too large. */
Prover *prover_new(Arena *arena, Step *program, const Places *places, PipeOrder order,
                   const CarryIn *in);
/* Tells whether there is no race from a step of the first list on. The steps before it have been
 * passed. */
bool prover_holds(Prover *p, Step *from);
void prover_pass(Prover *p, Step *s);
/* True when no flag may be set and no buffer is used. */
bool prover_is_idle(const Prover *p);
/* Returns what may not have ended after all steps have been passed, from the point of view of some
 * pipes, 1 << Pipe. */
CarryIn prover_carry(const Prover *p, Arena *arena, unsigned pipes);

#endif
