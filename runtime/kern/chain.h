/* SPDX-License-Identifier: Apache-2.0 */
/* chain.h - inside libptort: elementwise steps of a chain whose values stay in registers. A step
 * works on a group of eight vectors of f32 and calls the next one; what it computes is what the
 * body of its kernel computes. */
#ifndef PTORT_KERN_CHAIN_H
#define PTORT_KERN_CHAIN_H

#include "kern/kern.h"

/* What a step does with the values in registers, x. */
enum ptrt_lane_form {
    PTRT_LANE_ONE,       /* x = op(x) */
    PTRT_LANE_LEFT,      /* x = op(x, memory) */
    PTRT_LANE_RIGHT,     /* x = op(memory, x) */
    PTRT_LANE_SELF,      /* x = op(x, x) */
    PTRT_LANE_SCALAR,    /* x = op(x, the element at p) */
    PTRT_LANE_LOAD,      /* x = memory, converted from another type if it has one */
    PTRT_LANE_STORE,     /* memory = x, converted to another type if it has one, clamped */
    PTRT_LANE_STORE_OPEN /* the same as PTRT_UNCLAMPED says */
};

/* A step of a list, which `end` of ptrt_lanes ends. */
typedef struct ptrt_lane {
    ptrt_body fn;
    const unsigned char *p; /* of the first element of a row */
    ptrdiff_t row;          /* bytes from row to row */
} ptrt_lane;

typedef struct ptrt_lane_row {
    uint16_t kernel; /* PTRT_NO_KERNEL: a load or store */
    uint8_t form;    /* enum ptrt_lane_form */
    uint8_t elem;    /* of the memory: enum ptrt_elem */
    ptrt_body fn;
} ptrt_lane_row;

/* A step that does what two do that follow each other: it takes the place of the first one, and
 * finds what the second has in the next place of the list. */
typedef struct ptrt_lane_pair {
    ptrt_body first, second, both;
} ptrt_lane_pair;

typedef struct ptrt_lanes {
    size_t group; /* elements */
    /* Runs a list of n steps over the first cols elements of each row, a multiple of `group`.
     * Leaves the list at the last row. */
    void (*run)(ptrt_lane *list, size_t n, size_t rows, size_t cols);
    ptrt_body end;
    const ptrt_lane_row *rows;
    size_t nrows;
    const ptrt_lane_pair *pairs;
    size_t npairs;
} ptrt_lanes;

#endif
