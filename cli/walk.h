/* The files that a command is about: those named, and those in the folders named. */
#ifndef CLI_WALK_H
#define CLI_WALK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct FileItem {
    const char *name;
    char *own;          /* the name, when it was put together here */
    const char *reason; /* why it cannot be read, known already; or NULL */
    bool found;         /* in a folder, not named by the user: has to be a regular file */
} FileItem;

typedef struct FileList {
    FileItem *items;
    size_t n, cap;
} FileList;

/* Lists the arguments in their order. In the place of a folder come the files *.pto in it and below
 * it, sorted by name, folder by folder; names that begin with a dot are left out. Links are
 * followed, but a folder is entered by links once, and a link to a folder around it is an item that
 * cannot be read, like a folder that cannot be listed or has no such file. False: out of memory. */
bool files_list(FileList *list, const char *const *args, int nargs);
void files_free(FileList *list);

#endif
