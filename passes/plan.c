/* SPDX-License-Identifier: Apache-2.0 */
/* Memory planning: callees before callers, one space at a time. */
#include "analysis/live.h"
#include "ir/functions.h"
#include "passes/passes.h"
#include "passes/place.h"
#include "passes/scratch.h"

#include <stdlib.h>
#include <string.h>

#define MOST_NOTES 32
/* The limit for profiles without capacity (cpu), far below where byte offsets would overflow. */
#define NO_CAPACITY_LIMIT ((int64_t)1 << 40)

typedef struct FuncState {
    PlanFunction *out;
    Op *op;
    const Live *live;  /* while the function is planned; else NULL */
    FixedRange *fixed; /* ranges that the text binds */
    CallSite *calls;
    uint32_t nfixed, ncalls;
    bool dynamic[SPACE_COUNT];
    int64_t library_scratch;    /* of Live */
    bool reserves[SPACE_COUNT]; /* it or a callee reserves a buffer there */
    uint32_t waiting;           /* calls of functions not planned yet */
    struct Caller *callers;     /* the functions that wait for it */
} FuncState;

typedef struct Caller {
    struct Caller *next;
    FuncState *func;
} Caller;

typedef struct Planner {
    const Module *module;
    Context *ctx;
    Scratch *scratch;
    Arena *step; /* of scratch */
    Profile profile;
    Plan *plan; /* NULL: only check that tiles fit */
    FuncState *funcs;
    uint32_t nfuncs;
    PtrMap by_op; /* func.func -> FuncState * */
    Functions functions;
    bool call_sites;   /* the text has calls: see survey */
    bool calls;        /* some function calls another, so bound ranges block the whole module */
    bool calls_placed; /* ... even a forgotten one, which has planned tiles */
    PlaceRange *blocked[SPACE_COUNT]; /* those ranges, computed once */
    uint32_t nblocked[SPACE_COUNT];
    bool dynamic[SPACE_COUNT];
    int64_t reserved;  /* end of the buffers that callees of the current function reserve in the
                          current space */
    bool scratch_last; /* PlanOptions.scratch_last, in a program with addresses */
    bool *placed;      /* PlanOptions.placed */
    bool ok;
} Planner;

/* ---- results ---- */

static void record(Planner *p, const Storage *s, int64_t addr, int64_t bytes) {
    if (p->plan == NULL) return;
    Arena *a = &p->ctx->arena;
    PlanSlot slot = {.addr = addr,
                     .bytes = bytes,
                     .space = s->type->tile.space,
                     .bound = s->kind == STORE_FIXED,
                     .start = s->start,
                     .end = s->end};
    if (s->kind == STORE_TMP) {
        PlanTmp *t = ARENA_NEW(a, PlanTmp);
        *t = (PlanTmp){.slot = slot, .type = s->type};
        *ptrmap_at(&p->plan->map->tmps, s->op) = t;
    } else {
        PlanSlot *at = ARENA_NEW(a, PlanSlot);
        *at = slot;
        *ptrmap_at(&p->plan->map->slots, s->lv->value) = at;
    }
}

static void raise_to(int64_t *n, int64_t at_least) {
    if (*n < at_least) *n = at_least;
}

/* ---- overflow ---- */

static Span storage_span(const Storage *s) {
    if (s->lv == NULL) return s->op->name_span;
    const Value *v = s->lv->value;
    return (Span){v->name_off, v->name != 0 ? 1 : 0};
}

static void note_item(Planner *p, Diag *d, const PlaceItem *it) {
    const Interner *names = &p->ctx->names;
    long long size = (long long)it->size;
    if (it->turn == PLACE_RESERVED) {
        const Op *op = ((const ReserveSite *)it->user)->op;
        diag_note_at(&p->ctx->diags, d, op->name_span, "%s takes %lld bytes", op->inst->name, size);
        return;
    }
    const Storage *s = it->user;
    if (s->lv == NULL) {
        diag_note_at(&p->ctx->diags, d, storage_span(s),
                     "the temporary tile of '%s' takes %lld bytes", s->op->inst->name, size);
        return;
    }
    Atom name = s->lv->value->name;
    diag_note_at(&p->ctx->diags, d, storage_span(s), "%%%.*s takes %lld bytes",
                 (int)atom_len(names, name), atom_text(names, name), size);
}

