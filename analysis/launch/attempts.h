/* SPDX-License-Identifier: Apache-2.0 */
/* Attempts to prove a launch on one profile. */
#ifndef ANALYSIS_LAUNCH_ATTEMPTS_H
#define ANALYSIS_LAUNCH_ATTEMPTS_H

#include "analysis/launch/attempt.h"

/* Tries to prove what `block` describes; adds findings, or what is not understood, to `out`.
 * `only_surely`: gives up, and returns false, where something is not known for sure. */
bool launch_prove(const LaunchBlock *block, CoreLaunch *out, bool only_surely);
/* Words what an attempt found, as findings of a launch. */
void launch_report(const Attempt *a, bool only_waits, CoreLaunch *out);
/* Returns what may only happen if conditions agree in a way that is not known; NULL: nothing. */
const Found *attempt_doubt(const Attempt *a);

#endif
