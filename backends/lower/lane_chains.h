/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of micro-instructions on lanes of 32 bits: statements that the runtime runs in one call,
 * which keeps their values in machine registers. */
#ifndef BACKENDS_LOWER_LANE_CHAINS_H
#define BACKENDS_LOWER_LANE_CHAINS_H

#include "backends/lower/body.h"

/* As PTRT_LINKS, PTRT_CHAIN_MASKS and PTRT_CHAIN_REGISTERS of runtime/ptort_micro.h. */
enum {
    LANE_CHAIN_MEMBERS = 12,
    LANE_CHAIN_STEPS = 12,
    LANE_CHAIN_MASKS = 4,
    LANE_CHAIN_REGISTERS = 3
};

/* Where the operand of a step is: enum ptrt_link_from. */
typedef enum LaneFrom {
    LANE_FROM_NOTHING,
    LANE_FROM_REGISTER, /* `reg` */
    LANE_FROM_PLACE,    /* the address of `stmt` */
    LANE_FROM_WORD,     /* the same */
    LANE_FROM_BITS,     /* its scalar */
    LANE_FROM_AGAIN     /* that of step `again` */
} LaneFrom;

typedef struct LaneStep {
    const LowerStmt *stmt; /* whose line it has */
    const char *prefix; /* of `id`: how the value in registers is used; "": it is no row's step */
    const char *id;     /* of the row, or of the step */
    uint8_t elem;       /* ELEM_.. that selects the step, or ELEM_NONE */
    uint8_t from;       /* LaneFrom */
    int8_t how;         /* of a comparison: the number of its mode */
    const LowerArg *base, *offset; /* of an address, */
    const LowerArg *bits;          /* and of a scalar */
    const Value *reg;
    uint8_t again;
    uint8_t own; /* the mask is of the chain alone: its number there, from 1 on; 0: it is not */
    const Value *mask; /* that it makes or takes; NULL: none */
} LaneStep;

/* Its statements stay where they are; the last one makes the call. */
typedef struct LaneChain {
    const LowerStmt *last;
    const Value *mask; /* that governs its statements; NULL: none */
    const LaneStep *steps;
    unsigned nsteps;
    const Value *const *kept; /* registers and masks that it defines and others use */
    unsigned nkept;
} LaneChain;

#endif
