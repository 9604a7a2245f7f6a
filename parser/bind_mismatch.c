/* SPDX-License-Identifier: Apache-2.0 */
/* Uses that give or need another type than the definition of their value. The fix of a use that
 * gives a type is the type of the definition, that of a use that needs one is a cast; if all uses
 * agree on another type, the fix of the first one changes the definition. Also constants such as
 * `1.0 : i32`. */
#include "parser/bind_internal.h"
#include "parser/conversions.h"
#include "parser/type_places.h"

struct Mismatch {
    Mismatch *next;
    const Value *value;
    const Type *written; /* or needed */
    Diag *d;
    uint32_t epoch;  /* number of the function */
    unsigned number; /* number within the function */
    bool needed;     /* the statement takes no other type; the rest is for these */
    uint32_t start;  /* of the statement */
    Span use, place; /* of the operand, and of its own type (length 0: not given) */
    bool shares;     /* a cast with other uses */
};

enum { MOST_MISMATCHES = 256 };

static void note(Binder *b, Mismatch made) {
    const Mismatch *last = b->mismatches;
    made.number = last != NULL && last->epoch == b->epoch ? last->number + 1 : 0;
    if (made.number == MOST_MISMATCHES) return;
    made.epoch = b->epoch;
    made.next = b->mismatches;
    b->mismatches = ARENA_NEW(&b->ctx->arena, Mismatch);
    *b->mismatches = made;
}

void mismatch_note(Binder *b, const Value *v, const Type *written, Diag *d) {
    note(b, (Mismatch){.value = v, .written = written, .d = d});
}

void mismatch_needed(Cursor *c, const Operand *o, const Type *wanted, Span place, Diag *d) {
    note(c->b, (Mismatch){.value = o->value,
                          .written = wanted,
                          .d = d,
                          .needed = true,
                          .start = c->start,
                          .use = o->span,
                          .place = place});
}

/* Counts other values of a function with the same type, and with the same element type. */
typedef struct Census {
    const Value *but;
    const Type *type;
    unsigned same, same_elements;
} Census;

static void count_value(Census *n, const Value *v) {
    const Type *t = v->type;
    if (v == n->but) return;
    n->same += type_same(t, n->type);
    n->same_elements += t->kind != TY_SCALAR && t->elem == n->type->elem;
}

static bool count_values(Op *op, void *arg) {
    for (unsigned i = 0; i < op->nresults; i++)
        count_value(arg, &op->results[i]);
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *block = op_regions(op)[r].first; block != NULL; block = block->next)
            for (unsigned i = 0; i < block->nargs; i++)
                count_value(arg, &block->args[i]);
    return true;
}

/* For a single use: prefers the type that more of the other values have. */
static bool use_is_right(Op *owner, const Mismatch *m) {
    Census used = {.but = m->value, .type = m->written};
    Census defined = {.but = m->value, .type = m->value->type};
    op_walk(owner, count_values, &used);
    op_walk(owner, count_values, &defined);
    if (used.same != defined.same) return used.same > defined.same;
    return used.same_elements > defined.same_elements;
}

/* Returns the number of uses if all of them give the type of `m`, else 0. */
static unsigned uses_that_agree(const Binder *b, const Mismatch *m) {
    unsigned n = 0;
    for (const Mismatch *o = b->mismatches; o != NULL && o->epoch == m->epoch; o = o->next) {
        if (o->value != m->value) continue;
        if (!type_same(o->written, m->written)) return 0;
        n++;
    }
    return n;
}

/* Uses by arithmetic whose other operand has the wanted type: they are errors too. */
typedef struct OddUses {
    const Value *of;
    const Type *wanted;
    unsigned n;
} OddUses;

static bool count_odd_uses(Op *op, void *arg) {
    OddUses *uses = arg;
    if (op->inst->family != FAM_ARITH || op->noperands != 2) return true;
    for (unsigned i = 0; i < 2; i++)
        uses->n += op->operands[i].value == uses->of &&
                   type_same(op->operands[1 - i].value->type, uses->wanted);
    return true;
}

static bool has_right_uses(Op *owner, const Mismatch *m) {
    OddUses odd = {m->value, m->written, 0};
    unsigned n = count_uses(owner, m->value);
    if (n > 0) op_walk(owner, count_odd_uses, &odd);
    return n > odd.n;
}

/* Can the definition get the type of `m`? Sets the place of its type. */
static bool can_change(const Binder *b, const Mismatch *m, Op *owner, Span *place) {
    const Type *written;
    unsigned n = uses_that_agree(b, m);
    if (n == 0 || has_right_uses(owner, m)) return false;
    bool constant = constant_takes(b->ctx, m->value, m->written, place);
    if (m->needed || (constant && is_named_once(b->ctx, m->value, owner))) return constant;
    return (n > 1 || use_is_right(owner, m)) &&
           value_type_place(b->ctx, m->value, place, &written) &&
           type_same(written, m->value->type);
}

static void merge(Context *ctx, const Mismatch *m, Diag *d) {
    if (d != m->d)
        diag_merge(&ctx->diags, m->d, d,
                   m->needed ? "'" TYPE_FMT "' is needed here too"
                             : "'" TYPE_FMT "' is written here too",
                   TYPE_ARG(&ctx->names, m->written));
}

/* Makes the first use's diagnostic, that of `m`, change the definition; the others have the same
 * cause. */
