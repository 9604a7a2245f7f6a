/* Results that take the tile of another value instead of one of their own: an instruction whose row
 * has `in_place` writes the tile that this operand is, and what is handed to the next round of a
 * loop may write the tile that came from the round before. Decided on uses and flows, before the
 * intervals of the storages are known; such a result is another name for that tile from then on.
 *
 * A tile may be overwritten at a statement when nothing needs its contents then or later, under
 * whatever name. What goes round a loop or out of a branch holds what was handed on to it: then
 * that must hold of every value that is handed on. */
#include "passes/dps.h"
#include "passes/live.h"

#include <string.h>

enum { MOST_STEPS = 1000 }; /* uses and values that one question looks at */

/* One question: may the tile of a value be overwritten? */
typedef struct Search {
    Live *l;
    uint32_t steps;
    uint32_t n; /* values to be looked at, in Live.carried */
    bool free;
} Search;

/* Where a statement stands. */
typedef struct Spot {
    const Op *op;
    const Scope *scope;
    uint32_t pos;
} Spot;

/* A statement that needs the contents only, and makes no other name for the tile. */
static bool only_reads(const Op *op) {
    if (op->nregions > 0 || op->nsuccs > 0 || (op->inst->flags & (IF_TERMINATOR | IF_VIEW)) != 0)
        return false;
    return op->nresults == 0 || op->inst->form == FORM_TILE;
}

/* No loop and no branching block between a scope and one around it. */
static bool runs_once(const Scope *s, const Scope *home) {
    if (home == NULL || home->blocks) return false;
    for (; s != home; s = s->parent)
        if (s == NULL || s->loop || s->blocks) return false;
    return true;
}

static bool comes_before(const Use *u, const Spot *at) {
    const Scope *both = at->scope;
    uint32_t lo = UINT32_MAX, hi = 0;
    while (!scope_encloses(both, u->scope))
        both = both->parent;
    live_lift(u->scope, u->pos, both, &lo, &hi);
    return hi < at->pos;
}

static bool may_go_on(Search *s) {
    if (++s->steps > MOST_STEPS) s->free = false;
    return s->free;
}

/* Nothing needs the value at `at` or later, but for the statement there itself. */
static void ends_before(Search *s, const LiveValue *lv, const Spot *at) {
    if (lv->revalidated || !runs_once(at->scope, lv->scope)) s->free = false;
    for (const Use *u = lv->uses; u != NULL && may_go_on(s); u = u->next) {
        if (u->op == at->op || live_exclusive(u->scope, at->scope, lv->scope)) continue;
        if (!only_reads(u->op) || !comes_before(u, at)) s->free = false;
    }
}

/* `op` uses the value once, and nothing else needs it then or later. */
static void ends_at(Search *s, const LiveValue *lv, const Op *op) {
    const Use *last = NULL;
    for (const Use *u = lv->uses; u != NULL && may_go_on(s); u = u->next) {
        if (u->op != op) continue;
        if (last != NULL) s->free = false;
        last = u;
    }
    if (last == NULL) s->free = false;
    if (s->free) ends_before(s, lv, &(Spot){last->op, last->scope, last->pos});
}

/* The value is handed on by `op`: it must end there, and is looked at later. */
static void hand_on(Search *s, const Op *op, const Operand *o) {
    LiveValue *lv = live_value(s->l, o->value);
    if (lv == NULL) {
        s->free = false;
        return;
    }
    ends_at(s, lv, op);
    if (!s->free || lv->stamp == s->l->stamp) return;
    lv->stamp = s->l->stamp;
    live_push(s->l, s->n++, lv, NULL);
}

/* What `op` hands to its value number `i` at the end of its regions. */
static void handed_out(Search *s, const Op *op, unsigned i) {
    for (unsigned r = 0; r < op->nregions && s->free; r++) {
        const Block *b = op->regions[r].first;
        if (b == NULL || b->next != NULL || b->last == NULL || !op_is(b->last, INST_SCF_YIELD) ||
            i >= b->last->noperands)
            s->free = false;
        else
            hand_on(s, b->last, &b->last->operands[i]);
    }
}

static void carried_by(Search *s, const Op *loop, unsigned i) {
    int slot = inst_slot(loop->inst, "init");
    const Block *body = loop->regions[0].first;
    const LiveValue *arg = i + 1 < body->nargs ? live_value(s->l, &body->args[i + 1]) : NULL;
    if (arg != NULL && arg->alone) return;
    if (i >= slot_count(loop, slot)) {
        s->free = false;
        return;
    }
    hand_on(s, loop, &slot_operands(loop, slot)[i]);
    handed_out(s, loop, i);
}

