/* SPDX-License-Identifier: Apache-2.0 */
/* rank.h - inside libptort: the rank that a thread and its launches belong to. comm/ makes ranks.
 */
#ifndef PTORT_CORE_RANK_H
#define PTORT_CORE_RANK_H

#include "core/core.h"
#include "ptort_transport.h"

typedef struct ptrt_rank_window {
    struct ptrt_rank_window *next;
    int64_t words[]; /* what ptrt_window_make returns */
} ptrt_rank_window;

struct ptrt_rank {
    const ptrt_transport *transport;
    void *self;
    int number, count;
    ptrt_rank_window *windows;
    pthread_mutex_t lock;
    ptrt_run *run; /* a launch whose cores may wait for other ranks; guarded by lock */
};

/* Rank 0 of 1: it reaches only its own memory, and a wait for another rank is a deadlock. */
extern ptrt_rank ptrt_rank_alone;

/* Marks the begin and end of a launch whose cores may wait for other ranks. */
void ptrt_rank_enter(ptrt_rank *rank, ptrt_run *run);
void ptrt_rank_leave(ptrt_rank *rank);
/* Called when every core of a launch waits. Returns when they are to check again; else fails the
 * launch. */
void ptrt_rank_rest(ptrt_run *run);

#endif
