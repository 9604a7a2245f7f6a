/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the one place where the free of an entry of a pipe is missing. */
#ifndef ANALYSIS_MISSING_FREE_H
#define ANALYSIS_MISSING_FREE_H

#include "ir/ir.h"

/* What the text lacks. */
typedef struct MissingFree {
    Span at;          /* length 0: the end of a line */
    const char *text; /* NULL: no place is right, or several are */
} MissingFree;

/* Tries a free after the last use of the entry of each pop of this side of the pipe, in the block
 * of the pop: the statement is in the program while `proves` judges it. */
MissingFree missing_free(Context *ctx, const Op *pop, bool (*proves)(void *arg), void *arg);

#endif
