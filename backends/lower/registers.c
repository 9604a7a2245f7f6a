/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers the vector registers of a function: values that are live at the same time have different
 * ones. A value lives from its definition to its last use, in the order of the text; one that a
 * loop uses and does not define, to the end of the loop; arguments and results of regions, from the
 * beginning of their statement. A result shares no register with an operand of its statement, but
 * where it is another name of what a statement has made once. A logical vector takes several
 * registers, whose numbers follow each other. */
#include "backends/lower/body.h"

/* A loop, or a region in which statements may run in another order than that of the text. */
typedef struct Loop {
    unsigned end; /* number of its last statement */
} Loop;

typedef struct Range {
    struct Range *next; /* that ends at the same statement */
    unsigned depth;     /* loops around its definition */
    unsigned end;
    const Loop *until; /* the outermost loop that uses it and does not define it */
    bool assigned;     /* an argument of a region or block, or a result of regions */
    unsigned number;
    unsigned span; /* registers */
} Range;

/* The first of `span` registers each that no live value has. */
typedef struct Free {
    struct Free *next;
    unsigned span, n, cap;
    unsigned *at;
} Free;

typedef struct Loops {
    Loop **at;
    unsigned n, cap;
} Loops;

typedef struct Ranges {
    Arena *arena;
    PtrMap of; /* Range of each register */
    Loops loops;
    unsigned at;    /* number of the current statement */
    unsigned depth; /* of what it defines: loops that run it again */
    bool numbers;   /* the ranges are known */
    Range **ending; /* by statement */
    Free *free;
    unsigned count;
} Ranges;

unsigned lower_register_span(const Type *t) {
    enum { BITS = VREG_BYTES * 8 };
    if (t->kind == TY_VREG) return 1;
    if (t->kind == TY_LANE_MASK) return (t->count + BITS - 1) / BITS;
    if (t->kind != TY_LANES) return 0;
    return (t->count * elem_storage_bits((Elem)t->elem) + BITS - 1) / BITS;
}

static bool is_register(const Value *v) {
    return lower_register_span(v->type) != 0;
}

/* ---- the ranges ---- */

static void start_range(Ranges *r, const Value *v, bool assigned) {
    Range *x = ARENA_NEW(r->arena, Range);
    *x = (Range){.depth = r->depth,
                 .end = r->at,
                 .span = lower_register_span(v->type),
                 .assigned = assigned};
    if (r->loops.n > x->depth) x->until = r->loops.at[x->depth];
    *ptrmap_at(&r->of, v) = x;
}

static void use(Ranges *r, const Value *v) {
    Range *x = is_register(v) && !r->numbers ? ptrmap_get(&r->of, v) : NULL;
    if (x == NULL) return;
    x->end = r->at;
    if (r->loops.n > x->depth) x->until = r->loops.at[x->depth];
}

static void use_operands(Ranges *r, const Operand *o, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        use(r, o[i].value);
}

/* ---- the numbers ---- */

static Free *free_of(Ranges *r, unsigned span) {
    Free **f = &r->free;
    while (*f != NULL && (*f)->span != span)
        f = &(*f)->next;
    if (*f == NULL) {
        *f = ARENA_NEW(r->arena, Free);
        (*f)->span = span;
    }
    return *f;
}

static void give_back(Ranges *r, const Range *x) {
    Free *f = free_of(r, x->span);
    if (f->n == f->cap) {
        const unsigned cap = f->cap == 0 ? 16 : 2 * f->cap;
        unsigned *more = ARENA_ARRAY(r->arena, unsigned, cap);
        for (unsigned i = 0; i < f->n; i++)
            more[i] = f->at[i];
        f->at = more;
        f->cap = cap;
    }
    f->at[f->n++] = x->number;
}

static void take_number(Ranges *r, const Value *v) {
    Range *x = ptrmap_get(&r->of, v);
    if (x->until != NULL && x->until->end > x->end) x->end = x->until->end;
    Free *f = free_of(r, x->span);
    if (f->n > 0) {
        x->number = f->at[--f->n];
    } else {
        x->number = r->count;
        r->count += x->span;
    }
    x->next = r->ending[x->end];
    r->ending[x->end] = x;
}

static void free_ended(Ranges *r) {
    for (const Range *x = r->numbers ? r->ending[r->at] : NULL; x != NULL; x = x->next)
        give_back(r, x);
}

/* ---- the walk, once for the ranges and once for the numbers ---- */

static void begin(Ranges *r, const Value *values, unsigned n, bool assigned) {
    for (unsigned i = 0; i < n; i++) {
        if (!is_register(&values[i])) continue;
        if (r->numbers)
            take_number(r, &values[i]);
        else
            start_range(r, &values[i], assigned);
    }
}

