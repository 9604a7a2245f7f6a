/* SPDX-License-Identifier: Apache-2.0 */
/* rank.c - the rank of a thread, and the transport of a process that is rank 0 of 1. */
#include "comm/rank.h"

#include "core/atomic.h"
#include "core/watch.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- memory that every rank reaches ---- */

int ptrt_direct_copy(void *self, void *dst, const void *src, uint64_t bytes) {
    (void)self;
    memmove(dst, src, (size_t)bytes);
    return PTRT_OK;
}

int ptrt_direct_add(void *self, ptrt_core *core, int elem, void *dst, const void *src, uint64_t n) {
    (void)self;
    return ptrt_gm_update(core, PTRT_TADD, elem, dst, src, (size_t)n) ? PTRT_OK : PTRT_E_TYPE;
}

void ptrt_direct_notify(int32_t *signal, int op, int32_t value) {
    if (op == PTRT_NOTIFY_SET)
        __atomic_store_n(signal, value, __ATOMIC_SEQ_CST);
    else
        __atomic_fetch_add(signal, value, __ATOMIC_SEQ_CST);
}

int32_t ptrt_direct_read(const int32_t *signal) {
    return __atomic_load_n(signal, __ATOMIC_SEQ_CST);
}

/* ---- rank 0 of 1 ---- */

static int alone_notify(void *self, int32_t *signal, int op, int32_t value) {
    (void)self;
    ptrt_direct_notify(signal, op, value);
    return PTRT_OK;
}

static int alone_read(void *self, const int32_t *signal, int32_t *value) {
    (void)self;
    *value = ptrt_direct_read(signal);
    return PTRT_OK;
}

static int alone_rest(void *self) {
    (void)self;
    return PTRT_E_DEADLOCK;
}

static const ptrt_transport alone = {.copy = ptrt_direct_copy,
                                     .add = ptrt_direct_add,
                                     .notify = alone_notify,
                                     .read = alone_read,
                                     .rest = alone_rest};

const ptrt_transport *ptrt_memory_transport(void) {
    return &alone;
}

