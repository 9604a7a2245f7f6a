/* Where the text writes the type of an operand, a result or an argument. Read again from the text
 * when a correction is offered: the IR keeps no place of a type. */
#ifndef PARSER_TYPE_PLACES_H
#define PARSER_TYPE_PLACES_H

#include "ir/ir.h"

/* The type at the use `o` of a statement, and the one at the definition of a value. False when the
 * text writes none there, or one that cannot be read. */
bool operand_type_place(const Context *ctx, const Op *op, const Operand *o, Span *place,
                        const Type **written);
bool value_type_place(const Context *ctx, const Value *v, Span *place, const Type **written);

#endif
