/* Emitters of allocation, views, pointers, launch queries and synchronisation, for the dispatch
 * table. */
#ifndef BACKENDS_C_TILES_H
#define BACKENDS_C_TILES_H

#include "backends/c/emitter.h"

void emit_alloc_tile(Emitter *e, const Op *op);
void emit_set_validshape(Emitter *e, const Op *op);
void emit_valid_extents(Emitter *e, const Op *op);
void emit_tassign(Emitter *e, const Op *op);
void emit_make_view(Emitter *e, const Op *op);
void emit_partition_view(Emitter *e, const Op *op);
void emit_view_dim(Emitter *e, const Op *op);
void emit_addptr(Emitter *e, const Op *op);
void emit_load_scalar(Emitter *e, const Op *op);
void emit_store_scalar(Emitter *e, const Op *op);
void emit_launch_query(Emitter *e, const Op *op);
void emit_only_binding(Emitter *e, const Op *op);
void emit_sync(Emitter *e, const Op *op);
/* Returns the C expression of a launch query. */
const char *query_text(Emitter *e, const Inst *query);

/* Binds the declared variable `name` to the memory of a tile. `unknown` stands where an extent of
 * its valid region is not known; without it the call fails then. */
bool emit_bind(Emitter *e, const LowerBind *b, const char *name, const char *unknown);
/* Returns a static extent as text, or `dynamic`. */
const char *extent_text(Emitter *e, int64_t extent, const char *dynamic);

#endif