/* What had no place in a space: all items, and what else is there. */
typedef struct Overflow {
    const FuncState *f;
    const PlaceSpace *where;
    int space;
    int64_t base;      /* bytes below are for computed addresses */
    PlaceItem **items; /* those that need bytes */
    uint32_t n;
} Overflow;

static bool is_alive(const PlaceItem *it, uint32_t pos) {
    return it->start <= pos && pos <= it->end;
}

/* Lists the items that are live at a position, but not `but`. */
static void note_alive(Planner *p, Diag *d, const Overflow *o, uint32_t pos, const PlaceItem *but) {
    uint32_t alive = 0;
    for (uint32_t i = 0; i < o->n; i++)
        if (is_alive(o->items[i], pos) && o->items[i] != but && alive++ < MOST_NOTES)
            note_item(p, d, o->items[i]);
    if (alive > MOST_NOTES) diag_note(&p->ctx->diags, d, "and %u more tiles", alive - MOST_NOTES);
}

/* Names the bytes that no planned tile may have. */
static void note_kept(Planner *p, Diag *d, const Overflow *o) {
    DiagList *list = &p->ctx->diags;
    int64_t called = 0;
    if (o->base > 0)
        diag_note(list, d, "the first %lld bytes are kept for addresses that the program computes",
                  (long long)o->base);
    for (uint32_t i = 0; i < o->n; i++)
        if (o->items[i]->min > o->base) raise_to(&called, o->items[i]->min);
    if (called > 0)
        diag_note(list, d, "the first %lld bytes are used by functions that are called",
                  (long long)called);
    for (uint32_t i = 0; i < o->where->nblocked && i < MOST_NOTES; i++)
        diag_note(list, d, "bytes %lld to %lld are at an address that the program%s gives",
                  (long long)o->where->blocked[i].lo, (long long)o->where->blocked[i].hi - 1,
                  o->space == SPACE_VEC && o->f->library_scratch > 0 && o->where->blocked[i].lo == 0
                      ? " or the library"
                      : "");
}

/* Reports the first reserved buffer that has no place beside the tiles. */
static void report_reserved(Planner *p, const Overflow *o, const PlaceItem *it) {
    const ReserveSite *site = it->user;
    int64_t tiles = 0;
    uint32_t pos;
    Diag *d =
        diag_add(&p->ctx->diags, DIAG_CAPACITY, site->op->name_span,
                 "%s: no free range of %lld bytes is left in %s, of which profile %s has %lld",
                 site->op->inst->name, (long long)it->size, space_names[o->space],
                 profile_names[p->profile], (long long)profile_plan_capacity(p->profile, o->space));
    d->profiles = PROFILE_BIT(p->profile);
    place_peak(p->step, o->items, o->n, &pos);
    note_alive(p, d, o, pos, it);
    for (uint32_t i = 0; i < o->n; i++)
        if (o->items[i]->turn == PLACE_TILE)
            raise_to(&tiles, o->items[i]->addr + o->items[i]->size);
    if (tiles > 0)
        diag_note(&p->ctx->diags, d,
                  "tiles use the bytes below %lld, and a reserved buffer shares none with a tile",
                  (long long)tiles);
    note_kept(p, d, o);
}

/* Reports a scratch tile that has no place beside the tiles at addresses of the text. */
static void report_scratch(Planner *p, const Storage *s, int64_t bytes) {
    const int space = s->type->tile.space;
    Diag *d =
        diag_add(&p->ctx->diags, DIAG_CAPACITY, s->op->name_span,
                 "%s: no free range of %lld bytes is left in %s for its temporary tile, of which "
                 "profile %s has %lld",
                 s->op->inst->name, (long long)bytes, space_names[space], profile_names[p->profile],
                 (long long)profile_plan_capacity(p->profile, space));
    d->profiles = PROFILE_BIT(p->profile);
    p->ok = false;
}

