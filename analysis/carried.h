/* SPDX-License-Identifier: Apache-2.0 */
/* What scf.for carries from one iteration to the next. */
#ifndef ANALYSIS_CARRIED_H
#define ANALYSIS_CARRIED_H

#include "ir/ir.h"

enum { CARRIED_TURNS = 16 };

/* Returns the scf.for that carries a value as an argument of its body; NULL: none. The others are
 * for such values. */
const Op *carrying_for(const Value *v);
/* Returns what the value is in the first iteration. */
const Value *carried_first(const Value *v);
/* Returns what this iteration passes on to the next. */
const Value *carried_next(const Value *v);
/* Lists the numbers that an integer is in turn, beginning with a constant, and returns how many
 * there are; 0 when they do not repeat so soon, or depend on anything else. */
uint32_t carried_turns(const Value *v, int64_t first, int64_t values[CARRIED_TURNS]);
/* Lists what a value is in turn when the iterations only exchange what was carried in: the first
 * values of all that they exchange; 0: they do more. */
uint32_t carried_exchange(const Value *v, const Value *first[CARRIED_TURNS]);

#endif
