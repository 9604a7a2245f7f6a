/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the statements to be timed of the operations of a function: what each does, its pipe, and a
 * number for each value. */
#include "analysis/effects.h"
#include "ir/core.h"
#include "ir/functions.h"
#include "ir/number.h"
#include "ir/vector_code.h"
#include "timing/run.h"

uint32_t time_cell(TimeRun *r, const Value *v) {
    void **at = ptrmap_at(&r->cells_of, v);
    if (*at == NULL) *at = (void *)(uintptr_t)++r->ncells;
    return (uint32_t)(uintptr_t)*at - 1;
}

static void make_region(TimeRun *r, const Region *from, TimeRegion *to);

/* ---- one statement ---- */

/* Reads the number of an event, a buffer or a signal, if the text has one. */
static void find_event(TimeNode *n, AttrName name) {
    const NamedAttr *a = op_attr_named(n->op, name);
    n->literal = a != NULL && (a->value->kind == ATTR_ENUM || a->value->kind == ATTR_INT);
    if (n->literal) n->event = a->value->kind == ATTR_ENUM ? enum_number(a->value) : a->value->i;
}

static void find_sync(TimeRun *r, TimeNode *n) {
    const Op *op = n->op;
    const NamedAttr *from = op->nattrs > 0 ? op_attr(op, 0) : NULL;
    const NamedAttr *to = op->inst->nattrs > 1 ? op_attr(op, 1) : NULL;
    n->sync = op->inst->sync;
    n->pipe = (uint8_t)op_pipe(op, r->params->profile);
    if ((n->sync == SYNC_SET || n->sync == SYNC_WAIT) && from != NULL && to != NULL) {
        n->pipe = (uint8_t)attr_pipe(from->value);
        n->to = (uint8_t)attr_pipe(to->value);
        find_event(n, ATTR_event_id);
    } else if (n->sync == SYNC_CORES) {
        find_event(n, ATTR_event_id);
    } else if (n->sync == SYNC_GET || n->sync == SYNC_RELEASE) {
        find_event(n, ATTR_buf_id);
    }
}

static void find_room(TimeRun *r, TimeNode *n) {
    const Op *op = n->op;
    for (unsigned i = 0; i < op->nresults; i++) {
        const Type *t = op->results[i].type;
        if (type_is_tile(t) || t->kind == TY_MULTI_TILE) {
            n->tile = ARENA_NEW(r->arena, TileNow);
            n->tile->type = type_is_tile(t) ? tile_value_type(&op->results[i]) : t;
            if (t->kind == TY_MULTI_TILE)
                n->tile->slots = ARENA_ARRAY(r->arena, TileNow, t->count + 1);
        } else if (t->kind == TY_TENSOR_VIEW || t->kind == TY_PART_VIEW) {
            n->view = ARENA_NEW(r->arena, ViewNow);
        }
    }
}

static void find_callee(TimeRun *r, TimeNode *n) {
    Op *callee = n->form == STMT_FUNCTION ? functions_callee(r->lower->functions, n->op) : NULL;
    if (callee != NULL && func_data(callee)->has_body) n->callee = time_function(r, callee);
}

static void find_ways(TimeRun *r, TimeNode *n, const PtrMap *blocks, unsigned *at) {
    const Op *op = n->op;
    n->ways = ARENA_ARRAY(r->arena, TimeBlock *, op->nsuccs);
    n->way_args = ARENA_ARRAY(r->arena, unsigned, op->nsuccs);
    for (unsigned i = 0; i < op->nsuccs; i++) {
        const Successor *to = &op_succs(op)[i];
        n->ways[i] = ptrmap_get(blocks, to->block);
        n->way_args[i] = *at;
        for (unsigned k = 0; k < to->nargs; k++)
            n->in[(*at)++] = time_cell(r, to->args[k].value);
    }
}

static unsigned way_operands(const Op *op) {
    unsigned n = 0;
    for (unsigned i = 0; i < op->nsuccs; i++)
        n += op_succs(op)[i].nargs;
    return n;
}

static TimeNode *make_node(TimeRun *r, const Op *op, const PtrMap *blocks) {
    TimeNode *n = ARENA_NEW(r->arena, TimeNode);
    Pipe other;
    unsigned at = 0;
    *r->last_node = n;
    r->last_node = &n->listed;
    n->op = op;
    n->form = (uint8_t)lower_form(op->inst);
    n->core = (uint8_t)(n->form == STMT_SECTION ? op->inst->core : op_core(op));
    n->in = ARENA_ARRAY(r->arena, uint32_t, op->noperands + way_operands(op) + 1u);
    n->out = ARENA_ARRAY(r->arena, uint32_t, op->nresults + 1u);
    for (; at < op->noperands; at++)
        n->in[at] = time_cell(r, op->operands[at].value);
    for (unsigned i = 0; i < op->nresults; i++)
        n->out[i] = time_cell(r, &op->results[i]);
    if (op->nsuccs > 0) find_ways(r, n, blocks, &at);
    if (op->inst->sync != SYNC_NONE)
        find_sync(r, n);
    else
        n->pipe = (uint8_t)op_pipe_by_tiles(op, r->params->profile, &other);
    if (n->form == STMT_CONSTANT) (void)number_known(&op->results[0], &n->constant);
    /* the vendor's model has none */
    const Effects effects = {.ctx = r->lower->ctx, .profile = r->params->profile};
    if (r->params->law == LAW_DEVICE) n->phases = effects_phases(&effects, op);
    const int src = inst_slot(op->inst, OPERAND_src);
    n->bursts = src >= 0 && op->inst->slots[src].touched.kind == TOUCH_BURSTS;
    n->scope = op_is_vector_scope(op);
    n->vector = inst_is_micro(op->inst) && op_is_vector_code(op);
    if (n->scope) n->pipe = PIPE_V;
    find_room(r, n);
    find_callee(r, n);
    n->regions = ARENA_ARRAY(r->arena, TimeRegion, op->nregions + 1u);
    for (unsigned i = 0; i < op->nregions; i++)
        make_region(r, &op_regions(op)[i], &n->regions[i]);
    return n;
}

/* ---- blocks ---- */

static void make_region(TimeRun *r, const Region *from, TimeRegion *to) {
    PtrMap blocks = {.arena = r->arena};
    TimeBlock **last = &to->first;
    for (const Block *b = from->first; b != NULL; b = b->next) {
        TimeBlock *block = *last = ARENA_NEW(r->arena, TimeBlock);
        last = &block->next;
        *ptrmap_at(&blocks, b) = block;
        block->nargs = b->nargs;
        block->args = ARENA_ARRAY(r->arena, uint32_t, b->nargs + 1u);
        for (uint32_t i = 0; i < b->nargs; i++)
            block->args[i] = time_cell(r, &b->args[i]);
    }
    TimeBlock *block = to->first;
    for (const Block *b = from->first; b != NULL; b = b->next, block = block->next) {
        TimeNode **end = &block->first;
        for (const Op *op = b->first; op != NULL; op = op->next) {
            block->last = *end = make_node(r, op, &blocks);
            end = &(*end)->next;
        }
    }
    if (to->first != NULL && to->first->next != NULL) time_find_loops(r, to);
}

TimeFunc *time_function(TimeRun *r, const Op *func) {
    void **at = ptrmap_at(&r->funcs, func);
    TimeFunc *f = *at;
    if (f != NULL) return f;
    *at = f = ARENA_NEW(r->arena, TimeFunc);
    f->op = func;
    f->next = r->all;
    r->all = f;
    make_region(r, &op_regions(func)[0], &f->body);
    return f;
}
