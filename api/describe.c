/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the functions of emitted C++ for those who call them: parameters, cores, memory. */
#include "analysis/callgraph.h"
#include "analysis/calls.h"
#include "analysis/place.h"
#include "api/internal.h"
#include "backends/cpp/emit.h"
#include "backends/lower/lower.h"
#include "ir/core.h"

#include <string.h>

typedef struct Described {
    ptoasm_function function;
    ptoasm_argument *arguments;
    ptoasm_memory memory[SPACE_COUNT];
    size_t nmemory;
} Described;

typedef struct Describer {
    ptoasm_result *res;
    const EmitOptions *opt;
    CallGraph graph;
    const CallNode **reached; /* room for all functions */
    Calls *calls;
} Describer;

/* ---- the launch ---- */

static const struct {
    InstId inst;
    uint32_t query;
} queries[] = {{INST_GET_BLOCK_IDX, PTOASM_QUERY_BLOCK_INDEX},
               {INST_GET_BLOCK_NUM, PTOASM_QUERY_BLOCK_COUNT},
               {INST_GET_SUBBLOCK_IDX, PTOASM_QUERY_SUBBLOCK_INDEX},
               {INST_GET_SUBBLOCK_NUM, PTOASM_QUERY_SUBBLOCK_COUNT}};

static uint32_t query_of(const Inst *inst) {
    for (size_t i = 0; inst != NULL && i < sizeof queries / sizeof *queries; i++)
        if (inst == &inst_table[queries[i].inst]) return queries[i].query;
    return 0;
}

/* What the statements of a function, and of those that it calls, have in common. */
typedef struct Statements {
    const Context *ctx;
    PtrMap seen;           /* the functions so far */
    const CallNode **list; /* the same, in the order in which they were found */
    size_t n;
    uint32_t asks;
    unsigned kinds; /* 1 << Core of those that run on one kind alone */
} Statements;

static bool add_statement(Op *op, void *arg) {
    Statements *s = arg;
    s->asks |= query_of(op->inst);
    s->kinds |= 1u << op_core(op);
    return true;
}

static void find_function(Statements *s, const CallNode *n) {
    if (ptrmap_get(&s->seen, n) != NULL) return;
    *ptrmap_at(&s->seen, n) = (void *)(uintptr_t)n;
    s->list[s->n++] = n;
}

static void add_functions(Statements *s, const CallNode *n) {
    find_function(s, n);
    for (size_t i = 0; i < s->n; i++) {
        op_walk(s->list[i]->func, add_statement, s);
        for (const CallEdge *e = s->list[i]->callees; e != NULL; e = e->next_callee)
            find_function(s, e->to);
    }
}

/* ---- parameters ---- */

static bool has_bytes(const Type *t) {
    return is_memory(t) || is_tile_type(t);
}

typedef struct Queues {
    const Value *param;
    bool found;
} Queues;

/* Whether a queue between cores has its slots in the memory of a parameter: both ends use it. */
static bool is_of_queue(Op *op, void *arg) {
    Queues *q = arg;
    for (unsigned i = 0; op->inst->fifo && i < op->noperands; i++) {
        const Value *v = op->operands[i].value;
        while (v->def != NULL && v->def->noperands > 0 && has_bytes(v->type) &&
               (v->def->inst->flags & IF_VIEW) != 0)
            v = v->def->operands[0].value;
        q->found |= v == q->param;
    }
    return !q->found;
}

static void describe_access(Describer *d, const Op *func, uint32_t i, ptoasm_argument *a) {
    const Value *v = &op_regions(func)[0].first->args[i];
    const CallSummary *s = calls_function(d->calls, (Op *)(uintptr_t)func);
    Queues q = {.param = v};
    if (!has_bytes(v->type)) return;
    op_walk((Op *)(uintptr_t)func, is_of_queue, &q);
    a->reads = q.found || s == NULL || s->params[i].reads;
    a->writes = q.found || s == NULL || s->params[i].writes;
}

static void describe_extents(Describer *d, const Op *func, uint32_t i, const ptoasm_param *p,
                             ptoasm_argument *a) {
    a->rank = p->rank;
    a->known = p->rank > 0;
    memcpy(a->shape, p->shape, sizeof p->shape);
    for (uint32_t k = 0; k < p->rank; k++)
        a->known &= p->shape[k] != PTOASM_EXTENT_ANY;
    if (p->kind != PTOASM_PARAM_POINTER) return;
    ptoasm_buffer buffer;
    function_buffer(d->res, func, i, &buffer);
    a->known = buffer.known;
    a->rank = buffer.rank;
    memcpy(a->shape, buffer.shape, sizeof a->shape);
    a->elements = buffer.known ? buffer.needed : PTOASM_EXTENT_ANY;
    a->reason = buffer.reason;
    a->reason_line = buffer.known ? 0 : buffer.line;
}

