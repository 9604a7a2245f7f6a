/* SPDX-License-Identifier: Apache-2.0 */
/* --format=sarif: one SARIF 2.1.0 document for all files on standard output, with a run per
 * profile. docs/machine-output.md describes it. */
#include "cli/explain.h"
#include "cli/report.h"
#include "cli/report_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SNIPPET_MAX = 4096, /* bytes; longer text is left out */
    RUNS = 3
};

/* The run of one profile; NULL until it has a result. */
typedef struct Run {
    json_t *rules, *artifacts, *results;
    json_t *artifact_index;     /* by URI, so that a file that is given twice is one artifact */
    int rule_index[DIAG_COUNT]; /* index in rules + 1; 0 = not there yet */
} Run;

typedef struct SarifReport {
    Report report;
    char *folder; /* the working directory */
    Run runs[RUNS];
    json_t *notifications; /* files that could not be read */
} SarifReport;

/* ---- small objects ---- */

static json_t *text_object(const char *text) {
    json_t *o = json_object();
    json_put(o, "text", json_text(text));
    return o;
}

/* Makes a message; braces mark arguments in SARIF, so they are doubled. */
static json_t *message_object(const char *s) {
    char *text = must_alloc(2 * strlen(s) + 1), *to = text;
    for (; *s != '\0'; s++) {
        if (*s == '{' || *s == '}') *to++ = *s;
        *to++ = *s;
    }
    *to = '\0';
    json_t *o = text_object(text);
    free(text);
    return o;
}

static json_t *location_of_file(const SarifReport *s, const char *name) {
    json_t *o = json_object();
    char *path = is_no_file(name) ? NULL : path_absolute(s->folder, name);
    const char *below = path != NULL ? path_below(s->folder, path) : NULL;
    const char *shown = path == NULL ? name : below != NULL ? below : *path != '\0' ? path : "/";
    char *uri = uri_from_path(shown);
    char *whole = must_alloc(strlen(uri) + sizeof "file://");
    sprintf(whole, "%s%s", path != NULL && below == NULL ? "file://" : "", uri);
    json_put(o, "uri", json_string(whole));
    if (below != NULL) json_put(o, "uriBaseId", json_string("%SRCROOT%"));
    free(whole);
    free(uri);
    free(path);
    return o;
}

/* ---- places ---- */

/* Finds the lines around a place, without the last line end; false when they exceed a snippet. */
static bool lines_around(const char *text, size_t size, const ptoasm_place *at, size_t *from,
                         size_t *to) {
    size_t start = at->offset, end = start + at->length;
    while (start > 0 && text[start - 1] != '\n') {
        if (end - --start > SNIPPET_MAX) return false;
    }
    while (end < size && text[end] != '\n') {
        if (++end - start > SNIPPET_MAX) return false;
    }
    if (end > start && end > at->offset + at->length && text[end - 1] == '\r') end--;
    *from = start;
    *to = end;
    return true;
}

static void put_snippet(json_t *region, const char *text, size_t n) {
    json_t *o = json_object();
    json_put(o, "text", json_bytes(text, n));
    json_put(region, "snippet", o);
}

static json_t *region_object(const ptoasm_place *at, const char *text, size_t size) {
    json_t *o = json_object();
    json_put(o, "startLine", json_integer(at->line));
    json_put(o, "startColumn", json_integer(at->column));
    json_put(o, "endLine", json_integer(at->end_line));
    json_put(o, "endColumn", json_integer(at->end_column));
    json_put(o, "byteOffset", json_integer(at->offset));
    json_put(o, "byteLength", json_integer(at->length));
    if (at->length <= SNIPPET_MAX && at->offset + (size_t)at->length <= size)
        put_snippet(o, text + at->offset, at->length);
    return o;
}

static json_t *context_object(const ptoasm_place *at, const char *text, size_t from, size_t to) {
    json_t *o = json_object();
    json_put(o, "startLine", json_integer(at->line));
    json_put(o, "endLine", json_integer(at->end_line));
    put_snippet(o, text + from, to - from);
    return o;
}

