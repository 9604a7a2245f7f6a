/* SPDX-License-Identifier: Apache-2.0 */
/* One call of the interface while it runs, and the results of its stages. */
#ifndef API_JOB_H
#define API_JOB_H

#include "api/internal.h"

typedef struct Job {
    ptoasm_result *res;
    ptoasm_options opt;
    ptoasm_emit_options emit;
    enum ptoasm_form form;
    ProfileSet profiles;       /* of opt; 0 = the module's */
    Verdicts *verdicts;        /* NULL: not wanted */
    Parts *parts;              /* NULL: the program is checked as a whole */
    struct TimingCall *timing; /* of program_time() */
} Job;

/* How a stage ended. UNPROVED: the proof found errors, which comments may allow. */
typedef enum Outcome { FINE, UNPROVED, REFUSED, NO_CODE } Outcome;

static inline Profile lowest_profile(ProfileSet set) {
    return (Profile)__builtin_ctz(set);
}

/* ---- planning.c ---- */

/* Checks for each profile in `able` (requested, and with all rules satisfied) that the tiles fit.
 * Only if the planner finds an error are other profiles tried, for the note that names the
 * profiles which accept the program. With a plan, which is for the lowest profile, the module is
 * converted; else copies of it. */
bool plan_all(Job *job, ProfileSet able, Plan *plan);
/* Proves the order of pipes. */
Outcome prove_module(Job *job);
/* The same for a program without addresses as it is with those that are planned, for each profile
 * of a chip. */
Outcome prove_all_planned(Job *job);
/* Judges whether the cores of a block wait for ever, whatever the addresses. */
Outcome judge_waits(Job *job);

/* ---- timing.c ---- */

/* Times the module; false: `timing` says why not, or there are diagnostics. */
bool timing_of(Job *job, struct TimingCall *call);

#endif
