/* SPDX-License-Identifier: Apache-2.0 */
/* Lowers the statements of a function, in the order of the text. */
#include "backends/lower/body.h"

#include "analysis/handover.h"
#include "backends/lower/passes.h"
#include "ir/core.h"
#include "ir/target.h"
#include "passes/show.h"
#include "verifier/rules/residual.h"
#include "verifier/rules/sharing.h"

#include <string.h>

typedef struct Lowering {
    const Lower *low;
    const LowerOptions *opt;
    Arena *arena;
    LowerBody *body;
    PtrMap blocks;   /* LowerBlock of each block that may be jumped to */
    PtrMap own;      /* the origins that no caller wants */
    PtrMap *origins; /* Op of each statement; NULL: nothing asks */
    VerifyOptions rules;
    Judge judge;
} Lowering;

/* ---- tiles ---- */

/* Returns the address that the plan gives a tile. */
static int64_t planned_address(const Lowering *l, const Value *v) {
    const PlanSlot *slot = l->opt->plan != NULL ? plan_value(l->opt->plan, v) : NULL;
    return slot != NULL ? slot->addr : 0;
}

static LowerExtent extent_number(int64_t n) {
    return (LowerExtent){.kind = EXTENT_NUMBER, .n = n};
}

/* Returns an extent of a tile that an operand gives where the type has `?`. */
static LowerExtent given_extent(int64_t extent, const Value *given) {
    if (extent != DYNAMIC) return extent_number(extent);
    if (given == NULL) return (LowerExtent){.kind = EXTENT_UNKNOWN};
    return (LowerExtent){.kind = EXTENT_VALUE, .value = given};
}

/* Returns an extent of a result: where its type has `?`, that of the first tile operand or of the
 * window of the first view. */
static LowerExtent open_extent(const Op *op, int64_t extent) {
    if (extent != DYNAMIC) return extent_number(extent);
    for (unsigned i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i].value;
        if (type_is_tile(v->type)) return (LowerExtent){.kind = EXTENT_OF_TILE, .value = v};
        if (v->type->kind == TY_TENSOR_VIEW || v->type->kind == TY_PART_VIEW)
            return (LowerExtent){.kind = EXTENT_OF_VIEW, .value = v};
    }
    return (LowerExtent){.kind = EXTENT_UNKNOWN};
}

static void bind_allocation(Lowering *l, LowerStmt *s, const Op *op) {
    const Value *v = &op->results[0];
    const TileInfo *ti = &v->type->tile;
    if (v->type->kind != TY_TILE && v->type->kind != TY_MULTI_TILE) return;
    s->binds = ARENA_NEW(l->arena, LowerBind);
    s->nbinds = 1;
    *s->binds = (LowerBind){.value = v,
                            .type = v->type,
                            .at = slot_value(op, 0),
                            .addr = planned_address(l, v),
                            .rows = given_extent(ti->vrow, slot_value(op, 1)),
                            .cols = given_extent(ti->vcol, slot_value(op, 2))};
}

/* Binds the SSA results that remain after the passes. */
static void bind_results(Lowering *l, LowerStmt *s, const Op *op) {
    s->nbinds = s->ntiles;
    if (s->nbinds == 0) return;
    s->binds = ARENA_ARRAY(l->arena, LowerBind, s->nbinds);
    for (unsigned i = 0; i < s->nbinds; i++) {
        const Value *v = &op->results[i];
        const Type *t = tile_value_type(v);
        LowerBind *b = &s->binds[i];
        *b = (LowerBind){.value = v, .type = t, .addr = planned_address(l, v)};
        if (t == NULL) continue;
        b->rows = open_extent(op, t->tile.vrow);
        b->cols = open_extent(op, t->tile.vcol);
    }
}

/* The callee sets the valid regions of the tiles that it returns. */
static void bind_returned(Lowering *l, LowerStmt *s, const Op *op) {
    s->binds = ARENA_ARRAY(l->arena, LowerBind, op->nresults + 1u);
    for (unsigned i = 0; i < op->nresults; i++) {
        const Value *v = &op->results[i];
        if (type_is_tile(v->type))
            s->binds[s->nbinds++] =
                (LowerBind){.value = v, .type = tile_value_type(v), .addr = planned_address(l, v)};
    }
}

