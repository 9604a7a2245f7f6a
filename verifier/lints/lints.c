/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings about legal programs: tiles that are read before anything writes them, stores that
 * nothing reads, unused tiles, tiles that partly overwrite each other, pipes whose slots are never
 * freed, and entries without a result. Those about tiles track bytes, not names: a write through a
 * view or another tile at the same address counts. What is not certain is not reported. */
#include "verifier/lints/lints.h"
#include "verifier/lints/copies.h"

#include "analysis/alias.h"
#include "analysis/effects.h"
#include "analysis/freed.h"
#include "analysis/handover.h"
#include "support/ptrmap.h"
#include "verifier/lints/unwritten.h"
#include <string.h>

enum { MOST_EVENTS = 20000, MOST_ACCESSES = 16 };

enum { /* what a statement does with a tile */
       READS = 1,
       WRITES = 2,
       MAY_READ = 4, /* keeps a store alive, but needs none before it */
       MAY_WRITE = 8 /* supplies a value for a read, but need not be read */
};

typedef struct Event {
    const Op *op;
    uint32_t order; /* position in the text */
    const Value *value;
    Span span;
    AliasSet places;
    uint8_t does;
} Event;

typedef struct Lints {
    Context *ctx;
    Op *func;
    Alias *alias;
    Event *events;
    uint32_t n, cap, order;
    PtrMap rebound; /* tiles whose address a statement changes */
    PtrMap used;    /* values that some statement names */
    PtrMap by_base; /* storage or address space -> EventList * */
    bool open;      /* a call or a pipe may write at any address */
    struct Pops *pops;
    const Effects *effects;
    Access accesses[MOST_ACCESSES]; /* of one statement */
} Lints;

/* The events on one storage or address space. */
typedef struct EventList {
    uint32_t *at;
    uint32_t n, cap;
} EventList;

/* ---- what statements do ---- */

/* True for statements that pass a tile on, or that read or set something other than its bytes.
 */
static bool hands_on(const Op *op) {
    const Inst *inst = op->inst;
    bool ends = (inst->flags & IF_TERMINATOR) != 0 && !op_is(op, INST_RETURN);
    return ends || op->nregions != 0 || (inst->flags & IF_VIEW) != 0 || op_is(op, INST_SELECT) ||
           op_is(op, INST_SET_VALIDSHAPE) || op_is(op, INST_GET_VALIDSHAPE) ||
           op_is(op, INST_TASSIGN) || handover_rebinds(op) != NULL;
}

/* Returns what is known of a call, or NULL. */
static const CallSummary *summary_of(const Lints *l, const Op *op) {
    return l->effects->calls != NULL ? calls_summary(l->effects->calls, op) : NULL;
}

/* True when the instruction table does not tell what the statement reads and writes. Statements of
 * MLIR touch tiles only where they name one. */
static bool has_unknown_effects(const Lints *l, const Op *op) {
    bool foreign = strncmp(op->inst->name, "pto.", 4) != 0, tiles = false;
    if (op_is(op, INST_CALL)) return summary_of(l, op) == NULL;
    for (unsigned i = 0; i < op->noperands && foreign; i++)
        tiles |= is_tile(op->operands[i].value);
    return op->inst->fifo || op_transfers(op) || tiles;
}

/* True when a statement may write a tile that no operand names. */
static bool writes_elsewhere(const Lints *l, const Op *op) {
    if (!op_is(op, INST_CALL)) return has_unknown_effects(l, op);
    const CallSummary *s = summary_of(l, op);
    return s == NULL || s->elsewhere;
}

static uint8_t uses_of(const Access *a) {
    const bool skips = a->maybe || (a->slot != NULL && a->slot->rare->may_skip);
    return (uint8_t)((a->read ? (skips ? MAY_READ : READS) : 0) |
                     (a->write ? (a->maybe ? MAY_WRITE : WRITES) : 0));
}

/* ---- collecting ---- */

/* Returns a key for the storage of a place, or for the address space it is in. */
static const void *base_key(const Place *p) {
    static const char spaces[SPACE_COUNT];
    return p->base == BASE_ADDRESS ? (const void *)&spaces[p->space] : p->of;
}

