/* SPDX-License-Identifier: Apache-2.0 */
/* Judges a statement by the rule table and reports what it breaks, with corrections. */
#ifndef VERIFIER_JUDGE_H
#define VERIFIER_JUDGE_H

#include "verifier/rules/case.h"

/* Judges one statement by its rows, for every profile asked for. */
void judge_op(Judge *j, const Op *op);
/* Returns the first row that a statement breaks under a profile: an error if there is one, else a
 * warning, else NULL. Reports nothing. */
const RuleRow *first_broken_row(Judge *j, const Op *op, Profile p, bool *error);
/* Reports the statements that break late rows, at the end and only if there was no other error. */
void judge_late(Judge *j);
/* Adds the number of further statements to the function's diagnostic about the level. */
void end_level_report(Judge *j);

#endif
