/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h - inside libptort: operands as rows of contiguous elements. Used in place where the layout
 * allows it and no destination overlaps, else copied. For bodies whose operands do not advance
 * together; the others use ptrt_job. */
#ifndef PTORT_ROWS_H
#define PTORT_ROWS_H

#include "drive/drive.h"

/* Whether the byte ranges overlap. */
static inline bool ptrt_tiles_meet(const ptrt_tile *a, const ptrt_tile *b) {
    uintptr_t a0 = (uintptr_t)ptrt_tile_at(a), b0 = (uintptr_t)ptrt_tile_at(b);
    return a0 < b0 + b->bytes && b0 < a0 + a->bytes;
}

enum ptrt_use {
    PTRT_SOURCE, /* copied if it shares bytes with a destination */
    PTRT_TARGET, /* a destination of which every element is written */
    PTRT_UPDATED /* a destination of which some elements keep their values */
};

/* The part of an operand that a body accesses: rows x cols elements from (0, 0) on. */
typedef struct ptrt_operand {
    const ptrt_tile *tile; /* NULL: absent */
    int64_t rows, cols;    /* 0: nothing is accessed */
    uint8_t use;           /* enum ptrt_use */
    uint8_t same; /* the operand that a source need not be apart from if it is the same elements */
    bool flat;    /* rows follow one another without gaps */
    void *memory; /* set by ptrt_operands_open: the copy, or NULL */
} ptrt_operand;

static inline ptrt_operand ptrt_operand_of(const ptrt_tile *t, int64_t rows, int64_t cols,
                                           enum ptrt_use use) {
    return (ptrt_operand){.tile = t, .rows = rows, .cols = cols, .use = (uint8_t)use};
}
static inline ptrt_operand ptrt_source(const ptrt_tile *t, int64_t rows, int64_t cols) {
    return ptrt_operand_of(t, rows, cols, PTRT_SOURCE);
}
/* A source that the body reads before it writes the same element of operand `same`. */
static inline ptrt_operand ptrt_source_of(int same, const ptrt_tile *t, int64_t rows,
                                          int64_t cols) {
    return (ptrt_operand){.tile = t, .rows = rows, .cols = cols, .same = (uint8_t)same};
}
/* The same for an array that is filled in a loop: assigning structs there takes longer. */
static inline void ptrt_set_operand(ptrt_operand *o, const ptrt_tile *t, int64_t rows, int64_t cols,
                                    enum ptrt_use use, int same) {
    o->tile = t;
    o->rows = rows;
    o->cols = cols;
    o->use = (uint8_t)use;
    o->same = (uint8_t)same;
    o->flat = false;
    o->memory = NULL;
}
/* The whole shape, so that element k is (k / cols, k % cols). */
static inline ptrt_operand ptrt_flat(const ptrt_tile *t, enum ptrt_use use) {
    return (ptrt_operand){
        .tile = t, .rows = t->rows, .cols = t->cols, .use = (uint8_t)use, .flat = true};
}

/* Sets p and ld of the n operands in x, and the memory that SCRATCH gives the kernel for the region
 * of x. PTRT_E_NOMEM. */
int ptrt_operands_open(ptrt_core *core, uint32_t line, int kernel, int n, ptrt_operand *part,
                       ptrt_args *x);
/* Writes copied destinations back if `done`, and frees the copies. */
void ptrt_operands_store(ptrt_core *core, int n, ptrt_operand *part, bool done);

/* Ends what ptrt_operands_open began, also if that failed: copied destinations are written back if
 * `code` is PTRT_OK. Returns `code`. */
static inline int ptrt_operands_close(ptrt_core *core, int n, ptrt_operand *part, int code) {
    bool copied = false;
    for (int i = 0; i < n; i++)
        copied |= part[i].memory != NULL;
    if (copied) ptrt_operands_store(core, n, part, code == PTRT_OK);
    return code;
}
/* Does both, and calls the body in between. */
static inline int ptrt_operands_run(ptrt_core *core, uint32_t line, int kernel, int n,
                                    ptrt_operand *part, ptrt_body body, ptrt_args *x) {
    int code = ptrt_operands_open(core, line, kernel, n, part, x);
    if (code == PTRT_OK) ((ptrt_args_fn)body)(x);
    return ptrt_operands_close(core, n, part, code);
}

#endif
