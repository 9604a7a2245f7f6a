/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs the loops and branches of the cores of a launch. */
#ifndef ANALYSIS_LAUNCH_PAIRS_H
#define ANALYSIS_LAUNCH_PAIRS_H

#include "analysis/launch/attempt.h"

/* Makes the items of all cores; fails where loops of cores that meet have no partner. */
void pair_cores(Attempt *a);

#endif
