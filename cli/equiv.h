/* SPDX-License-Identifier: Apache-2.0 */
/* What two runs of `ptoasm equiv` have computed, and where it differs. */
#ifndef CLI_EQUIV_H
#define CLI_EQUIV_H

#include "cli/cli.h"
#include <jansson.h>

/* Compares the tiles that two runs wrote with --dump to folders, matched by name, in the order of
 * the first run; prints the first difference. Returns FINE, REJECTED, or TROUBLE after a message.
 */
int equiv_compare(const char *const programs[2], const char *const folders[2], const Options *opt);
/* Compares the arrays that the runs wrote, from their reports (--format=json). Returns the same. */
int equiv_compare_results(const char *const programs[2], const json_t *const reports[2],
                          const Options *opt);

#endif