/* True when the text determines the bytes. */
static bool is_known(AliasSet s) {
    for (unsigned i = 0; i < s.n; i++)
        if (s.places[i].base != BASE_BUFFER && s.places[i].base != BASE_VALUE &&
            s.places[i].base != BASE_ADDRESS)
            return false;
    return s.n > 0;
}

static void index_event(Lints *l, const Place *p, uint32_t event) {
    Arena *a = &l->ctx->step;
    void **at = ptrmap_at(&l->by_base, base_key(p));
    EventList *list = *at;
    if (list == NULL) *at = list = ARENA_NEW(a, EventList);
    if (list->n > 0 && list->at[list->n - 1] == event) return;
    if (list->n == list->cap) {
        uint32_t cap = list->cap == 0 ? 8 : 2 * list->cap;
        uint32_t *grown = ARENA_ARRAY(a, uint32_t, cap);
        if (list->n > 0) memcpy(grown, list->at, list->n * sizeof *grown);
        list->at = grown;
        list->cap = cap;
    }
    list->at[list->n++] = event;
}

static void add_event(Lints *l, const Op *op, const Value *v, Span span, uint8_t does) {
    if (!is_tile(v) || l->n >= MOST_EVENTS) return;
    if (l->n == l->cap) {
        uint32_t cap = l->cap == 0 ? 64 : 2 * l->cap;
        Event *grown = ARENA_ARRAY(&l->ctx->step, Event, cap);
        if (l->n > 0) memcpy(grown, l->events, l->n * sizeof *grown);
        l->events = grown;
        l->cap = cap;
    }
    Event *e = &l->events[l->n];
    *e = (Event){op, l->order, v, span, alias_places(l->alias, op, v), does};
    if (!is_known(e->places) || ptrmap_get(&l->rebound, v) != NULL) {
        l->open |= (does & (WRITES | MAY_WRITE)) != 0;
        return;
    }
    for (unsigned i = 0; i < e->places.n; i++)
        index_event(l, &e->places.places[i], l->n);
    l->n++;
}

static void add_tiles(Lints *l, const Op *op, uint8_t does) {
    for (unsigned i = 0; i < op->noperands; i++)
        add_event(l, op, op->operands[i].value, op->operands[i].span, does);
}

static Span name_of(const Context *ctx, const Op *op, const Value *v) {
    if (v->name == 0) return op->name_span;
    return (Span){v->name_off, (uint32_t)atom_len(&ctx->names, v->name) + 1};
}

/* Takes the phases of a statement as one; returns how many accesses are left. What it reads of its
 * own scratch tile it wrote before. */
static size_t join_phases(Access *list, size_t n) {
    size_t left = 0;
    for (size_t i = 0, k; i < n; i++) {
        for (k = 0; k < left && (list[k].value != list[i].value || list[k].slot != list[i].slot);)
            k++;
        if (k == left) list[left++] = list[i];
        list[k].read = (list[k].read || list[i].read) && !list[k].scratch;
        list[k].write |= list[i].write;
    }
    return left;
}

/* Returns what a statement touches. */
static Access *accesses_of(Lints *l, const Op *op, size_t *n) {
    *n = op_accesses(l->effects, op, l->accesses, MOST_ACCESSES);
    if (*n <= MOST_ACCESSES) return l->accesses;
    Access *list = ARENA_ARRAY(&l->ctx->step, Access, *n);
    op_accesses(l->effects, op, list, *n);
    return list;
}

/* Adds the tiles of a statement. */
static void add_slots(Lints *l, const Op *op) {
    size_t n;
    Access *list = accesses_of(l, op, &n);
    if (n > 0 && list[n - 1].phase > 0) n = join_phases(list, n);
    for (size_t i = 0; i < n; i++) {
        const Access *a = &list[i];
        Span span = a->span.len > 0 ? a->span : name_of(l->ctx, op, a->value);
        if (is_tile(a->value)) add_event(l, op, a->value, span, uses_of(a));
    }
}

static void note_uses(Lints *l, const Operand *list, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (is_tile(list[i].value)) *ptrmap_at(&l->used, list[i].value) = l;
}

