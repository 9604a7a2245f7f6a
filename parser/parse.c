/* SPDX-License-Identifier: Apache-2.0 */
/* The parser driver: token buffer, actions of the grammar, entry points. */
#include "parser/parser_impl.h"
#include <string.h>

int pto_yyparse(Parser *p);

void parser_refill(Parser *p) {
    /* The token before stays, for messages about what is missing after it. */
    lexer_drop(&p->lexer, p->keep > 0 ? p->keep - 1 : 0);
    lexer_fill(&p->lexer);
}

static void statement_done(Parser *p, uint32_t last) {
    p->keep = last + 1;
    p->tail = false;
}

void parser_statement(Parser *p, uint32_t last) {
    bind_statement(p->binder, p->keep, last);
    statement_done(p, last);
}

void parser_open(Parser *p) {
    uint32_t open = p->cur;
    if (p->tail)
        bind_region_more(p->binder, p->keep, open - 1, open);
    else
        bind_region_open(p->binder, p->keep, open);
    statement_done(p, open);
    p->open_at[p->depth++] = parser_token(p, open)->off;
}

void parser_close(Parser *p, bool written) {
    if (!written) parser_missing_brace(p);
    bind_region_close(p->binder, p->cur);
    p->depth--;
    p->keep = written ? p->cur + 1 : p->cur;
    p->tail = true;
}

void parser_regions_done(Parser *p, uint32_t last) {
    if (last + 1 > p->keep) bind_region_more(p->binder, p->keep, last, 0);
    bind_region_done(p->binder);
    if (p->hook != NULL && *p->hook->stop) p->lexer.cur = p->lexer.end;
    statement_done(p, last);
}

void parser_label(Parser *p, uint32_t last) {
    bind_label(p->binder, p->keep, last);
    statement_done(p, last);
}

void parser_alias(Parser *p, uint32_t last) {
    bind_alias(p->binder, p->keep, last);
    statement_done(p, last);
}

void parser_arg(Parser *p, uint32_t last) {
    bind_arg(p->binder, p->keep, last);
    statement_done(p, last);
}

void parser_const(Parser *p, uint32_t last) {
    bind_const(p->binder, p->keep, last);
    statement_done(p, last);
}

/* Reports a binary file once instead of once for each part that looks like a statement. */
static void refuse_binary(Parser *p) {
    const Source *src = p->ctx->source;
    const char *nul = src->size > 0 ? memchr(src->data, '\0', src->size) : NULL;
    if (nul == NULL) return;
    const Span at = {.off = (uint32_t)(nul - src->data), .len = 1};
    diag_add(&p->ctx->diags, DIAG_BAD_CHARACTER, at, "NUL byte: this is not a text file");
    p->lexer.cur = p->lexer.end;
}

static Module *parse_all(Parser *p, const FunctionHook *hook) {
    arena_init(&p->work, &p->oom);
    p->shapes = ARENA_ARRAY(&p->work, ShapeSet, 1 << SHAPE_SET_BITS);
    lexer_init(&p->lexer, p->ctx, &p->work, &p->buf);
    refuse_binary(p);
    p->hook = hook;
    p->binder = binder_new(p->ctx, &p->buf, hook);
    pto_yyparse(p);
    Module *m = bind_finish(p->binder);
    m->unread = p->unread;
    return m;
}

Module *parse_module(Context *ctx) {
    return parse_module_hooked(ctx, NULL);
}

Module *parse_module_hooked(Context *ctx, const FunctionHook *hook) {
    Parser *p = ARENA_NEW(&ctx->arena, Parser);
    p->ctx = ctx;
    /* When memory runs out, frees the work arena and passes the error on. */
    if (setjmp(p->oom) != 0) {
        arena_free(&p->work);
        context_guard(p->ctx, &p->ctx->oom);
        longjmp(p->ctx->oom, 1);
    }
    context_guard(ctx, &p->oom);
    Module *m = parse_all(p, hook);
    context_guard(ctx, &ctx->oom);
    arena_free(&p->work);
    return m;
}
