/* SPDX-License-Identifier: Apache-2.0 */
/* What calls do with the tiles and the memory that they are passed. Each function is summarised
 * when it is first asked for; the summaries are valid until the module changes. */
#ifndef ANALYSIS_CALLS_H
#define ANALYSIS_CALLS_H

#include "ir/ir.h"

/* What a function does with a parameter. */
typedef struct ParamEffects {
    bool reads, writes;
    bool needs; /* certainly reads it before it writes it */
    bool fills; /* certainly writes it */
} ParamEffects;

typedef struct CallSummary {
    uint32_t n;
    ParamEffects *params;
    bool elsewhere; /* may touch what no argument passes */
} CallSummary;

typedef struct Calls Calls;

/* Summaries and what they need are allocated in the arena of the context. */
Calls *calls_new(Context *ctx, Profile profile);
/* Returns the summary of the function that a call calls; NULL when nothing is known of it. */
const CallSummary *calls_summary(Calls *c, const Op *call);
/* Returns the summary of a function with a body; NULL when nothing is known of it. */
const CallSummary *calls_function(Calls *c, Op *func);

#endif
