/* SPDX-License-Identifier: Apache-2.0 */
/* `@FILE` reads arguments from a file, for long command lines. */
#ifndef CLI_ARGFILE_H
#define CLI_ARGFILE_H

#include "cli/cli.h"

typedef struct ArgList {
    char **v;
    int n, cap;
    Input *files; /* their texts hold the words */
    int nfiles, file_cap;
    /* While a project file is read, its folder: relative names @FILE start from it, and lines that
     * begin with `#` are comments. Else NULL. */
    const char *folder;
} ArgList;

/* Copies argv[0 ..] and replaces each word @FILE before `--` by the words of that file, which may
 * be @FILE again. Blanks separate words; quotes of either kind keep blanks, and a backslash keeps
 * the next character, also inside quotes. Returns -1 or, after a message, TROUBLE. */
int argfiles_expand(int argc, char **argv, ArgList *out);
/* Joins two parts of a path; the caller frees it. NULL: out of memory. */
char *path_joined(const char *folder, const char *name);
/* Adds one word, or all words of a file; returns -1 or, after a message, TROUBLE. */
int argfile_word(ArgList *list, char *word);
int argfile_read(ArgList *list, const char *path);
/* Lets the list own an allocated word. */
int argfile_keep(ArgList *list, char *word);
/* Moves the files of `from`, whose texts hold words, to another list. */
int argfile_take(ArgList *to, ArgList *from);
void argfiles_free(ArgList *list);

#endif
