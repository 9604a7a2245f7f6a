/* tile.h - inside libptort: what the files about tiles share. */
#ifndef PTORT_MEM_TILE_H
#define PTORT_MEM_TILE_H

#include "core/core.h"

/* Computes `bytes` from shape and layout. */
void ptrt_tile_measure(ptrt_tile *t);
/* Sets element type, shape and layout; the memory and address stay. */
void ptrt_tile_shape(ptrt_tile *t, const ptrt_tile_type *type);
/* Sets the address. Returns false when the tile does not fit its memory. */
bool ptrt_tile_place(ptrt_tile *t, uint64_t addr);
bool ptrt_valid_ok(const ptrt_tile *t, int64_t vrow, int64_t vcol);
int ptrt_fail_valid(ptrt_core *core, uint32_t line, const ptrt_tile *t, int64_t vrow, int64_t vcol);
int ptrt_fail_place(ptrt_core *core, uint32_t line, const ptrt_tile *t, int64_t addr);

#endif
