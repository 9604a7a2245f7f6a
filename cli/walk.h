/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the files that a command works on: those named, and those in the folders named. */
#ifndef CLI_WALK_H
#define CLI_WALK_H

#include "cli/cli.h"

typedef struct FileItem {
    const char *name;
    char *own;          /* the name, when it was put together here */
    const char *reason; /* why it cannot be read, if that is already known, or NULL */
    bool found;         /* found in a folder, not named by the user: must be a regular file */
} FileItem;

typedef struct FileList {
    FileItem *items;
    size_t n, cap;
} FileList;

/* Lists the arguments of a command in order. A folder is replaced by the files in and below it
 * whose names end with `suffix` (.pto, or .test.json), sorted by name, folder by folder, without
 * names that begin with a dot. Links are followed, but a folder is entered only once through links.
 * A link to a folder that contains it, a folder that cannot be listed and one without such files
 * become items that cannot be read. What a glob of --exclude matches is left out, unless it is an
 * argument itself. False: out of memory. */
bool files_list(FileList *list, const Options *opt, const char *suffix);
void files_free(FileList *list);

#endif
