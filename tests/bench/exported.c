/* SPDX-License-Identifier: Apache-2.0 */
/* Exported kernels as one text. */
#include "exported.h"
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Files {
    char **paths;
    size_t n, cap;
} Files;

static Files found; /* nftw passes no pointer on */

static int add_file(const char *path, const struct stat *st, int kind, struct FTW *at) {
    (void)st;
    (void)at;
    size_t len = strlen(path);
    if (kind != FTW_F || len < 4 || strcmp(path + len - 4, ".pto") != 0) return 0;
    if (strstr(path, "/accept/") == NULL || strstr(path, "/DeepseekV4") == NULL) return 0;
    if (found.n == found.cap) {
        found.cap = found.cap * 2 + 64;
        char **grown = realloc(found.paths, found.cap * sizeof *grown);
        if (grown == NULL) return 1;
        found.paths = grown;
    }
    found.paths[found.n] = strdup(path);
    return found.paths[found.n++] == NULL;
}

static int by_path(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static unsigned lines_of(const char *text, size_t size) {
    unsigned n = 0;
    for (const char *s = text, *end = text + size; (s = memchr(s, '\n', (size_t)(end - s))); s++)
        n++;
    return n;
}

/* Appends the file when its lines are short enough; `text` has room for `cap` bytes. */
static void append(Program *p, size_t cap, const char *path, unsigned most) {
    FILE *f = fopen(path, "rb");
    if (f == NULL) return;
    char *at = p->text + p->size;
    size_t size = fread(at, 1, cap - p->size - 1, f);
    bool whole = fgetc(f) == EOF;
    fclose(f);
    if (size == 0 || !whole) return;
    if (at[size - 1] != '\n') at[size++] = '\n';
    unsigned lines = lines_of(at, size);
    if (size > (size_t)most * lines) return;
    p->size += size;
    p->statements += lines;
}

Program exported_program(const char *folder, size_t size, unsigned most) {
    size_t cap = size + (1 << 20);
    Program p = {.text = malloc(cap)};
    found = (Files){0};
    if (folder != NULL) nftw(folder, add_file, 16, FTW_PHYS);
    if (found.n != 0) qsort(found.paths, found.n, sizeof *found.paths, by_path);
    size_t before;
    do {
        before = p.size;
        for (size_t i = 0; p.text != NULL && i < found.n && p.size < size; i++)
            append(&p, cap, found.paths[i], most);
    } while (p.size > before && p.size < size);
    for (size_t i = 0; i < found.n; i++)
        free(found.paths[i]);
    free(found.paths);
    if (p.size == 0) {
        free(p.text);
        return (Program){0};
    }
    p.text[p.size] = '\0';
    return p;
}
