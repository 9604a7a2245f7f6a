/* C names for the names of a .pto file: never a keyword, a library name or a second use. */
#ifndef BACKENDS_C_NAMES_H
#define BACKENDS_C_NAMES_H

#include "support/intern.h"
#include "support/strbuf.h"
#include <stdbool.h>

/* A set of names that are taken; sets may be stacked (file scope under function scope). */
typedef struct NameSet {
    Interner names;
    const struct NameSet *outer;
} NameSet;

void nameset_init(NameSet *set, Arena *arena, const NameSet *outer);
bool nameset_has(const NameSet *set, const char *name);
void nameset_add(NameSet *set, const char *name);

/* `text` as a C identifier: other bytes become _xHH, a leading digit gets `_` in front. */
const char *name_mangle(Arena *arena, const char *text, size_t n);
/* True for names that emitted code must not define; `local`: as a parameter or variable, which may
 * hide a function of the library. */
bool name_is_reserved(const char *name, bool local);
/* The name, or the name followed by `_`, `_2`, `_3` ..., such that neither it nor it followed by
 * `also` is taken. The search doubles the number until it is free, then halves the step:
 * thousands of functions of one name take few tries each. */
const char *name_free(const NameSet *set, Arena *arena, const char *name, const char *also);
/* The mangled name, followed by `_` when it is reserved, and by `_`, `_2` ... when it is taken; it
 * is then taken. */
const char *name_take(NameSet *set, Arena *arena, const char *text, size_t n);

/* Text that is safe inside a C comment or a C string literal. */
void put_comment_text(StrBuf *out, const char *s, size_t n);
void put_c_string(StrBuf *out, const char *s, size_t n);

#endif
