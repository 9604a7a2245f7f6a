/* SPDX-License-Identifier: Apache-2.0 */
/* The diagnostic ids that can be warnings. */
#ifndef VERIFIER_RULES_WARNINGS_H
#define VERIFIER_RULES_WARNINGS_H

#include "support/diag.h"

typedef struct WarningIds {
    const char *ids[DIAG_COUNT];
    unsigned n;
} WarningIds;

/* Lists all ids that can be warnings. */
void warning_ids(WarningIds *out);
/* True when the text of `n` bytes is one of them. */
bool warning_known(const WarningIds *known, const char *id, size_t n);

/* True for the errors that a comment may allow: those of the proof of synchronisation, which may be
 * ordered by what it does not see. */
bool error_may_be_allowed(DiagId id);

#endif
