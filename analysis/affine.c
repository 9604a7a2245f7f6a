/* SPDX-License-Identifier: Apache-2.0 */
/* Affine forms: sums, intervals, periods, and how two of them differ. */
#include "analysis/number.h"

#include <string.h>

__extension__ typedef __int128 Wide;

enum { MOST_TERMS = 8 };
#define FAR ((Wide)1 << 120) /* a few sums of such numbers fit */

static Wide limited(Wide n) {
    return n > FAR ? FAR : n < -FAR ? -FAR : n;
}

static int64_t narrowed(Wide n) {
    return n > INT64_MAX ? INT64_MAX : n < INT64_MIN ? INT64_MIN : (int64_t)n;
}

int64_t common_divisor(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* ---- sums ---- */

bool affine_same(const Affine *a, const Affine *b) {
    if (a->c != b->c || a->n != b->n) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->terms[i].variable != b->terms[i].variable || a->terms[i].by != b->terms[i].by)
            return false;
    return true;
}

int64_t affine_coefficient(const Affine *a, const Variable *variable) {
    for (uint32_t i = 0; i < a->n; i++)
        if (a->terms[i].variable == variable) return a->terms[i].by;
    return 0;
}

static const AffineTerm *kept(Arena *arena, const AffineTerm *terms, uint32_t n) {
    AffineTerm *t = ARENA_ARRAY(arena, AffineTerm, n);
    memcpy(t, terms, n * sizeof *t);
    return t;
}

/* The order of terms; of two functions, variables may have the same number. */
static bool is_before(const Variable *a, const Variable *b) {
    return a->number != b->number ? a->number < b->number : (uintptr_t)a < (uintptr_t)b;
}

/* Merges the terms; -1: there are too many. */
static int merge(const Affine *a, const Affine *b, int64_t by, AffineTerm out[MOST_TERMS]) {
    uint32_t i = 0, k = 0;
    int n = 0;
    while (i < a->n || k < b->n) {
        AffineTerm t = {NULL, 0};
        const Variable *x = i < a->n ? a->terms[i].variable : NULL;
        const Variable *y = k < b->n ? b->terms[k].variable : NULL;
        const bool first = x != NULL && (y == NULL || is_before(x, y));
        if (!first) {
            t.variable = b->terms[k].variable;
            if (__builtin_mul_overflow(b->terms[k++].by, by, &t.by)) return -1;
        }
        if (x == y || first) {
            t.variable = a->terms[i].variable;
            if (__builtin_add_overflow(t.by, a->terms[i++].by, &t.by)) return -1;
        }
        if (t.by == 0) continue;
        if (n == MOST_TERMS) return -1;
        out[n++] = t;
    }
    return n;
}

bool affine_add(Arena *arena, const Affine *a, const Affine *b, int64_t by, Affine *out) {
    AffineTerm terms[MOST_TERMS];
    int64_t c;
    if (__builtin_mul_overflow(b->c, by, &c) || __builtin_add_overflow(a->c, c, &c)) return false;
    if (b->n == 0) {
        *out = (Affine){c, a->n, a->assumed | b->assumed, a->terms};
        return true;
    }
    const int n = merge(a, b, by, terms);
    if (n < 0) return false;
    *out = (Affine){c, (uint32_t)n, a->assumed | b->assumed,
                    n > 0 ? kept(arena, terms, (uint32_t)n) : NULL};
    return true;
}

bool affine_times(Arena *arena, const Affine *a, const Affine *b, Affine *out) {
    const Affine zero = {.c = 0};
    if (b->n == 0) return affine_add(arena, &zero, a, b->c, out);
    return a->n == 0 && affine_add(arena, &zero, b, a->c, out);
}

