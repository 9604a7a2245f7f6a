/* SPDX-License-Identifier: Apache-2.0 */
/* What pointers and memrefs refer to. */
#ifndef VERIFIER_RULES_BUFFERS_H
#define VERIFIER_RULES_BUFFERS_H

#include "ir/ir.h"

/* Returns the space; SPACE_ZERO for a memref that names none, SPACE_COUNT for other types. */
Space buffer_space(const Context *ctx, const Type *t);
/* Returns the element type; ELEM_NONE for those that have no size in bytes. */
Elem buffer_elem(const Context *ctx, const Type *t);
/* True for 4-bit integers, signless or signed. */
bool buffer_is_int4(const Type *t);

#endif
