/* SPDX-License-Identifier: Apache-2.0 */
/* Uses that precede their definition in the text, as happens when blocks are not in the order in
 * which they run. Such a use gets a placeholder of the type that the statement gives; at the end
 * of the function every operand gets the real value. The verifier checks that the definition
 * dominates the use. */
#include "parser/bind_internal.h"

#include <string.h>

/* Marks the value of a Forward; the verifier later overwrites tags. */
enum { FORWARD_TAG = UINT16_MAX };
/* Each suggestion walks over the function. */
enum { MOST_SUGGESTIONS = 200 };

struct Forward {
    Value value; /* placeholder; first, so that the Forward can be found from it */
    Forward *next;
    Forward *same_name;
    Value *real;     /* NULL until it is defined */
    uint32_t epoch;  /* number of the function */
    uint32_t number; /* k of %x#k */
    Span use;        /* first use */
    bool lost;       /* reported: the definition could not be read, or has another type */
};

static bool is_forward(const Value *v) {
    return v->tag == FORWARD_TAG && v->def == NULL && !v->argument;
}

static Forward **by_name(Binder *b, Atom name) {
    if (name >= b->nforward)
        b->forward_by_name =
            ARENA_WIDEN(&b->ctx->keep, Forward *, b->forward_by_name, &b->nforward, name, 4096);
    return &b->forward_by_name[name];
}

Value *forward_value(Binder *b, const Token *t) {
    Forward **list = by_name(b, t->atom);
    for (Forward *f = *list; f != NULL && f->epoch == b->epoch; f = f->same_name)
        if (f->number == t->number && f->real == NULL && !f->lost) return &f->value;
    Forward *f = ARENA_NEW(&b->ctx->arena, Forward);
    f->value = (Value){.type = b->error_type, .name = t->atom, .npack = 1, .tag = FORWARD_TAG};
    f->epoch = b->epoch;
    f->number = t->number;
    f->use = token_span(t);
    f->same_name = *list;
    *list = f;
    f->next = b->forwards;
    b->forwards = f;
    return &f->value;
}

void forward_give_type(Value *v, const Type *written) {
    if (is_forward(v)) v->type = written;
}

void forward_slot(Binder *b, const Operand *o, SlotKind kind) {
    const Elem elem = kind == SLOT_INDEX  ? ELEM_INDEX
                      : kind == SLOT_BOOL ? ELEM_I1
                      : kind == SLOT_I64  ? ELEM_I64
                                          : ELEM_ODD_INT;
    if (elem != ELEM_ODD_INT) forward_type(o, type_scalar(b->ctx->types, elem));
}

static void resolve(Binder *b, Forward *f, Value *v) {
    Context *ctx = b->ctx;
    f->real = v + f->number;
    if (f->value.type->kind == TY_NONE) return; /* no statement has given its type */
    if (is_error(v) || type_compatible(f->real->type, f->value.type)) return;
    Diag *d = diag_add(&ctx->diags, DIAG_TYPE_MISMATCH, f->use,
                       "%%%.*s has type '" TYPE_FMT "', used as '" TYPE_FMT "'",
                       (int)atom_len(&ctx->names, v->name), atom_text(&ctx->names, v->name),
                       TYPE_ARG(&ctx->names, f->real->type), TYPE_ARG(&ctx->names, f->value.type));
    diag_note_at(&ctx->diags, d, (Span){v->name_off, (uint32_t)atom_len(&ctx->names, v->name) + 1},
                 "defined here");
    f->lost = true;
}

void forward_defined(Binder *b, Value *v) {
    if (b->forwards == NULL || v->name >= b->nforward) return;
    Forward *f = b->forward_by_name[v->name];
    for (; f != NULL && f->epoch == b->epoch; f = f->same_name) {
        if (f->real != NULL || f->lost) continue;
        if (v->type->kind == TY_NONE)
            f->lost = true;
        else if (f->number < v->npack)
            resolve(b, f, v);
    }
}

/* ---- uses ---- */

/* Collects the uses of a value. */
typedef struct Uses {
    const Value *of;
    unsigned n;
    Context *ctx;
    Diag *d;          /* receives an edit per use, unless NULL */
    const char *text; /* replacement text */
} Uses;

