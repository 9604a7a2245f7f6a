/* SPDX-License-Identifier: Apache-2.0 */
/* drive.h - inside libptort: what drivers share. A driver checks the operands of a call and runs
 * the kernel body over them. Operands that need no conversion take the fast path; the slow path
 * checks everything and handles all layouts and overlaps. */
#ifndef PTORT_DRIVE_H
#define PTORT_DRIVE_H

#include "core/core.h"
#include "mem/copy.h"
#include "mem/elem.h"
#include "mem/tile.h"

/* ---- fast paths ---- */

/* Whether d and s are the same address, or `bytes` bytes from each do not overlap. */
static inline int ptrt_apart(const void *d, const void *s, uint64_t bytes) {
    int64_t distance = (int64_t)((uintptr_t)d - (uintptr_t)s);
    return distance == 0 || (uint64_t)(distance < 0 ? -distance : distance) >= bytes;
}

static inline int ptrt_is_dense(const ptrt_tile *t) {
    return t->n != 0;
}

/* Whether s is dense, has the same key as d (so equal offsets), and starts at the same address or
 * shares no byte with it. Uses branches, not `&`: they are predicted, and no value must be kept. */
static inline int ptrt_alike(const ptrt_tile *d, const ptrt_tile *s) {
    return s->key == d->key && s->n != 0 && ptrt_apart(d->at, s->at, d->bytes);
}

/* Makes the compiler reload what it has loaded through `p`: a fast path that kept the fields it has
 * checked would need to save registers. */
#define PTRT_FORGET(p) __asm__("" : "+r"(p))

/* Returns the directions in which elements are contiguous: 1 along rows, 2 along columns. 0 for
 * boxed layouts and for tiles outside their memory. */
static inline unsigned ptrt_directions(const ptrt_tile *t) {
    unsigned free = (t->row.outer | t->col.outer) == 0;
    return (free & (t->addr <= t->last)) != 0
               ? (t->col.inner == 1) | (unsigned)(t->row.inner == 1) << 1
               : 0;
}

/* Whether the shape is at least rows x cols. */
static inline int ptrt_reaches(const ptrt_tile *t, int64_t rows, int64_t cols) {
    return (t->rows >= rows) & (t->cols >= cols);
}

/* Whether the valid region lies in the shape. */
static inline int ptrt_operand_fits(const ptrt_tile *t) {
    return ((uint64_t)t->vrow <= (uint64_t)t->rows) & ((uint64_t)t->vcol <= (uint64_t)t->cols);
}

/* Whether each element of s is at the same address as that of d, or the two share no byte. For
 * layouts without boxes. */
static inline int ptrt_in_step(const ptrt_tile *d, const ptrt_tile *s) {
    uintptr_t pd = (uintptr_t)d->base + d->addr, ps = (uintptr_t)s->base + s->addr;
    int same = (pd == ps) & (d->row.inner == s->row.inner) & (d->col.inner == s->col.inner);
    return same | (pd + d->bytes <= ps) | (ps + s->bytes <= pd);
}

/* Returns the body for the element type of t. `kernel` must be in range. */
static inline ptrt_body ptrt_body_one(const ptrt_core *core, int kernel, const ptrt_tile *t) {
    return core->bodies->one[kernel][t->elem];
}

/* ---- slow paths ---- */

/* Checks that every tile lies in its memory and its valid region in its shape, and passes it to the
 * access hook. `roles` has a letter for each tile: r(ead), w(ritten) or s(cratch). NULL tiles are
 * skipped. The names of the operands come from ptort_kernels.def. */
int ptrt_check_tiles(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *const *tiles,
                     const char *roles);
/* Checks n tiles of which the last one is written and the others are read, and finds the body for
 * their element type, which must be the same. NULL tiles are skipped. */
int ptrt_find_body(ptrt_core *core, uint32_t line, int kernel, int n, const ptrt_tile *const *tiles,
                   ptrt_body *body);
/* Reports PTRT_E_TYPE: the kernel has no body for the types of these tiles. */
int ptrt_no_body(ptrt_core *core, uint32_t line, int kernel, int n, const ptrt_tile *const *tiles);
/* Reports that operand i has fewer than rows x cols elements. */
int ptrt_too_small(ptrt_core *core, uint32_t line, int kernel, int i, const ptrt_tile *t,
                   int64_t rows, int64_t cols);
/* Checks that operand i has at least rows x cols elements. */
static inline int ptrt_check_reach(ptrt_core *core, uint32_t line, int kernel, int i,
                                   const ptrt_tile *t, int64_t rows, int64_t cols) {
    return ptrt_reaches(t, rows, cols) ? PTRT_OK
                                       : ptrt_too_small(core, line, kernel, i, t, rows, cols);
}
/* Checks that a window of rows x cols elements at (row, col) lies in the shape of the tile, which
 * the error text calls `name`. An empty window may be anywhere. */