static ptoasm_argument describe_argument(Describer *d, const CppSignature *s, uint32_t i) {
    const Value *v = &op_regions(s->func->op)[0].first->args[i];
    const ptoasm_param p = param_describe(d->res, v, d->opt->profile);
    ptoasm_argument a = {.name = p.name,
                         .type = p.type,
                         .cpp_type = s->types[i],
                         .kind = p.kind,
                         .elem = p.elem,
                         .line = p.line,
                         .launch = query_of(lower_param_query(d->res->ctx, s->func->op, i)),
                         .elements = PTOASM_EXTENT_ANY,
                         .reason = ""};
    describe_access(d, s->func->op, i, &a);
    describe_extents(d, s->func->op, i, &p, &a);
    return a;
}

/* ---- functions ---- */

static void describe_memory(const Describer *d, const LowerFunc *func, Described *out) {
    const PlanFunction *f = lower_plan(func, d->opt->plan);
    for (int space = SPACE_MAT; f != NULL && space < SPACE_COUNT; space++)
        if (f->bytes[space] > 0)
            out->memory[out->nmemory++] =
                (ptoasm_memory){.space = space_names[space],
                                .bytes = f->bytes[space],
                                .capacity = profile_plan_capacity(d->opt->profile, space)};
}

/* The cores that a function or its sections name, else those that its statements need. */
static uint32_t cores_of(const CallNode *n, const Statements *s) {
    const uint32_t both = PTOASM_CORE_CUBE | PTOASM_CORE_VECTOR;
    const unsigned named = n->core != CORE_ANY ? 1u << n->core : n->cores;
    const unsigned kinds = named != 0 ? named : s->kinds;
    const uint32_t cores = ((kinds >> CORE_CUBE & 1) != 0 ? PTOASM_CORE_CUBE : 0) |
                           ((kinds >> CORE_VECTOR & 1) != 0 ? PTOASM_CORE_VECTOR : 0);
    return cores != 0 ? cores : both;
}

static void describe_function(Describer *d, const CppSignature *s, Described *out) {
    ptoasm_result *res = d->res;
    const FuncData *data = s->func->data;
    const Interner *names = &res->ctx->names;
    const CallNode *node = callgraph_node(&d->graph, s->func->op);
    const Block *entry = op_regions(s->func->op)[0].first;
    Statements all = {.ctx = res->ctx, .seen = {.arena = &res->ctx->arena}, .list = d->reached};
    add_functions(&all, node);
    out->function = (ptoasm_function){
        .name = arena_strndup(&res->ctx->arena, atom_text(names, data->name),
                              atom_len(names, data->name)),
        .symbol = s->symbol,
        .line =
            source_find(&res->index, data->implicit ? s->func->span.off : data->name_span.off).line,
        .entry = s->entry,
        .cores = cores_of(node, &all),
        .asks = all.asks,
        .arguments = entry->nargs};
    out->arguments = ARENA_ARRAY(&res->ctx->arena, ptoasm_argument, entry->nargs + 1);
    for (uint32_t i = 0; i < entry->nargs; i++)
        out->arguments[i] = describe_argument(d, s, i);
    describe_memory(d, s->func, out);
}

void functions_collect(ptoasm_result *res, const EmitOptions *opt) {
    Arena *arena = &res->ctx->arena;
    Describer d = {.res = res, .opt = opt, .calls = calls_new(res->ctx, opt->profile)};
    unsigned n;
    const CppSignature *list = emit_cpp_functions(res->module, opt, arena, &n);
    if (res->index.src == NULL) res->index = source_index(arena, res->ctx->source);
    callgraph_init(&d.graph, arena, res->ctx, res->module->root);
    size_t nodes = 0;
    for (const CallNode *node = d.graph.first; node != NULL; node = node->next)
        nodes++;
    d.reached = ARENA_ARRAY(arena, const CallNode *, nodes + 1);
    res->functions = ARENA_ARRAY(arena, Described, n + 1);
    for (unsigned i = 0; i < n; i++) {
        const bool called = callgraph_node(&d.graph, list[i].func->op)->callers != NULL;
        if (list[i].entry || (!list[i].internal && !called))
            describe_function(&d, &list[i], &res->functions[res->nfunctions++]);
    }
}

/* ---- the interface ---- */

size_t ptoasm_function_count(const ptoasm_result *res) {
    return res->nfunctions;
}

bool ptoasm_function_get(const ptoasm_result *res, size_t i, ptoasm_function *out, size_t size) {
    if (i >= res->nfunctions) return false;
    struct_give(out, size, &res->functions[i].function, sizeof *out);
    return true;
}

bool ptoasm_argument_get(const ptoasm_result *res, size_t i, size_t a, ptoasm_argument *out,
                         size_t size) {
    if (i >= res->nfunctions || a >= res->functions[i].function.arguments) return false;
    struct_give(out, size, &res->functions[i].arguments[a], sizeof *out);
    return true;
}

bool ptoasm_memory_get(const ptoasm_result *res, size_t i, size_t m, ptoasm_memory *out,
                       size_t size) {
    if (i >= res->nfunctions || m >= res->functions[i].nmemory) return false;
    struct_give(out, size, &res->functions[i].memory[m], sizeof *out);
    return true;
}
