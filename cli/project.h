/* The project file: options for the programs in a folder and below it. */
#ifndef CLI_PROJECT_H
#define CLI_PROJECT_H

#include "cli/argfile.h"

#define PROJECT_FILE ".ptoasm"

/* Puts the options of the project of the arguments in front of the words of *list, whose first is
 * the command's name; does nothing when there is no project file or --no-project-file is among the
 * words. Relative file names in it start from its folder. Returns -1 or, after a message, the exit
 * code. */
int project_add(const Command *cmd, ArgList *list);

#endif
