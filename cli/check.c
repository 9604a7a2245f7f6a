/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm check: tells whether programs are legal. Threads read and check whole files; the report
 * receives them in the order of the arguments. */
#include "cli/baseline.h"
#include "cli/diff.h"
#include "cli/fix.h"
#include "cli/pool.h"
#include "cli/portability.h"
#include "cli/project.h"
#include "cli/report.h"
#include "cli/walk.h"
#include "cli/warnings.h"

#include <string.h>

/* One checked file. */
typedef struct Checked {
    Input in;
    ptoasm_source *src;
    ptoasm_result *res; /* NULL when it could not be read */
    const char *reason; /* why not */
    bool rejected;
    Fixed fixed; /* --fix and --diff */
} Checked;

typedef struct Check {
    const Options *opt;
    BaselineNew found; /* --write-baseline */
    FileList files;
    Report *report;
    Table table;
    CheckSummary sum;
    bool unwritten; /* writing a fix or the table failed */
} Check;

/* Adapts warning_severity to ptoasm_set_warning_severity. */
static int severity(const char *id, const void *warnings) {
    return warning_severity(id, warnings);
}

static bool has_error(const ptoasm_result *res) {
    ptoasm_diagnostic d;
    for (size_t i = 0; ptoasm_diagnostic_at(res, i, &d); i++)
        if (d.severity == PTOASM_SEVERITY_ERROR) return true;
    return false;
}

static bool hide_all(const ptoasm_diagnostic *d, void *arg) {
    (void)d;
    (void)arg;
    return true;
}

/* Makes what comments in the text do not expect, or expect in vain, the diagnostics. */
static int verify(int status, const Options *opt, ptoasm_result **res) {
    if (!opt->check.verify) return status;
    status = ptoasm_verify_diagnostics(*res);
    if (status != PTOASM_NOMEM) return status;
    ptoasm_result_free(*res);
    *res = NULL;
    return status;
}

/* Like ptoasm_check, but also returns PTOASM_REJECTED when -W turns a warning into an error.
 * What the baseline lists does not count. */
static int judge(const ptoasm_source *src, const Options *opt, ptoasm_result **res) {
    int status = ptoasm_check(src, &opt->judge, res);
    if (*res == NULL) return status;
    if (opt->check.known != NULL) baseline_hide(opt->check.known, *res, src);
    if (status == PTOASM_REJECTED && !has_error(*res)) status = PTOASM_OK;
    if (opt->warnings == NULL || opt->check.write_baseline != NULL) return verify(status, opt, res);
    ptoasm_set_warning_severity(*res, severity, opt->warnings);
    return verify(has_error(*res) ? PTOASM_REJECTED : status, opt, res);
}

static void judge_file(Checked *c, const Options *opt) {
    int status =
        ptoasm_source_open(c->in.name, c->in.data, c->in.size, PTOASM_SOURCE_BORROW, &c->src);
    if (status == PTOASM_OK) status = judge(c->src, opt, &c->res);
    if (c->res == NULL) {
        c->reason = ptoasm_status_text(status);
        return;
    }
    c->rejected = status == PTOASM_REJECTED;
    if (!opt->check.fix && !opt->check.diff) return;
    fix_program(c->in.name, c->res, opt, judge, &c->fixed);
    if (opt->check.fix && !opt->check.diff && c->fixed.text != NULL)
        c->rejected = c->fixed.status == PTOASM_REJECTED;
}

/* Returns the result to report: after the fixes if they are written. */
static ptoasm_result *shown_result(const Checked *c, const Options *opt) {
    return opt->check.fix && !opt->check.diff && c->fixed.res != NULL ? c->fixed.res : c->res;
}

/* Writes or shows the fixes; false when that failed. */
static bool deliver_fixes(const Checked *c, const Options *opt, const char *path) {
    const Fixed *f = &c->fixed;
    if (f->text == NULL) return true;
    if (opt->check.diff)
        return diff_print(c->in.name, c->in.data, c->in.size, f->text, f->size) ||
               trouble("out of memory") == FINE;
    return output_file(path, f->text, f->size) == FINE;
}

/* Runs on any thread. */
static void check_file(void *arg, size_t i, void *item) {
    const Check *k = arg;
    const FileItem *file = &k->files.items[i];
    Checked *c = item;
    *c = (Checked){.in.name = file->name, .reason = file->reason};
    if (c->reason == NULL) c->reason = input_try(file->name, file->found, &c->in);
    if (c->reason == NULL) judge_file(c, k->opt);
}