static bool has_edit(const Diag *d, Span at) {
    for (const DiagEdit *e = d->edits; e != NULL; e = e->next)
        if (e->span.off == at.off) return true;
    return false;
}

static void note_uses(Uses *u, const Operand *list, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        if (list[i].value != u->of) continue;
        u->n++;
        if (u->d != NULL && !has_edit(u->d, list[i].span))
            diag_edit(&u->ctx->diags, u->d, list[i].span, "%s", u->text);
    }
}

static bool note_uses_of_op(Op *op, void *arg) {
    note_uses(arg, op->operands, op->noperands);
    for (unsigned s = 0; s < op->nsuccs; s++)
        note_uses(arg, op_succs(op)[s].args, op_succs(op)[s].nargs);
    return true;
}

unsigned count_uses(Op *owner, const Value *v) {
    Uses uses = {.of = v};
    op_walk(owner, note_uses_of_op, &uses);
    return uses.n;
}

/* ---- suggestions for undefined names ---- */

typedef struct Near {
    const Binder *b;
    const Forward *f;
    Op *owner; /* the names in it are considered */
    const Value *best;
    unsigned least; /* cost of `best` (near.h), higher when its type differs */
} Near;

/* Considers a name that is defined before the use, is at least as similar as `best`, and has the
 * written type. A short name with another first letter is considered only if the value is unused.
 */
static void consider(Near *n, const Value *v) {
    const Interner *names = &n->b->ctx->names;
    const Forward *f = n->f;
    size_t len = atom_len(names, f->value.name);
    if (v->name == 0 || v->pack != 0 || v->name_off >= f->use.off || is_error(v)) return;
    unsigned limit = len < 2 ? 0 : len < 4 ? 1 : 2;
    const char *wanted = atom_text(names, f->value.name), *text = atom_text(names, v->name);
    unsigned cost = edit_cost(wanted, len, text, atom_len(names, v->name), limit);
    if (cost > limit * EDIT_COST) return;
    if (len < 4 && wanted[0] != text[0] && count_uses(n->owner, v) > 0) return;
    if (f->value.type->kind != TY_NONE && !type_compatible(v->type, f->value.type))
        cost += EDIT_COST / 2;
    if (cost > n->least) return;
    n->least = cost;
    n->best = v;
}

static bool consider_op(Op *op, void *arg) {
    Near *n = arg;
    for (unsigned i = 0; i < op->nresults; i++)
        consider(n, &op->results[i]);
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *block = op_regions(op)[r].first; block != NULL; block = block->next)
            for (unsigned i = 0; i < block->nargs; i++)
                consider(n, &block->args[i]);
    return true;
}

/* Renames the definition if nothing uses the similar value and several places use the undefined
 * name; else renames the uses. */
static void rename(Binder *b, const Forward *f, Op *owner, Diag *d, const Value *near) {
    Context *ctx = b->ctx;
    const char *meant = atom_text(&ctx->names, near->name);
    int length = (int)atom_len(&ctx->names, near->name);
    if (near->npack == 1 && count_uses(owner, &f->value) > 1 && count_uses(owner, near) == 0) {
        diag_edit(&ctx->diags, d, (Span){near->name_off, (uint32_t)length + 1}, "%%%.*s",
                  (int)atom_len(&ctx->names, f->value.name), atom_text(&ctx->names, f->value.name));
        return;
    }
    Uses uses = {.of = &f->value,
                 .ctx = ctx,
                 .d = d,
                 .text = arena_printf(&ctx->arena, "%%%.*s", length, meant)};
    diag_edit(&ctx->diags, d, f->use, "%s", uses.text);
    op_walk(owner, note_uses_of_op, &uses);
}

/* A search for the statement that uses an undefined name. */
typedef struct Naming {
    Span use;
    const char *name; /* of the operand; NULL: not found yet */
    const Op *op;
} Naming;

static bool find_use(Op *op, void *arg) {
    Naming *n = arg;
    for (unsigned i = 0; i < op->noperands && n->name == NULL; i++)
        if (op->operands[i].span.off == n->use.off) {
            n->name = op_operand_name(op, i);
            n->op = op;
        }
    return n->name == NULL;
}

