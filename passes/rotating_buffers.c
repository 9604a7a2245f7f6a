/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers that take turns, for results whose earlier tile is still needed when their instruction
 * runs again. There is one buffer more than values that may hold an earlier tile at that point.
 * Each of those values carries the number of its buffer along, through loops, branches and blocks,
 * and the instruction writes a buffer that none of them holds. Results that flow into one value
 * share buffers. */
#include "passes/dps.h"

#include <string.h>

/* A value that several statements pass values to: one position in all their lists. */
typedef enum JoinKind {
    JOIN_FOR,    /* scf.for: init and yield -> arguments and results */
    JOIN_BEFORE, /* scf.while: init and yield -> arguments of the first region */
    JOIN_AFTER,  /* scf.while: condition -> arguments of the second region, and results */
    JOIN_RESULT, /* other statements with regions: yields -> results */
    JOIN_BLOCK   /* branches -> arguments of a block */
} JoinKind;

typedef struct Join {
    struct Join *next;
    JoinKind kind;
    Op *op;                   /* NULL for JOIN_BLOCK */
    Block *block;             /* only for JOIN_BLOCK */
    unsigned at;              /* position in the lists */
    Value *argument, *result; /* the added values for the number */
} Join;

/* A result that takes turns. */
typedef struct Root {
    const Storage *s;
    LiveValue *
        *held; /* values that may hold a tile of some root and are needed when this one runs */
    uint32_t nheld;
    Value *turn; /* number of the buffer that is written */
    Value *tile; /* buffer that is written */
} Root;

typedef struct Turns {
    Dps *d;
    const Scope *loop; /* the outermost loop: values that leave it never return */
    Root *roots;
    uint32_t nroots;
    LiveValue **values; /* the roots and the values they may flow into */
    uint32_t n;
    uint32_t nbuffers;
    Value **buffers;
    PtrMap numbers; /* const LiveValue * -> Value *: the number of its buffer */
    Join *joins, **last_join;
    const Value *like; /* source of names */
    const char *why;   /* why this is impossible, or NULL */
} Turns;

/* ---- which values hold an earlier tile ---- */

/* True when the value is needed after the instruction of `s`. A value that is defined after it in
 * the text is redefined before it is used. */
static bool is_needed(Live *l, const LiveValue *lv, const Storage *s) {
    if (!scope_encloses(lv->scope, s->scope)) return false;
    if (!lv->scope->blocks && lv->pos >= s->pos) return false;
    const Spot at = storage_spot(s);
    for (const Use *u = lv->uses; u != NULL; u = u->next)
        if (u->op == s->op && !dps_reads_in_place(lv, s->op)) return true;
    return live_needed_after(l, lv, &at);
}

static bool is_inside(const Turns *t, const LiveValue *lv) {
    const Scope *s = lv->scope; /* the regions of a loop have the same positions */
    return t->loop->start <= s->start && s->end <= t->loop->end;
}

/* Adds to the search the values that a value flows into and, with `back`, those that flow into it.
 */
static uint32_t add_neighbours(const Turns *t, const LiveValue *lv, uint32_t n, bool back) {
    Live *l = t->d->live;
    for (const Flow *f = lv->flows; f != NULL; f = f->next) {
        if (f->to->stamp == l->stamp || !is_inside(t, f->to)) continue;
        f->to->stamp = l->stamp;
        live_push(l, n++, f->to);
    }
    for (const Flow *f = back ? lv->sources : NULL; f != NULL; f = f->next_source) {
        if (f->from->stamp == l->stamp || !is_inside(t, f->from)) continue;
        f->from->stamp = l->stamp;
        live_push(l, n++, f->from);
    }
    return n;
}

/* Fills Live.list with the values connected to `lv`, itself first; returns their number. */
static uint32_t search(const Turns *t, LiveValue *lv, bool back) {
    Live *l = t->d->live;
    uint32_t n = 0;
    lv->stamp = ++l->stamp;
    live_push(l, n++, lv);
    for (uint32_t i = 0; i < n; i++)
        n = add_neighbours(t, l->list[i], n, back);
    return n;
}

static bool overwrites_itself(const Turns *t, const Storage *s) {
    Live *l = t->d->live;
    uint32_t n = search(t, s->lv, false);
    for (uint32_t i = 1; i < n; i++)
        if (is_needed(l, l->list[i], s)) return true;
    return false;
}

