/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the elements of `dense<x>` and `dense<[x, y ..]>`, which attributes keep as text, as
 * strictly as MLIR reads those of one dimension. */
#ifndef IR_DENSE_H
#define IR_DENSE_H

#include "ir/attr.h"
#include "ir/type.h"

typedef struct Dense {
    const char *at, *end; /* what is not read yet */
    uint32_t n;           /* elements in brackets */
    bool list;            /* in brackets; false: one stands for all */
    bool raw;             /* a string of the bytes of all, which dense_next() does not read */
} Dense;

/* Opens an attribute. False if it is no such text. */
bool dense_open(Dense *d, const Interner *names, const Attr *a);
/* True if these are `n` elements, or one that stands for them. */
static inline bool dense_has(const Dense *d, uint32_t n) {
    return !d->list || d->n == n;
}
/* Reads the next element, again that which stands for all, as a constant of a scalar type (ATTR_INT
 * or ATTR_FLOAT). False if the type has no such element, or none is left. */
bool dense_next(Dense *d, Elem e, Attr *out);

#endif
