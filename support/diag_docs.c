/* SPDX-License-Identifier: Apache-2.0 */
/* Documentation of the diagnostic ids for `ptoasm explain ID` and docs/diagnostics.md, which is
 * packed in the program. */
#include "support/diag.h"
#include "support/packed.h"

/* Does not compile if an id has two entries. */
enum {
#define DIAG_DOC(name, page, meaning, why, fix) DOC_##name,
#include "support/diag_docs.def"
#undef DIAG_DOC
    DOC_COUNT
};
_Static_assert((int)DOC_COUNT == (int)DIAG_COUNT,
               "an id of diag_ids.def has no entry in diag_docs.def");

DiagDoc diag_doc(DiagId id) {
    enum { TEXTS = 4 };
    const unsigned at = (unsigned)id * TEXTS;
    return (DiagDoc){packed_text(&diag_doc_texts, at), packed_text(&diag_doc_texts, at + 1),
                     packed_text(&diag_doc_texts, at + 2), packed_text(&diag_doc_texts, at + 3)};
}

const char *diag_summary(DiagId id) {
    return packed_text(&diag_summary_texts, (unsigned)id);
}
