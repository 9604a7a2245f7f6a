/* SPDX-License-Identifier: Apache-2.0 */
/* The main part of the binder: statements, the start and the end of the text. */
#include "parser/bind_internal.h"

#include <stdlib.h>
#include <string.h>

Binder *binder_new(Context *ctx, TokenBuf *buf, const FunctionHook *hook) {
    Binder *b = ARENA_NEW(&ctx->arena, Binder);
    b->ctx = ctx;
    b->buf = buf;
    b->hook = hook;
    if (hook != NULL)
        arena_reserve(&ctx->arena, BODY_ROOM);
    else if (ctx->source->size >= LARGE_TEXT)
        arena_reserve_most(&ctx->arena);
    Type none = {.kind = TY_NONE};
    b->error_type = type_intern(ctx->types, &none);
    b->module = ARENA_NEW(&ctx->arena, Module);
    b->module->ctx = ctx;
    Op *root = op_new(ctx, &inst_table[INST_MODULE], (Span){0, 0});
    ModuleData *data = ARENA_NEW(&ctx->arena, ModuleData);
    data->implicit = true;
    op_more(&ctx->arena, root)->extra = data;
    region_init(ctx, root, 1);
    block_new(ctx, op_regions(root));
    b->module->root = root;
    b->frames_cap = 16;
    b->frames = ARENA_ARRAY(&ctx->keep, Frame, b->frames_cap);
    b->frames[0] = (Frame){.op = root, .block = op_regions(root)[0].first};
    b->nframes = 1;
    return b;
}

/* ---- statements ---- */

ResultNames read_result_names(Cursor *c) {
    ResultNames r = {c->pos, c->pos, 0};
    if (peek(c) != TOK_RESULT) {
        r.first = 1;
        r.last = 0;
        return r;
    }
    while (peek(c) == TOK_RESULT) {
        const Token *t = token_at(c->b, c->pos);
        /* The name is defined when the statement has been read: its entry is loaded meanwhile. */
        if (t->atom < c->b->nnames) __builtin_prefetch(&c->b->names[t->atom], 1);
        r.count += t->number;
        r.last = c->pos++;
        if (!accept(c, TOK_COMMA)) break;
    }
    expect(c, TOK_EQUAL);
    return r;
}

void define_lost_results(Binder *b, uint32_t first, uint32_t last) {
    bool func = false;
    for (uint32_t i = first; i <= last; i++) {
        const Token *t = token_at(b, i);
        func |= t->kind == TOK_OP && t->atom < b->ctx->ninst_atoms &&
                b->ctx->inst_by_atom[t->atom] == &inst_table[INST_FUNC];
        bool param =
            func && t->kind == TOK_VALUE && i < last && token_at(b, i + 1)->kind == TOK_COLON;
        if ((t->kind == TOK_RESULT || param) && lookup_name(b, t->atom) == NULL) {
            Value *v = error_value(b, t->atom);
            enter_name(b, t->atom, v);
            forward_defined(b, v);
        }
    }
    b->module->lost_function |= func;
}

/* Looks up the values that a dropped statement names, so that undefined ones are reported beside
 * the error that dropped it. A statement of its own form or with a region may define some. */
static void use_lost_operands(Binder *b, const Op *op, uint32_t first, uint32_t end) {
    if (op != NULL && op->inst->form == FORM_CUSTOM) return;
    for (uint32_t i = first; i < end; i++)
        if (token_at(b, i)->kind == TOK_VALUE) use_value(b, token_at(b, i));
}

void append_op(Binder *b, Op *op) {
    Frame *f = top_frame(b);
    op_note_signs(&b->module->signs, op);
    bool structural = op_is(op, INST_FUNC) || op_is(op, INST_MODULE);
    if (op_is(f->op, INST_MODULE) && !structural) {
        op_append(op_regions(implicit_function(b, f))[0].last, op);
        return;
    }
    op_append(f->block, op);
}

/* True for the PTO-AS form of an instruction whose other form has parentheses. */
static bool is_bare(Cursor *c, Op *op) {
    if ((op->inst->flags & IF_BARE_FORM) == 0 || peek(c) == TOK_LPAREN) return false;
    op->form = OPF_AS;
    return true;
}

