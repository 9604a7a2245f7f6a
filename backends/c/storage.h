/* Emitters of storage on a core's stack and of output, for the dispatch table. */
#ifndef BACKENDS_C_STORAGE_H
#define BACKENDS_C_STORAGE_H

#include "backends/c/emitter.h"

void emit_declare_storage(Emitter *e, const Op *op);
void emit_array_get(Emitter *e, const Op *op);
void emit_array_set(Emitter *e, const Op *op);
void emit_struct_get(Emitter *e, const Op *op);
void emit_struct_set(Emitter *e, const Op *op);

void emit_tprint(Emitter *e, const Op *op);
void emit_print(Emitter *e, const Op *op);
void emit_trap(Emitter *e, const Op *op);

#endif
