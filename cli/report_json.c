/* SPDX-License-Identifier: Apache-2.0 */
/* --format=json: one JSON object per line and diagnostic on standard output.
 * docs/machine-output.md describes it, docs/diagnostic.schema.json defines it. */
#include "cli/report.h"
#include "cli/report_values.h"
#include "ir/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_place(json_t *o, const ptoasm_place *place) {
    static const char *const keys[] = {"line",       "column", "end_line",
                                       "end_column", "offset", "length"};
    bool known = place != NULL && place->line > 0;
    const uint32_t values[] = {known ? place->line : 0,     known ? place->column : 0,
                               known ? place->end_line : 0, known ? place->end_column : 0,
                               known ? place->offset : 0,   known ? place->length : 0};
    for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++)
        json_put(o, keys[i], known ? json_integer(values[i]) : json_null());
}

static json_t *profile_list(uint32_t set) {
    json_t *list = json_array();
    for (int p = 0; p < PROFILE_COUNT; p++)
        if ((set & PROFILE_BIT(p)) != 0) json_add(list, json_string(profile_names[p]));
    return list;
}

/* Lists the author's lines of the statement at a byte. */
json_t *source_list(ptoasm_result *res, uint32_t offset) {
    json_t *list = json_array();
    ptoasm_location l;
    for (size_t i = 0; ptoasm_location_at(res, offset, i, &l); i++) {
        json_t *o = json_object();
        json_put(o, "file", json_text(l.file));
        json_put(o, "line", json_integer(l.line));
        json_put(o, "column", l.column != 0 ? json_integer(l.column) : json_null());
        json_put(o, "name", l.name != NULL ? json_text(l.name) : json_null());
        json_put(o, "message", json_text(l.message));
        json_add(list, o);
    }
    return list;
}

static json_t *note_list(ptoasm_result *res, size_t i, size_t n) {
    json_t *list = json_array();
    for (size_t k = 0; k < n; k++) {
        const char *message;
        ptoasm_place place;
        if (!ptoasm_diagnostic_note(res, i, k, &message, &place)) break;
        json_t *o = json_object();
        put_place(o, &place);
        json_put(o, "message", json_text(message));
        json_put(o, "sources", place.line > 0 ? source_list(res, place.offset) : json_array());
        json_add(list, o);
    }
    return list;
}

static json_t *edit_list(const ptoasm_result *res, size_t i, size_t n) {
    json_t *list = json_array();
    for (size_t k = 0; k < n; k++) {
        const char *text;
        ptoasm_place place;
        if (!ptoasm_diagnostic_edit(res, i, k, &text, &place)) break;
        json_t *edit = json_object();
        put_place(edit, &place);
        json_put(edit, "text", json_text(text));
        json_add(list, edit);
    }
    return list;
}

/* Makes the fix of a diagnostic; null when there is none. */
static json_t *fix_object(const ptoasm_result *res, size_t i, const ptoasm_diagnostic *d) {
    if (d->edits == 0) return json_null();
    json_t *o = json_object();
    json_put(o, "safe", json_boolean(d->safe_fix));
    json_put(o, "edits", edit_list(res, i, d->edits));
    return o;
}

/* Makes what may have been meant; null when there is no guess. */
static json_t *guess_object(const ptoasm_result *res, size_t i, const ptoasm_diagnostic *d) {
    if (d->guesses == 0) return json_null();
    json_t *o = json_object();
    json_put(o, "edits", edit_list(res, i, d->guesses));
    return o;
}

static json_t *text_or_null(const char *s) {
    return s != NULL ? json_text(s) : json_null();
}

static void put_parts(json_t *o, const ptoasm_diagnostic *d) {
    json_put(o, "operand", text_or_null(d != NULL ? d->operand : NULL));
    json_put(o, "expected", text_or_null(d != NULL ? d->expected : NULL));
    json_put(o, "found", text_or_null(d != NULL ? d->found : NULL));
    json_put(o, "syntax", text_or_null(d != NULL ? statement_syntax(d) : NULL));
}

static void print_line(json_t *o) {
    char *text = json_dumps(o, JSON_COMPACT);
    if (text == NULL) out_of_memory();
    puts(text);
    free(text);
    json_decref(o);
}

static void begin(Report *r) {
    (void)r;
}

json_t *diagnostic_object(const char *name, ptoasm_result *res, size_t i) {
    ptoasm_diagnostic d;
    json_t *o = json_object();
    if (ptoasm_diagnostic_at(res, i, &d)) {
        json_put(o, "file", json_text(name));
        put_place(o, &d.place);
        json_put(o, "severity", json_string(severity_name(d.severity)));
        json_put(o, "id", json_string(d.id));
        json_put(o, "message", json_text(d.message));
        json_put(o, "profiles",
                 profile_list(d.profiles != 0 ? d.profiles : ptoasm_result_profiles(res)));
        put_parts(o, &d);
        json_put(o, "notes", note_list(res, i, d.notes));
        json_put(o, "fix", fix_object(res, i, &d));
        json_put(o, "guess", guess_object(res, i, &d));
        json_put(o, "sources", d.source_line > 0 ? source_list(res, d.place.offset) : json_array());
    }
    return o;
}

static void file(Report *r, const char *name, ptoasm_result *res) {
    (void)r;
    for (size_t i = 0; i < ptoasm_diagnostic_count(res); i++)
        print_line(diagnostic_object(name, res, i));
}

static void failed(Report *r, const char *name, const char *reason) {
    (void)r;
    json_t *o = json_object();
    json_put(o, "file", json_text(name));
    put_place(o, NULL);
    json_put(o, "severity", json_string("error"));
    json_put(o, "id", json_null());
    char *text = must_alloc(strlen(reason) + sizeof "cannot be read: ");
    strcpy(text, "cannot be read: ");
    json_put(o, "message", json_text(strcat(text, reason)));
    free(text);
    json_put(o, "profiles", json_array());
    put_parts(o, NULL);
    json_put(o, "notes", json_array());
    json_put(o, "fix", json_null());
    json_put(o, "guess", json_null());
    json_put(o, "sources", json_array());
    print_line(o);
}

static void end(Report *r, const CheckSummary *s) {
    (void)r;
    (void)s;
}

Report *report_json(void) {
    static Report report = {.begin = begin, .file = file, .failed = failed, .end = end};
    json_prepare();
    return &report;
}
