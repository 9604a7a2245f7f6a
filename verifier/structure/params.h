/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the types of parameters of functions. */
#ifndef VERIFIER_STRUCTURE_PARAMS_H
#define VERIFIER_STRUCTURE_PARAMS_H

#include "verifier/structure/structure.h"

/* Judges the tiles that functions take: a caller must be able to allocate them. */
void verify_params(Verifier *v);

#endif
