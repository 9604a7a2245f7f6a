/* SPDX-License-Identifier: Apache-2.0 */
/* What statements do to the values of a program while it is timed. */
#ifndef TIMING_VALUES_H
#define TIMING_VALUES_H

#include "timing/run.h"

/* The cells of an operand and of a result. */
static inline Cell *in(TimeRun *r, const TimeNode *n, unsigned i) {
    return &r->cells[n->in[i]];
}
static inline Cell *out(TimeRun *r, const TimeNode *n, unsigned i) {
    return &r->cells[n->out[i]];
}
/* Returns an operand that must be known; `what` it is, for the message. */
int64_t need(TimeRun *r, const TimeNode *n, unsigned i, const char *what);
/* The same where what is decided may still be equal in all turns of a loop. */
int64_t need_any(TimeRun *r, const TimeNode *n, unsigned i, const char *what);

/* Integers. forget(): results that data decides, unless the caller gave them. */
void compute(TimeRun *r, TimeNode *n);
void query(TimeRun *r, TimeNode *n);
void forget(TimeRun *r, const TimeNode *n);

/* Tiles: those that a statement makes, windows and other types of them, their extents. */
void make_tile(TimeRun *r, TimeNode *n);
void get_slot(TimeRun *r, TimeNode *n);
void view_tile(TimeRun *r, TimeNode *n);
void set_valid(TimeRun *r, TimeNode *n);
void get_valid(TimeRun *r, TimeNode *n);
void make_results(TimeRun *r, TimeNode *n);

/* Views of global memory. */
void make_view(TimeRun *r, TimeNode *n);
void view_extent(TimeRun *r, TimeNode *n);

/* ---- walk.c ---- */

/* Runs the statements of a region; returns the one that ends it. */
const TimeNode *run_region(TimeRun *r, const TimeRegion *region);
/* Runs blocks from `b` on, until the next one is not in the loop `within` or is its header, or
 * NULL: the region ends. Returns that one. `last` becomes the last statement. */
const TimeBlock *run_blocks(TimeRun *r, const TimeBlock *b, const TimeLoop *within,
                            const TimeNode **last);
/* Gives cells the operands of a statement from `first` on. */
void assign(TimeRun *r, const uint32_t *to, const TimeNode *from, unsigned first, unsigned n);
static inline unsigned fewer(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* ---- loops.c ---- */

void run_for(TimeRun *r, TimeNode *n);
void run_while(TimeRun *r, TimeNode *n);
/* Runs a loop of blocks; returns the block that follows. */
const TimeBlock *run_block_loop(TimeRun *r, TimeLoop *loop, const TimeNode **last);

/* ---- values.c ---- */

/* Arrays of integers and event ids. */
void make_array(TimeRun *r, TimeNode *n);
void use_array(TimeRun *r, TimeNode *n);

#endif