static void count(const Checked *c, const ptoasm_result *res, CheckSummary *sum) {
    ptoasm_diagnostic d;
    sum->files++;
    sum->failed += c->res == NULL;
    sum->rejected += c->rejected;
    for (size_t i = 0; res != NULL && ptoasm_diagnostic_at(res, i, &d); i++) {
        sum->errors += d.severity == PTOASM_SEVERITY_ERROR && strcmp(d.id, "too-many-errors") != 0;
        sum->warnings += d.severity == PTOASM_SEVERITY_WARNING;
    }
}

/* Runs on the main thread, in order. */
static void report_file(void *arg, size_t i, void *item) {
    Check *k = arg;
    Checked *c = item;
    ptoasm_result *shown = shown_result(c, k->opt);
    if (shown != NULL && k->opt->check.write_baseline != NULL) {
        baseline_add(&k->found, shown, shown == c->res ? c->src : c->fixed.src);
        ptoasm_hide_warnings(shown, hide_all, NULL);
        c->rejected = c->rejected && has_error(shown);
    }
    count(c, shown, &k->sum);
    k->sum.fixes += c->fixed.fixes;
    k->unwritten |= !deliver_fixes(c, k->opt, k->files.items[i].name);
    if (shown != NULL) {
        k->report->file(k->report, c->in.name, shown);
        table_add(&k->table, shown, c->in.name);
    } else {
        k->report->failed(k->report, c->in.name, c->reason);
    }
    fixed_free(&c->fixed);
    ptoasm_result_free(c->res);
    ptoasm_source_close(c->src);
    input_free(&c->in);
}

static int check_all(Check *k) {
    const PoolWork work = {k->files.n, sizeof(Checked), check_file, report_file, k};
    unsigned threads = k->opt->threads != 0 ? k->opt->threads : pool_cores();
    if (table_open(&k->table, k->opt) != FINE) return TROUBLE;
    k->report->begin(k->report);
    if (!pool_run(&work, threads)) return trouble("out of memory");
    k->report->end(k->report, &k->sum);
    k->unwritten |= table_close(&k->table) != FINE;
    if (k->sum.failed > 0 || k->unwritten) return TROUBLE;
    return k->sum.rejected > 0 ? REJECTED : FINE;
}

/* ---- options ---- */

/* Reads the baseline, checks, and writes a baseline. */
static int check_known(Check *k, Options *opt) {
    Baseline known = {.n = 0};
    int rc = FINE, written = FINE;
    if (opt->check.baseline != NULL && opt->check.write_baseline == NULL) {
        rc = baseline_read(&known, opt->check.baseline);
        opt->check.known = &known;
    }
    if (rc == FINE && opt->check.write_baseline != NULL)
        rc = baseline_begin(&k->found, opt->check.write_baseline);
    if (rc == FINE) {
        rc = check_all(k);
        if (opt->check.write_baseline != NULL)
            written = baseline_end(&k->found, opt->check.write_baseline);
    }
    baseline_free(&known);
    return written != FINE ? written : rc;
}

static int run(Options *opt) {
    if (opt->wrong_warning != NULL) return wrong_warning(&check_command, opt->wrong_warning);
    if (opt->nargs == 0) return usage_error(&check_command, "no file given");
    if (opt->check.verify &&
        (opt->check.fix || opt->check.diff || opt->check.write_baseline != NULL))
        return usage_error(&check_command, "--verify-diagnostics does not go with --fix, --diff or "
                                           "--write-baseline");
    for (int i = 0; opt->check.fix && !opt->check.diff && i < opt->nargs; i++)
        if (strcmp(opt->args[i], "-") == 0)
            return usage_error(&check_command, "--fix rewrites files, not standard input");
    int rc = table_choose(opt);
    if (rc >= 0) return rc;
    opt->check.fix_all |= opt->check.diff && !opt->check.fix;
    Check k = {.opt = opt, .report = report_new(opt)};
    rc = files_list(&k.files, opt, ".pto") ? check_known(&k, opt) : trouble("out of memory");
    files_free(&k.files);
    return rc;
}

static bool set_quiet(Options *opt, const char *value) {
    (void)value;
    warnings_of(opt)->quiet = true;
    return opt->quiet = true;
}

static bool set_write_baseline(Options *opt, const char *value) {
    opt->check.write_baseline = value;
    return *value != '\0' && strcmp(value, "-") != 0;
}

static bool set_fix(Options *opt, const char *value) {
    if (value != NULL && strcmp(value, "all") != 0) return false;
    opt->check.fix_all |= value != NULL;
    return opt->check.fix = true;
}