/* Makes a physical location; `artifact` is the index of the file in its run. */
static json_t *location_object(const SarifReport *s, const char *name, json_int_t artifact,
                               const ptoasm_result *res, const ptoasm_place *at) {
    size_t size, from, to;
    const char *text = ptoasm_result_source(res, &size);
    json_t *file = location_of_file(s, name), *physical = json_object(), *o = json_object();
    json_put(file, "index", json_integer(artifact));
    json_put(physical, "artifactLocation", file);
    json_put(physical, "region", region_object(at, text, size));
    /* The context must be larger than the region itself. */
    if (at->offset + (size_t)at->length <= size && lines_around(text, size, at, &from, &to) &&
        to - from > at->length)
        json_put(physical, "contextRegion", context_object(at, text, from, to));
    json_put(o, "physicalLocation", physical);
    return o;
}

/* Makes the location of a line that the author wrote. */
static json_t *author_object(const SarifReport *s, const ptoasm_location *l) {
    json_t *o = json_object(), *physical = json_object(), *region = json_object();
    json_put(region, "startLine", json_integer(l->line));
    if (l->column != 0) json_put(region, "startColumn", json_integer(l->column));
    json_put(physical, "artifactLocation", location_of_file(s, l->file));
    json_put(physical, "region", region);
    json_put(o, "physicalLocation", physical);
    return o;
}

/* ---- rules ---- */

/* Adds what `explain` says about an id, as text and as Markdown. */
static void put_documentation(json_t *rule, DiagId id, Arena *arena) {
    const DiagDoc d = diag_doc(id);
    json_put(rule, "shortDescription", text_object(diag_summary(id)));
    json_put(rule, "fullDescription", text_object(arena_printf(arena, "%s %s", d.meaning, d.why)));
    json_t *help =
        text_object(arena_printf(arena, "%s\n\nWhy: %s\n\nHow to fix it: %s\n\nFrom: %s\n",
                                 d.meaning, d.why, d.fix, d.page));
    StrBuf out;
    sb_init(&out, arena);
    page_diag_help(&(Page){.out = &out, .markdown = true}, id, arena);
    while (out.len > 1 && out.data[out.len - 2] == '\n')
        out.len--;
    json_put(help, "markdown", json_bytes(out.data, out.len));
    json_put(rule, "help", help);
}

static json_t *rule_object(DiagId id) {
    Arena arena;
    jmp_buf oom;
    memset(&arena, 0, sizeof arena);
    arena_init(&arena, &oom);
    if (setjmp(oom) != 0) out_of_memory();
    json_t *o = json_object(), *level = json_object();
    json_put(o, "id", json_string(diag_infos[id].text));
    put_documentation(o, id, &arena);
    json_put(level, "level", json_string(severity_text(id)));
    json_put(o, "defaultConfiguration", level);
    arena_free(&arena);
    return o;
}

/* Returns the index of a rule in a run, adding it on first use. */
static int rule_of(Run *run, DiagId id) {
    if (run->rule_index[id] == 0) {
        json_add(run->rules, rule_object(id));
        run->rule_index[id] = (int)json_array_size(run->rules);
    }
    return run->rule_index[id] - 1;
}

/* ---- runs and results ---- */

static void start_run(Run *run) {
    if (run->results != NULL) return;
    run->rules = json_array();
    run->artifacts = json_array();
    run->results = json_array();
    run->artifact_index = json_object();
    if (run->rules == NULL || run->artifacts == NULL || run->results == NULL ||
        run->artifact_index == NULL)
        out_of_memory();
}

/* Returns the index of a file in a run. */
static json_int_t artifact_of(const SarifReport *s, Run *run, const char *name,
                              const ptoasm_result *res) {
    json_t *location = location_of_file(s, name);
    const char *uri = json_string_value(json_object_get(location, "uri"));
    const json_t *known = json_object_get(run->artifact_index, uri);
    if (known != NULL) {
        json_decref(location);
        return json_integer_value(known);
    }
    size_t size;
    ptoasm_result_source(res, &size);
    json_int_t index = (json_int_t)json_array_size(run->artifacts);
    json_put(run->artifact_index, uri, json_integer(index));
    json_t *o = json_object(), *roles = json_array();
    json_put(o, "location", location);
    json_put(o, "length", json_integer((json_int_t)size));
    json_add(roles, json_string("analysisTarget"));
    json_put(o, "roles", roles);
    json_put(o, "sourceLanguage", json_string("pto"));
    json_add(run->artifacts, o);
    return index;
}

static void add_related(json_t *list, json_t *location, const char *message) {
    json_put(location, "id", json_integer((json_int_t)json_array_size(list) + 1));
    json_put(location, "message", message_object(message));
    json_add(list, location);
}

