/* SPDX-License-Identifier: Apache-2.0 */
/* Binds statements with their own syntax: constants and tassign here, and the regions of all. */
#include "parser/bind_internal.h"

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

/* ---- tassign ---- */

/* Reads `%addr`, a number, or `@tile(0x1000)`. Returns the number of operands; -1: not an address.
 */
static int read_address(Cursor *c, Op *op, Operand *out) {
    Context *ctx = c->b->ctx;
    bool attribute = accept(c, TOK_SYMBOL);
    if (attribute) expect(c, TOK_LPAREN);
    Span span = cursor_span(c);
    if (!attribute) {
        if (at_literal(c))
            *out = (Operand){literal_operand(c, type_scalar(ctx->types, ELEM_I64)), span};
        else
            read_operand(c, out);
        check_slot(c, op, 1, out);
        return 1;
    }
    const Attr *a = c->failed ? NULL : read_attr(c->b, &c->pos, c->end);
    if (a == NULL || a->kind != ATTR_INT) {
        c->failed = a == NULL;
        fail_expected(c, "an address");
        return -1;
    }
    expect(c, TOK_RPAREN);
    add_attr(c, op, intern(&ctx->names, "tile_addr", 9), span, a);
    return 0;
}

/* Reads `T`, `T, dtype` or `T -> T`; returns the type of the result. */
static const Type *read_tassign_types(Cursor *c, const Operand *ops, unsigned n) {
    Span span = cursor_span(c);
    const Type *t = read_type(c);
    if (t != NULL) check_written_type(c, &ops[0], t, span);
    if (!c->failed && accept(c, TOK_COMMA)) {
        span = cursor_span(c);
        t = read_type(c);
        if (t != NULL && n == 2) check_written_type(c, &ops[1], t, span);
    }
    return !c->failed && accept(c, TOK_ARROW) ? read_type(c) : ops[0].value->type;
}

/* Reads `%t, ADDRESS`, then nothing or `:` and types; the manual's DPS spelling has the operands in
 * ins(...). */
static void bind_tassign(Cursor *c, Op *op, const ResultNames *names) {
    Operand ops[2];
    int addresses = 0;
    bool ins = accept_word(c, "ins") && expect(c, TOK_LPAREN);
    if (!read_operand(c, &ops[0])) return;
    check_slot(c, op, 0, &ops[0]);
    expect(c, TOK_COMMA);
    if (!c->failed) addresses = read_address(c, op, &ops[1]);
    if (addresses < 0) return;
    const unsigned n = 1 + (unsigned)addresses;
    if (!c->failed && peek(c) == TOK_DICT_OPEN) read_dict(c, op);
    const Type *result = ops[0].value->type;
    op->form = OPF_AS; /* the short form has the types of its values */
    if (!c->failed && accept(c, TOK_COLON)) {
        result = read_tassign_types(c, ops, n);
        if (!ins) op->form = OPF_DPS;
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
    case INST_TASSIGN:
        bind_tassign(c, op, names);
        break;
    default:
        if (!bind_control(c, op, names))
            fail(c, DIAG_SYNTAX, op->name_span, "'%s' has no textual form", op->inst->name);
        break;
    }
    bool takes_no_result = op_is(op, INST_MODULE) || op_is(op, INST_FUNC) || op->nsuccs > 0;
    if (!c->failed && takes_no_result && names->count != 0)
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "'%s' has no result", op->inst->name);
}

void custom_region_open(Cursor *c, Op *op, unsigned index) {
    if (op_is(op, INST_FUNC)) open_func_body(c, op);
    define_block_args(c->b, op_regions(op)[index].first);
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
    return expect_word(c, op_runs(op, RUNS_WHILE) ? "do" : "else");
}

bool custom_region_next(Cursor *c, Op *op, unsigned index) {
    bool generic = op->form == OPF_GENERIC, cases = op_runs(op, RUNS_CASES);
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

/* Adds the terminator that the text may leave out. */
static void add_implied_end(Binder *b, Region *r) {
    const RegionEnd *end = region_end(r);
    Block *last = r->last;
    if (end->by == INST_INVALID || last == NULL ||
        (last->last != NULL && (last->last->inst->flags & IF_TERMINATOR)))
        return;
    Op *yield = op_new(b->ctx, &inst_table[end->by], (Span){r->close.off, 0});
    yield->name_span = r->close;
    yield->segs = ARENA_ARRAY(&b->ctx->arena, uint16_t, 1);
    op_append(last, yield);
}

/* The number of arguments of the first region: parameters, or what it counts and is passed. */
static uint32_t entry_arguments(const Op *op) {
    if (op_is(op, INST_FUNC)) return func_data(op)->type->ninputs;
    if (op->inst->regions == NULL || op->inst->regions->init == 0) return 0;
    return op->noperands - (op->inst->nslots - 1u) + op_own_args(op);
}

/* A label of an entry block may add arguments that the statement does not have. */
static void check_regions(Cursor *c, const Op *op) {
    if (!c->failed && op_runs(op, RUNS_WHILE) && op_regions(op)[1].open.len == 0)
        fail(c, DIAG_SYNTAX, op->name_span, "'%s' needs a second region after 'do'",
             op->inst->name);
    if (!c->failed && op_runs(op, RUNS_CASES) && op->nregions <= op->attrs[0].value->n)
        fail(c, DIAG_SYNTAX, op->name_span, "'%s' needs a 'default' region", op->inst->name);
    for (unsigned r = 0; r < op->nregions && !c->failed; r++) {
        const Block *entry = op_regions(op)[r].first;
        if (entry == NULL || (op_runs(op, RUNS_WHILE) && r > 0)) continue;
        uint32_t want = entry_arguments(op);
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
        if (op_runs(op, RUNS_TIMES) && op->inst->regions->init != 0) read_given_types(c, op);
        skip_location(c);
        if (!c->failed) expect_end(c);
    }
    check_regions(c, op);
    if (op->nresults == 0 && op->inst->regions != NULL && op->inst->regions->implied)
        for (unsigned i = 0; i < op->nregions; i++)
            add_implied_end(b, &op_regions(op)[i]);
}
