/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the public memory plan of a program. */
#include "analysis/live.h"
#include "api/internal.h"
#include "support/ptrmap.h"

#include <string.h>

typedef struct Listing {
    ptoasm_result *res;
    const Plan *plan;
    Profile profile;
    const char *function;
    uint32_t *offs; /* of the positions of the function */
    uint32_t noffs;
    ptoasm_slot *slots; /* NULL while counting */
    size_t n;
    PtrMap held; /* const Value *, a tile -> HeldValue *, by position */
} Listing;

static uint32_t line_at(const Listing *l, uint32_t pos) {
    return source_find(&l->res->index, l->offs[pos]).line;
}

static void add_slot(Listing *l, const PlanSlot *slot, const char *name, const char *instruction,
                     uint32_t off) {
    if (slot == NULL) return;
    if (l->slots != NULL) {
        uint32_t last = slot->end < l->noffs ? slot->end : l->noffs - 1;
        bool used = slot->start <= last && l->noffs > 0;
        l->slots[l->n] = (ptoasm_slot){.function = l->function,
                                       .name = name,
                                       .instruction = instruction,
                                       .line = source_find(&l->res->index, off).line,
                                       .space = space_names[slot->space],
                                       .address = slot->addr,
                                       .bytes = slot->bytes,
                                       .bound = slot->bound,
                                       .capacity = profile_plan_capacity(l->profile, slot->space),
                                       .first = used ? slot->start : 1,
                                       .last = used ? last : 0,
                                       .first_line = used ? line_at(l, slot->start) : 0,
                                       .last_line = used ? line_at(l, last) : 0,
                                       .offset = off,
                                       .also = ""};
    }
    l->n++;
}

static const char *atom_string(const Listing *l, Atom a) {
    const Interner *names = &l->res->ctx->names;
    return l->slots == NULL
               ? ""
               : arena_strndup(&l->res->ctx->arena, atom_text(names, a), atom_len(names, a));
}

/* Returns the names of the other values in a tile. */
static const char *held_names(const Listing *l, const Value *v) {
    const Interner *names = &l->res->ctx->names;
    StrBuf out;
    const HeldValue *h = l->slots != NULL ? ptrmap_get(&l->held, v) : NULL;
    if (h == NULL) return "";
    sb_init(&out, &l->res->ctx->arena);
    for (; h != NULL; h = h->next)
        sb_printf(&out, "%s%.*s", out.len > 0 ? ", " : "", (int)atom_len(names, h->name),
                  atom_text(names, h->name));
    return sb_text(&out);
}

static void add_value(Listing *l, const Value *v, const char *instruction) {
    const size_t before = l->n;
    add_slot(l, plan_value(l->plan, v), atom_string(l, v->name), instruction, v->name_off);
    if (l->slots != NULL && l->n > before) l->slots[before].also = held_names(l, v);
}

/* ---- values that share a tile ---- */

static void hold(Listing *l, const Value *tile, Atom name, uint32_t off) {
    HeldValue **at = (HeldValue **)ptrmap_at(&l->held, tile);
    while (*at != NULL && (*at)->off <= off) {
        if ((*at)->name == name) return;
        at = &(*at)->next;
    }
    HeldValue *h = ARENA_NEW(&l->res->ctx->arena, HeldValue);
    *h = (HeldValue){*at, tile, name, off};
    *at = h;
}

typedef struct Passing {
    Listing *l;
    const Live *live;
    LiveValue **todo; /* values that flow into the current one */
    uint32_t ntodo, cap;
    uint32_t stamp;
} Passing;

static void visit(Passing *p, LiveValue *lv) {
    if (lv->stamp == p->stamp) return;
    lv->stamp = p->stamp;
    if (p->ntodo == p->cap)
        p->todo = ARENA_WIDEN(&p->l->res->ctx->arena, LiveValue *, p->todo, &p->cap, p->ntodo, 16);
    p->todo[p->ntodo++] = lv;
}

/* Notes a value, and those that it holds itself, in the tile that flows into it. */
static void hold_in(Listing *l, const Value *v, const Value *tile) {
    if (tile == v) return;
    if (tile->name != v->name) hold(l, tile, v->name, v->name_off);
    for (const HeldValue *h = ptrmap_get(&l->held, v); h != NULL; h = h->next)
        if (h->name != tile->name) hold(l, tile, h->name, h->off);
}

