/* Flags and barriers that the proof does without. */
#ifndef ANALYSIS_REDUNDANT_H
#define ANALYSIS_REDUNDANT_H

#include "analysis/steps.h"

/* A barrier, or all sets and waits of one event between two pipes. */
typedef struct Redundant {
    struct Redundant *next;
    const Step *first; /* the barrier, or the first set or wait */
} Redundant;

/* Returns those of a proved program, in the order of the text, without each of which alone the
 * documented order of the hardware leaves no more races than with it; NULL also for a program with
 * too many. The steps are unchanged at the end. `scratch` holds one proof at a time; it is rewound.
 */
Redundant *find_redundant(Arena *arena, Arena *scratch, Steps *steps, Profile p);

#endif
