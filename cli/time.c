/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm time: how long a program takes on the chip, from its text. */
#include "cli/report_values.h"
#include "cli/timed.h"
#include "ir/profile.h"
#include "support/number.h"

#include <stdlib.h>
#include <string.h>

/* ---- one program ---- */

typedef struct Prepared {
    const Options *opt;
    int rc;
} Prepared;

static bool prepare(TimingRequest *q, Profile profile, void *arg) {
    Prepared *p = arg;
    p->rc = time_params(&q->params, profile, p->opt);
    return p->rc == FINE;
}

/* Says why there is no time. */
static int refused(const Timing *t, const char *file) {
    if (t->why == NULL) return REJECTED;
    if (t->why_line != 0)
        trouble("'%s', line %u: %s", file, t->why_line, t->why);
    else
        trouble("'%s': %s", file, t->why);
    return t->why_code == 1 ? TROUBLE : NO_CODE;
}

static int write_trace(const Timing *t, const Options *opt) {
    MemoryText text;
    FILE *to = memory_open(&text);
    if (to == NULL) return trouble("out of memory");
    time_put_trace(t, to);
    if (!memory_close(to, &text)) return trouble("out of memory");
    const int rc = output_file(opt->time.trace, text.text, text.size);
    memory_free(&text);
    return rc;
}

static bool is_html(const char *path) {
    const size_t n = path != NULL ? strlen(path) : 0;
    return n > 5 && strcmp(path + n - 5, ".html") == 0;
}

static bool put_report(const Timing *t, const Input *in, json_t *before, const Options *opt,
                       FILE *to) {
    if (before != NULL)
        time_put_compared(t, before, opt->time.compare, opt, to);
    else if (opt->json)
        time_put_json(t, in->name, to);
    else if (opt->time.annotate)
        time_put_annotated(t, in->data, to);
    else
        return is_html(opt->out) ? time_put_html(t, in->name, in->data, opt, to)
                                 : time_put_text(t, in->name, opt, to);
    return true;
}

static int write_report(const Timing *t, const Input *in, json_t *before, const Options *opt) {
    MemoryText text;
    FILE *to = memory_open(&text);
    if (to == NULL) return trouble("out of memory");
    bool fine = put_report(t, in, before, opt, to);
    fine = memory_close(to, &text) && fine;
    int rc = fine ? output_file(opt->out != NULL ? opt->out : "-", text.text, text.size)
                  : trouble("out of memory");
    memory_free(&text);
    return rc;
}

static int judge(const Timing *t, json_t *baseline, const Options *opt) {
    const double total = timing_total(t);
    int rc = FINE;
    if (opt->time.fail_above > 0 && total > opt->time.fail_above) {
        fprintf(stderr, "ptoasm: error: %.0f cycles are more than the %.0f of --fail-above\n",
                total, opt->time.fail_above);
        rc = REJECTED;
    }
    if (baseline != NULL && time_judge_baseline(t, baseline, opt) != FINE) rc = REJECTED;
    return rc;
}

/* What is done with a timed program. */
typedef struct Use {
    json_t **keep;    /* it is the other program, and its report goes here */
    json_t *before;   /* the report of that one */
    json_t *baseline; /* that of --baseline */
} Use;

static int report(const TimingCall *call, const Input *in, const Use *use, const Options *opt) {
    if (use->keep != NULL) {
        *use->keep = time_json(&call->timing, in->name);
        return FINE;
    }
    int rc = use->baseline != NULL ? time_check_baseline(&call->timing, use->baseline, opt) : FINE;
    if (rc == FINE) rc = write_report(&call->timing, in, use->before, opt);
    if (rc == FINE && opt->time.trace != NULL) rc = write_trace(&call->timing, opt);
    return rc == FINE ? judge(&call->timing, use->baseline, opt) : rc;
}

static int time_program(ptoasm_program *program, const Input *in, const Use *use,
                        const Options *opt) {
    Prepared p = {.opt = opt};
    TimingCall call = {
        .request = {.entry = opt->run.entry,
                    .args = opt->args + 1,
                    .nargs = (size_t)opt->nargs - 1,
                    .grid = opt->run.grid,
                    .block = opt->run.only_block >= 0 ? opt->run.only_block : 0,
                    .lenient = use->keep != NULL,
                    .whole = opt->run.grid > 1 && !opt->time.annotate && use->keep == NULL,
                    .slices = opt->time.trace != NULL || is_html(opt->out),
                    .what_if = !opt->time.annotate && use->keep == NULL},
        .prepare = prepare,
        .arg = &p};
    ptoasm_result *res;
    const int status = program_time(program, &opt->judge, &call, &res);
    if (res == NULL) return status_trouble(in->name, status);
    print_diagnostics(res, opt);
    int rc = p.rc;
    if (rc == FINE)
        rc = status == PTOASM_OK       ? report(&call, in, use, opt)
             : call.timing.why != NULL ? refused(&call.timing, in->name)
                                       : REJECTED;
    ptoasm_result_free(res);
    return rc;
}

