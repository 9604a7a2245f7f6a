/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of an open document, all of them, and what lies between. */
#ifndef CLI_LSP_LEXED_H
#define CLI_LSP_LEXED_H

#include "cli/lsp/lsp.h"
#include "lexer/lexer.h"

typedef struct Lexed {
    Context ctx;
    Arena work;
    Source src;
    Lexer lexer;
    TokenBuf buf; /* nothing is dropped from it */
} Lexed;

/* Returns the tokens of a document, to be freed. The text must not change before. */
Lexed *lexed_make(const Document *d);
void lexed_free(Lexed *l);

#endif
