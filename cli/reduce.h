/* SPDX-License-Identifier: Apache-2.0 */
/* What `ptoasm reduce` looks for in a program. */
#ifndef CLI_REDUCE_H
#define CLI_REDUCE_H

#include "cli/cli.h"
#include "cli/scratch.h"

/* A command with its words, NULL at the end; `{}` in a word is the file of the program. */
typedef struct Tested {
    char **words;
    bool named; /* some word has {}; else the file comes after the last one */
} Tested;

/* What is looked for: all that are given must hold. */
typedef struct Search {
    const char *id;            /* the diagnostics of the program have this id */
    Tested command, other;     /* exits with 0; differs from `other` in exit code or output */
    unsigned seconds;          /* a command that runs longer is ended, and has failed */
    char folder[SCRATCH_PATH]; /* scratch files; "" = none */
    char file[SCRATCH_FILE];   /* the program to test, in the folder */
    int trouble;               /* the exit code after a message, else FINE */
} Search;

/* Makes the scratch folder. Returns FINE, or TROUBLE after a message. */
int search_open(Search *s, const char *name);
void search_close(Search *s);
/* Tells whether a program is what is looked for; `search` is a Search. */
bool search_judge(const ptoasm_source *src, const ptoasm_result *checked, void *search);

#endif
