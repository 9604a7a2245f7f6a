/* rank.h - inside libptort: ranks. Each thread, and each launch it makes, belongs to one. */
#ifndef PTORT_RANK_H
#define PTORT_RANK_H

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
/* Makes the cores of the rank check their waits again, because a signal may have changed. */
void ptrt_rank_wake(ptrt_rank *rank);
/* Called when every core of a launch waits. Returns when they are to check again; else fails the
 * launch. */
void ptrt_rank_rest(ptrt_run *run);

/* Transport functions for memory that all ranks reach directly. */
int ptrt_direct_copy(void *self, void *dst, const void *src, uint64_t bytes);
int ptrt_direct_add(void *self, ptrt_core *core, int elem, void *dst, const void *src, uint64_t n);
void ptrt_direct_notify(int32_t *signal, int op, int32_t value);
int32_t ptrt_direct_read(const int32_t *signal);

/* transfer.c: checks that the view has memory, its extents are not negative and, in checked mode,
 * all of it lies in registered regions. `name` is the operand's name in the reference page. */
int ptrt_comm_check(ptrt_core *core, uint32_t line, const char *op, const char *name,
                    const ptrt_view *view);
/* Reports that a transport function returned `code`. */
int ptrt_comm_failed(ptrt_core *core, uint32_t line, const char *op, int code);

#endif
