/* SPDX-License-Identifier: Apache-2.0 */
/* combine.h - inside libptort: how stores to global memory combine with what is there. */
#ifndef PTORT_MICRO_COMBINE_H
#define PTORT_MICRO_COMBINE_H

#include "core/core.h"

/* Stores the kernel, for ptrt_gm_update(), and the element type of stores of a type and an
 * operation, as numbered in the control register and the language; the kernel is -1 if stores
 * replace. Returns false if the numbers have no meaning. */
static inline bool combination(unsigned type, unsigned op, int *kernel, int *elem) {
    static const int16_t elems[8] = {[1] = PTRT_F32, PTRT_F16, PTRT_I16,
                                     PTRT_I32,       PTRT_I8,  PTRT_BF16};
    static const int16_t kernels[4] = {PTRT_TADD, PTRT_TMAX, PTRT_TMIN};
    *kernel = -1;
    if (type == 0) return true;
    if (type >= 7 || op >= 3) return false;
    *kernel = kernels[op];
    *elem = elems[type];
    return true;
}

#endif