Affine affine_without(Arena *arena, const Affine *a, const Variable *variable, int64_t *by) {
    AffineTerm terms[MOST_TERMS];
    uint32_t n = 0;
    *by = affine_coefficient(a, variable);
    if (*by == 0) return *a;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->terms[i].variable != variable) terms[n++] = a->terms[i];
    return (Affine){a->c, n, a->assumed, n > 0 ? kept(arena, terms, n) : NULL};
}

uint32_t affine_depth(const Affine *a) {
    uint32_t depth = 0;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->terms[i].variable->depth > depth) depth = a->terms[i].variable->depth;
    return depth;
}

unsigned affine_assumed(const Affine *a) {
    unsigned assumed = a->assumed;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->terms[i].variable->assumed) assumed |= ASSUMED_REM;
    return assumed;
}

/* ---- intervals ---- */

typedef struct Range {
    Wide lo, hi;
} Range;

static Range plus(Range a, Range b) {
    return (Range){limited(a.lo + b.lo), limited(a.hi + b.hi)};
}

static Range times(int64_t by, Wide lo, Wide hi) {
    const Wide x = limited(lo * by), y = limited(hi * by);
    return x < y ? (Range){x, y} : (Range){y, x};
}

void affine_range(const Affine *a, int64_t *lo, int64_t *hi) {
    Range r = {a->c, a->c};
    for (uint32_t i = 0; i < a->n; i++)
        r = plus(r, times(a->terms[i].by, a->terms[i].variable->lo, a->terms[i].variable->hi));
    *lo = narrowed(r.lo);
    *hi = narrowed(r.hi);
}

/* ---- periods ---- */

enum { LONGEST_PERIOD = 1 << 20 };

int64_t common_multiple(int64_t a, int64_t b) {
    const int64_t n = a / common_divisor(a, b);
    return n > LONGEST_PERIOD / b ? 0 : n * b;
}

/* Returns the period of a variable as a form is, 0: it has none. */
static int64_t variable_period(const Variable *a, int64_t modulus, const Variable **loop) {
    int64_t all = 1;
    switch ((VariableKind)a->kind) {
    case VAR_LOOP: /* it only gets so far */
        if (*loop != NULL && *loop != a) return 0;
        *loop = a;
        if (modulus == 0) modulus = a->hi + 1;
        return modulus <= LONGEST_PERIOD ? modulus : 0;
    case VAR_REST:
    case VAR_TURNS:
        return affine_period(&a->of, a->by, loop);
    case VAR_QUOTIENT:
        return modulus != 0 && a->by <= LONGEST_PERIOD && modulus <= LONGEST_PERIOD
                   ? affine_period(&a->of, a->by * modulus, loop)
                   : 0;
    case VAR_COMPUTED:
        for (int i = 0; i < 3 && a->operands[i] != NULL && all > 0; i++) {
            const int64_t n =
                a->operands[i]->exact ? affine_period(&a->operands[i]->form, 0, loop) : 0;
            all = n > 0 ? common_multiple(all, n) : 0;
        }
        return all;
    case VAR_VALUE:
        break;
    }
    return 0;
}

int64_t affine_period(const Affine *a, int64_t modulus, const Variable **loop) {
    int64_t all = 1;
    for (uint32_t i = 0; i < a->n && all > 0; i++) {
        const int64_t by = a->terms[i].by;
        const int64_t of = modulus == 0 ? 0 : modulus / common_divisor(modulus, by);
        const int64_t n = of == 1 ? 1 : variable_period(a->terms[i].variable, of, loop);
        all = n > 0 ? common_multiple(all, n) : 0;
    }
    return all;
}

/* The quotient rounded down, and the rest, of a positive divisor. */
static int64_t rest_of(int64_t n, int64_t by) {
    const int64_t rest = n % by;
    return rest < 0 ? rest + by : rest;
}

