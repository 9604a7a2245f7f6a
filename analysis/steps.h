/* Makes a program of steps, which analysis/hazards.h proves, of a function. */
#ifndef ANALYSIS_STEPS_H
#define ANALYSIS_STEPS_H

#include "analysis/hazards.h"

typedef struct Steps {
    Step *first;
    WhereTable places;
    const Op *unknown; /* the first statement that is not understood, or NULL */
    const char *why;   /* what is not */
} Steps;

/* Takes the statements of a function for a profile that a kind of core runs; CORE_ANY: all. */
void steps_of(Arena *arena, const Context *ctx, Op *func, Profile profile, Core core, Steps *out);

#endif
