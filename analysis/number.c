/* SPDX-License-Identifier: Apache-2.0 */
/* Computes forms and intervals of integers from the statements that define them. */
#include "analysis/number.h"
#include "analysis/carried.h"

#include <string.h>

enum {
    DEEPEST_NEST = 5, /* of variables; one that would be deeper is only a value */
    MOST_TERMS_OF_REST = 8,
    MOST_COMPARED = 64 /* remainders of one chain that are compared with a new one */
};
/* A loop does not get further: with 100 ns for an iteration that takes two hours. */
#define MOST_ITERATIONS ((int64_t)1 << 36)

/* ---- loops ---- */

uint32_t loops_around(const Block *b) {
    uint32_t n = 0;
    while (b != NULL && b->region != NULL && b->region->owner != NULL) {
        const Op *owner = b->region->owner;
        n += op_loops(owner);
        n += b != b->region->first; /* a branch back may repeat it */
        b = owner->block;
    }
    return n;
}

static uint32_t depth_of(const Value *v) {
    return loops_around(v->argument ? value_block(v) : v->def != NULL ? v->def->block : NULL);
}

static const Op *loop_of_variable(const Value *v) {
    const Block *b = v->argument ? value_block(v) : NULL;
    if (b == NULL || b->region == NULL || v->index != 0) return NULL;
    const Op *owner = b->region->owner;
    return owner != NULL && op_counts(owner) ? owner : NULL;
}

/* ---- numbers and variables ---- */

/* What is computed: a value of so many bits. */
typedef struct Making {
    Numbers *t;
    const Value *v;
    unsigned width;
    int64_t least, most; /* of the type */
    const Number *in[3];
} Making;

static const Number *new_number(const Making *m, Affine form, int64_t lo, int64_t hi, bool exact) {
    Number *n = ARENA_NEW(m->t->arena, Number);
    *n = (Number){form, lo, hi, exact};
    return n;
}

static const Number *constant(const Making *m, int64_t c) {
    return new_number(m, affine_constant(c), c, c, true);
}

static Affine of_variable(Arena *arena, const Variable *variable) {
    AffineTerm *t = ARENA_NEW(arena, AffineTerm);
    *t = (AffineTerm){variable, 1};
    return (Affine){.n = 1, .terms = t};
}

static Variable *new_variable(Numbers *t, VariableKind kind) {
    Variable *a = ARENA_NEW(t->arena, Variable);
    a->kind = (uint8_t)kind;
    a->number = t->nvariables++;
    return a;
}

static const Number *number_of_variable(const Making *m, const Variable *a) {
    return new_number(m, of_variable(m->t->arena, a), a->lo, a->hi, true);
}

/* A value of which only an interval is known, or what it is computed from. */
static const Number *value_in(const Making *m, int64_t lo, int64_t hi) {
    if (lo == hi) return constant(m, lo);
    Variable *a = new_variable(m->t, VAR_VALUE);
    a->value = m->v;
    a->depth = depth_of(m->v);
    a->lo = lo < m->least ? m->least : lo;
    a->hi = hi > m->most ? m->most : hi;
    return number_of_variable(m, a);
}

static unsigned nest_of(const Affine *f) {
    unsigned most = 0;
    for (uint32_t i = 0; i < f->n; i++)
        if (f->terms[i].variable->nest >= most) most = f->terms[i].variable->nest + 1u;
    return most;
}

/* The same, of a statement whose operands may repeat. */
static const Number *computed_in(const Making *m, int64_t lo, int64_t hi) {
    const Number *n = value_in(m, lo, hi);
    if (n->form.n == 0) return n;
    Variable *a = ARENA_NEW(m->t->arena, Variable);
    *a = *n->form.terms[0].variable;
    a->kind = VAR_COMPUTED;
    for (int i = 0; i < 3 && m->in[i] != NULL; i++) {
        const unsigned nest = nest_of(&m->in[i]->form);
        if (nest >= DEEPEST_NEST || m->in[i]->form.n > 1) return n;
        a->operands[i] = m->in[i];
        if (nest > a->nest) a->nest = (uint16_t)nest;
    }
    return number_of_variable(m, a);
}

