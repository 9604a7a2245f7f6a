/* SPDX-License-Identifier: Apache-2.0 */
/* vmemory.c - bodies of the loads and stores of vector registers. */
#include "core/core.h"
#include "core/place.h"
#include "kern/micro.h"

#include "kern/kern.h"

/* ---- a register as it is in memory ---- */

#define LOAD_PLAIN(E, B)                                                                           \
    static int load_plain_##E(ptrt_core *core, uint32_t line, ptrt_vreg *d, int64_t *next,         \
                              int64_t base, int64_t offset) {                                      \
        const int64_t at = place_step(base, offset, S_##E, next);                                  \
        const unsigned char *p = place_read(core, PTRT_VEC, at, VREG, 32);                         \
        if (p == NULL) return place_fail(core, line, "pto.vlds", PTRT_VEC, at, VREG, 32);          \
        memcpy(d, p, VREG);                                                                        \
        return PTRT_OK;                                                                            \
    }
#define STORE_PLAIN(E, B)                                                                          \
    static int store_plain_##E(ptrt_core *core, uint32_t line, const ptrt_vreg *v, int64_t *next,  \
                               int64_t base, int64_t offset, const ptrt_mask *m) {                 \
        const int64_t at = place_step(base, offset, S_##E, next);                                  \
        unsigned char *p = place_lanes(core, PTRT_VEC, at, 32, m, S_##E);                          \
        if (p == NULL) return place_fail(core, line, "pto.vsts", PTRT_VEC, at, VREG, 32);          \
        if (all_active(m, S_##E))                                                                  \
            memcpy(p, v, VREG);                                                                    \
        else                                                                                       \
            merge_lanes(p, v, p, m, S_##E);                                                        \
        return PTRT_OK;                                                                            \
    }
#define BY_WIDTH(X) X(u8, 8) X(u16, 16) X(u32, 32) X(u64, 64)
BY_WIDTH(LOAD_PLAIN)
BY_WIDTH(STORE_PLAIN)
#include "kern/family.h"
