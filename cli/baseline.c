/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes baselines: a header line, then one line per warning with path, id and source
 * line separated by tabs. */
#include "cli/baseline.h"
#include "cli/warnings.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "# ptoasm baseline 1: file, id, line\n";

enum { MOST_LINE = 400 };

/* ---- paths and lines ---- */

/* Returns the absolute path of the folder of a file; NULL when there is none. */
static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (slash == NULL) return realpath(".", NULL);
    if (slash == path) return realpath("/", NULL);
    char *name = strndup(path, (size_t)(slash - path)), *folder = NULL;
    if (name != NULL) folder = realpath(name, NULL);
    free(name);
    return folder;
}

/* Returns the path of a file relative to a folder, absolute when it is not below it. The caller
 * frees it. */
static char *path_from(const char *folder, const char *name) {
    char *path = strcmp(name, "-") == 0 ? NULL : realpath(name, NULL);
    if (path == NULL) return strdup(name);
    size_t n = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    if (strncmp(path, folder, n) != 0 || path[n] != '/') return path;
    char *below = strdup(path + n + 1);
    free(path);
    return below;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* Copies the line at an offset without surrounding blanks, tabs as blanks, NULs as question marks.
 */
static void line_at(const ptoasm_source *src, uint32_t offset, char out[MOST_LINE + 1]) {
    size_t size, n = 0;
    const char *s = ptoasm_source_text(src, &size);
    size_t from = offset < size ? offset : size, to = from;
    while (from > 0 && s[from - 1] != '\n')
        from--;
    while (to < size && s[to] != '\n')
        to++;
    while (from < to && is_blank(s[from]))
        from++;
    while (to > from && is_blank(s[to - 1]))
        to--;
    for (; from < to && n < MOST_LINE; from++)
        out[n++] = is_blank(s[from]) ? ' ' : s[from] == '\0' ? '?' : s[from];
    out[n] = '\0';
}

/* ---- reading ---- */

static int by_line(const void *a, const void *b) {
    const BaselineLine *x = a, *y = b;
    int d = strcmp(x->path, y->path);
    if (d == 0) d = strcmp(x->id, y->id);
    return d != 0 ? d : strcmp(x->text, y->text);
}

/* Splits a line into its fields; false when it has too few. */
static bool read_line(char *line, BaselineLine *out) {
    char *id = strchr(line, '\t'), *text = id != NULL ? strchr(id + 1, '\t') : NULL;
    if (text == NULL) return false;
    *id++ = '\0';
    *text++ = '\0';
    *out = (BaselineLine){line, id, text};
    return true;
}

/* True for the errors that a baseline may list: those that a comment may allow, too. */
static bool is_listed_error(const char *id) {
    const DiagId found = diag_find(id);
    return found != DIAG_COUNT && error_may_be_allowed(found);
}

/* Warns about the id of line `number` when no warning has it, once for a run of such lines. */
static void check_id(const Baseline *b, const WarningIds *known, const char *path, size_t number) {
    const char *id = b->lines[b->n].id;
    char why[256];
    if (b->n > 0 && strcmp(b->lines[b->n - 1].id, id) == 0) return;
    if (warning_known(known, id, strlen(id)) || is_listed_error(id)) return;
    wrong_warning_text(id, why, sizeof why);
    caution("baseline '%s': line %zu: %s", path, number, why);
}

static int read_lines(Baseline *b, const char *path) {
    size_t room = 1, number = 1;
    WarningIds known;
    warning_ids(&known);
    for (const char *s = b->in.data; (s = strchr(s, '\n')) != NULL; s++)
        room++;
    b->lines = malloc(room * sizeof *b->lines);
    if (b->lines == NULL) return trouble("out of memory");
    for (char *line = b->in.data + sizeof head - 1, *end; *line != '\0'; line = end) {
        number++;
        if ((end = strchr(line, '\n')) == NULL)
            end = line + strlen(line);
        else
            *end++ = '\0';
        if (!read_line(line, &b->lines[b->n]))
            return trouble("baseline '%s': line %zu is not 'file, id, line'", path, number);
        check_id(b, &known, path, number);
        b->n++;
    }
    qsort(b->lines, b->n, sizeof *b->lines, by_line);
    return FINE;
}

/* Replaces `\r\n` by `\n`, as a checkout may have changed line ends. */
static void drop_returns(Input *in) {
    size_t n = 0;
    for (size_t i = 0; i < in->size; i++)
        if (in->data[i] != '\r' || in->data[i + 1] != '\n') in->data[n++] = in->data[i];
    in->data[n] = '\0';
    in->size = n;
}

int baseline_read(Baseline *b, const char *path) {
    *b = (Baseline){.n = 0};
    const char *reason = input_try(path, false, &b->in);
    if (reason != NULL) return trouble("cannot read baseline '%s': %s", path, reason);
    b->folder = folder_of(path);
    if (b->folder == NULL) return trouble("out of memory");
    drop_returns(&b->in);
    if (strncmp(b->in.data, head, sizeof head - 1) != 0 || strlen(b->in.data) != b->in.size)
        return trouble("'%s' is not a baseline of ptoasm", path);
    return read_lines(b, path);
}

void baseline_free(Baseline *b) {
    input_free(&b->in);
    free(b->folder);
    free(b->lines);
    *b = (Baseline){.n = 0};
}

/* ---- hiding ---- */

typedef struct Hiding {
    const BaselineLine *lines; /* the lines for this file */
    bool *used;
    size_t n;
    const ptoasm_source *src;
} Hiding;

/* Each line of the baseline hides one diagnostic. */
static bool is_known(const ptoasm_diagnostic *d, void *arg) {
    Hiding *h = arg;
    char text[MOST_LINE + 1];
    line_at(h->src, d->place.offset, text);
    for (size_t i = 0; i < h->n; i++)
        if (!h->used[i] && strcmp(h->lines[i].id, d->id) == 0 &&
            strcmp(h->lines[i].text, text) == 0)
            return h->used[i] = true;
    return false;
}

/* Returns the first line with this path or a later one. */
static size_t first_of(const Baseline *b, const char *path) {
    size_t from = 0, to = b->n;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (strcmp(b->lines[mid].path, path) < 0)
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

void baseline_hide(const Baseline *b, ptoasm_result *res, const ptoasm_source *src) {
    char *path = path_from(b->folder, ptoasm_source_name(src));
    if (path == NULL) return;
    size_t first = first_of(b, path), n = 0;
    while (first + n < b->n && strcmp(b->lines[first + n].path, path) == 0)
        n++;
    Hiding h = {b->lines + first, n > 0 ? calloc(n, sizeof(bool)) : NULL, n, src};
    if (h.used != NULL) ptoasm_hide_warnings(res, is_known, &h);
    free(h.used);
    free(path);
}

/* ---- writing ---- */

int baseline_begin(BaselineNew *b, const char *path) {
    *b = (BaselineNew){.folder = folder_of(path)};
    if (b->folder == NULL) return trouble("cannot write '%s': there is no such folder", path);
    return FINE;
}

static void add_text(BaselineNew *b, const char *s, size_t n) {
    if (b->failed) return;
    if (b->room - b->size < n) {
        size_t room = 2 * b->room + n + 1024;
        char *text = realloc(b->text, room);
        b->failed = text == NULL;
        if (b->failed) return;
        b->text = text;
        b->room = room;
    }
    memcpy(b->text + b->size, s, n);
    b->size += n;
}

void baseline_add(BaselineNew *b, const ptoasm_result *res, const ptoasm_source *src) {
    char text[MOST_LINE + 1], *path = path_from(b->folder, ptoasm_source_name(src));
    ptoasm_diagnostic d;
    b->failed |= path == NULL;
    bool plain = path != NULL && strpbrk(path, "\t\n") == NULL;
    for (size_t i = 0; plain && ptoasm_diagnostic_at(res, i, &d); i++) {
        if (d.severity != PTOASM_SEVERITY_WARNING && !is_listed_error(d.id)) continue;
        b->errors += d.severity == PTOASM_SEVERITY_ERROR;
        line_at(src, d.place.offset, text);
        add_text(b, path, strlen(path));
        add_text(b, "\t", 1);
        add_text(b, d.id, strlen(d.id));
        add_text(b, "\t", 1);
        add_text(b, text, strlen(text));
        add_text(b, "\n", 1);
    }
    free(path);
}

int baseline_end(BaselineNew *b, const char *path) {
    Output out;
    int rc = b->failed ? trouble("out of memory") : output_open(&out, path);
    if (rc == FINE) {
        bool written = output_write(&out, head, sizeof head - 1) &&
                       (b->size == 0 || output_write(&out, b->text, b->size));
        rc = written ? output_commit(&out) : TROUBLE;
        if (!written) output_drop(&out);
    }
    if (rc == FINE && b->errors > 0)
        caution("baseline '%s' lists %zu error%s, which will not be shown", path, b->errors,
                b->errors == 1 ? "" : "s");
    free(b->text);
    free(b->folder);
    return rc;
}

bool set_baseline(Options *opt, const char *value) {
    opt->check.baseline = value;
    return *value != '\0' && strcmp(value, "-") != 0;
}