static int time_file(const char *path, const Use *use, const Options *opt) {
    Input in;
    ptoasm_source *src;
    ptoasm_program *program;
    int rc = input_open(path, &in, &src);
    if (rc != FINE) return rc;
    const int status = ptoasm_program_open(src, &opt->judge, &program);
    rc = program == NULL ? status_trouble(in.name, status) : time_program(program, &in, use, opt);
    ptoasm_program_close(program);
    ptoasm_source_close(src);
    input_free(&in);
    return rc;
}

static bool is_stdin(const char *path) {
    return path != NULL && strcmp(path, "-") == 0;
}

/* Whether an option is about a program, not about single instructions. */
static bool asks_for_program(const Options *opt) {
    const TimeOptions *t = &opt->time;
    return t->annotate || t->trace != NULL || t->fail_above > 0 || t->baseline != NULL ||
           t->compare != NULL || t->top > 0 || opt->json || opt->run.entry != NULL ||
           opt->run.grid > 1 || opt->run.only_block >= 0;
}

/* Returns why options do not go together, or NULL. */
static const char *contradiction(const Options *opt) {
    const TimeOptions *t = &opt->time;
    const char *file = opt->nargs > 0 ? opt->args[0] : NULL;
    if (t->points != NULL && file != NULL) return "--points takes no FILE";
    if (t->points == NULL && file == NULL) return "no file given";
    /* each is read again for another profile or program */
    if (is_stdin(t->params) && (t->points != NULL || t->compare != NULL || is_stdin(file)))
        return "--params=- goes with one FILE, which is not - too";
    if (is_stdin(t->compare) && is_stdin(file)) return "--compare=- and FILE are both -";
    if (t->compare != NULL && (opt->json || is_html(opt->out)))
        return "--compare prints text: it excludes --format=json and -o FILE.html";
    if (t->compare != NULL && t->annotate) return "--compare and --annotate exclude each other";
    if (t->annotate && (opt->json || is_html(opt->out)))
        return "--annotate prints text: it excludes --format=json and -o FILE.html";
    if (opt->json && is_html(opt->out)) return "--format=json and -o FILE.html exclude each other";
    if (t->slower > 0 && t->baseline == NULL) return "--allow-slower goes with --baseline";
    if (t->points != NULL && asks_for_program(opt))
        return "--points goes with --law, --params, --set, --blocks and -o alone";
    return NULL;
}

/* A file that is read must not be written. */
static int check_outputs(const Options *opt) {
    const TimeOptions *t = &opt->time;
    const char *file = opt->nargs > 0 ? opt->args[0] : NULL;
    const char *read[] = {file, t->compare, t->params, t->baseline, t->points};
    const char *written[] = {opt->out, t->trace};
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        for (size_t k = 0; k < sizeof read / sizeof *read; k++)
            if (written[i] != NULL && read[k] != NULL && same_file(read[k], written[i]))
                return trouble("'%s' would be overwritten by its own output", read[k]);
    if (opt->out != NULL && t->trace != NULL && strcmp(opt->out, t->trace) == 0)
        return trouble("the report and the trace would both go to '%s'", opt->out);
    return FINE;
}

static int run(Options *opt) {
    const char *why = contradiction(opt);
    if (why != NULL) return usage_error(&time_command, "%s", why);
    if (opt->run.only_block >= opt->run.grid || opt->run.grid == 0)
        return usage_error(&time_command, "--block=%lld: the launch has %lld blocks, from 0 on",
                           (long long)(opt->run.only_block >= 0 ? opt->run.only_block : 0),
                           (long long)opt->run.grid);
    int rc = check_outputs(opt);
    if (rc != FINE) return rc;
    if (opt->time.points != NULL) return time_points(opt);
    Use use = {.keep = NULL};
    if (opt->time.baseline != NULL) {
        use.baseline = time_read_baseline(opt);
        if (use.baseline == NULL) return TROUBLE;
    }
    if (opt->time.compare != NULL)
        rc = time_file(opt->time.compare, &(Use){.keep = &use.before}, opt);
    if (rc == FINE) rc = time_file(opt->args[0], &use, opt);
    json_decref(use.before);
    json_decref(use.baseline);
    return rc;
}

/* ---- options ---- */

static bool set_law(Options *opt, const char *value) {
    opt->time.vendor = strcmp(value, "vendor") == 0;
    return opt->time.vendor || strcmp(value, "device") == 0;
}

static bool set_points(Options *opt, const char *value) {
    opt->time.points = value;
    return true;
}

static bool set_params(Options *opt, const char *value) {
    opt->time.params = value;
    return true;
}

