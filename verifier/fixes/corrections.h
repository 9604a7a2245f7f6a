/* SPDX-License-Identifier: Apache-2.0 */
/* Adds corrections of a statement that breaks a rule to the diagnostic, as edits. A correction is
 * offered only when every statement that it touches is legal with it. */
#ifndef VERIFIER_FIXES_CORRECTIONS_H
#define VERIFIER_FIXES_CORRECTIONS_H

#include "verifier/rules/sharing.h"

enum { MOST_OFFERS = 100 }; /* limit of attempts in one run */

/* Offers another type for one of the operands, row tiles instead of columns, the missing scratch
 * tile, or another value of the attribute. Does nothing when none of them makes the statement
 * legal. */
void offer_correction(Case *c, const Rule *r, Diag *d);
/* Offers another type for an operand or all of its alias (offer_types.c), and notes it.
 * `elements_only`: in the place and layout that it has. */
bool offer_type(Case *c, const Rule *r, bool elements_only, Diag *d);
/* Offers another tile type for a value of the statement or, where its type has an alias, for all
 * values of the alias. */
bool offer_tile(Judge *j, const Op *op, const Value *v, TileInfo tile, Diag *d);
/* Is the statement legal once an earlier fix is made? Then shows `d` as a note of the diagnostic
 * with that fix. */
bool same_cause(Case *c, Diag *d);
/* Offer a pto.tcvt before the statement, as many strides as the view has dimensions, and an aligned
 * address (offer_statements.c). */
bool offer_conversion(const Case *c, Diag *d);
bool offer_strides(const Case *c, Diag *d);
bool offer_address(const Case *c, Diag *d);
/* Is the diagnostic about the constant address that a fix changes already? */
bool same_address(const Case *c, const Repair *r, const Diag *d);
/* Returns the blanks at the start of the line of a statement. */
Span indentation(const Context *ctx, const Op *op);
/* Returns a free address after all tiles of the function; -1 when there is none. */
int64_t free_address(const Case *c, const Type *t);
/* Offers another value of the attribute (offer_values.c). */
bool offer_value(Case *c, const Rule *r, Diag *d);
/* Offers an instruction for the types of the operands, or a scalar operand of another type
 * (offer_scalars.c). */
bool offer_scalars(Case *c, const Rule *r, Diag *d);
/* Finds the value alone in the text of an attribute: `7` in `7 : i32`. False for aliases. */
bool value_place(const Context *ctx, const Attr *a, Span *place);

#endif
