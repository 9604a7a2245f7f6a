/* SPDX-License-Identifier: Apache-2.0 */
/* Binds the generic form of any operation: "name"(operands)[successors] <{..}> ({regions}) {..} :
 * type. */
#include "parser/bind_internal.h"

#include <string.h>

static void bind_generic_custom(Cursor *c, Op *op, const ResultNames *names);

/* Removes operandSegmentSizes from the attributes and returns it; 0 when there is none. */
static const Attr *take_segments(const Context *ctx, Op *op) {
    for (unsigned i = 0; i < op->nattrs; i++) {
        Atom name = op->attrs[i].name;
        if (atom_len(&ctx->names, name) != 19 ||
            memcmp(atom_text(&ctx->names, name), "operandSegmentSizes", 19) != 0)
            continue;
        const Attr *a = op->attrs[i].value;
        memmove(op->attrs + i, op->attrs + i + 1, (op->nattrs - i - 1u) * sizeof *op->attrs);
        op->nattrs--;
        return a->kind == ATTR_DENSE || a->kind == ATTR_ARRAY ? a : NULL;
    }
    return NULL;
}

/* Returns entry `k` of the segment sizes, at most `left`; false when it is out of range. */
static bool segment_size(const Attr *sizes, unsigned k, unsigned left, unsigned *out) {
    const Attr *a = sizes->items[k];
    if (a->kind != ATTR_INT || a->i < 0 || a->i > (int64_t)left) return false;
    *out = (unsigned)a->i;
    return true;
}

/* Splits operands by the written sizes or, without them, like the SSA or DPS form. */
static void generic_slots(Cursor *c, Op *op, const Written *w, bool has_results) {
    uint16_t segs[INST_MOST_OPERANDS] = {0}, first[INST_MOST_OPERANDS] = {0};
    uint8_t order[INST_MOST_OPERANDS];
    const Attr *sizes = take_segments(c->b->ctx, op);
    unsigned at = 0, k = 0;
    inst_generic_order(op->inst, order);
    for (int o = 0; o < op->inst->nslots && !c->failed; o++) {
        int s = order[o];
        const SlotInfo *info = &op->inst->slots[s];
        if (has_results && slot_is_result(info)) continue;
        unsigned later = 0;
        for (int l = o + 1; l < op->inst->nslots; l++)
            later += op->inst->slots[order[l]].arity == ARITY_ONE &&
                     !(has_results && slot_is_result(&op->inst->slots[order[l]]));
        unsigned left = w->n - at, take = 1;
        bool fits = true;
        if (sizes != NULL && k < sizes->n)
            fits = segment_size(sizes, k++, left, &take);
        else if (info->arity == ARITY_OPT)
            take = left > later && slot_takes(info, &w->ops[at]);
        else if (info->arity == ARITY_VAR)
            take = left > later ? left - later : 0;
        bool right =
            info->arity == ARITY_VAR || take == 1 || (info->arity == ARITY_OPT && take == 0);
        if (!fits || !right) {
            fail(c, DIAG_OPERAND_COUNT, op->name_span,
                 "'%s': operandSegmentSizes does not fit the %u operands", op->inst->name, w->n);
            return;
        }
        if (take > left) {
            fail(c, DIAG_OPERAND_COUNT, op->name_span, "'%s': too few operands, found %u",
                 op->inst->name, w->n);
            return;
        }
        segs[s] = (uint16_t)take;
        first[s] = (uint16_t)at;
        for (unsigned i = 0; i < take; i++)
            check_slot(c, op, s, &w->ops[at + i]);
        at += take;
    }
    if (!c->failed && at != w->n)
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "'%s': too many operands, found %u",
             op->inst->name, w->n);
    if (c->failed) return;
    const Operand *ops = w->ops;
    if (op->inst->rare->generic != NULL && w->n > 0) {
        Operand *sorted = ARENA_ARRAY(&c->b->ctx->arena, Operand, w->n);
        unsigned n = 0;
        for (int s = 0; s < op->inst->nslots; s++)
            for (unsigned i = 0; i < segs[s]; i++)
                sorted[n++] = w->ops[first[s] + i];
        ops = sorted;
    }
    set_operands(c->b, op, ops, w->n, segs);
}