/* Notes a value that a region or a statement with regions passes on, in the tiles that it may be.
 */
static void hold_passed(Passing *p, const Value *v) {
    LiveValue *lv = v->type->kind == TY_TILE && v->name != 0 ? live_value(p->live, v) : NULL;
    if (lv == NULL) return;
    p->stamp++;
    p->ntodo = 0;
    visit(p, lv);
    while (p->ntodo > 0) {
        const LiveValue *at = p->todo[--p->ntodo];
        if (at->storage != NULL && at->storage->lv != NULL)
            hold_in(p->l, v, at->storage->lv->value);
        for (const Flow *f = at->sources; f != NULL; f = f->next_source)
            visit(p, f->from);
    }
}

static bool hold_op(Op *op, void *arg) {
    Passing *p = arg;
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (uint32_t i = 0; i < b->nargs; i++)
                hold_passed(p, &b->args[i]);
    for (unsigned i = 0; op->nregions > 0 && i < op->nresults; i++)
        hold_passed(p, &op->results[i]);
    return true;
}

static bool hold_function(Op *op, void *arg) {
    Listing *l = arg;
    if (!op_is(op, INST_FUNC)) return true;
    if (!func_data(op)->has_body || func_data(op)->forgotten) return true;
    Context *ctx = l->res->ctx;
    Passing p = {.l = l, .live = live_function(&ctx->arena, ctx, l->profile, op)};
    p.stamp = 1u << 31; /* above those of the analysis */
    op_walk(op, hold_op, &p);
    return true;
}

static void find_held(Listing *l, Op *root) {
    l->held.arena = &l->res->ctx->arena;
    for (const HeldValue *h = l->res->ctx->held; h != NULL; h = h->next)
        hold(l, h->tile, h->name, h->off);
    op_walk(root, hold_function, l);
}

/* The memory that a function uses through pointers. */
static void add_ranges(Listing *l, Op *func) {
    const MicroRange *r = micro_ranges(l->res->ctx, func, l->profile, l->offs, l->noffs);
    for (; r != NULL; r = r->next) {
        const PlanSlot slot = {.addr = r->low,
                               .bytes = r->end - r->low,
                               .space = r->space,
                               .bound = true,
                               .start = r->from,
                               .end = r->to};
        add_slot(l, &slot, atom_string(l, r->pointer->name), r->pointer->def->inst->name,
                 r->pointer->name_off);
    }
}

static bool add_op(Op *op, void *arg) {
    Listing *l = arg;
    if (op_is(op, INST_FUNC)) {
        l->function = atom_string(l, func_data(op)->name);
        l->noffs = 0;
        if (func_data(op)->has_body) {
            l->noffs = live_positions(&l->res->ctx->arena, op, &l->offs);
            add_ranges(l, op);
        }
    }
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (uint32_t i = 0; i < b->nargs; i++)
                add_value(l, &b->args[i], "");
    for (unsigned i = 0; i < op->nresults; i++)
        add_value(l, &op->results[i], op->inst->name);
    add_slot(l, plan_reserved_slot(l->plan, op), "", op->inst->name, op->name_span.off);
    const PlanTmp *tmp = plan_tmp(l->plan, op);
    if (tmp != NULL) add_slot(l, &tmp->slot, "", op->inst->name, op->name_span.off);
    return true;
}

void slots_collect(ptoasm_result *res, const Plan *plan, Profile profile) {
    Listing l = {.res = res, .plan = plan, .profile = profile, .function = ""};
    if (res->index.src == NULL) res->index = source_index(&res->ctx->arena, res->ctx->source);
    op_walk(res->module->root, add_op, &l);
    res->nslots = l.n;
    l.slots = res->slots = ARENA_ARRAY(&res->ctx->arena, ptoasm_slot, l.n + 1);
    l.n = 0;
    find_held(&l, res->module->root);
    op_walk(res->module->root, add_op, &l);
}

size_t ptoasm_slot_count(const ptoasm_result *res) {
    return res->nslots;
}

bool ptoasm_slot_get(const ptoasm_result *res, size_t i, ptoasm_slot *out, size_t size) {
    if (i >= res->nslots) return false;
    struct_give(out, size, &res->slots[i], sizeof res->slots[i]);
    return true;
}
