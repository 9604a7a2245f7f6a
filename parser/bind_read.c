/* SPDX-License-Identifier: Apache-2.0 */
/* Reads expected tokens and types, and reports errors of a statement. */
#include "parser/bind_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- expectations ---- */

Diag *fail(Cursor *c, DiagId id, Span span, const char *fmt, ...) {
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    c->failed = true;
    return diag_add(&c->b->ctx->diags, id, span, "%s", text);
}

Diag *fail_part(Cursor *c, const Operand *o, DiagId id, Span span, const char *fmt, ...) {
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    Diag *d = diag_add(&c->b->ctx->diags, id, span, "%s", text);
    const bool reads_on = c->inst != NULL && c->inst->form != FORM_CUSTOM;
    if (!reads_on || c->nwrong == MOST_WRONG) {
        c->failed = true;
        return d;
    }
    if (c->wrong == NULL) c->wrong = ARENA_ARRAY(&c->b->ctx->arena, Wrong, MOST_WRONG);
    c->wrong[c->nwrong++] = (Wrong){.d = d, .operand = o != NULL ? *o : (Operand){NULL, {0, 0}}};
    return d;
}

void name_wrong_operands(const Cursor *c, const Op *op) {
    for (unsigned i = 0; i < c->nwrong; i++)
        for (unsigned k = 0; k < op->noperands; k++)
            if (c->wrong[i].operand.value != NULL && c->wrong[i].d->operand == NULL &&
                op->operands[k].span.off == c->wrong[i].operand.span.off)
                c->wrong[i].d->operand = op_operand_name(op, k);
}

Diag *fail_expected(Cursor *c, const char *what) {
    if (c->failed) return NULL;
    if (c->pos >= c->end)
        return fail(c, DIAG_SYNTAX, cursor_span(c), "expected %s, found the end of the statement",
                    what);
    const Token *t = token_at(c->b, c->pos);
    return fail(c, DIAG_SYNTAX, token_span(t), "expected %s, found '%.*s'", what, shown_len(t->len),
                c->b->ctx->source->data + t->off);
}

bool expect(Cursor *c, TokenKind kind) {
    if (c->failed) return false;
    if (accept(c, kind)) return true;
    Diag *d = fail_expected(c, token_names[kind]);
    if (kind == TOK_COMMA && peek(c) == TOK_VALUE && d != NULL && c->pos > c->b->buf->base) {
        const Token *before = token_at(c->b, c->pos - 1);
        diag_edit(&c->b->ctx->diags, d, (Span){before->off + before->len, 0}, ",");
    }
    return false;
}

bool peek_word(const Cursor *c, const char *word) {
    return peek(c) == TOK_WORD && atom_is(&c->b->ctx->names, token_at(c->b, c->pos)->atom, word);
}

bool accept_word(Cursor *c, const char *word) {
    if (!peek_word(c, word)) return false;
    c->pos++;
    return true;
}

bool expect_word(Cursor *c, const char *word) {
    if (c->failed || accept_word(c, word)) return !c->failed;
    char quoted[48];
    snprintf(quoted, sizeof quoted, "'%s'", word);
    fail_expected(c, quoted);
    return false;
}

void skip_location(Cursor *c) {
    if (!peek_word(c, "loc") || peek_at(c, 1) != TOK_LPAREN) return;
    unsigned depth = 0;
    for (c->pos++; c->pos < c->end; c->pos++) {
        TokenKind k = peek(c);
        depth += k == TOK_LPAREN || k == TOK_LBRACKET;
        depth -= k == TOK_RPAREN || k == TOK_RBRACKET;
        if (depth == 0) {
            c->pos++;
            return;
        }
    }
}

void expect_end(Cursor *c) {
    if (c->failed || c->pos >= c->end) return;
    skip_location(c);
    if (!c->failed && c->pos < c->end) {
        const Token *t = token_at(c->b, c->pos);
        fail(c, DIAG_SYNTAX, token_span(t), "unexpected '%.*s'", shown_len(t->len),
             c->b->ctx->source->data + t->off);
    }
}

/* ---- types ---- */

static const Type *short_pointer(Cursor *c, const Token *t) {
    Context *ctx = c->b->ctx;
    const char *inner = atom_text(&ctx->names, t->atom);
    const char *text =
        arena_printf(&ctx->arena, "!pto.ptr<%.*s>", (int)atom_len(&ctx->names, t->atom), inner);
    Token full = *t;
    full.kind = TOK_TYPE;
    full.atom = intern_copy(&ctx->names, text, strlen(text));
    return read_type_token(ctx, &full);
}

static const Type *read_function_type(Cursor *c) {
    enum { MOST = 512 };
    Context *ctx = c->b->ctx;
    const Type *types[MOST];
    unsigned n = read_type_list(c, types, NULL, MOST, true);
    if (!expect(c, TOK_ARROW)) return NULL;
    unsigned m = read_type_list(c, types + n, NULL, MOST - n, false);
    if (!c->failed && types_are_long(ctx->types, types, n + m))
        fail(c, DIAG_BAD_TYPE, cursor_span(c), "the types in this one are too long");
    return c->failed ? NULL : type_function(ctx->types, types, n, types + n, m);
}

const Type *read_type(Cursor *c) {
    if (c->failed) return NULL;
    const Type *type = NULL;
    const Token *t = c->pos < c->end ? token_at(c->b, c->pos) : NULL;
    switch (peek(c)) {
    case TOK_TYPE:
    case TOK_WORD:
        type = read_type_token(c->b->ctx, t);
        c->pos++;
        c->failed |= type == NULL;
        break;
    case TOK_ANGLE:
        type = short_pointer(c, t);
        c->pos++;
        c->failed |= type == NULL;
        break;
    case TOK_LPAREN:
        type = read_function_type(c);
        break;
    default:
        fail_expected(c, "a type");
        break;
    }
    return type;
}

unsigned read_type_list(Cursor *c, const Type **out, Span *spans, unsigned cap, bool parens) {
    unsigned n = 0;
    bool open = peek(c) == TOK_LPAREN;
    if (parens && !open) {
        fail_expected(c, "'('");
        return 0;
    }
    if (open) c->pos++;
    if (open && accept(c, TOK_RPAREN)) return 0;
    do {
        Span span = cursor_span(c);
        const Type *t = read_type(c);
        if (t == NULL) return n;
        if (n == cap) {
            fail(c, DIAG_OPERAND_COUNT, span, "more than %u types", cap);
            return n;
        }
        if (spans != NULL) spans[n] = span;
        out[n++] = t;
    } while (open && accept(c, TOK_COMMA));
    if (open) expect(c, TOK_RPAREN);
    return n;
}