/* ---- remainders and quotients ---- */

/* Replaces remainders in a form that counts modulo `by`. */
static bool unwrap_rests(Numbers *t, Affine *form, int64_t by) {
    for (uint32_t i = 0; i < form->n; i++) {
        const AffineTerm term = form->terms[i];
        int64_t step, same;
        if (term.variable->kind != VAR_REST || term.variable->assumed ||
            __builtin_mul_overflow(term.by, term.variable->by, &step) || step % by != 0)
            continue;
        const Affine others = affine_without(t->arena, form, term.variable, &same);
        if (!affine_add(t->arena, &others, &term.variable->of, term.by, form)) return false;
        i = UINT32_MAX;
    }
    return true;
}

/* Leaves out what is a multiple of `by`. */
static Affine reduced(Numbers *t, const Affine *form, int64_t by) {
    AffineTerm terms[MOST_TERMS_OF_REST];
    Affine out = {.c = form->c % by, .assumed = form->assumed};
    for (uint32_t i = 0; i < form->n; i++)
        if (form->terms[i].by % by != 0)
            terms[out.n++] = (AffineTerm){form->terms[i].variable, form->terms[i].by % by};
    if (out.n > 0) {
        AffineTerm *kept = ARENA_ARRAY(t->arena, AffineTerm, out.n);
        memcpy(kept, terms, out.n * sizeof *kept);
        out.terms = kept;
    }
    return out;
}

/* Returns the remainder or quotient of a form, which is the same variable wherever it is computed.
 */
static const Variable *divided(Numbers *t, VariableKind kind, const Affine *of, int64_t by,
                               int64_t lo, int64_t hi, bool assumed) {
    int left = MOST_COMPARED;
    uint64_t hash = (uint64_t)of->c * 31 + (uint64_t)by * 7 + kind;
    for (uint32_t i = 0; i < of->n; i++)
        hash = hash * 31 + of->terms[i].variable->number * 7 + (uint64_t)of->terms[i].by;
    Variable **chain = &t->rests[(hash ^ hash >> 17) % NUMBER_CHAINS];
    for (Variable *a = *chain; a != NULL && left-- > 0; a = a->chain)
        if (a->kind == kind && a->by == by && (kind != VAR_REST || a->lo == lo) &&
            a->assumed == assumed && affine_same(&a->of, of))
            return a;
    Variable *a = new_variable(t, kind);
    a->of = *of;
    a->by = by;
    a->lo = lo;
    a->hi = hi;
    a->assumed = assumed;
    a->nest = (uint16_t)nest_of(of);
    a->depth = affine_depth(of);
    a->chain = *chain;
    return *chain = a;
}

/* Returns the number in [lo, lo + by) that differs by a multiple of `by` from a form. */
static const Number *rest_of(const Making *m, const Affine *form, int64_t by, int64_t lo,
                             bool assumed) {
    Affine of = *form;
    int64_t least, most;
    if (!unwrap_rests(m->t, &of, by) || of.n > MOST_TERMS_OF_REST)
        return value_in(m, lo, lo + by - 1);
    of = reduced(m->t, &of, by);
    affine_range(&of, &least, &most);
    if (least >= lo && most <= lo + by - 1) return new_number(m, of, least, most, true);
    if (of.n == 0) {
        const int64_t rest = (int64_t)(((uint64_t)of.c - (uint64_t)lo)) % by;
        return constant(m, lo + (rest < 0 ? rest + by : rest));
    }
    if (nest_of(&of) >= DEEPEST_NEST) return value_in(m, lo, lo + by - 1);
    return number_of_variable(m, divided(m->t, VAR_REST, &of, by, lo, lo + by - 1, assumed));
}

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && a < 0);
}

