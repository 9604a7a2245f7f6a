/* SPDX-License-Identifier: Apache-2.0 */
/* Documentation of the diagnostic ids for `ptoasm explain ID` and docs/diagnostics.md. */
#include "support/diag.h"

const DiagDoc diag_docs[DIAG_COUNT] = {
#define DIAG_DOC(name, page, meaning, why, fix) [DIAG_##name] = {page, meaning, why, fix},
#include "support/diag_docs.def"
#undef DIAG_DOC
};

/* Does not compile if an id has two entries. */
enum {
#define DIAG_DOC(name, page, meaning, why, fix) DOC_##name,
#include "support/diag_docs.def"
#undef DIAG_DOC
    DOC_COUNT
};
_Static_assert((int)DOC_COUNT == (int)DIAG_COUNT,
               "an id of diag_ids.def has no entry in diag_docs.def");
