/* SPDX-License-Identifier: Apache-2.0 */
/* Results that use the storage of another value instead of their own: an instruction with
 * `in_place` in its row writes the tile of that operand, and the value for the next iteration of a
 * loop may be written to the tile of the current one. Decided from uses and flows, before
 * intervals are known; the result is then another name of that storage. A tile may be overwritten
 * at a statement when nothing needs its contents there or later under any name. For a value that a
 * loop carries or a branch yields, this must hold for all values that flow into it. */
#include "analysis/live.h"
#include "passes/dps.h"
#include "verifier/rules/keep_apart.h"

#include <string.h>

enum { MOST_STEPS = 1000 }; /* uses and values visited per question */

/* A search for whether the tile of a value may be overwritten. */
typedef struct Search {
    Live *l;
    uint32_t steps;
    uint32_t n; /* values that may hold the tile, in Live.list */
    bool free;
} Search;

/* True for a statement that only reads the contents and does not alias the tile. */
static bool only_reads(const Op *op) {
    if (op->nregions > 0 || op->nsuccs > 0 || (op->inst->flags & (IF_TERMINATOR | IF_VIEW)) != 0)
        return false;
    return op->nresults == 0 || op->inst->form == FORM_TILE;
}

static bool may_go_on(Search *s) {
    if (++s->steps > MOST_STEPS) s->free = false;
    return s->free;
}

/* Clears s->free when something needs the value after `at`, also under another name. The statement
 * at `at` itself is ignored. */
static void ends_before(Search *s, const LiveValue *lv, const Spot *at) {
    if (lv->revalidated) s->free = false;
    for (const Use *u = lv->uses; u != NULL && may_go_on(s); u = u->next) {
        const Spot use = use_spot(u);
        if (live_path(s->l, lv, at, &use)) s->free = false;
        if (u->op != at->op && !only_reads(u->op) && live_path(s->l, lv, &use, at)) s->free = false;
    }
}

/* Clears s->free unless `op` uses the value once and nothing else needs it then or later. */
static void ends_at(Search *s, const LiveValue *lv, const Op *op) {
    const Use *last = NULL;
    for (const Use *u = lv->uses; u != NULL && may_go_on(s); u = u->next) {
        if (u->op != op) continue;
        if (last != NULL) s->free = false;
        last = u;
    }
    if (last == NULL) s->free = false;
    if (!s->free) return;
    const Spot at = use_spot(last);
    ends_before(s, lv, &at);
}

/* Checks that the values that flow into `lv` end there, and adds them to the search. */
static void check_sources(Search *s, const LiveValue *lv) {
    bool own = lv->storage != NULL &&
               (lv->storage->kind == STORE_ALLOC || lv->storage->kind == STORE_RESULT);
    if (lv->alone || own || lv->shares != NULL) return;
    if (lv->sources == NULL)
        s->free = false; /* a caller's tile, or one at an address of the text */
    for (const Flow *f = lv->sources; f != NULL && may_go_on(s); f = f->next_source) {
        if (f->kind == HAND_VIEW) s->free = false;
        ends_at(s, f->from, f->op);
        if (!s->free || f->from->stamp == s->l->stamp) continue;
        f->from->stamp = s->l->stamp;
        live_push(s->l, s->n++, f->from);
    }
}

/* Clears s->free when another value that is still needed may hold the tile of `lv`. */
static void find_holders(Search *s, LiveValue *lv) {
    s->l->stamp++;
    lv->stamp = s->l->stamp;
    live_push(s->l, s->n++, lv);
    for (uint32_t i = 0; i < s->n && may_go_on(s); i++)
        check_sources(s, s->l->list[i]);
    for (uint32_t i = 0; i < s->n && s->free; i++)
        s->l->list[i]->alone = true;
}

/* ---- which operands an instruction may overwrite ---- */

/* True when no tile but the accumulator can overlap dst, as the others are in other spaces. */
static bool accumulates_in_place(const Op *op, int only_slot) {
    const Inst *inst = op->inst;
    const int place = inst->in_place - 1;
    if (only_slot >= 0) return only_slot == place;
    int dst = inst_slot(inst, OPERAND_dst);
    const Type *type = dst >= 0 ? tile_value_type(slot_value(op, dst)) : NULL;
    for (int i = 0; i < inst->nslots && type != NULL; i++) {
        const Value *v = slot_value(op, i);
        const Type *t = v != NULL && type_is_tile(v->type) ? tile_value_type(v) : NULL;
        bool meant = i == dst || i == place;
        if (t != NULL && !meant && t->tile.space == type->tile.space) return false;
    }
    return type != NULL;
}