/* Returns a number divided by a positive constant, rounded down. */
static const Number *quotient_of(const Making *m, const Number *x, int64_t add, int64_t by) {
    const int64_t lo = floor_div(x->lo, by), hi = floor_div(x->hi, by) + (add > 0);
    Affine of, part, c = affine_constant(add);
    if (!x->exact || x->lo < INT64_MIN / 2 || x->hi > INT64_MAX / 2 ||
        !affine_add(m->t->arena, &x->form, &c, 1, &of))
        return value_in(m, lo, hi);
    bool divides = of.c % by == 0;
    for (uint32_t i = 0; i < of.n; i++)
        divides &= of.terms[i].by % by == 0;
    if (divides) {
        part = (Affine){.c = of.c / by};
        for (uint32_t i = 0; i < of.n; i++) {
            const Affine one = of_variable(m->t->arena, of.terms[i].variable);
            affine_add(m->t->arena, &part, &one, of.terms[i].by / by, &part);
        }
        return new_number(m, part, lo, hi, true);
    }
    if (nest_of(&of) >= DEEPEST_NEST) return value_in(m, lo, hi);
    return number_of_variable(m, divided(m->t, VAR_QUOTIENT, &of, by, lo, hi, false));
}

/* ---- results ---- */

/* Returns the result of which a form is known modulo 2^64, and an interval if it is `exact`. */
static const Number *result(const Making *m, Affine form, int64_t lo, int64_t hi, bool exact) {
    int64_t least, most;
    affine_range(&form, &least, &most);
    if (least > lo) lo = least;
    if (most < hi) hi = most;
    /* what is beyond 64 bits was cut to their limits */
    if (exact && lo >= m->least && hi <= m->most &&
        (m->width < 64 || (lo > m->least && hi < m->most)))
        return new_number(m, form, lo, hi, true);
    if (m->width == 64) return new_number(m, form, m->least, m->most, false);
    return rest_of(m, &form, (int64_t)1 << m->width, m->least, false);
}

static const Number *unknown(const Making *m) {
    return value_in(m, m->least, m->most);
}

static int64_t sum(int64_t a, int64_t b) {
    int64_t n;
    return __builtin_add_overflow(a, b, &n) ? (a < 0 ? INT64_MIN : INT64_MAX) : n;
}

static int64_t product(int64_t a, int64_t b) {
    int64_t n;
    return __builtin_mul_overflow(a, b, &n) ? ((a < 0) != (b < 0) ? INT64_MIN : INT64_MAX) : n;
}

static bool is_constant(const Number *n, int64_t *c) {
    *c = n->form.c;
    return n->form.n == 0 && n->exact;
}

static const Number *add(const Making *m, const Number *x, const Number *y, int64_t by) {
    Affine form;
    if (!affine_add(m->t->arena, &x->form, &y->form, by, &form)) return unknown(m);
    const int64_t lo = by < 0 ? (y->hi == INT64_MIN ? INT64_MAX : -y->hi) : y->lo;
    const int64_t hi = by < 0 ? (y->lo == INT64_MIN ? INT64_MAX : -y->lo) : y->hi;
    return result(m, form, sum(x->lo, lo), sum(x->hi, hi), x->exact && y->exact);
}

static const Number *multiply(const Making *m, const Number *x, const Number *y) {
    const int64_t all[] = {product(x->lo, y->lo), product(x->lo, y->hi), product(x->hi, y->lo),
                           product(x->hi, y->hi)};
    int64_t lo = all[0], hi = all[0];
    Affine form;
    for (int i = 1; i < 4; i++) {
        lo = all[i] < lo ? all[i] : lo;
        hi = all[i] > hi ? all[i] : hi;
    }
    if (affine_times(m->t->arena, &x->form, &y->form, &form))
        return result(m, form, lo, hi, x->exact && y->exact);
    const bool fits = lo > m->least && hi < m->most && x->exact && y->exact;
    return fits ? computed_in(m, lo, hi) : unknown(m);
}