static bool set_verify(Options *opt, const char *value) {
    (void)value;
    return opt->check.verify = true;
}

/* --diff without --fix shows what --fix=all would do. */
static bool set_diff(Options *opt, const char *value) {
    (void)value;
    return opt->check.diff = true;
}

/* Values add up, of one option and of several. */
static bool set_threads(Options *opt, const char *value) {
    uint64_t n;
    if (!number_from_text(value, POOL_MOST, &n) || n == 0) return false;
    opt->threads = (unsigned)n;
    return true;
}

static const OptionRow rows[] = {
    {"profile", 0, "P[,P...]",
     "judge for each of these profiles: " PROFILES_LIST
     ", or all\n(default: the module's, else a2a3); "
     "of several, a table\nsays which instructions each accepts",
     "a list of " PROFILES_AND ", or all", set_profiles},
    {"pto-arch", 0, "A", "the vendor's spelling of --profile: a2, a3 or a5", "a2, a3 or a5",
     set_profile},
    OPTION_LEVEL,
    {"format", 0, "F",
     "how to write what was found: " REPORT_FORMATS
     "\n(default text); all but text go to standard output",
     REPORT_FORMATS, report_set_format},
    OPTION_LOCATIONS,
    {"portability", 0, "F",
     "how to write the portability table: " TABLE_FORMATS "\n(default text); without --profile, of "
     "all profiles",
     TABLE_FORMATS, set_portability},
    {"portability-file", 0, "FILE", "write the portability table to FILE, not standard output",
     "a file name", set_portability_file},
    OPTION_WARNINGS,
    {"fix", 0, "[=all]",
     "rewrite the files with the fixes that keep the meaning;\nall: with those that change types "
     "or add statements, too",
     "all, or nothing", set_fix},
    {"diff", 0, NULL, "print what --fix would change (alone: --fix=all), write nothing", NULL,
     set_diff},
    OPTION_LINT,
    {"sync", 0, "W[,W...]",
     "prove the order of pipes of every function (all), not only\nof those with flags, events or "
     "buffers; report what only\npractice promises, too (strict); a line for each "
     "function\n(report)",
     "a list of all, strict and report", set_sync},
    OPTION_BASELINE,
    {"write-baseline", 0, "FILE", "list the warnings in FILE instead of showing them",
     "a file name", set_write_baseline},
    {"verify-diagnostics", 0, NULL,
     "compare what is found with comments such as\n// expected-error@+1 {{text}} [id]; report what "
     "differs",
     NULL, set_verify},
    OPTION_EXCLUDE,
    OPTION_NO_PROJECT("FILE"),
    {"quiet", 'q', NULL, "no warnings, no summary", NULL, set_quiet},
    {"j", 'j', "N", "work on N files at a time (default: one for each core)",
     "a number from 1 to 256", set_threads},
    OPTION_COMMON,
};

const Command check_command = {
    .name = "check",
    .usage = "[OPTION]... FILE...",
    .summary = "Checks programs; prints nothing when they are legal.",
    .details =
        "FILE is a file, a folder, or - for standard input. Of a folder all files *.pto in it\n"
        "and below it are checked, sorted by name; names that begin with a dot are left out.\n"
        "@FILE is replaced by the options and files listed in FILE. The options in the next\n"
        "file named .ptoasm, in the folder of FILE or one above it, come before those of the\n"
        "command line; lines of it that begin with # are comments.\n"
        "\n"
        "Errors go to standard error, with a stable id in brackets, in the order of the\n"
        "arguments for every -j; a summary line follows when there is more than one file. For\n"
        "several profiles a portability table goes to standard output: one line for a function\n"
        "that all of them accept, else who accepts which instruction, and whether the tiles\n"
        "fit the on-chip memory. With a --format other than text it is written only with\n"
        "--portability-file.\n"
        "\n"
        "The exit code is 0 when all programs are legal, 1 when one of the profiles rejects\n"
        "one or -Werror makes one of its warnings an error, and 2 for wrong usage and when\n"
        "something could not be read, whatever else was found. What can be read is checked.\n"
        "\n"
        "--max-errors counts per file, and only errors. An option -W for one id beats an option\n"
        "for all; of two for the same id the last wins.\n",
    .rows = rows,
    .examples = "  ptoasm check kernel.pto\n"
                "  ptoasm check -Werror -Wno-deprecated-spelling kernels/\n"
                "  ptoasm check --profile=a2a3,a5 --level=2 a.pto b.pto\n",
    .argfiles = true,
    .project = true,
    .run = run,
};
