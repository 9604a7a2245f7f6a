/* SPDX-License-Identifier: Apache-2.0 */
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

/* operand.c: reports the operand for which ptrt_operand_ok is false; returns the error code. */
int ptrt_bad_operand(ptrt_core *core, uint32_t line, const char *op, int name_len, const char *name,
                     const ptrt_tile *tile);

/* Whether the fields of a type are legal together. */
bool ptrt_type_ok(const ptrt_tile_type *type);
/* Computes key, n and the other derived fields after the address, layout or valid region changed.
 * `watched` sets key to 0, so that the access hook sees every use. */
void ptrt_tile_settle(ptrt_tile *tile, bool watched);

/* On-chip addresses of tiles are multiples of this many bytes. */
#define PTRT_TILE_ALIGN 32

/* Whether the operand's bytes lie in its memory and its valid region in its shape. */
static inline bool ptrt_operand_ok(const ptrt_tile *t) {
    return ((t->addr <= t->last) & ((uint64_t)t->vrow <= (uint64_t)t->rows) &
            ((uint64_t)t->vcol <= (uint64_t)t->cols)) != 0;
}

/* Returns the element order that the key encodes; 0 is row-major. */
static inline unsigned ptrt_order(const ptrt_tile *t) {
    return (unsigned)(t->key >> 5) & 31;
}

static inline unsigned char *ptrt_tile_at(const ptrt_tile *t) {
    return t->at;
}

#endif
