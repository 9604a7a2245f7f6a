/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the functions for which it pays to look for reads of unwritten tiles: a walk in the order
 * of the text that marks tiles as written by their names. Tiles that share bytes by their addresses
 * are left to the events of lints.c. */
#include "verifier/lints/unwritten.h"

#include "analysis/effects.h"

enum { MOST_ACCESSES = 16 };

typedef struct Look {
    Effects effects;
    bool found;
} Look;

bool is_tile(const Value *v) {
    return v != NULL && v->type != NULL &&
           (v->type->kind == TY_TILE || v->type->kind == TY_MULTI_TILE);
}

bool is_local_pointer(const Value *v) {
    return v != NULL && v->type != NULL && v->type->kind == TY_PTR && v->type->space != SPACE_GM &&
           v->type->space != SPACE_ZERO;
}

/* Marks a tile, and those that it is a view of. */
static void mark(Value *v) {
    while (is_tile(v) && !v->written) {
        v->written = true;
        if (v->def == NULL || (v->def->inst->flags & IF_VIEW) == 0 || v->def->noperands == 0)
            return;
        v = v->def->operands[0].value;
    }
}

static void mark_operands(Op *op) {
    for (unsigned i = 0; i < op->noperands; i++)
        mark(op->operands[i].value);
}

/* Results are written, but for new storage and views of storage that is not. */
static void begin_results(Op *op) {
    const unsigned flags = op->inst->flags;
    const bool view = (flags & IF_VIEW) != 0 && op->noperands > 0 && is_tile(op->operands[0].value);
    const bool fresh = (flags & IF_ALLOC) != 0 || op_is(op, INST_DECLARE_TILE);
    for (unsigned i = 0; i < op->nresults; i++)
        op->results[i].written = view ? op->operands[0].value->written : !fresh;
}

/* A statement whose writes the table does not have: a call, and what makes a pointer to a tile. */
static bool may_write_all(const Op *op) {
    if (op_is(op, INST_CALL) || op->inst->fifo || op->nregions != 0) return true;
    for (unsigned i = 0; i < op->nresults; i++)
        if (is_local_pointer(&op->results[i])) return true;
    return false;
}

/* True for a statement with a tile that nothing has written yet. */
static bool has_unwritten(const Op *op) {
    for (unsigned i = 0; i < op->noperands; i++)
        if (is_tile(op->operands[i].value) && !op->operands[i].value->written) return true;
    return false;
}

static bool see_op(Op *op, void *arg) {
    Look *l = arg;
    Access list[MOST_ACCESSES];
    begin_results(op);
    if (!has_unwritten(op)) return true;
    if (may_write_all(op)) {
        mark_operands(op);
        return true;
    }
    const size_t n = op_accesses(&l->effects, op, list, MOST_ACCESSES);
    l->found |= n > MOST_ACCESSES;
    for (size_t i = 0; i < n && !l->found; i++)
        l->found = list[i].read && !list[i].maybe && is_tile(list[i].value) &&
                   !list[i].value->written && !list[i].value->argument;
    for (size_t i = 0; i < n && i < MOST_ACCESSES; i++)
        if (list[i].write) mark((Value *)(uintptr_t)list[i].value);
    return !l->found;
}

bool may_read_unwritten(Context *ctx, Op *func) {
    Look l = {.effects = {.ctx = ctx, .profile = PROFILE_DEFAULT}};
    if (!func_data(func)->has_body || !op_is_entry(func)) return false;
    op_walk(func, see_op, &l);
    return l.found;
}

bool has_no_elements(const Value *v) {
    return v->type->kind == TY_TILE && (v->type->tile.vrow == 0 || v->type->tile.vcol == 0);
}

typedef struct Peers {
    const Context *ctx;
    const Op *func;
    Core own;
    bool found;
} Peers;

static bool see_peer(Op *op, void *arg) {
    Peers *p = arg;
    if (!op_is(op, INST_FUNC) || op == p->func || p->found) return !p->found;
    p->found = func_data(op)->has_body && op_core_around(op) != p->own;
    return !p->found;
}

bool is_for_both_cores(const Context *ctx, Op *func) {
    Op *root = func;
    Peers p = {.ctx = ctx, .func = func, .own = op_core_around(func)};
    while (root->block != NULL)
        root = region_owner(root->block);
    op_walk(root, see_peer, &p);
    return p.found;
}
