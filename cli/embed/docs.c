/* SPDX-License-Identifier: Apache-2.0 */
/* docs OUT: a build tool that writes the documentation of diagnostic ids, packed, for
 * support/diag_docs.c: four texts for each id, each with its NUL. */
#include "pack.h"
#include "support/diag.h"

#include <stdlib.h>

static const DiagDoc docs[DIAG_COUNT] = {
#define DIAG_DOC(name, page, meaning, why, fix) [DIAG_##name] = {page, meaning, why, fix},
#include "support/diag_docs.def"
#undef DIAG_DOC
};

static char text[TEXT_MOST];
static size_t size;

static void add(const char *s) {
    const size_t n = strlen(s) + 1;
    if (n > TEXT_MOST - size) exit(EXIT_FAILURE);
    memcpy(text + size, s, n);
    size += n;
}

int main(int argc, char **argv) {
    FILE *to = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (to == NULL) return EXIT_FAILURE;
    for (int i = 0; i < DIAG_COUNT; i++) {
        add(docs[i].page);
        add(docs[i].meaning);
        add(docs[i].why);
        add(docs[i].fix);
    }
    fputs("#include \"support/diag.h\"\nconst unsigned char diag_docs_packed[] = {\n", to);
    put_packed(to, text, size);
    fputs("};\n", to);
    return fclose(to) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
