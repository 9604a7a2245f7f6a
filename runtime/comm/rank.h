/* rank.h - inside libptort: the rank that a thread, and each launch that it makes, belongs to. */
#ifndef PTORT_RANK_H
#define PTORT_RANK_H

#include "core/core.h"

typedef struct ptrt_rank_window {
    struct ptrt_rank_window *next;
    int64_t words[]; /* what ptrt_window_make gives out */
} ptrt_rank_window;

struct ptrt_rank {
    const ptrt_transport *transport;
    void *self;
    int number, count;
    ptrt_rank_window *windows;
    pthread_mutex_t lock;
    ptrt_run *run; /* the launch under way whose cores may wait for other ranks; guarded by lock */
};

/* Rank 0 of 1: everything is memory of this process, and nobody else is there to wait for. */
extern ptrt_rank ptrt_rank_alone;

/* A launch that waits for other ranks begins or ends. */
void ptrt_rank_enter(ptrt_rank *rank, ptrt_run *run);
void ptrt_rank_leave(ptrt_rank *rank);
/* Signals of the rank may have changed: its cores look at what they wait for. */
void ptrt_rank_wake(ptrt_rank *rank);
/* Every core of a launch waits: until they are to look again, or with an error for all of them. */
void ptrt_rank_rest(ptrt_run *run);

/* What threads do with memory that all of them reach. */
int ptrt_direct_copy(void *self, void *dst, const void *src, uint64_t bytes);
int ptrt_direct_add(void *self, ptrt_core *core, int elem, void *dst, const void *src, uint64_t n);
void ptrt_direct_notify(int32_t *signal, int op, int32_t value);
int32_t ptrt_direct_read(const int32_t *signal);

/* transfer.c: the view has memory, its extents are not negative and, in checked mode, all of it
 * lies in registered memory. Names are those of the page. */
int ptrt_comm_check(ptrt_core *core, uint32_t line, const char *op, const char *name,
                    const ptrt_view *view);
/* A transport has given a code: says so, unless it is the end of the launch. */
int ptrt_comm_failed(ptrt_core *core, uint32_t line, const char *op, int code);

#endif
