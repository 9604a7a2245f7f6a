/* SPDX-License-Identifier: Apache-2.0 */
/* Comments, blank lines and locations: what the text has between tokens. */
#include "parser/bind_internal.h"

#include <string.h>

/* Attaches a location inside a statement to the argument before it, as in `%a: T loc(..)`; other
 * locations are dropped. */
static void note_argument_location(Binder *b, const RawTrivia *raw) {
    Context *ctx = b->ctx;
    uint32_t i = raw->before;
    while (i > b->buf->base && token_at(b, i - 1)->kind != TOK_VALUE &&
           token_at(b, i - 1)->kind != TOK_COMMA && token_at(b, i - 1)->kind != TOK_LPAREN)
        i--;
    if (i == b->buf->base || token_at(b, i - 1)->kind != TOK_VALUE) return;
    if (ctx->nlocations == ctx->cap_locations)
        ctx->locations = ARENA_WIDEN(&ctx->arena, ArgLocation, ctx->locations, &ctx->cap_locations,
                                     ctx->nlocations, 16);
    ctx->locations[ctx->nlocations++] = (ArgLocation){token_at(b, i - 1)->off, raw->text};
}

void take_trivia(Binder *b, uint32_t upto, Trivia **list, bool trailing) {
    TokenBuf *buf = b->buf;
    while (*list != NULL)
        list = &(*list)->next;
    while (buf->ntaken < buf->ntrivia && buf->trivia[buf->ntaken].before <= upto) {
        const RawTrivia *raw = &buf->trivia[buf->ntaken];
        bool location = raw->kind == TRIVIA_LOCATION;
        if (trailing && raw->kind != TRIVIA_TRAILING && !location) return;
        if (location && !trailing) {
            note_argument_location(b, raw);
            buf->ntaken++;
            continue;
        }
        Trivia *t = ARENA_NEW(&b->ctx->arena, Trivia);
        t->text = raw->text;
        t->kind = trailing || raw->kind == TRIVIA_BLANK ? raw->kind : TRIVIA_COMMENT;
        *list = t;
        list = &t->next;
        buf->ntaken++;
    }
}

void take_comments(Binder *b, uint32_t last, Trivia **list) {
    if (comments_follow(b, last)) take_trivia(b, last + 1, list, true);
}

void take_op_comments(Binder *b, Op *op, uint32_t last) {
    Trivia *list = op_trivia(op);
    take_trivia(b, last + 1, &list, true);
    if (list != NULL) op_more(&b->ctx->arena, op)->trivia = list;
}
