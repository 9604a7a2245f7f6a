/* SPDX-License-Identifier: Apache-2.0 */
/* Many functions of one statement each, emitted and compiled as one program and called one by one.
 */
#ifndef TESTS_EXEC_BATCH_H
#define TESTS_EXEC_BATCH_H

#include "open.h"

enum { BATCH_TEXT = 400 };

/* One function of the text, to be called. */
typedef struct Run {
    const Inst *inst;
    unsigned line;
    bool fails;
    char says[BATCH_TEXT]; /* what the error must contain */
} Run;

/* The functions of one text, for one profile. */
typedef struct Batch {
    StrBuf text;
    Profile profile;
    unsigned lines, nruns, cap;
    Run *runs;
} Batch;

void batch_init(Batch *b, Profile p, Arena *arena);
/* Frees the list of runs. */
void batch_free(Batch *b);
/* Whether there is C for an opened example: not each element type has a kernel. */
bool batch_emits(const Opened *o, Profile p, Arena *arena);
/* Adds a function that succeeds with these numbers or, with `broken`, fails with its rule. */
void batch_add(Batch *b, const Opened *o, const Given *g, const Residue *broken);
/* Compiles the text and calls all functions. Errors about what the tiles hold, such as an index out
 * of range, are no failures; missing code for the element types is the only one with `typed`,
 * besides rules that do not hold. Returns the number of failures, each of which is printed. */
unsigned batch_run(Batch *b, bool typed);

#endif
