/* SPDX-License-Identifier: Apache-2.0 */
/* grid.c - launches whose blocks are all live at once: each thread keeps the blocks it has begun,
 * and sleeps while all of them wait for blocks of other threads. */
#include "core/rank.h"
#include "core/watch.h"

#include <sched.h>

/* Polls of the event before a thread sleeps. The other threads usually reach the barrier soon.
 * Where the launch has more threads than there are processors, one of them needs the processor: the
 * thread yields it between polls. */
enum { SPINS = 400, YIELDS = 16 };

/* A test may define this: it runs between an event and the waking of those that sleep. */
#ifdef PTRT_BEFORE_WAKING
void PTRT_BEFORE_WAKING(ptrt_run *run);
#else
#define PTRT_BEFORE_WAKING(run) ((void)(run))
#endif

typedef struct Queue {
    ptrt_block *first, *last;
} Queue;

static void put(Queue *q, ptrt_block *block) {
    block->next = NULL;
    if (q->first)
        q->last->next = block;
    else
        q->first = block;
    q->last = block;
}

static ptrt_block *take(Queue *q) {
    ptrt_block *block = q->first;
    if (block) q->first = block->next;
    return block;
}

void ptrt_grid_event(ptrt_run *run) {
    if (!run->live) return;
    atomic_fetch_add(&run->event, 1);
    if (atomic_load(&run->asleep) == 0) return;
    PTRT_BEFORE_WAKING(run);
    pthread_mutex_lock(&run->lock);
    if (run->asleep_since != atomic_load(&run->event)) atomic_store(&run->asleep, 0);
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->lock);
}

static void pause_a_little(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Adds this thread to those that sleep since the event was `seen`, unless it has changed. Returns
 * how many they are, or 0. Threads that sleep since an earlier event are about to wake: `asleep`
 * stays above 0 until somebody has woken them. */
static int fall_asleep(ptrt_run *run, unsigned long long seen) {
    int asleep = 1;
    if (atomic_load(&run->event) != seen) return 0;
    if (run->asleep_since == seen) asleep += atomic_load(&run->asleep);
    run->asleep_since = seen;
    atomic_store(&run->asleep, asleep);
    if (atomic_load(&run->event) == seen) return asleep;
    atomic_store(&run->asleep, 0);
    pthread_cond_broadcast(&run->changed);
    return 0;
}

/* Waits until the event is no longer `seen`. When every thread of the launch would sleep, only
 * another rank can end the wait: the last thread calls ptrt_rank_rest. */
static void sleep_or_rest(ptrt_run *run, unsigned long long seen) {
    const int polls = run->max_helpers == 0 ? 0 : run->crowded ? YIELDS : SPINS;
    for (int i = 0; i < polls; i++) {
        if (atomic_load_explicit(&run->event, memory_order_relaxed) != seen) return;
        if (run->crowded)
            sched_yield();
        else
            pause_a_little();
    }
    pthread_mutex_lock(&run->lock);
    const int asleep = fall_asleep(run, seen);
    const bool last = asleep > 0 && asleep == run->present;
    if (last) atomic_store(&run->asleep, asleep - 1);
    while (!last && atomic_load(&run->event) == seen)
        pthread_cond_wait(&run->changed, &run->lock);
    pthread_mutex_unlock(&run->lock);
    if (last) ptrt_rank_rest(run);
}

static void advance(ptrt_block *block, Queue *ready, Queue *parked) {
    ptrt_block_advance(block);
    if (block->left > 0) {
        put(ptrt_block_yields(block) ? ready : parked, block);
        return;
    }
    if (block->watched) ptrt_watch_end(block);
    ptrt_fifos_end(block);
}

/* Runs the parked blocks again, in case their waits are over. */
static void try_parked(Queue *ready, Queue *parked) {
    Queue before = *parked;
    *parked = (Queue){NULL, NULL};
    for (ptrt_block *block; (block = take(&before)) != NULL;)
        advance(block, ready, parked);
}

static void leave(ptrt_run *run) {
    pthread_mutex_lock(&run->lock);
    run->present--;
    bool rest_asleep = run->present > 0 && atomic_load(&run->asleep) == run->present;
    pthread_mutex_unlock(&run->lock);
    if (rest_asleep)
        ptrt_grid_event(run); /* wakes them: the last one to sleep again reports the deadlock */
}

void ptrt_grid_work(ptrt_run *run) {
    ptrt_fiber home;
    Queue ready = {NULL, NULL}, parked = {NULL, NULL};
    unsigned long long seen = 0;
    int64_t index, end;
    ptrt_fiber_here(&home);
    /* Before it takes blocks: the others would find a deadlock while these have not begun. */
    pthread_mutex_lock(&run->lock);
    run->present++;
    pthread_mutex_unlock(&run->lock);
    /* Begin all blocks first: one that has not begun may be what the others wait for. */
    while (ptrt_blocks_take(run, &index, &end))
        for (; index < end; index++)
            advance(ptrt_block_begin(run, (size_t)index, index, &home), &ready, &parked);
    while (ready.first || parked.first) {
        for (ptrt_block *last = ready.last; ready.first;) {
            ptrt_block *block = take(&ready);
            advance(block, &ready, &parked);
            if (block == last) break;
        }
        unsigned long long now = atomic_load(&run->event);
        if (parked.first && now != seen)
            try_parked(&ready, &parked);
        else if (parked.first && !ready.first)
            sleep_or_rest(run, seen);
        seen = now;
    }
    leave(run);
}
