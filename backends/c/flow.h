/* What control flow needs in C besides backends/text/flow.c. */
#ifndef BACKENDS_C_FLOW_H
#define BACKENDS_C_FLOW_H

#include "backends/c/emitter.h"

void emit_section(Emitter *e, const Op *op);
void emit_assert(Emitter *e, const Op *op);
/* For TextLanguage. */
const char *c_save_tile(Emitter *e, const Op *op, const Value *tile);
void c_restore_tile(Emitter *e, const Restore *r);
void c_check_step(Emitter *e, const Op *loop);

#endif
