/* SPDX-License-Identifier: Apache-2.0 */
/* A call of the runtime as data, for a backend to print. The core and the line of the statement
 * precede the arguments. */
#ifndef BACKENDS_LOWER_CALL_H
#define BACKENDS_LOWER_CALL_H

#include "backends/lower/kernel_table.h"

typedef enum LowerArgKind {
    LARG_NUMBER, /* n */
    LARG_INT,    /* a scalar, as int64_t; the operand in slot `n` */
    LARG_FLOAT,  /* the same, as double */
    LARG_VALUE,  /* a scalar in its own type */
    LARG_COUNTS, /* a vector<4xi16>, by address */
    LARG_MEMORY, /* a pointer to global memory, or the first element of a view */
    LARG_TILE,
    LARG_VIEW,
    LARG_WINDOW,  /* the part of a view from the indices in slot `n` on */
    LARG_SCRATCH, /* the tile that the plan supplies */
    LARG_NULL,    /* a tile or view that is not given */
    LARG_ABSENT,  /* an attribute that is not given */
    LARG_PROFILE, /* the profile of the program */
    LARG_CORE,    /* the core and the line */
    LARG_PLACE,   /* the address of a register, mask or result; NULL value: not given */
    LARG_ADDRESS, /* a pointer: a byte address on the chip, or a pointer to global memory */
    LARG_LIST,    /* an array of `n` integers, the operands at `items` */
    LARG_BITS,    /* the bits of a scalar or vector, or a byte address on the chip */
    LARG_ELEM,    /* the element type `n` (ELEM_..), by its number in the runtime */
    LARG_SELF,    /* the core alone */
    LARG_PLACED,  /* a pointer: its space, and a byte address */
    LARG_TYPE,    /* the type of a scalar or vector: its element type, and how many it has */
    LARG_SCALED,  /* a scalar times `n`, as int64_t */
    LARG_BAD      /* the operand in slot `n` has no form in a call */
} LowerArgKind;

typedef struct LowerArg {
    LowerArgKind kind;
    int64_t n;
    const Value *value;
    const Operand *items;
} LowerArg;

typedef struct LowerCall {
    const char *name;     /* without `ptrt_` */
    const KernelRow *row; /* the row of the kernel table that the call names; NULL: none */
    const LowerArg *args;
    unsigned nargs;
    uint8_t elems[2]; /* that select the body: ELEM_.., or ELEM_NONE */
    bool fails;       /* it takes the core, and returns a code */
} LowerCall;

/* ---- kernel_args.c ---- */

/* Returns the call of a kernel for the element types of the statement, or NULL. `scratch`: the plan
 * supplies a scratch tile. */
const LowerCall *lower_kernel(const Context *ctx, const Op *op, bool scratch, Arena *arena);

/* ---- sync_calls.c ---- */

/* Whether the statement becomes a call that orders pipes or cores. */
bool lower_is_sync(const Inst *inst);
/* Returns that call. lower_is_sync(op->inst) must hold. `arch` is the chip whose rules for
 * signals apply (target_chip). */
const LowerCall *lower_sync(const Op *op, Profile arch, Arena *arena);

#endif
