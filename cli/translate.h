/* SPDX-License-Identifier: Apache-2.0 */
/* Translates the programs of the vendor's command line. */
#ifndef CLI_TRANSLATE_H
#define CLI_TRANSLATE_H

#include "cli/walk.h"

/* Translates opt->args as opt->ptoas says, several files on threads; messages and outputs come in
 * the order of the files. Returns FINE, or REJECTED or TROUBLE after messages and a closing line.
 */
int translate_all(const Options *opt);

/* ---- translate_names.c ---- */

/* Writes the name of a program's file without its folders and `.pto`, cut at `size`. */
void program_stem(const char *name, char *text, size_t size);

/* Where the outputs go. */
typedef struct OutputNames {
    const char *folder; /* NULL: there is one output, `file` */
    const char *file;
    const char *ending; /* of the names in the folder */
} OutputNames;

/* Decides for the files and opt->out; makes the folder. Returns FINE, or TROUBLE after a message,
 * also when two outputs would have one name. */
int output_names(OutputNames *names, const FileList *files, const Options *opt);
/* Writes the name of the output of a file; false when it is too long. */
bool output_name(const OutputNames *names, const char *file, char *text, size_t size);

#endif
