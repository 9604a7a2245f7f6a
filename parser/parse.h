/* The parser: source text -> Module. The grammar (grammar.y) knows statements, not instructions;
 * it hands every statement to the binder (bind.h) as a slice of tokens. */
#ifndef PARSER_PARSE_H
#define PARSER_PARSE_H

#include "ir/ir.h"

/* Parses and binds the context's source. Always returns a module, holding what could be bound;
 * `bound_ok` tells whether an error was reported. Runs under the context's oom handler. */
Module *parse_module(Context *ctx);

/* Parses a type text by itself (tests, FFI); NULL after a diagnostic. */
const Type *parse_type(Context *ctx, const char *text, size_t n);

#endif
