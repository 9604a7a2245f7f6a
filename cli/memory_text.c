/* SPDX-License-Identifier: Apache-2.0 */
/* Streams into memory, and words with a file in them. Unlike those of open_memstream they report
 * that memory has run out. */
#define _GNU_SOURCE
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static ssize_t append(void *cookie, const char *data, size_t n) {
    MemoryText *m = cookie;
    if (n >= m->room - m->size) {
        if (n > SIZE_MAX / 4 || m->size > SIZE_MAX / 4) return 0;
        size_t room = 2 * (m->size + n) + 256;
        char *grown = realloc(m->text, room);
        if (grown == NULL) return 0; /* as fopencookie wants it for a failure */
        m->text = grown;
        m->room = room;
    }
    memcpy(m->text + m->size, data, n);
    m->size += n;
    m->text[m->size] = '\0';
    return (ssize_t)n;
}

FILE *memory_open(MemoryText *m) {
    const cookie_io_functions_t functions = {.write = append};
    *m = (MemoryText){.text = calloc(1, 1), .room = 1};
    FILE *to = m->text != NULL ? fopencookie(m, "w", functions) : NULL;
    if (to == NULL) memory_free(m);
    return to;
}

bool memory_close(FILE *to, MemoryText *m) {
    bool fine = fflush(to) == 0 && !ferror(to);
    fine &= fclose(to) == 0;
    if (!fine) memory_free(m);
    return fine;
}

void memory_free(MemoryText *m) {
    free(m->text);
    *m = (MemoryText){.text = NULL};
}

char *braces_filled(const char *word, const char *file) {
    size_t n = strlen(word) + 1;
    for (const char *at = word; (at = strstr(at, "{}")) != NULL; at += 2)
        n += strlen(file);
    char *out = malloc(n), *to = out;
    if (out == NULL) return NULL;
    for (const char *at; (at = strstr(word, "{}")) != NULL; word = at + 2)
        to += sprintf(to, "%.*s%s", (int)(at - word), word, file);
    strcpy(to, word);
    return out;
}
