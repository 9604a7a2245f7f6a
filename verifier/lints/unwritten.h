/* SPDX-License-Identifier: Apache-2.0 */
/* Entry functions that may read a tile that nothing has written. */
#ifndef VERIFIER_LINTS_UNWRITTEN_H
#define VERIFIER_LINTS_UNWRITTEN_H

#include "ir/ir.h"

/* True when an entry function may read a tile of its own that no statement before wrote. Cheap, and
 * true for some functions that do not. */
bool may_read_unwritten(Context *ctx, Op *func);
/* True for a tile or multi tile. */
bool is_tile(const Value *v);
/* True for a pointer to on-chip memory, through which statements write what they do not name. */
bool is_local_pointer(const Value *v);
/* True for a tile without elements, of which nothing can be read. */
bool has_no_elements(const Value *v);
/* True when another function of the file is for the other kind of core, or for none in particular.
 * It may write to memory at an address of this one. */
bool is_for_both_cores(const Context *ctx, Op *func);

#endif
