/* --format=json: JSON lines, one object a diagnostic, on standard output. docs/machine-output.md
 * describes it, docs/diagnostic.schema.json defines it. */
#include "cli/machine.h"
#include "cli/report.h"
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

static json_t *note_list(const ptoasm_result *res, size_t i, size_t n) {
    json_t *list = json_array();
    for (size_t k = 0; k < n; k++) {
        const char *message;
        ptoasm_place place;
        if (!ptoasm_diagnostic_note(res, i, k, &message, &place)) break;
        json_t *o = json_object();
        put_place(o, &place);
        json_put(o, "message", json_text(message));
        json_add(list, o);
    }
    return list;
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

static void file(Report *r, const char *name, ptoasm_result *res) {
    (void)r;
    ptoasm_diagnostic d;
    for (size_t i = 0; ptoasm_diagnostic_at(res, i, &d); i++) {
        json_t *o = json_object();
        json_put(o, "file", json_text(name));
        put_place(o, &d.place);
        json_put(o, "severity", json_string(severity_name(d.severity)));
        json_put(o, "id", json_string(d.id));
        json_put(o, "message", json_text(d.message));
        json_put(o, "profiles",
                 profile_list(d.profiles != 0 ? d.profiles : ptoasm_result_profiles(res)));
        json_put(o, "notes", note_list(res, i, d.notes));
        print_line(o);
    }
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
    json_put(o, "notes", json_array());
    print_line(o);
}

static void end(Report *r, const CheckSummary *s) {
    (void)r;
    (void)s;
}

Report *report_json(void) {
    static Report report = {.begin = begin, .file = file, .failed = failed, .end = end};
    return &report;
}
