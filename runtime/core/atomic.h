/* atomic.h - inside libptort: global memory that several threads change at once. */
#ifndef PTORT_ATOMIC_H
#define PTORT_ATOMIC_H

#include "core/core.h"

/* dst[i] = dst[i] op src[i] for n neighbouring elements of global memory, where `kernel` names op:
 * PTRT_TADD, PTRT_TMAX or PTRT_TMIN. Each element changes in one step for every other call of this
 * function, by any thread and launch. The same numbers as the kernel on tiles; dst may have any
 * alignment. False when the kernel has no body for the type. */
bool ptrt_gm_update(const ptrt_core *core, int kernel, int elem, void *dst, const void *src,
                    size_t n);

#endif
