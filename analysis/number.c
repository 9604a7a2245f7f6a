/* Integer arithmetic on known numbers, and affine expressions of those that are not. */
#include "analysis/number.h"

#include "runtime/ptort_scalar.h"
#include <string.h>

/* ---- known numbers ---- */

static int64_t bit_and(int64_t x, int64_t y) {
    return x & y;
}
static int64_t bit_or(int64_t x, int64_t y) {
    return x | y;
}
static int64_t bit_xor(int64_t x, int64_t y) {
    return x ^ y;
}

/* Operations in 64 bits on sign-extended (or, if specified, zero-extended) operands; cutting the
 * result to the width of the type gives the same as computing in that width. The functions are
 * those that emitted code calls. */
static const struct {
    InstId id;
    bool zero_x, zero_y, divides;
    int64_t (*apply)(int64_t x, int64_t y);
} operations[] = {
    {INST_ADDI, false, false, false, ptrt_addi_i64},
    {INST_SUBI, false, false, false, ptrt_subi_i64},
    {INST_MULI, false, false, false, ptrt_muli_i64},
    {INST_DIVSI, false, false, true, ptrt_divsi_i64},
    {INST_DIVUI, true, true, true, ptrt_divui_i64},
    {INST_CEILDIVSI, false, false, true, ptrt_ceildivsi_i64},
    {INST_CEILDIVUI, true, true, true, ptrt_ceildivui_i64},
    {INST_FLOORDIVSI, false, false, true, ptrt_floordivsi_i64},
    {INST_REMSI, false, false, true, ptrt_remsi_i64},
    {INST_REMUI, true, true, true, ptrt_remui_i64},
    {INST_MAXSI, false, false, false, ptrt_maxsi_i64},
    {INST_MAXUI, true, true, false, ptrt_maxui_i64},
    {INST_MINSI, false, false, false, ptrt_minsi_i64},
    {INST_MINUI, true, true, false, ptrt_minui_i64},
    {INST_SHLI, false, true, false, ptrt_shli_i64},
    {INST_SHRSI, false, true, false, ptrt_shrsi_i64},
    {INST_SHRUI, true, true, false, ptrt_shrui_i64},
    {INST_ANDI, false, false, false, bit_and},
    {INST_ORI, false, false, false, bit_or},
    {INST_XORI, false, false, false, bit_xor},
};

static bool compare(const Context *ctx, const Op *op, const int64_t *x, int64_t *out) {
    const NamedAttr *a = op_attr_named(ctx, op, "predicate");
    const unsigned width = number_width(op->operands[0].value->type);
    if (a == NULL || a->value->kind != ATTR_ENUM) return false;
    const int predicate = enum_number(a->value);
    const bool zero = predicate >= 6; /* unsigned predicates */
    *out = ptrt_cmpi_i64(predicate, zero ? number_unsigned(x[0], width) : x[0],
                         zero ? number_unsigned(x[1], width) : x[1]);
    return true;
}

bool number_is_arithmetic(const Op *op) {
    if (number_is_cast(op)) return op->noperands == 1;
    if (op->noperands != 2) return false;
    for (size_t k = 0; k < sizeof operations / sizeof operations[0]; k++)
        if (op_is(op, operations[k].id)) return true;
    return op_is(op, INST_CMPI);
}

bool number_compute(const Context *ctx, const Op *op, const int64_t *x, int64_t *out) {
    if (op->noperands == 1 && number_is_cast(op)) {
        *out = number_cast(op, x[0]);
        return true;
    }
    if (op->noperands == 2 && op_is(op, INST_CMPI)) return compare(ctx, op, x, out);
    if (op->noperands == 3 && op_is(op, INST_SELECT)) {
        *out = x[0] != 0 ? x[1] : x[2];
        return true;
    }
    for (size_t k = 0; k < sizeof operations / sizeof operations[0] && op->noperands == 2; k++) {
        if (!op_is(op, operations[k].id)) continue;
        const unsigned width = number_width(op->operands[0].value->type);
        if (operations[k].divides && number_unsigned(x[1], width) == 0) return false;
        *out = operations[k].apply(operations[k].zero_x ? number_unsigned(x[0], width) : x[0],
                                   operations[k].zero_y ? number_unsigned(x[1], width) : x[1]);
        *out = number_signed(*out, number_width(op->results[0].type));
        return true;
    }
    return false;
}

