/* SPDX-License-Identifier: Apache-2.0 */
/* What C emitted for the sanitizer adds to a statement: calls that say what it touches and orders.
 */
#ifndef BACKENDS_C_OBSERVE_H
#define BACKENDS_C_OBSERVE_H

#include "backends/c/emitter.h"

/* Finds the functions whose pipes are judged, as the proof of synchronisation does, and notes the
 * others. Does nothing, like all functions here, unless the C is for the sanitizer. */
void observe_module(Emitter *e);
void observe_before(Emitter *e, const LowerStmt *s);
void observe_after(Emitter *e, const LowerStmt *s);
/* Emits a flag or token as a call of the sanitizer, with these arguments. Returns false when it has
 * none. */
bool observe_sync(Emitter *e, const LowerStmt *s, const char *args);
/* Says that the bytes of the tile at a pointer have been copied. */
void observe_copy(Emitter *e, const LowerStmt *s, const char *tile);
/* Says that a function without a body may have written what the call passes. */
void observe_foreign(Emitter *e, const LowerStmt *s);
/* Writes the members of a ptrt_kernel that the sanitizer needs. */
void observe_kernel(Emitter *e, StrBuf *out);

#endif
