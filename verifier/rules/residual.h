/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of a statement that only run time can decide: the emitted code checks them. */
#ifndef VERIFIER_RULES_RESIDUAL_H
#define VERIFIER_RULES_RESIDUAL_H

#include "verifier/rules/terms.h"

typedef struct Residue {
    struct Residue *next;
    const Inst *inst;   /* the instruction of the row */
    const RuleRow *row; /* the rule that only run time can decide */
    const Term *test;   /* must hold, else the rule is broken */
} Residue;

/* Prepares a judge for the statements of a module that was verified; passes may have changed it. */
void residual_init(Judge *j, Context *ctx, const VerifyOptions *opt, Op *root);
/* Returns the rules that are errors and that only run time can decide, in their order, without
 * those that only the vendor's library demands. Where a profile accepts what any of several others
 * accepts, one of these has to hold. Allocated in the arena. */
const Residue *rules_residual(Judge *j, const Op *op, Profile p, Arena *arena);

#endif
