/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the statements to be timed of those of the lowered function: what each does, its pipe, and
 * a number for each value. */
#include "ir/core.h"
#include "timing/run.h"

uint32_t time_cell(TimeRun *r, const Value *v) {
    void **at = ptrmap_at(&r->cells_of, v);
    if (*at == NULL) *at = (void *)(uintptr_t)++r->ncells;
    return (uint32_t)(uintptr_t)*at - 1;
}

static void make_region(TimeRun *r, const LowerRegion *from, TimeRegion *to);

/* ---- one statement ---- */

/* Reads the number of an event, a buffer or a signal, if the text has one. */
static void find_event(TimeNode *n, AttrName name) {
    const NamedAttr *a = stmt_attr_named(n->stmt, name);
    n->literal = a != NULL && (a->value->kind == ATTR_ENUM || a->value->kind == ATTR_INT);
    if (n->literal) n->event = a->value->kind == ATTR_ENUM ? enum_number(a->value) : a->value->i;
}

static void find_sync(TimeNode *n) {
    const LowerStmt *s = n->stmt;
    const NamedAttr *from = s->inst->nattrs > 0 ? stmt_attr(s, 0) : NULL;
    const NamedAttr *to = s->inst->nattrs > 1 ? stmt_attr(s, 1) : NULL;
    n->sync = s->inst->sync;
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
    const LowerStmt *s = n->stmt;
    for (unsigned i = 0; i < s->nresults; i++) {
        const Type *t = s->results[i].type;
        if (type_is_tile(t) || t->kind == TY_MULTI_TILE) {
            n->tile = ARENA_NEW(r->arena, TileNow);
            n->tile->type = type_is_tile(t) ? tile_value_type(&s->results[i]) : t;
            if (t->kind == TY_MULTI_TILE)
                n->tile->slots = ARENA_ARRAY(r->arena, TileNow, t->count + 1);
        } else if (t->kind == TY_TENSOR_VIEW || t->kind == TY_PART_VIEW) {
            n->view = ARENA_NEW(r->arena, ViewNow);
        }
    }
}

static void find_callee(TimeRun *r, TimeNode *n) {
    const LowerFunc *callee = n->form == STMT_FUNCTION ? n->stmt->callee : NULL;
    if (callee != NULL && callee->data->has_body) n->callee = time_function(r, callee);
}

static void find_ways(TimeRun *r, TimeNode *n, const PtrMap *blocks, unsigned *at) {
    const LowerStmt *s = n->stmt;
    n->ways = ARENA_ARRAY(r->arena, TimeBlock *, s->nways);
    n->way_args = ARENA_ARRAY(r->arena, unsigned, s->nways);
    for (unsigned i = 0; i < s->nways; i++) {
        const LowerWay *to = &s->ways[i];
        n->ways[i] = ptrmap_get(blocks, to->to);
        n->way_args[i] = *at;
        for (unsigned k = 0; k < to->nargs; k++)
            n->in[(*at)++] = time_cell(r, to->args[k].value);
    }
}

static unsigned way_operands(const LowerStmt *s) {
    unsigned n = 0;
    for (unsigned i = 0; i < s->nways; i++)
        n += s->ways[i].nargs;
    return n;
}

static TimeNode *make_node(TimeRun *r, const LowerStmt *s, const PtrMap *blocks) {
    TimeNode *n = ARENA_NEW(r->arena, TimeNode);
    unsigned at = 0;
    *r->last_node = n;
    r->last_node = &n->listed;
    n->stmt = s;
    n->form = s->form;
    n->core = (uint8_t)s->work->core;
    n->pipe = (uint8_t)s->work->pipe;
    n->scope = s->work->scope;
    n->vector = s->work->vector;
    n->in = ARENA_ARRAY(r->arena, uint32_t, s->nargs + way_operands(s) + 1u);
    n->out = ARENA_ARRAY(r->arena, uint32_t, s->nresults + 1u);
    for (; at < s->nargs; at++)
        n->in[at] = time_cell(r, s->args[at].value);
    for (unsigned i = 0; i < s->nresults; i++)
        n->out[i] = time_cell(r, &s->results[i]);
    if (s->nways > 0) find_ways(r, n, blocks, &at);
    if (s->inst->sync != SYNC_NONE) find_sync(n);
    if (n->form == STMT_CONSTANT) (void)number_known(&s->results[0], &n->constant);
    /* the vendor's model has none */
    if (r->params->law == LAW_DEVICE) n->phases = s->work->phases;
    const int src = inst_slot(s->inst, OPERAND_src);
    n->bursts = src >= 0 && s->inst->slots[src].touched.kind == TOUCH_BURSTS;
    find_room(r, n);
    find_callee(r, n);
    n->regions = ARENA_ARRAY(r->arena, TimeRegion, s->nregions + 1u);
    for (unsigned i = 0; i < s->nregions; i++)
        make_region(r, &s->regions[i], &n->regions[i]);
    return n;
}

/* ---- blocks ---- */

static void make_region(TimeRun *r, const LowerRegion *from, TimeRegion *to) {
    PtrMap blocks = {.arena = r->arena};
    TimeBlock **last = &to->first;
    for (const LowerBlock *b = from->first; b != NULL; b = b->next) {
        TimeBlock *block = *last = ARENA_NEW(r->arena, TimeBlock);
        last = &block->next;
        *ptrmap_at(&blocks, b) = block;
        block->nargs = b->nargs;
        block->args = ARENA_ARRAY(r->arena, uint32_t, b->nargs + 1u);
        for (uint32_t i = 0; i < b->nargs; i++)
            block->args[i] = time_cell(r, &b->args[i]);
    }
    TimeBlock *block = to->first;
    for (const LowerBlock *b = from->first; b != NULL; b = b->next, block = block->next) {
        TimeNode **end = &block->first;
        for (const LowerStmt *s = b->first; s != NULL; s = s->next) {
            if (s->work == NULL) continue; /* no text has it, and it takes no time */
            block->last = *end = make_node(r, s, &blocks);
            end = &(*end)->next;
        }
    }
    if (to->first != NULL && to->first->next != NULL) time_find_loops(r, to);
}

TimeFunc *time_function(TimeRun *r, const LowerFunc *func) {
    void **at = ptrmap_at(&r->funcs, func);
    TimeFunc *f = *at;
    if (f != NULL) return f;
    *at = f = ARENA_NEW(r->arena, TimeFunc);
    f->next = r->all;
    r->all = f;
    const LowerOptions opt = {.work = true, .origins = &r->origins};
    make_region(r, &lower_function(r->lower, func, &opt, r->arena)->region, &f->body);
    return f;
}
