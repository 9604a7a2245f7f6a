/* SPDX-License-Identifier: Apache-2.0 */
/* Warns of windows of global memory that the vendor's library copies otherwise than the text says.
 */
#ifndef VERIFIER_LINTS_WINDOWS_H
#define VERIFIER_LINTS_WINDOWS_H

#include "verifier/rules/run.h"

/* Looks at a pto.tload or pto.tstore, for each chip that is judged. */
void check_library_window(Judge *j, const Op *op);

/* Returns the dimension whose stride is that of the rows of a window of five dimensions, the last
 * of which are the columns, and their number: the only one before the last that is not 1, or the
 * last of several that follow each other in memory. -1: the rows have no single stride, or not a
 * known one. DYNAMIC in `n` and `stride`: not known. */
int window_row_dim(const int64_t n[5], const int64_t stride[5], int64_t *rows);

#endif
