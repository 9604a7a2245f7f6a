/* SPDX-License-Identifier: Apache-2.0 */
/* A baseline: a list of a project's known warnings, which are not shown again. A warning is
 * identified by its file, its id and the text of its line, so that other lines may change. */
#ifndef CLI_BASELINE_H
#define CLI_BASELINE_H

#include "cli/cli.h"

typedef struct BaselineLine {
    const char *path, *id, *text;
} BaselineLine;

/* A baseline that was read; threads may share it. */
typedef struct Baseline {
    Input in;
    char *folder; /* relative paths start here */
    BaselineLine *lines;
    size_t n;
} Baseline;

/* Reads a baseline; returns FINE, or TROUBLE after a message. */
int baseline_read(Baseline *b, const char *path);
void baseline_free(Baseline *b);
/* Removes the warnings in the baseline from the result of checking `src`. */
void baseline_hide(const Baseline *b, ptoasm_result *res, const ptoasm_source *src);

/* A baseline being written. */
typedef struct BaselineNew {
    char *folder, *text;
    size_t size, room;
    size_t errors; /* among the lines */
    bool failed;   /* out of memory */
} BaselineNew;

int baseline_begin(BaselineNew *b, const char *path);
/* Adds all warnings of a result; none if the path of the file has a tab or a line end. */
void baseline_add(BaselineNew *b, const ptoasm_result *res, const ptoasm_source *src);
/* Writes the file and frees `b`; FINE, or TROUBLE after a message. */
int baseline_end(BaselineNew *b, const char *path);

#endif
