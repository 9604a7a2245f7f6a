/* Emitters of communication between ranks, and of statements about memory that have no effect on
 * values. */
#ifndef BACKENDS_C_COMM_H
#define BACKENDS_C_COMM_H

#include "backends/c/emitter.h"

void emit_comm_transfer(Emitter *e, const Op *op);
void emit_async_transfer(Emitter *e, const Op *op);
void emit_async_handle(Emitter *e, const Op *op);
void emit_async_done(Emitter *e, const Op *op);
void emit_notify(Emitter *e, const Op *op);
void emit_wait(Emitter *e, const Op *op);
void emit_test(Emitter *e, const Op *op);
void emit_collective(Emitter *e, const Op *op);
void emit_fence(Emitter *e, const Op *op);

#endif
