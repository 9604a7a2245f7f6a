#ifndef BACKENDS_C_READY_H
#define BACKENDS_C_READY_H

#include "backends/c/emitter.h"

/* Puts what is worked out in front of an scf.for, one declaration for each call that it concerns,
 * in a block of C that it opens; false when there is none. */
bool make_ready(Emitter *e, const Op *loop);
/* The variable that such a call uses; NULL: it has none. */
const char *ready_name(Emitter *e, const Op *op);

#endif
