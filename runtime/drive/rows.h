/* rows.h - operands as rows of neighbouring elements: in place where the layout allows it and no
 * destination is in the way, else copies. For drivers that walk operands at different paces; the
 * others have ptrt_job. */
#ifndef PTORT_ROWS_H
#define PTORT_ROWS_H

#include "drive/drive.h"

typedef struct ptrt_rows {
    unsigned char *p;
    ptrdiff_t ld; /* elements from row to row */
    void *memory; /* of a copy, or NULL */
} ptrt_rows;

/* The byte ranges meet. */
static inline bool ptrt_tiles_meet(const ptrt_tile *a, const ptrt_tile *b) {
    uintptr_t a0 = (uintptr_t)ptrt_tile_at(a), b0 = (uintptr_t)ptrt_tile_at(b);
    return a0 < b0 + b->bytes && b0 < a0 + a->bytes;
}

/* rows x cols elements of a source that is read while `d` is written; copied when the two share
 * bytes, unless `in_step`: then the same elements in the same places may stay. */
int ptrt_rows_read(ptrt_core *core, uint32_t line, const ptrt_tile *t, int64_t rows, int64_t cols,
                   const ptrt_tile *d, bool in_step, ptrt_rows *out);
/* rows x cols elements of a destination; with `keep` a copy starts with what is there. */
int ptrt_rows_write(ptrt_core *core, uint32_t line, const ptrt_tile *t, int64_t rows, int64_t cols,
                    bool keep, ptrt_rows *out);
/* The whole shape, row after row without gaps: element k of it is (k / cols, k % cols). */
int ptrt_rows_read_flat(ptrt_core *core, uint32_t line, const ptrt_tile *t, const ptrt_tile *d,
                        ptrt_rows *out);
int ptrt_rows_write_flat(ptrt_core *core, uint32_t line, const ptrt_tile *t, bool keep,
                         ptrt_rows *out);
/* Writes a copy of a destination back. */
void ptrt_rows_store(ptrt_core *core, const ptrt_tile *t, int64_t rows, int64_t cols,
                     const ptrt_rows *r);
/* Frees what was copied; rows that were never taken have no memory. */
void ptrt_rows_free(ptrt_rows *r);

#endif
