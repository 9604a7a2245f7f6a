/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the tokens of a document. */
#include "cli/lsp/lexed.h"

#include <stdlib.h>
#include <string.h>

Lexed *lexed_make(const Document *d) {
    Lexed *l = must_alloc(sizeof *l);
    memset(l, 0, sizeof *l);
    l->src = (Source){d->uri, d->text.data, (uint32_t)d->text.size};
    if (setjmp(l->ctx.oom) != 0) out_of_memory();
    context_init(&l->ctx, &l->src, 1);
    arena_init(&l->work, &l->ctx.oom);
    lexer_init(&l->lexer, &l->ctx, &l->work, &l->buf);
    while (!l->lexer.done)
        lexer_fill(&l->lexer);
    return l;
}

void lexed_free(Lexed *l) {
    arena_free(&l->work);
    context_free(&l->ctx);
    free(l);
}
