/* SPDX-License-Identifier: Apache-2.0 */
/* --describe: what callers of emitted C++ need to know, as JSON. */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include "cli/cli.h"

/* The file that gets a line of JSON for each program; written completely or not at all. */
typedef struct Description {
    bool open;
    Output out;
} Description;

/* Opens the file; nothing happens for NULL. Returns FINE, or TROUBLE after a message. */
int description_open(Description *d, const char *path);
/* Adds the program that was read from `file`. */
int description_add(Description *d, const char *file, const ptoasm_result *res);
/* Puts the file in its place, or discards it. */
int description_close(Description *d, bool keep);

#endif
