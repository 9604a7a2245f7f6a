/* SPDX-License-Identifier: Apache-2.0 */
/* Finds tiles whose contents nothing reads any more: follows all paths from a statement until each
 * has met one that writes the whole valid region of the tile, or the end of the function. */
#include "analysis/unread.h"

#include "analysis/handover.h"
#include "support/ptrmap.h"

enum { MOST_ACCESSES = 16, MOST_STATEMENTS = 256 };

struct Unread {
    Arena *arena;
    const Effects *effects;
    Op *func;
    Alias *alias; /* NULL: not needed yet */
    bool called;
    bool open;      /* statements read or write tiles that they do not name */
    PtrMap changed; /* tiles that get another address or valid region somewhere */
    PtrMap viewed;  /* tiles that go somewhere under another name */
    PtrMap known;   /* Op -> Done */
    PtrMap last;    /* of a new tile: the last statement of the text that names it */
};

typedef struct Touch {
    const Value *tile;
    bool reads, fills; /* it may read some of the tile; it writes the whole valid region */
} Touch;

/* The tiles that a statement accesses. */
typedef struct Done {
    const Touch *list;
    size_t n;
    bool unknown; /* it may do anything */
} Done;

/* ---- the function ---- */

static bool is_local_pointer(const Value *v) {
    return v != NULL && v->type->kind == TY_PTR && v->type->space != SPACE_GM;
}

static void note_view(void *arg, const Handover *h) {
    Unread *u = arg;
    if (is_tile_type(h->from->value->type)) *ptrmap_at(&u->viewed, h->from->value) = u;
}

static bool note(Op *op, void *arg) {
    Unread *u = arg;
    const Value *moved = handover_rebinds(op);
    for (unsigned i = 0; i < op->nresults; i++)
        u->open |= is_local_pointer(&op->results[i]);
    for (unsigned i = 0; i < op->noperands; i++)
        u->open |= is_local_pointer(op->operands[i].value);
    for (unsigned i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i].value;
        if (v != NULL && v->def != NULL && op_is(v->def, INST_ALLOC_TILE))
            *ptrmap_at(&u->last, v) = op;
    }
    if (op_is(op, INST_SET_VALIDSHAPE) && op->noperands > 0) moved = op->operands[0].value;
    if (moved != NULL) *ptrmap_at(&u->changed, moved) = u;
    handover_each(op, note_view, u);
    return !u->open;
}

Unread *unread_function(Arena *arena, const Effects *effects, Op *func, bool called) {
    Unread *u = ARENA_NEW(arena, Unread);
    *u = (Unread){.arena = arena,
                  .effects = effects,
                  .func = func,
                  .called = called,
                  .changed = {.arena = arena},
                  .viewed = {.arena = arena},
                  .known = {.arena = arena},
                  .last = {.arena = arena}};
    op_walk(func, note, u);
    return u;
}

/* ---- tiles ---- */

static bool is_placed(const Value *tile) {
    return slot_value(tile->def, 0) != NULL;
}

/* Whether the tile is new storage that nothing else names. */
static bool is_alone(Unread *u, const Value *tile) {
    return tile->def != NULL && op_is(tile->def, INST_ALLOC_TILE) && !is_placed(tile) &&
           ptrmap_get(&u->viewed, tile) == NULL && ptrmap_get(&u->changed, tile) == NULL;
}

bool unread_alone(Unread *u, const Value *tile) {
    return is_alone(u, tile);
}

const Op *unread_last(Unread *u, const Value *tile) {
    return u->open || !is_alone(u, tile) ? NULL : ptrmap_get(&u->last, tile);
}

static AliasSet places_of(Unread *u, const Op *op, const Value *tile) {
    if (u->alias == NULL) u->alias = alias_function(u->arena, u->effects->ctx, u->func);
    return alias_places(u->alias, op, tile);
}

bool unread_shares(Unread *u, const Op *op, const Value *tile, const Value *other) {
    if (tile == other) return true;
    if (is_alone(u, tile) || is_alone(u, other)) return false;
    return alias_sets_overlap(places_of(u, op, tile), places_of(u, op, other)) != OVERLAP_NO;
}

