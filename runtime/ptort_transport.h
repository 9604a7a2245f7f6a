/* SPDX-License-Identifier: Apache-2.0 */
/* ptort_transport.h - how ranks access each other's memory: for libraries that connect ranks, as
 * comm/mpi.c does over MPI. */
#ifndef PTORT_TRANSPORT_H
#define PTORT_TRANSPORT_H

#include "ptort.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ptrt_notify_op { PTRT_NOTIFY_ADD = 0, PTRT_NOTIFY_SET = 1 };

/* The functions by which a rank reaches the memory of others. ptrt_run_ranks uses one for threads;
 * another library may supply one for processes. `self` is the connection of the calling rank;
 * several threads may call at once. Addresses are valid in this rank and may lie in any rank's
 * window or in its own memory. The functions return PTRT_OK or a code. */
typedef struct ptrt_transport {
    /* dst[0 .. bytes) = src[0 .. bytes). Complete when it returns. */
    int (*copy)(void *self, void *dst, const void *src, uint64_t bytes);
    /* dst[i] = dst[i] + src[i] for n contiguous elements (enum ptrt_elem), each an atomic update.
     * src is memory of this rank. */
    int (*add)(void *self, ptrt_core *core, int elem, void *dst, const void *src, uint64_t n);
    /* Sets an aligned signal or adds to it atomically (op), after all copies of this thread. */
    int (*notify)(void *self, int32_t *signal, int op, int32_t value);
    /* *value = *signal. Copies made before the notification that wrote it are visible
     * afterwards. */
    int (*read)(void *self, const int32_t *signal, int32_t *value);
    /* Called when every core of this rank waits. Waits until a signal may have changed and returns
     * PTRT_OK, or the code with which the cores' waits end. The first call after a change returns
     * PTRT_OK at once, so that no change is missed. */
    int (*rest)(void *self);
    /* Allocates a window and stores its address for each rank in bases[]. */
    int (*window)(void *self, uint64_t bytes, void **bases);
} ptrt_transport;

/* Returns the functions for memory that this process can
 * access directly; they take NULL for `self`, and there is no `window`. */
PTRT_API const ptrt_transport *ptrt_memory_transport(void);
/* Returns the rank that determines the result when n ranks ended with `codes`: the first that
 * failed by itself, else the first that was stopped, else -1. */
PTRT_API int ptrt_ranks_first_failed(const int *codes, int n);
/* Makes `text`, the error of that rank, the text of ptrt_error(). If the ranks ended in a deadlock
 * and `waited` for each other, adds which others waited and which had ended. Returns the code. */
PTRT_API int ptrt_ranks_report(const int *codes, int n, bool waited, const char *text);
/* Runs fn(rank, arg) on this thread as one of `ranks` ranks. Returns what fn returns, or PTRT_E_ARG
 * when the thread has a rank already or runs a kernel. */
PTRT_API int ptrt_run_rank(const ptrt_transport *transport, void *self, int rank, int ranks,
                           ptrt_rank_fn fn, void *arg);

#ifdef __cplusplus
}
#endif

#endif
