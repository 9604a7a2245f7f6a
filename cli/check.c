/* ptoasm check: are the programs legal? */
#include "cli/report.h"

#include <string.h>

/* One file, read and judged. */
typedef struct Checked {
    Input in;
    ptoasm_source *src;
    ptoasm_result *res; /* NULL when it could not be read */
    const char *reason; /* why */
    bool rejected;
} Checked;

static void check_file(const char *path, const Options *opt, Checked *c) {
    *c = (Checked){.rejected = false};
    c->reason = input_try(path, false, &c->in);
    if (c->reason != NULL) return;
    int status = ptoasm_source_open(c->in.name, c->in.data, c->in.size, PTOASM_BORROW, &c->src);
    if (status == PTOASM_OK) status = ptoasm_check(c->src, &opt->judge, &c->res);
    if (c->res == NULL) c->reason = ptoasm_status_text(status);
    c->rejected = status == PTOASM_REJECTED;
}

static void checked_free(Checked *c) {
    ptoasm_result_free(c->res);
    ptoasm_source_close(c->src);
    input_free(&c->in);
}

static void count(const Checked *c, CheckSummary *sum) {
    ptoasm_diagnostic d;
    sum->files++;
    sum->failed += c->res == NULL;
    sum->rejected += c->rejected;
    for (size_t i = 0; c->res != NULL && ptoasm_diagnostic_at(c->res, i, &d); i++) {
        sum->errors += d.severity == PTOASM_ERROR && strcmp(d.id, "too-many-errors") != 0;
        sum->warnings += d.severity == PTOASM_WARNING;
    }
}

static int run(Options *opt) {
    if (opt->nargs == 0) return usage_error(&check_command, "no file given");
    opt->judge.verdicts = (opt->judge.profiles & (opt->judge.profiles - 1)) != 0; /* of several */
    Report *report = report_new(opt);
    CheckSummary sum = {.files = 0};
    report->begin(report);
    for (int i = 0; i < opt->nargs; i++) {
        Checked c;
        check_file(opt->args[i], opt, &c);
        count(&c, &sum);
        if (c.res != NULL)
            report->file(report, c.in.name, c.res);
        else
            report->failed(report, c.in.name, c.reason);
        checked_free(&c);
    }
    report->end(report, &sum);
    if (stdout_close() != FINE || sum.failed > 0) return TROUBLE;
    return sum.rejected > 0 ? REJECTED : FINE;
}

static bool set_quiet(Options *opt, const char *value) {
    (void)value;
    return opt->quiet = true;
}

static const OptionRow rows[] = {
    {"profile", 0, "P[,P...]",
     "judge for each of these profiles: cpu, a2a3, a5, or all\n(default: the module's, else a2a3); "
     "of several, a table\nsays which instructions each accepts",
     "a list of cpu, a2a3 and a5, or all", set_profiles},
    {"pto-arch", 0, "A", "the vendor's spelling of --profile: a2, a3 or a5", "a2, a3 or a5",
     set_profile},
    OPTION_LEVEL,
    {"format", 0, "F",
     "how to write what was found: " REPORT_FORMATS
     "\n(default text); all but text go to standard output",
     "one of " REPORT_FORMATS, report_set_format},
    {"quiet", 'q', NULL, "no warnings, no summary", NULL, set_quiet},
    OPTION_COMMON,
};

const Command check_command = {
    .name = "check",
    .usage = "[OPTION]... FILE...",
    .summary = "Checks programs; prints nothing when they are legal.",
    .details =
        "FILE may be - for standard input. Errors go to standard error, with an id in\n"
        "brackets that is stable. For several profiles a portability table goes to standard\n"
        "output: per function one line when all of them accept it, else who accepts which\n"
        "instruction, and whether the tiles fit the on-chip memory. The exit code is 1 when\n"
        "one of the profiles rejects a program.\n",
    .rows = rows,
    .examples = "  ptoasm check kernel.pto\n"
                "  ptoasm check --profile=a2a3,a5 --level=2 a.pto b.pto\n",
    .run = run,
};