static bool know(const Value *v, int *steps, int64_t *out) {
    const Op *op = v->def;
    int64_t x[2];
    if (value_constant(v, out)) return true;
    if (op == NULL || (*steps)-- <= 0 || !number_is_arithmetic(op) || op_is(op, INST_CMPI))
        return false;
    for (unsigned i = 0; i < op->noperands; i++)
        if (!know(op->operands[i].value, steps, &x[i])) return false;
    return number_compute(NULL, op, x, out);
}

bool number_known(const Value *v, int64_t *out) {
    int steps = 64; /* the longest computation that is looked at */
    return know(v, &steps, out);
}

/* ---- affine expressions ---- */

bool affine_same(const Affine *a, const Affine *b) {
    if (a->c != b->c || a->n != b->n) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->terms[i].v != b->terms[i].v || a->terms[i].by != b->terms[i].by) return false;
    return true;
}

int64_t affine_coefficient(const Affine *a, const Value *v) {
    for (uint32_t i = 0; i < a->n; i++)
        if (a->terms[i].v == v) return a->terms[i].by;
    return 0;
}

/* Adds by * v; terms are sorted by address. False when there are too many, or a number is too
 * large. */
static bool add_term(Affine *a, const Value *v, int64_t by) {
    uint32_t i = 0;
    while (i < a->n && (uintptr_t)a->terms[i].v < (uintptr_t)v)
        i++;
    if (i < a->n && a->terms[i].v == v) {
        if (__builtin_add_overflow(a->terms[i].by, by, &a->terms[i].by)) return false;
        if (a->terms[i].by == 0)
            memmove(&a->terms[i], &a->terms[i + 1], (--a->n - i) * sizeof a->terms[0]);
        return true;
    }
    if (by == 0) return true;
    if (a->n == MOST_TERMS) return false;
    memmove(&a->terms[i + 1], &a->terms[i], (a->n++ - i) * sizeof a->terms[0]);
    a->terms[i] = (struct AffineTerm){v, by};
    return true;
}

bool affine_add(Affine *a, const Affine *b, int64_t by) {
    int64_t c;
    if (__builtin_mul_overflow(b->c, by, &c) || __builtin_add_overflow(a->c, c, &a->c))
        return false;
    for (uint32_t i = 0; i < b->n; i++) {
        int64_t f;
        if (__builtin_mul_overflow(b->terms[i].by, by, &f) || !add_term(a, b->terms[i].v, f))
            return false;
    }
    return a->c < NUMBER_FAR && a->c > -NUMBER_FAR;
}

bool affine_multiply(const Affine *a, const Affine *b, Affine *out) {
    *out = (Affine){0};
    if (b->n == 0) return affine_add(out, a, b->c);
    return a->n == 0 && affine_add(out, b, a->c);
}

/* ---- intervals ---- */

static int64_t bounded(int64_t n) {
    return n > NUMBER_FAR ? NUMBER_FAR : n < -NUMBER_FAR ? -NUMBER_FAR : n;
}

Range range_plus(Range a, Range b) {
    return (Range){bounded(a.lo + b.lo), bounded(a.hi + b.hi)};
}

static int64_t bounded_times(int64_t a, int64_t b) {
    int64_t n;
    if (__builtin_mul_overflow(a, b, &n)) return (a < 0) == (b < 0) ? NUMBER_FAR : -NUMBER_FAR;
    return bounded(n);
}

