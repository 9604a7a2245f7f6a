/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a module: first all statements and blocks, then the references between them. */
#include "ir/clone.h"

#include "support/ptrmap.h"

typedef struct Cloner {
    Context *ctx;
    PtrMap copies;        /* const Op *, const Block * -> its copy */
    const Block *inlined; /* its arguments are replaced by `args`; NULL: none */
    Value *const *args;
} Cloner;

static void *copy_of(const void *items, void *room, size_t bytes) {
    return bytes != 0 ? memcpy(room, items, bytes) : NULL;
}
/* Copies an array to the arena of the context; NULL when it is empty. */
#define COPY(c, T, items, n)                                                                       \
    ((T *)copy_of((items), arena_alloc(&(c)->ctx->arena, (n) * sizeof(T), _Alignof(T)),            \
                  (n) * sizeof(T)))

static Trivia *copy_trivia(Cloner *c, const Trivia *t) {
    Trivia *first = NULL, **last = &first;
    for (; t != NULL; t = t->next) {
        *last = COPY(c, Trivia, t, 1);
        last = &(*last)->next;
    }
    return first;
}

static AliasDef *copy_aliases(Cloner *c, const AliasDef *a) {
    AliasDef *first = NULL, **last = &first;
    for (; a != NULL; a = a->next) {
        *last = COPY(c, AliasDef, a, 1);
        last = &(*last)->next;
    }
    return first;
}

/* ---- statements ---- */

static Op *copy_op(Cloner *c, const Op *op);

static void copy_block(Cloner *c, const Block *from, Region *into) {
    Block *b = block_new(c->ctx, into);
    *ptrmap_at(&c->copies, from) = b;
    b->label = from->label;
    b->span = from->span;
    b->trivia = copy_trivia(c, from->trivia);
    b->nargs = from->nargs;
    if (from->nargs > 0) {
        b->args = block_args_new(&c->ctx->arena, b, from->nargs);
        memcpy(b->args, from->args, from->nargs * sizeof *b->args);
    }
    for (const Op *op = from->first; op != NULL; op = op->next)
        op_append(b, copy_op(c, op));
}

static void copy_regions(Cloner *c, const Op *from, Op *op) {
    Region *regions = region_init(c->ctx, op, from->nregions);
    for (unsigned i = 0; i < from->nregions; i++) {
        const Region *r = &op_regions(from)[i];
        regions[i].open = r->open;
        regions[i].close = r->close;
        regions[i].head = copy_trivia(c, r->head);
        regions[i].tail = copy_trivia(c, r->tail);
        for (const Block *b = r->first; b != NULL; b = b->next)
            copy_block(c, b, &regions[i]);
    }
}

static void copy_more(Cloner *c, const Op *from, Op *op) {
    OpMore *more = op->more = ARENA_NEW(&c->ctx->arena, OpMore);
    more->trivia = copy_trivia(c, op_trivia(from));
    more->succs = COPY(c, Successor, op_succs(from), from->nsuccs);
    for (unsigned i = 0; i < from->nsuccs; i++)
        more->succs[i].args = COPY(c, Operand, more->succs[i].args, more->succs[i].nargs);
    more->extra = op_extra(from);
    if (op_is(from, INST_FUNC) && more->extra != NULL)
        more->extra = COPY(c, FuncData, more->extra, 1);
    if (from->nregions > 0) copy_regions(c, from, op);
}

static Op *copy_op(Cloner *c, const Op *from) {
    Op *op = COPY(c, Op, from, 1);
    *ptrmap_at(&c->copies, from) = op;
    op->operands = COPY(c, Operand, from->operands, from->noperands);
    if (from->segs != NULL) op->segs = COPY(c, uint16_t, from->segs, from->inst->nslots);
    op->results = COPY(c, Value, from->results, from->nresults);
    op->attrs = COPY(c, NamedAttr, from->attrs, from->nattrs);
    for (unsigned i = 0; i < op->nresults; i++)
        op->results[i].def = op;
    if (from->more != NULL) copy_more(c, from, op);
    return op;
}

/* ---- references ---- */

/* A value that the text does not define, as after an error, is its own copy. */
static Value *value_copy(const Cloner *c, Value *v) {
    if (v == NULL) return NULL;
    if (v->def != NULL) {
        const Op *op = ptrmap_get(&c->copies, v->def);
        return op != NULL ? &op->results[v - v->def->results] : v;
    }
    const Block *from = value_block(v);
    if (from != NULL && from == c->inlined) return c->args[v - from->args];
    const Block *b = from != NULL ? ptrmap_get(&c->copies, from) : NULL;
    return b != NULL ? &b->args[v - from->args] : v;
}

static void refer(const Cloner *c, Operand *list, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        list[i].value = value_copy(c, list[i].value);
}

static bool refer_to_copies(Op *op, void *arg) {
    const Cloner *c = arg;
    refer(c, op->operands, op->noperands);
    for (unsigned i = 0; i < op->nsuccs; i++) {
        Successor *s = &op_succs(op)[i];
        refer(c, s->args, s->nargs);
        Block *b = s->block != NULL ? ptrmap_get(&c->copies, s->block) : NULL;
        if (b != NULL) s->block = b;
    }
    return true;
}

Module *module_clone(const Module *m) {
    Cloner c = {.ctx = m->ctx, .copies = {.arena = &m->ctx->arena}};
    Module *copy = COPY(&c, Module, m, 1);
    copy->aliases = copy_aliases(&c, m->aliases);
    if (m->root == NULL) return copy;
    copy->root = copy_op(&c, m->root);
    op_walk(copy->root, refer_to_copies, &c);
    return copy;
}

Op *block_copy_before(Context *ctx, const Block *from, Op *pos, Value *const *args) {
    Cloner c = {.ctx = ctx, .copies = {.arena = &ctx->arena}, .inlined = from, .args = args};
    Op *before = pos->prev;
    for (const Op *op = from->first; op != from->last; op = op->next)
        op_insert_before(pos, copy_op(&c, op));
    Op *last = copy_op(&c, from->last);
    for (Op *op = before != NULL ? before->next : pos->block->first; op != pos; op = op->next)
        op_walk(op, refer_to_copies, &c);
    op_walk(last, refer_to_copies, &c);
    return last;
}
