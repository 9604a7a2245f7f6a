/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the call graph: facts of each function, then what its calls add. */
#include "analysis/callgraph.h"

#include "analysis/pipe_links.h"
#include "ir/core.h"

typedef struct Builder {
    CallGraph *graph;
    Arena *arena;
    CallNode *node;   /* whose statements are read */
    CallNode **queue; /* nodes whose callers are to be looked at */
    uint32_t n;
} Builder;

CallNode *callgraph_node(const CallGraph *g, const Op *func) {
    return ptrmap_get(&g->nodes, func);
}

static void add_node(const Builder *b, Op *func) {
    CallGraph *g = b->graph;
    CallNode *n = ARENA_NEW(b->arena, CallNode);
    n->func = func;
    n->core = op_core_around(func);
    *ptrmap_at(&g->nodes, func) = n;
    *g->last = n;
    g->last = &n->next;
}

static void add_nodes(const Builder *b, const Op *module) {
    for (Op *op = op_regions(module)[0].first->first; op != NULL; op = op->next)
        if (function_has_body(op))
            add_node(b, op);
        else if (op_is(op, INST_MODULE) && op_regions(op)[0].first != NULL)
            add_nodes(b, op);
}

/* ---- one function ---- */

static void add_edge(const Builder *b, const Op *call) {
    CallGraph *g = b->graph;
    const Op *callee = functions_callee(&g->functions, call);
    CallNode *to = callee != NULL ? callgraph_node(g, callee) : NULL;
    const Core at = op_core_around(call);
    if (to == NULL) return;
    CallEdge *e = ARENA_NEW(b->arena, CallEdge);
    *e = (CallEdge){.from = b->node, .to = to, .next_callee = b->node->callees};
    e->runs = at == CORE_ANY || to->core == CORE_ANY || at == to->core;
    e->next_caller = to->callers;
    b->node->callees = to->callers = e;
}

/* Notes what tells whether both vector cores take part. */
static void note_vector_cores(CallNode *n, const Op *op) {
    n->asks |= op_is(op, INST_GET_SUBBLOCK_IDX);
    n->split |= op->inst->entry != ENTRY_NONE && pipe_attr(op, ATTR_split, 0) != 0;
    if (op->inst->sync != SYNC_CORES) return;
    const NamedAttr *event = op_attr_named(op, ATTR_event_id);
    n->second |= event != NULL && event->value->kind == ATTR_INT && event->value->i >= 16;
}

bool op_meets_cores(const Op *op) {
    const SyncUse use = (SyncUse)op->inst->sync;
    return op->inst->entry != ENTRY_NONE || pipe_is_opening(op) || use == SYNC_DRAIN ||
           (use == SYNC_CORES && !op_is(op, INST_SET_FFTS) && !op_is(op, INST_CMO_CACHEINVALID));
}

unsigned op_syncs_all(const Op *op) {
    enum { HARD = 0, VECTORS = 0, CUBES = 1 }; /* #pto.sync_all_mode, #pto.sync_core_type */
    const NamedAttr *mode = op_attr_named(op, ATTR_mode);
    const NamedAttr *type = op_attr_named(op, ATTR_core_type);
    if (!op_is(op, INST_SYNCALL) || mode == NULL || type == NULL ||
        enum_number(mode->value) != HARD)
        return 0;
    const int64_t kinds = enum_number(type->value);
    return kinds == VECTORS ? 1u << CORE_VECTOR
           : kinds == CUBES ? 1u << CORE_CUBE
                            : 1u << CORE_VECTOR | 1u << CORE_CUBE;
}

bool op_orders_pipes(const Op *op) {
    const SyncUse use = (SyncUse)op->inst->sync;
    return use == SYNC_SET || use == SYNC_WAIT || use == SYNC_GET || use == SYNC_RELEASE;
}

