/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers the values that decide control flow, so that the same number on two cores is the same
 * term: constants, arguments by position, arithmetic on them, loads from memory that no core
 * writes, and the iterations of paired loops. Any other value is a term of its own. */
#include "analysis/launch/values.h"

#include "analysis/carried.h"
#include "ir/number.h"
#include "support/hash.h"

/* ---- terms ---- */

static bool same_term(const Term *a, const Term *b) {
    return a->kind == b->kind && a->c == b->c && a->of == b->of && a->at == b->at &&
           memcmp(a->in, b->in, sizeof a->in) == 0;
}

static const Term *interned(Attempt *a, const Term *like) {
    uint64_t h = hash_with(hash_with(like->kind, (uint64_t)like->c), (uintptr_t)like->of);
    for (int i = 0; i < 3; i++)
        h = hash_with(h, like->in[i] != NULL ? like->in[i]->number : UINT64_MAX);
    Term **chain = &a->chains[h >> 56];
    for (const Term *t = *chain; t != NULL; t = t->chain)
        if (same_term(t, like)) return t;
    Term *t = ARENA_NEW(a->arena, Term);
    *t = *like;
    t->chain = *chain;
    t->number = a->nterms++;
    for (int i = 0; i < 3 && t->in[i] != NULL; i++) {
        if (t->in[i]->depth > t->depth) t->depth = t->in[i]->depth;
        t->loads |= t->in[i]->loads;
        t->unknown |= t->in[i]->unknown;
        t->counts |= t->in[i]->counts && t->kind != TERM_LOAD;
    }
    return *chain = t;
}

const Term *term_constant(Attempt *a, int64_t c) {
    return interned(a, &(Term){.kind = TERM_CONSTANT, .c = c});
}

static bool is_number(const Term *t, int64_t c) {
    return t->kind == TERM_CONSTANT && t->c == c;
}

const Term *term_not(Attempt *a, const Term *t) {
    if (t->kind == TERM_NOT) return t->in[0];
    if (t->kind == TERM_CONSTANT) return term_constant(a, t->c == 0);
    return interned(a, &(Term){.kind = TERM_NOT, .in = {t}});
}

const Term *term_count(Attempt *a, const Item *loop) {
    return interned(
        a, &(Term){.kind = TERM_COUNT, .c = loop->number, .counts = true, .depth = loop->depth});
}

/* ---- inputs that are tried ---- */

static bool value_given(const Attempt *a, const Term *t, int64_t *value) {
    for (uint32_t i = 0; i < a->ninputs; i++)
        if (a->inputs[i].term->kind == t->kind && a->inputs[i].term->c == t->c) {
            *value = a->inputs[i].value;
            return true;
        }
    return false;
}

/* Returns what an element of memory is when patterns are tried: always 1, always 0, one of two, or
 * only the first. */
static int64_t element_in_pattern(int64_t pattern, const Term *index) {
    const int64_t i = index->kind == TERM_CONSTANT ? index->c : 0;
    switch (pattern) {
    case 0:
        return 1;
    case 1:
        return 0;
    case 2:
        return i & 1;
    case 3:
        return !(i & 1);
    default:
        return pattern;
    }
}

static const Term *argument(Attempt *a, uint32_t index) {
    const Term *t = interned(a, &(Term){.kind = TERM_ARGUMENT, .c = index});
    int64_t value;
    return value_given(a, t, &value) ? term_constant(a, value) : t;
}

static const Term *load(Attempt *a, int64_t root, const Term *pointer, const Term *index) {
    const Term like = {.kind = TERM_LOAD, .c = root, .loads = true, .in = {pointer, index}};
    int64_t pattern;
    if (value_given(a, &like, &pattern))
        return term_constant(a, element_in_pattern(pattern, index));
    return interned(a, &like);
}

/* ---- where a value is defined ---- */

static const Op *function_of(const Block *b) {
    while (b != NULL) {
        const Op *owner = region_owner(b);
        if (owner == NULL || op_is(owner, INST_FUNC)) return owner;
        b = owner->block;
    }
    return NULL;
}

/* Returns the iteration or call in which a value was computed. */
static const Env *env_of(const Value *v, const Env *env) {
    const Block *home = value_home(v);
    const Op *func = function_of(home);
    for (; env != NULL; env = env->up) {
        if (env->entry != NULL && region_owner(env->entry) == func) return env;
        if (env->entry == NULL && block_is_inside(home, env->step->op)) return env;
    }
    return NULL;
}

