/* rows.h - inside libptort: operands as rows of contiguous elements. Used in place where the layout
 * allows it and no destination overlaps, else copied. For drivers whose operands do not advance
 * together; the others use ptrt_job. */
#ifndef PTORT_ROWS_H
#define PTORT_ROWS_H

#include "drive/drive.h"

typedef struct ptrt_rows {
    unsigned char *p;
    ptrdiff_t ld; /* elements from row to row */
    void *memory; /* the copy, or NULL */
} ptrt_rows;

/* Whether the byte ranges overlap. */
static inline bool ptrt_tiles_meet(const ptrt_tile *a, const ptrt_tile *b) {
    uintptr_t a0 = (uintptr_t)ptrt_tile_at(a), b0 = (uintptr_t)ptrt_tile_at(b);
    return a0 < b0 + b->bytes && b0 < a0 + a->bytes;
}

/* Gets rows x cols elements of a source that is read while `d` is written. Copies it when the two
 * share bytes, unless `in_step` is set and they are the same elements in the same places.
 * PTRT_E_NOMEM. */
int ptrt_rows_read(ptrt_core *core, uint32_t line, const ptrt_tile *t, int64_t rows, int64_t cols,
                   const ptrt_tile *d, bool in_step, ptrt_rows *out);
/* Gets rows x cols elements of a destination. With `keep` a copy starts with the tile's contents.
 * PTRT_E_NOMEM. */
int ptrt_rows_write(ptrt_core *core, uint32_t line, const ptrt_tile *t, int64_t rows, int64_t cols,
                    bool keep, ptrt_rows *out);
/* The same for the whole shape without gaps, so that element k is (k / cols, k % cols). */
int ptrt_rows_read_flat(ptrt_core *core, uint32_t line, const ptrt_tile *t, const ptrt_tile *d,
                        ptrt_rows *out);
int ptrt_rows_write_flat(ptrt_core *core, uint32_t line, const ptrt_tile *t, bool keep,
                         ptrt_rows *out);
/* Writes a copied destination back to its tile; does nothing if it was not copied. */
void ptrt_rows_store(ptrt_core *core, const ptrt_tile *t, int64_t rows, int64_t cols,
                     const ptrt_rows *r);
/* Frees the copy, if there is one. `r` may be zero. */
void ptrt_rows_free(ptrt_rows *r);

#endif
