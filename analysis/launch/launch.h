/* SPDX-License-Identifier: Apache-2.0 */
/* Proves what the cores of a block do to each other: a cube function and its vector function, or
 * the sections of one function, for all trip counts and all values of conditions.
 *
 * - Every wait for an entry, a free slot or a signal ends, also where free slots come back in
 *   groups, as the vendor's library returns them.
 * - Two accesses of different cores that share a byte, one of them a write, are ordered, and so are
 *   those of slots of queues.
 * - At the end no entry, slot or signal is left over, and no signal is sent more often than its
 *   counter can hold.
 *
 * With the conditions decided each core is a list of statements, each queue or event has one side
 * that signals and one that waits, and no step of a core disables a step of another. So either all
 * orders of these lists end or none does, and one order decides for all of them. */
#ifndef ANALYSIS_LAUNCH_LAUNCH_H
#define ANALYSIS_LAUNCH_LAUNCH_H

#include "analysis/callgraph.h"

typedef struct LaunchFinding {
    struct LaunchFinding *next;
    DiagId id;
    bool mild; /* a warning */
    const Op *op;
    const char *text;
    const Op *other; /* what the note is about; NULL: there is none */
    const char *note;
    const Op *kept;      /* a pop of the pipe of which slots are missing, or NULL */
    ProfileSet profiles; /* for which it holds */
} LaunchFinding;

/* What runs together on the cores of a block. */
typedef struct CoreLaunch {
    struct CoreLaunch *next;
    const CallNode *cube, *vector; /* the same for sections of one function; NULL: not here */
    LaunchFinding *findings;       /* in the order in which they were found */
    const char *why;               /* what is not understood, so that it is not proved; or NULL */
    const Op *at;                  /* the statement, or NULL */
    const char *scope;             /* for what it is proved */
    bool ordered;     /* the order of accesses is judged, too: the functions have flags */
    unsigned assumed; /* ASSUMED_.. */
    bool loads;       /* it assumes that no core writes what conditions and bounds load */
} CoreLaunch;

/* Where the order of accesses is judged, too. */
typedef enum LaunchOrder {
    LAUNCH_WAITS, /* nowhere */
    LAUNCH_FLAGS, /* where the functions have flags */
    LAUNCH_ALL    /* also where the proof of each core found nothing */
} LaunchOrder;

/* Proves all launches of a module in which cores meet, on the chips of a set of profiles. They are
 * in the order of the text. Allocated in the arena of the module. `only_proofs`: of one that is not
 * proved nothing else is wanted. */
CoreLaunch *launches_prove(const Module *m, CallGraph *graph, ProfileSet profiles, LaunchOrder how,
                           bool only_proofs);
/* Returns how many findings deny a proof: what the vendor's library does wrong does not. */
uint32_t launch_findings(const CoreLaunch *l);

#endif
