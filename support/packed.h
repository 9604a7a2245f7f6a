/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of texts that cli/embed/docs.c packs when the program is built. */
#ifndef SUPPORT_PACKED_H
#define SUPPORT_PACKED_H

#include "support/unpack.h"

extern PackedTexts diag_doc_texts;     /* diag_docs.def: four texts of each id, by id */
extern PackedTexts diag_summary_texts; /* diag_ids.def */
extern PackedTexts foreign_texts;      /* ir/foreign_names.def, FOREIGN: three texts of each */
extern PackedTexts composed_texts;     /* COMPOSED: four texts of each */
extern PackedTexts demand_texts;       /* verifier/rules/checks.def */
extern PackedTexts example_texts;      /* explain/examples.def */
/* backends/text/reserved.def: K, E or R, then the name. */
extern PackedTexts reserved_texts;

#endif