/* Reports the space, both sizes, and the tiles that are live where most bytes are needed. */
static void report_tiles(Planner *p, const Overflow *o, int64_t needed) {
    uint32_t pos;
    int64_t capacity = o->where->limit - o->base;
    int64_t peak = place_peak(p->step, o->items, o->n, &pos);
    if (peak > capacity) needed = peak;
    Storage *at = NULL;
    for (uint32_t i = 0; i < o->n; i++)
        if (is_alive(o->items[i], pos) && o->items[i]->turn == PLACE_TILE) at = o->items[i]->user;
    Span span = at != NULL ? storage_span(at) : o->f->op->name_span;
    Atom name = func_data(o->f->op)->name;
    Diag *d = diag_add(
        &p->ctx->diags, DIAG_CAPACITY, span, "@%.*s needs %lld bytes of %s, profile %s has %lld",
        (int)atom_len(&p->ctx->names, name), atom_text(&p->ctx->names, name), (long long)needed,
        space_names[o->space], profile_names[p->profile], (long long)capacity);
    d->profiles = PROFILE_BIT(p->profile);
    note_alive(p, d, o, pos, NULL);
    if (peak > capacity) return;
    diag_note(&p->ctx->diags, d,
              "the tiles that are alive at one time would fit, but no free range is large enough");
    note_kept(p, d, o);
}

static void report_overflow(Planner *p, const FuncState *f, int space, const PlaceSpace *where,
                            int64_t base, PlaceItem *const *items, uint32_t n, int64_t needed) {
    Overflow o = {.f = f, .where = where, .space = space, .base = base};
    const PlaceItem *reserved = NULL;
    bool tiles = false;
    o.items = ARENA_ARRAY(p->step, PlaceItem *, n);
    for (uint32_t i = 0; i < n; i++) {
        bool out = items[i]->addr + items[i]->size > where->limit;
        if (items[i]->turn != PLACE_IDLE) o.items[o.n++] = items[i];
        tiles |= out && items[i]->turn == PLACE_TILE;
        if (out && items[i]->turn == PLACE_RESERVED && reserved == NULL) reserved = items[i];
    }
    if (reserved != NULL && !tiles)
        report_reserved(p, &o, reserved);
    else
        report_tiles(p, &o, needed);
    p->ok = false;
}

/* ---- the items of a space ---- */

/* Orders items by start; for ties by the printed numbers of their values, as text. */
static int compare_births(const void *a, const void *b) {
    const PlaceItem *x = *(PlaceItem *const *)a, *y = *(PlaceItem *const *)b;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    const Storage *s = x->user, *t = y->user;
    char left[16], right[16];
    uint32_t m = s->serial, n = t->serial, i = sizeof left - 1, k = sizeof right - 1;
    left[i] = right[k] = '\0';
    do
        left[--i] = (char)('0' + m % 10);
    while ((m /= 10) > 0);
    do
        right[--k] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    return strcmp(left + i, right + k);
}

/* Returns the bytes that functions called within [start, end] use in a space. */
static int64_t call_footprint(const Planner *p, const FuncState *f, int space, uint32_t start,
                              uint32_t end) {
    uint32_t lo = 0, hi = f->ncalls;
    int64_t most = 0;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (f->calls[mid].pos < start)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < f->ncalls && f->calls[lo].pos <= end; lo++) {
        const Op *op = f->calls[lo].callee;
        const FuncState *callee = op != NULL ? ptrmap_get(&p->by_op, op) : NULL;
        if (callee != NULL) raise_to(&most, callee->out->bytes[space]);
    }
    return most;
}

static int compare_ranges(const void *a, const void *b) {
    const PlaceRange *x = a, *y = b;
    return (x->lo > y->lo) - (x->lo < y->lo);
}

/* Sorts the ranges and merges those that touch; returns how many are left. */
static uint32_t join_ranges(PlaceRange *ranges, uint32_t n) {
    uint32_t left = 0;
    qsort(ranges, n, sizeof *ranges, compare_ranges);
    for (uint32_t i = 0; i < n; i++) {
        if (left > 0 && ranges[i].lo <= ranges[left - 1].hi)
            raise_to(&ranges[left - 1].hi, ranges[i].hi);
        else
            ranges[left++] = ranges[i];
    }
    return left;
}

static uint32_t count_bound(const FuncState *f, int space) {
    uint32_t n = space == SPACE_VEC && f->library_scratch > 0;
    for (uint32_t i = 0; i < f->nfixed; i++)
        n += f->fixed[i].space == space;
    return n;
}

