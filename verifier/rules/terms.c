/* SPDX-License-Identifier: Apache-2.0 */
/* Computes with numbers and tests: folds what is known, else makes a term if one is wanted. */
#include "verifier/rules/terms.h"
#include "verifier/rules/sharing.h"

static const Term *add_term(const Case *c, Term t) {
    if (c->terms == NULL) return NULL;
    Term *out = ARENA_NEW(c->terms, Term);
    *out = t;
    return out;
}

static const Term *term_of(const Case *c, Num a) {
    return a.known ? add_term(c, (Term){.kind = TERM_NUMBER, .n = a.n}) : a.term;
}

static Num unknown_num(const Case *c, Term t) {
    return (Num){.term = add_term(c, t)};
}

static Test unknown_test(const Case *c, Term t) {
    return (Test){.answer = UNKNOWN, .term = add_term(c, t)};
}

/* ---- operands ---- */

/* Returns the value of an operand; of a list, the one that is being judged. */
static const Value *value_of(const Case *c, int index) {
    if (c->nth > 0 && index == c->list) return slot_operands(c->op, index)[c->nth].value;
    return case_value(c, index);
}

Num tile_num(const Case *c, int index, Dim d) {
    const Type *t = case_tile(c, index);
    int64_t n = t != NULL ? tile_dim(t, d) : DYNAMIC;
    if (n != DYNAMIC) return number(n);
    return unknown_num(c, (Term){.kind = d == DIM_VROW ? TERM_VROW : TERM_VCOL,
                                 .slot = (int8_t)index,
                                 .value = value_of(c, index)});
}

static Num value_num(const Case *c, int index, const Value *v) {
    int64_t n;
    if (v != NULL && number_written(v, &n)) return number(n);
    return unknown_num(c, (Term){.kind = TERM_SCALAR, .slot = (int8_t)index, .value = v});
}

Num scalar_num(const Case *c, int index) {
    return value_num(c, index, value_of(c, index));
}

Num listed_num(const Case *c, int index, unsigned nth) {
    return value_num(c, index, slot_operands(c->op, index)[nth].value);
}

Num view_num(const Case *c, int index, unsigned dim) {
    const Type *t = c->types[index];
    if (t->dims[dim] != DYNAMIC) return number(t->dims[dim]);
    return unknown_num(c, (Term){.kind = TERM_EXTENT,
                                 .slot = (int8_t)index,
                                 .n = (int64_t)dim,
                                 .value = value_of(c, index)});
}

/* ---- arithmetic ---- */

Num num_add(const Case *c, Num a, Num b) {
    int64_t n;
    if (a.known && b.known)
        return number(!__builtin_add_overflow(a.n, b.n, &n) ? n : a.n < 0 ? INT64_MIN : INT64_MAX);
    return unknown_num(c, (Term){.kind = TERM_ADD, .a = term_of(c, a), .b = term_of(c, b)});
}

Num num_mul(const Case *c, Num a, Num b) {
    int64_t n;
    if (a.known && b.known)
        return number(!__builtin_mul_overflow(a.n, b.n, &n) ? n
                      : (a.n < 0) != (b.n < 0)              ? INT64_MIN
                                                            : INT64_MAX);
    if (a.known && a.n == 1) return b;
    if (b.known && b.n == 1) return a;
    return unknown_num(c, (Term){.kind = TERM_MUL, .a = term_of(c, a), .b = term_of(c, b)});
}

Num num_div(const Case *c, Num a, int64_t n) {
    if (n == 1) return a;
    if (a.known) return number(a.n / n);
    return unknown_num(c, (Term){.kind = TERM_DIV, .a = a.term, .n = n});
}

Num num_ceil_div(const Case *c, Num a, int64_t n) {
    if (a.known) return number(a.n / n + (a.n % n > 0));
    return num_div(c, n == 1 ? a : num_add(c, a, number(n - 1)), n);
}

Num num_rem(const Case *c, Num a, int64_t n) {
    if (a.known) return number(a.n % n);
    return unknown_num(c, (Term){.kind = TERM_REM, .a = a.term, .n = n});
}

/* ---- tests ---- */

