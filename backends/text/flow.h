/* Emitters of control flow, for the dispatch table. */
#ifndef BACKENDS_TEXT_FLOW_H
#define BACKENDS_TEXT_FLOW_H

#include "backends/text/emitter.h"

void emit_for(Emitter *e, const Op *op);
void emit_if(Emitter *e, const Op *op);
void emit_while(Emitter *e, const Op *op);
void emit_execute_region(Emitter *e, const Op *op);
void emit_index_switch(Emitter *e, const Op *op);
void emit_yield(Emitter *e, const Op *op);
void emit_condition(Emitter *e, const Op *op);
void emit_br(Emitter *e, const Op *op);
void emit_cond_br(Emitter *e, const Op *op);
void emit_switch(Emitter *e, const Op *op);

#endif