/* Collects the bound ranges of the functions [f, end) in a space. */
static void find_blocked(Planner *p, Arena *a, const FuncState *f, const FuncState *end,
                         int space) {
    uint32_t most = 0, n = 0;
    p->dynamic[space] = false;
    for (const FuncState *g = f; g < end; g++)
        most += count_bound(g, space);
    PlaceRange *ranges = ARENA_ARRAY(a, PlaceRange, most);
    for (; f < end; f++) {
        p->dynamic[space] |= f->dynamic[space];
        if (space == SPACE_VEC && f->library_scratch > 0)
            ranges[n++] = (PlaceRange){0, f->library_scratch};
        for (uint32_t i = 0; i < f->nfixed; i++) {
            const FixedRange *r = &f->fixed[i];
            if (r->space == space) ranges[n++] = (PlaceRange){r->addr, r->addr + r->bytes};
        }
    }
    p->blocked[space] = ranges;
    p->nblocked[space] = join_ranges(ranges, n);
}

typedef struct SpaceItems {
    PlaceItem **items;
    uint32_t n;
    bool calls; /* some item must leave room for a callee */
} SpaceItems;

static bool item_of(Planner *p, const FuncState *f, Storage *s, int64_t base, PlaceItem *it) {
    int space = s->type->tile.space;
    int64_t bytes = tile_bytes(s->type, p->profile), alignment = space_plan_alignment(space);
    if (bytes < 0 || bytes > NO_CAPACITY_LIMIT) {
        diag_add(&p->ctx->diags, DIAG_CAPACITY, storage_span(s),
                 "the tile is larger than any memory");
        p->ok = false;
        return false;
    }
    *it = (PlaceItem){.start = s->start,
                      .end = s->end,
                      .turn = s->idle ? PLACE_IDLE : PLACE_TILE,
                      .user = s,
                      .min = base,
                      .size = (bytes + alignment - 1) / alignment * alignment};
    raise_to(&it->min, p->reserved);
    raise_to(&it->min, call_footprint(p, f, space, s->start, s->end));
    return true;
}

/* ---- reserved buffers ---- */

/* Returns the bytes used by callees that reserve buffers: peers may write to these at any time, so
 * no tile of a caller may be there. */
static int64_t reserved_below(const Planner *p, FuncState *f, int space) {
    int64_t most = 0;
    for (uint32_t i = 0; i < f->ncalls; i++) {
        const Op *op = f->calls[i].callee;
        const FuncState *callee = op != NULL ? ptrmap_get(&p->by_op, op) : NULL;
        if (callee == NULL || !callee->reserves[space]) continue;
        f->reserves[space] = true;
        raise_to(&most, callee->out->bytes[space]);
    }
    return most;
}

static void record_reserve(Planner *p, const ReserveSite *site, int64_t addr) {
    if (p->plan == NULL) return;
    PlanSlot *at = ARENA_NEW(&p->ctx->arena, PlanSlot);
    *at = (PlanSlot){
        .addr = addr, .bytes = site->bytes, .space = site->space, .start = 0, .end = UINT32_MAX};
    *ptrmap_at(&p->plan->map->reserves, site->op) = at;
}

/* Adds the buffers that the function reserves in a space. No function that it calls may have their
 * bytes. */
static void add_reserves(const Planner *p, FuncState *f, int space, int64_t base, SpaceItems *out) {
    const Live *l = f->live;
    int64_t min = call_footprint(p, f, space, 0, UINT32_MAX);
    raise_to(&min, base);
    for (uint32_t i = 0; i < l->nreserves; i++) {
        ReserveSite *site = &l->reserves[i];
        if (site->space != space) continue;
        f->reserves[space] = true;
        PlaceItem *it = out->items[out->n++] = ARENA_NEW(p->step, PlaceItem);
        *it = (PlaceItem){.end = UINT32_MAX,
                          .turn = PLACE_RESERVED,
                          .user = site,
                          .min = min,
                          .size = site->bytes};
    }
}

/* ---- one function, one space ---- */

