/* Corrections of a statement that breaks a rule, added to the diagnostic as edits. Each was judged:
 * with it every statement that it touches keeps its rules. */
#ifndef VERIFIER_OFFERS_H
#define VERIFIER_OFFERS_H

#include "verifier/rules.h"

enum { MOST_OFFERS = 100 }; /* corrections that are looked for in a run */

/* Another type for one of the operands, row tiles instead of columns, the scratch tile that is
 * missing, or another value of the attribute. Does nothing when none of them makes the statement
 * legal. */
void offer_correction(Case *c, const Rule *r, Diag *d);
/* The part for attributes (offer_values.c). */
bool offer_value(Case *c, const Rule *r, Diag *d);
/* Where the text has the value itself: `7` of `7 : i32`. False for aliases. */
bool value_place(const Context *ctx, const Attr *a, Span *place);

#endif
