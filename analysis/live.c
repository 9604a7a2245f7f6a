/* SPDX-License-Identifier: Apache-2.0 */
/* Liveness of tile storage: one walk collects uses, flows and storages; then the interval of each
 * storage follows from the flows of its value. */
#include "analysis/live.h"

#include "analysis/alias.h"
#include "analysis/effects.h"
#include "ir/number.h"

#include <string.h>

typedef struct Walk {
    Live *l;
    Context *ctx;
    uint32_t pos, serial, scope_id;
    Scope *scope;
    Op *op;         /* the current operation */
    bool may_share; /* some result may use the storage of another value */
    PtrMap *order;  /* block -> number + 1, in a region of several blocks */
} Walk;

/* Makes room for one more element of a list in the arena. */
static void *grown(Arena *a, void *data, uint32_t n, uint32_t *cap, size_t size) {
    if (n < *cap) return data;
    *cap = *cap == 0 ? 16 : *cap * 2;
    void *more = arena_zalloc(a, *cap, size, _Alignof(max_align_t));
    if (n > 0) memcpy(more, data, n * size);
    return more;
}

LiveValue *live_value(const Live *l, const Value *v) {
    return ptrmap_get(&l->values, v);
}

static LiveValue *value_at(Live *l, Value *v) {
    void **at = ptrmap_at(&l->values, v);
    if (*at == NULL) {
        LiveValue *lv = ARENA_NEW(l->arena, LiveValue);
        lv->value = v;
        *at = lv;
    }
    return *at;
}

static Storage *add_storage(Walk *w, StorageKind kind, Op *op, Value *v, const Type *type) {
    Live *l = w->l;
    l->storages = grown(l->arena, l->storages, l->nstorages, &l->cap_storages, sizeof *l->storages);
    Storage *s = ARENA_NEW(l->arena, Storage);
    l->storages[l->nstorages++] = s;
    *s = (Storage){.kind = (uint8_t)kind,
                   .op = op,
                   .scope = w->scope,
                   .type = type,
                   .pos = w->pos,
                   .serial = w->serial};
    if (v != NULL) {
        s->lv = value_at(l, v);
        s->lv->storage = s;
    }
    return s;
}

static void add_range(Live *l, int64_t addr, int64_t bytes, int space) {
    if (bytes <= 0 || addr < 0) return;
    if (bytes > INT64_MAX - addr) bytes = INT64_MAX - addr;
    l->fixed = grown(l->arena, l->fixed, l->nfixed, &l->cap_fixed, sizeof *l->fixed);
    l->fixed[l->nfixed++] = (FixedRange){.addr = addr, .bytes = bytes, .space = (uint8_t)space};
}

static void add_fixed(Live *l, const Type *type, int64_t addr) {
    if (type != NULL) add_range(l, addr, tile_bytes(type, l->profile), type->tile.space);
}

void live_add_flow(Live *l, LiveValue *from, LiveValue *to, const Flow *how) {
    Flow *f = ARENA_NEW(l->arena, Flow);
    *f = *how;
    f->from = from;
    f->to = to;
    f->next = from->flows;
    from->flows = f;
    f->next_source = to->sources;
    to->sources = f;
}

/* True for the type of a value that refers to storage. */
static bool is_stored(const Type *t) {
    return type_is_tile(t) || t->kind == TY_MULTI_TILE;
}

static void add_use(Walk *w, Op *op, Operand *o) {
    if (!is_stored(o->value->type)) return;
    Use *u = ARENA_NEW(w->l->arena, Use);
    LiveValue *lv = value_at(w->l, o->value);
    *u = (Use){.next = lv->uses, .operand = o, .op = op, .scope = w->scope, .pos = w->pos};
    lv->uses = u;
}

/* ---- flows ---- */

static bool goes_back(Walk *w, const Block *from, const Block *to) {
    if (w->order == NULL) return true;
    return (uintptr_t)ptrmap_get(w->order, to) <= (uintptr_t)ptrmap_get(w->order, from);
}

