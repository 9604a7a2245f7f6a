/* SPDX-License-Identifier: Apache-2.0 */
/* A plan of memory: the addresses of tiles that the text does not place, as passes_plan() finds
 * them. */
#ifndef IR_PLAN_H
#define IR_PLAN_H

#include "ir/ir.h"
#include "support/ptrmap.h"

/* The address of a tile. */
typedef struct PlanSlot {
    int64_t addr;  /* byte offset in its space */
    int64_t bytes; /* tile_bytes of its type for the profile */
    uint8_t space; /* Space */
    bool bound;    /* the text gives the address: constant `addr`, or a constant tassign */
    /* Positions of its function where it is needed; start > end: none. */
    uint32_t start, end;
} PlanSlot;

/* An instruction's implicit scratch tile. Dynamic extents of its valid region equal those of the
 * operand that ImplicitTmp names (one or two rows when it says so). */
typedef struct PlanTmp {
    PlanSlot slot;
    const Type *type;
} PlanTmp;

typedef struct PlanFunction {
    const Op *func;
    /* Bytes that a core needs per space to run the function with its callees: the array sizes of a
     * launch. dynamic[space] means that an address is computed at run time; the size is then at
     * least profile_dynamic_reach(), and planned tiles come after that. */
    int64_t bytes[SPACE_COUNT];
    bool dynamic[SPACE_COUNT];
} PlanFunction;

typedef struct PlanMap {
    PtrMap slots;    /* const Value * -> PlanSlot * */
    PtrMap tmps;     /* const Op * -> PlanTmp * */
    PtrMap funcs;    /* const Op * -> PlanFunction * */
    PtrMap reserves; /* const Op * -> PlanSlot * */
} PlanMap;
typedef struct Plan {
    PlanMap *map;
    PlanFunction *functions; /* in the order of the text, with declarations */
    uint32_t nfunctions;
} Plan;

/* Returns the slot of an alloc_tile result, a tassign result, a tile (or argument) bound by
 * tassign, an SSA tile result, or a tile result of a call. NULL when its address is known only at
 * run time: `addr` or tassign with a value that is not constant, unbound arguments, and results of
 * scf operations and select, which pass on the address of another tile. An unused tile has address
 * 0. A tile that several pto.tassign bind has the address of the first; the others move it when
 * executed. */
const PlanSlot *plan_value(const Plan *p, const Value *v);
/* Returns the implicit scratch tile of an instruction; NULL when it has none under the profile. */
const PlanTmp *plan_tmp(const Plan *p, const Op *op);
/* Returns the planned address of a pto.reserve_buffer; -1 for other statements and given
 * addresses. */
int64_t plan_reserved(const Plan *p, const Op *op);
/* Returns the slot of such a pto.reserve_buffer; NULL for other statements. */
const PlanSlot *plan_reserved_slot(const Plan *p, const Op *op);
const PlanFunction *plan_function(const Plan *p, const Op *func);

#endif
