/* Binds the statements with their own syntax: module, func, call, constant, scf, cf, tassign. */
#include "parser/bind_internal.h"

#include <string.h>

/* ---- module and functions ---- */

static Span symbol_span(const Cursor *c) {
    return token_span(token_at(c->b, c->pos - 1));
}

static void read_attributes(Cursor *c, Op *op) {
    if (!c->failed && accept_word(c, "attributes") && peek(c) != TOK_DICT_OPEN &&
        peek(c) != TOK_REGION_OPEN)
        fail_expected(c, "an attribute dictionary");
    if (!c->failed && peek(c) == TOK_DICT_OPEN) read_dict(c, op);
}

/* Uniqueness of names is left to the verifier, which sees the whole module. */
static void check_symbol_name(Cursor *c, Atom name, Span span) {
    if (atom_len(&c->b->ctx->names, name) == 0) fail(c, DIAG_SYNTAX, span, "a symbol needs a name");
}

static void bind_module(Cursor *c, Op *op) {
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

static void bind_func(Cursor *c, Op *op) {
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

/* Opens the body of a function; its parameters need names. Without a region it is a declaration. */
static void open_func_body(Cursor *c, Op *op) {
    func_data(op)->has_body = true;
    const Block *entry = op_regions(op)[0].first;
    for (uint32_t i = 0; i < entry->nargs; i++)
        if (entry->args[i].name == 0) {
            fail(c, DIAG_SYNTAX, func_data(op)->name_span,
                 "parameter %u of a function with a body needs a name", i + 1);
            return;
        }
}

static void bind_call(Cursor *c, Op *op, const ResultNames *names) {
    Context *ctx = c->b->ctx;
    enum { MOST = 256 };
    Operand few[MOST];
    unsigned n = 0;
    if (!expect(c, TOK_SYMBOL)) return;
    Attr *callee = ARENA_NEW(&ctx->arena, Attr);
    *callee = (Attr){
        .kind = ATTR_SYMBOL, .text = token_at(c->b, c->pos - 1)->atom, .span = symbol_span(c)};
    add_attr(c, op, intern(&ctx->names, "callee", 6), callee->span, callee);
    expect(c, TOK_LPAREN);
    while (!c->failed && peek(c) == TOK_VALUE) {
        if (n == MOST) {
            fail(c, DIAG_OPERAND_COUNT, cursor_span(c), "more than %d arguments", MOST);
            return;
        }
        read_operand(c, &few[n++]);
        if (!accept(c, TOK_COMMA)) break;
    }
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

/* ---- constants ---- */

static const Type *default_constant_type(Context *ctx, const Attr *value) {
    switch ((AttrKind)value->kind) {
    case ATTR_BOOL:
        return type_scalar(ctx->types, ELEM_I1);
    case ATTR_FLOAT:
        return type_scalar(ctx->types, ELEM_F64);
    case ATTR_INT:
        return type_scalar(ctx->types, ELEM_I64);
    default:
        return NULL;
    }
}

/* Notes a number of another kind than its type, which is the last token. */
static void note_odd_constant(const Cursor *c, const ResultNames *names, Diag *d) {
    const Token *type = token_at(c->b, c->end - 1);
    if (d == NULL || d->id != DIAG_BAD_NUMBER || names->count != 1 ||
        token_at(c->b, c->end - 2)->kind != TOK_COLON)
        return;
    bool is_float = token_at(c->b, c->end - 3)->kind == TOK_FLOAT;
    odd_constant_note(c->b, token_at(c->b, names->first)->atom, is_float, token_span(type), d);
}

/* Reads `LIT [: T]`; hexadecimal digits may be the bits of a float. */
static void bind_constant(Cursor *c, Op *op, const ResultNames *names) {
    Context *ctx = c->b->ctx;
    if (peek(c) == TOK_DICT_OPEN) read_dict(c, op);
    Span span = cursor_span(c);
    if (c->failed || c->pos >= c->end) {
        fail_expected(c, "a literal");
        return;
    }
    Diag **before = ctx->diags.last;
    const Attr *value = read_attr(c->b, &c->pos, c->end);
    if (value == NULL) {
        c->failed = true;
        note_odd_constant(c, names, *before);
        return;
    }
    const Type *type = value->type != NULL ? value->type : default_constant_type(ctx, value);
    if (value->kind == ATTR_OPAQUE && type == NULL && accept(c, TOK_COLON)) type = read_type(c);
    if (c->failed) return;
    if (type == NULL || value->kind == ATTR_STRING || value->kind == ATTR_SYMBOL) {
        fail(c, DIAG_BAD_ATTRIBUTE, span, "expected a number, 'true' or 'false'");
        return;
    }
    add_attr(c, op, intern(&ctx->names, "value", 5), span, value);
    set_results(c, op, names, &type, 1);
}

/* ---- scf ---- */

/* Reads `(%a = %x, ...)`: the names are block arguments, the values operands. */
enum { MOST_CARRIED = 250 };
typedef struct Inits {
    const Token *names[MOST_CARRIED];
    Operand values[MOST_CARRIED];
    unsigned n;
} Inits;

static void read_inits(Cursor *c, Inits *in) {
    in->n = 0;
    expect(c, TOK_LPAREN);
    while (!c->failed && peek(c) == TOK_RESULT) {
        if (in->n == MOST_CARRIED) {
            fail(c, DIAG_OPERAND_COUNT, cursor_span(c), "more than %d carried values",
                 MOST_CARRIED);
            return;
        }
        in->names[in->n] = token_at(c->b, c->pos++);
        expect(c, TOK_EQUAL);
        read_operand(c, &in->values[in->n]);
        in->n++;
        if (!accept(c, TOK_COMMA)) break;
    }
    expect(c, TOK_RPAREN);
}

static Value block_arg(const Token *name, const Type *type, unsigned index) {
    return (Value){.type = type,
                   .name = name->atom,
                   .name_off = name->off,
                   .argument = true,
                   .index = (uint16_t)index,
                   .npack = 1};
}

static void check_init_types(Cursor *c, const Inits *in, const Type *const *types, unsigned n,
                             Span span) {
    if (c->failed) return;
    if (n != in->n) {
        fail(c, DIAG_OPERAND_COUNT, span, "%u initial value%s, %u type%s", in->n,
             in->n == 1 ? "" : "s", n, n == 1 ? "" : "s");
        return;
    }
    for (unsigned i = 0; i < n; i++)
        check_written_type(c, &in->values[i], types[i], span);
}

static void bind_for(Cursor *c, Op *op, const ResultNames *names) {
    Context *ctx = c->b->ctx;
    Inits in;
    Operand ops[3 + MOST_CARRIED];
    const Type *types[MOST_CARRIED];
    in.n = 0;
    if (!expect(c, TOK_RESULT)) return;
    const Token *var = token_at(c->b, c->pos - 1);
    expect(c, TOK_EQUAL);
    read_operand(c, &ops[0]);
    expect_word(c, "to");
    read_operand(c, &ops[1]);
    expect_word(c, "step");
    read_operand(c, &ops[2]);
    unsigned n = 0;
    if (accept_word(c, "iter_args")) {
        read_inits(c, &in);
        expect(c, TOK_ARROW);
        Span span = cursor_span(c);
        if (!c->failed) n = read_type_list(c, types, NULL, MOST_CARRIED, false);
        check_init_types(c, &in, types, n, span);
    }
    const Type *var_type = type_scalar(ctx->types, ELEM_INDEX);
    if (!c->failed && accept(c, TOK_COLON)) var_type = read_type(c);
    if (c->failed) return;
    for (unsigned i = 0; i < 3; i++)
        check_written_type(c, &ops[i], var_type, ops[i].span);
    for (unsigned i = 0; i < n; i++)
        ops[3 + i] = in.values[i];
    uint16_t segs[4] = {1, 1, 1, (uint16_t)n};
    set_operands(c->b, op, ops, 3 + n, segs);
    Block *body = block_new(ctx, region_init(ctx, op, 1));
    body->args = block_args_new(&ctx->arena, body, n + 1);
    body->nargs = n + 1;
    body->args[0] = block_arg(var, var_type, 0);
    for (unsigned i = 0; i < n; i++)
        body->args[i + 1] = block_arg(in.names[i], types[i], i + 1);
    set_results(c, op, names, types, n);
}

static unsigned read_arrow_types(Cursor *c, const Type **types, unsigned cap) {
    if (c->failed || !accept(c, TOK_ARROW)) return 0;
    return read_type_list(c, types, NULL, cap, false);
}

/* Reads the operand and results of scf.if, scf.index_switch and scf.execute_region. */
static void bind_branching(Cursor *c, Op *op, const ResultNames *names, unsigned nregions) {
    const Type *types[MOST_CARRIED];
    Operand o;
    if (op->inst->nslots > 0) {
        if (!read_operand(c, &o)) return;
        check_slot(c, op, 0, &o);
        if (!c->failed) set_operands(c->b, op, &o, 1, NULL);
    }
    if (!c->failed && peek(c) == TOK_DICT_OPEN) read_dict(c, op);
    unsigned n = read_arrow_types(c, types, MOST_CARRIED);
    if (c->failed) return;
    region_init(c->b->ctx, op, nregions);
    set_results(c, op, names, types, n);
}

static void bind_while(Cursor *c, Op *op, const ResultNames *names) {
    Context *ctx = c->b->ctx;
    Inits in;
    in.n = 0;
    if (peek(c) == TOK_LPAREN) read_inits(c, &in);
    expect(c, TOK_COLON);
    Span span = cursor_span(c);
    const Type *type = read_type(c);
    if (c->failed) return;
    if (type->kind != TY_FUNCTION) {
        fail(c, DIAG_SYNTAX, span, "scf.while is typed as '(T, ...) -> (U, ...)'");
        return;
    }
    check_init_types(c, &in, type->types, type->ninputs, span);
    if (c->failed) return;
    uint16_t segs[1] = {(uint16_t)in.n};
    set_operands(c->b, op, in.values, in.n, segs);
    Block *before = block_new(ctx, region_init(ctx, op, 2));
    before->args = block_args_new(&ctx->arena, before, in.n);
    before->nargs = in.n;
    for (unsigned i = 0; i < in.n; i++)
        before->args[i] = block_arg(in.names[i], type->types[i], i);
    set_results(c, op, names, type->types + type->ninputs, type->ntypes - type->ninputs);
}

static void bind_section(Cursor *c, Op *op, const ResultNames *names) {
    if (peek(c) == TOK_DICT_OPEN) read_dict(c, op);
    set_results(c, op, names, NULL, 0);
    if (!c->failed) region_init(c->b->ctx, op, 1);
}

/* Reads the head of scf.index_switch. Its cases, at most 255, are added with their regions. */
static void bind_index_switch(Cursor *c, Op *op, const ResultNames *names) {
    Context *ctx = c->b->ctx;
    Attr *cases = ARENA_NEW(&ctx->arena, Attr);
    cases->kind = ATTR_ARRAY;
    cases->items = (const Attr *const *)ARENA_ARRAY(&ctx->arena, const Attr *, 255);
    add_attr(c, op, intern(&ctx->names, "cases", 5), op->name_span, cases);
    Operand o;
    if (!read_operand(c, &o)) return;
    check_slot(c, op, 0, &o);
    const Type *types[64];
    if (!c->failed && peek(c) == TOK_DICT_OPEN) read_dict(c, op);
    unsigned n = read_arrow_types(c, types, 64);
    if (c->failed) return;
    set_operands(c->b, op, &o, 1, NULL);
    region_init(ctx, op, 255);
    op->nregions = 1;
    set_results(c, op, names, types, n);
    custom_region_next(c, op, 0);
}

/* ---- cf ---- */

void read_successor(Cursor *c, Op *op) {
    enum { MOST = 256 };
    Context *ctx = c->b->ctx;
    Binder *b = c->b;
    if (op->nsuccs == 0) op_more(&ctx->arena, op)->succs = ARENA_ARRAY(&ctx->arena, Successor, 16);
    if (op->nsuccs >= 16) {
        fail(c, DIAG_OPERAND_COUNT, cursor_span(c), "more than 16 successors");
        return;
    }
    if (!expect(c, TOK_SUCCESSOR)) return;
    const Token *t = token_at(b, c->pos - 1);
    Frame *f = &b->frames[b->nframes - 1];
    Region *region = op_is(f->op, INST_MODULE) && f->implicit != NULL
                         ? op_regions(f->implicit)
                         : &op_regions(f->op)[f->region];
    Successor *s = &op_succs(op)[op->nsuccs++];
    s->block = label_block(b, region, t);
    s->span = token_span(t);
    if (!accept(c, TOK_LPAREN)) return;
    Operand few[MOST];
    const Type *types[MOST];
    unsigned n = 0;
    while (!c->failed && peek(c) == TOK_VALUE) {
        if (n == MOST) {
            fail(c, DIAG_OPERAND_COUNT, cursor_span(c), "more than %d block arguments", MOST);
            return;
        }
        read_operand(c, &few[n++]);
        if (!accept(c, TOK_COMMA)) break;
    }
    expect(c, TOK_COLON);
    for (unsigned i = 0; i < n && !c->failed; i++) {
        Span span = cursor_span(c);
        types[i] = read_type(c);
        if (types[i] != NULL) check_written_type(c, &few[i], types[i], span);
        if (i + 1 < n) expect(c, TOK_COMMA);
    }
    expect(c, TOK_RPAREN);
    s->args = ARENA_ARRAY(&ctx->arena, Operand, n);
    memcpy(s->args, few, n * sizeof *few);
    s->nargs = n;
}

static void bind_branch(Cursor *c, Op *op) {
    bool conditional = op_is(op, INST_CF_COND_BR);
    if (conditional) {
        Operand o;
        if (!read_operand(c, &o)) return;
        check_slot(c, op, 0, &o);
        expect(c, TOK_COMMA);
        set_operands(c->b, op, &o, 1, NULL);
    }
    if (!c->failed) read_successor(c, op);
    if (conditional && expect(c, TOK_COMMA)) read_successor(c, op);
    if (!c->failed && peek(c) == TOK_DICT_OPEN) read_dict(c, op);
}

/* Reads `cf.switch %v : T, [default: ^a, 1: ^b]`. */
static void bind_switch(Cursor *c, Op *op) {
    Context *ctx = c->b->ctx;
    Operand o;
    if (!read_operand(c, &o)) return;
    check_slot(c, op, 0, &o);
    expect(c, TOK_COLON);
    Span span = cursor_span(c);
    const Type *type = read_type(c);
    if (type != NULL) check_written_type(c, &o, type, span);
    expect(c, TOK_COMMA);
    expect(c, TOK_LBRACKET);
    expect_word(c, "default");
    expect(c, TOK_COLON);
    if (c->failed) return;
    set_operands(c->b, op, &o, 1, NULL);
    read_successor(c, op);
    Attr *values = ARENA_NEW(&ctx->arena, Attr);
    const Attr **items = ARENA_ARRAY(&ctx->arena, const Attr *, 16);
    *values = (Attr){.kind = ATTR_ARRAY, .items = items};
    while (!c->failed && accept(c, TOK_COMMA)) {
        const Attr *v = at_literal(c) ? read_plain_number(c->b, &c->pos, c->end, NULL) : NULL;
        if (v == NULL || v->kind != ATTR_INT) {
            fail_expected(c, "an integer");
            c->failed = true;
            return;
        }
        expect(c, TOK_COLON);
        read_successor(c, op);
        if (!c->failed) items[values->n++] = v;
    }
    expect(c, TOK_RBRACKET);
    if (!c->failed) add_attr(c, op, intern(&ctx->names, "case_values", 11), op->name_span, values);
    if (!c->failed && peek(c) == TOK_DICT_OPEN) read_dict(c, op);
}

/* ---- tassign ---- */

/* Reads `%t, %addr` or `%t, @tile(0x1000)`, then nothing, `: T`, `: T, dtype` or `: T -> T`; the
 * manual's DPS spelling has the operands in ins(...). */
static void bind_tassign(Cursor *c, Op *op, const ResultNames *names) {
    Context *ctx = c->b->ctx;
    Operand ops[2];
    unsigned n = 1;
    bool ins = accept_word(c, "ins") && expect(c, TOK_LPAREN);
    if (!read_operand(c, &ops[0])) return;
    check_slot(c, op, 0, &ops[0]);
    expect(c, TOK_COMMA);
    if (!c->failed && accept(c, TOK_SYMBOL)) {
        expect(c, TOK_LPAREN);
        Span span = cursor_span(c);
        const Attr *a = c->failed ? NULL : read_attr(c->b, &c->pos, c->end);
        if (a == NULL || a->kind != ATTR_INT) {
            c->failed = a == NULL;
            fail_expected(c, "an address");
            return;
        }
        expect(c, TOK_RPAREN);
        add_attr(c, op, intern(&ctx->names, "tile_addr", 9), span, a);
    } else if (!c->failed) {
        n = 2;
        if (at_literal(c)) {
            Span span = cursor_span(c);
            ops[1] = (Operand){literal_operand(c, type_scalar(ctx->types, ELEM_I64)), span};
        } else {
            read_operand(c, &ops[1]);
        }
        check_slot(c, op, 1, &ops[1]);
    }
    if (!c->failed && peek(c) == TOK_DICT_OPEN) read_dict(c, op);
    const Type *result = ops[0].value->type;
    if (!c->failed && accept(c, TOK_COLON)) {
        Span span = cursor_span(c);
        const Type *t = read_type(c);
        if (t != NULL) check_written_type(c, &ops[0], t, span);
        if (!c->failed && accept(c, TOK_COMMA)) {
            span = cursor_span(c);
            t = read_type(c);
            if (t != NULL && n == 2) check_written_type(c, &ops[1], t, span);
        }
        if (!c->failed && accept(c, TOK_ARROW)) result = read_type(c);
        op->form = ins ? OPF_AS : OPF_DPS;
    } else {
        op->form = OPF_AS; /* the short form has the types of its values */
    }
    if (ins) expect(c, TOK_RPAREN);
    if (c->failed) return;
    uint16_t segs[2] = {1, (uint16_t)(n - 1)};
    set_operands(c->b, op, ops, n, segs);
    if (names->count != 0) set_results(c, op, names, &result, 1);
}

/* ---- entry points ---- */

void bind_custom(Cursor *c, Op *op, const ResultNames *names) {
    switch (inst_id(op->inst)) {
    case INST_MODULE:
        bind_module(c, op);
        break;
    case INST_FUNC:
        bind_func(c, op);
        break;
    case INST_CALL:
        bind_call(c, op, names);
        break;
    case INST_CONSTANT:
        bind_constant(c, op, names);
        break;
    case INST_SCF_FOR:
        bind_for(c, op, names);
        break;
    case INST_SCF_IF:
        bind_branching(c, op, names, 2);
        break;
    case INST_SCF_EXECUTE_REGION:
        bind_branching(c, op, names, 1);
        break;
    case INST_SCF_INDEX_SWITCH:
        bind_index_switch(c, op, names);
        break;
    case INST_SCF_WHILE:
        bind_while(c, op, names);
        break;
    case INST_CF_BR:
    case INST_CF_COND_BR:
        bind_branch(c, op);
        break;
    case INST_CF_SWITCH:
        bind_switch(c, op);
        break;
    case INST_TASSIGN:
        bind_tassign(c, op, names);
        break;
    case INST_SECTION_CUBE:
    case INST_SECTION_VECTOR:
        bind_section(c, op, names);
        break;
    default:
        fail(c, DIAG_SYNTAX, op->name_span, "'%s' has no textual form", op->inst->name);
        break;
    }
    bool takes_no_result = op_is(op, INST_MODULE) || op_is(op, INST_FUNC) || op->nsuccs > 0;
    if (!c->failed && takes_no_result && names->count != 0)
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "'%s' has no result", op->inst->name);
}

void custom_region_open(Cursor *c, Op *op, unsigned index) {
    Block *entry = op_regions(op)[index].first;
    if (op_is(op, INST_FUNC)) open_func_body(c, op);
    for (uint32_t i = 0; i < entry->nargs; i++)
        if (entry->args[i].name != 0)
            define_value(c->b, &entry->args[i],
                         (Span){entry->args[i].name_off,
                                (uint32_t)atom_len(&c->b->ctx->names, entry->args[i].name) + 1});
}

static bool next_case(Cursor *c, Op *op, unsigned index) {
    Context *ctx = c->b->ctx;
    Attr *cases = (Attr *)(uintptr_t)op->attrs[0].value;
    if (index >= 255) {
        fail(c, DIAG_OPERAND_COUNT, cursor_span(c), "more than 254 cases");
        return false;
    }
    if (index > cases->n) { /* more regions than cases: the default was read */
        fail(c, DIAG_SYNTAX, cursor_span(c), "the default region comes last");
        return false;
    }
    if (accept_word(c, "default")) return !c->failed;
    if (!expect_word(c, "case")) return false;
    const Attr *v = at_literal(c) ? read_plain_number(c->b, &c->pos, c->end, NULL) : NULL;
    if (v == NULL || v->kind != ATTR_INT) {
        fail_expected(c, "an integer");
        return false;
    }
    const Attr **items = (const Attr **)(uintptr_t)cases->items;
    for (uint32_t i = 0; i < cases->n; i++)
        if (items[i]->i == v->i)
            diag_add(&ctx->diags, DIAG_REDEFINITION, v->span, "case %lld occurs twice",
                     (long long)v->i);
    items[cases->n++] = v;
    return true;
}

static bool next_region(Cursor *c, const Op *op, unsigned index) {
    if (index >= op->nregions) {
        fail(c, DIAG_SYNTAX, cursor_span(c), "'%s' has no further region", op->inst->name);
        return false;
    }
    return op_is(op, INST_SCF_WHILE) ? expect_word(c, "do") : expect_word(c, "else");
}

bool custom_region_next(Cursor *c, Op *op, unsigned index) {
    bool generic = op->form == OPF_GENERIC, cases = op_is(op, INST_SCF_INDEX_SWITCH);
    if (generic && (index < op->nregions || (cases && index < 255))) {
        if (!expect(c, TOK_COMMA)) return false;
    } else if (!cases) {
        return next_region(c, op, index);
    } else if (!next_case(c, op, index)) {
        return false;
    }
    if (index >= op->nregions) {
        op->nregions = (uint8_t)(index + 1);
        op_regions(op)[index].owner = op;
    }
    return true;
}

/* Adds the scf.yield that scf.for and scf.if without results may omit. */
static void add_implied_yield(Binder *b, Region *r) {
    Block *last = r->last;
    if (last == NULL || (last->last != NULL && (last->last->inst->flags & IF_TERMINATOR))) return;
    Op *yield = op_new(b->ctx, &inst_table[INST_SCF_YIELD], (Span){r->close.off, 0});
    yield->name_span = r->close;
    yield->segs = ARENA_ARRAY(&b->ctx->arena, uint16_t, 1);
    op_append(last, yield);
}

/* A label of an entry block may add arguments that the statement does not have. */
static void check_regions(Cursor *c, const Op *op) {
    if (!c->failed && op_is(op, INST_SCF_WHILE) && op_regions(op)[1].open.len == 0)
        fail(c, DIAG_SYNTAX, op->name_span, "'scf.while' needs a second region after 'do'");
    if (!c->failed && op_is(op, INST_SCF_INDEX_SWITCH) && op->nregions <= op->attrs[0].value->n)
        fail(c, DIAG_SYNTAX, op->name_span, "'scf.index_switch' needs a 'default' region");
    bool func = op_is(op, INST_FUNC), loop = op_is(op, INST_SCF_FOR);
    for (unsigned r = 0; r < op->nregions && !c->failed; r++) {
        const Block *entry = op_regions(op)[r].first;
        if (entry == NULL || (op_is(op, INST_SCF_WHILE) && r > 0)) continue;
        uint32_t want = func                        ? func_data(op)->type->ninputs
                        : loop                      ? op->noperands - 2u
                        : op_is(op, INST_SCF_WHILE) ? op->noperands
                                                    : 0;
        if (entry->nargs != want)
            fail(c, DIAG_OPERAND_COUNT, entry->span.len != 0 ? entry->span : op->name_span,
                 "'%s': the entry block has %u argument%s, expected %u", op->inst->name,
                 entry->nargs, entry->nargs == 1 ? "" : "s", want);
    }
}

void custom_done(Cursor *c, Op *op) {
    Binder *b = c->b;
    if (op->form == OPF_GENERIC) {
        if (c->pos < c->end)
            bind_generic_tail(c, op);
        else
            fail(c, DIAG_SYNTAX, op->name_span, "the type of \"%s\" is missing", op->inst->name);
        check_regions(c, op);
        return;
    }
    if (c->pos < c->end) {
        read_attributes(c, op);
        skip_location(c);
        if (!c->failed) expect_end(c);
    }
    check_regions(c, op);
    if (op->nresults == 0 &&
        (op_is(op, INST_SCF_FOR) || op_is(op, INST_SCF_IF) || op_is(op, INST_SCF_INDEX_SWITCH)))
        for (unsigned i = 0; i < op->nregions; i++)
            add_implied_yield(b, &op_regions(op)[i]);
}
