/* SPDX-License-Identifier: Apache-2.0 */
/* Which functions of a module call which, and on which kinds of cores their statements run. A
 * function of one kind does nothing on a core of the other, wherever it is called. */
#ifndef ANALYSIS_CALLGRAPH_H
#define ANALYSIS_CALLGRAPH_H

#include "ir/functions.h"

typedef struct CallNode {
    struct CallNode *next; /* in the order of the text */
    Op *func;              /* it has a body */
    Core core;             /* that it or a module around it names; CORE_ANY: none */
    bool flags;            /* flags, events or buffers in it, or in a function that it calls */
    bool own_flags;        /* in it */
    bool frees;            /* it frees entries of pipes */
    bool unordered;        /* the proof has found accesses that are not ordered */
    bool across; /* queues or signals between cores or devices, in it or in what it calls */
    bool meets;  /* those between cores */
    /* In it: it asks which vector core it runs on, has an event of the second vector core, and
     * entries that both vector cores share. */
    bool asks, second, split;
    bool root;  /* nothing calls it on its kind of core, or a host starts it, or only itself does */
    bool begun; /* a root calls it, or calls one that does */
    /* 1 << Core of the kinds that it distinguishes, itself or in what it calls; 0: it is the same
     * for both. */
    unsigned cores;
    struct CallEdge *callees, *callers;
    struct KnownSteps *steps; /* that were made: see steps_known() */
} CallNode;

typedef struct CallEdge {
    struct CallEdge *next_callee, *next_caller;
    CallNode *from, *to;
    bool runs; /* on some core both ends run */
} CallEdge;

typedef struct CallGraph {
    const Context *ctx;
    Arena *arena;
    Functions functions;
    PtrMap nodes; /* const Op * of a function -> CallNode * */
    CallNode *first, **last;
} CallGraph;

/* Describes the functions of a module, which has a block, and of modules inside; all is allocated
 * in the arena. */
void callgraph_init(CallGraph *g, Arena *arena, const Context *ctx, const Op *module);
/* Returns the node of a function with a body. */
CallNode *callgraph_node(const CallGraph *g, const Op *func);
/* True for a statement by which the cores of a block meet: about pipes between them, or a signal.
 */
bool op_meets_cores(const Op *op);
/* Returns the kinds of core, 1 << Core, all of which a pto.syncall waits for in all blocks; 0: it
 * is none, or waits for those of some cores only. */
unsigned op_syncs_all(const Op *op);
/* True for flags and buffers, which order the pipes of one core. */
bool op_orders_pipes(const Op *op);
/* Calls `run` for each kind of core that a function distinguishes; CORE_ANY if it is the same for
 * both. */
void callgraph_each_core(const CallNode *n, void (*run)(void *arg, Core core), void *arg);

#endif