/* ---- operations with their own syntax ---- */

/* Results are named before the regions; their types follow the regions. */
typedef struct PendingResults {
    Value *values;
    unsigned n;
} PendingResults;

static void keep_result_names(Cursor *c, Op *op, const ResultNames *names) {
    Arena *a = &c->b->ctx->arena;
    if (names->count > MOST_RESULTS) {
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "more than %d results", MOST_RESULTS);
        return;
    }
    PendingResults *p = ARENA_NEW(a, PendingResults);
    p->n = names->count;
    p->values = ARENA_ARRAY(a, Value, names->count);
    unsigned r = 0;
    for (uint32_t i = names->first; i <= names->last && names->count != 0; i += 2) {
        const Token *t = token_at(c->b, i);
        for (unsigned k = 0; k < t->number; k++, r++)
            p->values[r] = (Value){.type = c->b->error_type, /* until the tail is read */
                                   .name = t->atom,
                                   .name_off = t->off,
                                   .def = op,
                                   .index = (uint16_t)r,
                                   .pack = (uint8_t)k,
                                   .npack = t->number};
    }
    op->results = p->values;
    op->nresults = (uint8_t)p->n;
}

const Attr *take_attr(Op *op, AttrName name) {
    const NamedAttr *a = op_attr_named(op, name);
    if (a == NULL) return NULL;
    const Attr *value = a->value;
    size_t i = (size_t)(a - op->attrs);
    memmove(op->attrs + i, op->attrs + i + 1, (op->nattrs - i - 1u) * sizeof *op->attrs);
    op->nattrs--;
    return value;
}

/* Distributes arg_attrs = [{..}, {}, ..] to the parameters. */
static void spread_attrs(const Attr *list, uint32_t n, const NamedAttr **attrs, uint32_t *counts) {
    for (uint32_t i = 0; list != NULL && list->kind == ATTR_ARRAY && i < n && i < list->n; i++)
        if (list->items[i]->kind == ATTR_DICT) {
            attrs[i] = list->items[i]->entries;
            counts[i] = list->items[i]->n;
        }
}

static Trivia **append_trivia(Trivia **list, Trivia *more) {
    *list = more;
    for (; *list != NULL; list = &(*list)->next)
        if ((*list)->kind == TRIVIA_TRAILING) (*list)->kind = TRIVIA_COMMENT;
    return list;
}

/* Puts the comments of a region that is not kept before the operation. */
static void keep_region_comments(Cursor *c, Op *op) {
    const Region *r = op_regions(op);
    Trivia *own = op_trivia(op), **list = &op_more(&c->b->ctx->arena, op)->trivia;
    list = append_trivia(list, r->head);
    list = append_trivia(list, r->first->trivia);
    list = append_trivia(list, r->tail);
    *list = own;
}

static void finish_func(Cursor *c, Op *op) {
    Context *ctx = c->b->ctx;
    FuncData *f = func_data(op);
    const Attr *name = take_attr(op, ATTR_sym_name);
    const Attr *type = take_attr(op, ATTR_function_type);
    const Attr *visibility = take_attr(op, ATTR_sym_visibility);
    if (name == NULL || name->kind != ATTR_STRING || type == NULL || type->kind != ATTR_TYPE ||
        type->type->kind != TY_FUNCTION) {
        fail(c, DIAG_MISSING_ATTRIBUTE, op->name_span,
             "\"func.func\" needs sym_name = \"...\" and function_type = (..) -> ..");
        return;
    }
    f->name = name->text;
    f->name_span = name->span.len != 0 ? name->span : op->name_span;
    f->type = type->type;
    f->visibility = visibility != NULL ? visibility->text : 0;
    uint32_t nin = f->type->ninputs, nres = f->type->ntypes - nin;
    f->param_attrs = ARENA_ARRAY(&ctx->arena, const NamedAttr *, nin);
    f->nparam_attrs = ARENA_ARRAY(&ctx->arena, uint32_t, nin);
    f->result_attrs = ARENA_ARRAY(&ctx->arena, const NamedAttr *, nres);
    f->nresult_attrs = ARENA_ARRAY(&ctx->arena, uint32_t, nres);
    spread_attrs(take_attr(op, ATTR_arg_attrs), nin, f->param_attrs, f->nparam_attrs);
    spread_attrs(take_attr(op, ATTR_res_attrs), nres, f->result_attrs, f->nresult_attrs);
    if (f->has_body && op_regions(op)[0].first->first == NULL) {
        f->has_body = false; /* ({}) is a declaration */
        keep_region_comments(c, op);
        op->nregions = 0;
    }
    for (uint32_t i = 0; i < nin && f->has_body && i < op_regions(op)[0].first->nargs; i++)
        if (!type_same(op_regions(op)[0].first->args[i].type, f->type->types[i]))
            fail(c, DIAG_TYPE_MISMATCH, op->name_span,
                 "argument %u of the entry block and of the function type differ", i + 1);
}

