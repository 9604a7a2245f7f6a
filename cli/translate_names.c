/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the outputs of ptoas: one file, or files in a folder. */
#include "cli/translate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool ends_with(const char *name, const char *ending) {
    const size_t n = strlen(name), m = strlen(ending);
    return n > m && strcmp(name + n - m, ending) == 0;
}

/* Returns the stem of a file's name: without folders and the ending .pto. */
static const char *stem_of(const char *name, size_t *n) {
    const char *slash = strrchr(name, '/'), *stem = slash != NULL ? slash + 1 : name;
    *n = strlen(stem) - (ends_with(stem, ".pto") ? 4 : 0);
    return stem;
}

void program_stem(const char *name, char *text, size_t size) {
    size_t n;
    const char *stem = stem_of(name, &n);
    snprintf(text, size, "%.*s", (int)n, strcmp(name, "-") == 0 ? "stdin" : stem);
}

static bool is_folder(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int compare_stems(const void *a, const void *b) {
    size_t m, n;
    const char *x = stem_of(*(const char *const *)a, &m), *y = stem_of(*(const char *const *)b, &n);
    const int order = memcmp(x, y, m < n ? m : n);
    return order != 0 ? order : (m > n) - (m < n);
}

static int refuse_same(const FileList *files, const OutputNames *names) {
    const char **list = malloc((files->n + 1) * sizeof *list);
    int rc = FINE;
    if (list == NULL) return trouble("out of memory");
    for (size_t i = 0; i < files->n; i++)
        list[i] = files->items[i].name;
    qsort(list, files->n, sizeof *list, compare_stems);
    for (size_t i = 1; i < files->n && rc == FINE; i++) {
        size_t n;
        const char *stem = stem_of(list[i], &n);
        if (compare_stems(&list[i - 1], &list[i]) == 0)
            rc = trouble("'%s' and '%s' have one output, '%s/%.*s%s'", list[i - 1], list[i],
                         names->folder, (int)n, stem, names->ending);
    }
    free(list);
    return rc;
}

int output_names(OutputNames *names, const FileList *files, const Options *opt) {
    *names = (OutputNames){.file = opt->out, .ending = opt->ptoas.pto_text ? ".pto" : ".cpp"};
    if (files->n == 1 && !is_folder(opt->out)) return FINE;
    if (strcmp(opt->out, "-") == 0 || ends_with(opt->out, names->ending))
        return trouble("several files need a folder: -o FOLDER");
    names->folder = opt->out;
    const int rc = refuse_same(files, names);
    if (rc == FINE && mkdir(opt->out, 0777) != 0 && !is_folder(opt->out))
        return trouble("cannot make the folder '%s': %s", opt->out, strerror(errno));
    return rc;
}

bool output_name(const OutputNames *names, const char *file, char *text, size_t size) {
    char stem[NAME_MAX + 1];
    program_stem(file, stem, sizeof stem);
    const int n = names->folder == NULL
                      ? snprintf(text, size, "%s", names->file)
                      : snprintf(text, size, "%s/%s%s", names->folder, stem, names->ending);
    return n >= 0 && (size_t)n < size;
}
