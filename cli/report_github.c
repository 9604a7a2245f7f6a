/* SPDX-License-Identifier: Apache-2.0 */
/* --format=github: workflow commands of GitHub Actions on standard output, which annotate the
 * lines in the pull request. docs/machine-output.md describes them. */
#include "cli/report.h"
#include "cli/report_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct GithubReport {
    Report report;
    char *checkout; /* "" when the environment does not name it */
    char *folder;   /* the working directory */
} GithubReport;

/* ---- the escapes of workflow commands ---- */

static void put_escaped(const char *s, const char *special) {
    char *text = utf8_text(s, strlen(s), NULL);
    for (const char *p = text; *p != '\0'; p++) {
        if (strchr(special, *p) != NULL)
            printf("%%%02X", (unsigned)(unsigned char)*p);
        else
            putchar(*p);
    }
    free(text);
}

static void put_message(const char *s) {
    put_escaped(s, "%\r\n");
}

static void put_property(const char *s) {
    put_escaped(s, "%\r\n:,");
}

/* ---- annotations ---- */

/* Writes the file of an annotation: relative to the checkout if it is in it, else to the working
 * directory. */
static void put_file(const GithubReport *g, const char *name) {
    char *path = path_absolute(g->folder, name);
    const char *shown = g->checkout[0] != '\0' ? path_below(g->checkout, path) : NULL;
    if (shown == NULL) shown = path_below(g->folder, path);
    fputs("file=", stdout);
    put_property(shown != NULL ? shown : *path != '\0' ? path : "/");
    putchar(',');
    free(path);
}

/* Writes `::error file=...` up to the title; GitHub allows columns only within one line. */
static void put_head(const GithubReport *g, const char *name, int severity,
                     const ptoasm_place *place) {
    printf("::%s ", severity == PTOASM_SEVERITY_NOTE ? "notice" : severity_name(severity));
    if (!is_no_file(name)) put_file(g, name);
    if (!is_no_file(name) && place != NULL && place->line > 0) {
        printf("line=%u,", place->line);
        if (place->end_line == place->line)
            printf("col=%u,endColumn=%u,", place->column, place->end_column);
        else
            printf("endLine=%u,", place->end_line);
    }
    fputs("title=", stdout);
}

static void begin(Report *r) {
    GithubReport *g = (GithubReport *)r;
    const char *checkout = getenv("GITHUB_WORKSPACE");
    g->checkout = path_absolute("/", checkout != NULL && checkout[0] == '/' ? checkout : "/");
    g->folder = working_folder();
}

/* The same for the line that the author wrote. */
static void put_author_head(const GithubReport *g, int severity, const ptoasm_location *l) {
    const ptoasm_place place = {.line = l->line,
                                .end_line = l->line,
                                .column = l->column != 0 ? l->column : 1,
                                .end_column = l->column != 0 ? l->column : 1};
    put_head(g, l->file, severity, &place);
}

static void put_place(const char *name, const ptoasm_place *place) {
    put_message(name);
    printf(place->column != 0 ? ":%u:%u: " : ":%u: ", place->line, place->column);
}

/* Appends the author's lines from `first` on. */
static void put_sources(ptoasm_result *res, uint32_t offset, size_t first) {
    ptoasm_location l;
    for (size_t i = first; ptoasm_location_at(res, offset, i, &l); i++) {
        const ptoasm_place place = {.line = l.line, .column = l.column};
        put_message("\n");
        put_place(l.file, &place);
        fputs("note: ", stdout);
        put_message(l.message);
    }
}

/* Appends notes to the message, as separate annotations would count against GitHub's limit. */
static void put_notes(const char *name, ptoasm_result *res, size_t i, const ptoasm_diagnostic *d) {
    const char *message;
    ptoasm_place place;
    for (size_t k = 0; ptoasm_diagnostic_note(res, i, k, &message, &place); k++) {
        put_message("\n");
        put_place(name, place.line > 0 ? &place : &d->place);
        fputs("note: ", stdout);
        put_message(message);
        if (place.line > 0) put_sources(res, place.offset, 0);
    }
}

static void put_annotation(const GithubReport *g, const char *name, ptoasm_result *res, size_t i) {
    ptoasm_diagnostic d;
    ptoasm_location l;
    if (!ptoasm_diagnostic_at(res, i, &d)) return;
    const bool author = d.source_line > 0 && g->report.opt->author_first &&
                        ptoasm_location_at(res, d.place.offset, 0, &l);
    if (author)
        put_author_head(g, d.severity, &l);
    else
        put_head(g, name, d.severity, &d.place);
    printf("ptoasm [%s]::", d.id);
    if (is_no_file(name) && !author) put_place(name, &d.place);
    put_message(d.message);
    if (author) {
        put_message("\n");
        put_place(name, &d.place);
        fputs("note: in this statement", stdout);
    }
    if (d.source_line > 0) put_sources(res, d.place.offset, author);
    put_notes(name, res, i, &d);
    putchar('\n');
}

static void file(Report *r, const char *name, ptoasm_result *res) {
    for (size_t i = 0; i < ptoasm_diagnostic_count(res); i++)
        put_annotation((const GithubReport *)r, name, res, i);
}

static void failed(Report *r, const char *name, const char *reason) {
    put_head((const GithubReport *)r, name, PTOASM_SEVERITY_ERROR, NULL);
    fputs("ptoasm::cannot read '", stdout);
    put_message(name);
    fputs("': ", stdout);
    put_message(reason);
    putchar('\n');
}

static void end(Report *r, const CheckSummary *s) {
    GithubReport *g = (GithubReport *)r;
    (void)s;
    free(g->checkout);
    free(g->folder);
}

Report *report_github(void) {
    static GithubReport github = {
        .report = {.begin = begin, .file = file, .failed = failed, .end = end}};
    return &github.report;
}