static LiveValue **copy_list(const Turns *t, uint32_t n) {
    LiveValue **copy = ARENA_ARRAY(&t->d->scratch->step, LiveValue *, n + 1);
    if (n > 0) memcpy(copy, t->d->live->list, n * sizeof *copy);
    return copy;
}

static bool is_dynamic(const Type *t) {
    return t->tile.vrow == DYNAMIC || t->tile.vcol == DYNAMIC;
}

/* True when both results may use the same buffers: they have one type with a static valid region.
 */
static bool may_join(const Turns *t, const Storage *first, const Storage *s) {
    return s != NULL && s != first && s->kind == STORE_RESULT && first->kind == STORE_RESULT &&
           type_same(s->type, first->type) && !is_dynamic(s->type) && !s->lv->revalidated &&
           ptrmap_get(&t->d->buffers, s) == NULL;
}

/* Finds the result and those that it shares buffers with. */
static void find_roots(Turns *t, const Storage *first) {
    uint32_t n = search(t, first->lv, true);
    LiveValue **around = copy_list(t, n);
    t->roots = ARENA_ARRAY(&t->d->scratch->step, Root, n);
    t->roots[t->nroots++].s = first;
    for (uint32_t i = 0; i < n; i++) {
        const Storage *s = around[i]->storage;
        if (may_join(t, first, s) && overwrites_itself(t, s)) t->roots[t->nroots++].s = s;
    }
}

static void find_held(Turns *t) {
    Live *l = t->d->live;
    uint32_t n = 0;
    l->stamp++;
    for (uint32_t i = 0; i < t->nroots; i++) {
        t->roots[i].s->lv->stamp = l->stamp;
        live_push(l, n++, t->roots[i].s->lv);
    }
    for (uint32_t i = 0; i < n; i++)
        n = add_neighbours(t, l->list[i], n, false);
    t->values = copy_list(t, n);
    t->n = n;
    for (uint32_t i = 0; i < t->nroots; i++) {
        Root *r = &t->roots[i];
        for (uint32_t k = 0; k < t->n; k++)
            if (is_needed(l, t->values[k], r->s)) live_push(l, r->nheld++, t->values[k]);
        r->held = copy_list(t, r->nheld);
        if (r->nheld + 1 > t->nbuffers) t->nbuffers = r->nheld + 1;
    }
    if (t->nbuffers >= DPS_MOST_BUFFERS) t->why = "too many of its values are needed at one time";
}

/* ---- joins ---- */

static Join join_of(const Value *v) {
    Op *op = value_block(v) != NULL ? region_owner(value_block(v)) : v->def;
    const bool loop = op_counts(op), two = op_runs(op, RUNS_WHILE);
    Join j = {.op = op, .at = v->index};
    if (value_block(v) != NULL && loop) {
        j.kind = JOIN_FOR;
        j.at--; /* the counter has no counterpart */
    } else if (value_block(v) != NULL && two) {
        j.kind = value_block(v)->region == &op_regions(op)[0] ? JOIN_BEFORE : JOIN_AFTER;
    } else if (value_block(v) != NULL) {
        j.kind = JOIN_BLOCK;
        j.op = NULL;
        j.block = value_block(v);
    } else {
        j.kind = loop ? JOIN_FOR : two ? JOIN_AFTER : JOIN_RESULT;
    }
    return j;
}

/* Returns the block whose arguments a join includes, or NULL. */
static Block *join_block(const Join *j) {
    if (j->kind == JOIN_BLOCK) return j->block;
    if (j->kind == JOIN_RESULT) return NULL;
    return op_regions(j->op)[j->kind == JOIN_AFTER].first;
}

/* Appends a number to the values that a join receives. */
static Join *add_join(Turns *t, const Value *v) {
    const Join key = join_of(v);
    for (Join *j = t->joins; j != NULL; j = j->next)
        if (j->kind == key.kind && j->op == key.op && j->block == key.block && j->at == key.at)
            return j;
    Join *j = ARENA_NEW(&t->d->scratch->step, Join);
    *j = key;
    *t->last_join = j;
    t->last_join = &j->next;
    Block *b = join_block(j);
    const Type *index = type_scalar(t->d->ctx->types, ELEM_INDEX);
    if (b != NULL) j->argument = dps_add_argument(t->d, b, index, t->like);
    bool results = j->kind != JOIN_BLOCK && j->kind != JOIN_BEFORE;
    if (results) j->result = dps_add_result(t->d, j->op, index, t->like);
    if (results && j->result == NULL) t->why = "a statement around it has too many results";
    return j;
}

static bool is_join(const LiveValue *lv) {
    return value_block(lv->value) != NULL || lv->value->def->nregions > 0;
}

