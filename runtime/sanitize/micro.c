/* SPDX-License-Identifier: Apache-2.0 */
/* micro.c - what micro-instructions tell the sanitizer: the accesses that they make. */
#include "core/place.h"
#include "sanitize/sanitize.h"

void ptrt_see_micro(ptrt_core *core, const ptrt_site *site, const ptrt_site *reads,
                    const ptrt_site *writes) {
    if (!core->watch) return;
    ptrt_see(core, site);
    core->watch->micro[0] = reads;
    core->watch->micro[1] = writes;
}

void ptrt_touch(ptrt_core *core, const void *at, uint64_t bytes, bool writes) {
    const ptrt_site *site = core->watch->micro[writes];
    if (site && bytes > 0) san_see_run(core, site, at, bytes);
}

void ptrt_touch_copied(ptrt_core *core, const void *at, uint64_t bytes) {
    const ptrt_site *site = core->watch->micro[0];
    if (site && bytes > 0) san_see_copied(core, site, at, bytes);
}

void ptrt_touch_lanes(ptrt_core *core, const void *at, const ptrt_mask *m, unsigned width,
                      bool writes) {
    const unsigned lanes = sizeof(ptrt_vreg) / width;
    for (unsigned i = 0; i < lanes; i++) {
        const unsigned first = i;
        while (i < lanes && (m->bits[i * width / 64] >> (i * width % 64) & 1) != 0)
            i++;
        if (i > first)
            ptrt_touch(core, (const char *)at + first * width, (i - first) * width, writes);
    }
}