/* True when only something that is not known could make the number negative. */
static bool may_be_taken_as_natural(const Number *x) {
    for (uint32_t i = 0; i < x->form.n; i++)
        if (x->form.terms[i].variable->kind == VAR_VALUE &&
            (x->form.terms[i].variable->lo <= INT32_MIN ||
             x->form.terms[i].variable->hi >= INT32_MAX))
            return x->exact || x->lo == INT64_MIN;
    return false;
}

static const Number *taken_as_natural(const Making *m, const Number *x) {
    Affine form = x->form;
    form.assumed |= ASSUMED_MAX;
    return new_number(m, form, x->lo, x->hi, x->exact);
}

static bool is_power(int64_t n) {
    return n > 0 && (n & (n - 1)) == 0;
}

static const Number *remainder_of(const Making *m, bool is_signed) {
    const Number *x = m->in[0];
    int64_t by;
    if (!is_constant(m->in[1], &by) || by == 0 || by == INT64_MIN || (by < 0 && !is_signed))
        return computed_in(m, m->least, m->most);
    if (by < 0) by = -by;
    if (x->exact && x->lo >= 0) return x->hi < by ? x : rest_of(m, &x->form, by, 0, false);
    if (!is_signed && is_power(by)) return rest_of(m, &x->form, by, 0, false);
    if (!is_signed) return computed_in(m, 0, by - 1);
    if (may_be_taken_as_natural(x)) return rest_of(m, &x->form, by, 0, true);
    return computed_in(m, x->lo > -by ? x->lo : 1 - by, by - 1);
}

static const Number *divide(const Making *m, const Op *op) {
    const Number *x = m->in[0];
    const bool up = op_is(op, INST_CEILDIVSI) || op_is(op, INST_CEILDIVUI);
    const bool down = op_is(op, INST_FLOORDIVSI) || op_is(op, INST_CEILDIVSI);
    int64_t by;
    if (!is_constant(m->in[1], &by) || by <= 0) return computed_in(m, m->least, m->most);
    if (x->exact && (x->lo >= 0 || down)) return quotient_of(m, x, up ? by - 1 : 0, by);
    if (op_is(op, INST_DIVSI)) return computed_in(m, x->lo / by, x->hi / by);
    return computed_in(m, m->least, m->most);
}

static const Number *shift(const Making *m, const Op *op) {
    const Number *x = m->in[0];
    int64_t by;
    if (!is_constant(m->in[1], &by) || by < 0 || by >= (int64_t)m->width || by > 61)
        return computed_in(m, m->least, m->most);
    if (op_is(op, INST_SHLI)) return multiply(m, x, constant(m, (int64_t)1 << by));
    if (x->exact && (x->lo >= 0 || op_is(op, INST_SHRSI)))
        return quotient_of(m, x, 0, (int64_t)1 << by);
    return computed_in(m, m->least, m->most);
}

/* Returns the least 2^k - 1 that is no less than both. */
static int64_t mask_over(int64_t a, int64_t b) {
    uint64_t n = (uint64_t)(a | b);
    for (int s = 1; s < 64; s *= 2)
        n |= n >> s;
    return (int64_t)n;
}

static const Number *bits(const Making *m, const Op *op) {
    const Number *x = m->in[0], *y = m->in[1];
    int64_t c;
    if (is_constant(x, &c)) {
        const Number *same = x;
        x = y;
        y = same;
    }
    const bool known = is_constant(y, &c), natural = x->lo >= 0 && y->lo >= 0;
    if (known && op_is(op, INST_ANDI) && c > 0 && c < INT64_MAX && is_power(c + 1))
        return x->exact && x->lo >= 0 && x->hi <= c ? x : rest_of(m, &x->form, c + 1, 0, false);
    if (known && op_is(op, INST_XORI) && c == -1) return add(m, y, x, -1);
    if (op_is(op, INST_ANDI) && (x->lo >= 0 || y->lo >= 0))
        return computed_in(m, 0, x->lo < 0 ? y->hi : y->lo < 0 || x->hi < y->hi ? x->hi : y->hi);
    if (natural) return computed_in(m, 0, mask_over(x->hi, y->hi));
    return computed_in(m, m->least, m->most);
}

