/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: texts in memory through the public interface. */
#ifndef TESTS_CHECKRUN_H
#define TESTS_CHECKRUN_H

#include "api/ptoasm.h"

/* Runs ptoasm_check and says whether the text is accepted; prints the diagnostics to stderr when it
 * is not and `report` is set. `options` NULL: the defaults. */
bool text_accepted(const char *name, const char *text, size_t size, const ptoasm_options *options,
                   bool report);
/* The text as ptoasm_format prints it in `form`, to be freed; NULL when it cannot be read. */
char *text_formatted(const char *name, const char *text, size_t size, const ptoasm_options *options,
                     enum ptoasm_form form, size_t *out_size);
/* A whole file with a NUL after it, NULL when it cannot be read; to be freed. */
char *read_whole_file(const char *path, size_t *size);
/* The text up to the next `sep`, which becomes a NUL, and *rest after it; NULL at the end. */
char *cut_field(char **rest, char sep);

#endif
