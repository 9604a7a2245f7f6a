/* SPDX-License-Identifier: Apache-2.0 */
/* SSA -> DPS: chooses the buffer of each tile result, in the order of the text. A buffer whose
 * contents are dead becomes idle and may be reused in the same region, until a new allocation in
 * its space comes before its reuse; so reuse never increases the memory a program needs. */
#include "passes/dps.h"
#include "verifier/verify.h"

#include <string.h>

/* ---- valid extents ---- */

static bool is_dynamic(const Type *t) {
    return t->tile.vrow == DYNAMIC || t->tile.vcol == DYNAMIC;
}

/* Returns the extents set by the last pto.set_validshape of a value before `op` in its block. */
static Valid valid_set_before(const Op *op, const Value *v) {
    Valid none = {NULL, NULL};
    for (const Op *o = op->prev; o != NULL && o->nregions == 0; o = o->prev)
        if (op_is(o, INST_SET_VALIDSHAPE) && o->operands[0].value == v)
            return (Valid){o->operands[1].value, o->operands[2].value};
    return none;
}

static Valid valid_of(Dps *d, const Op *op, const Value *v) {
    const LiveValue *lv = live_value(d->live, v);
    Valid none = {NULL, NULL};
    while (lv != NULL && lv->shares != NULL)
        lv = lv->shares;
    if (lv == NULL) return none;
    if (lv->revalidated) return valid_set_before(op, v);
    if (lv->storage == NULL || lv->storage->op == NULL) return none;
    const Buffer *b = ptrmap_get(&d->buffers, lv->storage);
    if (b != NULL) return b->valid;
    const Op *def = lv->storage->op;
    if (!op_is(def, INST_ALLOC_TILE)) return none;
    return (Valid){named_value(def, OPERAND_valid_row), named_value(def, OPERAND_valid_col)};
}

Valid dps_valid_of_window(const Op *op) {
    Valid none = {NULL, NULL};
    const Value *mem = op_is(op, INST_TLOAD) ? slot_value(op, 0) : NULL;
    if (mem == NULL || mem->def == NULL || !op_is(mem->def, INST_PARTITION_VIEW)) return none;
    int slot = inst_slot(mem->def->inst, OPERAND_sizes);
    unsigned n = slot_count(mem->def, slot);
    if (n < 2) return none;
    Operand *sizes = slot_operands(mem->def, slot);
    return (Valid){sizes[n - 2].value, sizes[n - 1].value};
}

static bool valid_fits(const Type *type, Valid v) {
    return (type->tile.vrow != DYNAMIC || v.row != NULL) &&
           (type->tile.vcol != DYNAMIC || v.col != NULL);
}

/* Returns the given extents of an operand that has the valid region of the result; else computes
 * them. */
static Valid valid_of_operand(Dps *d, const Storage *s) {
    Valid found = dps_valid_of_window(s->op);
    Value *like = NULL;
    for (unsigned i = 0; i < s->op->noperands && !valid_fits(s->type, found); i++) {
        Value *v = s->op->operands[i].value;
        const Type *t = type_is_tile(v->type) ? tile_value_type(v) : NULL;
        if (t == NULL || t->tile.vrow != s->type->tile.vrow || t->tile.vcol != s->type->tile.vcol)
            continue;
        if (like == NULL) like = v;
        found = valid_of(d, s->op, v);
    }
    if (like == NULL || valid_fits(s->type, found)) return found;
    if (s->type->tile.vrow == DYNAMIC) found.row = dps_valid_extent(d, s->op, like, false);
    if (s->type->tile.vcol == DYNAMIC) found.col = dps_valid_extent(d, s->op, like, true);
    return found;
}

static bool find_valid(Dps *d, const Storage *s, Valid *out) {
    *out = (Valid){NULL, NULL};
    if (!is_dynamic(s->type)) return true;
    Valid found = valid_of_operand(d, s);
    if (!valid_fits(s->type, found)) {
        Atom name = s->lv->value->name;
        diag_add(&d->ctx->diags, DIAG_CONVERSION, s->op->name_span,
                 "the valid region of %%%.*s is known only at run time, and no operand gives it",
                 (int)atom_len(&d->ctx->names, name), atom_text(&d->ctx->names, name));
        d->ok = false;
        return false;
    }
    if (s->type->tile.vrow == DYNAMIC) out->row = found.row;
    if (s->type->tile.vcol == DYNAMIC) out->col = found.col;
    return true;
}

/* ---- reuse ---- */

static bool same_shape(const Buffer *b, const Type *type, Valid valid) {
    return type_same(b->type, type) && b->valid.row == valid.row && b->valid.col == valid.col;
}

/* Makes buffers whose contents ended before `pos` idle. */
static void retire(Dps *d, uint32_t pos) {
    for (; d->passed < pos; d->passed++)
        for (Ending *e = d->ends[d->passed]; e != NULL; e = e->next) {
            Buffer *b = e->buffer;
            if (b->last != e->storage)
                continue; /* the instruction that ended it reused the buffer */
            b->next = d->idle[b->scope->id];
            d->idle[b->scope->id] = b;
        }
}

