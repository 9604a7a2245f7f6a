/* SPDX-License-Identifier: Apache-2.0 */
/* Operands and types as written, before the operands are assigned to slots. */
#include "parser/bind_internal.h"

#include <string.h>

void written_init(Written *w) {
    w->ops = w->few_ops;
    w->literal = w->few_literals;
    w->types = w->few_types;
    w->spans = w->few_spans;
    w->n = w->ntypes = w->nindices = w->indexed = w->nclauses = 0;
    w->saw_unless_word = false;
    w->cap = WRITTEN_FEW;
}

void written_grow(Cursor *c, Written *w) {
    Arena *a = &c->b->ctx->arena;
    unsigned cap = w->cap * 2;
    Operand *ops = ARENA_ARRAY(a, Operand, cap);
    uint32_t *literal = ARENA_ARRAY(a, uint32_t, cap);
    const Type **types = ARENA_ARRAY(a, const Type *, cap + 8);
    Span *spans = ARENA_ARRAY(a, Span, cap + 8);
    memcpy(ops, w->ops, w->n * sizeof *ops);
    memcpy(literal, w->literal, w->n * sizeof *literal);
    memcpy(types, w->types, w->ntypes * sizeof *types);
    memcpy(spans, w->spans, w->ntypes * sizeof *spans);
    w->ops = ops;
    w->literal = literal;
    w->types = types;
    w->spans = spans;
    w->cap = cap;
}

/* Reads `[%i, 3]` after an operand. */
static void read_indices(Cursor *c, Written *w) {
    c->pos++;
    w->indexed = w->n - 1;
    while (!c->failed && peek(c) != TOK_RBRACKET) {
        if (w->nindices == 8) {
            fail(c, DIAG_OPERAND_COUNT, cursor_span(c), "more than 8 indices");
            return;
        }
        Operand *o = &w->indices[w->nindices++];
        if (at_literal(c)) {
            Span span = cursor_span(c);
            *o = (Operand){literal_operand(c, type_scalar(c->b->ctx->types, ELEM_INDEX)), span};
        } else {
            read_operand(c, o);
        }
        if (!accept(c, TOK_COMMA)) break;
    }
    expect(c, TOK_RBRACKET);
}

/* Reads a list of values and literals. */
void read_written_operands(Cursor *c, Written *w) {
    while (!c->failed && (peek(c) == TOK_VALUE || at_literal(c))) {
        if (w->n == w->cap) written_grow(c, w);
        if (w->n == MOST_OPERANDS) {
            fail(c, DIAG_OPERAND_COUNT, cursor_span(c), "more than %d operands", MOST_OPERANDS);
            return;
        }
        Operand *o = &w->ops[w->n];
        read_late_operand(c, o, &w->literal[w->n]);
        w->n++;
        if (!c->failed && peek(c) == TOK_LBRACKET) read_indices(c, w);
        if (peek(c) == TOK_COMMA && peek_at(c, 1) == TOK_DICT_OPEN)
            return; /* `ins(%s, {..} : T)` */
        if (!accept(c, TOK_COMMA)) return;
        if (peek(c) != TOK_VALUE && !at_literal(c)) fail_expected(c, "a value");
    }
}

void read_written_types(Cursor *c, Written *w) {
    do {
        if (w->ntypes == w->cap + 8) written_grow(c, w);
        w->spans[w->ntypes] = cursor_span(c);
        const Type *t = read_type(c);
        if (t == NULL) return;
        w->types[w->ntypes++] = t;
    } while (peek(c) == TOK_COMMA && peek_at(c, 1) != TOK_VALUE && peek_at(c, 1) != TOK_STRING &&
             accept(c, TOK_COMMA));
}

void read_signature(Cursor *c, Written *w, Signature *sig) {
    if (!accept(c, TOK_COLON)) return;
    if (peek(c) == TOK_LPAREN) {
        c->pos++;
        if (!accept(c, TOK_RPAREN)) {
            read_written_types(c, w);
            expect(c, TOK_RPAREN);
        }
    } else if (peek(c) != TOK_ARROW) { /* `: -> T` */
        read_written_types(c, w);
    }
    if (!c->failed && accept(c, TOK_ARROW)) {
        sig->arrow = true;
        sig->nresults =
            read_type_list(c, sig->results, sig->result_spans, MOST_SIGNATURE_RESULTS, false);
    }
}
