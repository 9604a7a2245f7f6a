/* Emits kernel calls in loops whose look-ups and checks are done before the loop. */
#ifndef BACKENDS_C_READY_H
#define BACKENDS_C_READY_H

#include "backends/c/emitter.h"

/* Emits, before an scf.for, a declaration for each call that can be prepared, inside a C block that
 * it opens. Returns false when there is none. */
bool make_ready(Emitter *e, const Op *loop);
/* Returns the variable of a prepared call, or NULL. */
const char *ready_name(Emitter *e, const Op *op);

#endif