/* Where the text leaves out a scratch tile, the plan may supply it. */
static void bind_scratch(Lowering *l, LowerStmt *s, const Op *op) {
    const PlanTmp *tmp = l->opt->plan != NULL ? plan_tmp(l->opt->plan, op) : NULL;
    if (tmp == NULL) return;
    const TileInfo *ti = &tmp->type->tile;
    LowerBind *b = ARENA_NEW(l->arena, LowerBind);
    *b = (LowerBind){.type = tmp->type,
                     .addr = tmp->slot.addr,
                     .rows = extent_number(ti->vrow != DYNAMIC ? ti->vrow : ti->rows),
                     .cols = extent_number(ti->vcol != DYNAMIC ? ti->vcol : ti->cols)};
    s->scratch = b;
}

/* ---- checks ---- */

/* Whether the value is made by the statement, or is a declared tile, which a pop fills. */
static bool is_made_by(const Op *op, const Value *v) {
    return v != NULL && (v->def == op || (v->def != NULL && op_is(v->def, INST_DECLARE_TILE)));
}

static bool is_about_results(const Op *op, const Term *t) {
    return t != NULL && (is_made_by(op, t->value) || is_made_by(op, t->other) ||
                         is_about_results(op, t->a) || is_about_results(op, t->b));
}

/* A kernel's results are bound before its checks; other statements bind theirs after them, so
 * checks about these are left out. */
static void find_checks(Lowering *l, LowerStmt *s, const Op *op, bool kernel) {
    const Residue *r = NULL;
    if (kernel || op->noperands != 0) r = rules_residual(&l->judge, op, l->low->profile, l->arena);
    const Residue **last = &s->checks;
    for (; r != NULL; r = r->next) {
        if (!kernel && is_about_results(op, r->test)) continue;
        Residue *kept = ARENA_NEW(l->arena, Residue);
        *kept = *r;
        kept->next = NULL;
        *last = kept;
        last = (const Residue **)&kept->next;
    }
}

/* ---- statements ---- */

static void lower_region(Lowering *l, const Region *r, Core core, const LowerStmt *owner,
                         LowerRegion *to);

static void find_call(Lowering *l, LowerStmt *s, const Op *op) {
    const Context *ctx = l->low->ctx;
    const bool kernel = kernel_first(op->inst) != NULL;
    if (lower_is_sync(op->inst))
        s->call = lower_sync(op, target_chip(ctx, op, l->low->profile), l->arena);
    else if (kernel)
        s->call = lower_kernel(ctx, op, s->scratch != NULL, l->arena);
    find_checks(l, s, op, kernel);
}

/* Resolves the arguments in each slot. */
static void find_slots(Lowering *l, LowerStmt *s, const Op *op) {
    const Inst *inst = op->inst;
    LowerSlot *slots = ARENA_ARRAY(l->arena, LowerSlot, inst->nslots + 1u);
    unsigned used = 0, results = 0;
    s->slots = slots;
    for (int i = 0; i < inst->nslots; i++) {
        const unsigned n = slot_count(op, i);
        const bool given = n > 0 && used + n <= op->noperands,
                   written = slot_is_result(&inst->slots[i]);
        if (given) slots[i] = (LowerSlot){op->operands[used].value, &op->operands[used], n};
        if (n == 0 && written && results < op->nresults) {
            slots[i].value = &op->results[results];
            s->ntiles++;
        }
        results += written;
        used += n;
    }
}

static void find_attributes(Lowering *l, LowerStmt *s, const Op *op) {
    const NamedAttr **attrs = ARENA_ARRAY(l->arena, const NamedAttr *, op->inst->nattrs + 1u);
    s->attrs = attrs;
    for (unsigned i = 0; i < op->nattrs; i++) {
        const int at = inst_attr(op->inst, (AttrName)op->attrs[i].id);
        if (at >= 0 && attrs[at] == NULL) attrs[at] = &op->attrs[i];
    }
}

/* Returns the address of the buffer that a statement reserves or imports; -1: not known. */
static int64_t reserved_address(const Lowering *l, const Op *op) {
    const bool gives =
        op != NULL && (op_is(op, INST_RESERVE_BUFFER) || op_is(op, INST_IMPORT_RESERVED_BUFFER));
    const Op *reserve = gives ? lower_reserve_of(&l->low->pipes, op) : NULL;
    if (reserve == NULL) return -1;
    const int64_t planned = l->opt->plan != NULL ? plan_reserved(l->opt->plan, reserve) : -1;
    const int base = inst_attr(reserve->inst, ATTR_base);
    if (planned >= 0 || base < 0 || op_attr(reserve, base) == NULL) return planned;
    return op_attr_int(reserve, base);
}

static void find_pipe(Lowering *l, LowerStmt *s, const Op *op) {
    s->pipe = lower_pipe_of(&l->low->pipes, op);
    s->reserved[0] = reserved_address(l, op);
    for (int i = 0; s->form == STMT_OPEN_PIPE && s->pipe != NULL && i < 2; i++) {
        const Value *buffer = s->pipe->buffer[i];
        s->reserved[i] = buffer != NULL ? reserved_address(l, buffer->def) : -1;
    }
}

