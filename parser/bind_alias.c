/* SPDX-License-Identifier: Apache-2.0 */
/* Aliases, and what PTO-AS has outside of functions: an implicit function, `.arg` and `.const`. */
#include "parser/bind_internal.h"

#include <string.h>

void bind_alias(Binder *b, uint32_t first, uint32_t last) {
    Context *ctx = b->ctx;
    Cursor c = cursor_over(b, first + 2, last + 1);
    const Token *name = token_at(b, first);
    AliasDef *def = ARENA_NEW(&ctx->arena, AliasDef);
    const char *text = atom_text(&ctx->names, name->atom);
    size_t len = atom_len(&ctx->names, name->atom);
    if (len > 0 && (text[0] == '!' || text[0] == '#')) {
        text++;
        len--;
    }
    def->name = intern(&ctx->names, text, len);
    def->span = token_span(name);
    def->is_type = name->kind == TOK_TYPE_ALIAS;
    take_trivia(b, last, &def->trivia, false);
    if (memchr(text, '.', len) != NULL) {
        fail(&c, DIAG_SYNTAX, def->span, "an alias name has no '.'");
        return;
    }
    AliasDef *old = alias_find(ctx, def->name, def->is_type);
    if (old != NULL) {
        Diag *d =
            fail(&c, DIAG_REDEFINITION, def->span, "redefinition of alias '%.*s'", (int)len, text);
        diag_note_at(&ctx->diags, d, old->span, "first defined here");
        return;
    }
    if (def->is_type) {
        const Type *type = read_type(&c);
        def->type = type != NULL ? type : b->error_type;
    } else {
        def->attr = read_attr(b, &c.pos, c.end);
        c.failed = def->attr == NULL;
    }
    if (!c.failed) expect_end(&c);
    if (def->attr == NULL && !def->is_type) return;
    take_comments(b, last, &def->trivia);
    alias_add(ctx, def);
}

/* ---- the implicit function ---- */

Op *implicit_function(Binder *b, Frame *module) {
    if (module->implicit != NULL) return module->implicit;
    Context *ctx = b->ctx;
    Op *op = op_new(ctx, &inst_table[INST_FUNC], (Span){0, 0});
    FuncData *f = ARENA_NEW(&ctx->arena, FuncData);
    f->name = intern(&ctx->names, "main", 4);
    f->type = type_function(ctx->types, NULL, 0, NULL, 0);
    f->has_body = f->implicit = true;
    op_more(&ctx->arena, op)->extra = f;
    region_init(ctx, op, 1);
    block_new(ctx, op_regions(op));
    op_append(module->block, op);
    module->implicit = op;
    return op;
}

enum { FIRST_ARGS = 16, MOST_ARGS = UINT16_MAX }; /* Value.index */

/* Grows the arrays of an implicit function's arguments. Values are used by address; here only
 * names refer to them, because every '.arg' precedes the first statement. */
static void make_room(Binder *b, Op *func) {
    Block *entry = op_regions(func)[0].first;
    FuncData *data = func_data(func);
    uint32_t n = entry->nargs;
    if (n != 0 && (n < FIRST_ARGS || (n & (n - 1)) != 0)) return;
    uint32_t cap = n == 0 ? FIRST_ARGS : 2 * n;
    Value *args = block_args_new(&b->ctx->arena, entry, cap);
    Trivia **trivia = ARENA_ARRAY(&b->ctx->arena, Trivia *, cap);
    for (uint32_t i = 0; i < n; i++) {
        args[i] = entry->args[i];
        trivia[i] = data->arg_trivia[i];
        NameEntry *e = name_entry(b, args[i].name);
        if (e->value == &entry->args[i]) e->value = &args[i];
    }
    entry->args = args;
    data->arg_trivia = trivia;
}

void finish_implicit_function(Binder *b, Op *func) {
    Arena *arena = &b->ctx->arena;
    if (func == NULL) return;
    FuncData *data = func_data(func);
    const Block *entry = op_regions(func)[0].first;
    const Type **types = ARENA_ARRAY(arena, const Type *, entry->nargs);
    for (uint32_t i = 0; i < entry->nargs; i++)
        types[i] = entry->args[i].type;
    data->type = type_function(b->ctx->types, types, entry->nargs, NULL, 0);
    data->param_attrs = ARENA_ARRAY(arena, const NamedAttr *, entry->nargs);
    data->nparam_attrs = ARENA_ARRAY(arena, uint32_t, entry->nargs);
    Block *block = op_regions(func)[0].last;
    if (block->last != NULL && (block->last->inst->flags & IF_TERMINATOR)) return;
    Op *ret = op_new(b->ctx, &inst_table[INST_RETURN], (Span){0, 0});
    ret->segs = ARENA_ARRAY(arena, uint16_t, 1);
    op_append(block, ret);
}

/* ---- directives ---- */

void bind_arg(Binder *b, uint32_t first, uint32_t last) {
    Cursor c = cursor_over(b, first + 1, last + 1);
    Frame *f = top_frame(b);
    const Token *name = token_at(b, c.pos++);
    expect(&c, TOK_COLON);
    const Type *type = c.failed ? NULL : read_type(&c);
    if (!c.failed) expect_end(&c);
    if (!op_is(f->op, INST_MODULE)) {
        fail(&c, DIAG_SYNTAX, token_span(token_at(b, first)),
             "'.arg' belongs outside of functions");
        return;
    }
    Op *func = implicit_function(b, f);
    FuncData *data = func_data(func);
    if (op_regions(func)[0].first->first != NULL && !c.failed)
        fail(&c, DIAG_SYNTAX, token_span(token_at(b, first)),
             "'.arg' belongs before the first instruction");
    if (c.failed || type == NULL) type = b->error_type;
    Block *entry = op_regions(func)[0].first;
    uint32_t n = entry->nargs;
    if (n == MOST_ARGS) {
        fail(&c, DIAG_OPERAND_COUNT, token_span(name), "more than %d '.arg' lines", MOST_ARGS);
        return;
    }
    make_room(b, func);
    entry->args[n] = block_arg(name, type, n);
    entry->nargs = n + 1;
    define_value(b, &entry->args[n], token_span(name));
    take_trivia(b, last, &data->arg_trivia[n], false);
    take_comments(b, last, &data->arg_trivia[n]);
}

/* Binds `.const %x = 4 : i32`, the PTO-AS spelling of arith.constant. */
void bind_const(Binder *b, uint32_t first, uint32_t last) {
    Context *ctx = b->ctx;
    Cursor c = cursor_over(b, first + 1, last + 1);
    Op *op = op_new(ctx, &inst_table[INST_CONSTANT], (Span){token_at(b, first)->off, 0});
    const Token *end = token_at(b, last);
    op->span.len = end->off + end->len - op->span.off;
    op->name_span = token_span(token_at(b, first));
    op->form = OPF_AS;
    take_trivia(b, last, &op_more(&ctx->arena, op)->trivia, false);
    ResultNames names = read_result_names(&c);
    if (!c.failed) bind_custom(&c, op, &names);
    if (!c.failed) expect_end(&c);
    if (c.failed) {
        define_lost_results(b, first, last);
        return;
    }
    append_op(b, op);
    take_trailing(b, op, last);
}
