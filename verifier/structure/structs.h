/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that structs on a core's stack do not leave the scope that declares them. */
#ifndef VERIFIER_STRUCTURE_STRUCTS_H
#define VERIFIER_STRUCTURE_STRUCTS_H

#include "verifier/structure/structure.h"

/* Looks at the whole program when it has a struct type. */
void verify_structs(Verifier *v);

#endif
