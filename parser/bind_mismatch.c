/* Uses that give another type than the definition of their value. The fix of each use is the type
 * of the definition; if all uses agree on another type, the fix of the first one changes the
 * definition. */
#include "parser/bind_internal.h"
#include "parser/type_places.h"

struct Mismatch {
    Mismatch *next;
    const Value *value;
    const Type *written;
    Diag *d;
    uint32_t epoch;  /* number of the function */
    unsigned number; /* number within the function */
};

enum { MOST_MISMATCHES = 256 };

void mismatch_note(Binder *b, const Value *v, const Type *written, Diag *d) {
    const Mismatch *last = b->mismatches;
    unsigned number = last != NULL && last->epoch == b->epoch ? last->number + 1 : 0;
    if (number == MOST_MISMATCHES) return;
    Mismatch *m = ARENA_NEW(&b->ctx->arena, Mismatch);
    *m = (Mismatch){b->mismatches, v, written, d, b->epoch, number};
    b->mismatches = m;
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
        for (const Block *block = op->regions[r].first; block != NULL; block = block->next)
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

/* Makes the first use's diagnostic, that of `m`, change the definition. */
static void change_definition(Binder *b, const Mismatch *m, Op *owner) {
    Context *ctx = b->ctx;
    Span place;
    const Type *written;
    unsigned n = uses_that_agree(b, m);
    if (n == 0 || (n == 1 && !use_is_right(owner, m)) || count_uses(owner, m->value) > 0 ||
        !value_type_place(ctx, m->value, &place, &written) || !type_same(written, m->value->type))
        return;
    for (const Mismatch *o = b->mismatches; o != NULL && o->epoch == m->epoch; o = o->next)
        if (o->value == m->value) o->d->edits = NULL;
    diag_edit(&ctx->diags, m->d, place, TYPE_FMT, TYPE_ARG(&ctx->names, m->written));
}

/* True when `m` is the first in the text for its value; the list has the newest first. */
static bool is_first(const Mismatch *m) {
    for (const Mismatch *o = m->next; o != NULL && o->epoch == m->epoch; o = o->next)
        if (o->value == m->value) return false;
    return true;
}

void mismatch_finish(Binder *b, Op *owner) {
    uint32_t epoch = b->epoch;
    if (b->mismatches == NULL || b->mismatches->epoch != epoch) return;
    const Mismatch *end = b->mismatches;
    while (end != NULL && end->epoch == epoch) {
        if (is_first(end)) change_definition(b, end, owner);
        end = end->next;
    }
    while (b->mismatches != end)
        b->mismatches = b->mismatches->next;
}