static void begin_arguments(Ranges *r, const Value *values, unsigned n) {
    begin(r, values, n, true);
}

/* Lets the result have the register of the operand. Returns false if something else may be assigned
 * to that while the result is read. */
static bool share_register(Ranges *r, const LowerStmt *s) {
    if (s->form != STMT_RENAME) return false;
    Range *x = ptrmap_get(&r->of, s->args[0].value);
    if (x == NULL || x->assigned) return false;
    *ptrmap_at(&r->of, &s->results[0]) = x;
    return true;
}

static Loop *enter_loop(Ranges *r) {
    Loops *l = &r->loops;
    if (l->n == l->cap) {
        const unsigned cap = l->cap == 0 ? 16 : 2 * l->cap;
        Loop **more = ARENA_ARRAY(r->arena, Loop *, cap);
        for (unsigned i = 0; i < l->n; i++)
            more[i] = l->at[i];
        l->at = more;
        l->cap = cap;
    }
    return l->at[l->n++] = ARENA_NEW(r->arena, Loop);
}

static void leave_loop(Ranges *r, Loop *loop) {
    r->loops.n--;
    loop->end = r->at;
}

static bool has_jumps(const LowerRegion *region) {
    return region->first != NULL && region->first->next != NULL;
}

static bool is_loop(const LowerStmt *s) {
    const RegionsInfo *info = s->inst->regions;
    return info != NULL && (info->runs == RUNS_COUNTED || info->runs == RUNS_WHILE ||
                            (info->runs == RUNS_TIMES && info->times > 1));
}

static void walk_statement(Ranges *r, const LowerStmt *s);

/* With jumps, what the region defines lives until its end: blocks may run in any order. */
static void walk_region(Ranges *r, const LowerRegion *region) {
    const unsigned depth = r->depth;
    Loop *loop = has_jumps(region) ? enter_loop(r) : NULL;
    r->depth = r->loops.n - (loop != NULL);
    for (const LowerBlock *b = region->first; b != NULL; b = b->next)
        for (const LowerStmt *s = b->first; s != NULL; s = s->next)
            walk_statement(r, s);
    if (loop != NULL) leave_loop(r, loop);
    r->depth = depth;
}

typedef void ForValues(Ranges *r, const Value *values, unsigned n);

static void each_argument(Ranges *r, const LowerRegion *regions, unsigned n, ForValues *see) {
    for (unsigned i = 0; i < n; i++)
        for (const LowerBlock *b = regions[i].first; b != NULL; b = b->next)
            see(r, b->args, b->nargs);
}

static void use_values(Ranges *r, const Value *values, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        use(r, &values[i]);
}

static void walk_statement(Ranges *r, const LowerStmt *s) {
    r->at++;
    use_operands(r, s->args, s->nargs);
    for (unsigned i = 0; i < s->nways; i++)
        use_operands(r, s->ways[i].args, s->ways[i].nargs);
    if (!share_register(r, s)) begin(r, s->results, s->nresults, s->nregions > 0);
    each_argument(r, s->regions, s->nregions, begin_arguments);
    free_ended(r);
    if (s->nregions == 0) return;
    Loop *loop = is_loop(s) ? enter_loop(r) : NULL;
    for (unsigned i = 0; i < s->nregions; i++)
        walk_region(r, &s->regions[i]);
    r->at++;
    if (loop != NULL) leave_loop(r, loop);
    use_values(r, s->results, s->nresults);
    each_argument(r, s->regions, s->nregions, use_values);
    free_ended(r);
}

static void walk_function(Ranges *r, const LowerRegion *region) {
    r->at = 0;
    each_argument(r, region, 1, begin_arguments);
    walk_region(r, region);
    r->at++;
    each_argument(r, region, 1, use_values);
}

unsigned lower_registers(const LowerBody *body, Arena *arena, PtrMap *numbers) {
    Ranges r = {.arena = arena, .of = {.arena = arena}};
    *numbers = (PtrMap){.arena = arena};
    walk_function(&r, &body->region);
    if (r.of.count == 0) return 0;
    r.ending = ARENA_ARRAY(arena, Range *, r.at + 1u);
    r.numbers = true;
    walk_function(&r, &body->region);
    for (uint32_t i = 0; i <= r.of.mask; i++)
        if (r.of.keys[i] != NULL)
            *ptrmap_at(numbers, r.of.keys[i]) =
                (void *)(uintptr_t)(((const Range *)r.of.values[i])->number + 1u);
    return r.count;
}