/* Adds the author's lines of the statement at a byte, from `first` on. */
static void add_sources(const SarifReport *s, json_t *list, ptoasm_result *res, uint32_t offset,
                        size_t first) {
    ptoasm_location l;
    for (size_t i = first; ptoasm_location_at(res, offset, i, &l); i++)
        add_related(list, author_object(s, &l), l.message);
}

/* `author`: the author's line is the location of the result. */
static json_t *related_list(const SarifReport *s, const char *name, json_int_t artifact,
                            ptoasm_result *res, size_t i, bool author) {
    json_t *list = json_array();
    const char *message;
    ptoasm_diagnostic d;
    ptoasm_place place;
    ptoasm_diagnostic_at(res, i, &d);
    if (author)
        add_related(list, location_object(s, name, artifact, res, &d.place), "in this statement");
    if (d.source_line > 0) add_sources(s, list, res, d.place.offset, author);
    for (size_t k = 0; ptoasm_diagnostic_note(res, i, k, &message, &place); k++) {
        const bool placed = place.line > 0;
        add_related(list, location_object(s, name, artifact, res, placed ? &place : &d.place),
                    message);
        if (placed) add_sources(s, list, res, place.offset, 0);
    }
    return list;
}

/* Makes one fix with all edits of the diagnostic. */
static json_t *fix_list(const SarifReport *s, const char *name, json_int_t artifact,
                        const ptoasm_result *res, size_t i, const ptoasm_diagnostic *d) {
    json_t *fixes = json_array(), *fix = json_object(), *changes = json_array();
    json_t *change = json_object(), *replacements = json_array();
    json_t *file = location_of_file(s, name);
    const char *text;
    ptoasm_place place;
    for (size_t k = 0; ptoasm_diagnostic_edit(res, i, k, &text, &place); k++) {
        json_t *replacement = json_object();
        json_put(replacement, "deletedRegion", region_object(&place, "", 0));
        json_put(replacement, "insertedContent", text_object(text));
        json_add(replacements, replacement);
    }
    json_put(file, "index", json_integer(artifact));
    json_put(change, "artifactLocation", file);
    json_put(change, "replacements", replacements);
    json_add(changes, change);
    json_put(fix, "description",
             text_object(d->safe_fix ? "Keeps the meaning of the program."
                                     : "Changes types or attributes, or adds statements."));
    json_put(fix, "artifactChanges", changes);
    json_add(fixes, fix);
    return fixes;
}

static void add_result(const SarifReport *s, Run *run, const char *name, json_int_t artifact,
                       ptoasm_result *res, size_t i) {
    ptoasm_diagnostic d;
    ptoasm_location l;
    if (!ptoasm_diagnostic_at(res, i, &d)) return;
    const bool author = d.source_line > 0 && s->report.opt->author_first &&
                        ptoasm_location_at(res, d.place.offset, 0, &l);
    json_t *o = json_object(), *locations = json_array();
    json_put(o, "ruleId", json_string(d.id));
    json_put(o, "ruleIndex", json_integer(rule_of(run, diag_find(d.id))));
    json_put(o, "level", json_string(severity_name(d.severity)));
    json_put(o, "message", message_object(d.message));
    json_add(locations,
             author ? author_object(s, &l) : location_object(s, name, artifact, res, &d.place));
    json_put(o, "locations", locations);
    json_t *related = related_list(s, name, artifact, res, i, author);
    if (json_array_size(related) > 0)
        json_put(o, "relatedLocations", related);
    else
        json_decref(related);
    if (d.edits > 0) json_put(o, "fixes", fix_list(s, name, artifact, res, i, &d));
    json_add(run->results, o);
}

static void file(Report *r, const char *name, ptoasm_result *res) {
    SarifReport *s = (SarifReport *)r;
    uint32_t judged = ptoasm_result_profiles(res);
    size_t n = ptoasm_diagnostic_count(res);
    for (unsigned p = 0; p < RUNS; p++) {
        if ((judged & 1u << p) == 0) continue;
        start_run(&s->runs[p]);
        json_int_t artifact = artifact_of(s, &s->runs[p], name, res);
        for (size_t i = 0; i < n; i++) {
            ptoasm_diagnostic d;
            if (ptoasm_diagnostic_at(res, i, &d) &&
                (d.profiles == 0 || (d.profiles & 1u << p) != 0))
                add_result(s, &s->runs[p], name, artifact, res, i);
        }
    }
}

/* ---- files that could not be read ---- */

#define UNREADABLE "unreadable-file"