Range range_times(int64_t by, int64_t lo, int64_t hi) {
    int64_t x = bounded_times(by, lo), y = bounded_times(by, hi);
    return x < y ? (Range){x, y} : (Range){y, x};
}

Range affine_range(const Affine *a) {
    Range r = {a->c, a->c};
    for (uint32_t i = 0; i < a->n; i++) {
        const Op *loop = loop_of_variable(a->terms[i].v);
        if (loop == NULL) return (Range){-NUMBER_FAR, NUMBER_FAR};
        const int64_t last = loop_most_trips(loop) - 1;
        r = range_plus(r, range_times(a->terms[i].by, 0, last < 0 ? 0 : last));
    }
    return r;
}

/* True when the number fits in `width` bits: it is known, or such an overflow would be a fault of
 * the program that the verdict assumes away, as for indices of 32 bits. */
static bool fits(Numbers *t, const Affine *a, unsigned width, bool no_sign) {
    const Range r = affine_range(a);
    const int64_t most = width >= 64 ? INT64_MAX : ((int64_t)1 << (width - 1)) - 1;
    const int64_t least = no_sign ? 0 : -most - 1;
    if (r.lo >= least && (r.hi <= most || no_sign)) return true;
    const bool broken = r.hi < least || r.lo > most || (r.lo > -NUMBER_FAR && r.lo < least) ||
                        (!no_sign && r.hi < NUMBER_FAR && r.hi > most);
    if (width < 32 || broken) return false;
    t->assumed |= ASSUMED_WIDTH;
    return true;
}

/* ---- values ---- */

const Op *loop_of_variable(const Value *v) {
    const Block *b = v->argument ? value_block(v) : NULL;
    if (b == NULL || b->region == NULL || v->index != 0) return NULL;
    const Op *owner = b->region->owner;
    return owner != NULL && op_is(owner, INST_SCF_FOR) ? owner : NULL;
}

/* Computes a cast; false when it may change the number. */
static bool expand_cast(Numbers *t, const Op *op, Affine *out) {
    const Affine *x = affine_of(t, op->operands[0].value);
    const unsigned from = number_width(op->operands[0].value->type);
    const unsigned to = number_width(op->results[0].type);
    const bool zeros = op_is(op, INST_EXTUI) || op_is(op, INST_INDEX_CASTUI);
    *out = *x;
    if (x->n == 0) {
        out->c = number_cast(op, x->c);
        return true;
    }
    if (zeros && !fits(t, x, from, true)) return false;
    return to >= from || fits(t, x, to, false);
}

static bool expand_variable(Numbers *t, const Value *v, const Op *loop, Affine *out) {
    int64_t step;
    *out = *affine_of(t, loop->operands[0].value);
    return value_constant(loop->operands[2].value, &step) && step > 0 && add_term(out, v, step);
}

static bool expand_sum(Numbers *t, const Op *op, const Affine *x, const Affine *y, Affine *out) {
    const unsigned width = number_width(op->results[0].type);
    if (op_is(op, INST_MULI)) {
        if (!affine_multiply(x, y, out)) return false;
    } else {
        *out = *x;
        if (!affine_add(out, y, op_is(op, INST_ADDI) ? 1 : -1)) return false;
    }
    return width >= 64 || fits(t, out, width, false);
}

