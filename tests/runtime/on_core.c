/* SPDX-License-Identifier: Apache-2.0 */
/* on_core.c - one block with one vector core around a function. */
#include "on_core.h"

typedef struct job {
    int (*fn)(ptrt_core *, void *);
    void *arg;
} job;

static int run_job(ptrt_core *core, void *args) {
    job *j = args;
    return j->fn(core, j->arg);
}

static int launch(int (*fn)(ptrt_core *, void *), void *arg, uint32_t flags) {
    job j = {fn, arg};
    ptrt_kernel kernel = {.name = "test", .file = "test.pto", .vector = run_job, .subblocks = 1};
    kernel.flags = flags;
    kernel.bytes[PTRT_VEC] = kernel.bytes[PTRT_MAT] = kernel.bytes[PTRT_ACC] = SPACE_BYTES;
    return ptrt_launch(&kernel, 1, &j);
}

int on_core(int (*fn)(ptrt_core *, void *), void *arg) {
    return launch(fn, arg, 0);
}

int on_checked_core(int (*fn)(ptrt_core *, void *), void *arg) {
    return launch(fn, arg, PTRT_K_CHECKED);
}
