/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the vector scopes that a program leaves out. A scope gets statements of one block from the
 * first with a register to the last that the same registers reach. What else is between them moves
 * before it if it can; copies end a scope where no register is needed after them. */
#include "ir/vector_code.h"
#include "passes/passes.h"
#include "support/ptrmap.h"

typedef struct Writer {
    Context *ctx;
    PtrMap places; /* Op -> its Place in the block that is written */
    PtrMap far;    /* Op of which another block, not one inside its own, uses a result */
    bool failed;
} Writer;

/* A statement of a block. */
typedef struct Place {
    Op *op;
    uint32_t index;
    uint32_t reach; /* the last statement that uses a result of this one */
    bool vector;    /* it, or a statement in its regions, has registers */
    bool ends;      /* no scope can hold it */
    bool copies;    /* it, or one in its regions, runs on another pipe */
    bool leaves;    /* it moves before the scope */
} Place;

static bool is_copy(const Op *op) {
    return inst_is_micro(op->inst) && op->inst->regions == NULL && op->inst->pipe != PIPE_NONE &&
           op->inst->pipe != PIPE_V;
}

static void look_inside(const Writer *w, const Op *op, Place *p) {
    p->vector |= op_is_vector_code(op) && (op->inst->flags & IF_TERMINATOR) == 0;
    p->copies |= is_copy(op);
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (const Op *o = b->first; o != NULL; o = o->next)
                look_inside(w, o, p);
}

/* Notes that `to`, or a statement in its regions, uses a value. */
static void note_use(const Writer *w, const Value *value, const Place *to) {
    Place *p = value->def != NULL ? ptrmap_get(&w->places, value->def) : NULL;
    if (p == NULL || p->op->block != to->op->block) return;
    if (p->index < to->index && p->reach < to->index) p->reach = to->index;
}

/* Returns true for a block, and what is in the regions of its statements. */
static bool is_inside(const Block *b, const Block *outer) {
    for (const Op *owner; b != NULL && b != outer; b = owner != NULL ? owner->block : NULL)
        owner = region_owner(b);
    return b != NULL;
}

static void note_far(Writer *w, const Op *op, const Operand *list, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        const Op *def = list[i].value->def;
        if (def != NULL && !is_inside(op->block, def->block)) *ptrmap_at(&w->far, def) = w;
    }
}

static bool note_far_uses(Op *op, void *arg) {
    note_far(arg, op, op->operands, op->noperands);
    for (unsigned s = 0; s < op->nsuccs; s++)
        note_far(arg, op, op_succs(op)[s].args, op_succs(op)[s].nargs);
    return true;
}

/* Notes which values `op` uses, which is `to` or in its regions. */
static void note_uses(const Writer *w, const Op *op, const Place *to) {
    for (unsigned i = 0; i < op->noperands; i++)
        note_use(w, op->operands[i].value, to);
    for (unsigned s = 0; s < op->nsuccs; s++)
        for (unsigned i = 0; i < op_succs(op)[s].nargs; i++)
            note_use(w, op_succs(op)[s].args[i].value, to);
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (const Op *o = b->first; o != NULL; o = o->next)
                note_uses(w, o, to);
}

/* Notes whether the statement can move before a scope that begins at `from`: it computes, from
 * nothing that stays in the scope. */
static void note_leaving(const Writer *w, Place *p, uint32_t from) {
    p->leaves = !p->vector && (p->op->inst->flags & IF_COMPUTES) == IF_COMPUTES;
    for (unsigned i = 0; i < p->op->noperands; i++) {
        const Op *def = p->op->operands[i].value->def;
        const Place *q = def != NULL ? ptrmap_get(&w->places, def) : NULL;
        const bool same_block = q != NULL && q->op->block == p->op->block;
        if (same_block && q->index >= from && !q->leaves) p->leaves = false;
    }
}

