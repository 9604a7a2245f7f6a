/* A call of the runtime as data, for all backends to print. The core and the line of the statement
 * precede the arguments. */
#ifndef BACKENDS_LOWER_CALL_H
#define BACKENDS_LOWER_CALL_H

#include "ir/ir.h"

typedef enum LowerArgKind {
    LARG_NUMBER, /* n */
    LARG_INT,    /* an integer value, as int64_t */
    LARG_MEMORY  /* a pointer to global memory, or the first element of a view */
} LowerArgKind;

typedef struct LowerArg {
    LowerArgKind kind;
    int64_t n;
    const Value *value;
} LowerArg;

enum { LOWER_MAX_ARGS = 4 };
typedef struct LowerCall {
    const char *name; /* without `ptrt_` */
    LowerArg args[LOWER_MAX_ARGS];
    unsigned nargs;
} LowerCall;

/* ---- sync.c ---- */

/* Whether the statement becomes a call that orders pipes or cores. */
bool lower_is_sync(const Inst *inst);
/* Returns that call. lower_is_sync(op->inst) must hold. `arch` is the chip whose rules for
 * signals apply (target_chip). */
LowerCall lower_sync(const Context *ctx, const Op *op, Profile arch);

#endif
