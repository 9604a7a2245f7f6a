/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that several cores of a launch may touch, as all of them know them, and whether two
 * accesses share one. */
#ifndef ANALYSIS_LAUNCH_PLACES_H
#define ANALYSIS_LAUNCH_PLACES_H

#include "analysis/launch/attempt.h"

/* Returns the places of global memory that a use of a statement may be, by its cycle, in variables
 * that are the same on all cores. */
const Place **places_between(Attempt *a, const Statement *s, const Use *u);
/* Returns the number of an access as a statement makes it now. `k`: which entry a statement about
 * entries is about. */
uint32_t instance_now(Attempt *a, Flight *f, const Statement *s, uint32_t k);
/* Finds uses of entries that are not there. */
void check_entries(Attempt *a, const Flight *f, const Statement *s);
/* Returns what a number that loops determine is in this iteration. */
int64_t cycle_now(const Flight *f, const Statement *s, const Cycle *c);
/* Tells whether two accesses share a byte that one of them writes; the first was made before, at a
 * level as in analysis/hazards.h. */
Overlap instances_meet(Attempt *a, uint32_t first, uint32_t second, uint32_t level);

#endif
