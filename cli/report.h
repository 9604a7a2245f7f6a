/* SPDX-License-Identifier: Apache-2.0 */
/* Output of `ptoasm check`: one report per output format. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/cli.h"

/* Totals over all files. */
typedef struct CheckSummary {
    size_t files;            /* all that were given, including unreadable ones */
    size_t failed;           /* those that could not be read */
    size_t rejected;         /* those with errors */
    size_t fixes;            /* made by --fix */
    size_t errors, warnings; /* those shown; `too-many-errors` is not counted */
} CheckSummary;

/* Calls come in the order of the input, from one thread. After end(), the caller flushes standard
 * output and checks it for errors. */
typedef struct Report Report;
struct Report {
    /* Before the first file. */
    void (*begin)(Report *r);
    /* Reports the diagnostics of one file. Their severities are final: -W and --quiet are applied.
     */
    void (*file)(Report *r, const char *name, ptoasm_result *res);
    /* Reports a file or folder that could not be read. */
    void (*failed)(Report *r, const char *name, const char *reason);
    /* After the last file. */
    void (*end)(Report *r, const CheckSummary *s);
    const Options *opt; /* set by report_new */
};

/* Returns the statement that a diagnostic is about as `ptoasm explain` prints its form, with the
 * optional operands if it is about operands; NULL when there is none. */
const char *statement_syntax(const ptoasm_diagnostic *d);

/* The formats. Their state begins with a Report; there is only one report at a time. */
Report *report_text(void);
Report *report_json(void);
Report *report_sarif(void);
Report *report_github(void);

/* Make the object of a diagnostic, and the list of the author's lines of a statement, as
 * --format=json has them. */
struct json_t *diagnostic_object(const char *name, ptoasm_result *res, size_t i);
struct json_t *source_list(ptoasm_result *res, uint32_t offset);

/* Sets Options.format; false when there is no such format. */
bool report_set_format(Options *opt, const char *name);
/* The formats as messages list them. */
#define REPORT_FORMATS "text, json, sarif or github"
/* Returns the report for the options. */
Report *report_new(const Options *opt);

#endif
