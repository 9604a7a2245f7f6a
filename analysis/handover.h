/* SPDX-License-Identifier: Apache-2.0 */
/* Enumerates where the operands of a statement flow: to the results and block arguments of a
 * statement with regions, to the blocks of a branch, and to views and selections of a tile. */
#ifndef ANALYSIS_HANDOVER_H
#define ANALYSIS_HANDOVER_H

#include "ir/ir.h"

typedef enum HandKind {
    HAND_ON,     /* `to` is the value */
    HAND_NEXT,   /* `to` is the value in the next iteration of the loop `op` */
    HAND_BRANCH, /* `to` is an argument of the block that `op` goes to */
    HAND_VIEW    /* `to` is a tile on the storage of the value, or on a part of it */
} HandKind;

typedef struct Handover {
    Op *op; /* of HAND_NEXT the loop, else the statement that passes the value on */
    Operand *from;
    Value *to;
    HandKind kind;
} Handover;

/* Calls `see` for everything that `op` itself passes on, without its regions. In an invalid
 * program, values without a counterpart are skipped. */
void handover_each(Op *op, void (*see)(void *arg, const Handover *h), void *arg);
/* Returns the tile whose address a statement changes without defining a value: that of a tassign
 * without a result, the destination of a view in the DPS form, a popped entry. NULL if there is
 * none. */
Value *handover_rebinds(const Op *op);
/* True when only statements that it dominates can see the new address: at the end of the
 * statement's region the tile ends, or has its former address again. It keeps the new one in a
 * region of several blocks, and as an entry of a pipe or a tile of scales. */
bool handover_ends(const Op *op);

#endif