static void note_handover(void *arg, const Handover *h) {
    Walk *w = arg;
    if (!is_stored(h->from->value->type)) return;
    Flow how = {.op = w->op, .operand = h->from, .kind = h->kind};
    bool back = h->kind == HAND_BRANCH && goes_back(w, w->op->block, value_block(h->to));
    if (h->kind == HAND_NEXT || back) how.carry = w->scope;
    live_add_flow(w->l, value_at(w->l, h->from->value), value_at(w->l, h->to), &how);
}

/* ---- storages ---- */

static bool is_parameter(const Value *v) {
    return value_block(v) != NULL && op_is(region_owner(value_block(v)), INST_FUNC);
}

static void note_tassign(Walk *w, Op *op) {
    Value *v = op->nresults > 0 ? &op->results[0] : slot_value(op, 0);
    const Type *type = v != NULL ? tile_value_type(v) : NULL;
    int64_t addr;
    if (type == NULL) return;
    if (!given_address(op, &addr)) {
        w->l->dynamic[type->tile.space] = true;
        return;
    }
    add_fixed(w->l, type, addr);
    Storage *s = value_at(w->l, v)->storage;
    if (s == NULL && (op->nresults > 0 || is_parameter(v)))
        s = add_storage(w, STORE_FIXED, is_parameter(v) ? NULL : op, v, type);
    else if (s == NULL || s->kind == STORE_FIXED)
        return; /* it is moved at run time */
    s->kind = STORE_FIXED;
    s->addr = addr;
}

static void note_alloc(Walk *w, Op *op) {
    Value *v = &op->results[0];
    const Type *type = v->type->kind == TY_MULTI_TILE ? v->type : tile_value_type(v);
    int64_t addr;
    if (type == NULL) return;
    if (slot_count(op, inst_slot(op->inst, OPERAND_addr)) == 0) {
        add_storage(w, STORE_ALLOC, op, v, type);
    } else if (given_address(op, &addr)) {
        add_storage(w, STORE_FIXED, op, v, type)->addr = addr;
        add_fixed(w->l, type, addr);
    } else {
        w->l->dynamic[type->tile.space] = true;
    }
}

static int64_t number(const Op *op, AttrName name, int64_t otherwise) {
    const NamedAttr *a = op_attr_named(op, name);
    return a == NULL                     ? otherwise
           : a->value->kind == ATTR_ENUM ? enum_number(a->value)
                                         : a->value->i;
}

static void note_reserve(Walk *w, Op *op) {
    Live *l = w->l;
    int64_t base = number(op, ATTR_base, -1), bytes = number(op, ATTR_size, 0);
    int space = (int)number(op, ATTR_location, SPACE_VEC);
    if (base >= 0 || bytes <= 0) {
        add_range(l, base, bytes, space);
        return;
    }
    l->reserves = grown(l->arena, l->reserves, l->nreserves, &l->cap_reserves, sizeof *l->reserves);
    l->reserves[l->nreserves++] = (ReserveSite){op, bytes, (uint8_t)space};
}

/* Notes the slots of a pipe whose consumer buffer is not reserved: they are at a constant address,
 * or anywhere. */
static void note_pipe(Walk *w, Op *op, const Value *buffer, int space) {
    int64_t addr, slots = number(op, ATTR_slot_num, 8);
    if (buffer == NULL ||
        (buffer->def != NULL && (op_is(buffer->def, INST_RESERVE_BUFFER) ||
                                 op_is(buffer->def, INST_IMPORT_RESERVED_BUFFER))))
        return;
    if (number_known(buffer, &addr))
        add_range(w->l, addr, slots * number(op, ATTR_slot_size, 0), space);
    else
        w->l->dynamic[space] = true;
}

static void note_pipe_buffers(Walk *w, Op *op) {
    int64_t dirs = number(op, ATTR_dir_mask, 0);
    int c2v = inst_slot(op->inst, OPERAND_c2v_consumer_buf),
        v2c = inst_slot(op->inst, OPERAND_v2c_consumer_buf);
    int local = inst_slot(op->inst, OPERAND_local_addr),
        peer = inst_slot(op->inst, OPERAND_peer_local_addr);
    if (local >= 0) {
        c2v = (dirs & 1) != 0 ? local : -1;
        v2c = dirs == 3 ? peer : dirs == 2 ? local : -1;
    }
    if (c2v >= 0 && (dirs & 1) != 0) note_pipe(w, op, slot_value(op, c2v), SPACE_VEC);
    if (v2c >= 0 && (dirs & 2) != 0) note_pipe(w, op, slot_value(op, v2c), SPACE_MAT);
}

