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
/* Called before a statement rebinds a tile: restores the handle at the end of the region. */
void remember_handle(Emitter *e, const Op *op, const char *tile);

/* Binds the variable of tile `v`, which the caller has declared, to its planned address with the
 * given valid extents. */
void bind_planned(Emitter *e, const Value *v, const char *vrow, const char *vcol, Span at);
/* The same for the tile result of a call, whose valid region the callee sets. */
void bind_call_result(Emitter *e, const Value *v, Span at);
/* Returns a static extent as text, or `dynamic`. */
const char *extent_text(Emitter *e, int64_t extent, const char *dynamic);

#endif
