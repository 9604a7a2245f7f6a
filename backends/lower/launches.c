/* SPDX-License-Identifier: Apache-2.0 */
/* Functions and launches: which functions callers may launch, which two run together, and where
 * their arguments come from. */
#include "backends/lower/lower.h"

#include "ir/core.h"

#include <stdlib.h>
#include <string.h>

/* ---- functions ---- */

static bool is_external(const Context *ctx, const Op *op) {
    const NamedAttr *a = op_attr_named(op, ATTR_pto_visibility);
    return a != NULL && a->value->kind == ATTR_STRING &&
           atom_is(&ctx->names, a->value->text, "external");
}

/* The hints are barrier-all, mte3-to-s-event0 and setwait-mte3-to-s-event0. */
static bool tail_stores(const Context *ctx, const Op *op) {
    const NamedAttr *hint = op_attr_named(op, ATTR_pto_auto_sync_tail_hint);
    const char first = hint != NULL ? atom_text(&ctx->names, hint->value->text)[0] : 'b';
    return first == 'm' || first == 's';
}

static unsigned result_count(const LowerFunc *f) {
    return f->data->type->ntypes - f->data->type->ninputs;
}

/* Whether the results allow a launch: tile results become out parameters, scalar results make a
 * function internal. */
static bool results_allow_launch(const LowerFunc *f) {
    for (unsigned i = 0; i < result_count(f); i++)
        if (!type_is_tile(f->data->type->types[f->data->type->ninputs + i])) return false;
    return true;
}

/* Marks the functions that callers may launch, among funcs[first .. n) of one module. */
static void mark_runnable(Lower *l, unsigned first, unsigned n) {
    bool marked = false;
    for (unsigned i = first; i < n; i++) {
        LowerFunc *f = &l->funcs[i];
        f->entry = f->data->has_body && op_is_entry(f->op);
        f->hidden = func_is_private(&l->ctx->names, f->op);
        f->alone = f->data->has_body && lower_first_core_only(l->ctx, f->op, l->profile);
        f->items = op_attr_named(f->op, ATTR_pto_simt_entry) != NULL;
        f->external = is_external(l->ctx, f->op);
        f->tail_stores = tail_stores(l->ctx, f->op);
        f->runnable = f->data->has_body && results_allow_launch(f) &&
                      (f->entry || f->data->implicit || f->external);
        marked |= f->runnable;
    }
    for (unsigned i = first; !marked && i < n; i++) {
        LowerFunc *f = &l->funcs[i];
        f->runnable = f->data->has_body && !f->items && func_is_public(&l->ctx->names, f->op) &&
                      result_count(f) == 0;
    }
}

static unsigned count_functions(const Op *module) {
    unsigned n = 0;
    for (const Op *op = op_regions(module)[0].first->first; op != NULL; op = op->next)
        n += op_is(op, INST_FUNC) ? 1 : op_is(op, INST_MODULE) ? count_functions(op) : 0;
    return n;
}

/* Adds the functions of a module, then those of nested modules, so that each module's are
 * contiguous. */
static void add_functions(Lower *l, const Op *module) {
    unsigned first = l->nfuncs;
    const Core given = op_core_around(module);
    for (const Op *op = op_regions(module)[0].first->first; op != NULL; op = op->next)
        if (op_is(op, INST_FUNC)) {
            Core own = op_given_core(op);
            l->funcs[l->nfuncs++] = (LowerFunc){.op = op,
                                                .module = module,
                                                .data = func_data(op),
                                                .span = op->span,
                                                .kind = (uint8_t)(own != CORE_ANY ? own : given)};
        }
    mark_runnable(l, first, l->nfuncs);
    for (const Op *op = op_regions(module)[0].first->first; op != NULL; op = op->next)
        if (op_is(op, INST_MODULE)) add_functions(l, op);
}

/* ---- functions by name ---- */

static void index_functions(Lower *l) {
    l->functions = ARENA_NEW(l->arena, Functions);
    l->functions->arena = l->by_data.arena = l->arena;
    for (unsigned i = 0; i < l->nfuncs; i++)
        *ptrmap_at(&l->by_data, l->funcs[i].data) = &l->funcs[i];
}

/* Returns the function of another module of the file that a declaration stands for, as a linker
 * finds it; the declaration if there is none. */
