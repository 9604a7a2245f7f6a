/* SPDX-License-Identifier: Apache-2.0 */
/* C names for the names of a .pto file: no keyword, no library name, none used twice. */
#ifndef BACKENDS_TEXT_NAMES_H
#define BACKENDS_TEXT_NAMES_H

#include "support/intern.h"
#include "support/strbuf.h"
#include <stdbool.h>

/* A set of taken names; sets may be nested (file scope around function scope). */
typedef struct NameSet {
    Interner names;
    const struct NameSet *outer;
} NameSet;

void nameset_init(NameSet *set, Arena *arena, const NameSet *outer);
bool nameset_has(const NameSet *set, const char *name);
void nameset_add(NameSet *set, const char *name);

/* Returns `text` as a C identifier: other bytes become _xHH, and `_` is put before a leading
 * digit. */
const char *name_mangle(Arena *arena, const char *text, size_t n);
/* Whether the name is a word of C or C++ or, unless `local`, a function or type of their library.
 */
bool name_is_known(const char *name, bool local);
/* Whether emitted code must not define the name: also names that begin as those that C, POSIX and
 * the runtime reserve. `local`: as a parameter or variable, which may hide a library function. */
bool name_is_reserved(const char *name, bool local);
/* Returns the first of name, name_, name_2, name_3 ... such that neither it nor it followed by
 * `also` is taken. Doubles the number until it is free and then bisects, so that thousands of
 * functions with one name take few tries each. */
const char *name_free(const NameSet *set, Arena *arena, const char *name, const char *also);
/* Mangles the name, appends `_` if it is reserved, makes it unique as name_free() does, and adds it
 * to the set. */
const char *name_take(NameSet *set, Arena *arena, const char *text, size_t n);

/* Append text that is safe inside a C comment or a C string literal. */
void put_comment_text(StrBuf *out, const char *s, size_t n);
/* The same for a comment that the end of the line ends. Leaves out braces: scripts that read C++ by
 * patterns count them to find the end of a function. */
void put_line_comment(StrBuf *out, const char *s, size_t n);
void put_c_string(StrBuf *out, const char *s, size_t n);

#endif
