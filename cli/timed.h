/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `ptoasm time`. */
#ifndef CLI_TIMED_H
#define CLI_TIMED_H

#include "cli/cli.h"
#include "timing/prices.h"

/* Makes the parameters of a profile with those of --params and --set. Returns FINE, or TROUBLE
 * after a message. */
int time_params(TimeParams *p, Profile profile, const Options *opt);
/* Prints the rows of --points with the cycles of each under the law. */
int time_points(const Options *opt);

#endif