static LowerFunc *definition_of(const Lower *l, LowerFunc *declared) {
    for (unsigned i = 0; i < l->nfuncs; i++) {
        LowerFunc *f = &l->funcs[i];
        if (f->data->has_body && f->data->name == declared->data->name &&
            f->module != declared->module && func_is_public(&l->ctx->names, f->op) &&
            type_same(f->data->type, declared->data->type))
            return f;
    }
    return declared;
}

LowerFunc *lower_callee(const Lower *l, const Op *call) {
    const Op *op = functions_callee(l->functions, call);
    LowerFunc *callee = op != NULL ? ptrmap_get(&l->by_data, func_data(op)) : NULL;
    return callee == NULL || callee->data->has_body ? callee : definition_of(l, callee);
}

/* ---- which functions run together ---- */

static void join(Lower *l, LowerFunc *a, LowerFunc *b, DiagList *diags) {
    if (a == NULL || b == NULL || a == b || a->kind == b->kind || a->kind == CORE_ANY ||
        b->kind == CORE_ANY || a->peer == b)
        return;
    if (a->peer == NULL && b->peer == NULL) {
        a->peer = b;
        b->peer = a;
        return;
    }
    const LowerFunc *busy = a->peer != NULL ? a : b, *third = busy == a ? b : a;
    const Interner *names = &l->ctx->names;
    Diag *d = diag_add(diags, DIAG_NOT_LOWERABLE, third->data->name_span,
                       "the pipes of @%.*s end here and in another function: no launch runs all",
                       (int)atom_len(names, busy->data->name), atom_text(names, busy->data->name));
    diag_note_at(diags, d, busy->peer->data->name_span, "the other function");
}

/* Pairs the functions at the two ends of each pipe. */
static void join_peers(Lower *l, DiagList *diags) {
    const LowerPipes *p = &l->pipes;
    LowerFunc **first = ARENA_ARRAY(l->arena, LowerFunc *, p->n + 1);
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t root = p->root[i];
        LowerFunc *f = ptrmap_get(&l->by_data, p->list[i].func);
        if (first[root] == NULL)
            first[root] = f;
        else
            join(l, first[root], f, diags);
    }
}

/* ---- kinds of cores and needs ---- */

/* The calls of a module, sorted by callee to find the callers of a function. */
typedef struct CallEdge {
    LowerFunc *callee, *caller;
} CallEdge;

typedef struct Calls {
    CallEdge *list;
    unsigned n;
} Calls;

/* Collects what the statements of a function need; counts its calls, or lists them when there is a
 * list. */
static void look_at_region(const Lower *l, LowerFunc *f, const Region *r, Calls *calls) {
    for (const Block *b = r->first; b != NULL; b = b->next)
        for (const Op *op = b->first; op != NULL; op = op->next) {
            f->needs |= (uint8_t)lower_needs(op);
            if (op_is_section(op)) f->cores |= op->inst->core == CORE_CUBE ? ON_CUBE : ON_VECTOR;
            LowerFunc *callee = lower_callee(l, op);
            if (callee != NULL && calls->list != NULL)
                calls->list[calls->n] = (CallEdge){callee, f};
            calls->n += callee != NULL;
            for (unsigned i = 0; i < op->nregions; i++)
                look_at_region(l, f, &op_regions(op)[i], calls);
        }
}

static Calls find_calls(Lower *l) {
    Calls calls = {NULL, 0};
    for (int list = 0; list < 2; list++) {
        if (list == 1) calls.list = ARENA_ARRAY(l->arena, CallEdge, calls.n + 1);
        calls.n = 0;
        for (unsigned i = 0; i < l->nfuncs; i++)
            if (l->funcs[i].data->has_body)
                look_at_region(l, &l->funcs[i], &op_regions(l->funcs[i].op)[0], &calls);
    }
    return calls;
}

static int by_callee(const void *a, const void *b) {
    const CallEdge *x = a, *y = b;
    if (x->callee != y->callee) return x->callee < y->callee ? -1 : 1;
    return (x->caller > y->caller) - (x->caller < y->caller);
}

static void name_kind(LowerFunc *f) {
    if (f->kind == CORE_CUBE) f->cores = ON_CUBE;
    if (f->kind == CORE_VECTOR) f->cores = ON_VECTOR;
}