/* Finds the tile of which the statement changes the address, and whether that is for the region
 * only, in which the tile is older than the statement. */
static void find_rebound(LowerStmt *s, const Op *op) {
    s->rebinds = handover_rebinds(op);
    const Region *r = op->block->region;
    s->borrows = s->rebinds != NULL && handover_ends(op) && !op_is(r->owner, INST_FUNC) &&
                 value_home(s->rebinds)->region != r;
}

static void find_facts(Lowering *l, LowerStmt *s, const Op *op) {
    const Context *ctx = l->low->ctx;
    find_rebound(s, op);
    if (op->inst->fifo || s->form == STMT_QUANT_SCALAR || s->form == STMT_QUANT_VECTOR)
        find_pipe(l, s, op);
    if (s->form == STMT_FUNCTION || s->form == STMT_LAUNCH_ITEMS)
        s->callee = lower_callee(l->low, op);
    if (s->form == STMT_ITEMS) s->needs = (uint8_t)lower_needs_inside(l->low, op);
    if (s->form == STMT_SECTION) s->alone = lower_first_core_only(ctx, op, l->low->profile);
    if (s->form == STMT_MAKE_VIEW && op_attr_named(op, ATTR_layout) == NULL)
        s->layout = (int8_t)lower_view_layout(l->low, op);
    if (s->form == STMT_INDEX_SWITCH || s->form == STMT_SWITCH) {
        const bool regions = s->form == STMT_INDEX_SWITCH;
        const NamedAttr *cases = op_attr_named(op, regions ? ATTR_cases : ATTR_case_values);
        s->cases = cases != NULL ? cases->value : NULL;
    }
    if (l->opt->cores && op_core(op) != CORE_ANY) s->cores = (uint8_t)(1u << op_core(op));
    s->shown = show_name(op);
    s->dump = show_dump(op);
    if (l->opt->work) s->work = lower_work(l->low, op, l->arena);
    if (l->opt->sanitize != NULL) s->sees = lower_sees(l->low, l->opt, s, op, l->arena);
}

static void lower_regions(Lowering *l, LowerStmt *s, const Op *op) {
    const Core given = op_given_core(op);
    s->nregions = op->nregions;
    s->regions = ARENA_ARRAY(l->arena, LowerRegion, op->nregions);
    for (unsigned i = 0; i < op->nregions; i++)
        lower_region(l, &op_regions(op)[i], given != CORE_ANY ? given : (Core)s->core, s,
                     &s->regions[i]);
}

/* Binds the tiles that the statement makes without an operand for them. */
static void find_binds(Lowering *l, LowerStmt *s, const Op *op) {
    if (s->form == STMT_ALLOC || s->form == STMT_ALLOC_MULTI)
        bind_allocation(l, s, op);
    else if (s->form == STMT_FUNCTION)
        bind_returned(l, s, op);
    else
        bind_results(l, s, op);
    bind_scratch(l, s, op);
}

/* Remembers what makes a view or tile, and event ids, which the C++ asks for. */
static void note_maker(Lowering *l, const LowerStmt *s) {
    const bool makes =
        s->kind == DOES_VIEW || s->kind == DOES_BIND || s->inst->fifo || s->form == STMT_ARRAY_GET;
    for (unsigned i = 0; makes && i < s->nresults; i++)
        *ptrmap_at(&l->body->makers, &s->results[i]) = (void *)(uintptr_t)s;
}

static void add_cores(const LowerStmt *s, void *arg) {
    ((LowerStmt *)arg)->cores |= s->cores;
}

static LowerStmt *lower_statement(Lowering *l, const Op *op, Core core, const LowerBlock *block) {
    LowerStmt *s = ARENA_NEW(l->arena, LowerStmt);
    *s = (LowerStmt){.block = block,
                     .inst = op->inst,
                     .kind = (uint8_t)lower_kind(op->inst),
                     .form = (uint8_t)lower_form(op->inst),
                     .core = (uint8_t)core,
                     .span = op->span,
                     .name_span = op->name_span,
                     .args = op->operands,
                     .nargs = op->noperands,
                     .results = op->results,
                     .nresults = op->nresults,
                     .reserved = {-1, -1},
                     .layout = -1};
    find_slots(l, s, op);
    find_attributes(l, s, op);
    find_binds(l, s, op);
    if (l->opt->calls) find_call(l, s, op);
    find_facts(l, s, op);
    note_maker(l, s);
    if (l->origins != NULL) *ptrmap_at(l->origins, s) = (void *)(uintptr_t)op;
    if (op->nregions > 0) lower_regions(l, s, op);
    for (unsigned i = 0; l->opt->cores && i < s->nregions; i++)
        lower_walk(&s->regions[i], add_cores, s);
    return s;
}