static bool note_rebound(Op *op, void *arg) {
    Lints *l = arg;
    const Value *v = handover_rebinds(op);
    if (v != NULL) *ptrmap_at(&l->rebound, v) = l;
    return true;
}

/* True for a statement with a pointer to on-chip memory: of a tile, or of an address. What goes
 * through such a pointer names no tile. */
static bool has_local_pointer(const Op *op) {
    for (unsigned i = 0; i < op->nresults; i++)
        if (is_local_pointer(&op->results[i])) return true;
    for (unsigned i = 0; i < op->noperands; i++)
        if (is_local_pointer(op->operands[i].value)) return true;
    return false;
}

static bool note_op(Op *op, void *arg) {
    Lints *l = arg;
    l->order++;
    note_uses(l, op->operands, op->noperands);
    for (unsigned s = 0; s < op->nsuccs; s++)
        note_uses(l, op_succs(op)[s].args, op_succs(op)[s].nargs);
    if (op_is(op, INST_RETURN)) {
        add_tiles(l, op, MAY_READ);
    } else if (has_local_pointer(op)) {
        l->open = true;
        add_tiles(l, op, MAY_READ | MAY_WRITE);
    } else if (!hands_on(op)) {
        l->open |= writes_elsewhere(l, op);
        if (has_unknown_effects(l, op))
            add_tiles(l, op, MAY_READ | MAY_WRITE);
        else
            add_slots(l, op);
    }
    return true;
}

/* ---- judging ---- */

/* True for a loop, and for blocks that may run in any order. */
static bool may_repeat(const Region *r) {
    return r->first != r->last || op_loops(r->owner);
}

static bool is_inside(const Op *op, const Region *r) {
    for (; op != NULL && op->block != NULL; op = op->block->region->owner)
        if (op->block->region == r) return true;
    return false;
}

/* True for statements of cores of both kinds, which run side by side. */
static bool on_two_cores(const Op *a, const Op *b) {
    const Core x = op_core_around(a), y = op_core_around(b);
    return x != y && x != CORE_ANY && y != CORE_ANY;
}

/* True when `first` may run before `then`. */
static bool may_precede(const Event *first, const Event *then) {
    if (first->order < then->order || on_two_cores(first->op, then->op)) return true;
    for (const Op *op = then->op; op != NULL && op->block != NULL; op = op->block->region->owner)
        if (may_repeat(op->block->region) && is_inside(first->op, op->block->region)) return true;
    return false;
}

/* True when an event of one of these kinds may run before (or after) `e` and touch one of its
 * bytes. */
static bool has_partner(const Lints *l, const Event *e, uint8_t does, bool before) {
    for (unsigned p = 0; p < e->places.n; p++) {
        const EventList *list = ptrmap_get(&l->by_base, base_key(&e->places.places[p]));
        for (uint32_t i = 0; list != NULL && i < list->n; i++) {
            const Event *other = &l->events[list->at[i]];
            if (other == e || (other->does & does) == 0) continue;
            if (!(before ? may_precede(other, e) : may_precede(e, other))) continue;
            if (other->op == e->op && other->order == e->order && before) continue;
            if (alias_sets_overlap(e->places, other->places) != OVERLAP_NO) return true;
        }
    }
    return false;
}

static bool at_address(const Event *e) {
    for (unsigned i = 0; i < e->places.n; i++)
        if (e->places.places[i].base == BASE_ADDRESS) return true;
    return false;
}

/* Callers may use the memory before and after, as addresses name it. */
static void note_assumption(Lints *l, Diag *d, const Event *e) {
    const Block *entry = op_regions(l->func)[0].first;
    if (at_address(e) && entry != NULL && entry->nargs > 0 && !op_is_entry(l->func))
        diag_note(&l->ctx->diags, d, "assuming that no caller uses the memory at this address");
}

static Diag *report(Lints *l, DiagId id, const Event *e, const char *what) {
    const Interner *names = &l->ctx->names;
    Diag *d =
        e->value->name == 0
            ? diag_add(&l->ctx->diags, id, e->span, "%s: the tile %s", e->op->inst->name, what)
            : diag_add(&l->ctx->diags, id, e->span, "%s: %%%.*s %s", e->op->inst->name,
                       (int)atom_len(names, e->value->name), atom_text(names, e->value->name),
                       what);
    note_assumption(l, d, e);
    return d;
}

