/* Emitters of handles on existing storage, for the dispatch table: windows, casts, one of several
 * tiles, pointers and addresses, single elements of a tile. */
#ifndef BACKENDS_C_HANDLES_H
#define BACKENDS_C_HANDLES_H

#include "backends/c/emitter.h"

void emit_subview(Emitter *e, const Op *op);
void emit_subset(Emitter *e, const Op *op);
void emit_tile_window(Emitter *e, const Op *op);
void emit_recast(Emitter *e, const Op *op);
void emit_multi_tile_get(Emitter *e, const Op *op);
void emit_product_mode(Emitter *e, const Op *op);

void emit_cast_pointer(Emitter *e, const Op *op);
void emit_tile_addr(Emitter *e, const Op *op);
void emit_view_addr(Emitter *e, const Op *op);

void emit_get_element(Emitter *e, const Op *op);
void emit_set_element(Emitter *e, const Op *op);

#endif