static void change_definition(Binder *b, const Mismatch *m, Op *owner) {
    Context *ctx = b->ctx;
    Span place;
    if (!can_change(b, m, owner, &place)) return;
    bool needed = true;
    for (const Mismatch *o = b->mismatches; o != NULL && o->epoch == m->epoch; o = o->next)
        if (o->value == m->value) {
            merge(ctx, m, o->d);
            o->d->edits = NULL;
            needed &= o->needed;
            if (o->place.len > 0)
                diag_edit(&ctx->diags, m->d, o->place, TYPE_FMT, TYPE_ARG(&ctx->names, m->written));
        }
    diag_edit(&ctx->diags, m->d, place, TYPE_FMT, TYPE_ARG(&ctx->names, m->written));
    m->d->safe_fix = needed && is_named_once(ctx, m->value, owner);
}

/* A cast for a use, which the definition of the value may make needless later. */
static void change_use(Binder *b, const Mismatch *m) {
    Context *ctx = b->ctx;
    if (m->needed && offer_cast(ctx, m->d, m->start, m->value, m->use, m->written) &&
        m->place.len > 0)
        diag_edit(&ctx->diags, m->d, m->place, TYPE_FMT, TYPE_ARG(&ctx->names, m->written));
}

/* Do two uses need the same type of the same value? */
static bool needs_same(const Mismatch *a, const Mismatch *b) {
    return a->needed && b->needed && a->value == b->value && type_same(a->written, b->written);
}

/* Is `m` the first in the text of several uses that need the same? The list has the newest first.
 */
static bool is_first_need(const Binder *b, const Mismatch *m) {
    bool several = false;
    for (const Mismatch *o = m->next; o != NULL && o->epoch == m->epoch; o = o->next)
        if (needs_same(o, m)) return false;
    for (const Mismatch *o = b->mismatches; o != m; o = o->next)
        several |= needs_same(o, m);
    return several;
}

/* One cast for all uses that need the same as the first. */
static void share_cast(Binder *b, const Mismatch *first) {
    Context *ctx = b->ctx;
    Diag *d = first->d;
    const Atom name = offer_cast_of_value(ctx, d, first->value, first->written, first->start);
    if (name == 0) return;
    for (Mismatch *o = b->mismatches; o != NULL && o->epoch == first->epoch; o = o->next) {
        if (!needs_same(o, first)) continue;
        o->shares = true;
        diag_edit(&ctx->diags, d, o->use, "%%%.*s", (int)atom_len(&ctx->names, name),
                  atom_text(&ctx->names, name));
        if (o->place.len > 0)
            diag_edit(&ctx->diags, d, o->place, TYPE_FMT, TYPE_ARG(&ctx->names, first->written));
        merge(ctx, first, o->d);
    }
}

/* True when `m` is the first in the text for its value; the list has the newest first. */
static bool is_first(const Mismatch *m) {
    for (const Mismatch *o = m->next; o != NULL && o->epoch == m->epoch; o = o->next)
        if (o->value == m->value) return false;
    return true;
}

/* ---- constants ---- */

struct OddConstant {
    OddConstant *next;
    Atom name;
    bool is_float; /* the number; its type is of the other kind */
    Span type;
    const Type *used; /* by the first use that writes a type; NULL: none yet */
    Diag *d;
    uint32_t epoch;
};

void odd_constant_note(Binder *b, Atom name, bool is_float, Span type, Diag *d) {
    OddConstant *odd = ARENA_NEW(&b->ctx->arena, OddConstant);
    *odd = (OddConstant){b->odd_constants, name, is_float, type, NULL, d, b->epoch};
    b->odd_constants = odd;
}

void odd_constant_use(Binder *b, const Value *v, const Type *written) {
    enum { MOST_LOOKED_AT = 100 };
    OddConstant *odd = b->odd_constants;
    for (int i = 0; odd != NULL && odd->epoch == b->epoch && i < MOST_LOOKED_AT; i++) {
        if (odd->name == v->name && odd->used == NULL) odd->used = written;
        odd = odd->next;
    }
}

/* Where the uses write a type of the kind of the number, the constant gets that, else the number
 * that was offered. */
static void finish_constants(Binder *b) {
    Context *ctx = b->ctx;
    for (; b->odd_constants != NULL && b->odd_constants->epoch == b->epoch;
         b->odd_constants = b->odd_constants->next) {
        const OddConstant *odd = b->odd_constants;
        const Type *t = odd->used;
        if (t == NULL || t->kind != TY_SCALAR) continue;
        bool is_float = elem_infos[t->elem].cls == 'F' || elem_infos[t->elem].cls == 'L';
        if (is_float != odd->is_float) continue;
        odd->d->edits = NULL;
        odd->d->safe_fix = false;
        diag_edit(&ctx->diags, odd->d, odd->type, TYPE_FMT, TYPE_ARG(&ctx->names, t));
    }
}

void mismatch_finish(Binder *b, Op *owner) {
    uint32_t epoch = b->epoch;
    finish_constants(b);
    if (b->mismatches == NULL || b->mismatches->epoch != epoch) return;
    const Mismatch *end = b->mismatches;
    while (end != NULL && end->epoch == epoch) {
        if (is_first_need(b, end)) share_cast(b, end);
        end = end->next;
    }
    end = b->mismatches;
    while (end != NULL && end->epoch == epoch) {
        if (!end->shares) change_use(b, end);
        end = end->next;
    }
    end = b->mismatches;
    while (end != NULL && end->epoch == epoch) {
        if (is_first(end)) change_definition(b, end, owner);
        end = end->next;
    }
    while (b->mismatches != end)
        b->mismatches = b->mismatches->next;
}
