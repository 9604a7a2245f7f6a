/* SPDX-License-Identifier: Apache-2.0 */
/* thread.c - the state of a launching thread: error text, checked regions, settings, scratch
 * memory. It is kept under a pthread key, because the runtime uses no thread-local variables. */
#include "core/core.h"

#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool key_made;

static void thread_free(void *p) {
    ptrt_thread *thread = p;
    free(thread->regions);
    free(thread->scratch);
    free(thread->chains);
    free(thread);
}

static void make_key(void) {
    key_made = pthread_key_create(&key, thread_free) == 0;
}

/* Frees the state when the library is unloaded, after which the key's destructor must not be
 * called: the state of the unloading thread is freed, that of threads still running is leaked. */
__attribute__((destructor)) static void unload(void) {
    ptrt_pool_stop();
    ptrt_memory_drop();
    if (!key_made) return;
    void *p = pthread_getspecific(key);
    if (p) thread_free(p);
    pthread_key_delete(key);
    key_made = false;
}

ptrt_thread *ptrt_thread_get(void) {
    pthread_once(&once, make_key);
    if (!key_made) return NULL;
    ptrt_thread *thread = pthread_getspecific(key);
    if (thread) return thread;
    thread = calloc(1, sizeof *thread);
    if (thread && pthread_setspecific(key, thread) != 0) {
        free(thread);
        return NULL;
    }
    return thread;
}

void ptrt_thread_set_error(ptrt_thread *thread, const char *text) {
    size_t n = strlen(text);
    if (n >= sizeof thread->error) n = sizeof thread->error - 1;
    memcpy(thread->error, text, n);
    thread->error[n] = '\0';
}

void *ptrt_scratch(size_t bytes) {
    ptrt_thread *thread = ptrt_thread_get();
    if (!thread) return NULL;
    if (bytes <= thread->scratch_size) return thread->scratch;
    free(thread->scratch);
    thread->scratch_size = (bytes + 63) & ~(size_t)63;
    thread->scratch = aligned_alloc(64, thread->scratch_size);
    if (!thread->scratch) thread->scratch_size = 0;
    return thread->scratch;
}

const char *ptrt_error(void) {
    ptrt_thread *thread = ptrt_thread_get();
    return thread ? thread->error : "out of memory";
}

int ptrt_set_subblocks(int n) {
    if (n < 0 || n > 2) return PTRT_E_ARG;
    ptrt_thread *thread = ptrt_thread_get();
    if (!thread) return PTRT_E_NOMEM;
    thread->subblocks = n;
    return PTRT_OK;
}

int ptrt_region_add(const void *base, uint64_t bytes) {
    ptrt_thread *thread = ptrt_thread_get();
    if (!thread) return PTRT_E_NOMEM;
    ptrt_region *more =
        realloc(thread->regions, (thread->region_count + 1) * sizeof *thread->regions);
    if (!more) return PTRT_E_NOMEM;
    thread->regions = more;
    more[thread->region_count++] = (ptrt_region){(uintptr_t)base, bytes};
    return PTRT_OK;
}

void ptrt_region_clear(void) {
    ptrt_thread *thread = ptrt_thread_get();
    if (!thread) return;
    free(thread->regions);
    thread->regions = NULL;
    thread->region_count = 0;
}

bool ptrt_set_access_hook(ptrt_access_fn fn, void *user) {
    ptrt_thread *thread = ptrt_thread_get();
    if (!thread) return false;
    thread->hook = fn;
    thread->hook_user = user;
    return true;
}
