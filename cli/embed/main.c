/* SPDX-License-Identifier: Apache-2.0 */
/* embed OUT NAME FILE...: a build tool that writes the first file as a C array NAME, or with - as
 * text, with files that it includes in place of their first #include lines (.def: of all).
 * Comments, blank lines and other includes are left out. */
#include "read.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 16 };

static const char *names[FILES];
static char *texts[FILES];
static bool placed[FILES];
static int files;
static bool as_text;

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

static void put_line(FILE *to, const char *line, size_t n) {
    if (as_text) {
        fwrite(line, 1, n, to);
        fputc('\n', to);
        return;
    }
    for (size_t i = 0; i < n; i++)
        fprintf(to, "%u,", (unsigned)(unsigned char)line[i]);
    fputs("10,\n", to);
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
            put_line(to, text, used);
        text += n + (text[n] == '\n');
    }
}

int main(int argc, char **argv) {
    if (argc < 4 || argc - 3 > FILES) return EXIT_FAILURE;
    for (int i = 3; i < argc; i++, files++) {
        const char *slash = strrchr(argv[i], '/');
        names[files] = slash != NULL ? slash + 1 : argv[i];
        texts[files] = read_file(argv[i]);
        if (texts[files] == NULL) {
            perror(argv[i]);
            return EXIT_FAILURE;
        }
        remove_comments(texts[files]);
    }
    FILE *to = fopen(argv[1], "w");
    if (to == NULL) {
        perror(argv[1]);
        return EXIT_FAILURE;
    }
    as_text = strcmp(argv[2], "-") == 0;
    if (!as_text) fprintf(to, "extern const char %s[];\nconst char %s[] = {\n", argv[2], argv[2]);
    put_text(to, texts[0]);
    if (!as_text) fputs("0};\n", to);
    return fclose(to) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
