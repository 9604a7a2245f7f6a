/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the elements of `dense<x>`, `dense<[x, y ..]>` and `dense<"0x..">`, which attributes keep
 * as text, as strictly as MLIR reads those of one dimension. */
#ifndef IR_DENSE_H
#define IR_DENSE_H

#include "ir/attr.h"
#include "ir/type.h"

typedef struct Dense {
    const char *at, *end; /* what is not read yet; of a string, its hexadecimal digits */
    uint32_t n;           /* elements in brackets, or bytes in a string */
    bool list;            /* in brackets */
    bool raw;             /* a string of bytes, the lowest of each element first */
    uint32_t bits;        /* of the string that are read */
} Dense;

/* Opens an attribute. False if it is no such text. */
bool dense_open(Dense *d, const Interner *names, const Attr *a);
/* True if these are `n` elements of a type, or one that all `n` equal. */
bool dense_has(const Dense *d, Elem e, uint32_t n);
/* Reads the next element as a constant of a scalar type (ATTR_INT or ATTR_FLOAT); the one that all
 * equal is read again each time. False if the type has no such element, or none is left. */
bool dense_next(Dense *d, Elem e, Attr *out);

#endif
