/* SPDX-License-Identifier: Apache-2.0 */
/* What lower_function() is made of besides the statements of the text. */
#ifndef BACKENDS_LOWER_PASSES_H
#define BACKENDS_LOWER_PASSES_H

#include "backends/lower/body.h"

/* ---- borrowed.c: a pass over the statements ---- */

/* Adds statements that keep the addresses of tiles before a region changes them, and others that
 * give the tiles their addresses back where it ends. */
void lower_borrowed(LowerRegion *r, Arena *arena);

/* ---- chains.c: another one ---- */

/* Finds chains of kernels (chains.h). `origins` has the operation of each statement, by which the
 * analysis knows it. */
void lower_chains(const Lower *l, const LowerFunc *f, const LowerOptions *opt,
                  const PtrMap *origins, LowerRegion *r, Arena *arena);

/* Whether the statement only makes scalars of scalars. */
bool lower_is_idle_scalar(const LowerStmt *s);

/* ---- lane_chains.c: another one ---- */

/* Finds chains of micro-instructions (lane_chains.h). */
void lower_lane_chains(const LowerRegion *r, Arena *arena);

/* ---- sees.c ---- */

/* Returns where the statement of an operation works. */
const LowerWork *lower_work(const Lower *l, const Op *op, Arena *arena);
/* Returns what the sanitizer is told of the statement of an operation. */
const LowerSees *lower_sees(const Lower *l, const LowerOptions *opt, const LowerStmt *s,
                            const Op *op, Arena *arena);

#endif
