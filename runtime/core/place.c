/* SPDX-License-Identifier: Apache-2.0 */
/* place.c - the errors of addresses, and the registers of a core. */
#include "core/place.h"

#include "ptort_micro.h"

const char *ptrt_space_name(int space) {
    static const char *const names[PTRT_SPACES] = {"register", "gm",  "mat",  "left",   "right",
                                                   "acc",      "vec", "bias", "scaling"};
    return space >= 0 && space < PTRT_SPACES ? names[space] : "unknown";
}

int place_fail(ptrt_core *core, uint32_t line, const char *op, int space, int64_t at,
               uint64_t bytes, uint64_t align) {
    if (((uint64_t)at & (align - 1)) != 0)
        return ptrt_fail(core, PTRT_E_ALIGN, line,
                         "%s: address %lld in %s, which must be a multiple of %llu", op,
                         (long long)at, ptrt_space_name(space), (unsigned long long)align);
    return ptrt_fail(core, PTRT_E_BOUNDS, line,
                     "%s: %llu bytes at address %lld leave %s, which has %llu bytes", op,
                     (unsigned long long)bytes, (long long)at, ptrt_space_name(space),
                     (unsigned long long)core->space_size[space]);
}

ptrt_vreg *ptrt_vregs(ptrt_core *core) {
    return (ptrt_vreg *)(void *)core->vregs;
}

ptrt_micro_body ptrt_body_for(ptrt_core *core, int id, int e1, int e2) {
    return ptrt_micro_find(core->bodies, id, e1, e2);
}
