/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what is at a position of a program. */
#ifndef API_SYMBOLS_H
#define API_SYMBOLS_H

#include "api/internal.h"

typedef struct Found {
    Op *op;       /* statement around the position */
    Span at;      /* the name */
    Value *value; /* one of these is set */
    Op *func;
    const AliasDef *alias; /* of a type; then there is no statement */
    bool mnemonic;
} Found;

/* Returns false when there is no name. */
bool symbol_find(ptoasm_program *p, uint32_t off, Found *f);
/* Returns the position of a value's name at its definition, with `%`; empty when it has none. */
Span symbol_value_span(const Context *ctx, const Value *v);
/* Return texts that belong to the program. */
const char *symbol_function_text(ptoasm_program *p, const Op *func);
const char *symbol_type_text(ptoasm_program *p, const Type *t);
const char *symbol_meaning_text(ptoasm_program *p, const Type *t); /* without aliases */
/* Returns the function that a statement names, and the position of the name in *at; NULL when it
 * names none. */
Op *symbol_function_use(const Op *op, Span *at);

/* ---- aliases.c ---- */

/* Finds the name of a type alias that is defined, with its `!`, at a position. */
bool type_alias_at(const Context *ctx, uint32_t off, Span *at, const AliasDef **alias);
/* Calls `fn` for every place of the alias in the order of the text, its definition among them. */
void type_alias_each(const Context *ctx, const AliasDef *alias, void (*fn)(void *arg, Span at),
                     void *arg);

#endif