ptrt_rank ptrt_rank_alone = {.transport = &alone, .count = 1, .lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the rank of a thread ---- */

static const ptrt_rank *rank_of_thread(void) {
    const ptrt_thread *thread = ptrt_thread_get();
    if (!thread) return &ptrt_rank_alone;
    if (thread->run) return thread->run->rank;
    return thread->rank ? thread->rank : &ptrt_rank_alone;
}

int ptrt_rank_idx(void) {
    return rank_of_thread()->number;
}

int ptrt_rank_num(void) {
    return rank_of_thread()->count;
}

static void free_windows(ptrt_rank *rank) {
    while (rank->windows) {
        ptrt_rank_window *w = rank->windows;
        rank->windows = w->next;
        free(w);
    }
}

int ptrt_run_rank(const ptrt_transport *transport, void *self, int rank, int ranks, ptrt_rank_fn fn,
                  void *arg) {
    ptrt_thread *thread = ptrt_thread_get();
    if (!thread) return PTRT_E_NOMEM;
    if (thread->rank || thread->run || ranks < 1 || rank < 0 || rank >= ranks) {
        ptrt_thread_set_error(thread, "a rank cannot begin here, or its number is out of range");
        return PTRT_E_ARG;
    }
    struct ptrt_rank me = {.transport = transport, .self = self, .number = rank, .count = ranks};
    if (pthread_mutex_init(&me.lock, NULL) != 0) return PTRT_E_NOMEM;
    thread->rank = &me;
    int code = fn(rank, arg);
    thread->rank = NULL;
    free_windows(&me);
    pthread_mutex_destroy(&me.lock);
    return code;
}

int ptrt_window_make(uint64_t bytes, int64_t **context) {
    ptrt_thread *thread = ptrt_thread_get();
    *context = NULL;
    if (!thread) return PTRT_E_NOMEM;
    ptrt_rank *rank = thread->rank;
    if (!rank || thread->run || bytes == 0) {
        ptrt_thread_set_error(thread, "a window needs ranks, and at least one byte");
        return PTRT_E_ARG;
    }
    size_t n = (size_t)rank->count;
    ptrt_rank_window *w = calloc(1, sizeof *w + (4 + n) * sizeof w->words[0]);
    void **bases = calloc(n, sizeof *bases);
    int code = w && bases ? rank->transport->window(rank->self, bytes, bases) : PTRT_E_NOMEM;
    if (code == PTRT_OK) {
        w->words[2] = (int64_t)((uint64_t)n << 32 | (uint64_t)rank->number);
        w->words[3] = (int64_t)bytes;
        for (size_t i = 0; i < n; i++)
            w->words[4 + i] = (int64_t)(uintptr_t)bases[i];
        w->next = rank->windows;
        rank->windows = w;
        *context = w->words;
        ptrt_watch_window(rank->number, bases[rank->number], bytes);
    } else {
        ptrt_thread_set_error(thread, code == PTRT_E_NOMEM      ? "out of memory for a window"
                                      : code == PTRT_E_DEADLOCK ? "not all ranks make this window"
                                                                : "another rank has failed");
        free(w);
    }
    free(bases);
    return code;
}

/* ---- results of all ranks ---- */

int ptrt_ranks_first_failed(const int *codes, int n) {
    int stopped = -1;
    for (int i = 0; i < n; i++) {
        if (codes[i] != PTRT_OK && codes[i] != PTRT_E_STOPPED) return i;
        if (codes[i] != PTRT_OK && stopped < 0) stopped = i;
    }
    return stopped;
}

/* Appends the ranks that ended with `code`, as "; so do ranks 1, 2", except rank `but`. Names at
 * most eight. */
static void add_ranks(char *text, size_t size, const char *what, const int *codes, int count,
                      int code, int but) {
    size_t at = strlen(text);
    int n = 0, named = 0;
    for (int i = 0; i < count; i++)
        n += i != but && codes[i] == code;
    if (n == 0) return;
    at += (size_t)snprintf(text + at, size - at, "; %s rank%s", what, n == 1 ? "" : "s");
    for (int i = 0; i < count && named < 8 && at < size; i++)
        if (i != but && codes[i] == code)
            at += (size_t)snprintf(text + at, size - at, "%s %d", named++ > 0 ? "," : "", i);
    if (n > named && at < size) snprintf(text + at, size - at, " and %d more", n - named);
}

int ptrt_ranks_report(const int *codes, int n, bool waited, const char *text) {
    const int first = ptrt_ranks_first_failed(codes, n);
    ptrt_thread *thread = ptrt_thread_get();
    char all[PTRT_ERROR_SIZE];
    if (first < 0) return PTRT_OK;
    if (text[0] != '\0')
        snprintf(all, sizeof all, "%s", text);
    else
        snprintf(all, sizeof all, "rank %d returned code %d", first, codes[first]);
    if (codes[first] == PTRT_E_DEADLOCK && waited) {
        add_ranks(all, sizeof all, "so do", codes, n, PTRT_E_DEADLOCK, first);
        add_ranks(all, sizeof all, "ended:", codes, n, PTRT_OK, first);
    }
    if (thread) ptrt_thread_set_error(thread, all);
    return codes[first];
}

/* ---- launches of a rank ---- */

void ptrt_rank_enter(ptrt_rank *rank, ptrt_run *run) {
    if (rank->count == 1) return;
    pthread_mutex_lock(&rank->lock);
    rank->run = run;
    pthread_mutex_unlock(&rank->lock);
}

void ptrt_rank_leave(ptrt_rank *rank) {
    ptrt_rank_enter(rank, NULL);
}

void ptrt_rank_wake(ptrt_rank *rank) {
    pthread_mutex_lock(&rank->lock);
    if (rank->run) ptrt_grid_event(rank->run);
    pthread_mutex_unlock(&rank->lock);
}

void ptrt_rank_rest(ptrt_run *run) {
    int code = run->rank->transport->rest(run->rank->self);
    if (code == PTRT_OK)
        ptrt_grid_event(run);
    else
        ptrt_report_waits(run->slots, (size_t)run->blocks, code);
}