/* True when some earlier tile has an address in the text. */
static bool seen_address(const Live *l) {
    bool seen = l->nfixed > 0;
    for (int space = 0; space < SPACE_COUNT; space++)
        seen |= l->dynamic[space];
    return seen;
}

static void note_tmp(Walk *w, Op *op) {
    ImplicitTmp how = inst_tmp(op->inst, w->l->profile);
    if (how == TMP_NONE || (how == TMP_ROW_EXPAND && seen_address(w->l))) return;
    for (int i = 0; i < op->inst->nslots; i++) {
        if (op->inst->slots[i].role != ROLE_SCRATCH || slot_value(op, i) != NULL) continue;
        const Type *type = implicit_tmp_type(w->ctx, op, how);
        if (type != NULL) {
            add_storage(w, STORE_TMP, op, NULL, type);
            w->serial++;
        }
        return;
    }
}

static void note_results(Walk *w, Op *op) {
    unsigned written = op_new_tiles(op);
    for (unsigned r = 0; r < op->nresults; r++) {
        Value *v = &op->results[r];
        const Type *type = type_is_tile(v->type) ? tile_value_type(v) : NULL;
        if (type == NULL || !(r < written || op_is(op, INST_CALL))) continue;
        w->may_share |= op->inst->in_place != 0 || w->scope->looped;
        add_storage(w, r < written ? STORE_RESULT : STORE_CALL, op, v, type);
    }
}

static void note_values(Walk *w, Value *values, uint32_t n, uint32_t pos) {
    for (uint32_t i = 0; i < n; i++) {
        if (!is_stored(values[i].type)) continue;
        LiveValue *lv = value_at(w->l, &values[i]);
        lv->scope = w->scope;
        lv->pos = pos;
    }
}

static void note_uses(Walk *w, Op *op) {
    for (unsigned i = 0; i < op->noperands; i++)
        add_use(w, op, &op->operands[i]);
    for (unsigned i = 0; i < op->nsuccs; i++)
        for (uint32_t k = 0; k < op_succs(op)[i].nargs; k++)
            add_use(w, op, &op_succs(op)[i].args[k]);
}

/* A wait for a prefetch uses the tile that the library made for the prefetch. */
static void note_library_scratch(Walk *w, Op *op) {
    Live *l = w->l;
    const bool waits = op->inst->transfer && !op_transfers(op);
    if (op->inst->library_scratch == 0 && !waits) return;
    if (op->inst->library_scratch > l->library_scratch)
        l->library_scratch = op->inst->library_scratch;
    l->users = grown(l->arena, l->users, l->nusers, &l->cap_users, sizeof *l->users);
    l->users[l->nusers++] = (CallSite){.op = op, .pos = w->pos};
}

static void note_op(Walk *w, Op *op) {
    w->op = op;
    note_values(w, op->results, op->nresults, w->pos);
    note_uses(w, op);
    note_tmp(w, op);
    if (op_is(op, INST_TASSIGN))
        note_tassign(w, op);
    else if ((op->inst->flags & IF_ALLOC) != 0 || op_is(op, INST_ALLOC_MULTI_TILE))
        note_alloc(w, op);
    else
        note_results(w, op);
    if (op_is(op, INST_SET_VALIDSHAPE) && op->noperands > 0)
        value_at(w->l, op->operands[0].value)->revalidated = true;
    if (op_is(op, INST_RESERVE_BUFFER)) note_reserve(w, op);
    if (profile_infos[w->l->profile].chip) note_library_scratch(w, op);
    if (op->inst->fifo) note_pipe_buffers(w, op);
    handover_each(op, note_handover, w);
    if (op_is(op, INST_CALL)) {
        Live *l = w->l;
        l->calls = grown(l->arena, l->calls, l->ncalls, &l->cap_calls, sizeof *l->calls);
        l->calls[l->ncalls++] = (CallSite){.op = op, .pos = w->pos};
    }
    if (op->nresults > 0 && !op_is(op, INST_CONSTANT)) w->serial++;
}

/* ---- the walk ---- */

