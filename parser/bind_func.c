/* SPDX-License-Identifier: Apache-2.0 */
/* Binds modules, functions and calls. */
#include "parser/bind_internal.h"

#include <string.h>

static Span symbol_span(const Cursor *c) {
    return token_span(token_at(c->b, c->pos - 1));
}

void read_attributes(Cursor *c, Op *op) {
    if (!c->failed && accept_word(c, "attributes") && peek(c) != TOK_DICT_OPEN &&
        peek(c) != TOK_REGION_OPEN)
        fail_expected(c, "an attribute dictionary");
    if (!c->failed && peek(c) == TOK_DICT_OPEN) read_dict(c, op);
}

/* Uniqueness of names is left to the verifier, which sees the whole module. */
static void check_symbol_name(Cursor *c, Atom name, Span span) {
    if (atom_len(&c->b->ctx->names, name) == 0) fail(c, DIAG_SYNTAX, span, "a symbol needs a name");
}

void bind_module(Cursor *c, Op *op) {
    ModuleData *m = ARENA_NEW(&c->b->ctx->arena, ModuleData);
    op_more(&c->b->ctx->arena, op)->extra = m;
    if (accept(c, TOK_SYMBOL)) {
        m->name = token_at(c->b, c->pos - 1)->atom;
        check_symbol_name(c, m->name, symbol_span(c));
    }
    read_attributes(c, op);
    region_init(c->b->ctx, op, 1);
}

typedef struct Params {
    const Type **types;
    Atom *names;
    uint32_t *offs;
    const NamedAttr **attrs;
    uint32_t *nattrs;
    uint32_t n, cap;
} Params;

static void grow_params(Arena *a, Params *p) {
    uint32_t cap = p->cap == 0 ? 16 : p->cap * 2;
    Params g = {ARENA_ARRAY(a, const Type *, cap),
                ARENA_ARRAY(a, Atom, cap),
                ARENA_ARRAY(a, uint32_t, cap),
                ARENA_ARRAY(a, const NamedAttr *, cap),
                ARENA_ARRAY(a, uint32_t, cap),
                p->n,
                cap};
    if (p->n != 0) {
        memcpy(g.types, p->types, p->n * sizeof *g.types);
        memcpy(g.names, p->names, p->n * sizeof *g.names);
        memcpy(g.offs, p->offs, p->n * sizeof *g.offs);
        memcpy(g.attrs, p->attrs, p->n * sizeof *g.attrs);
        memcpy(g.nattrs, p->nattrs, p->n * sizeof *g.nattrs);
    }
    *p = g;
}

/* Reads the dictionary of a parameter or result. */
static void read_own_dict(Cursor *c, const NamedAttr **attrs, uint32_t *nattrs) {
    if (c->failed || peek(c) != TOK_DICT_OPEN) return;
    Op carrier = {.inst = &inst_table[INST_MODULE]};
    read_dict(c, &carrier);
    *attrs = carrier.attrs;
    *nattrs = carrier.nattrs;
}

/* Reads `[%a :] T [{attrs}] [loc(..)]`, comma separated, up to `)`. */
static void read_params(Cursor *c, Params *p, bool names) {
    if (accept(c, TOK_RPAREN)) return;
    do {
        if (p->n == p->cap) grow_params(&c->b->ctx->arena, p);
        uint32_t i = p->n;
        if (names && peek(c) == TOK_VALUE) {
            p->names[i] = token_at(c->b, c->pos)->atom;
            p->offs[i] = token_at(c->b, c->pos)->off;
            c->pos++;
            expect(c, TOK_COLON);
        }
        p->types[i] = read_type(c);
        if (c->failed) return;
        read_own_dict(c, &p->attrs[i], &p->nattrs[i]);
        skip_location(c);
        p->n++;
    } while (!c->failed && accept(c, TOK_COMMA));
    expect(c, TOK_RPAREN);
}

