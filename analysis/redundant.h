/* SPDX-License-Identifier: Apache-2.0 */
/* Finds flags and barriers that can be left out: the order of the pipes is proved without them,
 * also by the documented order alone, with the exceptions of the vendor's assembler. */
#ifndef ANALYSIS_REDUNDANT_H
#define ANALYSIS_REDUNDANT_H

#include "analysis/steps.h"

/* Statements that can only be left out together: a barrier; or a set and the wait for it, with a
 * first set before a loop and a last wait after it. */
typedef struct Needless {
    struct Needless *next;
    const Step **steps; /* in the order of the text */
    uint32_t n;
} Needless;

/* Of the runs of one function, for kinds of cores and profiles. */
typedef struct Redundant {
    Needless *first, **last; /* left out in some run; `last` starts as &first */
    PtrMap needed;           /* statements that some run needs */
    bool unclear;            /* some run cannot tell */
} Redundant;

/* False for functions that meet other cores: what a barrier orders for them is not proved. */
bool redundant_applies(Op *func);
/* Takes what can be left out, all of it at once, of a program for which the proof has no finding.
 * A long program with many flags is not tried. */
void redundant_find(Redundant *r, Context *ctx, Steps *steps, Profile p);
/* Tells whether no run needs these statements. */
bool is_redundant(const Redundant *r, const Needless *x);

#endif
