/* SPDX-License-Identifier: Apache-2.0 */
/* The parser: source text -> Module. The grammar (grammar.y) knows statements, not instructions;
 * it passes each statement to the binder (bind.h) as a slice of tokens. */
#ifndef PARSER_PARSE_H
#define PARSER_PARSE_H

#include "ir/ir.h"

/* Parses and binds the context's source. Always returns a module with what could be bound;
 * `bound_ok` is false after an error. Runs under the context's oom handler. */
Module *parse_module(Context *ctx);

/* Inspects each function after it has been read. */
typedef struct FunctionHook {
    /* Returns true to forget the body of the function: its values and statements are freed, but
     * the function keeps its name, type and attributes. */
    bool (*read)(void *user, Module *m, Op *func);
    /* If set, the rest of the text is skipped. */
    const bool *stop;
    void *user;
} FunctionHook;
/* The same; calls `hook` for each function directly in a module. */
Module *parse_module_hooked(Context *ctx, const FunctionHook *hook);

/* Parses the text of a type (tests, FFI); NULL after a diagnostic. */
const Type *parse_type(Context *ctx, const char *text, size_t n);

#endif