int ptrt_check_inside(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *whole,
                      const char *name, int64_t row, int64_t col, int64_t rows, int64_t cols);
/* Returns the mnemonic, e.g. "pto.tadds". */
const char *ptrt_op_name(int kernel);
/* Stores the name of a kernel's i-th tile operand, which is not terminated, and returns its
 * length. */
int ptrt_operand_name(int kernel, int i, const char **name);

/* Sets the fields of *x other than operands and scratch. There is no `= {...}`, because clearing
 * the whole struct takes longer than a small body. */
static inline void ptrt_args_init(ptrt_args *x, int64_t rows, int64_t cols, const void *k,
                                  void *how) {
    x->rows = (size_t)rows;
    x->cols = (size_t)cols;
    x->k = k;
    x->how = how;
}
static inline void ptrt_args_operand(ptrt_args *x, int i, const ptrt_tile *t, int64_t ld) {
    x->p[i] = ptrt_tile_at(t);
    x->ld[i] = (ptrdiff_t)ld;
}

/* How a body accesses an operand. */
enum ptrt_extent {
    PTRT_FULL,   /* rows x cols elements */
    PTRT_COLUMN, /* one element per row */
    PTRT_ROW,    /* one row, used for all rows */
    PTRT_BLOCK   /* a block of elements per row, which `call` indexes itself */
};

/* Calls a body of another signature than ptrt_args_fn. */
typedef void (*ptrt_call_fn)(ptrt_body body, const ptrt_args *x);
void ptrt_call_map1(ptrt_body body, const ptrt_args *x); /* ptrt_map1_fn, ptrt_copy_fn */
void ptrt_call_map2(ptrt_body body, const ptrt_args *x);
void ptrt_call_maps(ptrt_body body, const ptrt_args *x); /* with the scalar k or, of 3 operands, the
                                                            column p[1] */

/* A body to run over a region of several tiles; the last operand is the destination. It gets a
 * distance of rows of 0 for PTRT_ROW, and for PTRT_COLUMN that between the elements of two rows. */
enum { PTRT_JOB_OPERANDS = 4 };
typedef struct ptrt_job {
    int kernel, n;
    const ptrt_tile *tile[PTRT_JOB_OPERANDS];
    uint8_t extent[PTRT_JOB_OPERANDS]; /* enum ptrt_extent */
    int64_t rows, cols;
    bool transposable; /* rows and columns may be exchanged: every operand is PTRT_FULL and every
                          element is computed on its own */
    bool updates;      /* the body reads the destination, so a staged block of it is loaded first */
    ptrt_body body;
    ptrt_call_fn call; /* NULL: the body is a ptrt_args_fn */
    const void *k;     /* of ptrt_args */
    void *how;
} ptrt_job;

/* Runs the job. Blocks in which all operands are contiguous in one direction are used in place;
 * others are copied through buffers. Operands may overlap in any way: a source that shares bytes
 * with the destination, other than as the same elements, is copied first. An empty region does
 * nothing. PTRT_E_NOMEM when there is no memory for a copy. */
int ptrt_job_run(ptrt_core *core, uint32_t line, ptrt_job *job);
/* The same, after the checks of the operands, which all are PTRT_FULL: finds the body if there is
 * none yet, sets the region, and checks that sources reach. */
int ptrt_job_start(ptrt_core *core, uint32_t line, ptrt_job *job, int64_t rows, int64_t cols);

/* Selects how TCVT converts a pair of types (`how` of ptrt_args). Returns false for attributes out
 * of range. */
bool ptrt_cvt_how(int s, int d, int rmode, int sat, int profile, unsigned *how);

/* Sets rows [r0, r1) and columns [c0, c1) to the element at k. */
typedef struct ptrt_region2 {
    int64_t r0, r1, c0, c1;
} ptrt_region2;
void ptrt_fill_region(const ptrt_core *core, const ptrt_tile *t, ptrt_region2 region,
                      const void *k);

/* The bytes of one element of any type. */
typedef union ptrt_bits {
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
} ptrt_bits;
/* Returns a pad value (enum ptrt_pad). */
ptrt_bits ptrt_pad_bits(int elem, int pad);
/* Converts a scalar to an element type: integers wrap, floats are rounded once to nearest even.
 * Returns false for a type without scalars. */
bool ptrt_int_bits(int elem, int64_t value, ptrt_bits *out);
bool ptrt_float_bits(int elem, double value, ptrt_bits *out);

#endif
