/* SPDX-License-Identifier: Apache-2.0 */
/* Inserts the fences of passes/fences.c into the functions of a module as statements. */
#include "ir/core.h"
#include "passes/fences.h"
#include "passes/passes.h"

typedef struct Inserter {
    Module *module;
    Scratch *scratch;
    Profile profile;
    CallGraph graph;
    PtrMap done;    /* nodes */
    CallNode *node; /* of the function that gets statements */
} Inserter;

/* ---- statements ---- */

static NamedAttr enum_attr(Context *ctx, AttrName name, EnumFamily family, const char *value) {
    Attr *a = ARENA_NEW(&ctx->arena, Attr);
    *a = (Attr){.kind = ATTR_ENUM,
                .family = (uint8_t)family,
                .i = enum_value_find(family, value, strlen(value))};
    return attr_made(ctx, name, a);
}

static void give_operand(Context *ctx, Op *op, const Value *v) {
    op->operands = ARENA_NEW(&ctx->arena, Operand);
    op->operands[0] = (Operand){.value = (Value *)v, .span = op->span};
    op->noperands = 1;
}

static InstId inst_of(const Step *s) {
    if (s->fence) return INST_FENCE_BARRIER_ALL;
    if (s->kind == STEP_SET) return s->event != NULL ? INST_SET_FLAG_DYN : INST_SET_FLAG;
    if (s->kind == STEP_WAIT) return s->event != NULL ? INST_WAIT_FLAG_DYN : INST_WAIT_FLAG;
    return INST_BARRIER;
}

static Op *new_statement(Context *ctx, const Step *s, Span span) {
    Op *op = op_new(ctx, &inst_table[inst_of(s)], span);
    op->attrs = ARENA_ARRAY(&ctx->arena, NamedAttr, 3);
    if (s->kind == STEP_SET || s->kind == STEP_WAIT) {
        const char *event = arena_printf(&ctx->arena, "EVENT_ID%d", (int)s->id.offset);
        op->attrs[0] = enum_attr(ctx, ATTR_src_pipe, EF_PIPE, pipe_names[s->pipe]);
        op->attrs[1] = enum_attr(ctx, ATTR_dst_pipe, EF_PIPE, pipe_names[s->to]);
        op->nattrs = 2;
        if (s->event != NULL)
            give_operand(ctx, op, s->event);
        else
            op->attrs[op->nattrs++] = enum_attr(ctx, ATTR_event_id, EF_EVENT, event);
    } else if (s->fence) {
        op->attrs[0] = enum_attr(ctx, ATTR_scope, EF_FENCE_SCOPE, "gm");
        op->nattrs = 1;
    } else {
        Pipe pipe = s->kind == STEP_BARRIER ? (Pipe)s->pipe : PIPE_NONE;
        op->attrs[0] = enum_attr(ctx, ATTR_pipe, EF_PIPE, pipe_names[pipe]);
        op->nattrs = 1;
    }
    return op;
}

/* Makes statements of the inserted steps of a list and of those inside. */
static void write_steps(Context *ctx, Step *first) {
    Op *pos = NULL;
    for (Step *s = first; s != NULL; s = s->next) {
        if (s->at != NULL) {
            pos = (Op *)s->at;
        } else if (s->after) {
            Op *op = new_statement(ctx, s, pos->span);
            op_insert_after(pos, op);
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

/* Notes the events that a function uses on the other kind of core, which runs what is inserted
 * outside of sections, too. */
static void take_events_of(Inserter *n, Fences *f, Core core) {
    Steps steps;
    steps_of(f->arena, &n->graph, n->node->func, n->profile, core, &steps);
    take_events(f, steps.first);
    f->nhidden = 0;
}

/* The fences of a function, and the steps that hold them. */
typedef struct Found {
    Steps steps;
    Fences fences;
    bool none; /* the proof does not understand it, or there are none that it would accept */
} Found;

/* Finds the fences of a function; `parts`: in parts, if it is long; `stay`: no pair moves to where
 * it is needed. False if there are none because of the parts. */
static bool find_fences(Inserter *n, Core core, bool parts, bool stay, Found *found) {
    Context *ctx = n->module->ctx;
    const unsigned others = n->node->cores & ~(1u << core);
    Fences *f = &found->fences;
    steps_of(&ctx->arena, &n->graph, n->node->func, n->profile, core, &found->steps);
    *f = (Fences){.arena = &ctx->arena,
                  .scratch = n->scratch,
                  .steps = &found->steps,
                  .order = pipe_order_documented(n->profile),
                  .stay = stay};
    found->none = found->steps.unknown != NULL;
    if (found->none) return true;
    for (int c = CORE_CUBE; c <= CORE_VECTOR; c++)
        if ((others >> c & 1) != 0) take_events_of(n, f, (Core)c);
    found->none = parts ? !fences_find(f) : !fences_find_part(f);
    if (found->none) return !f->parted;
    delay_early_sets(f);
    return true;
}

/* Inserts the fences of a function. Where pairs that moved did not settle everything, they may cost
 * more than they save: then it is done without, too. False if there are none because of the parts.
 */
static bool insert_with(Inserter *n, Core core, bool parts) {
    Context *ctx = n->module->ctx;
    Found moved, stayed, *best = &moved;
    if (!find_fences(n, core, parts, false, &moved)) return false;
    if (moved.none) return true;
    if (moved.fences.unsettled && find_fences(n, core, parts, true, &stayed) && !stayed.none &&
        weight_of(&stayed.fences) < weight_of(&moved.fences))
        best = &stayed;
    tell_lost_overlap(ctx, &best->fences);
    write_steps(ctx, best->steps.first);
    return true;
}

static void insert_for(void *arg, Core core) {
    if (!insert_with(arg, core, true)) insert_with(arg, core, false);
}

/* Takes the functions that a function calls before itself: what they order counts where they are
 * called. */
static void take_function(Inserter *n, CallNode *node, unsigned depth) {
    enum { DEEPEST_CALL = 256 };
    if (ptrmap_get(&n->done, node) != NULL) return;
    *ptrmap_at(&n->done, node) = node;
    for (const CallEdge *e = node->callees; e != NULL && depth < DEEPEST_CALL; e = e->next_callee)
        take_function(n, e->to, depth + 1);
    n->node = node;
    if (!node->own_flags) callgraph_each_core(node, insert_for, n);
}

static void run(Scratch *scratch, void *arg) {
    Inserter *n = arg;
    n->scratch = scratch;
    for (CallNode *node = n->graph.first; node != NULL; node = node->next)
        take_function(n, node, 0);
}

void passes_insert_sync(Module *m, Profile profile) {
    Inserter n = {.module = m, .profile = profile};
    n.done.arena = &m->ctx->arena;
    if (m->root == NULL || op_regions(m->root)[0].first == NULL) return;
    callgraph_init(&n.graph, &m->ctx->arena, m->ctx, m->root);
    scratch_run(m->ctx, run, &n);
}
