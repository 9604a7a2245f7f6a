/* SPDX-License-Identifier: Apache-2.0 */
/* Runs work on many items on several threads, with the results in order. */
#ifndef CLI_POOL_H
#define CLI_POOL_H

#include <stdbool.h>
#include <stddef.h>

enum { POOL_MOST = 256 }; /* threads */

/* Returns how many processors this process may use. */
unsigned pool_cores(void);

typedef struct PoolWork {
    size_t n;                                      /* number of items */
    size_t size;                                   /* of a result */
    void (*work)(void *arg, size_t i, void *item); /* makes result i, on any thread */
    void (*done)(void *arg, size_t i,
                 void *item); /* takes result i, on the calling thread, in order */
    void *arg;
} PoolWork;

/* Runs all work on up to `threads` threads beside the calling one; on the calling one alone when
 * `threads` is 1 or none can be started. The number of waiting results is bounded. False: out of
 * memory, and nothing was done. */
bool pool_run(const PoolWork *work, unsigned threads);

#endif
