/* SPDX-License-Identifier: Apache-2.0 */
/* generate FILE...: writes each grammar; the end of its name says which. */
#include "editors/words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *s, const char *end) {
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        bool vim = ends_with(argv[i], ".vim");
        if (!vim && !ends_with(argv[i], ".tmLanguage.json")) {
            fprintf(stderr, "generate: nothing is known to write into '%s'\n", argv[i]);
            return EXIT_FAILURE;
        }
        FILE *to = fopen(argv[i], "w");
        if (to == NULL) {
            perror(argv[i]);
            return EXIT_FAILURE;
        }
        if (vim)
            write_vim(to);
        else
            write_textmate(to);
        if (fclose(to) != 0) {
            perror(argv[i]);
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
