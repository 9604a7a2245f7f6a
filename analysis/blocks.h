/* SPDX-License-Identifier: Apache-2.0 */
/* Proves that the blocks of a launch have disjoint parts of global memory: whatever a block writes,
 * no other one reads or writes between two barriers of all blocks. Nothing else orders blocks. */
#ifndef ANALYSIS_BLOCKS_H
#define ANALYSIS_BLOCKS_H

#include "analysis/callgraph.h"

typedef enum BlocksState {
    BLOCKS_UNASKED, /* the function does not ask which block it is */
    BLOCKS_DISJOINT,
    BLOCKS_SHARED, /* two blocks may use the same bytes, or that is not known */
    BLOCKS_UNKNOWN /* something is not understood */
} BlocksState;

typedef struct BlocksVerdict {
    BlocksState state;
    const Op *first, *second; /* the accesses that may meet; of BLOCKS_UNKNOWN: the statement */
    const char *why;          /* of BLOCKS_UNKNOWN */
    unsigned assumed;         /* ASSUMED_.. */
} BlocksVerdict;

/* Judges a function with a body that a host starts, on one profile, together with the function of
 * the other kind of core that runs in the same blocks (NULL: there is none). Allocates in the
 * arena. */
BlocksVerdict blocks_judge(Arena *arena, CallGraph *graph, const CallNode *n, const CallNode *with,
                           Profile profile);

#endif
