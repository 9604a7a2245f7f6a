/* SPDX-License-Identifier: Apache-2.0 */
/* Globs of files and folders that a command leaves out when it searches folders. */
#ifndef CLI_EXCLUDE_H
#define CLI_EXCLUDE_H

#include "cli/cli.h"

/* Returns a glob with a slash that is relative to `folder` as an absolute one, and any other glob
 * as it is, in memory that the caller frees. NULL: out of memory. */
char *glob_absolute(const char *folder, const char *glob);
/* Whether the glob matches an absolute path: one without a slash matches the last part of the path,
 * another one the whole path, where `**` matches any number of parts, none included. */
bool glob_matches(const char *glob, const char *path);

#endif