/* Describes a value by its operands, which are described already. */
static bool expand(Numbers *t, const Value *v, Affine *out) {
    const Op *op = v->def, *loop = loop_of_variable(v);
    int64_t c;
    if (loop != NULL) return expand_variable(t, v, loop, out);
    if (op == NULL || op->noperands == 0 || number_width(v->type) == 0 ||
        number_width(op->operands[0].value->type) == 0)
        return false;
    if (number_is_cast(op)) return expand_cast(t, op, out);
    if (op->noperands != 2 || number_width(op->operands[1].value->type) == 0) return false;
    const Affine *x = affine_of(t, op->operands[0].value), *y = affine_of(t, op->operands[1].value);
    if (x->n == 0 && y->n == 0) {
        const int64_t numbers[] = {x->c, y->c};
        *out = (Affine){0};
        return !op_is(op, INST_CMPI) && number_compute(NULL, op, numbers, &out->c) &&
               out->c < NUMBER_FAR && out->c > -NUMBER_FAR;
    }
    if (op_is(op, INST_ADDI) || op_is(op, INST_SUBI) || op_is(op, INST_MULI))
        return expand_sum(t, op, x, y, out);
    if (op_is(op, INST_MAXSI) && affine_is(y, &c) && c == 0) {
        *out = *x;
        t->assumed |= ASSUMED_MAX;
        return true;
    }
    return false;
}

static const Affine *describe(Numbers *t, const Value *v) {
    Affine *a = ARENA_NEW(t->arena, Affine);
    *a = (Affine){0};
    if (!value_constant(v, &a->c) && !expand(t, v, a)) {
        *a = (Affine){0};
        add_term(a, v, 1);
    }
    *ptrmap_at(&t->affine, v) = a;
    return a;
}

/* ---- without recursion ---- */

/* Values whose description waits for those after them. */
typedef struct Pending {
    const Value **list;
    uint32_t n, cap;
} Pending;

static void push(Numbers *t, Pending *p, const Value *v) {
    if (p->n == p->cap) {
        const uint32_t cap = p->cap != 0 ? p->cap * 2 : 32;
        const Value **grown = ARENA_ARRAY(t->arena, const Value *, cap);
        if (p->n > 0) memcpy(grown, p->list, p->n * sizeof *grown);
        p->list = grown;
        p->cap = cap;
    }
    p->list[p->n++] = v;
}

/* Pushes the values that the description of `v` needs and that have none; false when all have. */
static bool push_needed(Numbers *t, Pending *p, const Value *v) {
    const Op *op = v->def, *loop = loop_of_variable(v);
    const unsigned n = loop != NULL ? 1 : op == NULL || op->noperands > 2 ? 0 : op->noperands;
    const uint32_t before = p->n;
    if (loop == NULL && (op == NULL || number_width(v->type) == 0)) return false;
    for (unsigned i = 0; i < n; i++) {
        const Value *x = (loop != NULL ? loop : op)->operands[i].value;
        if (number_width(x->type) != 0 && ptrmap_get(&t->affine, x) == NULL) push(t, p, x);
    }
    return p->n > before;
}

const Affine *affine_of(Numbers *t, const Value *v) {
    const Affine *known = ptrmap_get(&t->affine, v);
    if (known != NULL) return known;
    Pending p = {.n = 0};
    push(t, &p, v);
    while (p.n > 0) {
        const Value *last = p.list[p.n - 1];
        if (ptrmap_get(&t->affine, last) == NULL) {
            if (push_needed(t, &p, last)) continue;
            (void)describe(t, last);
        }
        p.n--;
    }
    return ptrmap_get(&t->affine, v);
}

/* ---- loops ---- */

int64_t loop_trips(Numbers *t, const Op *loop) {
    Affine span = *affine_of(t, loop->operands[1].value);
    int64_t step;
    if (!affine_add(&span, affine_of(t, loop->operands[0].value), -1) || span.n != 0 ||
        !value_constant(loop->operands[2].value, &step) || step <= 0)
        return -1;
    return span.c <= 0 ? 0 : (span.c + step - 1) / step;
}

int64_t loop_most_trips(const Op *loop) {
    int64_t lo, hi, step;
    if (!value_constant(loop->operands[0].value, &lo) ||
        !value_constant(loop->operands[1].value, &hi) ||
        !value_constant(loop->operands[2].value, &step) || step <= 0)
        return NUMBER_FAR;
    return hi <= lo ? 0 : (hi - lo + step - 1) / step;
}