static int64_t variable_at(const Variable *a, int64_t k) {
    int64_t operands[3] = {0, 0, 0}, of = 0;
    switch ((VariableKind)a->kind) {
    case VAR_LOOP:
        return k;
    case VAR_REST:
        of = affine_at(&a->of, k);
        return (int64_t)((uint64_t)a->lo +
                         (uint64_t)rest_of((int64_t)((uint64_t)of - (uint64_t)a->lo), a->by));
    case VAR_TURNS:
        return a->turns[rest_of(affine_at(&a->of, k), a->by)];
    case VAR_QUOTIENT:
        of = affine_at(&a->of, k);
        return (of - rest_of(of, a->by)) / a->by;
    case VAR_COMPUTED:
        for (int i = 0; i < 3 && a->operands[i] != NULL; i++)
            operands[i] = affine_at(&a->operands[i]->form, k);
        return number_compute(a->value->def, operands, &of) ? of : 0;
    case VAR_VALUE:
        break;
    }
    return 0;
}

int64_t affine_at(const Affine *a, int64_t k) {
    uint64_t n = (uint64_t)a->c;
    for (uint32_t i = 0; i < a->n; i++)
        n += (uint64_t)a->terms[i].by * (uint64_t)variable_at(a->terms[i].variable, k);
    return (int64_t)n;
}

/* ---- differences ---- */

/* The coefficients of a variable in both forms. */
typedef struct Both {
    const Variable *variable;
    int64_t a, b;
} Both;

typedef struct Differ {
    const Times *times;
    Both all[4 * MOST_TERMS];
    uint32_t n;
    Wide c, modulus;
    unsigned assumed;
} Differ;

static bool see(Differ *d, const Affine *form, int64_t by, bool second) {
    for (uint32_t i = 0; i < form->n; i++) {
        int64_t n;
        uint32_t k = 0;
        if (__builtin_mul_overflow(form->terms[i].by, by, &n)) return false;
        while (k < d->n && d->all[k].variable != form->terms[i].variable)
            k++;
        if (k == sizeof d->all / sizeof *d->all) return false;
        if (k == d->n) d->all[d->n++] = (Both){form->terms[i].variable, 0, 0};
        int64_t *to = second ? &d->all[k].b : &d->all[k].a;
        if (__builtin_add_overflow(*to, n, to)) return false;
    }
    d->c += (second ? -1 : 1) * (Wide)form->c * by;
    d->assumed |= form->assumed;
    return true;
}

static bool is_fresh(const Differ *d, const Variable *variable) {
    return variable->depth >= d->times->fresh_a || variable->depth >= d->times->fresh_b;
}

/* True for a variable that is one number at both times. */
static bool is_equal(const Differ *d, const Variable *variable) {
    return variable->depth <= d->times->equal && !is_fresh(d, variable);
}

/* Replaces a remainder in both forms by what it is a remainder of: they differ by a multiple. */
static bool take_rests(Differ *d, uint32_t i, uint32_t k) {
    const Variable *p = d->all[i].variable, *q = d->all[k].variable;
    const int64_t by = d->all[i].a;
    if (d->modulus != 0 || by != d->all[k].b || p->by != q->by || p->kind != VAR_REST ||
        q->kind != VAR_REST)
        return false;
    d->all[i].a = d->all[k].b = 0;
    d->modulus = (Wide)p->by * (by < 0 ? -(Wide)by : by);
    d->assumed |= p->assumed || q->assumed ? ASSUMED_REM : 0u;
    if (see(d, &p->of, by, false) && see(d, &q->of, by, true)) return true;
    d->c = 0;
    d->n = 0;
    d->modulus = 1; /* any difference */
    return true;
}

static void match_rests(Differ *d) {
    for (uint32_t i = 0; i < d->n; i++) {
        if (d->all[i].variable->kind != VAR_REST || d->all[i].a == 0 ||
            (is_equal(d, d->all[i].variable) && d->all[i].a == d->all[i].b))
            continue;
        for (uint32_t k = 0; k < d->n; k++)
            if (d->all[k].b != 0 &&
                !(is_equal(d, d->all[k].variable) && d->all[k].a == d->all[k].b) &&
                take_rests(d, i, k))
                return;
    }
}

