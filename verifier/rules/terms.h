/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and tests that conditions compute with; some of them only run time may know. The
 * verifier uses the answer; the emitter also prints the remaining term as a check before the
 * statement (residual.h). */
#ifndef VERIFIER_RULES_TERMS_H
#define VERIFIER_RULES_TERMS_H

#include "verifier/rules/case.h"

typedef enum TermKind {
    TERM_NUMBER,  /* n */
    TERM_VROW,    /* valid rows of a tile */
    TERM_VCOL,    /* valid columns */
    TERM_SCALAR,  /* an integer or index operand */
    TERM_EXTENT,  /* dimension n of a view */
    TERM_ADD,     /* a + b */
    TERM_MUL,     /* a * b */
    TERM_DIV,     /* a / n, rounded down; n > 0, a not negative */
    TERM_REM,     /* a % n; n > 0 */
    TERM_EQ,      /* a == b */
    TERM_LE,      /* a <= b */
    TERM_AND,     /* a and b */
    TERM_OR,      /* a or b */
    TERM_NOT,     /* not a */
    TERM_OVERLAP, /* the tiles `value` and `other` share a byte */
    TERM_KINDS
} TermKind;

typedef struct Term {
    uint8_t kind; /* TermKind */
    int8_t slot;  /* of an operand: its index as in Rule, for messages */
    int64_t n;
    const Value *value, *other;
    const struct Term *a, *b;
} Term;

/* A number; when it is not known, `term` computes it (NULL unless Case.terms is set). */
typedef struct Num {
    bool known;
    int64_t n;
    const Term *term;
} Num;

/* The answer to a question; the same holds for the term of UNKNOWN. */
typedef struct Test {
    Answer answer;
    const Term *term;
} Test;

static inline Num number(int64_t n) {
    return (Num){.known = true, .n = n};
}
static inline Test test_of(bool holds) {
    return (Test){.answer = answer(holds)};
}

/* ---- of operands: `index` as in Rule ---- */

/* Returns an extent of a tile. */
Num tile_num(const Case *c, int index, Dim d);
/* Returns an integer operand; of a list, number `nth`. */
Num scalar_num(const Case *c, int index);
Num listed_num(const Case *c, int index, unsigned nth);
/* Returns dimension `dim` of a view. */
Num view_num(const Case *c, int index, unsigned dim);

/* ---- arithmetic; known numbers saturate at 64 bits ---- */

Num num_add(const Case *c, Num a, Num b);
Num num_mul(const Case *c, Num a, Num b);
/* Divide a number that is not negative, rounding down and up. */
Num num_div(const Case *c, Num a, int64_t n);
Num num_ceil_div(const Case *c, Num a, int64_t n);
Num num_rem(const Case *c, Num a, int64_t n);

/* ---- tests ---- */

Test is_equal(const Case *c, Num a, Num b);
Test is_at_most(const Case *c, Num a, Num b);
/* a rel b */
Test is_related(const Case *c, Num a, Relation rel, Num b);
/* True when `a` is in the range of a row. */
Test is_in_range(const Case *c, Num a, const RuleRow *row);
Test both(const Case *c, Test a, Test b);
Test either(const Case *c, Test a, Test b);
Test not_so(const Case *c, Test a);
/* True when the valid regions of two tiles are equal in the dimensions of the set VALID_*. */
Test same_valid(const Case *c, int a, int b, unsigned dims);
/* True when the valid region is 0x0. */
Test is_empty(const Case *c, int index);
/* True when two tiles share no byte. */
Test is_apart(const Case *c, int a, int b);

/* Returns the answer of a condition and stores the term that is left to run time in Case.left. */
Answer settle(const Case *c, Test t);

/* True when two terms have the same shape and operands. */
bool term_same(const Term *a, const Term *b);

#endif