static SpaceItems collect_items(Planner *p, FuncState *f, int space, int64_t base) {
    const Live *l = f->live;
    SpaceItems out = {.items = ARENA_ARRAY(p->step, PlaceItem *, l->nstorages + l->nreserves)};
    for (uint32_t i = 0; i < l->nstorages; i++) {
        Storage *s = l->storages[i];
        if (s->type->tile.space != space || s->kind == STORE_FIXED) continue;
        if (s->kind == STORE_TMP && p->scratch_last) continue;
        if (s->start > s->end) {
            /* An unused tile gets an address too. */
            int64_t bytes = tile_bytes(s->type, p->profile);
            record(p, s, 0, bytes);
            raise_to(&f->out->bytes[space], bytes);
            continue;
        }
        PlaceItem *it = ARENA_NEW(p->step, PlaceItem);
        if (!item_of(p, f, s, base, it)) continue;
        out.items[out.n++] = it;
        out.calls |= it->min > base;
    }
    qsort(out.items, out.n, sizeof *out.items, compare_births);
    add_reserves(p, f, space, base, &out);
    return out;
}

/* True when bound ranges of one function block all others, as functions call each other. */
static bool binds_across(const Planner *p) {
    return (p->calls || p->ctx->forgotten.calls) && p->module->signs.address;
}

static void note_placing(Planner *p) {
    Forgotten *gone = &p->ctx->forgotten;
    if (p->placed != NULL) *p->placed = true;
    gone->missed |= p->calls_placed || (binds_across(p) && gone->n != 0);
}

/* Records where an item is; returns where it ends. */
static int64_t record_item(Planner *p, const PlaceItem *it, int64_t limit) {
    if (it->turn == PLACE_RESERVED) {
        record_reserve(p, it->user, it->addr);
        return it->addr + it->size;
    }
    const Storage *s = it->user;
    int64_t size = tile_bytes(s->type, p->profile);
    /* An ignored tile that does not fit overlaps others. */
    int64_t addr = s->idle && it->addr + size > limit ? it->min : it->addr;
    record(p, s, addr, size);
    return addr + size;
}

/* Gives the scratch tiles of a function the last free bytes of a space, also where the program
 * computes addresses. Returns the first byte that is taken. */
static int64_t put_scratch_last(Planner *p, const FuncState *f, int space,
                                const PlaceSpace *where) {
    const Live *l = f->live;
    const int64_t capacity = profile_plan_capacity(p->profile, space);
    int64_t first = capacity, *used = &f->out->bytes[space];
    for (uint32_t i = 0; i < l->nstorages; i++) {
        const Storage *s = l->storages[i];
        if (s->kind != STORE_TMP || s->type->tile.space != space) continue;
        const int64_t bytes = tile_bytes(s->type, p->profile);
        const int64_t addr = place_last(where, bytes, capacity);
        if (addr < 0) {
            report_scratch(p, s, bytes);
            continue;
        }
        record(p, s, addr, bytes);
        raise_to(used, addr + bytes);
        if (addr < first) first = addr;
    }
    return first;
}

static void plan_space(Planner *p, FuncState *f, int space) {
    PlaceSpace where = {.alignment = space_plan_alignment(space)};
    int64_t *bytes = &f->out->bytes[space], needed = 0;
    int64_t capacity = profile_plan_capacity(p->profile, space);
    if (!p->calls) find_blocked(p, p->step, f, f + 1, space);
    bool dynamic = p->dynamic[space];
    where.blocked = p->blocked[space];
    where.nblocked = p->nblocked[space];
    int64_t base = dynamic ? profile_dynamic_reach(p->profile, space) : 0;
    f->out->dynamic[space] = dynamic;
    p->reserved = reserved_below(p, f, space);
    SpaceItems list = collect_items(p, f, space, base);
    if (list.n > 0) note_placing(p);
    where.limit = base + (capacity < 0 ? NO_CAPACITY_LIMIT : capacity);
    /* Without a capacity, programs that fit the chip whose rules apply are placed as on it. */
    Profile chip = (Profile)profile_infos[p->profile].judged_by[0];
    if (where.nblocked == 0 && !list.calls && base == 0)
        where.sequential = profile_plan_capacity(chip, space);
    if (p->scratch_last) {
        const int64_t first = put_scratch_last(p, f, space, &where);
        if (base == 0) where.limit = first;
    }
    if (list.n > 0 && !place_items(p->step, &where, list.items, list.n, &needed))
        report_overflow(p, f, space, &where, base, list.items, list.n, needed);
    raise_to(bytes, base);
    for (uint32_t i = 0; i < list.n; i++)
        raise_to(bytes, record_item(p, list.items[i], where.limit));
    for (uint32_t i = 0; i < f->nfixed; i++)
        if (f->fixed[i].space == space) raise_to(bytes, f->fixed[i].addr + f->fixed[i].bytes);
    if (space == SPACE_VEC) raise_to(bytes, f->library_scratch);
    raise_to(bytes, call_footprint(p, f, space, 0, UINT32_MAX));
}

