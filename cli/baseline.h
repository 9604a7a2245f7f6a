/* A list of the warnings that a project has already: those are not shown. A warning is known by its
 * file, its id and the text of its line, so that other lines may come and go. */
#ifndef CLI_BASELINE_H
#define CLI_BASELINE_H

#include "cli/cli.h"

typedef struct BaselineLine {
    const char *path, *id, *text;
} BaselineLine;

/* A file read, for any number of threads. */
typedef struct Baseline {
    Input in;
    char *folder; /* that paths in it start from */
    BaselineLine *lines;
    size_t n;
} Baseline;

/* Returns FINE, or TROUBLE after a message. */
int baseline_read(Baseline *b, const char *path);
void baseline_free(Baseline *b);
/* Takes the warnings that the baseline has out of the result of a check of `src`. */
void baseline_hide(const Baseline *b, ptoasm_result *res, const ptoasm_source *src);

/* A file being made. */
typedef struct BaselineNew {
    char *folder, *text;
    size_t size, room;
    bool failed; /* out of memory */
} BaselineNew;

int baseline_begin(BaselineNew *b, const char *path);
/* Adds all warnings of a result; none of a file whose path has a tab or a line end. */
void baseline_add(BaselineNew *b, const ptoasm_result *res, const ptoasm_source *src);
/* Writes and frees; FINE, or TROUBLE after a message. */
int baseline_end(BaselineNew *b, const char *path);

#endif
