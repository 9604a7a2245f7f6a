/* SPDX-License-Identifier: Apache-2.0 */
/* The guards of written rows (WrittenRow.guard), resolved for an instruction. */
#ifndef VERIFIER_RULES_GUARDS_H
#define VERIFIER_RULES_GUARDS_H

#include "verifier/rules/rows.h"

enum { MOST_GUARDS = 3 };
typedef struct ReadGuard {
    Guard list[MOST_GUARDS];
    unsigned n;
    int level; /* as in RowGuard */
} ReadGuard;

/* Reads the words of a guard, which may be NULL; false: a word names nothing, or there are too
 * many. */
bool guard_read(const Inst *inst, const char *text, ReadGuard *out);
/* Writes them as a clause: ` at level 3 when dst is in mat or vec and tmp is absent`. */
void guard_put(StrBuf *out, const Inst *inst, const char *text);

#endif
