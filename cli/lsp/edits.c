/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that edit the text: formatting, renaming, corrections. */
#include "cli/lsp/lsp.h"

#include "cli/diff.h"
#include "support/ascii.h"
#include <stdlib.h>
#include <string.h>

/* ---- edits between two texts ---- */

typedef struct Edits {
    const Server *s;
    Document *d;
    json_t *list;
} Edits;

static void add_edit(void *arg, size_t from, size_t to, const char *text, size_t size) {
    const Edits *e = arg;
    json_add(e->list, text_edit(e->s, e->d, from, to, text, size));
}

/* Replaces whole lines, so that the cursor and marks in the others stay. */
static json_t *edits_to(const Server *s, Document *d, const char *text, size_t size) {
    Edits e = {s, d, json_array()};
    if (!diff_changes(d->text.data, d->text.size, text, size, add_edit, &e)) out_of_memory();
    return e.list;
}

/* ---- formatting ---- */

json_t *answer_formatting(Server *s, const json_t *params, Failure *f) {
    Document *d = request_document(s, params, f);
    ptoasm_result *res;
    size_t size = 0;
    if (d == NULL) return NULL;
    int status =
        ptoasm_program_format(document_program(d), &d->project->opt.judge, PTOASM_FORM_KEEP, &res);
    if (res == NULL && status == PTOASM_NOMEM) out_of_memory();
    const char *text = status == PTOASM_OK ? ptoasm_result_text(res, &size) : NULL;
    json_t *edits =
        text != NULL ? edits_to(s, d, text, size)
                     : request_fail(f, ERROR_FAILED, "not formatted: the program cannot be read");
    ptoasm_result_free(res);
    return edits;
}

/* ---- renaming ---- */

json_t *answer_prepare_rename(Server *s, const json_t *params, Failure *f) {
    Document *d;
    size_t offset, n;
    if (!request_place(s, params, f, &d, &offset)) return NULL;
    ptoasm_place *names = document_places(d, ptoasm_program_names, offset, &n);
    json_t *result = NULL;
    for (size_t i = 0; i < n && result == NULL; i++) {
        size_t from = names[i].offset, to = from + names[i].length;
        if (from > offset + 1 || offset > to) continue; /* accepts the cursor on the marker */
        result = packed("{s:o, s:o}", "range", json_place(s, d, from, to), "placeholder",
                        json_bytes(d->text.data + from, to - from));
    }
    free(names);
    return result != NULL ? result : json_null();
}

/* Returns the text with a new name, which the caller frees; *at is its first place. */
static char *renamed_text(const Document *d, const ptoasm_place *names, size_t n, const char *name,
                          size_t *size) {
    size_t length = strlen(name), at = 0;
    char *text = must_alloc(d->text.size + n * length + 1), *to = text;
    for (size_t i = 0; i < n; i++) {
        memcpy(to, d->text.data + at, names[i].offset - at);
        to += names[i].offset - at;
        memcpy(to, name, length);
        to += length;
        at = (size_t)names[i].offset + names[i].length;
    }
    memcpy(to, d->text.data + at, d->text.size - at);
    *size = (size_t)(to - text) + d->text.size - at;
    text[*size] = '\0';
    return text;
}

static size_t error_count(ptoasm_program *program) {
    ptoasm_options judge = PTOASM_OPTIONS_INIT;
    ptoasm_result *res;
    ptoasm_diagnostic d;
    size_t errors = 0;
    judge.max_errors = 0;
    if (ptoasm_program_check(program, &judge, &res) == PTOASM_NOMEM) out_of_memory();
    for (size_t i = 0; ptoasm_diagnostic_at(res, i, &d); i++)
        errors += d.severity == PTOASM_SEVERITY_ERROR;
    ptoasm_result_free(res);
    return errors;
}

/* True when the program keeps its meaning with the new name: it occurs as often as the old one
 * did, and there are no more errors. */
static bool means_same(Document *d, const char *text, size_t size, size_t offset, size_t n) {
    ptoasm_source *src;
    ptoasm_program *program;
    if (ptoasm_source_open(d->uri, text, size, PTOASM_SOURCE_BORROW, &src) != PTOASM_OK)
        return false;
    if (ptoasm_program_open(src, NULL, &program) != PTOASM_OK) out_of_memory();
    bool same = ptoasm_program_names(program, (uint32_t)offset, NULL, 0) == n &&
                error_count(program) <= error_count(document_program(d));
    ptoasm_program_close(program);
    ptoasm_source_close(src);
    return same;
}