/* Returns the root of a value that is a result with its own storage, or NULL. */
static Root *root_of(const Turns *t, const LiveValue *lv) {
    for (uint32_t i = 0; i < t->nroots && lv->storage != NULL; i++)
        if (t->roots[i].s == lv->storage) return &t->roots[i];
    return NULL;
}

/* Adds joins for the values that held values come from. Results have their number, and views and
 * selections get it from their operands. */
static void add_joins(Turns *t) {
    Live *l = t->d->live;
    uint32_t reached = l->stamp, n = 0;
    l->stamp++;
    for (uint32_t i = 0; i < t->nroots; i++)
        for (uint32_t k = 0; k < t->roots[i].nheld; k++) {
            LiveValue *lv = t->roots[i].held[k];
            if (lv->stamp != reached) continue;
            lv->stamp = l->stamp;
            live_push(l, n++, lv);
        }
    for (uint32_t i = 0; i < n && t->why == NULL; i++) {
        LiveValue *lv = l->list[i];
        if (is_join(lv)) {
            const Join *j = add_join(t, lv->value);
            *ptrmap_at(&t->numbers, lv) = value_block(lv->value) != NULL ? j->argument : j->result;
        }
        for (const Flow *f = lv->sources; f != NULL; f = f->next_source) {
            if (f->from->stamp != reached) continue;
            f->from->stamp = l->stamp;
            live_push(l, n++, f->from);
        }
    }
}

/* ---- numbers ---- */

enum { DEEPEST = 200 }; /* nesting of selections */

/* Returns the number of the buffer that a value holds; nbuffers: none of them. */
static Value *number_of(Turns *t, LiveValue *lv, int depth) {
    Dps *d = t->d;
    const Root *root = NULL;
    while (lv != NULL && lv->stamp == d->live->stamp && !is_join(lv) &&
           (root = root_of(t, lv)) == NULL && !op_is(lv->value->def, INST_SELECT))
        lv = lv->sources != NULL
                 ? lv->sources->from
                 : NULL; /* the operand of a view, or the value whose storage it uses */
    if (root != NULL) return root->turn;
    if (lv == NULL || lv->stamp != d->live->stamp) return dps_count(d, t->nbuffers);
    Value **known = (Value **)ptrmap_at(&t->numbers, lv);
    if (*known != NULL) return *known;
    if (depth == DEEPEST) {
        t->why = "it is selected too often";
        return dps_count(d, 0);
    }
    Op *op = lv->value->def;
    Value *yes = number_of(t, live_value(d->live, op->operands[1].value), depth + 1);
    Value *no = number_of(t, live_value(d->live, op->operands[2].value), depth + 1);
    Value *made = dps_select(d, op, op->operands[0].value, yes, no, t->like, "slot");
    *ptrmap_at(&t->numbers, lv) = made;
    return made;
}

/* Appends a number to the operands of a slot, which must be the statement's last. */
static void give_in_slot(Turns *t, Op *op, int slot, unsigned at) {
    LiveValue *lv = live_value(t->d->live, slot_operands(op, slot)[at].value);
    dps_add_operand(t->d, op, slot, number_of(t, lv, 0));
}

static void give_at_yields(Turns *t, const Join *j) {
    for (unsigned r = 0; r < j->op->nregions; r++)
        for (Block *b = op_regions(j->op)[r].first; b != NULL; b = b->next)
            if (b->last != NULL && op_end_of(b->last) != NULL && op_end_of(b->last)->before == 0)
                give_in_slot(t, b->last, 0, j->at);
}

static void give_at_branches(Turns *t, const Join *j) {
    for (Block *b = j->block->region->first; b != NULL; b = b->next)
        for (unsigned i = 0; b->last != NULL && i < b->last->nsuccs; i++) {
            Successor *s = &op_succs(b->last)[i];
            if (s->block != j->block || j->at >= s->nargs) continue;
            Value *number = number_of(t, live_value(t->d->live, s->args[j->at].value), 0);
            s->args = dps_longer_list(t->d, s->args, s->nargs++, number, b->last->span);
        }
}

/* Appends a number to the values that a join is given. */
static void give_numbers(Turns *t, const Join *j) {
    switch (j->kind) {
    case JOIN_FOR:
    case JOIN_BEFORE:
        give_in_slot(t, j->op, inst_slot(j->op->inst, OPERAND_init), j->at);
        give_at_yields(t, j);
        break;
    case JOIN_AFTER:
        give_in_slot(t, op_regions(j->op)[0].first->last, 1, j->at);
        break;
    case JOIN_RESULT:
        give_at_yields(t, j);
        break;
    case JOIN_BLOCK:
        give_at_branches(t, j);
        break;
    }
}