/* The interval of x - y, of numbers at the same time. */
static void compare(const Number *x, const Number *y, int64_t *lo, int64_t *hi) {
    static const Times now = {UINT32_MAX, 0, UINT32_MAX, UINT32_MAX};
    *lo = x->lo > y->hi ? 1 : x->lo == y->hi ? 0 : -1;
    *hi = x->hi < y->lo ? -1 : x->hi == y->lo ? 0 : 1;
    if (!x->exact || !y->exact) return;
    const Difference d = affine_difference(&x->form, &y->form, &now);
    if (d.lo > *lo) *lo = d.lo;
    if (d.hi < *hi) *hi = d.hi;
}

static const Number *extreme(const Making *m, const Op *op) {
    const Number *x = m->in[0], *y = m->in[1];
    const bool least = op_is(op, INST_MINSI) || op_is(op, INST_MINUI);
    int64_t lo, hi;
    if ((op_is(op, INST_MINUI) || op_is(op, INST_MAXUI)) && (x->lo < 0 || y->lo < 0)) {
        if (!least || (x->lo < 0 && y->lo < 0)) return computed_in(m, m->least, m->most);
        return computed_in(m, 0, x->lo < 0 ? y->hi : x->hi); /* no more than that one */
    }
    compare(x, y, &lo, &hi);
    if (hi <= 0) return least ? x : y;
    if (lo >= 0) return least ? y : x;
    if (op_is(op, INST_MAXSI) && is_constant(y, &lo) && lo == 0 && may_be_taken_as_natural(x))
        return taken_as_natural(m, x);
    if (least) return computed_in(m, x->lo < y->lo ? x->lo : y->lo, x->hi < y->hi ? x->hi : y->hi);
    return computed_in(m, x->lo > y->lo ? x->lo : y->lo, x->hi > y->hi ? x->hi : y->hi);
}

static const Number *comparison(const Making *m, const Op *op) {
    const Number *x = m->in[0], *y = m->in[1];
    int predicate = number_predicate(op);
    int64_t lo, hi;
    if (predicate >= FIRST_UNSIGNED_PREDICATE) {
        if (x->lo < 0 || y->lo < 0) return computed_in(m, -1, 0);
        predicate -= 4; /* from ult to slt */
    }
    compare(x, y, &lo, &hi);
    const bool yes[] = {lo == 0 && hi == 0, lo > 0 || hi < 0, hi<0, hi <= 0, lo> 0, lo >= 0};
    const bool no[] = {lo > 0 || hi < 0, lo == 0 && hi == 0, lo >= 0, lo > 0, hi <= 0, hi < 0};
    if (!yes[predicate] && !no[predicate]) return computed_in(m, -1, 0);
    Affine decided = affine_constant(yes[predicate] ? -1 : 0);
    decided.assumed = affine_assumed(&x->form) | affine_assumed(&y->form);
    return new_number(m, decided, decided.c, decided.c, true);
}

static const Number *selected(const Making *m) {
    const Number *x = m->in[1], *y = m->in[2];
    int64_t c;
    if (is_constant(m->in[0], &c)) return c != 0 ? x : y;
    if (x->exact == y->exact && affine_same(&x->form, &y->form)) return x;
    return computed_in(m, x->lo < y->lo ? x->lo : y->lo, x->hi > y->hi ? x->hi : y->hi);
}

