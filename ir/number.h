/* SPDX-License-Identifier: Apache-2.0 */
/* Integers as a program computes them: in the width of their type, wrapping around. They are kept
 * sign-extended to 64 bits; `index` has 64. This is the only place that computes integers of a
 * program before it runs; what is known of those that are not constants is in analysis/number.h. */
#ifndef IR_NUMBER_H
#define IR_NUMBER_H

#include "ir/ir.h"

/* ---- widths ---- */

/* Returns the bits of an integer type; 0 for others. */
unsigned number_width(const Type *t);
/* Return the low bits of a number, sign-extended and zero-extended. */
int64_t number_signed(int64_t v, unsigned width);
int64_t number_unsigned(int64_t v, unsigned width);

/* Reads a whole text as a number of an integer type: decimal or 0x.., of i1 also true and false.
 * False when it is none or the type does not hold it; i8 holds -128 to 255. In `bits` its sign
 * extends to 64 bits. */
bool number_of_type(Elem e, const char *text, uint64_t *bits);

/* ---- one statement ---- */

/* True for integer arithmetic with one result, casts and comparison; not for select. */
bool number_is_arithmetic(const Op *op);
/* What a statement computes, without the statement. */
typedef enum NumberKind {
    NUMBER_NONE,
    NUMBER_CAST,
    NUMBER_SELECT,
    NUMBER_COMPARE,
    NUMBER_APPLY /* any other of two operands, which may be none */
} NumberKind;
typedef struct NumberOp {
    const Inst *inst;
    uint8_t kind;      /* NumberKind */
    uint8_t predicate; /* of NUMBER_COMPARE, as number_predicate() */
    uint8_t from, to;  /* the widths of the first operand and the result */
} NumberOp;
NumberOp number_form(const Op *op);
/* True for a division or remainder, which has no result by zero. */
bool number_divides(const NumberOp *o);
/* As number_compute(). */
bool number_apply(const NumberOp *o, const int64_t *x, int64_t *out);
/* Computes a statement of integer arithmetic (with casts, comparison and select) whose operands are
 * the numbers `x`; false for another statement, and for a division by zero. */
bool number_compute(const Op *op, const int64_t *x, int64_t *out);
/* Returns the predicate of arith.cmpi: eq, ne, slt, sle, sgt, sge, then those of unsigned numbers
 * from ult on. */
int number_predicate(const Op *cmpi);
enum { FIRST_UNSIGNED_PREDICATE = 6 };

/* ---- values ---- */

/* Returns the number that the text gives a value: that of arith.constant, also through casts. What
 * types, rules of the text and corrections depend on. False if it gives none, or `v` is NULL. A
 * constant is as it is written: 1 for `true`, 200 where i8 has -56. */
bool number_written(const Value *v, int64_t *out);
/* Computes a value from constants alone; false if it depends on more, divides by zero, or takes too
 * many statements. */
bool number_known(const Value *v, int64_t *out);

/* A statement that is being computed. */
typedef struct NumberFrame {
    const Op *op;
    int64_t x[2];
    uint32_t nknown; /* operands in `x` */
} NumberFrame;

/* How values are computed that depend on more than constants. */
typedef struct Evaluation {
    /* Tells the number of a value that no arithmetic defines, and whether it is known. NULL: none
     * is. May evaluate other values. */
    bool (*known)(void *arg, const Value *v, int64_t *out);
    /* Tells which value of a select is meant whose condition is not known. NULL: neither. */
    bool (*choose)(void *arg, const Value *condition, bool *yes);
    void *arg;
    uint32_t left;       /* statements and values that may still be looked at */
    uint32_t used, size; /* of `frames`: how many are in use, and how many there are */
    NumberFrame *frames;
    const Value *unknown; /* the first value that could not be computed */
} Evaluation;

/* Computes a value; without recursion, but for what `known` evaluates. `out` is set only if its
 * number is known, as by all functions here. */
bool number_evaluate(Evaluation *e, const Value *v, int64_t *out);

#endif
