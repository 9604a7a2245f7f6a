/* isa.h - the bodies of the instruction-set level in use, by kernel and element types. */
#ifndef PTORT_ISA_H
#define PTORT_ISA_H

#include "kern/kern.h"
#include "ptort.h"

/* What drivers look bodies up in. Made once, at the first launch; read-only afterwards. */
typedef struct ptrt_bodies {
    const ptrt_level *level;
    const ptrt_movers *movers;
    ptrt_body one[PTRT_KERNELS][PTRT_ANY + 1]; /* by the element type of the line's operand */
    uint16_t pair[PTRT_KERNELS];               /* lines with two types: 1 + index into `pairs` */
    ptrt_body (*pairs)[PTRT_ANY + 1][PTRT_ANY + 1];
} ptrt_bodies;

/* The level of this machine, or the one that PTORT_ISA names when the machine has it. */
const ptrt_bodies *ptrt_isa_bodies(void);

/* The body of a line under a level ("v2", "v3", "v4", "base"; NULL: the one in use); e2 is PTRT_ANY
 * for lines with one type. NULL when the line has none for these types, or the machine lacks the
 * level. For tests. */
ptrt_body ptrt_kernel_find(int kernel, int e1, int e2, const char *level);

/* Mnemonic with its prefix and operand names separated by blanks, as kernels.def lists them. */
typedef struct ptrt_kernel_info {
    const char *op;
    const char *args;
} ptrt_kernel_info;
extern const ptrt_kernel_info ptrt_kernel_infos[PTRT_KERNELS];

/* The body of two element types. */
static inline ptrt_body ptrt_body_of_pair(const ptrt_bodies *b, int kernel, int e1, int e2) {
    unsigned page = b->pair[kernel];
    return page != 0 ? b->pairs[page - 1][e1][e2] : NULL;
}

#endif
