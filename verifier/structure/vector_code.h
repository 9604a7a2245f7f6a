/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about several micro-instructions of a function: vector scopes, and streams of unaligned
 * accesses. */
#ifndef VERIFIER_STRUCTURE_VECTOR_CODE_H
#define VERIFIER_STRUCTURE_VECTOR_CODE_H

#include "verifier/structure/structure.h"

/* Reports what may not be in a scope, or must be in one; a value of a register that is needed where
 * no scope can be put around all its uses. */
void check_vector_scopes(Verifier *v, const Op *func);

/* ---- logical.c ---- */

/* Reports the first logical vector or mask of a function that has a layout, or a mask of fixed
 * granularity; false when there is one. `vectors`: the function has vector code. */
bool check_layouts(Verifier *v, const Op *func, bool vectors);

/* ---- containers.c ---- */

/* Notes in a function what check_container() asks of it. */
void note_function_core(const Verifier *v, Op *func);
/* Reports a module without a kind of core in which a function tells none. Its functions were
 * verified. */
void check_container(Verifier *v, const Op *module);

/* ---- align_chains.c ---- */

/* Reports states of unaligned streams that do not begin as they must, or are used twice. */
void check_align_chains(Verifier *v, const Op *func);

#endif
