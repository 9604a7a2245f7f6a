/* SPDX-License-Identifier: Apache-2.0 */
/* Whether tiles share bytes. */
#ifndef VERIFIER_RULES_SHARING_H
#define VERIFIER_RULES_SHARING_H

#include "verifier/rules/case.h"

/* Returns where the tiles of the surrounding function are; NULL outside of functions. */
const Alias *alias_at(Judge *j, const Op *op);

/* Tells whether two operands or results share a byte. */
Overlap operands_overlap(const Case *c, int a, int b);
/* Writes where two that overlap are. */
void put_shared_storage(const Case *c, int a, int b, StrBuf *out);
/* Copies the places of a tile that a statement uses into memory that lives as long as the module.
 */
AliasSet kept_places(Judge *j, const Op *op, const Value *v);
/* Returns the pairs that the callers of a function must keep apart, newest first. */
const TileNeed *needs_of(const Judge *j, const Op *func);
void add_need(Judge *j, const Op *func, const Op *op, int a, int b, AliasSet s, AliasSet t);

#endif