/* Where the value comes from. */
static void look_at(Search *s, const LiveValue *lv) {
    const Value *v = lv->value;
    const Op *owner = v->block != NULL ? region_owner(v->block) : v->def;
    if (v->block != NULL && op_is(owner, INST_SCF_FOR) && v->index > 0)
        carried_by(s, owner, v->index - 1u);
    else if (v->block == NULL && owner != NULL && op_is(owner, INST_SCF_FOR))
        carried_by(s, owner, v->index);
    else if (v->block == NULL && owner != NULL && op_is(owner, INST_SCF_IF))
        handed_out(s, owner, v->index);
    else if (lv->shares == NULL && (lv->storage == NULL || (lv->storage->kind != STORE_ALLOC &&
                                                            lv->storage->kind != STORE_RESULT)))
        s->free = false; /* of the caller, or at an address of the text */
}

/* No value that still counts holds the tile of `lv` as well. */
static void look_behind(Search *s, LiveValue *lv) {
    s->l->stamp++;
    lv->stamp = s->l->stamp;
    live_push(s->l, s->n++, lv, NULL);
    while (s->n > 0 && may_go_on(s))
        look_at(s, s->l->carried[--s->n].lv);
    lv->alone = s->free;
}

static bool same_types(const Value *v, const Storage *s) {
    const Type *type = tile_value_type(v);
    return type != NULL && type_same(type, s->type);
}

/* ---- the tile of an operand ---- */

static LiveValue *operand_taken(Live *l, const Storage *s) {
    Value *v = slot_value(s->op, inst_slot(s->op->inst, s->op->inst->in_place));
    LiveValue *lv = v != NULL ? live_value(l, v) : NULL;
    if (lv == NULL || !same_types(v, s)) return NULL;
    Search search = {.l = l, .free = true};
    ends_at(&search, lv, s->op);
    if (search.free) look_behind(&search, lv);
    return search.free ? lv : NULL;
}

/* ---- the tile of the round before ---- */

/* The result of an instruction that is meant to take the tile of this operand, or NULL. */
static const LiveValue *sum_of(const Live *l, const Use *u) {
    const Inst *inst = u->op->inst;
    if (inst->in_place == NULL || op_tile_results(u->op) != 1) return NULL;
    bool meant = slot_value(u->op, inst_slot(inst, inst->in_place)) == u->operand->value;
    return meant ? live_value(l, &u->op->results[0]) : NULL;
}

/* The argument of the loop whose next round gets the value, directly, out of branches, or with
 * something added; else NULL. */
static LiveValue *next_round(Live *l, const LiveValue *lv) {
    for (int depth = 0; lv != NULL && depth < 64; depth++) {
        const Use *u = lv->uses; /* the latest in the text */
        if (u == NULL) return NULL;
        if (u->op->inst->in_place != NULL) {
            lv = sum_of(l, u);
            continue;
        }
        if (!op_is(u->op, INST_SCF_YIELD)) return NULL;
        const Op *owner = region_owner(u->op->block);
        size_t i = (size_t)(u->operand - u->op->operands);
        if (op_is(owner, INST_SCF_FOR))
            return i + 1 < owner->regions[0].first->nargs
                       ? live_value(l, &owner->regions[0].first->args[i + 1])
                       : NULL;
        if (!op_is(owner, INST_SCF_IF) || i >= owner->nresults) return NULL;
        lv = live_value(l, &owner->results[i]);
    }
    return NULL;
}

/* The statement reads the value only where it may write over it. */
static bool reads_in_place(const LiveValue *lv, const Op *op) {
    for (int i = 0; i < op->inst->nslots; i++)
        for (unsigned k = 0; k < slot_count(op, i); k++)
            if (slot_operands(op, i)[k].value == lv->value &&
                (slot_count(op, i) > 1 || !dps_in_place(op, op->inst->slots[i].name)))
                return false;
    return true;
}

static LiveValue *round_taken(Live *l, const Storage *s) {
    LiveValue *arg = next_round(l, s->lv);
    if (arg == NULL || !same_types(arg->value, s) || s->type->tile.vrow == DYNAMIC ||
        s->type->tile.vcol == DYNAMIC)
        return NULL;
    Search search = {.l = l, .free = true};
    const Spot at = {s->op, s->scope, s->pos};
    const LiveValue *other = arg;
    for (; other != NULL && may_go_on(&search); other = other->next_sharer) {
        if (other != arg && live_exclusive(other->scope, s->scope, arg->scope)) continue;
        if (!reads_in_place(other, s->op)) return NULL;
        ends_before(&search, other, &at);
    }
    if (search.free) look_behind(&search, arg);
    return search.free ? arg : NULL;
}