static const Number *cast(const Making *m, const Op *op) {
    const Number *x = m->in[0];
    const unsigned from = number_width(op->operands[0].value->type);
    const bool zeros = op_is(op, INST_EXTUI) || op_is(op, INST_INDEX_CASTUI);
    if (from > m->width) return result(m, x->form, x->lo, x->hi, x->exact);
    if (from == m->width || !zeros || (x->exact && x->lo >= 0)) return x;
    return rest_of(m, &x->form, (int64_t)1 << from, 0, false);
}

static const Number *compute(const Making *m, const Op *op) {
    int64_t operands[3] = {0, 0, 0};
    bool known = true;
    for (unsigned i = 0; i < op->noperands; i++)
        known &= is_constant(m->in[i], &operands[i]);
    if (known)
        return number_compute(op, operands, &operands[0]) ? constant(m, operands[0]) : unknown(m);
    switch (inst_id(op->inst)) {
    case INST_ADDI:
        return add(m, m->in[0], m->in[1], 1);
    case INST_SUBI:
        return add(m, m->in[0], m->in[1], -1);
    case INST_MULI:
        return multiply(m, m->in[0], m->in[1]);
    case INST_REMUI:
        return remainder_of(m, false);
    case INST_REMSI:
        return remainder_of(m, true);
    case INST_DIVUI:
    case INST_DIVSI:
    case INST_CEILDIVUI:
    case INST_CEILDIVSI:
    case INST_FLOORDIVSI:
        return divide(m, op);
    case INST_SHLI:
    case INST_SHRSI:
    case INST_SHRUI:
        return shift(m, op);
    case INST_ANDI:
    case INST_ORI:
    case INST_XORI:
        return bits(m, op);
    case INST_MINSI:
    case INST_MINUI:
    case INST_MAXSI:
    case INST_MAXUI:
        return extreme(m, op);
    case INST_CMPI:
        return comparison(m, op);
    case INST_SELECT:
        return selected(m);
    default:
        return cast(m, op);
    }
}

/* ---- loop variables ---- */

/* Returns the most iterations that a loop may have; *exact: it has no fewer. */
static int64_t most_trips(const Number *lb, const Number *ub, const Number *step, bool *exact) {
    static const Times now = {UINT32_MAX, 0, UINT32_MAX, UINT32_MAX};
    const Difference d = affine_difference(&ub->form, &lb->form, &now);
    int64_t by = step->lo < 1 ? 1 : step->lo,
            span = sum(ub->hi, lb->lo == INT64_MIN ? INT64_MAX : -lb->lo);
    const bool sums = ub->exact && lb->exact;
    if (sums && d.hi < span) span = d.hi;
    if (d.lo == d.hi) span = d.lo; /* no bounds of loops are so large that their sums wrap */
    *exact = d.lo == d.hi && step->lo == step->hi && step->lo > 0;
    if (span <= 0) return 0;
    const int64_t n = span / by + (span % by != 0);
    return n > MOST_ITERATIONS ? MOST_ITERATIONS : n;
}

static const Number *loop_variable(const Making *m, const Op *loop) {
    const Number *lb = m->in[0], *ub = m->in[1], *step = m->in[2];
    void **at = ptrmap_at(&m->t->loops, loop);
    bool exact;
    Affine form, one;
    if (*at == NULL) {
        Variable *a = new_variable(m->t, VAR_LOOP);
        const int64_t trips = most_trips(lb, ub, step, &exact);
        a->loop = loop;
        a->depth = loops_around(value_block(m->v));
        a->hi = trips > 0 ? trips - 1 : 0;
        *at = a;
    }
    const int64_t lo = step->lo > 0 ? lb->lo : m->least,
                  hi = ub->hi > m->least ? ub->hi - 1 : ub->hi;
    const Variable *count = *at;
    int64_t by, least, most;
    if (count->hi == 0) return lb;
    one = of_variable(m->t->arena, count);
    if (lo > hi || !is_constant(step, &by) || by <= 0 || !lb->exact ||
        !affine_add(m->t->arena, &lb->form, &one, by, &form))
        return lo > hi ? unknown(m) : value_in(m, lo, hi);
    affine_range(&form, &least, &most);
    return new_number(m, form, least > lo ? least : lo, most < hi ? most : hi, true);
}

