/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of the vector pipe, one after the other, and what they cost. */
#ifndef TIMING_STREAM_H
#define TIMING_STREAM_H

#include "ir/tmp.h"
#include "timing/prices.h"

typedef struct Stream {
    const TimeParams *p;
    double t; /* cycles so far */
    int width;
    Origin origin;
    VectorState state;
    bool partial; /* a mask leaves out lanes */
    bool count;   /* it counts elements instead of repeats */
    bool charged; /* the start of count mode was paid */
} Stream;

/* A number that what follows rests on. */
double stream_number(Stream *s, TimeNumber n);
/* One operation with so many repeats. */
void stream_do(Stream *s, MicroOp op, int64_t repeats);
/* The same on so many elements in count mode, of `per` elements a repeat. */
void stream_count(Stream *s, MicroOp op, int64_t elements, int64_t per);
/* Sets a mask with `cycles` instructions. */
void stream_mask(Stream *s, bool partial, int cycles, bool count);
void stream_barrier(Stream *s);
/* Returns the cycles of a copy inside vec. */
double stream_copy(Stream *s, int64_t bytes);

/* `for (Turns k = turns(n); next_turn(s, &k);)`: n times the same body; from the third on they cost
 * as much as the second. */
typedef struct Turns {
    int64_t i, n;
    double before;
} Turns;
static inline Turns turns(int64_t n) {
    return (Turns){.n = n};
}
bool next_turn(Stream *s, Turns *k);

static inline int64_t min64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* ---- rules.c ---- */

/* Prices an instruction by its rule; `per` elements are a repeat. */
void rule_apply(Stream *s, const PriceRow *row, const Work *w, int64_t per);

#endif
