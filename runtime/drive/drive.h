/* drive.h - what drivers share: operand checks, and running a body over operands of any layout. */
#ifndef PTORT_DRIVE_H
#define PTORT_DRIVE_H

#include "core/core.h"
#include "mem/copy.h"

/* ---- the short way ---- */

/* d and s are the same place, or do not overlap, for `bytes` from each. */
static inline int ptrt_apart(const void *d, const void *s, uint64_t bytes) {
    int64_t distance = (int64_t)((uintptr_t)d - (uintptr_t)s);
    return distance == 0 || (uint64_t)(distance < 0 ? -distance : distance) >= bytes;
}

static inline int ptrt_is_dense(const ptrt_tile *t) {
    return t->n != 0;
}

/* The source is dense, has the elements of the destination in the same order, and is the same place
 * or shares no byte with it. Branches, not `&`: they are predicted, and nothing has to be kept. */
static inline int ptrt_alike(const ptrt_tile *d, const ptrt_tile *s) {
    return s->key == d->key && s->n != 0 && ptrt_apart(d->at, s->at, d->bytes);
}

/* The compiler forgets what it has loaded through `p`: the short way checks first and then loads
 * again, rather than keeping everything in registers that have to be saved. */
#define PTRT_FORGET(p) __asm__("" : "+r"(p))

/* Directions in which neighbouring elements touch, without boxes: 1 along rows, 2 along columns. */
static inline unsigned ptrt_directions(const ptrt_tile *t) {
    unsigned free = (t->row.outer | t->col.outer) == 0;
    return (free & (t->addr <= t->last)) != 0
               ? (t->col.inner == 1) | (unsigned)(t->row.inner == 1) << 1
               : 0;
}

/* As large as rows x cols. */
static inline int ptrt_reaches(const ptrt_tile *t, int64_t rows, int64_t cols) {
    return (t->rows >= rows) & (t->cols >= cols);
}

/* The valid region lies in the shape. */
static inline int ptrt_operand_fits(const ptrt_tile *t) {
    return ((uint64_t)t->vrow <= (uint64_t)t->rows) & ((uint64_t)t->vcol <= (uint64_t)t->cols);
}

/* A source without boxes has each element where the destination has it, or shares no byte with it.
 */
static inline int ptrt_in_step(const ptrt_tile *d, const ptrt_tile *s) {
    uintptr_t pd = (uintptr_t)d->base + d->addr, ps = (uintptr_t)s->base + s->addr;
    int same = (pd == ps) & (d->row.inner == s->row.inner) & (d->col.inner == s->col.inner);
    return same | (pd + d->bytes <= ps) | (ps + s->bytes <= pd);
}

/* The body of a line for one element type, in the short way: the kernel comes from emitted code. */
static inline ptrt_body ptrt_body_one(const ptrt_core *core, int kernel, const ptrt_tile *t) {
    return core->bodies->one[kernel][t->elem];
}

/* ---- the long way ---- */

/* Checks that every tile lies in its memory and its valid region in its shape, and shows each to
 * the access hook. `roles` has one of PTRT_READ, PTRT_WRITE, PTRT_SCRATCH a tile; NULL tiles are
 * absent. Names come from the kernel's line. */
int ptrt_check_tiles(ptrt_core *core, uint32_t line, int kernel, int n,
                     const ptrt_tile *const *tiles, const uint8_t *roles);
/* PTRT_E_TYPE: no body for the types of these tiles. */
int ptrt_no_body(ptrt_core *core, uint32_t line, int kernel, int n, const ptrt_tile *const *tiles);
/* A source that is read on rows x cols elements must be as large. */
int ptrt_check_reach(ptrt_core *core, uint32_t line, int kernel, int i, const ptrt_tile *source,
                     int64_t rows, int64_t cols);
/* A window of rows x cols elements at (row, col) lies in the shape of the tile that is called
 * `name`.
 */
int ptrt_check_inside(ptrt_core *core, uint32_t line, int kernel, const ptrt_tile *whole,
                      const char *name, int64_t row, int64_t col, int64_t rows, int64_t cols);
/* "pto.tadds" */
const char *ptrt_op_name(int kernel);
/* The name of the i-th tile of a line for "%.*s"; returns its length. */
int ptrt_operand_name(int kernel, int i, const char **name);

/* What a body sees of an operand. */
enum ptrt_extent {
    PTRT_FULL,   /* rows x cols elements */
    PTRT_COLUMN, /* one element a row: it does not move along a row */
    PTRT_ROW,    /* one row, the same for all rows */
    PTRT_BLOCK   /* the elements of a row that run itself addresses, from column 0 */
};

enum { PTRT_MAX_OPERANDS = 5 };

/* A body over a region of several tiles; the last operand is the destination. */
typedef struct ptrt_job ptrt_job;
/* Rows of neighbouring elements in every operand, ld elements apart: 0 for PTRT_ROW; of PTRT_COLUMN
 * operands ld is the distance from one row's element to the next. */
typedef void (*ptrt_job_fn)(const ptrt_job *job, void *const *p, const ptrdiff_t *ld, size_t rows,
                            size_t cols);
struct ptrt_job {
    int n;
    const ptrt_tile *tile[PTRT_MAX_OPERANDS];
    uint8_t extent[PTRT_MAX_OPERANDS]; /* enum ptrt_extent */
    int64_t rows, cols;
    bool turns;   /* rows and columns may change places: every operand is PTRT_FULL, and run treats
                     every element by itself */
    bool updates; /* run reads the destination: a staged one is loaded first */
    ptrt_job_fn run;
    ptrt_body body;
    const void *k; /* for run */
};

/* Runs the job: directly where all operands have neighbours in one direction; operands of other
 * layouts go through a buffer, block by block. Operands may overlap in any way: a source that
 * shares bytes with the destination, other than as the same elements, is copied first. Empty
 * regions do nothing. PTRT_E_NOMEM when such a copy finds no memory. */
int ptrt_job_run(ptrt_core *core, uint32_t line, ptrt_job *job);

/* dst = element at k over rows [r0, r1) and columns [c0, c1). */
typedef struct ptrt_region2 {
    int64_t r0, r1, c0, c1;
} ptrt_region2;
void ptrt_fill_region(const ptrt_core *core, const ptrt_tile *t, ptrt_region2 region,
                      const void *k);

/* The bytes of one element. */
typedef union ptrt_bits {
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
} ptrt_bits;
/* A pad value. */
ptrt_bits ptrt_pad_bits(int elem, int pad);
/* A scalar narrowed to an element type: integers wrap, floats round once to nearest even. False for
 * a type without scalars. */
bool ptrt_int_bits(int elem, int64_t value, ptrt_bits *out);
bool ptrt_float_bits(int elem, double value, ptrt_bits *out);

#endif
