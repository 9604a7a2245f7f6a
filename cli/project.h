/* SPDX-License-Identifier: Apache-2.0 */
/* The project file: options for the programs in its folder and below. */
#ifndef CLI_PROJECT_H
#define CLI_PROJECT_H

#include "cli/argfile.h"

#define PROJECT_FILE ".ptoasm"

/* Returns the path of the project file for an existing file or folder, which the caller frees;
 * NULL when there is none. */
char *project_find(const char *path);
/* Adds the words of a project file to the list, with relative file names based on its folder.
 * Returns -1 or, after a message, the exit code when it cannot be read or contains anything but
 * options of the command. */
int project_read(const Command *cmd, ArgList *list, const char *project);
/* Inserts the options of the arguments' project file after the first word of *list, the command's
 * name. Does nothing without a project file or with --no-project-file. Returns -1 or, after a
 * message, the exit code. */
int project_add(const Command *cmd, ArgList *list);

#endif
