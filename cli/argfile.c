/* SPDX-License-Identifier: Apache-2.0 */
/* Reads @FILE. */
#include "cli/argfile.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 10 }; /* nesting of files */

static int no_memory(void) {
    return trouble("out of memory");
}

int argfile_word(ArgList *list, char *word) {
    if (list->n + 1 >= list->cap) {
        if (list->cap > INT_MAX / 2) return no_memory();
        int cap = list->cap < 32 ? 32 : list->cap * 2;
        char **v = realloc(list->v, (size_t)cap * sizeof *v);
        if (v == NULL) return no_memory();
        list->v = v;
        list->cap = cap;
    }
    list->v[list->n++] = word;
    list->v[list->n] = NULL;
    return -1;
}

static int keep_file(ArgList *list, const Input *in) {
    if (list->nfiles == list->file_cap) {
        int cap = list->file_cap < 4 ? 4 : list->file_cap * 2;
        Input *files = realloc(list->files, (size_t)cap * sizeof *files);
        if (files == NULL) return no_memory();
        list->files = files;
        list->file_cap = cap;
    }
    list->files[list->nfiles++] = *in;
    return -1;
}

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The rest of a file, split into words. */
typedef struct Words {
    char *at;
    bool comments;   /* lines that begin with `#` are comments */
    bool line_start; /* only blanks come before `at` in its line */
} Words;

/* Skips blanks and comments; NULL at the end. */
static char *next_start(Words *w) {
    char *p = w->at;
    for (;; p++) {
        if (w->comments && w->line_start && *p == '#') p += strcspn(p, "\n");
        if (*p == '\n') w->line_start = true;
        if (!is_blank(*p)) return *p != '\0' ? p : NULL;
    }
}

/* Returns the next word, unquoted in place; NULL at the end. */
static char *next_word(Words *w) {
    char *p = next_start(w), *word, *out, quote = '\0';
    if (p == NULL) return NULL;
    for (word = out = p; *p != '\0' && (quote != '\0' || !is_blank(*p)); p++) {
        if (*p == '\\') {
            if (p[1] == '\0') continue;
            *out++ = *++p;
        } else if (*p == quote) {
            quote = '\0';
        } else if (quote == '\0' && (*p == '"' || *p == '\'')) {
            quote = *p;
        } else {
            *out++ = *p;
        }
    }
    w->line_start = *p == '\n';
    w->at = *p == '\0' ? p : p + 1;
    *out = '\0';
    return word;
}

static int add(ArgList *list, char *word, int depth, bool *options);

static int add_file(ArgList *list, const char *path, int depth, bool *options) {
    if (depth == DEEPEST)
        return trouble("'@%s': argument files are nested more than %d deep", path, DEEPEST);
    Input in;
    const char *reason = input_try(path, false, &in);
    if (reason != NULL) return trouble("cannot read argument file '%s': %s", path, reason);
    int rc = keep_file(list, &in);
    if (rc >= 0) {
        input_free(&in);
        return rc;
    }
    if (strlen(in.data) != in.size) return trouble("argument file '%s': it has NUL bytes", path);
    Words words = {.at = in.data, .comments = list->folder != NULL, .line_start = true};
    char *word;
    while (rc < 0 && (word = next_word(&words)) != NULL)
        rc = add(list, word, depth + 1, options);
    return rc;
}

char *path_joined(const char *folder, const char *name) {
    size_t n = strlen(folder), slash = n > 0 && folder[n - 1] != '/', m = strlen(name);
    char *path = malloc(n + slash + m + 1);
    if (path == NULL) return NULL;
    memcpy(path, folder, n);
    if (slash) path[n] = '/';
    memcpy(path + n + slash, name, m + 1);
    return path;
}

/* Adds the words of the file that a word @FILE names. */
static int add_named(ArgList *list, char *name, int depth, bool *options) {
    if (list->folder == NULL || *name == '/') return add_file(list, name, depth, options);
    char *path = path_joined(list->folder, name);
    int rc = path != NULL ? argfile_keep(list, path) : no_memory();
    return rc < 0 ? add_file(list, path, depth, options) : rc;
}

static int add(ArgList *list, char *word, int depth, bool *options) {
    if (*options && word[0] == '@' && word[1] != '\0')
        return add_named(list, word + 1, depth, options);
    if (strcmp(word, "--") == 0) *options = false;
    return argfile_word(list, word);
}

int argfiles_expand(int argc, char **argv, ArgList *out) {
    bool options = true;
    *out = (ArgList){.n = 0};
    int rc = argfile_word(out, argv[0]);
    for (int i = 1; i < argc && rc < 0; i++)
        rc = add(out, argv[i], 0, &options);
    return rc;
}

int argfile_read(ArgList *list, const char *path) {
    bool options = true;
    return add_file(list, path, 0, &options);
}

int argfile_keep(ArgList *list, char *word) {
    const Input in = {.data = word};
    int rc = keep_file(list, &in);
    if (rc >= 0) free(word);
    return rc;
}

/* Moves the files of `from`, so that words in their texts stay valid. */
int argfile_take(ArgList *to, ArgList *from) {
    int rc = -1, before = to->nfiles;
    for (int i = 0; i < from->nfiles && rc < 0; i++)
        rc = keep_file(to, &from->files[i]);
    if (rc < 0)
        from->nfiles = 0;
    else
        to->nfiles = before;
    return rc;
}

void argfiles_free(ArgList *list) {
    for (int i = 0; i < list->nfiles; i++)
        input_free(&list->files[i]);
    free(list->files);
    free(list->v);
}