/* Drops idle buffers of a space in `scope` and around it, as a new allocation may share their
 * bytes. */
static void drop_idle(Dps *d, const Scope *scope, int space) {
    for (const Scope *s = scope; s != NULL; s = s->parent)
        for (Buffer **at = &d->idle[s->id]; *at != NULL;) {
            if ((*at)->type->tile.space == space)
                *at = (*at)->next;
            else
                at = &(*at)->next;
        }
}

static Buffer *take_idle(Dps *d, const Storage *s, const Type *type, Valid valid) {
    if (s->scope->blocks) return NULL; /* the buffer might not dominate the instruction */
    for (Buffer **at = &d->idle[s->scope->id]; *at != NULL; at = &(*at)->next) {
        Buffer *b = *at;
        if (b->last->end >= s->start || !same_shape(b, type, valid)) continue;
        *at = b->next;
        return b;
    }
    return NULL;
}

/* Returns the buffer of an operand that dies at the instruction if it may be overwritten, or NULL.
 */
static Buffer *take_operand(Dps *d, const Storage *s, const Type *type, Valid valid) {
    if (s->start != s->pos || s->scope->blocks) return NULL;
    for (int i = 0; i < s->op->inst->nslots; i++) {
        const SlotInfo *slot = &s->op->inst->slots[i];
        Value *v = slot->role == ROLE_READ ? slot_value(s->op, i) : NULL;
        const LiveValue *lv = v != NULL ? live_value(d->live, v) : NULL;
        if (lv == NULL || lv->storage == NULL || lv->flows != NULL) continue;
        Buffer *b = ptrmap_get(&d->buffers, lv->storage);
        bool dies = lv->storage->end == s->pos && lv->storage->scope == s->scope;
        if (b == NULL || !b->shared || b->last != lv->storage || b->scope != s->scope || !dies)
            continue;
        if (same_shape(b, type, valid) && dps_in_place(s->op, i)) return b;
    }
    return NULL;
}

/* Notes that the buffer now holds `s`. */
static void set_contents(Dps *d, Buffer *b, const Storage *s) {
    b->last = s;
    b->shared = !d->manual && !s->lv->revalidated;
    *ptrmap_at(&d->buffers, s) = b;
    if (!b->shared) return;
    Ending *e = ARENA_NEW(&d->scratch->step, Ending);
    *e = (Ending){.next = d->ends[s->end], .buffer = b, .storage = s};
    d->ends[s->end] = e;
}

/* Notes that a value is now in the tile of another, for the memory map. */
static void note_held(Dps *d, const Value *v, const Value *tile) {
    if (v->name == tile->name) return;
    HeldValue *h = ARENA_NEW(d->arena, HeldValue);
    *h = (HeldValue){d->ctx->held, tile, v->name, v->name_off};
    d->ctx->held = h;
}

/* Replaces the tiles of the notes since `before` that are themselves in another. */
static void settle_held(Dps *d, const HeldValue *before) {
    for (HeldValue *h = d->ctx->held; h != before; h = h->next)
        h->tile = dps_current(d, (Value *)(uintptr_t)h->tile);
}

/* ---- one result ---- */

/* Returns the statement before which to allocate the buffer of `s`: for a value that loops carry,
 * the outermost of these. */
static Op *allocation_point(const Storage *s, Valid valid, const Scope **scope) {
    *scope = s->scope;
    if (s->start >= s->pos || valid.row != NULL || valid.col != NULL) return s->op;
    for (const Scope *at = s->scope; at != NULL && !at->blocks; at = at->parent)
        if (at->start == s->start && at->parent != NULL) {
            *scope = at->parent;
            return at->region->owner;
        }
    return s->op;
}

static Buffer *allocate(Dps *d, const Storage *s, const Type *type, Valid valid) {
    const Scope *scope;
    Op *pos = allocation_point(s, valid, &scope);
    Buffer *b = ARENA_NEW(&d->scratch->step, Buffer);
    Value *v = dps_alloc(d, pos, type, valid, s->lv->value, pos != s->op);
    *b = (Buffer){.value = v, .type = type, .valid = valid, .scope = scope};
    drop_idle(d, scope, type->tile.space);
    return b;
}

/* On the device an accumulating product adds to its destination, even if its operand is another
 * tile. */
static void report_two_tiles(Dps *d, const Storage *s, const Buffer *b) {
    const int slot = s->op->inst->in_place - 1;
    Value *v = slot >= 0 ? slot_value(s->op, slot) : NULL;
    if (v == NULL || d->manual || dps_current(d, v) == b->value) return;
    diag_add(
        &d->ctx->diags, DIAG_ACC_STORAGE, slot_span(s->op, slot),
        "%s: %s is needed elsewhere, so the result gets its own tile; on the device the product "
        "is added to that tile",
        s->op->inst->name, s->op->inst->slots[slot].name);
}

static Buffer *find_buffer(Dps *d, const Storage *s, const Type *type, Valid valid) {
    bool reuse = !d->manual && !s->lv->revalidated;
    Buffer *b = reuse ? take_operand(d, s, type, valid) : NULL;
    if (b == NULL && reuse) b = take_idle(d, s, type, valid);
    if (b == NULL) b = allocate(d, s, type, valid);
    set_contents(d, b, s);
    return b;
}

