/* SPDX-License-Identifier: Apache-2.0 */
/* Orders the values that completion offers for an operand. */
#ifndef CLI_LSP_RANK_H
#define CLI_LSP_RANK_H

#include "cli/lsp/cursor.h"
#include "cli/lsp/lsp.h"

typedef struct Ranking Ranking;

/* Returns NULL when the cursor is not in a list of operands of a known instruction. */
Ranking *ranking_new(Document *d, const Cursor *at, size_t offset);
/* Returns 0 for a value whose type all profiles accept there, 1 for one that some accept, 2 for
 * another of the right kind, 3 for the rest. */
unsigned rank_of(Ranking *r, const ptoasm_definition *def);
void ranking_free(Ranking *r);

#endif