/* Gives operands after the first `skip` to the successors, split by the segment sizes. */
static void spread_successors(Cursor *c, Op *op, const Attr *sizes, unsigned skip) {
    unsigned at = skip;
    if (op->noperands < skip) {
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "'%s': too few operands", op->inst->name);
        return;
    }
    for (unsigned s = 0; s < op->nsuccs; s++) {
        unsigned left = op->noperands - at;
        unsigned n = op->nsuccs > 1 ? 0 : left;
        if (sizes != NULL && s + skip < sizes->n && !segment_size(sizes, s + skip, left, &n)) {
            fail(c, DIAG_OPERAND_COUNT, op->name_span,
                 "'%s': operandSegmentSizes does not fit the %u operands", op->inst->name,
                 op->noperands);
            return;
        }
        if (n > 256) {
            fail(c, DIAG_OPERAND_COUNT, op->name_span, "more than 256 block arguments");
            return;
        }
        op_succs(op)[s].args = n > 0 ? op->operands + at : NULL;
        op_succs(op)[s].nargs = n;
        at += n;
    }
    if (at != op->noperands)
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "'%s': too many operands, found %u",
             op->inst->name, op->noperands);
    op->noperands = (uint16_t)skip;
}

static void finish_custom(Cursor *c, Op *op) {
    Context *ctx = c->b->ctx;
    const Attr *sizes = take_segments(ctx, op);
    if (op_is(op, INST_FUNC)) finish_func(c, op);
    if (op_is(op, INST_MODULE)) {
        const Attr *name = take_attr(op, ATTR_sym_name);
        ((ModuleData *)op_extra(op))->name = name != NULL ? name->text : 0;
    }
    if (op_is(op, INST_CALL)) {
        const NamedAttr *callee = op_attr_named(op, ATTR_callee);
        if (callee == NULL || callee->value->kind != ATTR_SYMBOL) {
            fail(c, DIAG_MISSING_ATTRIBUTE, op->name_span, "\"func.call\" needs callee = @name");
            return;
        }
        NamedAttr first = *callee; /* the callee comes first */
        op->attrs[callee - op->attrs] = op->attrs[0];
        op->attrs[0] = first;
    }
    if (op_is(op, INST_CF_SWITCH)) sizes = generic_switch(c, op, sizes);
    if (op_runs(op, RUNS_CASES)) generic_index_switch(c, op);
    if (op_is(op, INST_TASSIGN)) generic_tassign(c, op);
    if (c->failed) return;
    if (op->nsuccs > 0) spread_successors(c, op, sizes, op_is(op, INST_CF_BR) ? 0 : 1);
    unsigned fixed = 0;
    for (int s = 0; s < op->inst->nslots; s++)
        fixed += op->inst->slots[s].arity == ARITY_ONE;
    if (!c->failed && op->noperands < fixed)
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "'%s' takes %u operands, found %u",
             op->inst->name, fixed, op->noperands);
    if (c->failed || op->inst->nslots == 0) return;
    int last = op->inst->nslots - 1;
    bool plain = op->inst->slots[last].arity == ARITY_ONE;
    if (plain && op->noperands != fixed)
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "'%s' takes %u operands, found %u",
             op->inst->name, fixed, op->noperands);
    if (plain) return;
    op->segs = ARENA_ARRAY(&ctx->arena, uint16_t, op->inst->nslots);
    for (int s = 0; s < last; s++)
        op->segs[s] = 1;
    op->segs[last] = (uint16_t)(op->noperands - fixed);
}