static void convert_result(Dps *d, const Storage *s) {
    const Type *type = type_respell(d->ctx->types, s->type, SPELL_BUF);
    Valid valid;
    Buffer *b = ptrmap_get(&d->buffers, s); /* set with others that take turns */
    if (b == NULL && !find_valid(d, s, &valid)) return;
    retire(d, s->start);
    TurnsAnswer turns = b == NULL ? dps_take_turns(d, s, type, valid) : TURNS_NONE;
    if (turns == TURNS_REFUSED) return;
    if (turns == TURNS_TAKEN) {
        b = ptrmap_get(&d->buffers, s);
        drop_idle(d, s->scope, type->tile.space);
    }
    if (b == NULL) b = find_buffer(d, s, type, valid);
    report_two_tiles(d, s, b);
    dps_replace(d, s->lv->value, b->value);
    note_held(d, s->lv->value, b->value);
}

/* ---- functions ---- */

static bool rewrite_op(Op *op, void *arg) {
    if (op_new_tiles(op) > 0) dps_rewrite_op(arg, op);
    return true;
}

static void report_untyped(Dps *d, const Op *op, const Value *v) {
    diag_add(&d->ctx->diags, DIAG_CONVERSION, op->name_span,
             "the type of %%%.*s is a template, and no operand says which",
             (int)atom_len(&d->ctx->names, v->name), atom_text(&d->ctx->names, v->name));
    d->ok = false;
}

/* Reports results without storage, whose type has an unknown size. */
static bool check_types(Op *op, void *arg) {
    Dps *d = arg;
    for (unsigned r = 0; r < op_tile_results(op); r++)
        if (type_is_tile(op->results[r].type) && tile_value_type(&op->results[r]) == NULL)
            report_untyped(d, op, &op->results[r]);
    return true;
}

static void convert_results(Dps *d, Op *func) {
    Arena *a = &d->scratch->step;
    Live *l = live_function(a, d->ctx, d->profile, func);
    d->live = l;
    d->buffers = (PtrMap){.arena = a};
    d->ends = ARENA_ARRAY(a, Ending *, l->npositions);
    d->idle = ARENA_ARRAY(a, Buffer *, l->nscopes);
    d->passed = 0;
    op_walk(func, check_types, d);
    const HeldValue *before = d->ctx->held;
    for (const LiveValue *lv = l->shared; lv != NULL; lv = lv->next_shared) {
        dps_replace(d, lv->value, lv->shares->value);
        note_held(d, lv->value, lv->shares->value);
    }
    for (uint32_t i = 0; i < l->nstorages; i++) {
        const Storage *s = l->storages[i];
        if (s->kind == STORE_CALL) dps_take_turns(d, s, s->type, (Valid){NULL, NULL});
        bool result =
            s->kind == STORE_RESULT || (s->kind == STORE_FIXED && s->op != NULL && s->lv != NULL &&
                                        s->lv->value->index < op_new_tiles(s->op));
        if (result) convert_result(d, s);
    }
    settle_held(d, before);
    if (d->ok) op_walk(func, rewrite_op, d);
}

bool passes_makes_ssa_tile(const Op *op) {
    for (unsigned i = 0; op_is(op, INST_CALL) && i < op->nresults; i++)
        if (type_is_tile(op->results[i].type)) return true;
    return op->nresults > 0 && op_new_tiles(op) != 0;
}

static bool no_tile_result(Op *op, void *arg) {
    (void)arg;
    return !passes_makes_ssa_tile(op);
}

static bool convert_if_function(Op *op, void *arg) {
    Dps *d = arg;
    if (!op_is(op, INST_FUNC)) return true;
    if (!func_data(op)->has_body || func_data(op)->forgotten) return true;
    d->func = op;
    d->replaced = (PtrMap){.arena = &d->scratch->step};
    memset(d->counts, 0, sizeof d->counts);
    if (!op_walk(op, no_tile_result, NULL)) convert_results(d, op);
    if (d->ok) dps_finish(d, op);
    scratch_rewind(d->scratch);
    return true;
}

bool passes_has_ssa_tiles(const Module *m) {
    return !op_walk(m->root, no_tile_result, NULL);
}

static void convert_module(Scratch *s, void *arg) {
    Dps *d = arg;
    d->scratch = s;
    op_walk(d->module->root, convert_if_function, d);
}

/* Plans the inserted allocations around the tiles with an address in the text. */
static bool place_inserted(Dps *d) {
    Plan plan;
    const PlanOptions opt = {.profile = d->profile};
    if (!passes_plan(d->module, &opt, &plan)) return false;
    dps_place(d, &plan);
    return true;
}

bool passes_to_dps(Module *m, Profile profile) {
    Dps d = {.module = m, .ctx = m->ctx, .arena = &m->ctx->arena, .profile = profile, .ok = true};
    d.manual = module_is_manual(m);
    scratch_run(m->ctx, convert_module, &d);
    alias_respell(m, SPELL_BUF);
    return d.ok && (d.inserted == NULL || place_inserted(&d));
}
