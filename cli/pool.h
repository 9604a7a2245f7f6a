/* Work on many things by several threads, with results in order. */
#ifndef CLI_POOL_H
#define CLI_POOL_H

#include <stdbool.h>
#include <stddef.h>

enum { POOL_MOST = 256 }; /* threads */

/* How many processors this process may use. */
unsigned pool_cores(void);

typedef struct PoolWork {
    size_t n;                                      /* things to do */
    size_t size;                                   /* of a result */
    void (*work)(void *arg, size_t i, void *item); /* makes result i, on any thread */
    void (*done)(void *arg, size_t i,
                 void *item); /* takes it, on the calling thread, i = 0, 1 .. */
    void *arg;
} PoolWork;

/* Runs all of it on up to `threads` threads beside the calling one; on that one alone when it is 1
 * or when no thread can be had. A bounded number of results waits to be taken. False: out of
 * memory, nothing was done. */
bool pool_run(const PoolWork *work, unsigned threads);

#endif
