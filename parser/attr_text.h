/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by attr_reader.c and attr_text.c. */
#ifndef PARSER_ATTR_TEXT_H
#define PARSER_ATTR_TEXT_H

#include "parser/bind.h"

/* A number literal without its sign. */
typedef struct NumberText {
    const char *s;
    size_t n;
    bool is_float; /* has a point */
    bool negative;
} NumberText;

Attr *attr_new(Context *ctx, AttrKind kind, Span span);
/* Makes an attribute of `type` (NULL: i64 or f64) from a literal; NULL after a diagnostic. */
const Attr *attr_number(Context *ctx, const NumberText *number, const Type *type, Span span);

#endif
