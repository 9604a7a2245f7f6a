/* SPDX-License-Identifier: Apache-2.0 */
/* Which statement a byte of a text is in, and the `loc(..)` of each: found by the tokens alone, so
 * that it serves statements that could not be read, and those that were checked and forgotten. */
#ifndef LEXER_LOCATIONS_H
#define LEXER_LOCATIONS_H

#include "ir/ir.h"

/* Returns the table of a context's source, which is made on the first call. A text without `loc`
 * costs one search. */
const Locations *context_locations(Context *ctx);

#endif
