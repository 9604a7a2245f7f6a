/* SPDX-License-Identifier: Apache-2.0 */
/* Suggests a value for a missing operand: one that is visible, has the type that the text gives
 * for it, and is not read anywhere else. Chosen at the end of the function, when all reads are
 * known. */
#include "parser/bind_internal.h"

#include <string.h>

enum { MOST_CANDIDATES = 32, MOST_STATEMENTS = 100 };

typedef struct Candidate {
    const Value *value;
    bool named; /* another operand of the statement is this value */
} Candidate;

struct LeftOut {
    LeftOut *next;
    Diag *d;
    Span at;     /* a neighbouring operand */
    bool before; /* the missing operand precedes it */
    bool needed; /* the statement is illegal without it, whatever its types */
    const Type *type;
    Candidate list[MOST_CANDIDATES]; /* the last definition first */
    unsigned n;
    uint32_t epoch; /* number of the function */
};

static void add_candidate(LeftOut *l, const Value *v, bool named) {
    unsigned i = l->n;
    while (i > 0 && l->list[i - 1].value->name_off < v->name_off)
        i--;
    if (i == MOST_CANDIDATES) return;
    if (l->n < MOST_CANDIDATES) l->n++;
    memmove(l->list + i + 1, l->list + i, (l->n - 1 - i) * sizeof l->list[0]);
    l->list[i] = (Candidate){v, named};
}

static bool is_named(const Cursor *c, Span statement, Atom name) {
    for (uint32_t i = c->pos; i > c->b->buf->base && token_at(c->b, i - 1)->off >= statement.off;
         i--)
        if (token_at(c->b, i - 1)->kind == TOK_VALUE && token_at(c->b, i - 1)->atom == name)
            return true;
    for (uint32_t i = c->pos; i < c->end; i++)
        if (token_at(c->b, i)->kind == TOK_VALUE && token_at(c->b, i)->atom == name) return true;
    return false;
}

/* Returns the index of the missing operand and its type in *extra; -1 when the operands do not fit
 * the types with a single gap. */
static int place_of(const Written *w, const Type **extra) {
    int at = -1;
    for (unsigned t = 0, i = 0; t < w->ntypes; t++) {
        bool fits = i < w->n &&
                    (w->literal[i] != 0 || w->ops[i].value == NULL || is_error(w->ops[i].value) ||
                     type_compatible(w->ops[i].value->type, w->types[t]));
        if (fits) {
            i++;
            continue;
        }
        if (at >= 0) return -1;
        at = (int)i;
        *extra = w->types[t];
    }
    return at;
}

void left_out_note(Cursor *c, const Op *op, const Written *w, bool needed, Diag *d) {
    Binder *b = c->b;
    const Type *type = NULL;
    if (d == NULL || w->n == 0 || w->nindices != 0 || w->nclauses != 0 || w->ntypes != w->n + 1 ||
        b->nleft_out == MOST_STATEMENTS)
        return;
    int place = place_of(w, &type);
    if (place < 0 || type->kind == TY_NONE) return;
    LeftOut *l = ARENA_NEW(&b->ctx->arena, LeftOut);
    *l = (LeftOut){.next = b->left_out,
                   .d = d,
                   .at = w->ops[place > 0 ? place - 1 : 0].span,
                   .before = place == 0,
                   .needed = needed,
                   .type = type,
                   .epoch = b->epoch};
    b->nleft_out++;
    for (Atom name = 0; name < b->nnames; name++) {
        const Value *v = lookup_name(b, name);
        if (v == NULL || is_error(v) || v->npack != 1 || !type_compatible(v->type, type)) continue;
        add_candidate(l, v, is_named(c, op->name_span, name));
    }
    b->left_out = l;
}

/* A search for a statement that reads a value, and does not only write it. */
typedef struct Reads {
    const Value *of;
    bool found;
} Reads;

static bool note_read(Op *op, void *arg) {
    Reads *r = arg;
    unsigned at = 0;
    for (int s = 0; s < op->inst->nslots; s++) {
        bool out = op->form == OPF_DPS && slot_in_outs(&op->inst->slots[s]);
        for (unsigned i = 0; i < slot_count(op, s) && at < op->noperands; i++, at++)
            r->found |= !out && op->operands[at].value == r->of;
    }
    for (; at < op->noperands; at++)
        r->found |= op->operands[at].value == r->of;
    return !r->found;
}

static bool is_read(Op *owner, const Value *v) {
    Reads r = {.of = v};
    op_walk(owner, note_read, &r);
    return r.found;
}

static const Value *choose(const LeftOut *l, Op *owner, bool *sure) {
    const Value *read = NULL, *named = NULL;
    *sure = true;
    for (unsigned i = 0; i < l->n; i++) {
        const Value *v = l->list[i].value;
        if (l->list[i].named)
            named = named == NULL ? v : named;
        else if (!is_read(owner, v))
            return v;
        else
            read = read == NULL ? v : read;
    }
    *sure = false;
    return read != NULL ? read : named;
}

static void offer(Context *ctx, const LeftOut *l, Op *owner) {
    bool sure;
    const Value *v = choose(l, owner, &sure);
    if (v == NULL || (!sure && !l->needed)) return;
    int len = (int)atom_len(&ctx->names, v->name);
    const char *name = atom_text(&ctx->names, v->name);
    diag_note_at(&ctx->diags, l->d, (Span){v->name_off, (uint32_t)len + 1},
                 "did you leave out %%%.*s, defined here?", len, name);
    l->d->edits = NULL;
    l->d->guess = true;
    if (l->before)
        diag_edit(&ctx->diags, l->d, (Span){l->at.off, 0}, "%%%.*s, ", len, name);
    else
        diag_edit(&ctx->diags, l->d, (Span){l->at.off + l->at.len, 0}, ", %%%.*s", len, name);
}

void left_out_finish(Binder *b, Op *owner) {
    for (; b->left_out != NULL && b->left_out->epoch == b->epoch; b->left_out = b->left_out->next)
        offer(b->ctx, b->left_out, owner);
}
