/* Emitters of scalar arithmetic, for the dispatch table. */
#ifndef BACKENDS_C_SCALAR_H
#define BACKENDS_C_SCALAR_H

#include "backends/c/emitter.h"

void emit_constant(Emitter *e, const Op *op);
void emit_binary(Emitter *e, const Op *op);
void emit_bitwise(Emitter *e, const Op *op);
void emit_extended(Emitter *e, const Op *op);
void emit_negf(Emitter *e, const Op *op);
void emit_cmpi(Emitter *e, const Op *op);
void emit_cmpf(Emitter *e, const Op *op);
void emit_select(Emitter *e, const Op *op);
void emit_cast_signed(Emitter *e, const Op *op);
void emit_cast_unsigned(Emitter *e, const Op *op);
void emit_extf(Emitter *e, const Op *op);
void emit_truncf(Emitter *e, const Op *op);
void emit_int_to_float(Emitter *e, const Op *op);
void emit_float_to_int(Emitter *e, const Op *op);
void emit_bitcast(Emitter *e, const Op *op);
void emit_resign(Emitter *e, const Op *op);

#endif
