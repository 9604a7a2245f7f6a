/* The parser: source text -> Module. The grammar (grammar.y) knows statements, not instructions;
 * it hands every statement to the binder (bind.h) as a slice of tokens. */
#ifndef PARSER_PARSE_H
#define PARSER_PARSE_H

#include "ir/ir.h"

/* Parses and binds the context's source. Always returns a module, holding what could be bound;
 * `bound_ok` tells whether an error was reported. Runs under the context's oom handler. */
Module *parse_module(Context *ctx);

/* Who looks at each function when it has been read. */
typedef struct FunctionHook {
    /* Says whether the body of the function can be forgotten. Its values and statements are gone
     * then; the function keeps its name, type and attributes. */
    bool (*read)(void *user, Module *m, Op *func);
    /* Ends the reading: what is left of the text is skipped. */
    const bool *stop;
    void *user;
} FunctionHook;
/* The same; `hook` is asked about the functions that are written right in a module. */
Module *parse_module_hooked(Context *ctx, const FunctionHook *hook);

/* Parses a type text by itself (tests, FFI); NULL after a diagnostic. */
const Type *parse_type(Context *ctx, const char *text, size_t n);

#endif