int64_t loop_trips(Numbers *t, const Op *loop) {
    const Number *lb = number_of(t, loop->operands[0].value);
    const Number *ub = number_of(t, loop->operands[1].value);
    const Number *step = number_of(t, loop->operands[2].value);
    bool exact;
    const int64_t n = most_trips(lb, ub, step, &exact);
    return exact && n < MOST_ITERATIONS ? n : -1;
}

/* ---- numbers that loops carry ---- */

/* A constant number that takes turns. */
static const Number *number_in_turns(const Making *m, const Affine *count, int64_t first) {
    int64_t values[CARRIED_TURNS];
    const uint32_t n = carried_turns(m->v, first, values);
    if (n == 0) return NULL;
    Variable *a = new_variable(m->t, VAR_TURNS);
    int64_t *turns = ARENA_ARRAY(m->t->arena, int64_t, n);
    memcpy(turns, values, n * sizeof *turns);
    a->of = *count;
    a->by = n;
    a->turns = turns;
    a->depth = affine_depth(count);
    a->lo = a->hi = first;
    for (uint32_t i = 1; i < n; i++) {
        if (values[i] < a->lo) a->lo = values[i];
        if (values[i] > a->hi) a->hi = values[i];
    }
    return n == 1 ? constant(m, first) : number_of_variable(m, a);
}

/* Returns the constant that each iteration adds; 0: it does something else. */
static int64_t added_by_iteration(const Value *v) {
    const Op *op = carried_next(v)->def;
    int64_t by;
    for (unsigned i = 0; op != NULL && op_is(op, INST_ADDI) && i < 2; i++)
        if (op->operands[i].value == v && number_known(op->operands[1 - i].value, &by)) return by;
    return 0;
}

/* An argument that starts with the number in[0]; in[1] is the variable of the loop. */
static const Number *carried_number(const Making *m) {
    const Variable *loop = ptrmap_get(&m->t->loops, carrying_for(m->v));
    const Number *first = m->in[0];
    int64_t c, lo, hi;
    if (loop == NULL) return unknown(m);
    Affine form = of_variable(m->t->arena, loop);
    const Number *turns = is_constant(first, &c) ? number_in_turns(m, &form, c) : NULL;
    const int64_t by = turns == NULL ? added_by_iteration(m->v) : 0;
    if (turns != NULL) return turns;
    if (by == 0 || !affine_add(m->t->arena, &first->form, &form, by, &form)) return unknown(m);
    affine_range(&form, &lo, &hi);
    return result(m, form, lo, hi, first->exact);
}

/* ---- the order of computation ---- */

/* True for a statement that computes one integer from integers. */
static bool is_computed(const Op *op) {
    if (op->nresults != 1 ||
        !(number_is_arithmetic(op) || (op_is(op, INST_SELECT) && op->noperands == 3)))
        return false;
    for (unsigned i = 0; i < op->noperands; i++)
        if (op->operands[i].value == NULL || number_width(op->operands[i].value->type) == 0)
            return false;
    return number_width(op->results[0].type) != 0;
}

/* True for an argument that may be described by what loops carry. */
static bool is_carried_number(const Value *v) {
    return v->argument && v->index > 0 && number_width(v->type) != 0 && carrying_for(v) != NULL;
}

/* Returns the i-th value that a value is computed from, NULL: there are no more. */
static const Value *input_of(const Value *v, unsigned i) {
    const Op *loop = loop_of_variable(v), *op = v->def;
    if (loop != NULL) return i < 3 && loop->noperands >= 3 ? loop->operands[i].value : NULL;
    if (is_carried_number(v))
        return i == 0 ? carried_first(v) : i == 1 ? &value_block(v)->args[0] : NULL;
    if (op == NULL || !is_computed(op) || i >= op->noperands) return NULL;
    return op->operands[i].value;
}

