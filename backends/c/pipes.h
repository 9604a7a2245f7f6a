/* Emitters of pipes between the cores of a block, for the dispatch table. */
#ifndef BACKENDS_C_PIPES_H
#define BACKENDS_C_PIPES_H

#include "backends/c/emitter.h"

/* Declares the variables of the pipes that a function opens, at the start of its body. */
void declare_pipes(Emitter *e, const Func *f);

/* Returns the operand `entry` of a push, pop or the like, else the result. */
const Value *entry_of(const Op *op);
/* Returns the variable of the pipe of such a statement; NULL: not known. */
const char *entry_pipe_name(Emitter *e, const Op *op);

void emit_reserve_buffer(Emitter *e, const Op *op);
void emit_initialize_pipe(Emitter *e, const Op *op);
void emit_declare_tile(Emitter *e, const Op *op);
void emit_declare_global(Emitter *e, const Op *op);
void emit_talloc(Emitter *e, const Op *op);
void emit_set_quant_scalar(Emitter *e, const Op *op);
void emit_set_quant_vector(Emitter *e, const Op *op);
void emit_tpush(Emitter *e, const Op *op);
void emit_tpop(Emitter *e, const Op *op);
void emit_tfree(Emitter *e, const Op *op);

#endif