static bool see_op(Op *op, void *arg) {
    const Builder *b = arg;
    CallNode *n = b->node;
    n->own_flags |= op_orders_pipes(op);
    n->meets |= op_meets_cores(op);
    n->across |= n->meets || op->inst->sync == SYNC_CORES || (op->inst->flags & IF_SIGNALS) != 0;
    n->frees |= op->inst->entry == ENTRY_FREE;
    note_vector_cores(n, op);
    if (op_is_section(op)) n->cores |= 1u << op->inst->core;
    if (op_is(op, INST_CALL)) add_edge(b, op);
    return true;
}

/* ---- what calls add ---- */

static unsigned cores_of(const CallNode *n) {
    return n->core != CORE_ANY ? 1u << n->core : n->cores;
}

/* Adds to the caller what a function does there. */
static bool pass_on(const CallEdge *e) {
    CallNode *to = e->from;
    const CallNode from = *e->to, before = *to;
    to->cores |= cores_of(&from);
    if (e->runs) to->flags |= from.flags;
    if (e->runs) to->across |= from.across;
    if (e->runs) to->meets |= from.meets;
    return to->cores != before.cores || to->flags != before.flags || to->across != before.across ||
           to->meets != before.meets;
}

static void push(Builder *b, CallNode *n) {
    b->queue[b->n++] = n;
}

static void pass_all_on(Builder *b) {
    PtrMap queued = {.arena = b->arena};
    for (CallNode *n = b->graph->first; n != NULL; n = n->next) {
        push(b, n);
        *ptrmap_at(&queued, n) = n;
    }
    while (b->n > 0) {
        CallNode *n = b->queue[--b->n];
        *ptrmap_at(&queued, n) = NULL;
        for (const CallEdge *e = n->callers; e != NULL; e = e->next_caller) {
            if (!pass_on(e) || ptrmap_get(&queued, e->from) != NULL) continue;
            push(b, e->from);
            *ptrmap_at(&queued, e->from) = n;
        }
    }
    for (CallNode *n = b->graph->first; n != NULL; n = n->next)
        n->cores = cores_of(n);
}

/* ---- roots ---- */

static bool is_called(const CallNode *n) {
    for (const CallEdge *e = n->callers; e != NULL; e = e->next_caller)
        if (e->runs) return true;
    return false;
}

static void begin(Builder *b, CallNode *n) {
    n->root = n->begun = true;
    push(b, n);
    while (b->n > 0)
        for (const CallEdge *e = b->queue[--b->n]->callees; e != NULL; e = e->next_callee) {
            if (!e->runs || e->to->begun) continue;
            e->to->begun = true;
            push(b, e->to);
        }
}

/* Functions that only call one another are begun somewhere, too. */
static void find_roots(Builder *b) {
    for (CallNode *n = b->graph->first; n != NULL; n = n->next)
        if (!is_called(n) || op_is_entry(n->func)) begin(b, n);
    for (CallNode *n = b->graph->first; n != NULL; n = n->next)
        if (!n->begun) begin(b, n);
}

/* ---- entry points ---- */

void callgraph_init(CallGraph *g, Arena *arena, const Context *ctx, const Op *module) {
    *g = (CallGraph){
        .ctx = ctx, .arena = arena, .functions = {.arena = arena}, .nodes = {.arena = arena}};
    g->last = &g->first;
    Builder b = {.graph = g, .arena = arena};
    uint32_t n = 0;
    add_nodes(&b, module);
    for (CallNode *f = g->first; f != NULL; f = f->next, n++) {
        b.node = f;
        op_walk(f->func, see_op, &b);
        f->flags = f->own_flags;
    }
    b.queue = ARENA_ARRAY(arena, CallNode *, n + 1);
    pass_all_on(&b);
    find_roots(&b);
}

void callgraph_each_core(const CallNode *n, void (*run)(void *arg, Core core), void *arg) {
    if (n->cores == 0) run(arg, CORE_ANY);
    if ((n->cores >> CORE_CUBE & 1) != 0) run(arg, CORE_CUBE);
    if ((n->cores >> CORE_VECTOR & 1) != 0) run(arg, CORE_VECTOR);
}
