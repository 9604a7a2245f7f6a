/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - a module that holds the runtime, for test_unload.c. */
#include <ptort_emitted.h>

static int meet(ptrt_core *core, void *args) {
    (void)args;
    int code = ptrt_syncall(core, 3, PTRT_SYNC_MIX);
    return code != 0 ? code : ptrt_fail(core, PTRT_E_ASSERT, 4, "as wanted");
}

PTRT_API int plugin_run(int64_t blocks);
PTRT_API int plugin_run(int64_t blocks) {
    static const ptrt_kernel kernel = {.name = "p",
                                       .file = "p.pto",
                                       .cube = meet,
                                       .vector = meet,
                                       .flags = PTRT_K_GRID_SYNC,
                                       .bytes = {[PTRT_VEC] = 4096}};
    return ptrt_launch(&kernel, blocks, NULL);
}
