/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions that the constants of the program decide where types say `?`. */
#ifndef VERIFIER_RULES_CONSTANTS_H
#define VERIFIER_RULES_CONSTANTS_H

#include "verifier/rules/run.h"

/* Whether a statement has a number that constants may decide, or changes one. */
bool constants_matter(const Op *op);
/* Reports those of the statements that fail at run time because of extents, offsets and sizes
 * that are constants: directly, through arithmetic, selects of constants, or the bounds of loops.
 * An error where the statement fails whenever it runs and lies on every path of its function, else
 * a warning. `ops` are legal, and all statements that constants_matter() for; `profiles` are those
 * that accept the module so far. */
void verify_constants(Judge *j, ProfileSet profiles, const OpList *ops);

#endif
