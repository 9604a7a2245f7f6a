/* Reading whole files, for the programs of the build. */
#ifndef CLI_EMBED_READ_H
#define CLI_EMBED_READ_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Appends a file to *text, which malloc() made or which is NULL, has *size bytes, and gets a NUL
 * after them. */
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
