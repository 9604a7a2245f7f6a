/* SPDX-License-Identifier: Apache-2.0 */
/* Threads for `-j`: each takes the next item, and the calling thread takes the results in order. */
#ifdef __linux__
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "cli/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/* Finished results per thread that may wait for a slow earlier one. */
enum { WAITING = 8, STACK = 8 * 1024 * 1024 };

typedef struct Pool {
    const PoolWork *work;
    pthread_mutex_t lock;
    pthread_cond_t room;  /* a place for a result became free */
    pthread_cond_t ready; /* the next result is finished */
    size_t next;          /* next item to work on */
    size_t taken;         /* results that the caller has handled */
    size_t window;        /* number of places */
    char *items;          /* result i is in place i % window */
    bool *finished;       /* by place */
} Pool;

unsigned pool_cores(void) {
    long n = 0;
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) n = CPU_COUNT(&set);
#endif
    if (n < 1) n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > POOL_MOST ? POOL_MOST : (unsigned)n;
}

static void *item_at(const Pool *p, size_t i) {
    return p->items + i % p->window * p->work->size;
}

static void *worker(void *arg) {
    Pool *p = arg;
    pthread_mutex_lock(&p->lock);
    while (p->next < p->work->n) {
        if (p->next >= p->taken + p->window) {
            pthread_cond_wait(&p->room, &p->lock);
            continue;
        }
        size_t i = p->next++;
        pthread_mutex_unlock(&p->lock);
        p->work->work(p->work->arg, i, item_at(p, i));
        pthread_mutex_lock(&p->lock);
        p->finished[i % p->window] = true;
        if (i == p->taken) pthread_cond_signal(&p->ready);
    }
    pthread_cond_broadcast(&p->room); /* the remaining items need no more room */
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void take_all(Pool *p) {
    pthread_mutex_lock(&p->lock);
    while (p->taken < p->work->n) {
        size_t i = p->taken;
        if (!p->finished[i % p->window]) {
            pthread_cond_wait(&p->ready, &p->lock);
            continue;
        }
        pthread_mutex_unlock(&p->lock);
        p->work->done(p->work->arg, i, item_at(p, i));
        pthread_mutex_lock(&p->lock);
        p->finished[i % p->window] = false;
        p->taken++;
        pthread_cond_signal(&p->room);
    }
    pthread_mutex_unlock(&p->lock);
}

/* Starts as many threads as possible, with stacks as large as that of a main thread, as the checks
 * recurse. */
static unsigned start(Pool *p, pthread_t *ids, unsigned threads) {
    pthread_attr_t attr;
    unsigned n = 0;
    if (pthread_attr_init(&attr) != 0) return 0;
    if (pthread_attr_setstacksize(&attr, STACK) == 0)
        while (n < threads && pthread_create(&ids[n], &attr, worker, p) == 0)
            n++;
    pthread_attr_destroy(&attr);
    return n;
}

static bool run_alone(const PoolWork *work) {
    void *item = malloc(work->size);
    if (item == NULL) return false;
    for (size_t i = 0; i < work->n; i++) {
        work->work(work->arg, i, item);
        work->done(work->arg, i, item);
    }
    free(item);
    return true;
}

bool pool_run(const PoolWork *work, unsigned threads) {
    if (threads > POOL_MOST) threads = POOL_MOST;
    if (threads > work->n) threads = (unsigned)work->n;
    if (threads <= 1) return run_alone(work);
    Pool p = {.work = work, .window = (size_t)threads * WAITING};
    pthread_t ids[POOL_MOST];
    p.items = calloc(p.window, work->size);
    p.finished = calloc(p.window, sizeof *p.finished);
    bool good = p.items != NULL && p.finished != NULL;
    if (good) {
        pthread_mutex_init(&p.lock, NULL);
        pthread_cond_init(&p.room, NULL);
        pthread_cond_init(&p.ready, NULL);
        unsigned n = start(&p, ids, threads);
        if (n > 0)
            take_all(&p);
        else
            good = run_alone(work);
        for (unsigned i = 0; i < n; i++)
            pthread_join(ids[i], NULL);
        pthread_cond_destroy(&p.ready);
        pthread_cond_destroy(&p.room);
        pthread_mutex_destroy(&p.lock);
    }
    free(p.items);
    free(p.finished);
    return good;
}
