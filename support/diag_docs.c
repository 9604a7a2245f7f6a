/* SPDX-License-Identifier: Apache-2.0 */
/* Documentation of the diagnostic ids for `ptoasm explain ID` and docs/diagnostics.md. It is packed
 * in the program, and unpacked when it is first asked for. */
#include "support/diag.h"
#include "support/unpack.h"

#include <stdatomic.h>
#include <string.h>

/* Does not compile if an id has two entries. */
enum {
#define DIAG_DOC(name, page, meaning, why, fix) DOC_##name,
#include "support/diag_docs.def"
#undef DIAG_DOC
    DOC_COUNT
};
_Static_assert((int)DOC_COUNT == (int)DIAG_COUNT,
               "an id of diag_ids.def has no entry in diag_docs.def");

/* The length of all texts. */
enum {
    DOCS_SIZE = 0
#define DIAG_DOC(name, page, meaning, why, fix)                                                    \
    +sizeof page + sizeof meaning + sizeof why + sizeof fix
#include "support/diag_docs.def"
#undef DIAG_DOC
};

static DiagDoc docs[DIAG_COUNT];

static const char *next_text(const char **at) {
    const char *text = *at;
    *at += strlen(text) + 1;
    return text;
}

static void unpack_docs(void) {
    static char texts[DOCS_SIZE];
    const char *at = texts;
    text_unpack(diag_docs_packed, texts, sizeof texts);
    for (int i = 0; i < DIAG_COUNT; i++) {
        docs[i].page = next_text(&at);
        docs[i].meaning = next_text(&at);
        docs[i].why = next_text(&at);
        docs[i].fix = next_text(&at);
    }
}

const DiagDoc *diag_doc(DiagId id) {
    enum { PACKED, UNPACKING, UNPACKED };
    static atomic_int state = PACKED;
    int was = PACKED;
    if (atomic_load_explicit(&state, memory_order_acquire) == UNPACKED) return &docs[id];
    if (atomic_compare_exchange_strong(&state, &was, UNPACKING)) {
        unpack_docs();
        atomic_store_explicit(&state, UNPACKED, memory_order_release);
    }
    while (atomic_load_explicit(&state, memory_order_acquire) != UNPACKED)
        continue; /* another thread is about to end */
    return &docs[id];
}
