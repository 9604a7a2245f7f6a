/* SPDX-License-Identifier: Apache-2.0 */
/* Removes statements, regions, values and attributes of a module. */
#include "passes/reduce.h"
#include "support/ptrmap.h"

#include <string.h>

/* ---- statements by number ---- */

typedef struct List {
    Arena *arena;
    Op **ops;
    uint32_t n, cap;
} List;

static bool list_add(Op *op, void *arg) {
    List *l = arg;
    if (l->n == l->cap) {
        const uint32_t cap = l->cap != 0 ? l->cap * 2 : 256;
        Op **grown = ARENA_ARRAY(l->arena, Op *, cap);
        if (l->n > 0) memcpy(grown, l->ops, l->n * sizeof *grown);
        l->ops = grown;
        l->cap = cap;
    }
    l->ops[l->n++] = op;
    return true;
}

/* Lists the statements inside the module operation. */
static List list_of(const Module *m) {
    List l = {.arena = &m->ctx->arena};
    for (const Block *b = op_regions(m->root)[0].first; b != NULL; b = b->next)
        for (Op *op = b->first; op != NULL; op = op->next)
            op_walk(op, list_add, &l);
    return l;
}

uint32_t reduce_count(const Module *m) {
    return list_of(m).n;
}

static bool is_terminator(const Op *op) {
    return (op->inst->flags & IF_TERMINATOR) != 0;
}

/* ---- replacing values ---- */

typedef struct Swap {
    PtrMap map; /* Value -> Value */
} Swap;

static void swap_add(Swap *s, const Value *from, Value *to) {
    if (from != to) *ptrmap_at(&s->map, from) = to;
}

static Value *swapped(const Swap *s, Value *v) {
    for (Value *to; (to = ptrmap_get(&s->map, v)) != NULL;)
        v = to;
    return v;
}

static bool swap_operands(Op *op, void *arg) {
    const Swap *s = arg;
    for (unsigned i = 0; i < op->noperands; i++)
        op->operands[i].value = swapped(s, op->operands[i].value);
    for (unsigned i = 0; i < op->nsuccs; i++)
        for (uint32_t k = 0; k < op_succs(op)[i].nargs; k++)
            op_succs(op)[i].args[k].value = swapped(s, op_succs(op)[i].args[k].value);
    return true;
}

/* ---- removing ---- */

typedef struct Removal {
    const Module *m;
    List list;
    PtrMap gone; /* Op -> itself */
    bool stuck;  /* a terminator has no other value */
} Removal;

static bool is_gone(const Removal *r, const Op *op) {
    for (; op != NULL; op = op->block != NULL ? region_owner(op->block) : NULL)
        if (ptrmap_get(&r->gone, op) != NULL) return true;
    return false;
}

static bool value_gone(const Removal *r, const Value *v) {
    if (v->def != NULL) return is_gone(r, v->def);
    const Block *b = value_block(v);
    return b != NULL && is_gone(r, region_owner(b));
}

static bool uses_gone(const Removal *r, const Op *op) {
    for (unsigned i = 0; i < op->noperands; i++)
        if (value_gone(r, op->operands[i].value)) return true;
    return false;
}

static bool fits(const Removal *r, const Value *v, const Type *type, unsigned *nth) {
    if (v->type->canon != type->canon || (r != NULL && value_gone(r, v))) return false;
    return (*nth)-- == 0;
}

/* Returns a value of the type that is defined before `at`, in its block or around it: the nearest
 * one for 0, the next for 1. With `r` only values that are left count. NULL: there is none. */
static Value *value_before(const Removal *r, const Op *at, const Type *type, unsigned nth) {
    for (const Op *outer = at; outer != NULL && outer->block != NULL;
         outer = region_owner(outer->block)) {
        for (const Op *op = outer->prev; op != NULL; op = op->prev)
            for (unsigned i = 0; i < op->nresults; i++)
                if (fits(r, &op->results[i], type, &nth)) return &op->results[i];
        const Block *b = outer->block;
        for (uint32_t i = 0; i < b->nargs; i++)
            if (fits(r, &b->args[i], type, &nth)) return &b->args[i];
        if ((outer->inst->flags & IF_ISOLATED) != 0) break;
    }
    return NULL;
}

/* Gives an operand of a terminator another value if its own is gone. */
static void keep_operand(Removal *r, const Op *op, Operand *o) {
    if (!value_gone(r, o->value)) return;
    Value *other = value_before(r, op, o->value->type, 0);
    r->stuck |= other == NULL;
    if (other != NULL) o->value = other;
}

static void keep_terminator(Removal *r, Op *op) {
    for (unsigned i = 0; i < op->noperands; i++)
        keep_operand(r, op, &op->operands[i]);
    for (unsigned s = 0; s < op->nsuccs; s++)
        for (uint32_t k = 0; k < op_succs(op)[s].nargs; k++)
            keep_operand(r, op, &op_succs(op)[s].args[k]);
}