static void note_bound(FuncState *f, const Live *l) {
    f->fixed = l->fixed;
    f->nfixed = l->nfixed;
    f->library_scratch = l->library_scratch;
    memcpy(f->dynamic, l->dynamic, sizeof f->dynamic);
}

static void *copy_list(Arena *a, const void *list, uint32_t n, size_t size) {
    void *copy = arena_zalloc(a, n, size, _Alignof(max_align_t));
    if (n > 0) memcpy(copy, list, n * size);
    return copy;
}

/* Collects what the text binds and calls in a function. With calls between functions, each is
 * analysed twice, here and when it is planned, so that only one analysis is in memory at a time. */
static void survey(Planner *p, FuncState *f) {
    Arena *a = &p->scratch->whole;
    const Live *l = live_function(p->step, p->ctx, p->profile, f->op);
    note_bound(f, l);
    f->fixed = copy_list(a, l->fixed, l->nfixed, sizeof *l->fixed);
    f->calls = copy_list(a, l->calls, l->ncalls, sizeof *l->calls);
    f->ncalls = l->ncalls;
    scratch_rewind(p->scratch);
}

/* Warns of a tile at a given address that may lose what it holds to the library. Planned tiles are
 * elsewhere. */
static void warn_overwritten(Planner *p, const FuncState *f, const Storage *s) {
    const Live *l = f->live;
    const Interner *names = &p->ctx->names;
    const Atom name = s->lv->value->name;
    if (s->type->tile.space != SPACE_VEC || s->addr >= l->library_scratch) return;
    for (uint32_t i = 0; i < l->nusers; i++) {
        if (l->users[i].pos <= s->start || l->users[i].pos >= s->end) continue;
        const Op *op = l->users[i].op;
        Diag *d = diag_add(&p->ctx->diags, DIAG_LIBRARY, op->name_span,
                           "%s: the library has a tile of its own in vec 0 to %lld, where %%%.*s "
                           "may lose what it holds",
                           op->inst->name, (long long)l->library_scratch - 1,
                           (int)atom_len(names, name), atom_text(names, name));
        diag_note_at(&p->ctx->diags, d, storage_span(s), "vec %lld to %lld", (long long)s->addr,
                     (long long)(s->addr + tile_bytes(s->type, p->profile) - 1));
        return;
    }
}

static void plan_one(Planner *p, FuncState *f) {
    const Live *l = f->live = live_function(p->step, p->ctx, p->profile, f->op);
    if (!p->call_sites) note_bound(f, l);
    for (int space = SPACE_MAT; space < SPACE_COUNT; space++)
        plan_space(p, f, space);
    for (uint32_t i = 0; i < l->nstorages; i++) {
        const Storage *s = l->storages[i];
        if (s->kind != STORE_FIXED) continue;
        warn_overwritten(p, f, s);
        record(p, s, s->addr, tile_bytes(s->type, p->profile));
    }
    f->live = NULL;
    scratch_rewind(p->scratch);
}

/* ---- the module ---- */

static bool count_function(Op *op, void *arg) {
    Planner *p = arg;
    p->call_sites |= op_is(op, INST_CALL);
    p->nfuncs += op_is(op, INST_FUNC);
    return true;
}

/* Of forgotten functions, which were planned before, only those matter that others call. */
static bool add_function(Op *op, void *arg) {
    Planner *p = arg;
    if (op_is(op, INST_FUNC) && (p->call_sites || !func_data(op)->forgotten))
        p->funcs[p->nfuncs++].op = op;
    return true;
}

/* Lists the functions; results are allocated with the plan. */
static void add_functions(Planner *p) {
    Arena *whole = &p->scratch->whole, *kept = p->plan != NULL ? &p->ctx->arena : whole;
    op_walk(p->module->root, count_function, p);
    p->funcs = ARENA_ARRAY(whole, FuncState, p->nfuncs);
    p->nfuncs = 0;
    op_walk(p->module->root, add_function, p);
    PlanFunction *out = ARENA_ARRAY(kept, PlanFunction, p->nfuncs);
    for (uint32_t i = 0; i < p->nfuncs; i++) {
        FuncState *f = &p->funcs[i];
        f->out = &out[i];
        f->out->func = f->op;
        *ptrmap_at(&p->by_op, f->op) = f;
        if (p->plan != NULL) *ptrmap_at(&p->plan->map->funcs, f->op) = f->out;
    }
    p->functions.arena = whole;
    if (p->plan == NULL) return;
    p->plan->functions = out;
    p->plan->nfunctions = p->nfuncs;
}