static bool region_loops(Walk *w, const Region *r) {
    uintptr_t n = 0;
    bool back = false;
    for (Block *b = r->first; b != NULL; b = b->next)
        *ptrmap_at(w->order, b) = (void *)++n;
    for (Block *b = r->first; b != NULL; b = b->next)
        for (unsigned i = 0; b->last != NULL && i < b->last->nsuccs; i++)
            back |= goes_back(w, b, op_succs(b->last)[i].block);
    return back;
}

static void note_order(Walk *w, Value *values, uint32_t n) {
    Live *l = w->l;
    for (uint32_t i = 0; i < n && !w->scope->looped; i++) {
        if (!type_is_tile(values[i].type)) continue;
        l->order = grown(l->arena, l->order, l->norder, &l->cap_order, sizeof *l->order);
        l->order[l->norder++] = value_at(l, &values[i]);
    }
}

static Scope *walk_region(Walk *w, Region *r, uint32_t owner_pos);

static void walk_op(Walk *w, Op *op) {
    Scope *scopes = NULL; /* of its regions; all end at the end of the operation */
    note_op(w, op);
    uint32_t pos = w->pos++;
    for (unsigned i = 0; i < op->nregions; i++) {
        Scope *s = walk_region(w, &op_regions(op)[i], pos);
        s->sibling = scopes;
        scopes = s;
    }
    for (Scope *s = scopes; s != NULL; s = s->sibling)
        s->end = scopes->end;
    note_order(w, op->results, op->nresults);
}

static Scope *walk_region(Walk *w, Region *r, uint32_t owner_pos) {
    Scope *s = ARENA_NEW(w->l->arena, Scope);
    PtrMap order = {.arena = w->l->arena};
    PtrMap *outer_order = w->order;
    *s = (Scope){.parent = w->scope, .region = r, .id = w->scope_id++, .start = owner_pos};
    s->blocks = r->first != r->last;
    s->loop = op_loops(r->owner);
    w->scope = s;
    w->order = s->blocks ? &order : NULL;
    if (s->blocks && region_loops(w, r)) s->loop = true;
    s->looped = s->loop || (s->parent != NULL && s->parent->looped);
    for (Block *b = r->first; b != NULL; b = b->next) {
        note_values(w, b->args, b->nargs, 0);
        note_order(w, b->args, b->nargs);
    }
    for (Block *b = r->first; b != NULL; b = b->next)
        for (Op *op = b->first; op != NULL; op = op->next)
            walk_op(w, op);
    s->last_id = w->scope_id - 1;
    s->end = w->pos++;
    w->scope = s->parent;
    w->order = outer_order;
    return s;
}

/* ---- positions in the text ---- */

typedef struct Positions {
    uint32_t *offs; /* NULL while counting */
    uint32_t n;
} Positions;

static void add_position(Positions *p, uint32_t off) {
    if (p->offs != NULL) p->offs[p->n] = off;
    p->n++;
}

/* Numbers positions like walk_op and walk_region. */
static void number_region(Positions *p, const Region *r) {
    uint32_t last = r->open.off;
    for (const Block *b = r->first; b != NULL; b = b->next)
        for (const Op *op = b->first; op != NULL; op = op->next) {
            last = op->name_span.off;
            add_position(p, last);
            for (unsigned i = 0; i < op->nregions; i++)
                number_region(p, &op_regions(op)[i]);
        }
    add_position(p, r->close.off != 0 ? r->close.off : last);
}

uint32_t live_positions(Arena *arena, const Op *func, uint32_t **offs) {
    Positions p = {.n = 1};
    number_region(&p, &op_regions(func)[0]);
    p = (Positions){.offs = ARENA_ARRAY(arena, uint32_t, p.n), .n = 1};
    p.offs[0] = func->name_span.off;
    number_region(&p, &op_regions(func)[0]);
    *offs = p.offs;
    return p.n;
}

/* ---- intervals ---- */

void live_push(Live *l, uint32_t n, LiveValue *lv) {
    l->list = grown(l->arena, l->list, n, &l->cap_list, sizeof(LiveValue *));
    l->list[n] = lv;
}

static void widen(uint32_t *lo, uint32_t *hi, uint32_t from, uint32_t to) {
    if (from < *lo) *lo = from;
    if (to > *hi) *hi = to;
}

