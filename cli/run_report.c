/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm run --format=json. */
#include "cli/run_report.h"
#include "cli/report.h"
#include "cli/report_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static json_t *report; /* NULL: messages are text */
static int standard_output = -1;
static char messages[4096]; /* of trouble() */

bool run_report_on(void) {
    return report != NULL;
}

static json_t *list_of(const char *key) {
    json_t *list = json_object_get(report, key);
    if (list != NULL) return list;
    json_put(report, key, list = json_array());
    return list;
}

void run_report_begin(void) {
    json_prepare();
    report = json_object();
    messages_keep(messages, sizeof messages);
    fflush(stdout);
    standard_output = dup(STDOUT_FILENO);
    if (standard_output >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
}

void run_report_error(const char *kind, uint32_t line, const char *message) {
    if (json_object_get(report, "error") != NULL) return;
    json_t *o = json_object();
    json_put(o, "kind", json_string(kind));
    json_put(o, "line", line > 0 ? json_integer(line) : json_null());
    json_put(o, "message", json_text(message));
    json_put(report, "error", o);
}

void run_report_function(const Target *target) {
    if (report == NULL) return;
    json_put(report, "function", json_text(target->kernel.name));
    json_put(report, "blocks", json_integer(target->blocks));
}

static json_t *shape_json(const Array *a) {
    json_t *list = json_array();
    for (unsigned i = 0; i < a->rank; i++)
        json_add(list, json_integer(a->shape[i]));
    return list;
}

void run_report_results(const Target *target, const Argument *args, unsigned ranks) {
    ptoasm_param p;
    if (report == NULL) return;
    for (size_t i = 0; i < target->kernel.params * ranks; i++) {
        const size_t param = i % target->kernel.params;
        if (args[i].out == NULL) continue;
        ptoasm_kernel_param(target->res, target->index, param, &p);
        json_t *o = json_object();
        json_put(o, "name", json_text(p.name));
        if (ranks > 1) json_put(o, "rank", json_integer((json_int_t)(i / target->kernel.params)));
        json_put(o, "file", json_text(args[i].out));
        json_put(o, "type", json_string(elem_infos[args[i].array.elem].text));
        json_put(o, "shape", shape_json(&args[i].array));
        json_add(list_of("results"), o);
    }
}

void run_report_dump(const char *folder) {
    if (report != NULL) json_put(report, "dump", json_text(folder));
}

/* ---- comparisons ---- */

/* A number as JSON; what JSON has no number for as text. */
static json_t *number_json(const Array *a, size_t i) {
    char text[NUMBER_TEXT], *end;
    element_text(a, i, text);
    json_error_t ignored;
    json_t *number = json_loads(text, JSON_DECODE_ANY, &ignored);
    if (number != NULL && json_is_number(number)) return number;
    json_decref(number);
    const double v = strtod(text, &end);
    return *end == '\0' && isfinite(v) && strchr(text, 'x') == NULL ? json_real(v)
                                                                    : json_string(text);
}

static json_t *element_json(const Compared *c, size_t i) {
    size_t index[MAX_RANK];
    double absolute;
    uint64_t steps;
    json_t *o = json_object(), *at = json_array();
    element_index(c->got, i, index);
    for (unsigned k = 0; k < c->got->rank; k++)
        json_add(at, json_integer((json_int_t)index[k]));
    const bool known = element_distance(c->got, c->want, i, &absolute, &steps);
    json_put(o, "index", at);
    json_put(o, "got", number_json(c->got, i));
    json_put(o, "want", number_json(c->want, i));
    json_put(o, "distance", known && isfinite(absolute) ? json_real(absolute) : json_null());
    json_put(o, "ulp", known && steps <= INT64_MAX ? json_integer((json_int_t)steps) : json_null());
    return o;
}

static json_t *sources_of_line(ptoasm_result *res, uint32_t line) {
    return line > 0 ? source_list(res, statement_on_line(res, line)) : json_array();
}

void run_report_comparison(const Target *target, const Compared *c) {
    json_t *o = json_object();
    const bool wrong = c->outcome.wrong > 0;
    json_put(o, "name", json_text(c->name));
    json_put(o, "line", json_integer(c->line));
    json_put(o, "file", json_text(c->file));
    if (c->taken != NULL) {
        json_put(o, "block", json_integer(c->taken->block));
        json_put(o, "core", json_string(place_names[c->taken->place]));
        json_put(o, "iteration", json_integer((json_int_t)c->taken->iteration));
    }
    json_put(o, "elements", json_integer((json_int_t)c->outcome.elements));
    json_put(o, "wrong", json_integer((json_int_t)c->outcome.wrong));
    json_put(o, "first", wrong ? element_json(c, c->outcome.first) : json_null());
    json_put(o, "worst", wrong ? element_json(c, c->outcome.worst) : json_null());
    json_put(o, "sources", sources_of_line(target->res, c->line));
    json_add(list_of("comparisons"), o);
}

/* ---- --shadow ---- */

static json_t *double_json(double x) {
    if (isfinite(x)) return json_real(x);
    return json_string(isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

static json_t *shadow_line_json(const Target *target, const ptrt_shadow_line *l) {
    json_t *o = json_object(), *at = json_array();
    json_add(at, json_integer(l->row));
    json_add(at, json_integer(l->col));
    json_put(o, "line", json_integer(l->line));
    json_put(o, "statement", json_text(l->op));
    json_put(o, "runs", json_integer((json_int_t)l->runs));
    json_put(o, "worst", json_real(l->worst));
    json_put(o, "growth", json_real(l->growth));
    json_put(o, "before", json_real(l->before));
    json_put(o, "after", json_real(l->after));
    json_put(o, "name", json_text(l->name != NULL ? l->name : ""));
    json_put(o, "index", at);
    json_put(o, "block", json_integer(l->block));
    json_put(o, "core", json_string(place_names[l->core]));
    json_put(o, "stored", double_json(l->stored));
    json_put(o, "reference", double_json(l->reference));
    json_put(o, "sources", sources_of_line(target->res, l->line));
    return o;
}

void run_report_shadow(const Target *target, const ptrt_shadow_line *lines, size_t n,
                       const ptrt_shadow_gap *gaps, size_t ngaps) {
    json_t *o = json_object(), *list = json_array(), *skipped = json_array();
    for (size_t i = 0; i < n; i++)
        json_add(list, shadow_line_json(target, &lines[i]));
    for (size_t i = 0; i < ngaps; i++) {
        json_t *gap = json_object();
        json_put(gap, "line", json_integer(gaps[i].line));
        json_put(gap, "statement", json_text(gaps[i].op));
        json_add(skipped, gap);
    }
    json_put(o, "lines", list);
    json_put(o, "not_followed", skipped);
    json_put(report, "shadow", o);
}

/* ---- the object ---- */

static bool any_differs(void) {
    size_t i;
    json_t *c;
    json_array_foreach(json_object_get(report, "comparisons"), i, c) {
        if (json_integer_value(json_object_get(c, "wrong")) > 0) return true;
    }
    return false;
}

/* A program that was accepted and found wrong while it ran has failed, whoever found it. */
static const char *status_of(int code) {
    if (code == FINE) return "passed";
    if (code == TROUBLE) return "trouble";
    if (code == NO_CODE) return "not runnable";
    const json_t *error = json_object_get(report, "error");
    const char *kind = json_string_value(json_object_get(error, "kind"));
    if (kind != NULL) return strcmp(kind, "argument") == 0 ? "rejected" : "failed";
    if (any_differs()) return "differs";
    return json_object_get(report, "function") == NULL ? "rejected" : "failed";
}

static void put_or_null(json_t *o, const char *key) {
    json_t *value = json_object_get(report, key);
    json_put(o, key, value != NULL ? json_incref(value) : json_null());
}

static json_t *error_json(ptoasm_result *res) {
    json_t *error = json_object_get(report, "error");
    if (error == NULL) return json_null();
    const json_int_t line = json_integer_value(json_object_get(error, "line"));
    json_put(error, "sources", res != NULL ? sources_of_line(res, (uint32_t)line) : json_array());
    return json_incref(error);
}

int run_report_end(const char *file, ptoasm_result *res, int code) {
    json_t *o = json_object(), *diagnostics = json_array();
    messages_keep(NULL, 0);
    if (messages[0] != '\0')
        run_report_error(code == NO_CODE ? "not runnable" : "trouble", 0, messages);
    for (size_t i = 0; res != NULL && i < ptoasm_diagnostic_count(res); i++)
        json_add(diagnostics, diagnostic_object(file, res, i));
    json_put(o, "file", json_text(file));
    put_or_null(o, "function");
    put_or_null(o, "blocks");
    json_put(o, "status", json_string(status_of(code)));
    json_put(o, "exit_code", json_integer(code));
    json_put(o, "error", error_json(res));
    json_put(o, "diagnostics", diagnostics);
    json_put(o, "results", json_incref(list_of("results")));
    json_put(o, "comparisons", json_incref(list_of("comparisons")));
    put_or_null(o, "dump");
    put_or_null(o, "shadow");
    fflush(stdout);
    if (standard_output >= 0) dup2(standard_output, STDOUT_FILENO);
    char *text = json_dumps(o, JSON_INDENT(1));
    if (text == NULL) out_of_memory();
    puts(text);
    free(text);
    json_decref(o);
    json_decref(report);
    report = NULL;
    return fflush(stdout) == 0 && ferror(stdout) == 0 ? code
                                                      : trouble("cannot write to standard output");
}
