/* SPDX-License-Identifier: Apache-2.0 */
/* Binds control flow: scf, sections, cf. The regions of scf are in bind_custom.c. */
#include "parser/bind_internal.h"

#include <string.h>

/* ---- scf ---- */

/* Reads `(%a = %x, ...)`: the names are block arguments, the values operands. */
enum { MOST_CARRIED = 250 };
typedef struct Inits {
    const Token *names[MOST_CARRIED];
    Operand values[MOST_CARRIED];
    uint32_t literals[MOST_CARRIED]; /* as in Written.literal */
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
        read_late_operand(c, &in->values[in->n], &in->literals[in->n]);
        in->n++;
        if (!accept(c, TOK_COMMA)) break;
    }
    expect(c, TOK_RPAREN);
}

static void check_init_types(Cursor *c, Inits *in, const Type *const *types, unsigned n,
                             Span span) {
    if (c->failed) return;
    if (n != in->n) {
        fail(c, DIAG_OPERAND_COUNT, span, "%u initial value%s, %u type%s", in->n,
             in->n == 1 ? "" : "s", n, n == 1 ? "" : "s");
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        settle_literal(c, &in->values[i], in->literals[i], types[i]);
        check_written_type(c, &in->values[i], types[i], span);
    }
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
    uint32_t literals[3] = {0};
    read_late_operand(c, &ops[0], &literals[0]);
    expect_word(c, "to");
    read_late_operand(c, &ops[1], &literals[1]);
    expect_word(c, "step");
    read_late_operand(c, &ops[2], &literals[2]);
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
    for (unsigned i = 0; i < 3; i++) {
        settle_literal(c, &ops[i], literals[i], var_type);
        check_written_type(c, &ops[i], var_type, ops[i].span);
    }
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

/* True when some region ends with the results of the statement. */
static bool may_have_results(const Op *op) {
    return ((op->inst->regions->ends[0].to | op->inst->regions->ends[1].to) & TO_RESULTS) != 0;
}

/* Reads `(%a, %b)`, which the region gets as arguments; the types follow it (read_given_types). */
static void read_given(Cursor *c, Op *op) {
    Operand ops[MOST_CARRIED];
    unsigned n = 0;
    if (!expect(c, TOK_LPAREN)) return;
    while (peek(c) == TOK_VALUE && n < MOST_CARRIED && read_operand(c, &ops[n])) {
        n++;
        if (!accept(c, TOK_COMMA)) break;
    }
    expect(c, TOK_RPAREN);
    uint16_t segs[1] = {(uint16_t)n};
    if (!c->failed) set_operands(c->b, op, ops, n, segs);
}

void read_given_types(Cursor *c, const Op *op) {
    if (!expect(c, TOK_COLON)) return;
    const Span span = cursor_span(c);
    const Type *type = read_type(c);
    if (type == NULL) return;
    if (type->kind != TY_FUNCTION || type->ninputs != op->noperands ||
        type->ntypes != type->ninputs) {
        fail(c, DIAG_SYNTAX, span,
             "'%s' is typed as '(T, ...) -> ()', with a type for each operand", op->inst->name);
        return;
    }
    for (unsigned i = 0; i < op->noperands; i++)
        check_written_type(c, &op->operands[i], type->types[i], span);
}

/* Reads `<<<32, 1, 1>>>`. */
static void read_dims(Cursor *c, Op *op) {
    Context *ctx = c->b->ctx;
    const AttrInfo *info = &op->inst->attrs[0];
    const Span span = cursor_span(c);
    const Attr **items = ARENA_ARRAY(&ctx->arena, const Attr *, 3);
    expect(c, TOK_LAUNCH_OPEN);
    for (unsigned i = 0; i < 3 && !c->failed; i++) {
        if (i > 0) expect(c, TOK_COMMA);
        if (!c->failed && !at_literal(c)) fail_expected(c, "an integer");
        if (c->failed) return;
        items[i] = read_plain_number(c->b, &c->pos, c->end, NULL);
        if (items[i] == NULL || items[i]->kind != ATTR_INT) {
            c->failed = items[i] == NULL;
            fail_expected(c, "an integer");
            return;
        }
    }
    expect(c, TOK_LAUNCH_CLOSE);
    Attr *list = ARENA_NEW(&ctx->arena, Attr);
    *list = (Attr){.kind = ATTR_DENSE,
                   .n = 3,
                   .items = items,
                   .span = span,
                   .type = type_scalar(ctx->types, ELEM_I64)};
    add_attr(c, op, intern(&ctx->names, info->name, strlen(info->name)), span, list);
}

/* Reads the operands and results of scf.if, scf.execute_region, sections and vector scopes. */
static void bind_branching(Cursor *c, Op *op, const ResultNames *names) {
    const Type *types[MOST_CARRIED];
    Operand o;
    if (op->inst->regions->init != 0) {
        read_given(c, op);
    } else if (op_is(op, INST_SECTION_SIMT)) {
        read_dims(c, op);
    } else if (op->inst->nslots > 0) {
        if (!read_operand(c, &o)) return;
        check_slot(c, op, 0, &o);
        if (!c->failed) set_operands(c->b, op, &o, 1, NULL);
    }
    if (!c->failed && peek(c) == TOK_DICT_OPEN) read_dict(c, op);
    unsigned n = may_have_results(op) ? read_arrow_types(c, types, MOST_CARRIED) : 0;
    if (c->failed) return;
    region_init(c->b->ctx, op, op->inst->nregions);
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
        fail(c, DIAG_SYNTAX, span, "%s is typed as '(T, ...) -> (U, ...)'", op->inst->name);
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
    Context *ctx = c->b->ctx;
    Binder *b = c->b;
    if (op->nsuccs == 0) op_more(&ctx->arena, op)->succs = ARENA_ARRAY(&ctx->arena, Successor, 16);
    if (op->nsuccs >= 16) {
        fail(c, DIAG_OPERAND_COUNT, cursor_span(c), "more than 16 successors");
        return;
    }
    if (!expect(c, TOK_SUCCESSOR)) return;
    const Token *t = token_at(b, c->pos - 1);
    Frame *f = top_frame(b);
    Region *region = region_of_statements(b, f);
    Successor *s = &op_succs(op)[op->nsuccs++];
    s->block = label_block(b, region, t);
    s->span = token_span(t);
    if (!accept(c, TOK_LPAREN)) return;
    Operand few[MOST_ARGUMENTS];
    const Type *types[MOST_ARGUMENTS];
    unsigned n = read_values(c, few, "block arguments");
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

/* ---- entry point ---- */

/* The head of a statement with regions has the syntax of how they run. */
static void bind_with_regions(Cursor *c, Op *op, const ResultNames *names) {
    switch ((RegionRuns)op->inst->regions->runs) {
    case RUNS_COUNTED:
        bind_for(c, op, names);
        break;
    case RUNS_WHILE:
        bind_while(c, op, names);
        break;
    case RUNS_CASES:
        bind_index_switch(c, op, names);
        break;
    default:
        bind_branching(c, op, names);
        break;
    }
}

bool bind_control(Cursor *c, Op *op, const ResultNames *names) {
    if (op->inst->regions != NULL) {
        bind_with_regions(c, op, names);
        return true;
    }
    switch (inst_id(op->inst)) {
    case INST_CF_BR:
    case INST_CF_COND_BR:
        bind_branch(c, op);
        return true;
    case INST_CF_SWITCH:
        bind_switch(c, op);
        return true;
    default:
        return false;
    }
}
