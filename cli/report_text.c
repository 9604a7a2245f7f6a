/* SPDX-License-Identifier: Apache-2.0 */
/* --format=text: diagnostics as a compiler prints them and a summary line on standard error. */
#include "cli/report.h"

#include <stdio.h>
#include <string.h>

static void begin(Report *r) {
    (void)r;
}

static void file(Report *r, const char *name, ptoasm_result *res) {
    print_diagnostics(res, r->opt);
    print_full_spaces(res, name, r->opt);
    if ((r->opt->judge.sync & PTOASM_SYNC_REPORT) != 0) print_proofs(res, name, r->opt);
}

static void failed(Report *r, const char *name, const char *reason) {
    (void)r;
    trouble("cannot read '%s': %s", name, reason);
}

static void count(size_t n, const char *what) {
    fprintf(stderr, ", %zu %s%s", n, what,
            n == 1                          ? ""
            : what[strlen(what) - 1] == 'x' ? "es"
                                            : "s");
}

/* With a single file the diagnostics need no summary. */
static void end(Report *r, const CheckSummary *s) {
    if (s->files <= 1 || r->opt->quiet) return;
    fprintf(stderr, "ptoasm: %zu files", s->files);
    count(s->errors, "error");
    count(s->warnings, "warning");
    if (s->fixes > 0) count(s->fixes, r->opt->check.diff ? "known fix" : "fix");
    if (s->failed > 0) fprintf(stderr, ", %zu not read", s->failed);
    fputc('\n', stderr);
}

Report *report_text(void) {
    static Report report = {.begin = begin, .file = file, .failed = failed, .end = end};
    return &report;
}
