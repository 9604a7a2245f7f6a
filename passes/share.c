/* Results that take the tile of an operand: an instruction whose row has `in_place` writes the tile
 * that this operand is, when nothing else needs it. Decided on uses and flows, before the intervals
 * of the storages are known; such a result is another name of its operand from then on.
 *
 * A value may be overwritten at a statement when that is the last one to need the value, and the
 * value holds a tile that no other value still holds. What goes round a loop or out of a branch
 * holds what was handed on to it: then that must hold of every value that is handed on. */
#include "passes/live.h"
#include "passes/passes.h"

#include <string.h>

enum { MOST_VISITED = 1000 };

/* One question: is the value free? */
typedef struct Search {
    Live *l;
    uint32_t visited;
    bool free;
} Search;

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

static bool comes_before(const Use *u, const Use *last) {
    const Scope *both = last->scope;
    uint32_t lo = UINT32_MAX, hi = 0;
    while (!scope_encloses(both, u->scope))
        both = both->parent;
    live_lift(u->scope, u->pos, both, &lo, &hi);
    return hi < last->pos;
}

/* `op` uses the value once, and nothing else needs it then or later. */
static bool ends_at(const LiveValue *lv, const Op *op) {
    const Use *last = NULL;
    for (const Use *u = lv->uses; u != NULL; u = u->next) {
        if (u->op != op) continue;
        if (last != NULL) return false;
        last = u;
    }
    if (last == NULL || lv->revalidated || !runs_once(last->scope, lv->scope)) return false;
    for (const Use *u = lv->uses; u != NULL; u = u->next) {
        if (u == last || live_exclusive(u->scope, last->scope, lv->scope)) continue;
        if (!only_reads(u->op) || !comes_before(u, last)) return false;
    }
    return true;
}

/* The value is handed on by `op`: it must end there, and is looked at later. */
static void hand_on(Search *s, uint32_t *n, const Op *op, const Operand *o) {
    LiveValue *lv = live_value(s->l, o->value);
    if (lv == NULL || !ends_at(lv, op))
        s->free = false;
    else if (lv->stamp != s->l->stamp) {
        lv->stamp = s->l->stamp;
        live_push(s->l, (*n)++, lv, NULL);
    }
}

/* What `op` hands to its value number `i` at the end of its regions. */
static void handed_out(Search *s, uint32_t *n, const Op *op, unsigned i) {
    for (unsigned r = 0; r < op->nregions; r++) {
        const Block *b = op->regions[r].first;
        if (b == NULL || b->next != NULL || b->last == NULL || !op_is(b->last, INST_SCF_YIELD) ||
            i >= b->last->noperands)
            s->free = false;
        else
            hand_on(s, n, b->last, &b->last->operands[i]);
    }
}

static void carried_by(Search *s, uint32_t *n, const Op *loop, unsigned i) {
    int slot = inst_slot(loop->inst, "init");
    if (i >= slot_count(loop, slot)) {
        s->free = false;
        return;
    }
    hand_on(s, n, loop, &slot_operands(loop, slot)[i]);
    handed_out(s, n, loop, i);
}

/* Where the value comes from. */
static void look_at(Search *s, uint32_t *n, const LiveValue *lv) {
    const Value *v = lv->value;
    const Op *owner = v->block != NULL ? region_owner(v->block) : v->def;
    if (v->block != NULL && op_is(owner, INST_SCF_FOR) && v->index > 0)
        carried_by(s, n, owner, v->index - 1u);
    else if (v->block == NULL && owner != NULL && op_is(owner, INST_SCF_FOR))
        carried_by(s, n, owner, v->index);
    else if (v->block == NULL && owner != NULL && op_is(owner, INST_SCF_IF))
        handed_out(s, n, owner, v->index);
    else if (lv->shares == NULL && (lv->storage == NULL || (lv->storage->kind != STORE_ALLOC &&
                                                            lv->storage->kind != STORE_RESULT)))
        s->free = false; /* of the caller, or at an address of the text */
}

static bool is_free(Live *l, LiveValue *lv, const Op *op) {
    Search s = {.l = l, .free = ends_at(lv, op)};
    uint32_t n = 0;
    l->stamp++;
    lv->stamp = l->stamp;
    live_push(l, n++, lv, NULL);
    while (n > 0 && s.free) {
        if (++s.visited > MOST_VISITED) return false;
        look_at(&s, &n, l->carried[--n].lv);
    }
    return s.free;
}

/* The operand whose tile the result takes, or NULL. */
static LiveValue *taken_operand(Live *l, const Storage *s) {
    if (s->kind != STORE_RESULT || s->op->inst->in_place == NULL || s->lv->revalidated) return NULL;
    Value *v = slot_value(s->op, inst_slot(s->op->inst, s->op->inst->in_place));
    const Type *type = v != NULL ? tile_value_type(v) : NULL;
    LiveValue *lv = v != NULL ? live_value(l, v) : NULL;
    return type != NULL && lv != NULL && type_same(type, s->type) && is_free(l, lv, s->op) ? lv
                                                                                           : NULL;
}

void live_share(Live *l) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->nstorages; i++) {
        Storage *s = l->storages[i];
        LiveValue *from = taken_operand(l, s);
        if (from == NULL) {
            l->storages[n++] = s;
            continue;
        }
        Flow *f = ARENA_NEW(l->arena, Flow);
        *f = (Flow){.next = from->flows, .to = s->lv, .from = s->scope};
        from->flows = f;
        s->lv->storage = NULL;
        s->lv->shares = from;
        s->lv->next_shared = l->shared;
        l->shared = s->lv;
    }
    l->nstorages = n;
}
