/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of passes: a program in memory, verified, converted, planned. */
#ifndef TESTS_PASSES_PROGRAM_H
#define TESTS_PASSES_PROGRAM_H

#include "ir/ir.h"
#include "passes/passes.h"

typedef struct Program {
    Context ctx;
    Source source;
    Module *module;
} Program;

/* Parses and verifies a legal text for the profile; fails the test when it is not legal. */
Program *program_new(const char *text, Profile profile);
void program_free(Program *p);
/* The printed program after the conversion; fails the test when the conversion does. */
const char *program_dps(Program *p, Profile profile);
/* All diagnostics as text. */
const char *program_diagnostics(Program *p);
/* The value with this name (without %) in the function at hand: the first one in the text. */
Value *program_value(Program *p, const char *name);
/* The first instruction with this name. */
Op *program_op(Program *p, const char *name);
/* Plans; fails the test when that fails. */
Plan program_plan(Program *p, Profile profile);
int64_t program_address(Program *p, const Plan *plan, const char *name);
/* Fails unless the slots share no byte. */
void check_apart(const PlanSlot *a, const PlanSlot *b);

#endif
