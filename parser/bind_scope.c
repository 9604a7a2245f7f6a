/* SPDX-License-Identifier: Apache-2.0 */
/* Scopes: the values that names mean, the open regions, and the labels of their blocks. */
#include "parser/bind_internal.h"

#include <string.h>

/* ---- names ---- */

NameEntry *name_entry(Binder *b, Atom name) {
    if (name >= b->nnames)
        b->names = ARENA_WIDEN(&b->ctx->keep, NameEntry, b->names, &b->nnames, name, 4096);
    return &b->names[name];
}

void enter_name(Binder *b, Atom name, Value *v) {
    NameEntry *e = name_entry(b, name);
    if (b->nundo == b->undo_cap)
        b->undo = ARENA_WIDEN(&b->ctx->keep, UndoEntry, b->undo, &b->undo_cap, b->nundo, 256);
    b->undo[b->nundo++] = (UndoEntry){name, *e};
    *e = (NameEntry){v, b->epoch};
}

Value *error_value(Binder *b, Atom name) {
    Value *v = ARENA_NEW(&b->ctx->arena, Value);
    v->type = b->error_type;
    v->name = name;
    v->npack = 1;
    return v;
}

void define_value(Binder *b, Value *v, Span span) {
    Value *old = lookup_name(b, v->name);
    if (old != NULL && !is_error(old)) {
        Diag *d =
            diag_add(&b->ctx->diags, DIAG_REDEFINITION, span, "redefinition of %%%.*s",
                     (int)atom_len(&b->ctx->names, v->name), atom_text(&b->ctx->names, v->name));
        diag_note_at(&b->ctx->diags, d, name_span(b, old->name, old->name_off),
                     "first defined here");
        return;
    }
    enter_name(b, v->name, v);
    forward_defined(b, v);
}

Value *use_other_value(Binder *b, const Token *t) {
    Value *v = lookup_name(b, t->atom);
    const Interner *names = &b->ctx->names;
    if (v == NULL) return forward_value(b, t);
    if (t->number != 0) {
        if (is_error(v)) return v;
        if (t->number >= v->npack) {
            diag_add(&b->ctx->diags, DIAG_UNDEFINED_VALUE, token_span(t),
                     "%%%.*s names %u value%s, there is no #%u", (int)atom_len(names, t->atom),
                     atom_text(names, t->atom), v->npack, v->npack == 1 ? "" : "s", t->number);
            return error_value(b, t->atom);
        }
        return v + t->number;
    }
    return v;
}

/* ---- block labels ---- */

static LabelEntry *label_entry(Binder *b, Frame *f, Atom label) {
    if (label >= b->nlabels)
        b->labels = ARENA_WIDEN(&b->ctx->keep, LabelEntry *, b->labels, &b->nlabels, label, 4096);
    Region *region = &op_regions(f->op)[f->region];
    /* The newest region comes first, so an entry of the open region is found at once. */
    for (LabelEntry *e = b->labels[label]; e != NULL; e = e->next)
        if (e->region == region) return e;
    LabelEntry *e = ARENA_NEW(&b->ctx->arena, LabelEntry);
    e->region = region;
    e->next = b->labels[label];
    b->labels[label] = e;
    e->next_in_region = f->labels;
    f->labels = e;
    return e;
}

Region *region_of_statements(Binder *b, Frame *f) {
    return op_is(f->op, INST_MODULE) ? op_regions(implicit_function(b, f))
                                     : &op_regions(f->op)[f->region];
}

Block *label_block(Binder *b, Region *region, const Token *t) {
    LabelEntry *e = label_entry(b, top_frame(b), t->atom);
    if (e->block == NULL) {
        e->block = ARENA_NEW(&b->ctx->arena, Block);
        e->block->region = region;
        e->block->label = t->atom;
        e->use = token_span(t);
    }
    return e->block;
}

/* Reads the arguments of a label: `(%a: T, %b: U)`. */
static void read_block_args(Cursor *c, Block *block) {
    Value *args = NULL;
    uint32_t n = 0, cap = 0;
    if (!accept(c, TOK_LPAREN)) return;
    while (peek(c) == TOK_VALUE && !c->failed) {
        const Token *name = token_at(c->b, c->pos++);
        expect(c, TOK_COLON);
        const Type *type = read_type(c);
        skip_location(c);
        if (type == NULL) return;
        if (n == cap) {
            Value *grown = block_args_new(&c->b->ctx->arena, block, (size_t)cap * 2 + 4);
            if (n != 0) memcpy(grown, args, n * sizeof *grown);
            args = grown;
            cap = cap * 2 + 4;
        }
        args[n] = block_arg(name, type, n);
        n++;
        if (!accept(c, TOK_COMMA)) break;
    }
    expect(c, TOK_RPAREN);
    block->args = args;
    block->nargs = n;
}

