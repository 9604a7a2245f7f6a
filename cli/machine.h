/* What the reports for programs share: text that is valid UTF-8, names of files as other tools see
 * them, values of JSON. */
#ifndef CLI_MACHINE_H
#define CLI_MACHINE_H

#include "cli/cli.h"
#include <jansson.h>

/* A report that is incomplete is of no use: ends the program with a message and TROUBLE. */
void out_of_memory(void) __attribute__((noreturn));
/* malloc that never returns NULL. */
void *must_alloc(size_t size);

/* A copy in which U+FFFD replaces everything that is not UTF-8, one for each code point that
 * columns count. NUL-terminated; *len, unless NULL, is its length. */
char *utf8_text(const char *s, size_t n, size_t *len);

/* The working directory, as path_absolute() gives it. */
char *working_folder(void);
/* A path without `.`, `..` and empty parts, from a folder unless it is absolute; "" is the root.
 * Links are not followed. */
char *path_absolute(const char *folder, const char *name);
/* The part of a path after a folder, NULL when it is not below; both from path_absolute(). */
const char *path_below(const char *folder, const char *path);
/* Percent-encoded: bytes other than letters, digits and "-._~/". */
char *uri_from_path(const char *path);
/* The name of an input that is not a file, such as standard input. */
bool is_no_file(const char *name);

/* ---- JSON ---- */

/* Sets a key; takes the value, which must not be NULL. */
void json_put(json_t *object, const char *key, json_t *value);
void json_add(json_t *array, json_t *value);
/* A string of any bytes. */
json_t *json_text(const char *s);
json_t *json_bytes(const char *s, size_t n);
const char *severity_name(int severity);

#endif
