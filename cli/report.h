/* Where `ptoasm check` writes what it found: one report per output format. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/cli.h"

/* What was found in all files together. */
typedef struct CheckSummary {
    size_t files;            /* all that were asked for, the unreadable ones too */
    size_t failed;           /* of them, those that could not be read */
    size_t rejected;         /* of them, those with errors */
    size_t fixes;            /* that --fix made */
    size_t errors, warnings; /* that were shown; `too-many-errors` is not counted */
} CheckSummary;

/* Calls come in the order of the input, from one thread. What a report writes to standard output
 * is flushed, and a failure to write it noticed, after end(). */
typedef struct Report Report;
struct Report {
    /* Before the first file. */
    void (*begin)(Report *r);
    /* The diagnostics of one file. The severities are final: -W and --quiet have been applied. */
    void (*file)(Report *r, const char *name, ptoasm_result *res);
    /* A file or folder that could not be read, and why. */
    void (*failed)(Report *r, const char *name, const char *reason);
    /* After the last one. */
    void (*end)(Report *r, const CheckSummary *s);
    const Options *opt; /* set by report_new */
};

/* One of the formats; a report of its own begins with a Report. There is one at a time. */
Report *report_text(void);
Report *report_json(void);
Report *report_sarif(void);
Report *report_github(void);

/* Sets the format (Options.format); false when there is no such format. */
bool report_set_format(Options *opt, const char *name);
/* The formats for messages, with commas. */
#define REPORT_FORMATS "text, json, sarif or github"
/* The report that the options ask for. */
Report *report_new(const Options *opt);

#endif
