/* Integers as a program computes them: in the width of their type, wrapping around. They are kept
 * sign-extended to 64 bits; `index` has 64. */
#ifndef IR_NUMBER_H
#define IR_NUMBER_H

#include "ir/ir.h"

/* Returns the bits of an integer type; 0 for others. */
unsigned number_width(const Type *t);
/* Return the low bits of a number, sign-extended and zero-extended. */
int64_t number_signed(int64_t v, unsigned width);
int64_t number_unsigned(int64_t v, unsigned width);
/* True for statements that change the width of an integer: index_cast, extsi, extui, trunci and
 * index_castui. */
bool number_is_cast(const Op *op);
/* Computes a cast of the number `x`. */
int64_t number_cast(const Op *op, int64_t x);

#endif
