/* worker.c - the memory of the cores that one thread runs: a byte array per core and memory space.
 */
#include "core.h"

#include <stdlib.h>

#define ARRAY_ALIGN 4096
#define ARRAY_MAX (UINT64_C(1) << 32) /* far above any chip; larger is a wrong descriptor */

static unsigned char *array_of(const ptrt_worker *w, size_t core, int space) {
    return w->arrays[core * PTRT_SPACES + (size_t)space];
}

static void worker_free(ptrt_worker *w) {
    for (size_t i = 0; w->cores && i < w->capacity; i++)
        ptrt_fiber_free(&w->cores[i].fiber);
    for (size_t i = 0; w->arrays && i < w->capacity * PTRT_SPACES; i++)
        free(w->arrays[i]);
    free(w->arrays);
    free(w->cores);
    free(w);
}

void ptrt_workers_free(ptrt_worker *list) {
    while (list) {
        ptrt_worker *next = list->next;
        worker_free(list);
        list = next;
    }
}

/* aligned_alloc wants a multiple of the alignment; cleared, so that no run sees foreign data. */
static unsigned char *new_array(uint64_t bytes) {
    if (bytes > ARRAY_MAX) return NULL;
    size_t size = ((size_t)bytes + ARRAY_ALIGN - 1) & ~(size_t)(ARRAY_ALIGN - 1);
    unsigned char *p = aligned_alloc(ARRAY_ALIGN, size);
    if (p) memset(p, 0, size);
    return p;
}

static ptrt_worker *worker_new(const uint64_t *sizes, size_t cores) {
    ptrt_worker *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->cores = calloc(cores, sizeof *w->cores);
    w->arrays = calloc(cores, PTRT_SPACES * sizeof *w->arrays);
    w->capacity = cores;
    memcpy(w->bytes, sizes, sizeof w->bytes);
    if (!w->cores || !w->arrays) goto fail;
    for (size_t i = 0; i < cores * PTRT_SPACES; i++) {
        uint64_t bytes = w->bytes[i % PTRT_SPACES];
        if (bytes == 0) continue;
        w->arrays[i] = new_array(bytes);
        if (!w->arrays[i]) goto fail;
    }
    return w;
fail:
    worker_free(w);
    return NULL;
}

/* Reuses w, which leaves its list, when it fits: enough cores, and no space smaller than the kernel
 * needs. The cores then see the kernel's own sizes, so that bounds do not depend on what ran
 * before. */
ptrt_worker *ptrt_worker_fit(ptrt_worker *w, const ptrt_kernel *kernel, size_t cores) {
    bool fits = w && w->capacity >= cores;
    uint64_t sizes[PTRT_SPACES];
    for (int s = 0; s < PTRT_SPACES; s++) {
        /* Grows only, so that kernels launched in turn do not evict each other. */
        sizes[s] = w && w->bytes[s] > kernel->bytes[s] ? w->bytes[s] : kernel->bytes[s];
        fits = fits && w->bytes[s] >= kernel->bytes[s];
    }
    if (!fits) {
        if (w) worker_free(w);
        w = worker_new(sizes, cores);
        if (!w) return NULL;
    }
    for (size_t i = 0; i < cores; i++) {
        for (int s = 0; s < PTRT_SPACES; s++) {
            w->cores[i].space[s] = array_of(w, i, s);
            w->cores[i].space_size[s] = kernel->bytes[s];
        }
    }
    w->group.cores = w->cores;
    w->next = NULL;
    return w;
}