/* Reports the first read of each tile that nothing wrote. */
static void find_uninit(Lints *l) {
    PtrMap reported = {.arena = &l->ctx->step};
    for (uint32_t i = 0; i < l->n; i++) {
        const Event *e = &l->events[i];
        if ((e->does & READS) == 0 || (l->open && at_address(e)) || has_no_elements(e->value))
            continue;
        if (has_partner(l, e, WRITES | MAY_WRITE, true)) continue;
        if (at_address(e) && is_for_both_cores(l->ctx, l->func)) continue;
        void **known = ptrmap_at(&reported, e->value);
        if (*known == NULL) report(l, DIAG_UNINIT_TILE, e, "is read, but nothing has written it");
        *known = l;
    }
}

static void find_dead_stores(Lints *l) {
    for (uint32_t i = 0; i < l->n; i++) {
        const Event *e = &l->events[i];
        if ((e->does & WRITES) == 0 || (l->open && at_address(e))) continue;
        if (!has_partner(l, e, READS | MAY_READ, false))
            report(l, DIAG_DEAD_STORE, e, "is written, but nothing reads it afterwards");
    }
}

/* True when the ranges intersect and neither contains the other. */
static bool overlaps_partly(const Place *a, const Place *b) {
    if (a->base != BASE_ADDRESS || b->base != BASE_ADDRESS || a->space != b->space) return false;
    if (a->end == INT64_MAX || b->end == INT64_MAX || a->start.n != 0 || b->start.n != 0)
        return false;
    return (a->low < b->low && b->low < a->end && a->end < b->end) ||
           (b->low < a->low && a->low < b->end && b->end < a->end);
}

/* Finds, within one block, a write of A, a write of a tile that partly overlaps A, and a read of
 * A. */
static void find_overlaps(Lints *l) {
    for (uint32_t i = 0; i < l->n; i++) {
        const Event *e = &l->events[i], *over = NULL;
        if ((e->does & READS) == 0 || e->places.n != 1 || !at_address(e)) continue;
        const EventList *list = ptrmap_get(&l->by_base, base_key(e->places.places));
        for (uint32_t k = list->n; k-- > 0;) {
            const Event *w = &l->events[list->at[k]];
            if (list->at[k] >= i || w->op == e->op || (w->does & WRITES) == 0 ||
                w->op->block != e->op->block || w->places.n != 1)
                continue;
            if (w->value == e->value) {
                if (over != NULL) {
                    Diag *d = report(l, DIAG_LIVE_OVERLAP, e,
                                     "is read after another tile was written over a part of it");
                    diag_note_at(&l->ctx->diags, d, over->span, "written here");
                }
                break;
            }
            if (over == NULL && overlaps_partly(e->places.places, w->places.places)) over = w;
        }
    }
}

static bool find_unused(Op *op, void *arg) {
    Lints *l = arg;
    if ((op->inst->flags & IF_ALLOC) == 0) return true;
    for (unsigned i = 0; i < op->nresults; i++) {
        const Value *v = &op->results[i];
        if (!is_tile(v) || v->name == 0 || ptrmap_get(&l->used, v) != NULL) continue;
        const Event e = {.op = op, .value = v, .span = name_of(l->ctx, op, v)};
        report(l, DIAG_UNUSED_TILE, &e, "is not used");
    }
    return true;
}

/* ---- pipes ---- */

/* Entries that a function pops from one pipe. */
typedef struct Pops {
    struct Pops *next;
    const Op *first;
    bool freed;
} Pops;

static bool note_pop(Op *op, void *arg) {
    Lints *l = arg;
    if (op->inst->entry != ENTRY_POP && op->inst->entry != ENTRY_FREE) return true;
    Pops *p = l->pops;
    while (p != NULL && !same_pipe_side(p->first, op))
        p = p->next;
    if (p == NULL) {
        p = ARENA_NEW(&l->ctx->step, Pops);
        *p = (Pops){.next = l->pops, .first = op};
        l->pops = p;
    }
    p->freed |= op->inst->entry == ENTRY_FREE;
    return true;
}

