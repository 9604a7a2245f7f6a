/* SPDX-License-Identifier: Apache-2.0 */
/* atomic.h - inside libptort: atomic updates of global memory. */
#ifndef PTORT_ATOMIC_H
#define PTORT_ATOMIC_H

#include "core/core.h"

/* Computes dst[i] = dst[i] op src[i] for n neighbouring elements of global memory, where `kernel`
 * names op: PTRT_TADD, PTRT_TMAX or PTRT_TMIN. Each element is updated atomically with respect to
 * all other calls of this function, in any thread and launch. Results equal those of the kernel on
 * tiles. dst may have any alignment. Returns false when the kernel has no body for the type. */
bool ptrt_gm_update(const ptrt_core *core, int kernel, int elem, void *dst, const void *src,
                    size_t n);

/* Makes the calling thread the only one that updates an element of at most a page at `at`, until it
 * gives that up. */
void ptrt_gm_take(const void *at, size_t bytes);
void ptrt_gm_give(const void *at, size_t bytes);

#endif
