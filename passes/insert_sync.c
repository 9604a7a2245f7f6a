/* Inserts the fences of passes/fences.c into the functions of a module as statements. */
#include "ir/core.h"
#include "passes/fences.h"
#include "passes/passes.h"

typedef struct Inserter {
    Module *module;
    Scratch *scratch;
    Profile profile;
    PtrMap done; /* functions */
} Inserter;

/* ---- statements ---- */

static NamedAttr enum_attr(Context *ctx, const char *name, EnumFamily family, const char *value) {
    Attr *a = ARENA_NEW(&ctx->arena, Attr);
    *a = (Attr){.kind = ATTR_ENUM,
                .family = (uint8_t)family,
                .i = enum_value_find(family, value, strlen(value))};
    return (NamedAttr){.name = intern_copy(&ctx->names, name, strlen(name)), .value = a};
}

static void give_operand(Context *ctx, Op *op, const Value *v) {
    op->operands = ARENA_NEW(&ctx->arena, Operand);
    op->operands[0] = (Operand){.value = (Value *)v, .span = op->span};
    op->noperands = 1;
}

static Op *new_statement(Context *ctx, const Step *s, Span span) {
    static const InstId insts[] = {[STEP_SET] = INST_SET_FLAG,
                                   [STEP_WAIT] = INST_WAIT_FLAG,
                                   [STEP_BARRIER] = INST_BARRIER,
                                   [STEP_BARRIER_ALL] = INST_BARRIER};
    InstId dynamic = s->kind == STEP_SET ? INST_SET_FLAG_DYN : INST_WAIT_FLAG_DYN;
    Op *op = op_new(ctx, &inst_table[s->event != NULL ? dynamic : insts[s->kind]], span);
    op->attrs = ARENA_ARRAY(&ctx->arena, NamedAttr, 3);
    if (s->kind == STEP_SET || s->kind == STEP_WAIT) {
        const char *event = arena_printf(&ctx->arena, "EVENT_ID%d", (int)s->id.offset);
        op->attrs[0] = enum_attr(ctx, "src_pipe", EF_PIPE, pipe_names[s->pipe]);
        op->attrs[1] = enum_attr(ctx, "dst_pipe", EF_PIPE, pipe_names[s->to]);
        op->nattrs = 2;
        if (s->event != NULL)
            give_operand(ctx, op, s->event);
        else
            op->attrs[op->nattrs++] = enum_attr(ctx, "event_id", EF_EVENT, event);
    } else {
        Pipe pipe = s->kind == STEP_BARRIER ? (Pipe)s->pipe : PIPE_NONE;
        op->attrs[0] = enum_attr(ctx, "pipe", EF_PIPE, pipe_names[pipe]);
        op->nattrs = 1;
    }
    return op;
}

static void put_behind(Op *pos, Op *op) {
    if (pos->next != NULL)
        op_insert_before(pos->next, op);
    else
        op_append(pos->block, op);
}

/* Makes statements of the inserted steps of a list and of those inside. */
static void write_steps(Context *ctx, Step *first) {
    Op *pos = NULL;
    for (Step *s = first; s != NULL; s = s->next) {
        if (s->at != NULL) {
            pos = (Op *)s->at;
        } else if (s->after) {
            Op *op = new_statement(ctx, s, pos->span);
            put_behind(pos, op);
            pos = op;
        } else {
            const Step *next = s->next;
            while (next->at == NULL)
                next = next->next;
            op_insert_before((Op *)next->at, new_statement(ctx, s, next->at->span));
        }
        write_steps(ctx, s->body);
        write_steps(ctx, s->other);
    }
}

/* ---- functions ---- */

static void insert_for(Inserter *n, Op *func, Core core) {
    Context *ctx = n->module->ctx;
    Steps steps;
    steps_of(&ctx->arena, ctx, func, n->profile, core, &steps);
    if (steps.unknown != NULL) return;
    Fences fences = {.arena = &ctx->arena,
                     .scratch = n->scratch,
                     .steps = &steps,
                     .order = pipe_order_documented(n->profile)};
    fences.order.exceptions = true;
    if (fences_find(&fences)) write_steps(ctx, steps.first);
}

typedef struct Uses {
    bool flags, cube, vector;
} Uses;

static bool see_use(Op *op, void *arg) {
    Uses *u = arg;
    SyncUse use = (SyncUse)op->inst->sync;
    u->flags |= use == SYNC_SET || use == SYNC_WAIT || use == SYNC_GET || use == SYNC_RELEASE;
    u->cube |= op_is(op, INST_SECTION_CUBE);
    u->vector |= op_is(op, INST_SECTION_VECTOR);
    return true;
}

static void insert_in(Inserter *n, Op *func) {
    Uses uses = {false, false, false};
    op_walk(func, see_use, &uses);
    if (uses.flags) return;
    if (uses.cube) insert_for(n, func, CORE_CUBE);
    if (uses.vector) insert_for(n, func, CORE_VECTOR);
    if (!uses.cube && !uses.vector) insert_for(n, func, CORE_ANY);
}

static bool has_statements(const Op *op) {
    return op_is(op, INST_FUNC) && func_data(op)->has_body && op->nregions > 0 &&
           op_regions(op)[0].first != NULL;
}

typedef struct Calls {
    Inserter *inserter;
    unsigned depth;
} Calls;

/* Takes the functions that a function calls before itself: what they order counts where they are
 * called. */
static void take_function(Inserter *n, Op *func, unsigned depth);

static bool see_call(Op *op, void *arg) {
    const Calls *c = arg;
    const Op *func = op_function(op);
    for (unsigned i = 0; op_is(op, INST_CALL) && i < op->nattrs; i++) {
        if (op->attrs[i].value->kind != ATTR_SYMBOL || func == NULL || func->block == NULL)
            continue;
        Op *callee = module_find_function(region_owner(func->block), op->attrs[i].value->text);
        if (callee != NULL && has_statements(callee))
            take_function(c->inserter, callee, c->depth + 1);
    }
    return true;
}

static void take_function(Inserter *n, Op *func, unsigned depth) {
    enum { DEEPEST_CALL = 16 };
    Calls calls = {n, depth};
    if (ptrmap_get(&n->done, func) != NULL) return;
    *ptrmap_at(&n->done, func) = func;
    if (depth < DEEPEST_CALL) op_walk(func, see_call, &calls);
    insert_in(n, func);
}

static void take_module(Inserter *n, Op *module) {
    for (Op *op = op_regions(module)[0].first->first; op != NULL; op = op->next) {
        if (op_is(op, INST_MODULE) && op_regions(op)[0].first != NULL)
            take_module(n, op);
        else if (has_statements(op))
            take_function(n, op, 0);
    }
}

static void run(Scratch *scratch, void *arg) {
    Inserter *n = arg;
    n->scratch = scratch;
    take_module(n, n->module->root);
}

void passes_insert_sync(Module *m, Profile profile) {
    Inserter n = {.module = m, .profile = profile};
    n.done.arena = &m->ctx->arena;
    if (m->root == NULL || op_regions(m->root)[0].first == NULL) return;
    scratch_run(m->ctx, run, &n);
}
