/* What is known of the integers of a function: constants, sums of multiples of the variables of
 * loops and of other values, and intervals. Arithmetic is that of the program, in the width of its
 * types; what may wrap around is a value of its own. */
#ifndef ANALYSIS_NUMBER_H
#define ANALYSIS_NUMBER_H

#include "ir/number.h"
#include "support/ptrmap.h"

/* True for integer arithmetic with one result, casts and comparison; not for select. */
bool number_is_arithmetic(const Op *op);
/* Computes a statement of integer arithmetic (with casts, comparison and select) whose operands are
 * the numbers `x`; false for another statement, and for a division by zero. */
bool number_compute(const Context *ctx, const Op *op, const int64_t *x, int64_t *out);

/* Whether a value is a constant, or arithmetic on constants: computes it. */
bool number_known(const Value *v, int64_t *out);

/* ---- affine numbers ---- */

enum { MOST_TERMS = 6 };
/* Beyond it a bound is not known. */
#define NUMBER_FAR (INT64_MAX / 8)

/* c + sum of coefficient * value; a variable of scf.for counts its iterations from 0. */
typedef struct Affine {
    int64_t c;
    uint32_t n;
    struct AffineTerm {
        const Value *v;
        int64_t by;
    } terms[MOST_TERMS];
} Affine;

/* What a description relies on. */
enum {
    ASSUMED_MAX = 1,      /* maxsi(x, 0) was taken as x */
    ASSUMED_REM = 2,      /* a dividend of a remainder was taken as not negative */
    ASSUMED_WIDTH = 4,    /* a number was taken to fit in a type of 32 bits or more */
    ASSUMED_ARGUMENTS = 8 /* (of a proof) different arguments share no memory */
};

/* The numbers of one function. */
typedef struct Numbers {
    Arena *arena;
    PtrMap affine;    /* const Value * -> Affine * */
    unsigned assumed; /* ASSUMED_.. */
} Numbers;

/* Returns what is known of a value, at least that it is itself. */
const Affine *affine_of(Numbers *t, const Value *v);
static inline bool affine_is(const Affine *a, int64_t *c) {
    *c = a->c;
    return a->n == 0;
}
bool affine_same(const Affine *a, const Affine *b);
/* Returns the coefficient of a value; 0 when it does not occur. */
int64_t affine_coefficient(const Affine *a, const Value *v);
/* Computes a += by * b; false when a number is too large or there are too many terms. */
bool affine_add(Affine *a, const Affine *b, int64_t by);
/* Computes a product of which one factor is constant; false otherwise. */
bool affine_multiply(const Affine *a, const Affine *b, Affine *out);

/* ---- intervals ---- */

typedef struct Range {
    int64_t lo, hi; /* -NUMBER_FAR and NUMBER_FAR: no bound */
} Range;

Range range_plus(Range a, Range b);
Range range_times(int64_t by, int64_t lo, int64_t hi);
/* Returns the interval of a number in all iterations of the loops around. */
Range affine_range(const Affine *a);

/* ---- loops ---- */

/* Returns the scf.for whose variable a value is, or NULL. */
const Op *loop_of_variable(const Value *v);
/* Returns the number of iterations of a scf.for, or -1. */
int64_t loop_trips(Numbers *t, const Op *loop);
/* Returns it for constant bounds, else NUMBER_FAR. */
int64_t loop_most_trips(const Op *loop);

#endif