static void failed(Report *r, const char *name, const char *reason) {
    SarifReport *s = (SarifReport *)r;
    json_t *o = json_object(), *descriptor = json_object(), *list = json_array();
    json_t *location = json_object(), *physical = json_object();
    size_t n = strlen(name) + strlen(reason) + sizeof "cannot read '': ";
    char *text = must_alloc(n);
    snprintf(text, n, "cannot read '%s': %s", name, reason);
    json_put(descriptor, "id", json_string(UNREADABLE));
    json_put(descriptor, "index", json_integer(0));
    json_put(o, "descriptor", descriptor);
    json_put(o, "level", json_string("error"));
    json_put(o, "message", message_object(text));
    json_put(physical, "artifactLocation", location_of_file(s, name));
    json_put(location, "physicalLocation", physical);
    json_add(list, location);
    json_put(o, "locations", list);
    json_add(s->notifications, o);
    free(text);
}

static json_t *notification_list(void) {
    json_t *list = json_array(), *o = json_object();
    json_put(o, "id", json_string(UNREADABLE));
    json_put(o, "shortDescription", text_object("A file or folder that could not be read."));
    json_add(list, o);
    return list;
}

/* ---- the document ---- */

static json_t *tool_object(Run *run) {
    json_t *tool = json_object(), *driver = json_object();
    json_put(driver, "name", json_string("ptoasm"));
    json_put(driver, "version", json_string(ptoasm_version()));
    json_put(driver, "semanticVersion", json_string(ptoasm_version()));
    json_put(driver, "rules", run->rules);
    json_put(driver, "notifications", notification_list());
    json_put(tool, "driver", driver);
    return tool;
}

static json_t *invocation_list(const SarifReport *s) {
    json_t *list = json_array(), *o = json_object();
    bool fine = json_array_size(s->notifications) == 0;
    json_put(o, "executionSuccessful", json_boolean(fine));
    json_put(o, "toolExecutionNotifications", json_deep_copy(s->notifications));
    json_add(list, o);
    return list;
}

/* Names the base without its path, so that the document is the same on every machine. */
static json_t *bases_object(void) {
    json_t *bases = json_object(), *base = json_object();
    json_put(base, "description", message_object("The folder that ptoasm was started in."));
    json_put(bases, "%SRCROOT%", base);
    return bases;
}

static json_t *run_object(const SarifReport *s, Run *run, unsigned p) {
    char id[32];
    json_t *o = json_object(), *details = json_object();
    snprintf(id, sizeof id, "ptoasm/%s/", profile_names[p]);
    json_put(o, "tool", tool_object(run));
    json_put(details, "id", json_string(id));
    json_put(o, "automationDetails", details);
    json_put(o, "invocations", invocation_list(s));
    json_put(o, "originalUriBaseIds", bases_object());
    json_put(o, "artifacts", run->artifacts);
    json_put(o, "columnKind", json_string("unicodeCodePoints"));
    json_put(o, "results", run->results);
    json_decref(run->artifact_index);
    *run = (Run){0};
    return o;
}

static void begin(Report *r) {
    SarifReport *s = (SarifReport *)r;
    s->folder = working_folder();
    s->notifications = json_array();
    for (unsigned p = 0; p < RUNS; p++)
        if ((r->opt->judge.profiles & 1u << p) != 0) start_run(&s->runs[p]);
}

/* Without any result the document has a run for the default profile. */
static void end(Report *r, const CheckSummary *summary) {
    SarifReport *s = (SarifReport *)r;
    json_t *document = json_object(), *runs = json_array();
    (void)summary;
    bool any = false;
    for (unsigned p = 0; p < RUNS; p++)
        any = any || s->runs[p].results != NULL;
    if (!any) start_run(&s->runs[1]);
    for (unsigned p = 0; p < RUNS; p++)
        if (s->runs[p].results != NULL) json_add(runs, run_object(s, &s->runs[p], p));
    json_put(document, "$schema",
             json_string("https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                         "sarif-schema-2.1.0.json"));
    json_put(document, "version", json_string("2.1.0"));
    json_put(document, "runs", runs);
    char *text = json_dumps(document, JSON_INDENT(2));
    if (text == NULL) out_of_memory();
    puts(text);
    free(text);
    json_decref(document);
    json_decref(s->notifications);
    free(s->folder);
}

Report *report_sarif(void) {
    static SarifReport sarif = {
        .report = {.begin = begin, .file = file, .failed = failed, .end = end}};
    json_prepare();
    return &sarif.report;
}
