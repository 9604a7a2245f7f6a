/* Integers of a kernel that are known before it runs: constants, what the launch gives, and the
 * arithmetic on them. */
#ifndef API_EVAL_H
#define API_EVAL_H

#include "api/ptoasm.h"
#include "ir/ir.h"

/* A function under evaluation: the kernel itself (no call), or one that is called from `up`. */
typedef struct EvalFrame {
    const struct EvalFrame *up;
    const Op *func, *call;
} EvalFrame;

typedef struct Eval {
    const Module *module;
    const ptoasm_launch *launch;
    const size_t *scalar_of; /* by parameter of the kernel: its number in the grid function */
    int64_t block;           /* the block that asks */
    bool block_asked;        /* some value depends on it */
    unsigned steps, depth;   /* steps that are left, so that no program makes this slow */
    const Value *unknown;    /* at which value it ended */
} Eval;

enum {
    EVAL_SUPPLIED = 1 << 30, /* in scalar_of: the launch supplies it */
    EVAL_STEPS = 4096,       /* for one question */
    EVAL_DEPTH = 256
};

/* The value, sign-extended from its type; false when it is not known. */
bool eval_value(Eval *e, const EvalFrame *f, const Value *v, int64_t *out);
/* The function that a func.call calls, in its module; NULL when it has no body. */
const Op *eval_callee(const Eval *e, const Op *call);

#endif