static int by_offset(const void *a, const void *b) {
    const ptoasm_place *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static bool is_name(const char *s) {
    bool digits = *s >= '0' && *s <= '9';
    if (*s == '\0') return false;
    for (; *s != '\0'; s++) {
        bool digit = *s >= '0' && *s <= '9';
        if (digits ? !digit : !digit && !ascii_is_letter(*s) && strchr("_$.-", *s) == NULL)
            return false;
    }
    return true;
}

json_t *answer_rename(Server *s, const json_t *params, Failure *f) {
    Document *d;
    size_t offset, n, size;
    const char *name = string_at(params, "newName");
    if (!request_place(s, params, f, &d, &offset)) return NULL;
    if (name == NULL) return request_fail(f, ERROR_PARAMS, "newName is missing");
    if (*name != '\0' && strchr("%@!", *name) != NULL) name++;
    if (!is_name(name)) return request_fail(f, ERROR_PARAMS, "'%.100s' is not a name", name);
    ptoasm_place *names = document_places(d, ptoasm_program_names, offset, &n);
    if (n > 1) qsort(names, n, sizeof *names, by_offset);
    json_t *edits = json_array();
    for (size_t i = 0; i < n; i++)
        json_add(edits, text_edit(s, d, names[i].offset, (size_t)names[i].offset + names[i].length,
                                  name, strlen(name)));
    char *text = renamed_text(d, names, n, name, &size);
    bool fine = n > 0 && means_same(d, text, size, names[0].offset, n);
    free(text);
    free(names);
    if (fine) return workspace_edit(s, d, edits);
    json_decref(edits);
    return n == 0 ? request_fail(f, ERROR_FAILED,
                                 "there is no name of a value, function or alias here")
                  : request_fail(f, ERROR_FAILED,
                                 "the program would not mean the same with '%.100s'", name);
}

/* ---- corrections ---- */

static bool wants_kind(const json_t *params, const char *kind) {
    const json_t *only = json_object_get(json_object_get(params, "context"), "only"), *item;
    size_t i;
    if (!json_is_array(only)) return true;
    json_array_foreach(only, i, item) {
        const char *asked = json_string_value(item);
        size_t n = asked != NULL ? strlen(asked) : 0;
        if (asked != NULL && strncmp(kind, asked, n) == 0 && (kind[n] == '\0' || kind[n] == '.'))
            return true;
    }
    return false;
}

/* Returns the title of a correction for the editor's menu. */
static json_t *title_of(Document *d, ptoasm_result *res, size_t i, size_t edits, const char *id) {
    char title[200];
    const char *text = "";
    ptoasm_place at = {0};
    ptoasm_diagnostic_edit(res, i, 0, &text, &at);
    if (edits > 1)
        snprintf(title, sizeof title, "Correct %zu places [%s]", edits, id);
    else if (*text == '\0')
        snprintf(title, sizeof title, "Remove '%.*s'", at.length < 60 ? (int)at.length : 60,
                 d->text.data + at.offset);
    else
        snprintf(title, sizeof title, "%s '%.100s'", at.length == 0 ? "Insert" : "Replace by",
                 text);
    for (char *c = title; *c != '\0'; c++)
        if (*c == '\n') *c = ' ';
    return json_text(title);
}

static json_t *edits_of(const Server *s, Document *d, ptoasm_result *res, size_t i) {
    const char *text;
    ptoasm_place at;
    json_t *list = json_array();
    for (size_t n = 0; ptoasm_diagnostic_edit(res, i, n, &text, &at); n++)
        json_add(list,
                 text_edit(s, d, at.offset, (size_t)at.offset + at.length, text, strlen(text)));
    return list;
}

static void add_fix(Server *s, Document *d, ptoasm_result *res, size_t i,
                    const ptoasm_diagnostic *found, json_t *actions) {
    json_add(actions,
             packed("{s:o, s:s, s:[o], s:b, s:o}", "title",
                    title_of(d, res, i, found->edits + found->guesses, found->id), "kind",
                    "quickfix", "diagnostics", diagnostic_json(s, d, res, i), "isPreferred",
                    (int)found->safe_fix, "edit", workspace_edit(s, d, edits_of(s, d, res, i))));
}

/* Offers a comment above the line that allows the warning. */
static void add_allowance(Server *s, Document *d, ptoasm_result *res, size_t i,
                          const ptoasm_diagnostic *found, json_t *actions) {
    char title[120], comment[200];
    Position line = text_position(&d->text, found->place.offset, true);
    line.character = 0;
    size_t at = text_offset(&d->text, line, true), indent = 0;
    while (d->text.data[at + indent] == ' ' || d->text.data[at + indent] == '\t')
        indent++;
    snprintf(title, sizeof title, "Allow [%s] on the next line", found->id);
    int n = snprintf(comment, sizeof comment, "%.*s// ptoasm: allow(%s)\n",
                     indent < 80 ? (int)indent : 80, d->text.data + at, found->id);
    json_t *edits = packed("[o]", text_edit(s, d, at, at, comment, (size_t)n));
    json_add(actions,
             packed("{s:s, s:s, s:[o], s:o}", "title", title, "kind", "quickfix", "diagnostics",
                    diagnostic_json(s, d, res, i), "edit", workspace_edit(s, d, edits)));
}

static void add_quick_fixes(Server *s, Document *d, size_t from, size_t to, json_t *actions) {
    ptoasm_result *res = document_check(d);
    ptoasm_diagnostic found;
    for (size_t i = 0; ptoasm_diagnostic_at(res, i, &found); i++) {
        size_t start = found.place.offset, end = start + found.place.length;
        if (start > to || end < from) continue;
        if (found.edits + found.guesses > 0) add_fix(s, d, res, i, &found, actions);
        if (found.severity == PTOASM_SEVERITY_WARNING) add_allowance(s, d, res, i, &found, actions);
    }
}

/* Offers all safe corrections of the file. */
static void add_fix_all(Server *s, Document *d, json_t *actions) {
    size_t size, fixes;
    const char *text = ptoasm_fixed_text(document_check(d), 0, &size, &fixes);
    if (text == NULL) out_of_memory();
    if (fixes == 0) return;
    json_add(actions,
             packed("{s:s, s:s, s:o}", "title", "Make all corrections that keep the meaning",
                    "kind", "source.fixAll.ptoasm", "edit",
                    workspace_edit(s, d, edits_to(s, d, text, size))));
}

json_t *answer_actions(Server *s, const json_t *params, Failure *f) {
    Document *d = request_document(s, params, f);
    size_t from, to;
    if (d == NULL) return NULL;
    if (!range_read(s, d, json_object_get(params, "range"), &from, &to))
        return request_fail(f, ERROR_PARAMS, "range is missing or invalid");
    json_t *actions = json_array();
    if (wants_kind(params, "quickfix")) add_quick_fixes(s, d, from, to, actions);
    if (wants_kind(params, "source.fixAll.ptoasm")) add_fix_all(s, d, actions);
    return actions;
}
