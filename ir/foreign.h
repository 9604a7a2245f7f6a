/* SPDX-License-Identifier: Apache-2.0 */
/* Names of operations in the languages that authors come from, and the instructions that are
 * meant. */
#ifndef IR_FOREIGN_H
#define IR_FOREIGN_H

#include <stddef.h>

typedef struct Foreign {
    const char *name; /* without its module */
    const char *inst; /* the instruction with its dialect */
    const char *also; /* what else may be meant, for a note; or NULL */
} Foreign;

/* Finds what `tl.sum`, `__expf`, `torch.nn.functional.relu` or `pto.treduce_sum` means; without a
 * name when it is not known. */
Foreign foreign_find(const char *s, size_t n);
/* The rows of the table; without a name after the last. */
Foreign foreign_at(unsigned i);

/* An operation that several instructions compute together. */
typedef struct Composed {
    const char *name;    /* without its module */
    const char *formula; /* of the operand `x` */
    const char *insts;   /* `tmuls, texp and tdiv` */
    const char *sample;  /* a folder of samples/ that has it, or NULL */
} Composed;

/* Finds `gelu`, `torch.softmax` or `pto.tgelu`; without a name when it is none of them. */
Composed composed_find(const char *s, size_t n);
/* The rows of the table; without a name after the last. */
Composed composed_at(unsigned i);

#endif