/* Marks what uses values that are gone, until nothing does. */
static void mark_users(Removal *r) {
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < r->list.n; i++) {
            Op *op = r->list.ops[i];
            if (is_terminator(op) || is_gone(r, op) || !uses_gone(r, op)) continue;
            *ptrmap_at(&r->gone, op) = op;
            more = true;
        }
    }
}

/* Marks the statement with a number; false when there is none, or it is a terminator. */
static bool mark(Removal *r, uint32_t number) {
    if (number >= r->list.n || is_terminator(r->list.ops[number])) return false;
    *ptrmap_at(&r->gone, r->list.ops[number]) = r->list.ops[number];
    return true;
}

bool reduce_remove(Module *m, uint32_t from, uint32_t to, uint32_t also) {
    Removal r = {.m = m, .list = list_of(m)};
    r.gone.arena = &m->ctx->arena;
    bool any = mark(&r, also);
    for (uint32_t i = from; i < to; i++)
        any |= mark(&r, i);
    if (!any) return false;
    mark_users(&r);
    for (uint32_t i = 0; i < r.list.n; i++)
        if (is_terminator(r.list.ops[i]) && !is_gone(&r, r.list.ops[i]))
            keep_terminator(&r, r.list.ops[i]);
    if (r.stuck) return false;
    for (uint32_t i = 0; i < r.list.n; i++)
        if (ptrmap_get(&r.gone, r.list.ops[i]) != NULL) op_remove(r.list.ops[i]);
    return true;
}

/* ---- unwrapping a region ---- */

/* Moves the statements of a region of one block before `op`; returns its terminator. */
static Op *inline_region(Op *op, Region *region) {
    Op *end = region->first->last;
    for (Op *at = region->first->first, *next; at != end; at = next) {
        next = at->next;
        op_remove(at);
        op_insert_before(op, at);
    }
    return end;
}

static bool has_one_block(const Region *region) {
    const Block *b = region->first;
    return b != NULL && b->next == NULL && b->last != NULL && is_terminator(b->last);
}

/* The values that a block's arguments have when it first runs are operands from `first` on. */
static void swap_arguments(Swap *s, const Block *b, uint32_t arg, const Op *from, unsigned first) {
    for (; arg < b->nargs && first < from->noperands; arg++, first++)
        swap_add(s, &b->args[arg], from->operands[first].value);
}

/* The results of `op` are the operands of `end` from `first` on. */
static void swap_results(Swap *s, Op *op, const Op *end, unsigned first) {
    for (unsigned i = 0; i < op->nresults && first < end->noperands; i++, first++)
        swap_add(s, &op->results[i], end->operands[first].value);
}

static bool can_unwrap(const Op *op, unsigned way) {
    if (way >= op->nregions || op_is(op, INST_FUNC) || op_is(op, INST_MODULE)) return false;
    const Region *regions = op_regions(op);
    if (!has_one_block(&regions[way])) return false;
    return !op_runs(op, RUNS_WHILE) || (way == 0 && has_one_block(&regions[1]));
}

static void unwrap(Module *m, Op *op, unsigned way) {
    Region *regions = op_regions(op);
    const bool whole = op_runs(op, RUNS_WHILE);
    Swap s = {.map = {.arena = &m->ctx->arena}};
    const Block *body = regions[way].first;
    if (op_counts(op)) {
        swap_add(&s, &body->args[0], op->operands[0].value);
        swap_arguments(&s, body, 1, op, 3);
    } else {
        swap_arguments(&s, body, 0, op, 0);
    }
    const Op *end = inline_region(op, &regions[way]);
    if (whole) {
        swap_arguments(&s, regions[1].first, 0, end, 1);
        (void)inline_region(op, &regions[1]);
    }
    swap_results(&s, op, end, whole);
    op_remove(op);
    op_walk(m->root, swap_operands, &s);
}

/* ---- values ---- */

static void replace(Module *m, Op *op, Value *by) {
    Swap s = {.map = {.arena = &m->ctx->arena}};
    swap_add(&s, &op->results[0], by);
    op_remove(op);
    op_walk(m->root, swap_operands, &s);
}

static bool can_bypass(const Op *op, unsigned way) {
    if (op->nresults != 1 || op->nregions > 0 || way >= op->noperands) return false;
    return op->operands[way].value->type->canon == op->results[0].type->canon;
}

enum { MOST_MERGES = 6 };

static bool can_merge(const Op *op, unsigned way) {
    if (op->nresults != 1 || op->nregions > 0) return false;
    return value_before(NULL, op, op->results[0].type, way) != NULL;
}

