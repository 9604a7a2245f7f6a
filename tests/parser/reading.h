/* SPDX-License-Identifier: Apache-2.0 */
/* What a text gives when it is read: for tests that compare how the same text is read in different
 * places. To be included after cmocka.h. */
#ifndef TESTS_PARSER_READING_H
#define TESTS_PARSER_READING_H

#include "parser/parse.h"

#include <stdlib.h>

/* Stores the program as it is printed in *program, and appends the messages to *messages, with
 * their distances from byte `start` of the text. */
static inline void read_text(const StrBuf *text, uint32_t start, StrBuf *program,
                             StrBuf *messages) {
    Context *ctx = calloc(1, sizeof *ctx);
    Source src = {"test", text->data, (uint32_t)text->len};
    if (setjmp(ctx->oom) != 0) fail_msg("out of memory");
    context_init(ctx, &src, 0);
    const Module *m = parse_module(ctx);
    sb_init(program, messages->arena);
    module_print(program, m, PRINT_KEEP);
    for (const Diag *d = ctx->diags.first; d != NULL; d = d->next)
        sb_printf(messages, "%d: %s [%s]\n", (int)(d->span.off - start), d->message,
                  diag_infos[d->id].text);
    context_free(ctx);
    free(ctx);
}

#endif