/* ---- all of them ---- */

static void share(Live *l, const Storage *s, LiveValue *from) {
    LiveValue *first = from->holder != NULL ? from->holder : from;
    Flow *f = ARENA_NEW(l->arena, Flow);
    *f = (Flow){.next = from->flows, .to = s->lv, .from = s->scope};
    from->flows = f;
    s->lv->storage = NULL;
    s->lv->shares = from;
    s->lv->holder = first;
    s->lv->next_sharer = first->next_sharer;
    first->next_sharer = s->lv;
}

/* The result gets a tile of its own after all. */
static void part(Storage *s) {
    LiveValue *from = s->lv->shares;
    for (Flow **f = &from->flows; *f != NULL; f = &(*f)->next)
        if ((*f)->to == s->lv) {
            *f = (*f)->next;
            break;
        }
    s->lv->shares = NULL;
    s->lv->storage = s;
}

/* The values that a value of a structured statement comes from; others do not matter here. */
static void push_sources(Search *s, const Value *v) {
    const Op *owner = v->block != NULL ? region_owner(v->block) : v->def;
    unsigned i = v->block != NULL ? v->index - 1u : v->index;
    int init = op_is(owner, INST_SCF_FOR) ? inst_slot(owner->inst, "init") : -1;
    if (init >= 0 && i < slot_count(owner, init)) {
        LiveValue *lv = live_value(s->l, slot_operands(owner, init)[i].value);
        if (lv != NULL) live_push(s->l, s->n++, lv, NULL);
    }
    for (unsigned r = 0; r < owner->nregions; r++) {
        const Block *b = owner->regions[r].first;
        const Op *yield = b != NULL ? b->last : NULL;
        LiveValue *lv = yield != NULL && i < yield->noperands
                            ? live_value(s->l, yield->operands[i].value)
                            : NULL;
        if (lv != NULL) live_push(s->l, s->n++, lv, NULL);
    }
}

/* All that a loop hands to the next round as this argument is in the one tile: what has a tile of
 * its own would be in the way when the tile of the round before is written. */
static bool one_tile(Live *l, LiveValue *arg) {
    Search s = {.l = l, .free = true};
    const Op *loop = region_owner(arg->value->block);
    const Block *body = loop->regions[0].first;
    l->stamp++;
    arg->stamp = l->stamp;
    LiveValue *first = live_value(l, body->last->operands[arg->value->index - 1u].value);
    if (first != NULL) live_push(l, s.n++, first, NULL);
    while (s.n > 0 && may_go_on(&s)) {
        LiveValue *lv = l->carried[--s.n].lv;
        while (lv->shares != NULL && may_go_on(&s))
            lv = lv->shares;
        const Value *v = lv->value;
        if (lv->stamp == l->stamp) continue;
        lv->stamp = l->stamp;
        bool structured = v->block != NULL
                              ? op_is(region_owner(v->block), INST_SCF_FOR)
                              : op_is(v->def, INST_SCF_FOR) || op_is(v->def, INST_SCF_IF);
        if (!structured || (v->block != NULL && v->index == 0)) return false;
        push_sources(&s, v);
    }
    return s.free;
}

/* Returns whether some result was given a tile of its own. */
static bool part_crowded(Live *l) {
    bool parted = false;
    for (uint32_t i = 0; i < l->nstorages; i++) {
        Storage *s = l->storages[i];
        if (s->lv == NULL || s->lv->shares == NULL || !s->lv->by_round) continue;
        if (one_tile(l, s->lv->shares)) continue;
        part(s);
        parted = true;
    }
    return parted;
}

void live_share(Live *l) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->nstorages; i++) {
        const Storage *s = l->storages[i];
        LiveValue *from = NULL;
        if (s->kind != STORE_RESULT || s->lv->revalidated) continue;
        if (s->op->inst->in_place != NULL) from = operand_taken(l, s);
        if (from == NULL && s->scope->looped) {
            from = round_taken(l, s);
            s->lv->by_round = from != NULL;
        }
        if (from != NULL) share(l, s, from);
    }
    while (part_crowded(l))
        ;
    for (uint32_t i = 0; i < l->nstorages; i++) {
        Storage *s = l->storages[i];
        if (s->lv == NULL || s->lv->shares == NULL) {
            l->storages[n++] = s;
            continue;
        }
        if (s->lv->shares->shares != NULL) s->lv->shares = s->lv->shares->shares;
        s->lv->next_shared = l->shared;
        l->shared = s->lv;
    }
    l->nstorages = n;
}