static void report_undefined(Binder *b, const Forward *f, Op *owner) {
    Context *ctx = b->ctx;
    bool shown = !ctx->diags.stopped && b->nsuggested < MOST_SUGGESTIONS;
    Diag *d =
        diag_add(&ctx->diags, DIAG_UNDEFINED_VALUE, f->use, "use of undefined value %%%.*s",
                 (int)atom_len(&ctx->names, f->value.name), atom_text(&ctx->names, f->value.name));
    Near near = {.b = b, .f = f, .owner = owner, .least = 2 * EDIT_COST + EDIT_COST / 2};
    b->nsuggested += shown;
    Naming naming = {.use = f->use};
    if (shown) {
        op_walk(owner, find_use, &naming);
        op_walk(owner, consider_op, &near);
    }
    d->operand = naming.name;
    if (naming.op != NULL) {
        d->inst = (uint16_t)inst_id(naming.op->inst);
        d->form = naming.op->form;
    }
    const Value *v = near.best;
    if (v == NULL) return;
    const char *text = arena_printf(&ctx->arena, "%%%.*s", (int)atom_len(&ctx->names, v->name),
                                    atom_text(&ctx->names, v->name));
    Span there = {v->name_off, (uint32_t)strlen(text)};
    if (v->name == f->value.name) {
        diag_note_at(&ctx->diags, d, there, "%s, defined here, is not visible there", text);
        return;
    }
    diag_note_at(&ctx->diags, d, there, "did you mean %s, defined here?", text);
    if (f->number == 0) rename(b, f, owner, d, v);
    const Interner *names = &ctx->names;
    d->guess = !same_spelling(atom_text(names, v->name), atom_len(names, v->name),
                              atom_text(names, f->value.name), atom_len(names, f->value.name));
}

/* Reports a value without a type: its statement was bound as if the type were none. */
static void report_untyped(Binder *b, const Forward *f) {
    Context *ctx = b->ctx;
    const Value *v = f->real;
    Diag *d = diag_add(&ctx->diags, DIAG_UNDEFINED_VALUE, f->use,
                       "%%%.*s is used before its definition by a statement that writes no type",
                       (int)atom_len(&ctx->names, v->name), atom_text(&ctx->names, v->name));
    diag_note_at(&ctx->diags, d, (Span){v->name_off, (uint32_t)atom_len(&ctx->names, v->name) + 1},
                 "defined here");
}

static void replace(Binder *b, Operand *list, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        if (!is_forward(list[i].value)) continue;
        const Forward *f = (const Forward *)(const void *)list[i].value;
        bool good = f->real != NULL && !f->lost && f->value.type->kind != TY_NONE;
        list[i].value = good ? f->real : error_value(b, f->value.name);
    }
}

/* Checks the kinds of operands that had no type when their statement was bound. */
static void check_kinds(Binder *b, const Op *op) {
    Cursor c = {.b = b, .start = op->span.off};
    for (int s = 0, at = 0; s < op->inst->nslots; s++)
        for (unsigned i = 0; i < slot_count(op, s) && at < op->noperands; i++)
            check_slot(&c, op, s, &op->operands[at++]);
}

static bool has_forward(const Op *op) {
    for (unsigned i = 0; i < op->noperands; i++)
        if (is_forward(op->operands[i].value)) return true;
    return false;
}

static bool replace_in_op(Op *op, void *arg) {
    Binder *b = arg;
    bool found = has_forward(op);
    replace(b, op->operands, op->noperands);
    if (found) check_kinds(b, op);
    for (unsigned s = 0; s < op->nsuccs; s++)
        replace(b, op_succs(op)[s].args, op_succs(op)[s].nargs);
    return true;
}

/* Removes the placeholders of the current function and returns them in the order of the text. */
static Forward *take_forwards(Binder *b) {
    Forward *first = NULL;
    while (b->forwards != NULL && b->forwards->epoch == b->epoch) {
        Forward *f = b->forwards;
        b->forwards = f->next;
        b->forward_by_name[f->value.name] = f->same_name;
        f->next = first;
        first = f;
    }
    return first;
}

void forward_finish(Binder *b, Op *owner) {
    const Forward *first = take_forwards(b);
    for (const Forward *f = first; f != NULL; f = f->next) {
        if (f->real == NULL && !f->lost)
            report_undefined(b, f, owner);
        else if (f->real != NULL && f->value.type->kind == TY_NONE)
            report_untyped(b, f);
    }
    if (first != NULL) op_walk(owner, replace_in_op, b);
}
