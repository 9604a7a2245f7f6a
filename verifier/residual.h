/* What is left of the rules of a statement for run time: the one source of the checks that emitted
 * code makes. */
#ifndef VERIFIER_RESIDUAL_H
#define VERIFIER_RESIDUAL_H

#include "verifier/terms.h"

typedef struct Residue {
    struct Residue *next;
    const Inst *inst;   /* whose row it is */
    const RuleRow *row; /* the rule that only run time can decide */
    const Term *test;   /* must hold, else the rule is broken */
} Residue;

/* Prepares a judge that answers for one profile: statements of a module that was verified, maybe
 * changed by passes. */
void residual_init(Judge *j, Context *ctx, const VerifyOptions *opt, Op *root);
/* What only run time can decide of the rules that are errors, in their order, without those that
 * the vendor's library alone has. Of a profile that takes what one of several others takes it is
 * what these leave together. Lives in the arena. */
const Residue *rules_residual(Judge *j, const Op *op, Profile p, Arena *arena);

#endif
