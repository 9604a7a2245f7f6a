/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings about legal programs that are probably mistakes. */
#ifndef VERIFIER_LINTS_LINTS_H
#define VERIFIER_LINTS_LINTS_H

#include "ir/ir.h"

/* Adds warnings to the context of the module, which must be legal. */
void lint_module(Module *m);
/* Adds those about reads of tiles that nothing has written, of entry functions. lint_module() has
 * them for all functions. */
void lint_unwritten(Module *m);
/* Adds a note for each function that uses several pipes of the core without synchronisation, when
 * a profile of the set is of a chip. For programs of level 3. */
void note_missing_sync(Module *m, ProfileSet profiles);
/* True when the function does so on the chip `p`. */
bool relies_on_insertion(const Context *ctx, Op *func, Profile p);

#endif
