/* SPDX-License-Identifier: Apache-2.0 */
/* The statements of an attempt, and what each does to tokens and bytes. */
#ifndef ANALYSIS_LAUNCH_STATEMENTS_H
#define ANALYSIS_LAUNCH_STATEMENTS_H

#include "analysis/launch/attempt.h"

/* Returns 0 for a step that says nothing about other cores and orders nothing; else 1, and 3 where
 * cores meet. Steps inside do not count. */
unsigned statement_relevance(const Attempt *a, const Step *s);
/* Makes the statement of a step that has none inside; NULL: it does nothing here. Fails where it is
 * not understood. */
Statement *statement_new(Attempt *a, unsigned core, const Step *s, const Env *env,
                         const Item *around);
/* Makes the channels that a statement uses. */
void statement_channels(Attempt *a, const Statement *s);

/* Returns what a statement does now, and counts it; `n` is how many there are. */
const Micro *statement_micros(Attempt *a, Flight *f, const Statement *s, uint32_t *n);

#endif
