/* SPDX-License-Identifier: Apache-2.0 */
/* bursts.h - inside libptort: bursts with loops around them, which copies move. */
#ifndef PTORT_MICRO_BURSTS_H
#define PTORT_MICRO_BURSTS_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_LOOPS = 8 };

/* `count` bursts, whose starts are the strides apart, and loops around them, the innermost first.
 * All strides are in bytes. */
typedef struct bursts {
    int64_t count, src_stride, dst_stride;
    int n;
    const int64_t *counts, *src, *dst;
    int64_t at[MOST_LOOPS];
} bursts;

/* Whether there is any burst. */
static inline bool bursts_run(const bursts *b) {
    for (int i = 0; i < b->n; i++)
        if (b->counts[i] <= 0) return false;
    return b->count > 0;
}

/* Goes on to the next iteration of the loops. Returns false after the last. */
static inline bool bursts_next(bursts *b, int64_t *src, int64_t *dst) {
    for (int i = 0; i < b->n; i++) {
        *src += b->src[i];
        *dst += b->dst[i];
        if (++b->at[i] < b->counts[i]) return true;
        *src -= b->at[i] * b->src[i];
        *dst -= b->at[i] * b->dst[i];
        b->at[i] = 0;
    }
    return false;
}

#endif
