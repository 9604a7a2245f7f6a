/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of --lint in other people's programs, in the folder that PTOASM_CORPUS names: those that
 * lints.tsv lists and judges, and no others. Of tiles the accepted samples are looked at, of
 * micro-instructions all accepted programs, for [copy-overlap]. An unused tile must have a name
 * that occurs once in its function. usage: test_lints FOLDER_OF_LISTS */
#include "common/checkrun.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 2048, MOST_LISTED = 1000, MOST_IDS = 8 };

typedef struct Listed {
    const char *path, *id;
    unsigned count;
    bool seen;
} Listed;

static Listed listed[MOST_LISTED];
static unsigned nlisted, failures, programs, findings;

static void fault(const char *path, const char *id, unsigned found, unsigned wanted) {
    printf("FAIL %s: %u times [%s], %u listed\n", path, found, id, wanted);
    failures++;
}

/* Cuts a line into fields; the number of them. */
static unsigned cut(char *line, char *fields[], unsigned most) {
    unsigned n = 0;
    while (line != NULL && n < most) {
        fields[n++] = line;
        if ((line = strchr(line, '\t')) != NULL) *line++ = '\0';
    }
    return n;
}

static char *next_line(char **rest) {
    char *line = *rest, *end = line != NULL ? strchr(line, '\n') : NULL;
    if (line == NULL || *line == '\0') return NULL;
    *rest = end != NULL ? end + 1 : NULL;
    if (end != NULL) *end = '\0';
    return line;
}

static void read_list(char *text) {
    char *fields[4];
    for (char *line; (line = next_line(&text)) != NULL;) {
        if (*line == '#') continue;
        if (cut(line, fields, 4) != 4 || nlisted == MOST_LISTED) exit(2);
        listed[nlisted++] = (Listed){fields[0], fields[1], (unsigned)atoi(fields[2]), false};
    }
}

static unsigned wanted(const char *path, const char *id) {
    for (unsigned i = 0; i < nlisted; i++)
        if (strcmp(listed[i].path, path) == 0 && strcmp(listed[i].id, id) == 0) {
            listed[i].seen = true;
            return listed[i].count;
        }
    return 0;
}

static bool is_name(char c) {
    return isalnum((unsigned char)c) || strchr("_$.-", c) != NULL;
}

/* Does the name that is defined at `at` occur once between the functions around it? */
static bool occurs_once(const char *text, size_t at) {
    const char *from = text, *to = strstr(text + at, "func.func");
    size_t n = 1;
    for (const char *s = text; (s = strstr(s, "func.func")) != NULL && s < text + at; s++)
        from = s;
    if (to == NULL) to = text + strlen(text);
    while (at > 0 && text[at] != '%' && text[at] != '\n')
        at--;
    if (text[at] != '%') return false;
    while (text[at + n] != '\0' && is_name(text[at + n]))
        n++;
    unsigned found = 0;
    for (const char *s = from; s + n < to; s++)
        found += memcmp(s, text + at, n) == 0 && !is_name(s[n]);
    return found == 1;
}

typedef struct Tally {
    const char *id;
    unsigned n;
} Tally;

static void tally_finding(Tally *tally, const ptoasm_diagnostic *d) {
    unsigned k = 0;
    while (tally[k].id != NULL && strcmp(tally[k].id, d->id) != 0)
        k++;
    if (k == MOST_IDS) exit(2);
    tally[k].id = d->id;
    tally[k].n++;
}

static bool is_lint(const char *path, const char *id) {
    static const char *const ids[] = {"uninit-tile", "dead-store", "unused-tile", "live-overlap",
                                      "missing-free"};
    if (strcmp(id, "copy-overlap") == 0) return true;
    if (strncmp(path, "micro/", 6) == 0) return false;
    for (unsigned i = 0; i < sizeof ids / sizeof ids[0]; i++)
        if (strcmp(ids[i], id) == 0) return true;
    return false;
}

static void try_program(const char *path, const char *text, size_t size,
                        const ptoasm_options *opt) {
    Tally tally[MOST_IDS + 1] = {{NULL, 0}};
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    ptoasm_diagnostic d;
    if (ptoasm_source_open(path, text, size, PTOASM_SOURCE_BORROW, &src) != PTOASM_OK) exit(2);
    ptoasm_check(src, opt, &res);
    for (size_t i = 0; res != NULL && ptoasm_diagnostic_at(res, i, &d); i++) {
        if (!is_lint(path, d.id)) continue;
        tally_finding(tally, &d);
        if (strcmp(d.id, "unused-tile") == 0 && !occurs_once(text, d.place.offset)) {
            printf("FAIL %s:%u: the tile is named elsewhere\n", path, d.place.line);
            failures++;
        }
    }
    for (unsigned k = 0; tally[k].id != NULL; k++) {
        unsigned want = wanted(path, tally[k].id);
        if (tally[k].n != want) fault(path, tally[k].id, tally[k].n, want);
        findings += tally[k].n;
    }
    programs++;
    ptoasm_result_free(res);
    ptoasm_source_close(src);
}

/* Columns of INDEX.tsv: path below `folder`, source, profiles, levels, verdict. The first accepting
 * row of a program whose path contains `part` is judged. */
static void try_row(const char *corpus, const char *folder, const char *part, char *line,
                    char *last) {
    char *fields[6], name[PATH_SIZE], path[2 * PATH_SIZE];
    if (cut(line, fields, 6) < 6 || strcmp(fields[4], "accept") != 0 ||
        strstr(fields[0], part) == NULL || strcmp(fields[0], last) == 0)
        return;
    ptoasm_options opt = PTOASM_OPTIONS_INIT;
    size_t size;
    snprintf(last, PATH_SIZE, "%s", fields[0]);
    opt.profiles = strncmp(fields[2], "a5", 2) == 0 ? PTOASM_PROFILE_A5 : PTOASM_PROFILE_A2A3;
    opt.level = fields[3][5] - '0';
    opt.compat = true;
    opt.lint = true;
    snprintf(name, sizeof name, "%s%s", folder, fields[0]);
    snprintf(path, sizeof path, "%s/%s", corpus, name);
    char *text = read_whole_file(path, &size);
    if (text == NULL) exit(2);
    try_program(name, text, size, &opt);
    free(text);
}

static char *read_in(const char *folder, const char *name) {
    char path[PATH_SIZE];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *text = read_whole_file(path, &size);
    if (text == NULL) fprintf(stderr, "cannot read %s\n", path);
    return text;
}

static bool try_rows(const char *corpus, const char *folder, const char *part) {
    char last[PATH_SIZE] = "", name[64];
    snprintf(name, sizeof name, "%sINDEX.tsv", folder);
    char *index = read_in(corpus, name), *rest = index;
    for (char *line; (line = next_line(&rest)) != NULL;)
        try_row(corpus, folder, part, line, last);
    free(index);
    return index != NULL;
}

int main(int argc, char **argv) {
    const char *corpus = getenv("PTOASM_CORPUS");
    if (corpus == NULL) {
        puts("PTOASM_CORPUS is not set: skipped");
        return 77;
    }
    if (argc != 2) return 2;
    char *list = read_in(argv[1], "lints.tsv");
    if (list == NULL) return 2;
    read_list(list);
    if (!try_rows(corpus, "", "/test/samples/") || !try_rows(corpus, "micro/", "")) return 2;
    for (unsigned i = 0; i < nlisted; i++)
        if (!listed[i].seen) fault(listed[i].path, listed[i].id, 0, listed[i].count);
    printf("%u programs, %u findings, %u failures\n", programs, findings, failures);
    free(list);
    return failures == 0 ? 0 : 1;
}
