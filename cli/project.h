/* The project file: options for the programs in a folder and below it. */
#ifndef CLI_PROJECT_H
#define CLI_PROJECT_H

#include "cli/argfile.h"

#define PROJECT_FILE ".ptoasm"

/* The project file of a file or folder that exists, in its folder or above, to be freed; NULL when
 * there is none. */
char *project_find(const char *path);
/* Adds the words of a project file to the list, relative names with its folder. Returns -1 or,
 * after a message, the exit code: it cannot be read, or has something else than options of the
 * command. */
int project_read(const Command *cmd, ArgList *list, const char *project);
/* Puts the options of the project of the arguments in front of the words of *list, whose first is
 * the command's name; does nothing when there is no project file or --no-project-file is among the
 * words. Relative file names in it start from its folder. Returns -1 or, after a message, the exit
 * code. */
int project_add(const Command *cmd, ArgList *list);

#endif
