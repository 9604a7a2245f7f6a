/* SPDX-License-Identifier: Apache-2.0 */
/* embed OUT - FILE...: a build tool that writes the first file with files that it includes in place
 * of their first #include lines (.def: of all). Comments, blank lines and other includes are left
 * out.
 * embed OUT NAME FILE...: writes the last file as a C array NAME. Each file must be the beginning
 * of the next one, but for its guard: NAME_ends are the lengths. */
#include "read.h"
#include "support/pack.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 16 };

static const char *names[FILES];
static char *texts[FILES];
static bool placed[FILES];
static int files;

static char *read_file(const char *path) {
    char *text = NULL;
    size_t size = 0;
    return append_file(path, &text, &size) ? text : NULL;
}

/* Replaces comments by blanks; line ends stay. */
static void remove_comments(char *s) {
    while ((s = strstr(s, "/*")) != NULL) {
        char *end = strstr(s, "*/");
        if (end == NULL) return;
        for (; s < end + 2; s++)
            if (*s != '\n') *s = ' ';
    }
}

/* Returns the text of the file that a line includes, once. Sets *skip when the line is to be left
 * out. */
static const char *included(const char *line, size_t n, bool *skip) {
    static const char word[] = "#include ";
    *skip = n > sizeof word && strncmp(line, word, sizeof word - 1) == 0;
    if (!*skip || line[sizeof word - 1] != '"') return NULL;
    const char *name = line + sizeof word;
    for (int i = 0; i < files; i++) {
        size_t len = strlen(names[i]);
        if (strncmp(name, names[i], len) != 0 || name[len] != '"') continue;
        const bool rows = len > 4 && strcmp(names[i] + len - 4, ".def") == 0;
        const bool again = placed[i] && !rows; /* rows mean something else each time */
        placed[i] = true;
        return again ? NULL : texts[i];
    }
    return NULL;
}

static bool is_builtin(const char *line) {
    static const char word[] = "#define __STDC";
    return strncmp(line, word, sizeof word - 1) == 0;
}

static void put_text(FILE *to, const char *text) {
    while (*text != '\0') {
        size_t n = strcspn(text, "\n"), used = n;
        while (used > 0 && text[used - 1] == ' ')
            used--;
        bool skip;
        const char *other = included(text, used, &skip);
        skip |= is_builtin(text); /* the preprocessor prints its own, too */
        if (other != NULL)
            put_text(to, other);
        else if (used > 0 && !skip)
            fprintf(to, "%.*s\n", (int)used, text);
        text += n + (text[n] == '\n');
    }
}

/* ---- arrays ---- */

static bool starts_with(const char *s, const char *word) {
    return strncmp(s, word, strlen(word)) == 0;
}

/* Removes guards, built-in names, and blanks that mean nothing: indentation, and all but one where
 * no text is quoted. */
static void shrink(char *text) {
    char *to = text;
    for (char *line = text, *next; *line != '\0'; line = next) {
        char *end = line + strcspn(line, "\n");
        next = end + (*end == '\n');
        const bool quoted = memchr(line, '"', (size_t)(end - line)) != NULL;
        const bool guard = starts_with(line, "#define PTORT_") && end - line > 4 &&
                           strncmp(end - 3, "_H ", 3) == 0;
        if (guard || is_builtin(line)) continue;
        while (line < end && *line == ' ')
            line++;
        while (line < end && end[-1] == ' ')
            end--;
        if (line == end) continue;
        for (; line < end; line++)
            if (quoted || *line != ' ' || line[1] != ' ') *to++ = *line;
        *to++ = '\n';
    }
    *to = '\0';
}

static bool put_array(FILE *to, const char *name) {
    const char *last = texts[files - 1];
    for (int i = 0; i < files; i++)
        shrink(texts[i]);
    if (strlen(last) > TEXT_MOST) return false;
    fprintf(to, "extern const unsigned char %s[];\nextern const unsigned %s_ends[];\n", name, name);
    fprintf(to, "const unsigned %s_ends[] = {", name);
    for (int i = 0; i < files; i++) {
        if (!starts_with(last, texts[i])) {
            fprintf(stderr, "embed: %s does not begin with %s\n", names[files - 1], names[i]);
            return false;
        }
        fprintf(to, "%zu,", strlen(texts[i]));
    }
    fprintf(to, "};\nconst unsigned char %s[] = {\n", name);
    put_packed(to, last, strlen(last));
    fputs("};\n", to);
    return true;
}

/* ---- files ---- */

static bool read_files(char **paths, int n) {
    if (n > FILES) return false;
    for (; files < n; files++) {
        const char *slash = strrchr(paths[files], '/');
        names[files] = slash != NULL ? slash + 1 : paths[files];
        texts[files] = read_file(paths[files]);
        if (texts[files] == NULL) {
            perror(paths[files]);
            return false;
        }
        remove_comments(texts[files]);
    }
    return true;
}

int main(int argc, char **argv) {
    if (argc < 4 || !read_files(argv + 3, argc - 3)) return EXIT_FAILURE;
    FILE *to = fopen(argv[1], "w");
    bool fine = to != NULL;
    if (!fine)
        perror(argv[1]);
    else if (strcmp(argv[2], "-") == 0)
        put_text(to, texts[0]);
    else
        fine = put_array(to, argv[2]);
    if (to != NULL && fclose(to) != 0) fine = false;
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