/* ---- blocks ---- */

/* Makes the blocks of a region, so that jumps find theirs. */
static void make_blocks(Lowering *l, const Region *r, LowerRegion *to) {
    LowerBlock **last = &to->first;
    for (const Block *b = r->first; b != NULL; b = b->next) {
        LowerBlock *block = ARENA_NEW(l->arena, LowerBlock);
        *block = (LowerBlock){.region = to, .label = b->label, .args = b->args, .nargs = b->nargs};
        if (r->first != r->last || b->label != 0) *ptrmap_at(&l->blocks, b) = block;
        *last = block;
        last = &block->next;
    }
}

static void lower_ways(Lowering *l, LowerStmt *s, const Op *op) {
    LowerWay *ways = ARENA_ARRAY(l->arena, LowerWay, op->nsuccs);
    for (unsigned i = 0; i < op->nsuccs; i++) {
        const Successor *to = &op_succs(op)[i];
        LowerBlock *block = ptrmap_get(&l->blocks, to->block);
        block->target = true;
        ways[i] = (LowerWay){.to = block, .args = to->args, .nargs = to->nargs};
    }
    s->ways = ways;
    s->nways = op->nsuccs;
}

static void lower_region(Lowering *l, const Region *r, Core core, const LowerStmt *owner,
                         LowerRegion *to) {
    *to = (LowerRegion){.owner = owner, .off = r->open.off};
    make_blocks(l, r, to);
    LowerBlock *block = to->first;
    for (const Block *b = r->first; b != NULL; b = b->next, block = block->next) {
        LowerStmt **last = &block->first;
        for (const Op *op = b->first; op != NULL; op = op->next) {
            *last = lower_statement(l, op, core, block);
            if (op->nsuccs > 0) lower_ways(l, *last, op);
            last = &(*last)->next;
        }
    }
}

const LowerBody *lower_function(const Lower *l, const LowerFunc *f, const LowerOptions *opt,
                                Arena *arena) {
    LowerBody *body = ARENA_NEW(arena, LowerBody);
    Lowering state = {.low = l,
                      .opt = opt,
                      .arena = arena,
                      .rules = {.compat = opt->compat},
                      .body = body,
                      .blocks = {.arena = arena},
                      .own = {.arena = arena},
                      .origins = opt->origins};
    *body = (LowerBody){.makers = {.arena = arena}};
    if (opt->fuse && state.origins == NULL) state.origins = &state.own;
    l->m->ctx->lowered_functions++;
    state.judge.arena = arena;
    if (opt->calls) residual_init(&state.judge, l->m->ctx, &state.rules, l->m->root);
    lower_region(&state, &op_regions(f->op)[0], op_core_around(f->op), NULL, &body->region);
    lower_borrowed(&body->region, arena);
    if (opt->fuse) lower_chains(l, f, opt, state.origins, &body->region, arena);
    return body;
}

/* ---- reading ---- */

void lower_walk(const LowerRegion *r, void (*see)(const LowerStmt *s, void *arg), void *arg) {
    for (const LowerBlock *b = r->first; b != NULL; b = b->next)
        for (const LowerStmt *s = b->first; s != NULL; s = s->next) {
            see(s, arg);
            for (unsigned i = 0; i < s->nregions; i++)
                lower_walk(&s->regions[i], see, arg);
        }
}

const Value *stmt_named(const LowerStmt *s, OperandName slot) {
    const int at = inst_slot(s->inst, slot);
    return at >= 0 ? s->slots[at].value : NULL;
}

Span stmt_span(const LowerStmt *s, int slot) {
    const LowerSlot *at = &s->slots[slot];
    if (at->n > 0) return at->items->span.len != 0 ? at->items->span : s->name_span;
    return at->value != NULL && at->value->name != 0 ? (Span){at->value->name_off, 1}
                                                     : s->name_span;
}

const NamedAttr *stmt_attr_named(const LowerStmt *s, AttrName name) {
    const int at = inst_attr(s->inst, name);
    return at >= 0 ? s->attrs[at] : NULL;
}

int64_t stmt_attr_int(const LowerStmt *s, AttrName name) {
    const int at = inst_attr(s->inst, name);
    return at >= 0 ? stmt_attr_number(s, at) : 0;
}
