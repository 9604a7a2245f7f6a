/* isa.h - the part of the runtime that is built once per instruction-set level: loops over strided
 * rows of one element type. */
#ifndef PTORT_ISA_H
#define PTORT_ISA_H

#include <stddef.h>
#include <stdint.h>

/* Element types with arithmetic: the first twelve of enum ptrt_elem. */
#define PTRT_ARITH_ELEMS 12
#define PTRT_INT_ELEMS 8

/* rows x cols elements; neighbours in a row touch, rows are ld elements apart. Operands are the
 * same memory with the same ld, or do not overlap. */
typedef void (*ptrt_binary_fn)(void *d, const void *a, const void *b, size_t rows, size_t cols,
                               ptrdiff_t ldd, ptrdiff_t lda, ptrdiff_t ldb);
/* k points to one element. */
typedef void (*ptrt_scalar_fn)(void *d, const void *a, const void *k, size_t rows, size_t cols,
                               ptrdiff_t ldd, ptrdiff_t lda);
typedef void (*ptrt_fill_fn)(void *d, const void *k, size_t rows, size_t cols, ptrdiff_t ldd);

typedef struct ptrt_ops {
    const char *name;
    ptrt_binary_fn add[PTRT_ARITH_ELEMS];
    ptrt_binary_fn mul[PTRT_ARITH_ELEMS];
    ptrt_scalar_fn adds[PTRT_ARITH_ELEMS];
    ptrt_scalar_fn ands[PTRT_INT_ELEMS];
    ptrt_scalar_fn xors[PTRT_INT_ELEMS];
    ptrt_fill_fn fill[4]; /* by log2 of the element size */
} ptrt_ops;

/* The level of this machine, or the one that PTORT_ISA names when the machine has it. */
const ptrt_ops *ptrt_isa_ops(void);

#endif