/* ---- computing ---- */

typedef struct Reader {
    Attempt *a;
    unsigned core;
    unsigned deep;
} Reader;

static const Term *read_value(Reader *r, const Value *v, const Env *env);

static uint32_t depth_of(const Env *env) {
    for (; env != NULL; env = env->up)
        if (env->item != NULL) return env->item->depth;
    return 0;
}

static const Term *unknown(Reader *r, const Value *v, const Env *env) {
    return interned(r->a, &(Term){.kind = TERM_UNKNOWN,
                                  .c = r->core,
                                  .of = v,
                                  .at = env,
                                  .unknown = true,
                                  .depth = depth_of(env)});
}

/* Attributes of arithmetic besides the predicate change how it may overflow, not what it gives. */
static const Term *computed(Attempt *a, const Op *op, const Term *x, const Term *y, const Term *z) {
    const Term like = {.kind = TERM_COMPUTED, .of = op->inst, .in = {x, y, z}};
    return interned(a, &like);
}

/* Brings a comparison to eq, slt, ult and their negations. */
static const Term *compared(Attempt *a, const Op *op, const Term *x, const Term *y) {
    enum { EQ, NE, SLT, SLE, SGT, SGE };
    int p = number_predicate(op);
    const TermKind less = p >= FIRST_UNSIGNED_PREDICATE ? TERM_BELOW : TERM_LESS;
    if (p >= FIRST_UNSIGNED_PREDICATE) p -= FIRST_UNSIGNED_PREDICATE - SLT;
    const bool negated = p == NE || p == SLE || p == SGE;
    if (p == SGT || p == SLE) {
        const Term *t = x;
        x = y;
        y = t;
    }
    if (p <= NE && x->number > y->number) {
        const Term *t = x;
        x = y;
        y = t;
    }
    if (x == y) return term_constant(a, (p <= NE) != negated);
    const Term like = {.kind = (uint8_t)(p <= NE ? TERM_EQUAL : less), .in = {x, y}};
    const Term *t = interned(a, &like);
    return negated ? term_not(a, t) : t;
}

static bool is_commutative(const Op *op) {
    return op_is(op, INST_ADDI) || op_is(op, INST_MULI) || op_is(op, INST_ANDI) ||
           op_is(op, INST_ORI) || op_is(op, INST_XORI) || op_is(op, INST_MAXSI) ||
           op_is(op, INST_MINSI) || op_is(op, INST_MAXUI) || op_is(op, INST_MINUI);
}

/* A cast that keeps every number of its operand. */
static bool keeps_number(const Op *op) {
    return (op_is(op, INST_INDEX_CAST) || op_is(op, INST_EXTSI)) &&
           number_width(op->results[0].type) >= number_width(op->operands[0].value->type);
}

static const Term *simplified(Attempt *a, const Op *op, const Term *x, const Term *y) {
    if (keeps_number(op)) return x;
    if (op_is(op, INST_CMPI)) return compared(a, op, x, y);
    if (y != NULL && is_commutative(op) && x->number > y->number) {
        const Term *t = x;
        x = y;
        y = t;
    }
    if (op_is(op, INST_ADDI) && is_number(x, 0)) return y;
    if ((op_is(op, INST_ADDI) || op_is(op, INST_SUBI)) && is_number(y, 0)) return x;
    if (op_is(op, INST_MULI) && is_number(x, 1)) return y;
    if (op_is(op, INST_MULI) && is_number(y, 1)) return x;
    if (op_is(op, INST_XORI) && number_width(op->results[0].type) == 1) {
        if (x->kind == TERM_CONSTANT) return x->c != 0 ? term_not(a, y) : y;
        if (y->kind == TERM_CONSTANT) return y->c != 0 ? term_not(a, x) : x;
    }
    return computed(a, op, x, y, NULL);
}

/* Computes a statement whose operands are known. */
static bool compute(const Op *op, const Term *const in[3], int64_t *out) {
    int64_t x[3] = {0, 0, 0};
    for (unsigned i = 0; i < op->noperands; i++) {
        if (in[i]->kind != TERM_CONSTANT) return false;
        const unsigned width = number_width(op->operands[i].value->type);
        x[i] = width > 0 ? number_signed(in[i]->c, width) : in[i]->c;
    }
    return number_compute(op, x, out);
}