static bool is_integer(const Type *type) {
    if (type->kind != TY_SCALAR) return false;
    return type->elem == ELEM_INDEX || type->elem == ELEM_I64 || type->elem == ELEM_I32;
}

static const int64_t numbers[] = {0, 1, 16};

static bool can_be_constant(const Op *op, unsigned way) {
    return way < 3 && op->nresults == 1 && op->nregions == 0 && !op_is(op, INST_CONSTANT) &&
           is_integer(op->results[0].type);
}

static void make_constant(Module *m, Op *op, unsigned way) {
    Context *ctx = m->ctx;
    const Value *old = &op->results[0];
    Op *made = op_new(ctx, &inst_table[INST_CONSTANT], op->span);
    Attr *value = ARENA_NEW(&ctx->arena, Attr);
    *value = (Attr){.kind = ATTR_INT, .i = numbers[way], .type = old->type};
    made->attrs = ARENA_NEW(&ctx->arena, NamedAttr);
    made->attrs[0] = attr_made(ctx, ATTR_value, value);
    made->nattrs = 1;
    made->results = ARENA_NEW(&ctx->arena, Value);
    made->results[0] = (Value){.type = old->type, .name = old->name, .def = made, .npack = 1};
    made->nresults = 1;
    op_insert_before(op, made);
    replace(m, op, &made->results[0]);
}

static bool can_drop_attribute(const Op *op, unsigned way) {
    return way < op->nattrs && !op_is(op, INST_CONSTANT);
}

static void drop_attribute(Op *op, unsigned way) {
    const unsigned after = op->nattrs - way - 1u;
    NamedAttr *at = &op->attrs[way];
    if (after > 0) memmove(at, at + 1, after * sizeof *at);
    op->nattrs--;
}

/* ---- steps ---- */

static bool step_applies(const Op *op, ReduceStep step, unsigned way) {
    switch (step) {
    case REDUCE_UNWRAP:
        return can_unwrap(op, way);
    case REDUCE_BYPASS:
        return can_bypass(op, way);
    case REDUCE_MERGE:
        return can_merge(op, way);
    case REDUCE_CONSTANT:
        return can_be_constant(op, way);
    default:
        return can_drop_attribute(op, way);
    }
}

/* Returns how many ways a step may have. */
static unsigned step_ways(const Op *op, ReduceStep step) {
    const unsigned ways[REDUCE_STEPS] = {op->nregions, op->noperands, 3, MOST_MERGES, op->nattrs};
    return ways[step];
}

uint32_t reduce_tries(const Module *m, ReduceStep step, ReduceTry **out) {
    const List list = list_of(m);
    uint32_t n = 0, room = 0;
    for (uint32_t i = 0; i < list.n; i++)
        room += step_ways(list.ops[i], step);
    *out = ARENA_ARRAY(&m->ctx->arena, ReduceTry, room);
    for (uint32_t i = list.n; i-- > 0;)
        for (unsigned way = 0; way < step_ways(list.ops[i], step); way++)
            if (step_applies(list.ops[i], step, way)) (*out)[n++] = (ReduceTry){i, way};
    return n;
}

void reduce_step(Module *m, ReduceStep step, ReduceTry at) {
    Op *op = list_of(m).ops[at.number];
    switch (step) {
    case REDUCE_UNWRAP:
        unwrap(m, op, at.way);
        break;
    case REDUCE_BYPASS:
        replace(m, op, op->operands[at.way].value);
        break;
    case REDUCE_MERGE:
        replace(m, op, value_before(NULL, op, op->results[0].type, at.way));
        break;
    case REDUCE_CONSTANT:
        make_constant(m, op, at.way);
        break;
    default:
        drop_attribute(op, at.way);
        break;
    }
}

/* ---- module and comments ---- */

bool reduce_module(Module *m) {
    ModuleData *data = op_extra(m->root);
    if (data == NULL || data->implicit || data->name != 0) return false;
    data->implicit = true;
    m->root->nattrs = 0;
    return true;
}

static bool drop_comments(Op *op, void *arg) {
    bool *any = arg;
    if (op_trivia(op) != NULL) {
        op->more->trivia = NULL;
        *any = true;
    }
    for (unsigned i = 0; i < op->nregions; i++) {
        Region *r = &op_regions(op)[i];
        *any |= r->tail != NULL;
        r->tail = NULL;
        for (Block *b = r->first; b != NULL; b = b->next)
            b->trivia = NULL;
    }
    return true;
}

bool reduce_comments(Module *m) {
    bool any = m->tail != NULL;
    m->tail = NULL;
    for (AliasDef *a = m->aliases; a != NULL; a = a->next) {
        any |= a->trivia != NULL;
        a->trivia = NULL;
    }
    op_walk(m->root, drop_comments, &any);
    return any;
}