/* ---- statements ---- */

static bool fills(const Access *a) {
    return a->write && !a->read && !a->maybe && a->touched != NULL &&
           a->touched->kind == TOUCH_VALID && !a->touched->partly;
}

static const Done *done_by(Unread *u, const Op *op) {
    void **at = ptrmap_at(&u->known, op);
    if (*at != NULL) return *at;
    Done *d = ARENA_NEW(u->arena, Done);
    Access list[MOST_ACCESSES];
    *at = d;
    const size_t n = op_accesses(u->effects, op, list, MOST_ACCESSES);
    d->unknown = n > MOST_ACCESSES || op_is(op, INST_CALL) || op_is(op, INST_SIMT_LAUNCH) ||
                 (op_is(op, INST_RETURN) && op->noperands > 0);
    if (d->unknown || n == 0) return d;
    Touch *kept = ARENA_ARRAY(u->arena, Touch, n);
    d->list = kept;
    for (size_t i = 0; i < n; i++) {
        const Access *a = &list[i];
        if (a->scratch || a->value == NULL || !is_tile_type(a->value->type)) continue;
        kept[d->n++] = (Touch){a->value, a->read || a->maybe, fills(a)};
    }
    return d;
}

/* A tile that is looked for. */
typedef struct Search {
    Unread *u;
    const Value *tile;
    bool alone;
    AliasSet places; /* unless it is alone */
    unsigned steps;
    bool read;   /* something may read it */
    bool placed; /* the text gives its address */
} Search;

static bool meets_places(const Search *s, const Op *op, const Value *tile) {
    return !is_alone(s->u, tile) &&
           alias_sets_overlap(s->places, places_of(s->u, op, tile)) != OVERLAP_NO;
}

/* Returns true when the path ends at the statement. */
static bool meets(Search *s, const Op *op) {
    const Done *d = done_by(s->u, op);
    bool written = false;
    s->read |= d->unknown || ++s->steps > MOST_STATEMENTS;
    for (size_t i = 0; i < d->n && !s->read; i++) {
        const Touch *t = &d->list[i];
        s->read = t->reads && (t->tile == s->tile || (!s->alone && meets_places(s, op, t->tile)));
        written |= t->fills && t->tile == s->tile;
    }
    /* A new tile at no place of the text holds nothing. */
    return s->read || written || (op == s->tile->def && !s->placed);
}

/* ---- paths ---- */

static bool follow_region(Search *s, const Region *r);

/* Follows the statements of a block from `op` on. Returns true when all paths end there. A region
 * in it may not run. */
static bool follow(Search *s, const Op *op) {
    for (; op != NULL && !s->read; op = op->next) {
        if (meets(s, op)) return true;
        for (unsigned i = 0; i < op->nregions; i++)
            (void)follow_region(s, &op_regions(op)[i]);
    }
    return s->read;
}

static bool follow_region(Search *s, const Region *r) {
    if (r->first == NULL) return false;
    if (r->first != r->last) {
        s->read = true; /* jumps are not followed */
        return true;
    }
    return follow(s, r->first->first);
}

bool unread_after(Unread *u, const Op *op, const Value *tile) {
    const Op *def = tile->def;
    if (u->open || def == NULL || !op_is(def, INST_ALLOC_TILE) ||
        ptrmap_get(&u->changed, tile) != NULL)
        return false;
    Search s = {.u = u, .tile = tile, .alone = is_alone(u, tile), .placed = is_placed(tile)};
    if (!s.alone) s.places = places_of(u, op, tile);
    if (!s.alone && s.places.n != 1) return false;
    for (const Op *at = op; !s.read; at = at->block->region->owner) {
        const Region *r = at->block->region;
        if (r->first != r->last) return false;
        if (follow(&s, at->next)) break;
        if (op_is(r->owner, INST_FUNC)) return !s.read && (!s.placed || !u->called);
        for (unsigned i = 0; op_loops(r->owner) && i < r->owner->nregions; i++)
            (void)follow_region(&s, &op_regions(r->owner)[i]);
    }
    return !s.read;
}
