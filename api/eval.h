/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates integers of a kernel that are known before it runs: constants, launch arguments, and
 * arithmetic on them. */
#ifndef API_EVAL_H
#define API_EVAL_H

#include "api/ptoasm.h"
#include "ir/number.h"

enum {
    EVAL_SUPPLIED = 1 << 30, /* in scalar_of: supplied by the launch */
    EVAL_STEPS = 4096,       /* per question */
    EVAL_DEPTH = 256
};

/* A function under evaluation: the kernel (no call), or a callee of `up`. */
typedef struct EvalFrame {
    const struct EvalFrame *up;
    const Op *func, *call;
} EvalFrame;

typedef struct Eval {
    const Module *module;
    const ptoasm_launch *launch;
    const size_t *scalar_of; /* by kernel parameter: its index in the grid function */
    int64_t block;           /* the current block */
    bool block_asked;        /* some value depended on the block */
    Evaluation evaluation;   /* .left: remaining steps, so that no program makes this slow */
    NumberFrame frames[EVAL_DEPTH];
} Eval;

/* Computes a value, sign-extended from its type; false when it is unknown, and why is in
 * `evaluation`. */
bool eval_value(Eval *e, const EvalFrame *f, const Value *v, int64_t *out);
/* Returns the function that a func.call calls; NULL when it has no body. */
const Op *eval_callee(const Op *call);

#endif
