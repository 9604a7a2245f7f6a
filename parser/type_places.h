/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where the text gives the type of an operand, a result or an argument. The text is scanned
 * when a correction is offered, as the IR does not store positions of types. */
#ifndef PARSER_TYPE_PLACES_H
#define PARSER_TYPE_PLACES_H

#include "ir/ir.h"

/* Find the type at the use `o` of a statement, and at the definition of a value. False when none
 * is written there or it cannot be read. */
bool operand_type_place(const Context *ctx, const Op *op, const Operand *o, Span *place,
                        const Type **written);
bool value_type_place(const Context *ctx, const Value *v, Span *place, const Type **written);

#endif
