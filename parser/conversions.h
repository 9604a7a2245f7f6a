/* SPDX-License-Identifier: Apache-2.0 */
/* Edits for scalar operands of the wrong type: their constant gets another type, a cast comes
 * before the statement, or the statement gets the instruction for the type. */
#ifndef PARSER_CONVERSIONS_H
#define PARSER_CONVERSIONS_H

#include "ir/ir.h"

/* Gives an operand of a statement another type. False when no way is known. */
bool offer_operand_type(Context *ctx, Diag *d, const Op *op, const Operand *o, const Type *type);
/* Is the value an integer constant that can have the type, and is its own type written? Gives the
 * place of that. */
bool constant_takes(const Context *ctx, const Value *v, const Type *type, Span *place);
/* Does the text of the function have the name of the value once, and no more often, after its
 * definition? */
bool is_named_once(const Context *ctx, const Value *v, const Op *func);
/* Is there a cast from one scalar type to the other that loses nothing? */
bool is_castable(const Type *from, const Type *to);
/* Writes such a cast on the line after the definition of a value; returns the name of its result,
 * 0 when it is not possible. `before` is where the first use is. */
Atom offer_cast_of_value(Context *ctx, Diag *d, const Value *v, const Type *type, uint32_t before);
/* Writes `arith.index_cast` or a wider integer, or the constant once more, before the statement
 * that begins at `start`, and its name at the use. False when no such cast is known. */
bool offer_cast(Context *ctx, Diag *d, uint32_t start, const Value *v, Span use, const Type *type);

/* Writes another instruction in the place of that of the statement, and its attributes as that one
 * has them. False when it does not have them. */
bool offer_instruction(Context *ctx, Diag *d, const Op *op, const Inst *other);

#endif