static void read_func_results(Cursor *c, Params *p) {
    if (c->failed || !accept(c, TOK_ARROW)) return;
    if (accept(c, TOK_LPAREN)) {
        read_params(c, p, false);
        return;
    }
    grow_params(&c->b->ctx->arena, p);
    p->types[0] = read_type(c);
    p->n = p->types[0] != NULL;
}

static void make_func_body(Cursor *c, Op *op, const Params *p) {
    Context *ctx = c->b->ctx;
    Block *entry = block_new(ctx, region_init(ctx, op, 1));
    entry->args = block_args_new(&ctx->arena, entry, p->n);
    entry->nargs = p->n;
    for (uint32_t i = 0; i < p->n; i++) {
        entry->args[i] = (Value){.type = p->types[i],
                                 .name = p->names[i],
                                 .name_off = p->offs[i],
                                 .argument = true,
                                 .index = (uint16_t)i,
                                 .npack = 1};
    }
}

void bind_func(Cursor *c, Op *op) {
    Context *ctx = c->b->ctx;
    FuncData *f = ARENA_NEW(&ctx->arena, FuncData);
    op_more(&ctx->arena, op)->extra = f;
    if (peek_word(c, "public") || peek_word(c, "private") || peek_word(c, "nested"))
        f->visibility = token_at(c->b, c->pos++)->atom;
    if (!expect(c, TOK_SYMBOL)) return;
    f->name = token_at(c->b, c->pos - 1)->atom;
    f->name_span = symbol_span(c);
    check_symbol_name(c, f->name, f->name_span);
    Params params = {0}, results = {0};
    if (expect(c, TOK_LPAREN)) read_params(c, &params, true);
    read_func_results(c, &results);
    read_attributes(c, op);
    skip_location(c);
    if (c->failed) return;
    f->type = type_function(ctx->types, params.types, params.n, results.types, results.n);
    f->param_attrs = params.attrs;
    f->nparam_attrs = params.nattrs;
    f->result_attrs = results.attrs;
    f->nresult_attrs = results.nattrs;
    f->param_names = params.names;
    make_func_body(c, op, &params);
}

void open_func_body(Cursor *c, Op *op) {
    func_data(op)->has_body = true;
    const Block *entry = op_regions(op)[0].first;
    for (uint32_t i = 0; i < entry->nargs; i++)
        if (entry->args[i].name == 0) {
            fail(c, DIAG_SYNTAX, func_data(op)->name_span,
                 "parameter %u of a function with a body needs a name", i + 1);
            return;
        }
}

void bind_call(Cursor *c, Op *op, const ResultNames *names) {
    Context *ctx = c->b->ctx;
    Operand few[MOST_ARGUMENTS];
    if (!expect(c, TOK_SYMBOL)) return;
    Attr *callee = ARENA_NEW(&ctx->arena, Attr);
    *callee = (Attr){
        .kind = ATTR_SYMBOL, .text = token_at(c->b, c->pos - 1)->atom, .span = symbol_span(c)};
    add_attr(c, op, intern(&ctx->names, "callee", 6), callee->span, callee);
    expect(c, TOK_LPAREN);
    unsigned n = read_values(c, few, "arguments");
    expect(c, TOK_RPAREN);
    if (!c->failed && peek(c) == TOK_DICT_OPEN) read_dict(c, op);
    expect(c, TOK_COLON);
    Span span = cursor_span(c);
    const Type *type = read_type(c);
    if (c->failed || type == NULL) return;
    if (type->kind != TY_FUNCTION) {
        fail(c, DIAG_SYNTAX, span, "a call is typed as '(T, ...) -> R'");
        return;
    }
    if (type->ninputs != n) {
        fail(c, DIAG_OPERAND_COUNT, span, "the call has %u argument%s, its type has %u", n,
             n == 1 ? "" : "s", type->ninputs);
        return;
    }
    for (unsigned i = 0; i < n; i++)
        check_written_type(c, &few[i], type->types[i], span);
    uint16_t segs[1] = {(uint16_t)n};
    set_operands(c->b, op, few, n, segs);
    set_results(c, op, names, type->types + type->ninputs, type->ntypes - type->ninputs);
}