static void check_slots(Cursor *c, const Op *op) {
    for (int s = 0, at = 0; s < op->inst->nslots; s++)
        for (unsigned i = 0; i < slot_count(op, s) && !c->failed; i++)
            check_slot(c, op, s, &op->operands[at++]);
}

/* Reads `: (types) -> results`; returns the number of results. */
static unsigned read_function_types(Cursor *c, Written *w, const Type **results) {
    expect(c, TOK_COLON);
    if (expect(c, TOK_LPAREN) && !accept(c, TOK_RPAREN)) {
        read_written_types(c, w);
        expect(c, TOK_RPAREN);
    }
    expect(c, TOK_ARROW);
    return c->failed ? 0 : read_type_list(c, results, NULL, MOST_RESULTS, false);
}

void bind_generic_tail(Cursor *c, Op *op) {
    Written types;
    const Type *results[MOST_RESULTS];
    unsigned nresults = 0;
    written_init(&types);
    if (op->nregions > 0) accept(c, TOK_RPAREN);
    if (!c->failed && peek(c) == TOK_DICT_OPEN) read_dict(c, op);
    if (!c->failed && peek(c) != TOK_COLON) fail_expected(c, "':' and the function type");
    if (!c->failed) nresults = read_function_types(c, &types, results);
    if (!c->failed && types.ntypes != op->noperands)
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "'%s': %u operands, %u types", op->inst->name,
             op->noperands, types.ntypes);
    for (unsigned i = 0; i < op->noperands && !c->failed; i++)
        check_written_type(c, &op->operands[i], types.types[i], types.spans[i]);
    if (!c->failed && op->nresults != 0 && op->nresults != nresults)
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "'%s' has %u result%s, the statement names %u",
             op->inst->name, nresults, nresults == 1 ? "" : "s", op->nresults);
    if (c->failed) {
        for (unsigned i = 0; i < op->nresults; i++) {
            op->results[i].type = c->b->error_type;
            if (op->results[i].pack == 0) define_value(c->b, &op->results[i], op->name_span);
        }
        return;
    }
    if (op->nresults == 0 && nresults != 0) {
        op->results = ARENA_ARRAY(&c->b->ctx->arena, Value, nresults);
        op->nresults = (uint8_t)nresults;
    }
    for (unsigned i = 0; i < op->nresults; i++) {
        Value *v = &op->results[i];
        v->type = results[i];
        v->def = op;
        v->index = (uint16_t)i;
        if (v->npack == 0) v->npack = 1;
    }
    for (unsigned i = 0; i < op->nresults; i++) { /* whose forward uses need the types of a pack */
        Value *v = &op->results[i];
        if (v->name != 0 && v->pack == 0)
            define_value(c->b, v, name_span(c->b, v->name, v->name_off));
    }
    finish_custom(c, op);
    if (!c->failed && op->nregions == 0)
        check_slots(c, op); /* the verifier checks operations with regions */
}

static void bind_generic_custom(Cursor *c, Op *op, const ResultNames *names) {
    Context *ctx = c->b->ctx;
    Written w;
    written_init(&w);
    if (op_is(op, INST_FUNC)) op_more(&ctx->arena, op)->extra = ARENA_NEW(&ctx->arena, FuncData);
    if (op_is(op, INST_MODULE))
        op_more(&ctx->arena, op)->extra = ARENA_NEW(&ctx->arena, ModuleData);
    expect(c, TOK_LPAREN);
    read_written_operands(c, &w);
    expect(c, TOK_RPAREN);
    if (!c->failed && accept(c, TOK_LBRACKET)) {
        do
            read_successor(c, op);
        while (!c->failed && accept(c, TOK_COMMA));
        expect(c, TOK_RBRACKET);
    }
    if (!c->failed && peek(c) == TOK_PROPS_OPEN) read_dict(c, op);
    for (unsigned i = 0; i < w.n && !c->failed; i++)
        if (w.literal[i] != 0) fail(c, DIAG_SYNTAX, w.ops[i].span, "expected a value");
    if (c->failed) return;
    set_operands(c->b, op, w.ops, w.n, NULL);
    keep_result_names(c, op, names);
    if (op->inst->nregions > 0) {
        region_init(ctx, op, op->inst->nregions);
        if (op_runs(op, RUNS_CASES)) op->nregions = 1; /* cases are added one by one */
        expect(c, TOK_LPAREN);                         /* the regions follow */
        return;
    }
    bind_generic_tail(c, op);
}