static bool has_body(const FuncState *f) {
    return func_data(f->op)->has_body;
}

/* True for a function to be planned; a forgotten body was planned before. */
static bool is_planned_now(const FuncState *f) {
    return has_body(f) && !func_data(f->op)->forgotten;
}

/* Links callers and callees; calls of declarations need no memory here. */
static void link_calls(Planner *p, FuncState *f) {
    for (uint32_t i = 0; i < f->ncalls; i++) {
        const Op *op = functions_callee(&p->functions, f->calls[i].op);
        FuncState *callee = op != NULL ? ptrmap_get(&p->by_op, op) : NULL;
        if (callee == NULL || !has_body(callee)) continue;
        f->calls[i].callee = callee->op;
        Caller *c = ARENA_NEW(&p->scratch->whole, Caller);
        *c = (Caller){.next = callee->callers, .func = f};
        callee->callers = c;
        f->waiting++;
        p->calls = true;
        p->calls_placed |= func_data(callee->op)->placed;
    }
}

static void plan_in_order(Planner *p) {
    FuncState **ready = ARENA_ARRAY(&p->scratch->whole, FuncState *, p->nfuncs);
    uint32_t n = 0, done = 0;
    for (uint32_t i = 0; i < p->nfuncs; i++)
        if (p->funcs[i].waiting == 0) ready[n++] = &p->funcs[i];
    for (; done < n; done++) {
        if (is_planned_now(ready[done])) plan_one(p, ready[done]);
        for (Caller *c = ready[done]->callers; c != NULL; c = c->next)
            if (--c->func->waiting == 0) ready[n++] = c->func;
    }
    for (uint32_t i = 0; i < p->nfuncs && n < p->nfuncs; i++) {
        if (p->funcs[i].waiting == 0) continue;
        Atom name = func_data(p->funcs[i].op)->name;
        diag_add(&p->ctx->diags, DIAG_RECURSION, func_data(p->funcs[i].op)->name_span,
                 "@%.*s calls itself, directly or through others: its memory cannot be planned",
                 (int)atom_len(&p->ctx->names, name), atom_text(&p->ctx->names, name));
        p->ok = false;
        return;
    }
}

static void link_functions(Planner *p) {
    for (uint32_t i = 0; i < p->nfuncs; i++)
        if (is_planned_now(&p->funcs[i])) survey(p, &p->funcs[i]);
    for (uint32_t i = 0; i < p->nfuncs; i++)
        link_calls(p, &p->funcs[i]);
    for (int space = SPACE_MAT; p->calls && space < SPACE_COUNT; space++)
        find_blocked(p, &p->scratch->whole, p->funcs, p->funcs + p->nfuncs, space);
}

static void plan_module(Scratch *s, void *arg) {
    Planner *p = arg;
    Forgotten *gone = &p->ctx->forgotten;
    p->scratch = s;
    p->step = &s->step;
    p->by_op.arena = &s->whole;
    add_functions(p);
    if (p->call_sites) link_functions(p);
    gone->missed |= binds_across(p) && gone->placed;
    plan_in_order(p);
}

bool passes_plan(const Module *m, const PlanOptions *opt, Plan *out) {
    Context *ctx = m->ctx;
    Planner p = {.module = m,
                 .ctx = ctx,
                 .profile = opt->profile,
                 .plan = out,
                 .placed = opt->placed,
                 .scratch_last =
                     opt->scratch_last && m->signs.address && profile_infos[opt->profile].chip,
                 .ok = true};
    if (out != NULL) {
        *out = (Plan){.map = ARENA_NEW(&ctx->arena, PlanMap)};
        out->map->slots.arena = out->map->tmps.arena = out->map->funcs.arena =
            out->map->reserves.arena = &ctx->arena;
    }
    scratch_run(ctx, plan_module, &p);
    return p.ok;
}
