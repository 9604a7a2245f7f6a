/* SPDX-License-Identifier: Apache-2.0 */
/* docs OUT: a build tool that writes the texts of some .def files, packed (support/packed.h). */
#include "support/diag.h"
#include "support/pack.h"

#include <stdint.h>
#include <stdlib.h>

/* ---- the lists ---- */

enum { DOCS = 4 };
static const char *const diag_doc_list[DOCS * DIAG_COUNT] = {
#define DIAG_DOC(name, page, meaning, why, fix)                                                    \
    [DOCS * DIAG_##name] = page, [DOCS * DIAG_##name + 1] = meaning,                               \
            [DOCS * DIAG_##name + 2] = why, [DOCS * DIAG_##name + 3] = fix,
#include "support/diag_docs.def"
#undef DIAG_DOC
};
static const char *const diag_summary_list[] = {
#define DIAG(name, text, severity, summary) summary,
#include "support/diag_ids.def"
#undef DIAG
};
static const char *const foreign_list[] = {
#define FOREIGN(name, inst, also) name, inst, also,
#define COMPOSED(name, formula, insts, sample)
#include "ir/foreign_names.def"
#undef COMPOSED
#undef FOREIGN
};
static const char *const composed_list[] = {
#define FOREIGN(name, inst, also)
#define COMPOSED(name, formula, insts, sample) name, formula, insts, sample,
#include "ir/foreign_names.def"
#undef COMPOSED
#undef FOREIGN
};
static const char *const demand_list[] = {
#define CHECK_FN(name, demand) demand,
#include "verifier/rules/checks.def"
#undef CHECK_FN
};
static const char *const example_list[] = {
#define EXAMPLE(name, text) text,
#define EXAMPLE_BY(name, field, with, without) with, without,
#include "explain/examples.def"
#undef EXAMPLE
#undef EXAMPLE_BY
};
static const char *const reserved_list[] = {
#define K(name) "K" #name,
#define E(name) "E" #name,
#define R(name) "R" #name,
#include "backends/text/reserved.def"
#undef K
#undef E
#undef R
};

/* ---- output ---- */

static void put_texts(FILE *to, const char *name, const char *const *texts, size_t n) {
    static char all[UINT16_MAX];
    size_t size = 0;
    fprintf(to, "static const uint16_t %s_places[] = {\n", name);
    for (size_t i = 0; i < n; i++) {
        if (texts[i] == NULL) {
            fputs("NO_TEXT,\n", to);
            continue;
        }
        const size_t length = strlen(texts[i]) + 1;
        if (length > sizeof all - size) {
            fprintf(stderr, "docs: %s: places have 16 bits\n", name);
            exit(EXIT_FAILURE);
        }
        fprintf(to, "%zu,\n", size);
        memcpy(all + size, texts[i], length);
        size += length;
    }
    fprintf(to, "};\nstatic const unsigned char %s_packed[] = {\n", name);
    put_packed(to, all, size);
    fprintf(to,
            "};\nstatic char %s_text[%zu];\nPackedTexts %s_texts = {.packed = %s_packed, .to = "
            "%s_text, .size = %zu, .places = %s_places};\n",
            name, size, name, name, name, size, name);
}

#define PUT(list) put_texts(to, #list, list##_list, sizeof list##_list / sizeof *list##_list)

int main(int argc, char **argv) {
    FILE *to = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (to == NULL) return EXIT_FAILURE;
    fputs("#include \"support/packed.h\"\n", to);
    PUT(diag_doc);
    PUT(diag_summary);
    PUT(foreign);
    PUT(composed);
    PUT(demand);
    PUT(example);
    PUT(reserved);
    return fclose(to) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