/* ---- operations with slots ---- */

/* Moves the value after the other attributes and gives it the type of the result. */
static void finish_constant(Cursor *c, Op *op) {
    Context *ctx = c->b->ctx;
    const Attr *value = take_attr(op, ATTR_value);
    const Type *type = op->results[0].type;
    bool number = value != NULL && (value->kind == ATTR_INT || value->kind == ATTR_FLOAT ||
                                    value->kind == ATTR_BOOL || value->kind == ATTR_OPAQUE);
    if (!number) {
        fail(c, DIAG_MISSING_ATTRIBUTE, op->name_span,
             "\"arith.constant\" needs value = a number, 'true' or 'false'");
        return;
    }
    const Type *written = value->type;
    if (written == NULL && value->kind != ATTR_OPAQUE)
        written = type_scalar(ctx->types, value->kind == ATTR_BOOL    ? ELEM_I1
                                          : value->kind == ATTR_FLOAT ? ELEM_F64
                                                                      : ELEM_I64);
    if (written != NULL && !type_same(written, type)) {
        fail(c, DIAG_TYPE_MISMATCH, op->name_span,
             "the value and the result of \"%s\" differ in type", op->inst->name);
        return;
    }
    add_attr(c, op, intern(&ctx->names, "value", 5), value->span, value);
}

void bind_generic(Cursor *c, Op *op, const ResultNames *names) {
    Written w;
    Signature sig = {.arrow = false};
    written_init(&w);
    if (op->inst->form == FORM_CUSTOM && !op_is(op, INST_CONSTANT)) {
        bind_generic_custom(c, op, names);
        return;
    }
    expect(c, TOK_LPAREN);
    read_written_operands(c, &w);
    expect(c, TOK_RPAREN);
    if (!c->failed && peek(c) == TOK_PROPS_OPEN) read_dict(c, op);
    if (!c->failed && peek(c) == TOK_DICT_OPEN) read_dict(c, op);
    if (!c->failed && peek(c) != TOK_COLON) fail_expected(c, "':' and the function type");
    if (!c->failed) read_signature(c, &w, &sig);
    if (!c->failed && w.ntypes != w.n)
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "'%s': %u operands, %u types", op->inst->name,
             w.n, w.ntypes);
    for (unsigned i = 0; i < w.n && !c->failed; i++)
        check_written_type(c, &w.ops[i], w.types[i], w.spans[i]);
    if (c->failed) return;
    unsigned least, most = result_slots(op->inst, &least), others = op->inst->nresults;
    bool has_tiles = most > 0 && sig.nresults >= least + others && sig.nresults <= most + others &&
                     sig.nresults > others;
    if ((op->inst->flags & IF_OPT_RESULT) !=
        0) /* the type of the instruction tells what a result is */
        has_tiles = most > 0 && sig.nresults > 0 && type_is_tile(sig.results[0]);
    generic_slots(c, op, &w, has_tiles);
    unsigned want = has_tiles ? sig.nresults : others;
    if ((op->inst->flags & IF_OPT_RESULT) != 0 && sig.nresults <= (has_tiles ? most : 0) + others)
        want = sig.nresults;
    while (want > sig.nresults && others > 0 && op->inst->results[others - 1].optional) {
        others--;
        want--;
    }
    if (!c->failed && sig.nresults != want)
        fail(c, DIAG_OPERAND_COUNT, op->name_span, "'%s' has %u result%s, the signature has %u",
             op->inst->name, want, want == 1 ? "" : "s", sig.nresults);
    set_results(c, op, names, sig.results, sig.nresults);
    if (op_is(op, INST_CONSTANT) && !c->failed) finish_constant(c, op);
}