/* Reports the first pop of each pipe of which no slot is freed. */
static void find_missing_frees(Lints *l) {
    for (const Pops *p = l->pops; p != NULL; p = p->next)
        if (!p->freed)
            diag_add(&l->ctx->diags, DIAG_MISSING_FREE, p->first->name_span,
                     "%s: the function never frees a slot of this pipe", p->first->inst->name);
}

/* ---- entries ---- */

/* False for a statement whose effect outlives the kernel. */
static bool leaves_nothing(Op *op, void *arg) {
    size_t n;
    const Access *list = accesses_of(arg, op, &n);
    if (op_is(op, INST_CALL) || op->inst->entry == ENTRY_PUSH ||
        op->inst->family == FAM_CROSS_CORE || op->inst->family == FAM_COMM ||
        op->inst->family == FAM_PREFETCH || op_is(op, INST_PRINT) || op_is(op, INST_TPRINT))
        return false;
    for (size_t i = 0; i < n; i++)
        if (list[i].write && !list[i].scratch && is_memory(list[i].value->type)) return false;
    return true;
}

static void find_no_output(Lints *l) {
    Context *ctx = l->ctx;
    Op *func = l->func;
    const FuncData *f = func_data(func);
    if (op_is_entry(func) && op_walk(func, leaves_nothing, l))
        diag_add(&ctx->diags, DIAG_NO_OUTPUT, f->name_span,
                 "the entry function @%.*s stores, pushes and sends nothing",
                 (int)atom_len(&ctx->names, f->name), atom_text(&ctx->names, f->name));
}

/* Collects what a function does with tiles. */
static void collect(Lints *l) {
    Arena *step = &l->ctx->step;
    l->rebound.arena = l->used.arena = l->by_base.arena = step;
    l->alias = alias_function(step, l->ctx, l->func);
    op_walk(l->func, note_rebound, l);
    op_walk(l->func, note_op, l);
}

static void lint_function(const Lints *all, Op *op) {
    Context *ctx = all->ctx;
    if (!func_data(op)->has_body) return;
    ArenaMark mark = arena_mark(&ctx->step);
    Lints l = {.ctx = ctx, .func = op, .effects = all->effects};
    collect(&l);
    op_walk(op, find_unused, &l);
    op_walk(op, note_pop, &l);
    find_missing_frees(&l);
    find_no_output(&l);
    lint_copies(ctx, all->effects, op);
    if (l.n < MOST_EVENTS) {
        find_uninit(&l);
        find_dead_stores(&l);
        find_overlaps(&l);
    }
    arena_rewind(&ctx->step, mark);
}

static void find_unwritten(const Lints *all, Op *op) {
    if (!may_read_unwritten(all->ctx, op)) return;
    ArenaMark mark = arena_mark(&all->ctx->step);
    Lints l = {.ctx = all->ctx, .func = op, .effects = all->effects};
    collect(&l);
    if (l.n < MOST_EVENTS) find_uninit(&l);
    arena_rewind(&all->ctx->step, mark);
}

/* Functions are in modules only. */
static void each_function(const Lints *all, Op *module, void (*look)(const Lints *all, Op *func)) {
    for (unsigned r = 0; r < module->nregions; r++)
        for (Block *b = op_regions(module)[r].first; b != NULL; b = b->next)
            for (Op *op = b->first; op != NULL; op = op->next)
                if (op_is(op, INST_FUNC))
                    look(all, op);
                else if (op_is(op, INST_MODULE))
                    each_function(all, op, look);
}

/* No profile has more scratch tiles than the default. */
static void look_at(Module *m, Calls *calls, void (*look)(const Lints *all, Op *func)) {
    const Effects effects = {.ctx = m->ctx, .profile = PROFILE_DEFAULT, .calls = calls};
    const Lints all = {.ctx = m->ctx, .effects = &effects};
    each_function(&all, m->root, look);
    diag_sort(&m->ctx->diags);
}

void lint_module(Module *m) {
    look_at(m, calls_new(m->ctx, PROFILE_DEFAULT), lint_function);
}

/* Functions of long texts are judged one by one, without what they call. */
void lint_unwritten(Module *m) {
    look_at(m, NULL, find_unwritten);
}
