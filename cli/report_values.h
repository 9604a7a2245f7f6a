/* SPDX-License-Identifier: Apache-2.0 */
/* Values of machine-readable reports: valid UTF-8, portable file names, JSON values. */
#ifndef CLI_REPORT_VALUES_H
#define CLI_REPORT_VALUES_H

#include "cli/cli.h"
#include <jansson.h>

/* Ends the program with a message and TROUBLE, as an incomplete report is useless. */
void out_of_memory(void) __attribute__((noreturn));
/* Like malloc, but never returns NULL. */
void *must_alloc(size_t size);

/* Returns a NUL-terminated copy in which U+FFFD replaces each invalid sequence, one per code point
 * that columns count. Sets *len to its length unless NULL. */
char *utf8_text(const char *s, size_t n, size_t *len);

/* Writes text, which may be arbitrary bytes, in an HTML file. */
void put_html(FILE *to, const char *s);
void put_html_bytes(FILE *to, const char *s, size_t n);

/* Returns the working directory, in the form of path_absolute(). */
char *working_folder(void);
/* Returns a path without `.`, `..` and empty parts, relative to `folder` unless it is absolute; ""
 * is the root. Links are not followed. */
char *path_absolute(const char *folder, const char *name);
/* Returns the part of a path below a folder, or NULL; both from path_absolute(). */
const char *path_below(const char *folder, const char *path);
/* Percent-encodes bytes other than letters, digits and "-._~/". */
char *uri_from_path(const char *path);
/* True for the name of an input that is not a file, such as standard input. */
bool is_no_file(const char *name);

/* ---- JSON ---- */

/* Makes jansson end the program when memory runs out. */
void json_prepare(void);
/* Sets a key; takes the value, which must not be NULL. */
void json_put(json_t *object, const char *key, json_t *value);
void json_add(json_t *array, json_t *value);
/* Makes a string of arbitrary bytes. */
json_t *json_text(const char *s);
json_t *json_bytes(const char *s, size_t n);
const char *severity_name(int severity);

#endif
