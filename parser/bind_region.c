/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of statements, and functions that a hook inspects and forgets. */
#include "parser/bind_internal.h"

/* Makes an operation that carries the region of a dropped statement. */
static Op *dropped_op(Binder *b, unsigned nregions) {
    Op *op = op_new(b->ctx, &inst_table[INST_SCF_EXECUTE_REGION], (Span){0, 0});
    region_init(b->ctx, op, nregions);
    return op;
}

static bool too_deep(Binder *b, uint32_t open) {
    if (b->nframes <= MAX_REGION_DEPTH) return false;
    if (b->nframes == MAX_REGION_DEPTH + 1)
        diag_add(&b->ctx->diags, DIAG_NESTING, token_span(token_at(b, open)),
                 "regions are nested more than %d deep", MAX_REGION_DEPTH);
    return true;
}

/* ---- functions that a hook inspects ---- */

static void note_body_start(Binder *b, Op *op) {
    Context *ctx = b->ctx;
    const Frame *around = &b->frames[b->nframes - 2];
    if (op_is(op, INST_FUNC) && op->form != OPF_GENERIC && op_is(around->op, INST_MODULE))
        b->body = (BodyStart){.func = op,
                              .mark = arena_mark(&ctx->arena),
                              .attrs = op->attrs,
                              .trivia = op_trivia(op),
                              .diag = ctx->diags.last,
                              .alias = ctx->last_alias,
                              .nlocations = ctx->nlocations,
                              .nliterals = b->nliterals,
                              .lost_function = b->module->lost_function};
}

/* True when everything created since the body began belongs to the body. */
static bool body_is_all(const Binder *b, const Op *op) {
    const Context *ctx = b->ctx;
    const BodyStart *s = &b->body;
    return s->func == op && s->attrs == op->attrs && s->trivia == op_trivia(op) &&
           s->diag == ctx->diags.last && s->alias == ctx->last_alias && !ctx->diags.stopped &&
           s->nlocations == ctx->nlocations && s->lost_function == b->module->lost_function;
}

static void function_read(Binder *b, Op *op) {
    bool all = body_is_all(b, op);
    b->body.func = NULL;
    if (!all || *b->hook->stop || !b->hook->read(b->hook->user, b->module, op)) return;
    Region *r = op_regions(op);
    r->last = r->first;
    r->tail = NULL;
    b->pending_region = NULL;
    r->first->first = r->first->last = NULL;
    r->first->next = NULL;
    op->nregions = 0;
    func_data(op)->forgotten = true;
    b->ctx->forgotten.n++;
    for (uint32_t i = b->body.nliterals; i < b->nliterals; i++)
        b->literals[i].value = NULL;
    arena_rewind(&b->ctx->arena, b->body.mark);
}

void bind_region_open(Binder *b, uint32_t first, uint32_t open) {
    Frame *f = top_frame(b);
    bool deep = too_deep(b, open);
    Op *op = deep || first >= open ? NULL : bind_header(b, first, open, true);
    bool lost = op == NULL;
    if (!lost && op->inst->nregions == 0) {
        diag_add(&b->ctx->diags, DIAG_SYNTAX, token_span(token_at(b, open)), "'%s' has no region",
                 op->inst->name);
        lost = true;
    }
    if (lost) {
        op = dropped_op(b, 1);
    } else if (f->lost) {
        lost = true;
    } else {
        append_op(b, op);
    }
    push_frame(b, op, 0, lost);
    op_regions(op)[0].open = token_span(token_at(b, open));
    if (op->inst->form == FORM_CUSTOM && op->nregions > 0) {
        Cursor c = cursor_over(b, first, open);
        custom_region_open(&c, op, 0);
    }
    if (deep) return;
    if (first < open && lost)
        define_lost_results(b, first, open - 1); /* loop variables, iter_args */
    take_comments(b, open, &op_regions(op)[0].head);
    if (b->hook != NULL && !lost) note_body_start(b, op);
}

void bind_region_close(Binder *b, uint32_t close) {
    Frame *f = top_frame(b);
    if (b->nframes <= 1) return;
    Region *r = &op_regions(f->op)[f->region];
    r->close = token_span(token_at(b, close));
    take_trivia(b, close, &r->tail, false);
    b->pending = f->op;
    b->pending_lost = f->lost;
    b->pending_region = r;
    pop_frame(b);
    take_comments(b, close, &r->tail);
}

/* What trails the last closing brace of a statement trails the statement. */
static void comments_of_statement(Binder *b, Op *op) {
    Region *r = b->pending_region;
    b->pending_region = NULL;
    if (r == NULL || r->tail == NULL) return;
    Trivia **to = &op_more(&b->ctx->arena, op)->trivia;
    while (*to != NULL)
        to = &(*to)->next;
    for (Trivia **from = &r->tail; *from != NULL;) {
        Trivia *t = *from;
        if (t->kind != TRIVIA_TRAILING && t->kind != TRIVIA_LOCATION) {
            from = &t->next;
            continue;
        }
        *from = t->next;
        t->next = NULL;
        *to = t;
        to = &t->next;
    }
}

void bind_region_more(Binder *b, uint32_t first, uint32_t last, uint32_t open) {
    Op *op = b->pending;
    bool lost = b->pending_lost;
    unsigned index = 1;
    while (op->inst->form == FORM_CUSTOM && index < op->nregions &&
           op_regions(op)[index].open.len != 0)
        index++;
    Cursor c = cursor_over(b, first, open != 0 ? open : last + 1);
    if (!lost && open == 0) {
        comments_of_statement(b, op);
        custom_done(&c, op);
        b->pending_lost = true; /* bind_region_done has nothing left to read */
        take_trailing(b, op, last);
        return;
    }
    if (open == 0) return;
    if (too_deep(b, open)) lost = true;
    if (!lost && !custom_region_next(&c, op, index)) lost = true;
    if (lost) {
        op = dropped_op(b, 1);
        index = 0;
    }
    push_frame(b, op, index, lost);
    Region *r = &op_regions(op)[index];
    r->open = token_span(token_at(b, open));
    if (!lost) custom_region_open(&c, op, index);
    take_trivia(b, open, &r->head, false);
    take_comments(b, open, &r->head);
}

void bind_region_done(Binder *b) {
    if (b->pending == NULL) return;
    if (!b->pending_lost) {
        Cursor c = cursor_over(b, 0, 0);
        custom_done(&c, b->pending);
        if (b->hook != NULL && op_is(b->pending, INST_FUNC)) function_read(b, b->pending);
        comments_of_statement(b, b->pending);
    }
    b->pending = NULL;
}
