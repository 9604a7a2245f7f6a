/* SPDX-License-Identifier: Apache-2.0 */
/* vchain.h - inside libptort: a step of a chain of statements on lanes of 32 bits. It works on a
 * whole register in the machine's own ones and calls the next step. */
#ifndef PTORT_KERN_VCHAIN_H
#define PTORT_KERN_VCHAIN_H

#include "kern/kern.h"
#include "ptort_micro.h"

typedef struct ptrt_vlink {
    ptrt_body fn;
    const void *p;   /* the operand in memory */
    ptrt_mask *mask; /* that a comparison makes, or a selection takes */
    uint32_t how;    /* enum ptrt_cmp */
} ptrt_vlink;

/* The body PTRT_CHAIN_START. */
typedef void (*ptrt_chain_start_fn)(const ptrt_vlink *, const ptrt_mask *);

#endif
