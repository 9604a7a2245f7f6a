/* SPDX-License-Identifier: Apache-2.0 */
/* Determines the chip that a program is written for, from its modules: `pto.target_arch`, else
 * `pto.device-spec`. Verifier, lowering and launches ask here. */
#ifndef IR_TARGET_H
#define IR_TARGET_H

#include "ir/ir.h"

/* Returns the profile that the module's attributes name, else PROFILE_DEFAULT. */
Profile module_profile(const Module *m);
/* Returns the architecture that the module names and no profile has, of *n bytes; NULL: none. */
const char *module_unknown_chip(const Module *m, size_t *n);
/* Returns the chip whose rules apply to a statement: the profile's, or if that has no chip the one
 * that the innermost module around the statement names, else PROFILE_DEFAULT. */
Profile target_chip(const Context *ctx, const Op *op, Profile profile);

#endif
