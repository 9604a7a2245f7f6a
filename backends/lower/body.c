/* Lowers the statements of a function, in the order of the text. */
#include "backends/lower/body.h"

#include "ir/core.h"
#include "ir/target.h"
#include "verifier/rules/residual.h"
#include "verifier/rules/rules.h"

typedef struct Lowering {
    const Lower *low;
    const LowerOptions *opt;
    Arena *arena;
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

static void bind_allocation(Lowering *l, LowerStmt *s) {
    const Op *op = s->op;
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
static void bind_results(Lowering *l, LowerStmt *s) {
    const Op *op = s->op;
    s->nbinds = op_tile_results(op);
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
static void bind_returned(Lowering *l, LowerStmt *s) {
    const Op *op = s->op;
    s->binds = ARENA_ARRAY(l->arena, LowerBind, op->nresults + 1u);
    for (unsigned i = 0; i < op->nresults; i++) {
        const Value *v = &op->results[i];
        if (type_is_tile(v->type))
            s->binds[s->nbinds++] =
                (LowerBind){.value = v, .type = tile_value_type(v), .addr = planned_address(l, v)};
    }
}

/* Where the text leaves out a scratch tile, the plan may supply it. */
static void bind_scratch(Lowering *l, LowerStmt *s) {
    const PlanTmp *tmp = l->opt->plan != NULL ? plan_tmp(l->opt->plan, s->op) : NULL;
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
static void find_checks(Lowering *l, LowerStmt *s, bool kernel) {
    const Residue *r = NULL;
    if (kernel || s->op->noperands != 0)
        r = rules_residual(&l->judge, s->op, l->low->profile, l->arena);
    const Residue **last = &s->checks;
    for (; r != NULL; r = r->next) {
        if (!kernel && is_about_results(s->op, r->test)) continue;
        Residue *kept = ARENA_NEW(l->arena, Residue);
        *kept = *r;
        kept->next = NULL;
        *last = kept;
        last = (const Residue **)&kept->next;
    }
}

/* ---- statements ---- */

static void lower_region(Lowering *l, const Region *r, Core core, LowerRegion *to);

static void find_call(Lowering *l, LowerStmt *s) {
    const Context *ctx = l->low->ctx;
    const bool kernel = kernel_first(s->op->inst) != NULL;
    if (lower_is_sync(s->op->inst))
        s->call = lower_sync(ctx, s->op, target_chip(ctx, s->op, l->low->profile), l->arena);
    else if (kernel)
        s->call = lower_kernel(ctx, s->op, s->scratch != NULL, l->arena);
    find_checks(l, s, kernel);
}

static LowerStmt *lower_statement(Lowering *l, const Op *op, Core core) {
    LowerStmt *s = ARENA_NEW(l->arena, LowerStmt);
    *s = (LowerStmt){.op = op, .core = core};
    if (op_is(op, INST_ALLOC_TILE) || op_is(op, INST_ALLOC_MULTI_TILE))
        bind_allocation(l, s);
    else if (op_is(op, INST_CALL))
        bind_returned(l, s);
    else
        bind_results(l, s);
    bind_scratch(l, s);
    if (l->opt->calls) find_call(l, s);
    if (op->nregions == 0) return s;
    s->regions = ARENA_ARRAY(l->arena, LowerRegion, op->nregions);
    const Core given = op_given_core(l->low->ctx, op);
    for (unsigned i = 0; i < op->nregions; i++)
        lower_region(l, &op_regions(op)[i], given != CORE_ANY ? given : core, &s->regions[i]);
    return s;
}

static void lower_region(Lowering *l, const Region *r, Core core, LowerRegion *to) {
    LowerBlock **last_block = &to->first;
    to->region = r;
    for (const Block *b = r->first; b != NULL; b = b->next) {
        LowerBlock *block = ARENA_NEW(l->arena, LowerBlock);
        LowerStmt **last = &block->first;
        block->block = b;
        for (const Op *op = b->first; op != NULL; op = op->next) {
            *last = lower_statement(l, op, core);
            last = &(*last)->next;
        }
        *last_block = block;
        last_block = &block->next;
    }
}

const LowerRegion *lower_function(const Lower *l, const LowerFunc *f, const LowerOptions *opt,
                                  Arena *arena) {
    Lowering state = {.low = l, .opt = opt, .arena = arena, .rules = {.compat = opt->compat}};
    LowerRegion *body = ARENA_NEW(arena, LowerRegion);
    l->m->ctx->lowered_functions++;
    state.judge.arena = arena;
    residual_init(&state.judge, l->m->ctx, &state.rules, l->m->root);
    lower_region(&state, &op_regions(f->op)[0], op_core_around(l->ctx, f->op), body);
    return body;
}