/* ---- the instructions ---- */

/* Returns a condition: some held value has buffer number `k`. */
static Value *is_taken(Turns *t, const Root *r, uint32_t k) {
    Dps *d = t->d;
    Op *op = r->s->op;
    const Value *like = r->s->lv->value;
    Value *taken = NULL;
    for (uint32_t i = 0; i < r->nheld; i++) {
        Value *same = dps_equal(d, op, number_of(t, r->held[i], 0), dps_count(d, k), like);
        taken = taken == NULL ? same : dps_or(d, op, taken, same, like);
    }
    return taken;
}

/* Selects the first buffer that is free. */
static void take_turn(Turns *t, Root *r) {
    Dps *d = t->d;
    Op *op = r->s->op;
    const Value *like = r->s->lv->value;
    Value *turn = dps_count(d, r->nheld);
    r->tile = t->buffers[r->nheld];
    for (uint32_t k = r->nheld; k-- > 0;) {
        Value *taken = is_taken(t, r, k);
        turn = dps_select(d, op, taken, turn, dps_count(d, k), like, "slot");
        r->tile = dps_select(d, op, taken, r->tile, t->buffers[k], like, k == 0 ? NULL : "buf");
    }
    dps_replace(d, r->turn, turn);
}

static void take_turns(Turns *t, const Type *type, Valid valid) {
    Dps *d = t->d;
    Op *first = t->nroots == 1 ? t->roots[0].s->op : op_regions(d->func)[0].first->first;
    t->buffers = ARENA_ARRAY(&d->scratch->step, Value *, t->nbuffers);
    for (uint32_t k = 0; k < t->nbuffers; k++)
        t->buffers[k] = dps_alloc(d, first, type, valid, t->like, true);
    for (uint32_t i = 0; i < t->nroots;
         i++) { /* placeholders, as others may refer to them before */
        t->roots[i].turn = ARENA_NEW(d->arena, Value);
        t->roots[i].turn->type = type_scalar(d->ctx->types, ELEM_INDEX);
    }
    for (uint32_t i = 0; i < t->nroots; i++)
        take_turn(t, &t->roots[i]);
    for (const Join *j = t->joins; j != NULL && t->why == NULL; j = j->next)
        give_numbers(t, j);
}

static void refuse(Dps *d, const Storage *s, const char *why) {
    Atom name = s->lv->value->name;
    Diag *diag = diag_add(&d->ctx->diags, DIAG_CONVERSION, s->op->name_span,
                          "%%%.*s is computed while an earlier value of it is still needed, and no "
                          "buffers can take turns here",
                          (int)atom_len(&d->ctx->names, name), atom_text(&d->ctx->names, name));
    diag_note(&d->ctx->diags, diag, "%s", why);
    d->ok = false;
}

TurnsAnswer dps_take_turns(Dps *d, const Storage *s, const Type *type, Valid valid) {
    if (s->lv == NULL || s->lv->flows == NULL || !s->scope->looped) return TURNS_NONE;
    Turns t = {.d = d, .loop = s->scope, .like = s->lv->value};
    t.numbers.arena = &d->scratch->step;
    t.last_join = &t.joins;
    while (t.loop->parent != NULL && t.loop->parent->looped)
        t.loop = t.loop->parent;
    if (!overwrites_itself(&t, s)) return TURNS_NONE;
    if (s->kind == STORE_FIXED) t.why = "its address is given";
    if (s->kind == STORE_CALL)
        t.why = "a call puts its result in one place; carry a copy of it, made by pto.tmov";
    if (t.why == NULL) find_roots(&t, s);
    if (t.why == NULL) find_held(&t);
    if (t.why == NULL) add_joins(&t);
    if (t.why == NULL) take_turns(&t, type, valid);
    if (t.why != NULL) {
        refuse(d, s, t.why);
        return TURNS_REFUSED;
    }
    for (uint32_t i = 0; i < t.nroots; i++) {
        const Storage *root = t.roots[i].s;
        Buffer *b = ARENA_NEW(&d->scratch->step, Buffer);
        *b = (Buffer){.value = t.roots[i].tile, .type = type, .valid = valid, .last = root};
        b->scope = root->scope;
        *ptrmap_at(&d->buffers, root) = b;
    }
    return TURNS_TAKEN;
}
