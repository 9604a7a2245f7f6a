/* SPDX-License-Identifier: Apache-2.0 */
/* Warns of copies over on-chip bytes that an earlier copy wrote and nothing read. */
#ifndef VERIFIER_LINTS_COPIES_H
#define VERIFIER_LINTS_COPIES_H

#include "analysis/effects.h"

/* Looks at the blocks of a function with a body. */
void lint_copies(Context *ctx, const Effects *effects, Op *func);

#endif