/* Numbers that a launch counts. */
static bool is_count(const Value *v) {
    return v->def != NULL &&
           (op_is(v->def, INST_GET_BLOCK_IDX) || op_is(v->def, INST_GET_BLOCK_NUM) ||
            op_is(v->def, INST_GET_SUBBLOCK_IDX) || op_is(v->def, INST_GET_SUBBLOCK_NUM));
}

/* Adds what the operands rely on. */
static const Number *with_assumed(const Making *m, const Number *n) {
    unsigned assumed = n->form.assumed;
    for (int i = 0; i < 3 && m->in[i] != NULL; i++)
        assumed |= m->in[i]->form.assumed;
    if (assumed == n->form.assumed) return n;
    Affine form = n->form;
    form.assumed = assumed;
    return new_number(m, form, n->lo, n->hi, n->exact);
}

static const Number *make(Numbers *t, const Value *v, const Number *const in[3]) {
    Making m = {.t = t, .v = v, .width = number_width(v->type)};
    memcpy(m.in, in, sizeof m.in);
    const unsigned width = m.width == 0 ? 64 : m.width;
    m.least = width == 64 ? INT64_MIN : -((int64_t)1 << (width - 1));
    m.most = -(m.least + 1);
    int64_t c;
    if (m.width == 0) return unknown(&m);
    if (t->subblock > 0 && v->def != NULL && op_is(v->def, INST_GET_SUBBLOCK_IDX))
        return constant(&m, t->subblock - 1);
    if (in[0] == NULL)
        return number_written(v, &c) ? constant(&m, number_signed(c, width))
               : is_count(v)         ? value_in(&m, 0, INT32_MAX)
                                     : unknown(&m);
    const Op *loop = loop_of_variable(v);
    return with_assumed(&m, loop != NULL           ? loop_variable(&m, loop)
                            : is_carried_number(v) ? carried_number(&m)
                                                   : compute(&m, v->def));
}

static void push(Numbers *t, uint32_t n, const Value *v) {
    if (n == t->cap) {
        const uint32_t cap = t->cap == 0 ? 64 : t->cap * 2;
        const Value **more = ARENA_ARRAY(t->arena, const Value *, cap);
        if (n > 0) memcpy(more, t->stack, n * sizeof *more);
        t->stack = more;
        t->cap = cap;
    }
    t->stack[n] = v;
}

/* Collects what the inputs of a value are; returns one that is not yet known, or NULL. */
static const Value *missing_input(const Numbers *t, const Value *v, const Number *in[3]) {
    const Value *from;
    for (unsigned i = 0; i < 3 && (from = input_of(v, i)) != NULL; i++) {
        in[i] = ptrmap_get(&t->known, from);
        if (in[i] == NULL) return from;
    }
    return NULL;
}

static void keep(Numbers *t, const Value *v, const Number *n) {
    *ptrmap_at(&t->known, v) = (void *)(uintptr_t)n;
}

void number_set(Numbers *t, const Value *v, int64_t c) {
    Number *n = ARENA_NEW(t->arena, Number);
    *n = (Number){affine_constant(c), c, c, true};
    keep(t, v, n);
}

const Number *number_of(Numbers *t, const Value *v) {
    const Number *known = ptrmap_get(&t->known, v), *none[3] = {NULL, NULL, NULL};
    if (known != NULL) return known;
    uint32_t n = 0;
    push(t, n++, v);
    while (n > 0) {
        const Number *in[3] = {NULL, NULL, NULL};
        const Value *now = t->stack[n - 1], *missing = missing_input(t, now, in);
        if (missing == NULL) {
            keep(t, now, make(t, now, in));
            n--;
        } else {
            /* What depends on itself, as it may in blocks that are never reached, is not known. */
            keep(t, missing, make(t, missing, none));
            if (input_of(missing, 0) != NULL) push(t, n++, missing);
        }
    }
    return ptrmap_get(&t->known, v);
}