/* Returns what a variable adds to the difference. */
static Range range_of(const Differ *d, const Both *x) {
    const Variable *variable = x->variable;
    if (is_equal(d, variable)) {
        int64_t by;
        if (x->a == x->b) return (Range){0, 0};
        if (!__builtin_sub_overflow(x->a, x->b, &by)) return times(by, variable->lo, variable->hi);
    } else if (variable->kind == VAR_LOOP && d->times->level != 0 && !is_fresh(d, variable) &&
               variable->depth == d->times->level && x->a == x->b) {
        const Range ahead = times(x->a, 1, variable->hi < 1 ? 1 : variable->hi);
        return (Range){-ahead.hi, -ahead.lo};
    }
    const Range a = times(x->a, variable->lo, variable->hi),
                b = times(x->b, variable->lo, variable->hi);
    return plus(a, (Range){-b.hi, -b.lo});
}

/* Returns the interval of the difference as far as it is known. */
static Range sum_of(Differ *d) {
    Range r = {d->c, d->c};
    for (uint32_t i = 0; i < d->n; i++) {
        r = plus(r, range_of(d, &d->all[i]));
        if (d->all[i].variable->assumed && (d->all[i].a != 0 || d->all[i].b != 0))
            d->assumed |= ASSUMED_REM;
    }
    return r;
}

/* Returns a number of which all that variables add to the difference is a multiple; 0: they add
 * nothing. */
static int64_t common_factor(const Differ *d) {
    int64_t g = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        const Both *x = &d->all[i];
        const bool equal = is_equal(d, x->variable);
        if (x->a == INT64_MIN || x->b == INT64_MIN) return 1;
        if (equal && x->a == x->b) continue;
        if (x->a != 0) g = common_divisor(g, x->a < 0 ? -x->a : x->a);
        if (x->b != 0) g = common_divisor(g, x->b < 0 ? -x->b : x->b);
    }
    return g;
}

static bool is_narrow(Range r) {
    return r.lo >= INT64_MIN && r.hi <= INT64_MAX;
}

Difference affine_difference(const Affine *a, const Affine *b, const Times *t) {
    Difference any = {.lo = INT64_MIN, .hi = INT64_MAX};
    Differ d = {.times = t};
    if (!see(&d, a, 1, false) || !see(&d, b, 1, true)) return any;
    const Range r = sum_of(&d);
    if (is_narrow(r)) any = (Difference){.lo = (int64_t)r.lo, .hi = (int64_t)r.hi};
    const Wide whole = d.c;
    const int64_t factor = common_factor(&d);
    match_rests(&d);
    if (d.modulus <= 1 && factor > 1 && whole >= INT64_MIN && whole <= INT64_MAX) {
        any.assumed = d.assumed;
        any.rest_lo = any.rest_hi = (int64_t)whole;
        any.modulus = factor;
        return any;
    }
    const Range rest = d.modulus > 1 && d.modulus <= INT64_MAX / 2 ? sum_of(&d) : (Range){1, 0};
    any.assumed = d.assumed;
    if (rest.lo > rest.hi || !is_narrow(rest)) return any;
    any.rest_lo = (int64_t)rest.lo;
    any.rest_hi = (int64_t)rest.hi;
    any.modulus = (int64_t)d.modulus;
    return any;
}

bool difference_may_be_in(const Difference *d, int64_t lo, int64_t hi) {
    if (d->lo >= hi || d->hi <= lo) return false;
    const Wide m = d->modulus;
    if (m == 0 || (Wide)d->rest_hi - d->rest_lo >= m - 1) return true;
    /* the first interval that ends after `lo` */
    const Wide missing = (Wide)lo + 1 - d->rest_hi;
    Wide turns = missing / m;
    if (turns * m < missing) turns++;
    return d->rest_lo + turns * m < hi;
}
