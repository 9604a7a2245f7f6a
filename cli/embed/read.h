/* SPDX-License-Identifier: Apache-2.0 */
/* Reads whole files, for build tools. */
#ifndef CLI_EMBED_READ_H
#define CLI_EMBED_READ_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Appends a file to *text, which is from malloc() or NULL, and a NUL. *size is the length without
 * it. */
static bool append_file(const char *path, char **text, size_t *size) {
    FILE *in = fopen(path, "rb");
    size_t got;
    if (in == NULL) return false;
    do {
        char *larger = realloc(*text, *size + 4097);
        if (larger == NULL) break;
        *text = larger;
        got = fread(larger + *size, 1, 4096, in);
        *size += got;
        larger[*size] = '\0';
    } while (got == 4096);
    fclose(in);
    return *text != NULL;
}

#endif