static bool set_trace(Options *opt, const char *value) {
    opt->time.trace = value;
    return true;
}

static bool set_compare(Options *opt, const char *value) {
    opt->time.compare = value;
    return true;
}

static bool set_report(Options *opt, const char *value) {
    opt->time.baseline = value;
    return true;
}

static bool set_slower(Options *opt, const char *value) {
    return number_read(value, strlen(value), &opt->time.slower) && opt->time.slower >= 0 &&
           opt->time.slower <= 1e6;
}

static bool set_set(Options *opt, const char *value) {
    if (opt->time.nsets == MOST_SETS || strchr(value, '=') == NULL) return false;
    opt->time.sets[opt->time.nsets++] = value;
    return true;
}

static bool set_annotate(Options *opt, const char *value) {
    (void)value;
    return opt->time.annotate = true;
}

static bool read_count(const char *value, uint64_t most, uint64_t *out) {
    return number_from_text(value, most, out) && *out > 0;
}

static bool set_fail_above(Options *opt, const char *value) {
    uint64_t n;
    if (!read_count(value, (uint64_t)1 << 52, &n)) return false;
    opt->time.fail_above = (double)n;
    return true;
}

static bool set_top(Options *opt, const char *value) {
    uint64_t n;
    if (!read_count(value, 100000, &n)) return false;
    opt->time.top = (unsigned)n;
    return true;
}

static bool set_blocks(Options *opt, const char *value) {
    uint64_t n;
    if (!read_count(value, 65536, &n)) return false;
    opt->time.blocks = (int64_t)n;
    return true;
}

static const OptionRow rows[] = {
    {"entry", 0, "NAME", "time the function NAME (default: the first entry point)", "a name",
     set_entry},
    {"grid", 0, "N",
     "the launch has N blocks (default 1); of more than one, the time of all\nis printed too",
     "a number from 1 to 2147483647", set_grid},
    {"block", 0, "K", "time block number K of these (default 0)", "a number from 0", set_block},
    {"law", 0, "LAW",
     "device (default): as measured on devices; vendor: as the vendor's\nmodel of calls, to "
     "compare "
     "with its simulator",
     "device or vendor", set_law},
    {"blocks", 0, "N", "N blocks share the global memory (default 1: no contention)",
     "a number from 1 to 65536", set_blocks},
    {"params", 0, "FILE", "replace parameters by those in FILE", "a file name", set_params},
    {"set", 0, "NAME=N", "replace one parameter, such as gm-ub-start=264",
     "NAME=NUMBER, at most 256 times", set_set},
    {"annotate", 0, NULL, "print the text with the cycles of each line before it", NULL,
     set_annotate},
    {"top", 0, "N", "show N lines of each list (default 8)", "a number from 1 to 100000", set_top},
    {"format", 0, "F", "json: one object instead of text", "json or text", set_json},
    {"trace", 0, "FILE", "write when each statement runs to FILE, for ui.perfetto.dev",
     "a file name", set_trace},
    {"fail-above", 0, "N", "exit code 1 if it takes more than N cycles", "a number from 1",
     set_fail_above},
    {"baseline", 0, "FILE",
     "exit code 1 if it is slower than the report in FILE, of\n--format=json", "a file name",
     set_report},
    {"allow-slower", 0, "P", "with --baseline: by more than P percent (default 0)",
     "a number from 0", set_slower},
    {"compare", 0, "OTHER", "time the program OTHER too, and print what differs", "a file name",
     set_compare},
    {"points", 0, "FILE", "print the rows of FILE, each about one instruction, with the cycles",
     "a file name", set_points},
    {"o", 'o', "OUT", "write to OUT; if its name ends with .html, with a drawing of the\npipes",
     "a file name", set_out},
    OPTION_JUDGE,
    OPTION_COMMON,
};

const Command time_command = {
    .name = "time",
    .usage = "[OPTION]... FILE [[NAME=]ARG]...",
    .summary = "Estimates how long a program takes on the chip.",
    .details =
        "Prints the cycles of one block, which pipe bounds it, the longest chain by line, the\n"
        "waits, and what would change the time. Nothing is run: the figures are those of\n"
        "published measurements and models. Of the arguments, as `run` takes them, integers\n"
        "that decide which statements run are needed; data is not. FILE may be - for standard\n"
        "input. With --points=FILE instead: rows about single instructions, with the columns\n"
        "source, profile, instr, dtype, rows, cols, vrows, vcols and extra.\n",
    .rows = rows,
    .examples = "  ptoasm time gemm.pto m=256 n=256 k=4096\n"
                "  ptoasm time --annotate kernel.pto 1024\n"
                "  ptoasm time --fail-above=20000 --format=json kernel.pto 1024\n",
    .numbers = true,
    .run = run,
};
