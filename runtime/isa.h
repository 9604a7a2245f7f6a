/* SPDX-License-Identifier: Apache-2.0 */
/* isa.h - looks up the kernel bodies of the instruction-set level in use, by kernel and element
 * types. */
#ifndef PTORT_ISA_H
#define PTORT_ISA_H

#include "kern/kern.h"
#include "ptort_micro.h"

/* The lookup tables of the drivers. Filled once, at the first launch; read-only afterwards. */
typedef struct ptrt_bodies {
    const ptrt_level *level;
    const ptrt_movers *movers;
    ptrt_body one[PTRT_KERNELS][PTRT_ANY + 1]; /* kernels whose body depends on one type */
    uint16_t pair[PTRT_KERNELS]; /* kernels with two types: 1 + index into `pairs`; else 0 */
    ptrt_body (*pairs)[PTRT_ANY + 1][PTRT_ANY + 1];
    struct ptrt_micro_rows { /* of each row BODY, its rows of the level */
        const ptrt_body_row *first;
        size_t n;
    } micro[PTRT_MICROS - PTRT_KERNELS];
} ptrt_bodies;

/* Returns a level, or NULL when the machine lacks it. For tests. */
const ptrt_level *ptrt_level_find(const char *name);

/* Returns a body of ptort_micro.def, or NULL when it has none for these types. */
ptrt_body ptrt_micro_find(const ptrt_bodies *b, int id, int e1, int e2);

/* Returns the bodies of this machine's best level, or of the one that PTORT_ISA names when the
 * machine has it; NULL when the library was built without a level for this machine. */
const ptrt_bodies *ptrt_isa_bodies(void);

/* Returns the body of a kernel in a level ("v2", "v3", "v4", "base"; NULL: the one in use). e2 is
 * PTRT_ANY for kernels with one type. NULL when the kernel has no body for these types, or the
 * machine lacks the level. For tests. */
ptrt_body ptrt_kernel_find(int kernel, int e1, int e2, const char *level);

/* Fills *b with the bodies of a level. *b must be zero except `pairs`, which has PTRT_KERNELS pages
 * of zeros. Returns false when the machine lacks the level. For tests. */
bool ptrt_isa_fill(ptrt_bodies *b, const char *level);

/* The mnemonic with its "pto." prefix, and the operand names separated by blanks, as
 * ptort_kernels.def lists them. */
typedef struct ptrt_kernel_info {
    const char *op;
    const char *args;
} ptrt_kernel_info;
extern const ptrt_kernel_info ptrt_kernel_infos[PTRT_KERNELS];

/* Returns the body for two element types, or NULL. */
static inline ptrt_body ptrt_body_of_pair(const ptrt_bodies *b, int kernel, int e1, int e2) {
    unsigned page = b->pair[kernel];
    return page != 0 ? b->pairs[page - 1][e1][e2] : NULL;
}

#endif