/* Adds the needs of f to its callers. Prepends those that changed to the list. */
static LowerFunc *tell_callers(const Calls *calls, const LowerFunc *f, LowerFunc *list) {
    CallEdge key = {(LowerFunc *)(uintptr_t)f, NULL};
    unsigned lo = 0, hi = calls->n;
    while (lo < hi) {
        unsigned mid = lo + (hi - lo) / 2;
        if (by_callee(&calls->list[mid], &key) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < calls->n && calls->list[lo].callee == f; lo++) {
        LowerFunc *to = calls->list[lo].caller;
        uint8_t needs = to->needs, cores = to->cores;
        to->needs |= f->needs;
        to->cores |= f->cores;
        name_kind(to);
        if ((needs == to->needs && cores == to->cores) || to->listed) continue;
        to->listed = true;
        to->next = list;
        list = to;
    }
    return list;
}

static void look_at_functions(Lower *l) {
    Calls calls = find_calls(l);
    LowerFunc *list = NULL;
    qsort(calls.list, calls.n, sizeof *calls.list, by_callee);
    for (unsigned i = 0; i < l->nfuncs; i++) {
        name_kind(&l->funcs[i]);
        l->funcs[i].listed = true;
        l->funcs[i].next = list;
        list = &l->funcs[i];
    }
    while (list != NULL) {
        LowerFunc *f = list;
        list = f->next;
        f->listed = false;
        list = tell_callers(&calls, f, list);
    }
}

/* ---- parameters ---- */

/* Parameters that front ends add and a grid launch supplies. */
static const struct {
    const char *name;
    InstId query;
} supplied[] = {{"__pypto_spmd_block_idx", INST_GET_BLOCK_IDX},
                {"__pypto_spmd_block_num", INST_GET_BLOCK_NUM},
                {"__pypto_spmd_subblock_idx", INST_GET_SUBBLOCK_IDX}};

const Inst *lower_param_query(const Context *ctx, const Op *func, unsigned i) {
    Atom name = op_regions(func)[0].first->args[i].name;
    for (size_t k = 0; k < sizeof supplied / sizeof *supplied; k++)
        if (atom_is(&ctx->names, name, supplied[k].name) &&
            type_is_int(func_data(func)->type->types[i]))
            return &inst_table[supplied[k].query];
    return NULL;
}

static unsigned input_count(const LowerFunc *f) {
    return f->data->type->ninputs;
}

static const Value *argument(const LowerFunc *f, unsigned i) {
    return &op_regions(f->op)[0].first->args[i];
}

/* Whether the first `n` parameters of both have the same names and types. */
static bool same_params(const LowerFunc *a, const LowerFunc *b, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (argument(a, i)->name != argument(b, i)->name ||
            !type_same(argument(a, i)->type, argument(b, i)->type))
            return false;
    return true;
}

/* Whether the vector function has the parameters of the cube function and an i32, its sub-block. */
static bool adds_subblock(const LowerFunc *cube, const LowerFunc *vector) {
    unsigned n = input_count(cube);
    const Type *last = input_count(vector) == n + 1 ? argument(vector, n)->type : NULL;
    return last != NULL && last->kind == TY_SCALAR && last->elem == ELEM_I32 &&
           same_params(cube, vector, n);
}

/* Adds parameter i of a function to those of the launch, unless every core has its own value. */
static LaunchArg add_param(const Lower *l, Launch *k, const LowerFunc *f, unsigned i, bool both) {
    const Inst *query = lower_param_query(l->ctx, f->op, i);
    if (both && query == &inst_table[INST_GET_SUBBLOCK_IDX]) return (LaunchArg){query, 0};
    k->params[k->nparams] = (LaunchParam){argument(f, i), argument(f, i)->type, query};
    return (LaunchArg){NULL, k->nparams++};
}

static LaunchArg *add_params(const Lower *l, Launch *k, const LowerFunc *f, bool both) {
    LaunchArg *args = ARENA_ARRAY(l->arena, LaunchArg, input_count(f) + 1);
    for (unsigned i = 0; i < input_count(f); i++)
        args[i] = add_param(l, k, f, i, both);
    return args;
}

/* Returns the vector function's arguments, sharing the parameters of the cube function if they are
 * the same. */
static LaunchArg *add_peer_params(const Lower *l, Launch *k) {
    unsigned n = input_count(k->cube), m = input_count(k->vector);
    bool index = adds_subblock(k->cube, k->vector);
    if (!index && (n != m || !same_params(k->cube, k->vector, n)))
        return add_params(l, k, k->vector, true);
    LaunchArg *args = ARENA_ARRAY(l->arena, LaunchArg, m + 1);
    for (unsigned i = 0; i < n; i++)
        args[i] = k->cube_args[i];
    if (index) args[n] = (LaunchArg){&inst_table[INST_GET_SUBBLOCK_IDX], 0};
    return args;
}

/* ---- launches ---- */

/* Code that names no kind of core runs on vector cores. */
static void set_cores(Launch *k, LowerFunc *f) {
    if (f->kind == CORE_CUBE || f->cores == ON_CUBE)
        k->cube = f;
    else
        k->vector = f;
    if (f->kind == CORE_ANY && f->cores == ON_BOTH) k->cube = f;
    if (f->peer == NULL) return;
    k->cube = f->kind == CORE_CUBE ? f : f->peer;
    k->vector = f->kind == CORE_CUBE ? f->peer : f;
}

static void add_launch(Lower *l, LowerFunc *f, DiagList *diags) {
    Launch *k = &l->launches[l->nlaunches++];
    set_cores(k, f);
    bool both = k->cube != NULL && k->vector != NULL;
    LowerFunc *first = k->cube != NULL ? k->cube : k->vector;
    LowerFunc *second = both && k->vector != first ? k->vector : NULL;
    k->named = first;
    k->needs = first->needs | (second != NULL ? second->needs : 0u);
    k->stack = second != NULL && second->stack > first->stack ? second->stack : first->stack;
    unsigned most = input_count(first) + (second != NULL ? input_count(second) : 0);
    k->params = ARENA_ARRAY(l->arena, LaunchParam, most + 1);
    k->cube_args = k->vector_args = add_params(l, k, first, both);
    if (second == NULL) return;
    k->vector_args = add_peer_params(l, k);
    for (int i = 0; i < 2; i++) {
        const LowerFunc *one = i == 0 ? first : second;
        if (result_count(one) > 0)
            diag_add(diags, DIAG_NOT_LOWERABLE, one->data->name_span,
                     "a function that runs together with another one has no results");
    }
}

static void collect_launches(Lower *l, DiagList *diags) {
    l->launches = ARENA_ARRAY(l->arena, Launch, l->nfuncs + 1);
    for (unsigned i = 0; i < l->nfuncs; i++) {
        LowerFunc *f = &l->funcs[i];
        bool done = f->peer != NULL && f->peer->runnable && f->peer < f;
        if (f->runnable && !done) add_launch(l, f, diags);
    }
}

/* ---- reachable functions ---- */

static LowerFunc *reach(LowerFunc *list, LowerFunc *f) {
    if (f == NULL || f->reached) return list;
    f->reached = true;
    f->next = list;
    return f;
}

static LowerFunc *reach_region(const Lower *l, LowerFunc *list, const Region *r) {
    for (const Block *b = r->first; b != NULL; b = b->next)
        for (const Op *op = b->first; op != NULL; op = op->next) {
            list = reach(list, lower_callee(l, op));
            for (unsigned i = 0; i < op->nregions; i++)
                list = reach_region(l, list, &op_regions(op)[i]);
        }
    return list;
}

static void mark_reached(Lower *l) {
    LowerFunc *list = NULL;
    for (unsigned i = 0; i < l->nlaunches; i++) {
        list = reach(list, l->launches[i].cube);
        list = reach(list, l->launches[i].vector);
    }
    while (list != NULL) {
        LowerFunc *f = list;
        list = f->next;
        if (f->data->has_body) list = reach_region(l, list, &op_regions(f->op)[0]);
    }
}

const Lower *lower_module(const Module *m, Profile profile, Arena *arena, DiagList *diags) {
    Lower *l = ARENA_NEW(arena, Lower);
    unsigned n = count_functions(m->root);
    uint32_t errors = diags->errors;
    *l = (Lower){.m = m, .ctx = m->ctx, .profile = profile, .arena = arena};
    m->ctx->lowered_modules++;
    l->funcs = ARENA_ARRAY(arena, LowerFunc, n + 1);
    add_functions(l, m->root);
    index_functions(l);
    l->pipes = lower_pipes(m, profile, arena);
    lower_find_nz_views(l);
    look_at_functions(l);
    lower_frames(l);
    join_peers(l, diags);
    collect_launches(l, diags);
    mark_reached(l);
    l->ok = diags->errors == errors;
    return l;
}
