/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a module, for what changes it and may have to begin again. */
#ifndef IR_CLONE_H
#define IR_CLONE_H

#include "ir/ir.h"

/* Returns a copy in the arena of the context that shares what does not change: types and
 * attributes. Statements of the copy have the places in the text and the comments of those that
 * they copy. */
Module *module_clone(const Module *m);

/* Copies the statements of a block before `pos`, with values in the place of its arguments, but for
 * the last one: returns a copy of that one, which is in no block. */
Op *block_copy_before(Context *ctx, const Block *from, Op *pos, Value *const *args);

#endif