/* Converts a use in `scope` at `pos` to positions in `home`: a use in a nested region lasts until
 * its end, one in a nested loop for the whole loop. */
static void live_lift(const Scope *scope, uint32_t pos, const Scope *home, uint32_t *lo,
                      uint32_t *hi) {
    uint32_t from = pos, to = pos;
    const Scope *s = scope;
    for (; !scope_encloses(s, home); s = s->parent)
        widen(&from, &to, s->loop ? s->start : from, s->end);
    if (s->loop && s->blocks) widen(&from, &to, s->start, s->end);
    widen(lo, hi, from, to);
}

/* True when the use is a scratch operand that the profile leaves alone. As the vendor's planner
 * does, one that no profile plans gets an address nevertheless. */
static bool is_idle_use(const Live *l, const Use *u) {
    const Inst *inst = u->op->inst;
    bool planned = false;
    for (int p = 0; p < PROFILE_COUNT; p++)
        planned |= inst_tmp(inst, (Profile)p) != TMP_NONE;
    if (!planned || !scratch_is_idle(inst, l->profile)) return false;
    for (int i = 0; i < inst->nslots; i++)
        if (inst->slots[i].role == ROLE_SCRATCH && slot_operands(u->op, i) == u->operand)
            return true;
    return false;
}

/* Widens [lo, hi] to the positions in `home` that need what `root` holds. The `end` of a settled
 * value already covers every value it flows to. */
static void reach(Live *l, LiveValue *root, const Scope *home, uint32_t *lo, uint32_t *hi) {
    uint32_t n = 0;
    l->stamp++;
    root->stamp = l->stamp;
    live_push(l, n++, root);
    while (n > 0) {
        const LiveValue *lv = l->list[--n];
        for (const Use *u = lv->uses; u != NULL; u = u->next)
            live_lift(u->scope, u->pos, home, lo, hi);
        for (const Flow *f = lv->flows; f != NULL; f = f->next) {
            if (f->carry != NULL) widen(lo, hi, f->carry->start, f->carry->end);
            if (f->to->settled && f->to->end > *hi) *hi = f->to->end;
            if (f->to->settled || f->to->stamp == l->stamp) continue;
            f->to->stamp = l->stamp;
            live_push(l, n++, f->to);
        }
    }
}

static void settle_values(Live *l) {
    for (uint32_t i = l->norder; i-- > 0;) {
        LiveValue *lv = l->order[i];
        uint32_t lo = UINT32_MAX, hi = 0;
        reach(l, lv, lv->scope, &lo, &hi);
        lv->end = hi;
        lv->settled = true;
    }
}

static void storage_interval(Live *l, Storage *s) {
    uint32_t lo = UINT32_MAX, hi = 0;
    if (s->kind != STORE_ALLOC && s->kind != STORE_FIXED)
        live_lift(s->scope, s->pos, s->scope, &lo, &hi);
    if (s->lv != NULL) reach(l, s->lv, s->scope, &lo, &hi);
    s->idle = s->kind == STORE_ALLOC && s->lv->uses != NULL && s->lv->flows == NULL;
    for (const Use *u = s->idle ? s->lv->uses : NULL; u != NULL; u = u->next)
        if (!is_idle_use(l, u)) s->idle = false;
    if (s->kind == STORE_TMP) s->idle = scratch_is_idle(s->op->inst, l->profile);
    s->start = lo;
    s->end = hi;
}

/* ---- entry point ---- */

Live *live_function(Arena *arena, Context *ctx, Profile profile, Op *func) {
    Live *l = ARENA_NEW(arena, Live);
    l->arena = arena;
    l->ctx = ctx;
    l->profile = profile;
    l->values.arena = l->visited.arena = l->branches.arena = arena;
    Walk w = {.l = l, .ctx = ctx, .pos = 1};
    walk_region(&w, &op_regions(func)[0], 0);
    l->npositions = w.pos;
    l->nscopes = w.scope_id;
    if (w.may_share) live_share(l);
    settle_values(l);
    for (uint32_t i = 0; i < l->nstorages; i++)
        storage_interval(l, l->storages[i]);
    return l;
}
