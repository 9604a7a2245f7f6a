/* SPDX-License-Identifier: Apache-2.0 */
/* What a statement reads and writes, and on which pipes it runs. The verifier, the lints and the
 * proof of synchronisation ask here. */
#ifndef ANALYSIS_EFFECTS_H
#define ANALYSIS_EFFECTS_H

#include "analysis/alias.h"
#include "analysis/calls.h"
#include "ir/core.h"

/* What the statements of a module do in one profile. */
typedef struct Effects {
    const Context *ctx;
    Profile profile;
    Calls *calls;     /* what calls do; NULL: anything with what they are passed */
    const Plan *plan; /* addresses that the text does not give, and scratch tiles; or NULL */
} Effects;

/* A tile or memory of which a statement reads or writes bytes. */
typedef struct Access {
    const Value *value;     /* NULL: the scratch tile `tmp` */
    const PlanTmp *tmp;     /* a planned scratch tile, which the text leaves out; or NULL */
    const SlotInfo *slot;   /* NULL: a result that is no slot, such as a popped entry */
    Span span;              /* of the operand; empty for results */
    const Touched *touched; /* the elements; extents are those of other operands of the statement */
    bool read, write;
    bool maybe;    /* not in every case */
    bool scratch;  /* its contents mean nothing before and after; kernels of a CPU leave it alone */
    uint8_t pipe;  /* Pipe */
    uint8_t other; /* Pipe that it may be instead; PIPE_NONE: none */
    uint8_t phase; /* of effects_phases(); 0 if there is one phase alone */
} Access;

/* Lists the accesses of a statement to tiles and memory, at most `cap`, in the order of its phases;
 * returns how many there are. Numbers, and statements that pass values on, such as views, have
 * none.
 */
size_t op_accesses(const Effects *e, const Op *op, Access *out, size_t cap);
/* True when an instruction does not touch its scratch tile on a profile: most do not on a5, and on
 * a CPU none but those for which a tile is planned. */
bool scratch_is_idle(const Inst *inst, Profile profile);
/* Returns the places of an access of `op` in its function, which `alias` describes; `room` holds
 * that of a planned scratch tile. Only for tiles. */
AliasSet access_places(const Alias *alias, const Op *op, const Access *a, Place *room);
/* True for a statement that moves data or signals between devices or asynchronously, or waits for
 * that. Waiting for a prefetch is none: it moves nothing that a program can see. */
bool op_transfers(const Op *op);
/* Whether an access of an instruction fills what is not valid. */
static inline bool access_pads(const Inst *inst, const Access *a) {
    return (inst->flags & IF_LOADS) != 0 && a->write && a->value->type->tile.pad != PAD_NULL;
}
/* Returns the bytes that an access of `op` touches of the place of its operand. */
Place access_bytes(Numbers *t, const Op *op, const Access *a, Place p);
/* Returns the elements that a statement touches of the operand in a slot of its instruction. */
const Touched *slot_touched(const Op *op, const SlotInfo *slot);
/* Returns the pipe that a statement runs on, never PIPE_BY_OPERAND; PIPE_NONE: none. */
Pipe effects_pipe(const Effects *e, const Op *op);
/* Returns the phases of a statement that runs in several, with flags of its own between; NULL: it
 * has one. */
const PhaseForm *effects_phases(const Effects *e, const Op *op);
/* True when a statement has all that a phase needs. */
bool phase_applies(const Op *op, const Phase *phase);

#endif
