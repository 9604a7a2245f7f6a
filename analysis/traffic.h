/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the entries that pass through the pipes between the cores, where constants tell how many.
 */
#ifndef ANALYSIS_TRAFFIC_H
#define ANALYSIS_TRAFFIC_H

#include "analysis/callgraph.h"

/* What the numbers of entries of one direction of a pipe show. */
typedef struct Traffic {
    struct Traffic *next;
    const Op *op;        /* a push or a pop */
    bool leaks;          /* entries are left over; false: `op` waits for ever */
    ProfileSet profiles; /* for which it holds */
    const char *text;
} Traffic;

/* Returns the findings of all pipes with two ends of which every statement runs a known number of
 * times; it says nothing about others, and nothing about the order of statements. Allocated in the
 * arena of the module. */
const Traffic *traffic_find(const Module *m, const CallGraph *g, ProfileSet profiles);

#endif
