/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of the integers of a function before it runs: an affine form, and an interval.
 *
 * A form is c + sum of by * variable. A variable is the count of a loop's iterations, a remainder
 * or a quotient of a form, or a value of which only an interval is known. Each number is computed
 * once, without recursion, whatever the length of the chain of statements that leads to it. */
#ifndef ANALYSIS_NUMBER_H
#define ANALYSIS_NUMBER_H

#include "ir/number.h"
#include "support/ptrmap.h"

/* What an answer relies on. */
enum {
    ASSUMED_REM = 1,       /* a dividend of a remainder is not negative */
    ASSUMED_ARGUMENTS = 2, /* different arguments share no memory */
    ASSUMED_STRIDES = 4,   /* strides are at least the extent of the dimensions inside */
    ASSUMED_MAX = 8,       /* what arith.maxsi compares with 0 is not negative */
    ASSUMED_SUBBLOCK = 16, /* arguments called ..subblock_idx tell which vector core it is */
    ASSUMED_SYNCALL = 32   /* pto.syncall orders the transfers before it and after it */
};

/* ---- forms ---- */

typedef struct Variable Variable;

typedef struct AffineTerm {
    const Variable *variable;
    int64_t by;
} AffineTerm;

/* The terms are in the order of their variables' numbers. */
typedef struct Affine {
    int64_t c;
    uint32_t n;
    unsigned assumed; /* ASSUMED_.., what the form relies on */
    const AffineTerm *terms;
} Affine;

typedef struct Number {
    Affine form;
    int64_t lo, hi; /* the number, as a signed one, is in [lo, hi] */
    bool exact;     /* it is the form; false: it differs by a multiple of 2^64, as sums may wrap */
} Number;

typedef enum VariableKind {
    VAR_LOOP,     /* the iterations of `loop` that ended, from 0 */
    VAR_REST,     /* the number in [lo, lo + by) that differs from `of` by a multiple of `by` */
    VAR_QUOTIENT, /* `of` / `by`, rounded down */
    VAR_TURNS,    /* `turns` at `of` modulo `by` */
    VAR_COMPUTED, /* what `value` computes from the operands */
    VAR_VALUE     /* `value` */
} VariableKind;

struct Variable {
    uint8_t kind;    /* VariableKind */
    bool assumed;    /* of VAR_REST: a dividend was taken as not negative: ASSUMED_REM */
    uint16_t nest;   /* variables inside each other */
    uint32_t number; /* in the order in which they are made */
    uint32_t depth;  /* it is one number in each iteration of so many loops around */
    int64_t lo, hi, by;
    const Value *value;
    const Op *loop;
    Affine of;
    const int64_t *turns;
    const Number *operands[3];
    Variable *chain;
};

enum { NUMBER_CHAINS = 64 };

/* A statement that changes the valid region of a tile. */
typedef struct Reshaping {
    struct Reshaping *next;
    const Op *op;
} Reshaping;

/* The numbers of a module. */
typedef struct Numbers {
    Arena *arena;
    PtrMap known; /* const Value * -> const Number * */
    PtrMap loops; /* const Op * -> Variable * */
    Variable *rests[NUMBER_CHAINS];
    PtrMap reshaped;   /* const Value * -> Reshaping *: tiles of which the valid region changes */
    bool any_reshaped; /* some other tile may, which is not known by name */
    uint8_t subblock;  /* 1 + what pto.get_subblock_idx returns; 0: that is not known */
    uint32_t nvariables;
    const Value **stack; /* values that are being computed */
    uint32_t cap;
} Numbers;

static inline Numbers numbers_in(Arena *arena) {
    return (Numbers){.arena = arena,
                     .known = {.arena = arena},
                     .loops = {.arena = arena},
                     .reshaped = {.arena = arena}};
}

/* Sets what an integer is, before it is asked for. */
void number_set(Numbers *t, const Value *v, int64_t c);
/* Returns what is known of an integer. */
const Number *number_of(Numbers *t, const Value *v);
/* Returns the number of iterations of a scf.for, or -1. */
int64_t loop_trips(Numbers *t, const Op *loop);
/* Returns the number of loops around the statements of a block. All blocks of a region but the
 * first count as in one loop. */
uint32_t loops_around(const Block *b);

/* ---- operations on forms ---- */

static inline Affine affine_constant(int64_t c) {
    return (Affine){.c = c};
}
static inline bool affine_is(const Affine *a, int64_t *c) {
    *c = a->c;
    return a->n == 0;
}
int64_t common_divisor(int64_t a, int64_t b);
/* The least common multiple of numbers from 1 on; 0 for one beyond a million. */
int64_t common_multiple(int64_t a, int64_t b);
bool affine_same(const Affine *a, const Affine *b);
/* Returns how deep the deepest variable is; 0 for a constant. */
uint32_t affine_depth(const Affine *a);
/* Returns what the form and its variables rely on, ASSUMED_.. */
unsigned affine_assumed(const Affine *a);
int64_t affine_coefficient(const Affine *a, const Variable *variable);
/* Computes a + by * b; false when it has too many terms, or some number is too large. `out` may be
 * `a`. */
bool affine_add(Arena *arena, const Affine *a, const Affine *b, int64_t by, Affine *out);
/* Computes a * b, of which one must be a constant. */
bool affine_times(Arena *arena, const Affine *a, const Affine *b, Affine *out);
/* Returns the form without the term of a variable, for which it sets the coefficient. */
Affine affine_without(Arena *arena, const Affine *a, const Variable *variable, int64_t *by);
/* The interval of a form; what is beyond 64 bits is given as the limit. */
void affine_range(const Affine *a, int64_t *lo, int64_t *hi);
/* Returns after how many iterations of one loop the form repeats, 1 for a constant, and 0 if it
 * does not or depends on anything else. With a `modulus` other than 0, what counts is the form
 * modulo it. */
int64_t affine_period(const Affine *a, int64_t modulus, const Variable **loop);
/* Returns the form in iteration k of the loop that affine_period() found. */
int64_t affine_at(const Affine *a, int64_t k);

/* How two numbers differ: by a number in [lo, hi] that, if there is a modulus, also is a multiple
 * of it away from some number in [rest_lo, rest_hi]. */
typedef struct Difference {
    int64_t lo, hi;
    int64_t rest_lo, rest_hi, modulus; /* 0: none */
    unsigned assumed;                  /* ASSUMED_.., what it relies on */
} Difference;

/* When two numbers are computed: in the same iteration of the first `equal` loops around both. With
 * a `level`, the second is in a later iteration of the loop of that depth. Atoms of `a` that are
 * least as deep as `fresh_a` are of some iteration before (UINT32_MAX: none), as are those of `b`.
 */
typedef struct Times {
    uint32_t equal, level;
    uint32_t fresh_a, fresh_b;
} Times;

Difference affine_difference(const Affine *a, const Affine *b, const Times *t);
/* True when some difference may be in (lo, hi). */
bool difference_may_be_in(const Difference *d, int64_t lo, int64_t hi);

#endif
