/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds the stack that a core needs for the functions of a launch: what each keeps in C, and the
 * longest path of calls. A bound holds for unoptimised code of gcc, clang and libtcc, also with
 * AddressSanitizer: tests/emit/frames.py compares it with what gcc reports. */
#include "analysis/handover.h"
#include "analysis/pipe_links.h"
#include "backends/lower/lower.h"

/* Bytes of a variable, with the room that compilers and sanitizers leave around it. */
enum {
    TILE_BYTES = 288, /* ptrt_tile */
    VIEW_BYTES = 160, /* ptrt_view */
    PIPE_BYTES = 224, /* ptrt_pipe */
    SCALAR_BYTES = 16,
    TAKEN_BYTES = 48,      /* more for a scalar whose address is taken */
    CALL_BYTES = 1024,     /* saved registers, `err`, and so on, of a function and of its caller */
    STATEMENT_BYTES = 16,  /* temporaries of a statement about handles, */
    OPERAND_BYTES = 16,    /* and for each operand: it may be in an array for the call */
    LANES_BYTES = 64,      /* of a micro-instruction: what a chain passes for it is in an array */
    EXTERNAL_BYTES = 65536 /* a function without a body, which the user writes */
};
static const int64_t BYTES_MAX = INT64_MAX / 4;

static int64_t plus(int64_t a, int64_t b) {
    return a > BYTES_MAX - b ? BYTES_MAX : a + b;
}

static int64_t value_bytes(const Type *t) {
    if (type_is_tile(t) || t->kind == TY_MULTI_TILE) return TILE_BYTES;
    if (t->kind == TY_TENSOR_VIEW || t->kind == TY_PART_VIEW) return VIEW_BYTES;
    int64_t storage = lower_storage_bytes(t);
    return plus(SCALAR_BYTES, storage > 0 ? storage < BYTES_MAX ? storage : BYTES_MAX : 0);
}

static bool is_handle(const Type *t) {
    return value_bytes(t) >= VIEW_BYTES;
}

/* Temporaries: a call of the runtime gets arrays of numbers, and addresses for its results. */
static int64_t temporary_bytes(const Op *op) {
    bool handles = false, lanes = false;
    int64_t bytes = 0;
    for (unsigned i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i].value;
        handles |= v != NULL && is_handle(v->type);
        lanes |= v != NULL && v->type->kind == TY_VREG;
    }
    for (unsigned i = 0; i < op->nresults; i++) {
        handles |= is_handle(op->results[i].type);
        lanes |= op->results[i].type->kind == TY_VREG;
    }
    if (lanes) bytes += LANES_BYTES;
    if (handles) bytes += STATEMENT_BYTES + (int64_t)OPERAND_BYTES * op->noperands;
    return bytes + (handles || op_is(op, INST_CALL) ? (int64_t)TAKEN_BYTES * op->nresults : 0);
}

static int64_t operand_copies(const Operand *o, unsigned n) {
    int64_t bytes = 0;
    for (unsigned i = 0; i < n; i++)
        if (o[i].value != NULL) bytes += value_bytes(o[i].value->type);
    return bytes;
}

/* Handles that the C has beside the values: of a scratch tile that the plan provides, of the window
 * of a view, of a tile before it was rebound, and of the slot and the words of a pipe. */
static int64_t extra_handles(const Op *op) {
    int64_t bytes = 0;
    for (int s = 0; s < op->inst->nslots; s++)
        if (op->inst->slots[s].role == ROLE_SCRATCH && slot_count(op, s) == 0) bytes += TILE_BYTES;
    int offsets = inst_slot(op->inst, OPERAND_offsets);
    if (offsets >= 0 && slot_count(op, offsets) > 0) bytes += VIEW_BYTES;
    if (handover_rebinds(op) != NULL) bytes += TILE_BYTES;
    if (op_is_about_pipes(op)) bytes += PIPE_BYTES + TILE_BYTES;
    return bytes;
}

static int64_t region_bytes(const Region *r);

static int64_t op_bytes(const Op *op) {
    int64_t bytes = temporary_bytes(op);
    for (unsigned i = 0; i < op->nresults; i++)
        bytes = plus(bytes, value_bytes(op->results[i].type));
    if (op->inst->form == FORM_TILE || op_is_about_pipes(op))
        bytes = plus(bytes, extra_handles(op));
    /* Values that go somewhere all at once are copied. */
    if ((op->inst->flags & IF_TERMINATOR) != 0 || op->nregions > 0)
        bytes = plus(bytes, operand_copies(op->operands, op->noperands));
    for (unsigned i = 0; i < op->nsuccs; i++)
        bytes = plus(bytes, operand_copies(op_succs(op)[i].args, op_succs(op)[i].nargs));
    for (unsigned i = 0; i < op->nregions; i++)
        bytes = plus(bytes, region_bytes(&op_regions(op)[i]));
    return bytes;
}

static int64_t region_bytes(const Region *r) {
    int64_t bytes = 0;
    for (const Block *b = r->first; b != NULL; b = b->next) {
        for (uint32_t i = 0; i < b->nargs; i++)
            bytes = plus(bytes, value_bytes(b->args[i].type));
        for (const Op *op = b->first; op != NULL; op = op->next)
            bytes = plus(bytes, op_bytes(op));
    }
    return bytes;
}

/* ---- calls ---- */

typedef struct Caller {
    struct Caller *next;
    unsigned func;
} Caller;

/* The callers of each function, and the callees whose stack is not known yet. */
typedef struct CallGraph {
    const Lower *l;
    unsigned caller;
    Caller **callers;
    unsigned *waits;
} CallGraph;

static bool add_call(Op *op, void *arg) {
    CallGraph *g = arg;
    LowerFunc *callee = lower_callee(g->l, op);
    if (callee == NULL) return true;
    callee->called = true;
    Caller *c = ARENA_NEW(g->l->arena, Caller);
    Caller **at = &g->callers[callee - g->l->funcs];
    *c = (Caller){*at, g->caller};
    *at = c;
    g->waits[g->caller]++;
    return true;
}

static CallGraph call_graph(const Lower *l) {
    CallGraph g = {.l = l,
                   .callers = ARENA_ARRAY(l->arena, Caller *, l->nfuncs + 1),
                   .waits = ARENA_ARRAY(l->arena, unsigned, l->nfuncs + 1)};
    for (g.caller = 0; g.caller < l->nfuncs; g.caller++)
        if (l->funcs[g.caller].data->has_body) op_walk((Op *)l->funcs[g.caller].op, add_call, &g);
    return g;
}

/* Visits each function after all that it calls: a legal program has no recursion. */
void lower_frames(Lower *l) {
    CallGraph g = call_graph(l);
    LowerFunc *list = NULL;
    for (unsigned i = 0; i < l->nfuncs; i++) {
        if (g.waits[i] > 0) continue;
        l->funcs[i].next = list;
        list = &l->funcs[i];
    }
    while (list != NULL) {
        LowerFunc *f = list;
        list = f->next;
        int64_t own = f->data->has_body ? region_bytes(&op_regions(f->op)[0]) : EXTERNAL_BYTES;
        f->stack = plus(f->stack, plus(own, CALL_BYTES));
        for (const Caller *c = g.callers[f - l->funcs]; c != NULL; c = c->next) {
            LowerFunc *caller = &l->funcs[c->func];
            if (f->stack > caller->stack) caller->stack = f->stack;
            if (--g.waits[c->func] > 0) continue;
            caller->next = list;
            list = caller;
        }
    }
}