bool dps_in_place(const Op *op, int only_slot) {
    const Inst *inst = op->inst;
    if (inst->in_place != 0) return accumulates_in_place(op, only_slot);
    if (!inst->elementwise) return false;
    int dst = -1;
    for (int i = 0; i < inst->nslots; i++)
        if (slot_is_result(&inst->slots[i])) dst = i;
    const Type *type = dst >= 0 ? tile_value_type(slot_value(op, dst)) : NULL;
    if (type == NULL) return false;
    uint32_t apart = slots_apart_from_dst(inst);
    if (only_slot < 0 ? apart != 0 : (apart >> only_slot & 1) != 0) return false;
    for (int i = 0; i < inst->nslots; i++) {
        const Type *t = slot_value(op, i) != NULL ? tile_value_type(slot_value(op, i)) : NULL;
        if (t != NULL && !type_same(t, type)) return false;
    }
    return true;
}

bool dps_reads_in_place(const LiveValue *lv, const Op *op) {
    for (int i = 0; i < op->inst->nslots; i++)
        for (unsigned k = 0; k < slot_count(op, i); k++)
            if (slot_operands(op, i)[k].value == lv->value &&
                (slot_count(op, i) > 1 || !dps_in_place(op, i)))
                return false;
    return true;
}

static bool same_types(const Value *v, const Storage *s) {
    const Type *type = tile_value_type(v);
    return type != NULL && type_same(type, s->type);
}

/* ---- reuse of an operand's tile ---- */

static LiveValue *operand_taken(Live *l, const Storage *s) {
    Value *v = slot_value(s->op, s->op->inst->in_place - 1);
    LiveValue *lv = v != NULL ? live_value(l, v) : NULL;
    if (lv == NULL || !same_types(v, s)) return NULL;
    Search search = {.l = l, .free = true};
    ends_at(&search, lv, s->op);
    if (search.free) find_holders(&search, lv);
    return search.free ? lv : NULL;
}

/* ---- reuse of the loop argument's tile ---- */

/* Returns the result of an instruction that should reuse this operand's tile, or NULL. */
static const LiveValue *accumulated_result(const Live *l, const Use *u) {
    const Inst *inst = u->op->inst;
    if (inst->in_place == 0 || op_tile_results(u->op) != 1) return NULL;
    bool meant = slot_value(u->op, inst->in_place - 1) == u->operand->value;
    return meant ? live_value(l, &u->op->results[0]) : NULL;
}

/* Returns the flow at the last use of the value, preferably to the next iteration. */
static const Flow *last_flow(const LiveValue *lv) {
    const Flow *found = NULL;
    for (const Flow *f = lv->flows; f != NULL; f = f->next)
        if (f->op == lv->uses->op && (found == NULL || f->carry != NULL)) found = f;
    return found;
}

/* Returns the loop argument that the value flows into, directly, through branches, or accumulated;
 * else NULL. */
static LiveValue *next_iteration(Live *l, const LiveValue *lv) {
    for (int depth = 0; lv != NULL && depth < 64; depth++) {
        const Use *u = lv->uses; /* the latest in the text */
        if (u == NULL) return NULL;
        if (u->op->inst->in_place != 0) {
            lv = accumulated_result(l, u);
            continue;
        }
        const Flow *f = last_flow(lv);
        if (f == NULL || f->kind == HAND_VIEW) return NULL;
        if (f->carry != NULL) return f->to;
        lv = f->to;
    }
    return NULL;
}

/* True when there is no loop and no branching block between a scope and an enclosing one. */
static bool runs_once(const Scope *s, const Scope *home) {
    if (home->blocks) return false;
    for (; s != home; s = s->parent)
        if (s == NULL || s->loop || s->blocks) return false;
    return true;
}

static LiveValue *iteration_taken(Live *l, const Storage *s) {
    LiveValue *arg = next_iteration(l, s->lv);
    if (arg == NULL || !same_types(arg->value, s) || s->type->tile.vrow == DYNAMIC ||
        s->type->tile.vcol == DYNAMIC || !runs_once(s->scope, arg->scope))
        return NULL;
    Search search = {.l = l, .free = true};
    const Spot at = storage_spot(s);
    const LiveValue *other = arg;
    for (; other != NULL && may_go_on(&search); other = other->next_sharer) {
        if (!dps_reads_in_place(other, s->op)) return NULL;
        ends_before(&search, other, &at);
    }
    if (search.free) find_holders(&search, arg);
    return search.free ? arg : NULL;
}

/* ---- entry point ---- */

static void share(Live *l, const Storage *s, LiveValue *from) {
    LiveValue *first = from->holder != NULL ? from->holder : from;
    live_add_flow(l, from, s->lv, &(Flow){.kind = HAND_ON});
    s->lv->storage = NULL;
    s->lv->shares = from;
    s->lv->holder = first;
    s->lv->next_sharer = first->next_sharer;
    first->next_sharer = s->lv;
}

void live_share(Live *l) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->nstorages; i++) {
        const Storage *s = l->storages[i];
        LiveValue *from = NULL;
        if (s->kind != STORE_RESULT || s->lv->revalidated) continue;
        if (s->op->inst->in_place != 0) from = operand_taken(l, s);
        if (from == NULL && s->scope->looped) from = iteration_taken(l, s);
        if (from != NULL) share(l, s, from);
    }
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
