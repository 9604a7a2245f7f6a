/* Liveness of tile storage: one walk collects uses, flows and storages, then every storage gets
 * its interval by following the flows of its value. */
#include "passes/live.h"
#include "passes/passes.h"

#include <string.h>

typedef struct Walk {
    Live *l;
    Context *ctx;
    uint32_t pos, serial, scope_id;
    Scope *scope;
    bool may_share; /* some result may take the tile of another value */
    PtrMap *order;  /* block -> its number + 1, in a region of several blocks */
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

static void add_fixed(Live *l, const Type *type, int64_t addr) {
    int64_t bytes = type != NULL ? tile_bytes(type, l->profile) : -1;
    if (bytes <= 0 || addr < 0) return;
    l->fixed = grown(l->arena, l->fixed, l->nfixed, &l->cap_fixed, sizeof *l->fixed);
    l->fixed[l->nfixed++] = (FixedRange){.addr = addr, .bytes = bytes, .space = type->tile.space};
}

static void add_flow(Walk *w, Value *from, Value *to, const Scope *carry, bool leaves) {
    if (!type_is_tile(from->type)) return;
    Flow *f = ARENA_NEW(w->l->arena, Flow);
    LiveValue *source = value_at(w->l, from);
    *f = (Flow){.next = source->flows,
                .to = value_at(w->l, to),
                .from = w->scope,
                .carry = carry,
                .leaves = leaves};
    source->flows = f;
}

static void add_use(Walk *w, Op *op, Operand *o) {
    if (!type_is_tile(o->value->type)) return;
    Use *u = ARENA_NEW(w->l->arena, Use);
    LiveValue *lv = value_at(w->l, o->value);
    *u = (Use){.next = lv->uses, .operand = o, .op = op, .scope = w->scope, .pos = w->pos};
    lv->uses = u;
}

/* ---- flows of control statements ---- */

/* The values that a terminator hands to its operation: values of slot `slot`. */
static void flow_out(Walk *w, Op *op, int slot) {
    Op *owner = region_owner(op->block);
    unsigned n = slot_count(op, slot);
    Operand *values = slot_operands(op, slot);
    bool to_next = op_is(owner, INST_SCF_FOR); /* also to the next round's arguments */
    bool only_next = op_is(owner, INST_SCF_WHILE) && op_is(op, INST_SCF_YIELD);
    Block *first = owner->nregions > 0 ? owner->regions[0].first : NULL;
    Block *after =
        op_is(op, INST_SCF_CONDITION) && owner->nregions > 1 ? owner->regions[1].first : NULL;
    for (unsigned i = 0; i < n; i++) {
        Value *v = values[i].value;
        unsigned arg = to_next ? i + 1 : i;
        if ((to_next || only_next) && first != NULL && arg < first->nargs)
            add_flow(w, v, &first->args[arg], w->scope, false);
        if (after != NULL && i < after->nargs) add_flow(w, v, &after->args[i], NULL, false);
        if (!only_next && i < owner->nresults) add_flow(w, v, &owner->results[i], NULL, true);
    }
}

/* True when an scf.for is known to run its body at least once. */
static bool runs_a_round(const Op *op) {
    int64_t from, to;
    return value_constant(slot_value(op, 0), &from) && value_constant(slot_value(op, 1), &to) &&
           from < to;
}

/* What a loop starts with goes to its arguments; scf.for also returns it when it runs no round. */
static void flow_init(Walk *w, Op *op, unsigned first_arg, bool to_results) {
    int slot = inst_slot(op->inst, "init");
    unsigned n = slot_count(op, slot);
    Operand *init = slot_operands(op, slot);
    Block *body = op->nregions > 0 ? op->regions[0].first : NULL;
    for (unsigned i = 0; i < n; i++) {
        if (body != NULL && first_arg + i < body->nargs)
            add_flow(w, init[i].value, &body->args[first_arg + i], NULL, false);
        if (to_results && i < op->nresults) add_flow(w, init[i].value, &op->results[i], NULL, true);
    }
}

static bool goes_back(Walk *w, const Block *from, const Block *to) {
    if (w->order == NULL) return true;
    return (uintptr_t)ptrmap_get(w->order, to) <= (uintptr_t)ptrmap_get(w->order, from);
}

static void flow_branches(Walk *w, Op *op) {
    for (unsigned i = 0; i < op->nsuccs; i++) {
        Successor *s = &op->succs[i];
        const Scope *carry = goes_back(w, op->block, s->block) ? w->scope : NULL;
        for (uint32_t k = 0; k < s->nargs; k++) {
            add_use(w, op, &s->args[k]);
            if (k < s->block->nargs)
                add_flow(w, s->args[k].value, &s->block->args[k], carry, false);
        }
    }
}

/* ---- storages ---- */

static bool tassign_address(Walk *w, const Op *op, int64_t *addr) {
    const NamedAttr *a = op_attr(w->ctx, op, inst_attr(op->inst, "tile_addr", 9));
    if (a != NULL && a->value->kind == ATTR_INT) {
        *addr = a->value->i;
        return true;
    }
    Value *v = slot_value(op, inst_slot(op->inst, "addr"));
    return v != NULL && value_constant(v, addr);
}

static bool is_parameter(const Value *v) {
    return v->block != NULL && op_is(region_owner(v->block), INST_FUNC);
}

static void see_tassign(Walk *w, Op *op) {
    Value *v = op->nresults > 0 ? &op->results[0] : slot_value(op, 0);
    const Type *type = v != NULL ? tile_value_type(v) : NULL;
    int64_t addr;
    if (type == NULL) return;
    if (!tassign_address(w, op, &addr)) {
        w->l->dynamic[type->tile.space] = true;
        return;
    }
    add_fixed(w->l, type, addr);
    Storage *s = value_at(w->l, v)->storage;
    if (s == NULL && (op->nresults > 0 || is_parameter(v)))
        s = add_storage(w, STORE_FIXED, is_parameter(v) ? NULL : op, v, type);
    else if (s == NULL || s->kind == STORE_FIXED)
        return; /* moved when it runs */
    s->kind = STORE_FIXED;
    s->addr = addr;
}

static void see_alloc(Walk *w, Op *op) {
    Value *v = &op->results[0];
    const Type *type = tile_value_type(v);
    int slot = inst_slot(op->inst, "addr");
    Value *at = slot >= 0 ? slot_value(op, slot) : NULL;
    int64_t addr;
    if (type == NULL) return;
    if (at == NULL) {
        add_storage(w, STORE_ALLOC, op, v, type);
    } else if (value_constant(at, &addr)) {
        add_storage(w, STORE_FIXED, op, v, type)->addr = addr;
        add_fixed(w->l, type, addr);
    } else {
        w->l->dynamic[type->tile.space] = true;
    }
}

/* Some tile before this one has an address in the text. */
static bool seen_address(const Live *l) {
    bool seen = l->nfixed > 0;
    for (int space = 0; space < SPACE_COUNT; space++)
        seen |= l->dynamic[space];
    return seen;
}

static void see_tmp(Walk *w, Op *op) {
    ImplicitTmp how = (ImplicitTmp)op->inst->tmp[w->l->profile];
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

static void see_results(Walk *w, Op *op) {
    unsigned written = op_new_tiles(op);
    bool by_region = op->nregions > 0;
    for (unsigned r = 0; r < op->nresults; r++) {
        Value *v = &op->results[r];
        if (!type_is_tile(v->type) || by_region) continue;
        const Type *type = tile_value_type(v);
        if (r < written || op_is(op, INST_CALL)) {
            w->may_share |= op->inst->in_place != NULL || w->scope->looped;
            if (type != NULL) add_storage(w, r < written ? STORE_RESULT : STORE_CALL, op, v, type);
        } else {
            for (unsigned i = 0; i < op->noperands; i++)
                add_flow(w, op->operands[i].value, v, NULL, false);
        }
    }
}

static void see_values(Walk *w, Value *values, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (type_is_tile(values[i].type)) value_at(w->l, &values[i])->scope = w->scope;
}

static void see_op(Walk *w, Op *op) {
    see_values(w, op->results, op->nresults);
    for (unsigned i = 0; i < op->noperands; i++)
        add_use(w, op, &op->operands[i]);
    see_tmp(w, op);
    if (op_is(op, INST_TASSIGN))
        see_tassign(w, op);
    else if (op->inst->flags & IF_ALLOC)
        see_alloc(w, op);
    else
        see_results(w, op);
    if (op_is(op, INST_SET_VALIDSHAPE) && op->noperands > 0)
        value_at(w->l, op->operands[0].value)->revalidated = true;
    if (op_is(op, INST_SCF_FOR)) flow_init(w, op, 1, !runs_a_round(op));
    if (op_is(op, INST_SCF_WHILE)) flow_init(w, op, 0, false);
    if (op_is(op, INST_SCF_YIELD)) flow_out(w, op, 0);
    if (op_is(op, INST_SCF_CONDITION)) flow_out(w, op, 1);
    if (op->nsuccs > 0) flow_branches(w, op);
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
            back |= goes_back(w, b, b->last->succs[i].block);
    return back;
}

static void see_order(Walk *w, Value *values, uint32_t n) {
    Live *l = w->l;
    for (uint32_t i = 0; i < n && !w->scope->looped; i++) {
        if (!type_is_tile(values[i].type)) continue;
        l->order = grown(l->arena, l->order, l->norder, &l->cap_order, sizeof *l->order);
        l->order[l->norder++] = value_at(l, &values[i]);
    }
}

static Scope *walk_region(Walk *w, Region *r, uint32_t owner_pos);

static void walk_op(Walk *w, Op *op) {
    Scope *scopes = NULL; /* of its regions: all end where the operation ends */
    see_op(w, op);
    uint32_t pos = w->pos++;
    for (unsigned i = 0; i < op->nregions; i++) {
        Scope *s = walk_region(w, &op->regions[i], pos);
        s->sibling = scopes;
        scopes = s;
    }
    for (Scope *s = scopes; s != NULL; s = s->sibling)
        s->end = scopes->end;
    see_order(w, op->results, op->nresults);
}

static Scope *walk_region(Walk *w, Region *r, uint32_t owner_pos) {
    Scope *s = ARENA_NEW(w->l->arena, Scope);
    PtrMap order = {.arena = w->l->arena};
    PtrMap *outer_order = w->order;
    *s = (Scope){.parent = w->scope, .region = r, .id = w->scope_id++, .start = owner_pos};
    s->blocks = r->first != r->last;
    s->loop = op_is(r->owner, INST_SCF_FOR) || op_is(r->owner, INST_SCF_WHILE);
    w->scope = s;
    w->order = s->blocks ? &order : NULL;
    if (s->blocks && region_loops(w, r)) s->loop = true;
    s->looped = s->loop || (s->parent != NULL && s->parent->looped);
    for (Block *b = r->first; b != NULL; b = b->next) {
        see_values(w, b->args, b->nargs);
        see_order(w, b->args, b->nargs);
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

/* ---- intervals ---- */

void live_push(Live *l, uint32_t n, LiveValue *lv, const Scope *loop) {
    l->carried = grown(l->arena, l->carried, n, &l->cap_carried, sizeof *l->carried);
    l->carried[n] = (Carried){lv, loop};
}

static void widen(uint32_t *lo, uint32_t *hi, uint32_t from, uint32_t to) {
    if (from < *lo) *lo = from;
    if (to > *hi) *hi = to;
}

void live_lift(const Scope *scope, uint32_t pos, const Scope *home, uint32_t *lo, uint32_t *hi) {
    uint32_t from = pos, to = pos;
    const Scope *s = scope;
    for (; !scope_encloses(s, home); s = s->parent)
        widen(&from, &to, s->loop ? s->start : from, s->end);
    if (s->loop && s->blocks) widen(&from, &to, s->start, s->end);
    widen(lo, hi, from, to);
}

/* True when the profile ignores the scratch operand that `u` is. */
static bool ignored_use(const Live *l, const Use *u) {
    const Inst *inst = u->op->inst;
    if (inst->tmp[l->profile] != TMP_NONE) return false;
    bool elsewhere = false;
    for (int p = 0; p < PROFILE_COUNT; p++)
        elsewhere |= inst->tmp[p] != TMP_NONE;
    if (!elsewhere) return false;
    for (int i = 0; i < inst->nslots; i++)
        if (inst->slots[i].role == ROLE_SCRATCH && slot_operands(u->op, i) == u->operand)
            return true;
    return false;
}

/* Widens [lo, hi] to the positions that need what `root` holds, for something that lives in `home`.
 * A settled value stands for all that it becomes: outside of loops that lies behind it. */
static void reach(Live *l, LiveValue *root, const Scope *home, uint32_t *lo, uint32_t *hi) {
    uint32_t n = 0;
    l->stamp++;
    root->stamp = l->stamp;
    live_push(l, n++, root, NULL);
    while (n > 0) {
        const LiveValue *lv = l->carried[--n].lv;
        for (const Use *u = lv->uses; u != NULL; u = u->next)
            live_lift(u->scope, u->pos, home, lo, hi);
        for (const Flow *f = lv->flows; f != NULL; f = f->next) {
            if (f->carry != NULL) widen(lo, hi, f->carry->start, f->carry->end);
            if (f->to->settled && f->to->end > *hi) *hi = f->to->end;
            if (f->to->settled || f->to->stamp == l->stamp) continue;
            f->to->stamp = l->stamp;
            live_push(l, n++, f->to, NULL);
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
        if (!ignored_use(l, u)) s->idle = false;
    s->start = lo;
    s->end = hi;
}

/* ---- contents carried round a loop ---- */

bool live_exclusive(const Scope *a, const Scope *b, const Scope *home) {
    for (const Scope *x = a; x != NULL && x != home; x = x->parent) {
        if (x->loop) return false;
        if (!op_is(x->region->owner, INST_SCF_IF)) continue;
        const Scope *y = b;
        while (y != NULL && y->parent != x->parent)
            y = y->parent;
        if (y == NULL || y == x || y->region->owner != x->region->owner) continue;
        while (x != NULL && x != home && !x->loop)
            x = x->parent;
        return x == home;
    }
    return false;
}

/* The innermost scope around both that runs once for a value of `home`, or `home`: there the order
 * of the text is the order in time. */
static const Scope *once_around(const Scope *a, const Scope *b, const Scope *home) {
    const Scope *both = a;
    while (both != NULL && !scope_encloses(both, b))
        both = both->parent;
    for (const Scope *x = both; x != home; x = x->parent)
        if (x == NULL || x->loop) return home;
    return both;
}

static bool needed_later(const Storage *s, const Carried *c, bool in_place) {
    for (const Use *u = c->lv->uses; u != NULL; u = u->next) {
        uint32_t lo = UINT32_MAX, hi = 0;
        if (u->pos < c->loop->start || u->pos > c->loop->end) continue;
        if (live_exclusive(s->scope, u->scope, c->lv->scope)) continue;
        live_lift(u->scope, u->pos, once_around(s->scope, u->scope, c->lv->scope), &lo, &hi);
        if (hi > s->pos || (hi == s->pos && !in_place)) return true;
    }
    return false;
}

/* Where the value stands after a flow: going round a loop that encloses the definition makes its
 * contents old; as the result of that loop they are what the definition wrote last. */
static const Scope *next_loop(const Storage *s, const Carried *c, const Flow *f) {
    const Scope *loop = c->loop;
    bool round = f->carry != NULL && f->carry->start < s->pos && s->pos < f->carry->end;
    if (round && (loop == NULL || f->carry->start <= loop->start)) loop = f->carry;
    if (f->leaves && loop != NULL && f->to->value->def == loop->region->owner) loop = NULL;
    return loop;
}

/* Notes that a search comes by; false when it need not: it was there, with contents as old. */
static bool comes_by(const Live *l, LiveValue *lv, const Scope *loop) {
    if (loop == NULL) {
        bool first = lv->stamp != l->stamp;
        lv->stamp = l->stamp;
        return first;
    }
    if (lv->old_stamp == l->stamp && lv->old_loop->start <= loop->start) return false;
    lv->old_stamp = l->stamp;
    lv->old_loop = loop;
    return true;
}

bool live_overwrites_itself(Live *l, const Storage *s, bool in_place, const Scope **loop) {
    if (s->lv == NULL || s->lv->flows == NULL || !s->scope->looped) return false;
    const Scope *outermost = s->scope; /* where the definition runs again; nothing else matters */
    while (outermost->parent != NULL && outermost->parent->looped)
        outermost = outermost->parent;
    uint32_t n = 0;
    l->stamp++;
    comes_by(l, s->lv, NULL);
    live_push(l, n++, s->lv, NULL);
    while (n > 0) {
        Carried c = l->carried[--n];
        if (c.loop != NULL && needed_later(s, &c, in_place)) {
            if (loop != NULL) *loop = c.loop;
            return true;
        }
        for (const Flow *f = c.lv->flows; f != NULL; f = f->next) {
            if (c.loop != NULL && live_exclusive(s->scope, f->from, c.lv->scope)) continue;
            const Scope *to = next_loop(s, &c, f);
            bool inside =
                outermost->start <= f->to->scope->start && f->to->scope->end <= outermost->end;
            if (inside && comes_by(l, f->to, to)) live_push(l, n++, f->to, to);
        }
    }
    return false;
}

Live *live_function(Arena *arena, Context *ctx, Profile profile, Op *func) {
    Live *l = ARENA_NEW(arena, Live);
    l->arena = arena;
    l->ctx = ctx;
    l->profile = profile;
    l->values.arena = arena;
    Walk w = {.l = l, .ctx = ctx, .pos = 1};
    walk_region(&w, &func->regions[0], 0);
    l->npositions = w.pos;
    l->nscopes = w.scope_id;
    if (w.may_share) live_share(l);
    settle_values(l);
    for (uint32_t i = 0; i < l->nstorages; i++)
        storage_interval(l, l->storages[i]);
    return l;
}