bool term_same(const Term *a, const Term *b) {
    if (a == b) return true;
    return a != NULL && b != NULL && a->kind == b->kind && a->n == b->n && a->value == b->value &&
           a->other == b->other && term_same(a->a, b->a) && term_same(a->b, b->b);
}

/* True when both are the same unknown number. */
static bool same_num(Num a, Num b) {
    return !a.known && !b.known && a.term != NULL && term_same(a.term, b.term);
}

Test is_equal(const Case *c, Num a, Num b) {
    if (a.known && b.known) return test_of(a.n == b.n);
    if (same_num(a, b)) return test_of(true);
    return unknown_test(c, (Term){.kind = TERM_EQ, .a = term_of(c, a), .b = term_of(c, b)});
}

Test is_at_most(const Case *c, Num a, Num b) {
    if (a.known && b.known) return test_of(a.n <= b.n);
    if (same_num(a, b)) return test_of(true);
    return unknown_test(c, (Term){.kind = TERM_LE, .a = term_of(c, a), .b = term_of(c, b)});
}

Test is_related(const Case *c, Num a, Relation rel, Num b) {
    return rel == REL_EQ   ? is_equal(c, a, b)
           : rel == REL_GE ? is_at_most(c, b, a)
                           : is_at_most(c, a, b);
}

Test is_in_range(const Case *c, Num a, const RuleRow *row) {
    if (a.known) return test_of(in_range(row, a.n));
    if (row_args(row)->lo == row_args(row)->hi) return is_equal(c, a, number(row_args(row)->lo));
    Test t = is_at_most(c, number(row_args(row)->lo), a);
    if (row_args(row)->hi != NO_LIMIT) t = both(c, t, is_at_most(c, a, number(row_args(row)->hi)));
    if (row_args(row)->multiple > 1)
        t = both(c, t, is_equal(c, num_rem(c, a, row_args(row)->multiple), number(0)));
    return t;
}

Test both(const Case *c, Test a, Test b) {
    if (a.answer == FAILS || b.answer == HOLDS) return a;
    if (b.answer == FAILS || a.answer == HOLDS) return b;
    return unknown_test(c, (Term){.kind = TERM_AND, .a = a.term, .b = b.term});
}

Test either(const Case *c, Test a, Test b) {
    if (a.answer == HOLDS || b.answer == FAILS) return a;
    if (b.answer == HOLDS || a.answer == FAILS) return b;
    return unknown_test(c, (Term){.kind = TERM_OR, .a = a.term, .b = b.term});
}

Test not_so(const Case *c, Test a) {
    if (a.answer != UNKNOWN) return test_of(a.answer == FAILS);
    if (a.term != NULL && a.term->kind == TERM_NOT)
        return (Test){.answer = UNKNOWN, .term = a.term->a};
    return unknown_test(c, (Term){.kind = TERM_NOT, .a = a.term});
}

Test same_valid(const Case *c, int a, int b, unsigned dims) {
    Test t = test_of(true);
    if ((dims & VALID_ROWS) != 0)
        t = is_equal(c, tile_num(c, a, DIM_VROW), tile_num(c, b, DIM_VROW));
    if ((dims & VALID_COLS) != 0)
        t = both(c, t, is_equal(c, tile_num(c, a, DIM_VCOL), tile_num(c, b, DIM_VCOL)));
    return t;
}

Test is_empty(const Case *c, int index) {
    return both(c, is_equal(c, tile_num(c, index, DIM_VROW), number(0)),
                is_equal(c, tile_num(c, index, DIM_VCOL), number(0)));
}

Test is_apart(const Case *c, int a, int b) {
    Overlap o = operands_overlap(c, a, b);
    if (o != OVERLAP_MAYBE) return test_of(o == OVERLAP_NO);
    const Term *meet = add_term(c, (Term){.kind = TERM_OVERLAP,
                                          .slot = (int8_t)a,
                                          .value = value_of(c, a),
                                          .other = value_of(c, b)});
    return unknown_test(c, (Term){.kind = TERM_NOT, .a = meet});
}

Answer settle(const Case *c, Test t) {
    if (c->left != NULL) *c->left = t.term;
    return t.answer;
}