static const Term *read_load(Reader *r, const Op *op, const Value *v, const Env *env) {
    const LaunchBlock *b = r->a->block;
    const Term *pointer = read_value(r, op->operands[0].value, env);
    const Term *index = read_value(r, op->operands[1].value, env), *root = pointer;
    while (root->kind == TERM_COMPUTED && root->of == &inst_table[INST_ADDPTR])
        root = root->in[0];
    if (root->kind != TERM_ARGUMENT || b->any_written || root->c >= b->nparams ||
        b->writers[root->c] != 0 || index->unknown)
        return unknown(r, v, env);
    return load(r->a, root->c, pointer, index);
}

static const Term *read_result(Reader *r, const Value *v, const Env *env) {
    const Op *op = v->def;
    const Term *in[3] = {NULL, NULL, NULL};
    int64_t c;
    if (op->nresults != 1 || op->nregions > 0 || op->noperands > 3) return unknown(r, v, env);
    if (op_is(op, INST_GET_SUBBLOCK_IDX)) return term_constant(r->a, r->core == ON_VECTOR_1);
    if (op_is(op, INST_LOAD_SCALAR)) return read_load(r, op, v, env);
    if (op->noperands == 0 && number_known(v, &c)) return term_constant(r->a, c);
    if ((op->inst->flags & IF_COMPUTES) != IF_COMPUTES) return unknown(r, v, env);
    for (unsigned i = 0; i < op->noperands; i++)
        in[i] = read_value(r, op->operands[i].value, env);
    if (op_is(op, INST_SELECT) && in[0]->kind == TERM_CONSTANT)
        return in[0]->c != 0 ? in[1] : in[2];
    if (op->noperands > 0 && compute(op, in, &c)) return term_constant(r->a, c);
    if (!number_is_arithmetic(op) && !op_is(op, INST_SELECT) && !op_is(op, INST_ADDPTR) &&
        op->noperands > 0)
        return unknown(r, v, env);
    if (number_is_arithmetic(op) && op->noperands <= 2) return simplified(r->a, op, in[0], in[1]);
    return computed(r->a, op, in[0], in[1], in[2]);
}

/* ---- what loops determine ---- */

/* Returns the number of a count of a loop in an iteration: its first plus count * step. */
static const Term *read_count(Reader *r, const Op *loop, const Env *env) {
    const Term *from = read_value(r, loop->operands[0].value, env->up);
    const Term *step = read_value(r, loop->operands[2].value, env->up);
    const Term *k = env->item != NULL ? term_count(r->a, env->item) : term_constant(r->a, env->k);
    int64_t by;
    if (from->kind == TERM_CONSTANT && step->kind == TERM_CONSTANT && k->kind == TERM_CONSTANT &&
        !__builtin_mul_overflow(k->c, step->c, &by) && !__builtin_add_overflow(by, from->c, &by))
        return term_constant(r->a, by);
    if (is_number(from, 0) && is_number(step, 1)) return k;
    return interned(r->a, &(Term){.kind = TERM_COMPUTED, .of = loop->inst, .in = {from, k, step}});
}

/* Returns what a loop that is written out carries into an iteration. */
static const Term *read_carried(Reader *r, const Value *v, const Env *env) {
    if (env->item != NULL || carrying_for(v) == NULL) return unknown(r, v, env);
    if (env->k == 0) return read_value(r, carried_first(v), env->up);
    Env *before = ARENA_NEW(r->a->arena, Env);
    *before = *env;
    before->k--;
    return read_value(r, carried_next(v), before);
}

static const Term *read_argument(Reader *r, const Value *v, const Env *env) {
    const Block *b = value_block(v);
    const Op *owner = region_owner(b);
    if (owner != NULL && op_is(owner, INST_FUNC) && op_regions(owner)[0].first == b) {
        if (env == NULL && v == r->a->block->cores[r->core].named)
            return term_constant(r->a, r->core == ON_VECTOR_1);
        if (env == NULL) return argument(r->a, argument_number(r->a->block, r->core, v));
        return read_value(r, env->step->op->operands[v->index].value, env->up);
    }
    if (env != NULL && env->entry == NULL && env->step->op == owner && op_counts(owner)) {
        if (v->index == 0) return read_count(r, owner, env);
        return read_carried(r, v, env);
    }
    return unknown(r, v, env);
}

static const Term *read_new(Reader *r, const Value *v, const Env *env) {
    if (r->deep == DEEPEST_VALUE) return unknown(r, v, env);
    r->deep++;
    const Term *t = v->argument      ? read_argument(r, v, env)
                    : v->def != NULL ? read_result(r, v, env)
                                     : unknown(r, v, env);
    r->deep--;
    return t;
}

