/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes micro-instructions touch from their pointers on. */
#ifndef ANALYSIS_REACH_H
#define ANALYSIS_REACH_H

#include "analysis/effects.h"

/* Returns the bytes that an access of a micro-instruction touches; `p` is the place of its pointer.
 * Where they are not known they may be all from the pointer on. */
Place reach_bytes(Numbers *t, const Op *op, const Access *a, const Place *p);
/* Returns the pointer that a statement returns moved, as `%next = ..` of a load; NULL: none. */
const Operand *reach_moved(const Op *op);
/* Returns where that is; `p` is the place of the pointer. */
Place reach_next(Numbers *t, const Op *op, const Place *p);

#endif
