/* Corrections of a statement that breaks a rule, added to the diagnostic as edits. Each was judged:
 * with it every statement that it touches keeps its rules. */
#ifndef VERIFIER_OFFERS_H
#define VERIFIER_OFFERS_H

#include "verifier/rules.h"

/* Another type for one of the operands, row tiles instead of columns, or the scratch tile that is
 * missing. Does nothing when none of them makes the statement legal. */
void offer_correction(Case *c, const Rule *r, Diag *d);

#endif
