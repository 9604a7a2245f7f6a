/* Values that a statement hands on: to the results and the arguments of the blocks of a statement
 * with regions, to the blocks that a branch goes to, and to views and selections of a tile. */
#ifndef IR_HANDOVER_H
#define IR_HANDOVER_H

#include "ir/ir.h"

typedef enum HandKind {
    HAND_ON,     /* `to` is the value */
    HAND_NEXT,   /* `to` is the value in the next iteration of the loop `op` */
    HAND_BRANCH, /* `to` is an argument of the block that `op` goes to */
    HAND_VIEW    /* `to` is a tile on the storage of the value, or on a part of it */
} HandKind;

typedef struct Handover {
    Op *op; /* of HAND_NEXT the loop, else the statement that hands on */
    Operand *from;
    Value *to;
    HandKind kind;
} Handover;

/* Calls `see` for everything that `op` hands on by itself, regions not included. In a faulty
 * program, values without a counterpart are left out. */
void handover_each(Op *op, void (*see)(void *arg, const Handover *h), void *arg);
/* The tile whose address a statement changes without making a value: that of a tassign without a
 * result, the destination of a view in the DPS form, a popped entry. NULL: it changes none. */
Value *handover_rebinds(const Op *op);
/* True when an scf.for is known to run its body at least once. */
bool loop_runs_at_least_once(const Op *op);

#endif