/* Moves the statements of [from, to] into a new scope, or before it. */
static void write_scope(Writer *w, const Place *places, uint32_t from, uint32_t to) {
    Op *scope = op_new(w->ctx, &inst_table[INST_VECSCOPE], places[from].op->span);
    Block *body = block_new(w->ctx, region_init(w->ctx, scope, 1));
    op_insert_before(places[from].op, scope);
    for (uint32_t i = from; i <= to; i++) {
        op_remove(places[i].op);
        if (places[i].leaves)
            op_insert_before(scope, places[i].op);
        else
            op_append(body, places[i].op);
    }
}

static void write_block(Writer *w, Block *b);

static void write_regions(Writer *w, Op *op) {
    for (unsigned r = 0; r < op->nregions; r++)
        for (Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            write_block(w, b);
}

/* Returns the last statement of the scope that begins at `from`, in a run that ends at `end`; `end`
 * if a value of the scope is needed after the run. */
static uint32_t scope_end(const Writer *w, Place *places, uint32_t from, uint32_t end) {
    for (uint32_t to = from, k = from;; k++) {
        if (k > to) { /* joins the next statement with registers, if no copy is before it */
            while (k < end && !places[k].copies && !places[k].vector)
                k++;
            if (k == end || places[k].copies) return to;
            for (uint32_t i = to + 1; i < k; i++)
                note_leaving(w, &places[i], from);
            to = k;
        }
        note_leaving(w, &places[k], from);
        if (places[k].leaves) continue;
        if (places[k].reach >= end) return end;
        if (places[k].reach > to) to = places[k].reach;
    }
}

static Place *places_of(Writer *w, Block *b, uint32_t *n) {
    uint32_t count = 0;
    for (const Op *op = b->first; op != NULL; op = op->next)
        count++;
    Place *places = ARENA_ARRAY(&w->ctx->arena, Place, count + 1);
    *n = 0;
    for (Op *op = b->first; op != NULL; op = op->next) {
        Place *p = &places[*n];
        *p = (Place){.op = op, .index = *n, .reach = *n, .ends = op_ends_vector_run(op)};
        look_inside(w, op, p);
        *ptrmap_at(&w->places, op) = p;
        ++*n;
    }
    for (uint32_t i = 0; i < *n; i++) {
        note_uses(w, places[i].op, &places[i]);
        if (ptrmap_get(&w->far, places[i].op) != NULL) places[i].reach = *n;
    }
    return places;
}

static void report_needed(Writer *w, const Place *first) {
    w->failed = true;
    diag_add(&w->ctx->diags, DIAG_VECTOR_SCOPE, first->op->name_span,
             "no vector scope can be written: a number that it computes is needed after it");
}

static void write_block(Writer *w, Block *b) {
    uint32_t n;
    Place *places = places_of(w, b, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (places[i].ends) {
            if (!op_is_vector_scope(places[i].op)) write_regions(w, places[i].op);
        } else if (places[i].vector) {
            uint32_t end = i;
            while (end < n && !places[end].ends)
                end++;
            const uint32_t to = scope_end(w, places, i, end);
            if (to == end) {
                report_needed(w, &places[i]);
                return;
            }
            write_scope(w, places, i, to);
            i = to;
        }
    }
}

/* What was said of scopes that are left out is not true any more. */
static void forget_remarks(DiagList *list) {
    list->last = &list->first;
    for (Diag *d = list->first; d != NULL; d = d->next) {
        if (d->id == DIAG_IMPLIED_SCOPE) continue;
        *list->last = d;
        list->last = &d->next;
    }
    *list->last = NULL;
}

bool passes_write_scopes(Module *m) {
    Writer w = {
        .ctx = m->ctx, .places = {.arena = &m->ctx->arena}, .far = {.arena = &m->ctx->arena}};
    if (m->root != NULL) op_walk(m->root, note_far_uses, &w);
    if (m->root != NULL) write_regions(&w, m->root);
    forget_remarks(&m->ctx->diags);
    return !w.failed;
}
