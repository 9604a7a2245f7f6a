/* `@FILE`: arguments in files, for command lines that would be too long. */
#ifndef CLI_ARGFILE_H
#define CLI_ARGFILE_H

#include "cli/cli.h"

typedef struct ArgList {
    char **v;
    int n, cap;
    Input *files; /* whose texts the words lie in */
    int nfiles, file_cap;
    /* While a project file is read, its folder: relative names @FILE start from it, and lines that
     * begin with `#` are comments. Else NULL. */
    const char *folder;
} ArgList;

/* Copies argv[0 ..]; each word @FILE before `--` becomes the words of that file. Blanks separate
 * words; quotes of either kind keep blanks, and a backslash, inside of quotes too, keeps the
 * character after it. The words may be @FILE again. Returns -1 or, after a message, TROUBLE. */
int argfiles_expand(int argc, char **argv, ArgList *out);
/* A path of two, to be freed; NULL without memory. */
char *path_joined(const char *folder, const char *name);
/* Adds one word; the words of a file; each returns -1 or, after a message, TROUBLE. */
int argfile_word(ArgList *list, char *word);
int argfile_read(ArgList *list, const char *path);
/* Frees an allocated word with the list. */
int argfile_keep(ArgList *list, char *word);
/* Hands the files of a list over to another, whose words lie in them too. */
int argfile_take(ArgList *to, ArgList *from);
void argfiles_free(ArgList *list);

#endif
