/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm equiv: runs two programs on the same inputs, boundaries first and then random ones, and
 * names the first statement that differs. */
#include "cli/equiv.h"
#include "cli/pool.h"
#include "cli/run.h"
#include "cli/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_TRIALS = 8, MOST_ARGS = 64 };

/* The inputs of a trial. */
typedef struct Trial {
    char *args[MOST_ARGS];
    int n;
} Trial;

/* ---- inputs ---- */

/* A number that depends on the trial and the argument alone. */
static uint64_t mixed(uint64_t trial, uint64_t arg) {
    uint64_t x = trial * 0x9E3779B97F4A7C15u + arg * 0xBF58476D1CE4E5B9u + 1;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* Reads `FROM..TO` of whole numbers. */
static bool range_read(const char *text, long long *from, long long *to) {
    char *end;
    *from = strtoll(text, &end, 10);
    if (end == text || strncmp(end, "..", 2) != 0) return false;
    const char *last = end + 2;
    *to = strtoll(last, &end, 10);
    long long span;
    return end != last && *end == '\0' && *from <= *to &&
           !__builtin_sub_overflow(*to, *from, &span) && span < INT32_MAX;
}

/* The ends of a range first, then any number of it. */
static long long range_pick(long long from, long long to, unsigned trial, uint64_t random) {
    if (trial == 0) return from;
    if (trial == 1) return to;
    return from + (long long)(random % (uint64_t)(to - from + 1));
}

static const char *value_in(const char *arg) {
    const char *equals = strchr(arg, '=');
    return equals != NULL ? equals + 1 : arg;
}

/* Makes the argument of a trial: of `NAME=FROM..TO` a number, of `any` an array. */
static char *choose(const char *arg, unsigned trial, int i) {
    static const char *const plain[] = {"random:1", "random:2", "zeros", "ones", "iota"};
    const char *value = value_in(arg);
    const uint64_t random = mixed(trial, (uint64_t)i);
    const size_t size = strlen(arg) + 48;
    char *out = must_alloc(size);
    long long from, to;
    if (range_read(value, &from, &to))
        snprintf(out, size, "%.*s%lld", (int)(value - arg), arg,
                 range_pick(from, to, trial, random));
    else if (strncmp(value, "any", 3) == 0 && (value[3] == '\0' || value[3] == ':') && trial < 5)
        snprintf(out, size, "%.*s%s%s", (int)(value - arg), arg,
                 trial < 2 && i > 0 ? plain[1 - trial] : plain[trial], value + 3);
    else if (strncmp(value, "any", 3) == 0 && (value[3] == '\0' || value[3] == ':'))
        snprintf(out, size, "%.*srandom:%llu%s", (int)(value - arg), arg,
                 (unsigned long long)(random >> 32), value + 3);
    else
        snprintf(out, size, "%s", arg);
    return out;
}

/* Replaces each `${NAME}` by the value of the argument NAME. */
static char *filled(const Trial *t, char *text) {
    for (char *at; (at = strstr(text, "${")) != NULL;) {
        const size_t n = strcspn(at + 2, "}");
        const char *value = NULL;
        for (int i = 0; i < t->n; i++)
            if (strncmp(t->args[i], at + 2, n) == 0 && t->args[i][n] == '=')
                value = t->args[i] + n + 1;
        if (at[2 + n] == '\0' || value == NULL || strstr(value, "${") != NULL) break;
        const size_t size = strlen(text) + strlen(value) + 1;
        char *out = must_alloc(size);
        snprintf(out, size, "%.*s%s%s", (int)(at - text), text, value, at + 2 + n + 1);
        free(text);
        text = out;
    }
    return text;
}

static void trial_make(Trial *t, const Options *opt, unsigned trial) {
    *t = (Trial){.n = opt->nargs - 2};
    for (int i = 0; i < t->n; i++)
        t->args[i] = choose(opt->args[2 + i], trial, i);
    for (int i = 0; i < t->n; i++)
        t->args[i] = filled(t, t->args[i]);
}

/* ---- runs ---- */

/* Adds an argument; an array is also written after the run. */
static void add_argument(TestCase *c, const char *arg, const char *folder, int i) {
    const char *value = value_in(arg);
    if (strchr(arg, '>') == NULL && (argument_is_source(value) || strstr(value, ".npy") != NULL))
        add_word(c, "%s>%s.%d.npy", arg, folder, i);
    else
        add_word(c, "%s", arg);
}

static void add_run(TestCase *c, const char *program, const char *folder, const Options *opt,
                    const Trial *t) {
    add_word(c, "run");
    add_word(c, "--color=never");
    add_word(c, "--format=json");
    add_word(c, "--dump=%s", folder);
    add_word(c, "--grid=%lld", (long long)opt->run.grid);
    if (opt->run.entry != NULL) add_word(c, "--entry=%s", opt->run.entry);
    if (opt->equiv.profile != NULL) add_word(c, "--profile=%s", opt->equiv.profile);
    add_word(c, "--");
    add_word(c, "%s", program);
    for (int i = 0; i < t->n; i++)
        add_argument(c, t->args[i], folder, i);
}

static void ignore(void *user, const TestCase *c) {
    (void)user;
    (void)c;
}

static void put_inputs(const Trial *t) {
    fputs("  inputs:", stderr);
    for (int i = 0; i < t->n; i++)
        fprintf(stderr, " %s", t->args[i]);
    fputc('\n', stderr);
}

static void put_failure(const TestCase *run, const char *program, const json_t *report) {
    const json_t *error = json_object_get(report, "error"), *first;
    first = json_array_get(json_object_get(report, "diagnostics"), 0);
    if (!json_is_object(error)) error = first;
    const char *message = json_string_value(json_object_get(error, "message"));
    const json_t *line = json_object_get(error, "line");
    fputs(program, stderr);
    if (json_is_integer(line)) fprintf(stderr, ":%lld", (long long)json_integer_value(line));
    fprintf(stderr, ": %s (exit code %d)\n", message != NULL ? message : "it did not run",
            run->code);
}

/* Compares both; a program that does not run on the inputs differs from one that does. */
static int judge(const TestCase *runs, const char *const folders[2], const Options *opt) {
    const char *const programs[2] = {opt->args[0], opt->args[1]};
    json_error_t ignored;
    json_t *reports[2];
    int rc = FINE;
    for (int i = 0; i < 2; i++) {
        reports[i] = json_loads(runs[i].output, 0, &ignored);
        if (runs[i].code == FINE || rc != FINE) continue;
        put_failure(&runs[i], programs[i], reports[i]);
        rc = runs[i].code > FINE ? runs[i].code : REJECTED;
    }
    for (int i = 0; i < 2 && rc == FINE; i++)
        if (!json_is_object(reports[i]))
            rc = trouble("'%s': the report of its run cannot be read", programs[i]);
    if (rc == FINE) rc = equiv_compare(programs, folders, opt);
    if (rc == FINE) rc = equiv_compare_results(programs, (const json_t *const *)reports, opt);
    for (int i = 0; i < 2; i++)
        json_decref(reports[i]);
    return rc;
}

static int run_trial(const Options *opt, unsigned number, const char *folder) {
    char paths[2][SCRATCH_FILE];
    const char *folders[2] = {paths[0], paths[1]};
    Trial t;
    TestList list = {.cases = calloc(2, sizeof(TestCase)), .n = 2, .cap = 2};
    if (list.cases == NULL) return trouble("out of memory");
    trial_make(&t, opt, number);
    for (int i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%u.%d", folder, number, i);
        list.cases[i].folder = strdup(".");
        list.cases[i].seconds = 600;
        list.cases[i].quiet = true; /* what the programs print is not part of the report */
        add_run(&list.cases[i], opt->args[i], paths[i], opt, &t);
    }
    int rc = tests_run(&list, 2, ignore, NULL);
    if (rc == FINE) rc = judge(list.cases, folders, opt);
    if (rc == REJECTED) put_inputs(&t);
    for (int i = 0; i < t.n; i++)
        free(t.args[i]);
    tests_free(&list);
    return rc;
}

static int run(Options *opt) {
    char folder[SCRATCH_PATH];
    if (opt->nargs < 2) return usage_error(&equiv_command, "two files are needed");
    if (opt->nargs > MOST_ARGS) return usage_error(&equiv_command, "too many arguments");
    if (scratch_make("equiv", folder) != FINE) return TROUBLE;
    json_prepare();
    const unsigned trials = opt->equiv.trials != 0 ? opt->equiv.trials : DEFAULT_TRIALS;
    int rc = FINE;
    for (unsigned i = 0; i < trials && rc == FINE; i++)
        rc = run_trial(opt, i, folder);
    scratch_remove(folder);
    if (rc == FINE) printf("no difference in %u run%s\n", trials, trials == 1 ? "" : "s");
    return rc;
}

/* ---- options ---- */

static bool set_trials(Options *opt, const char *value) {
    uint64_t n;
    if (!number_from_text(value, 1000000, &n) || n == 0) return false;
    opt->equiv.trials = (unsigned)n;
    return true;
}

static bool set_run_profile(Options *opt, const char *value) {
    opt->equiv.profile = value;
    return set_profile(opt, value);
}

static const OptionRow rows[] = {
    {"trials", 0, "N", "run on N inputs (default 8)", "a number from 1 to 1000000", set_trials},
    {"entry", 0, "NAME", "the function to run of both (default: the only one)", "a name",
     set_entry},
    {"grid", 0, "N", "run N blocks (default 1)", "a number from 0 to 2147483647", set_grid},
    {"rtol", 0, "X", "an element may differ by X times that of B (default 0)", "a number from 0",
     set_rtol},
    {"atol", 0, "X", "... and by X more (default 0)", "a number from 0", set_atol},
    {"ulp", 0, "N", "... or be N numbers of its type away (default 0)", "a number from 0", set_ulp},
    {"profile", 0, "P", "run the programs as profile P: " PROFILES_OR " (default: cpu)",
     PROFILES_OR, set_run_profile},
    OPTION_COMMON,
};

const Command equiv_command = {
    .name = "equiv",
    .usage = "[OPTION]... A B [NAME=]ARG...",
    .summary = "Finds the first statement at which two programs differ.",
    .details =
        "Runs both programs on the same inputs and compares the tiles that their statements\n"
        "define, in the order of A, then the arrays. Tiles are matched by name, block and core;\n"
        "a name that one of the programs writes more often is not compared.\n"
        "ARG is what ptoasm run takes, or\n"
        "  any[:SHAPE]    an array: random numbers, zeros, ones, 0 1 2 .., random numbers\n"
        "  FROM..TO       a whole number: first, last, random ones between\n"
        "${NAME} in an ARG is the number that NAME has in this run, as in x=any:${n}x64.\n"
        "\n"
        "The exit code is 1 when the programs differ: the message has the first statement,\n"
        "its elements and the inputs.\n",
    .rows = rows,
    .examples = "  ptoasm equiv --rtol=1e-6 a.pto b.pto any zeros\n"
                "  ptoasm equiv a.pto b.pto 'x=any:${n}x64' 'y=zeros:${n}x64' n=1..40\n",
    .numbers = true,
    .run = run,
};