static ReadValue **chain_of(const Attempt *a, unsigned core, const Value *v, const Env *env) {
    return &a->read[(hash_with(hash_with(core, (uintptr_t)v), (uintptr_t)env) >> 40) &
                    a->read_mask];
}

/* Makes room for one more value. */
static void widen_read(Attempt *a) {
    enum { FIRST_CHAINS = 64 };
    ReadValue **old = a->read;
    const uint32_t before = a->read_mask + 1;
    if (old != NULL && a->nread < before) return;
    const uint32_t n = old != NULL ? before * 4 : FIRST_CHAINS;
    a->read = ARENA_ARRAY(a->arena, ReadValue *, n);
    a->read_mask = n - 1;
    for (uint32_t i = 0; old != NULL && i < before; i++)
        for (ReadValue *k = old[i], *next; k != NULL; k = next) {
            ReadValue **chain = chain_of(a, k->core, k->value, k->env);
            next = k->chain;
            k->chain = *chain;
            *chain = k;
        }
}

static const Term *read_value(Reader *r, const Value *v, const Env *env) {
    Attempt *a = r->a;
    env = env_of(v, env);
    for (const ReadValue *k = a->read != NULL ? *chain_of(a, r->core, v, env) : NULL; k != NULL;
         k = k->chain)
        if (k->value == v && k->env == env && k->core == r->core) return k->term;
    const Term *t = read_new(r, v, env);
    widen_read(a);
    ReadValue **chain = chain_of(a, r->core, v, env), *k = ARENA_NEW(a->arena, ReadValue);
    *k = (ReadValue){*chain, v, env, r->core, t};
    *chain = k;
    a->nread++;
    return t;
}

const Term *term_of(Attempt *a, unsigned core, const Value *v, const Env *env) {
    Reader r = {.a = a, .core = core};
    return read_value(&r, v, env);
}

/* ---- control flow ---- */

/* Notes the arguments and loads on which a term depends. */
static void note_needed(Attempt *a, const Term *t) {
    if (t->kind == TERM_ARGUMENT || t->kind == TERM_LOAD) {
        for (uint32_t i = 0; i < a->nneeded; i++)
            if (a->needed[i]->kind == t->kind && a->needed[i]->c == t->c) return;
        if (a->nneeded < sizeof a->needed / sizeof *a->needed) a->needed[a->nneeded++] = t;
    }
    /* the pointer of a load has no number */
    for (int i = t->kind == TERM_LOAD; i < 3 && t->in[i] != NULL; i++)
        note_needed(a, t->in[i]);
}

static const Term *decides(Attempt *a, const Term *t) {
    a->loads |= t->loads;
    note_needed(a, t);
    return t;
}

const Term *term_condition(Attempt *a, unsigned core, const Op *branch, const Env *env) {
    if (!op_runs(branch, RUNS_IF)) return term_of_op(a, core, branch, env);
    return decides(a, term_of(a, core, branch->operands[0].value, env));
}

const Term *term_of_op(Attempt *a, unsigned core, const Op *op, const Env *env) {
    return interned(a, &(Term){.kind = TERM_UNKNOWN,
                               .c = core,
                               .of = op,
                               .at = env,
                               .unknown = true,
                               .depth = depth_of(env)});
}

static const Term *trips_between(Attempt *a, const Term *from, const Term *to, const Term *step) {
    int64_t n;
    if (from->kind == TERM_CONSTANT && to->kind == TERM_CONSTANT && step->kind == TERM_CONSTANT &&
        step->c > 0) {
        if (__builtin_sub_overflow(to->c, from->c, &n)) return NULL;
        return term_constant(a, n <= 0 ? 0 : n / step->c + (n % step->c != 0));
    }
    return interned(a, &(Term){.kind = TERM_TRIPS, .in = {from, to, step}});
}

const Term *term_trips(Attempt *a, unsigned core, const Step *loop, const Env *env) {
    const Op *op = loop->op;
    if (op_runs(op, RUNS_TIMES)) return term_constant(a, op->inst->regions->times);
    if (!op_counts(op)) return term_of_op(a, core, op, env);
    const Term *t = trips_between(a, term_of(a, core, op->operands[0].value, env),
                                  term_of(a, core, op->operands[1].value, env),
                                  term_of(a, core, op->operands[2].value, env));
    return t != NULL ? decides(a, t) : term_of_op(a, core, op, env);
}