void define_block_args(Binder *b, const Block *block) {
    for (uint32_t i = 0; i < block->nargs; i++)
        if (block->args[i].name != 0)
            define_value(b, &block->args[i],
                         name_span(b, block->args[i].name, block->args[i].name_off));
}

static void link_block(Region *region, Block *block) {
    region->last->next = block;
    region->last = block;
}

void bind_label(Binder *b, uint32_t first, uint32_t last) {
    Frame *f = top_frame(b);
    const Token *t = token_at(b, first);
    Cursor c = cursor_over(b, first + 1, last + 1);
    Region *region = region_of_statements(b, f);
    LabelEntry *e = label_entry(b, f, t->atom);
    if (e->placed) {
        diag_add(&b->ctx->diags, DIAG_REDEFINITION, token_span(t), "redefinition of block ^%.*s",
                 (int)atom_len(&b->ctx->names, t->atom), atom_text(&b->ctx->names, t->atom));
        return;
    }
    Block *block = label_block(b, region, t);
    e->placed = true;
    block->span = token_span(t);
    const bool started = f->implicit != NULL ? region->first->first != NULL : f->started;
    const bool is_entry = !started && region->last == region->first && region->first->label == 0;
    if (is_entry && region->first->nargs == 0) {
        /* The first label names the entry block; forward references already point to `block`. */
        region->first = region->last = block;
    } else if (is_entry) {
        diag_add(&b->ctx->diags, DIAG_SYNTAX, token_span(t),
                 "the statement defines the arguments of the entry block, which takes no label");
        return;
    } else {
        link_block(region, block);
    }
    if (f->implicit == NULL) f->block = block;
    f->started = true;
    take_trivia(b, last, &block->trivia, false);
    take_comments(b, last, &block->trivia);
    if (block->nargs == 0) read_block_args(&c, block);
    if (is_entry && f->implicit != NULL && block->nargs > 0) {
        diag_add(&b->ctx->diags, DIAG_SYNTAX, token_span(t),
                 "outside of functions '.arg' lines define the arguments of the entry block");
        block->nargs = 0;
    }
    if (!c.failed) accept(&c, TOK_COLON);
    define_block_args(b, block);
}

void forget_labels(Binder *b, Frame *f) {
    for (LabelEntry *e = f->labels; e != NULL; e = e->next_in_region) {
        b->labels[e->block->label] = e->next; /* the newest of its name */
        if (!e->placed && !f->lost)
            diag_add(&b->ctx->diags, DIAG_UNDEFINED_BLOCK, e->use,
                     "the region has no block with the label ^%.*s",
                     (int)atom_len(&b->ctx->names, e->block->label),
                     atom_text(&b->ctx->names, e->block->label));
    }
}

/* ---- open regions ---- */

void push_frame(Binder *b, Op *op, unsigned region, bool lost) {
    if (b->nframes == b->frames_cap)
        b->frames = ARENA_WIDEN(&b->ctx->keep, Frame, b->frames, &b->frames_cap, b->nframes, 16);
    if (op_regions(op)[region].first == NULL) block_new(b->ctx, &op_regions(op)[region]);
    b->frames[b->nframes++] = (Frame){.op = op,
                                      .region = region,
                                      .block = op_regions(op)[region].first,
                                      .undo = b->nundo,
                                      .epoch = b->epoch,
                                      .lost = lost};
    if (op->inst->flags & IF_ISOLATED) b->epoch = ++b->last_epoch;
}

void pop_frame(Binder *b) {
    Frame *f = top_frame(b);
    finish_implicit_function(b, f->implicit);
    if (f->op->inst->flags & IF_ISOLATED) {
        forward_finish(b, f->op);
        mismatch_finish(b, f->op);
        left_out_finish(b, f->op);
    }
    forget_labels(b, f);
    while (b->nundo > f->undo) {
        const UndoEntry *u = &b->undo[--b->nundo];
        b->names[u->name] = u->old;
    }
    b->epoch = f->epoch;
    b->nframes--;
}