static void bind_body(Cursor *c, Op *op, const ResultNames *names) {
    if (op->form == OPF_GENERIC)
        bind_generic(c, op, names);
    else if (inst_is_generic(op->inst))
        fail(c, DIAG_SYNTAX, op->name_span, "%s has the generic form only: \"%s\"(..) : (..) -> ..",
             op->inst->name, op->inst->name);
    else if ((c->inst = op->inst)->form == FORM_TILE || is_bare(c, op))
        bind_tile(c, op, names);
    else if (op->inst->form == FORM_FORMAT)
        bind_format(c, op, names);
    else
        bind_custom(c, op, names);
}

/* Notes the instruction in the diagnostics of its statement, which begins at `start`. */
static DIAG_COLD void note_statement(Diag *d, const Op *op, uint32_t start) {
    for (; d != NULL && op != NULL; d = d->next)
        if (d->inst == 0 && d->span.off >= start) {
            d->inst = (uint16_t)inst_id(op->inst);
            d->form = op->form;
        }
}

Op *bind_header(Binder *b, uint32_t first, uint32_t end, bool opens_region) {
    Cursor c = {.b = b, .pos = first, .end = end, .start = token_at(b, first)->off};
    Trivia *trivia = NULL;
    Diag *const *before = b->ctx->diags.last;
    top_frame(b)->started = true;
    if (b->buf->ntaken < b->buf->ntrivia)
        take_trivia(b, end > first ? end - 1 : first, &trivia, false);
    ResultNames names = read_result_names(&c);
    Op *op = NULL;
    if (!c.failed && (peek(&c) == TOK_OP || peek(&c) == TOK_QUOTED_OP))
        op = named_op(&c);
    else
        fail_expected(&c, "an instruction");
    if (op != NULL) {
        if (trivia != NULL) op_more(&b->ctx->arena, op)->trivia = trivia;
        bind_body(&c, op, &names);
        read_modifiers(&c, op);
    }
    if (!c.failed) expect_end(&c);
    if (!c.failed && c.nwrong == 0 && op != NULL) return op;
    note_statement(*before, op, c.start);
    if (c.nwrong > 0) name_wrong_operands(&c, op);
    define_lost_results(b, first, end - 1);
    if (!opens_region) use_lost_operands(b, op, first, end);
    return NULL;
}

void bind_statement(Binder *b, uint32_t first, uint32_t last) {
    Op *op = bind_header(b, first, last + 1, false);
    if (op == NULL) return;
    if (op_is(op, INST_FUNC)) { /* a declaration keeps only its parameter names */
        op->nregions = 0;
    } else if (op->nregions > 0) {
        const Token *t = token_at(b, last);
        diag_add(&b->ctx->diags, DIAG_SYNTAX, (Span){t->off + t->len, 1},
                 "expected '{' and the region of '%s'", op->inst->name);
        return;
    }
    append_op(b, op);
    take_trailing(b, op, last);
}

void bind_skipped(Binder *b, uint32_t first, uint32_t last) {
    define_lost_results(b, first, last);
    /* Comments inside a skipped statement are dropped. */
    Trivia *dropped = NULL;
    take_trivia(b, last, &dropped, false);
}

/* ---- the end ---- */

Module *bind_finish(Binder *b) {
    Module *m = b->module;
    while (b->nframes > 1) /* the grammar reports the missing brace */
        pop_frame(b);
    take_trivia(b, UINT32_MAX, &m->tail, false);
    Op *root = m->root;
    finish_implicit_function(b, b->frames[0].implicit);
    forget_labels(b, &b->frames[0]);
    name_literals(b);
    forward_finish(b, root);
    mismatch_finish(b, root);
    left_out_finish(b, root);
    Block *body = op_regions(root)[0].first;
    /* A single top-level module replaces the implicit one. */
    if (body->first != NULL && body->first == body->last && op_is(body->first, INST_MODULE)) {
        m->root = body->first;
        m->root->block = NULL;
    }
    m->aliases = b->ctx->aliases;
    m->bound_ok = b->ctx->diags.errors == 0;
    return m;
}
