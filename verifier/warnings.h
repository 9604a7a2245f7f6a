/* The diagnostics that programs can get as warnings. */
#ifndef VERIFIER_WARNINGS_H
#define VERIFIER_WARNINGS_H

#include "support/diag.h"

typedef struct WarningIds {
    const char *ids[DIAG_COUNT];
    unsigned n;
} WarningIds;

/* All ids that programs can get as warnings. */
void warning_ids(WarningIds *out);
/* Is the text of `n` bytes one of them? */
bool warning_known(const WarningIds *known, const char *id, size_t n);

#endif
