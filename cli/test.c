/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm test: runs the cases beside programs and reports which pass. */
#include "cli/test.h"
#include "cli/pool.h"
#include "cli/walk.h"
#include "support/number.h"

#include <stdlib.h>
#include <string.h>

/* What the report of one case after the other needs. */
typedef struct Told {
    const Options *opt;
    size_t n;
} Told;

static void tell(void *user, const TestCase *c) {
    Told *told = user;
    const TestFormat *format = &test_formats[told->opt->test.format];
    told->n++;
    if (format->put != NULL) format->put(c, told->n, told->opt);
    fflush(stdout);
}

/* ---- choosing cases ---- */

static bool is_wanted(const TestCase *c, const Options *opt) {
    if (opt->test.update && !c->goldens) return false;
    return opt->test.match == NULL || strstr(c->name, opt->test.match) != NULL;
}

/* Moves the cases that are wanted to the front; returns how many there are. */
static size_t choose(TestList *list, const Options *opt) {
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++) {
        if (!is_wanted(&list->cases[i], opt)) continue;
        const TestCase c = list->cases[n];
        list->cases[n++] = list->cases[i];
        list->cases[i] = c;
    }
    return n;
}

static int list_cases(const TestList *list) {
    for (size_t i = 0; i < list->n; i++)
        printf("%s: %s\n", list->cases[i].file, list->cases[i].name);
    return FINE;
}

/* The exit code for all: trouble with one case is trouble. */
static int worst_code(const TestList *list) {
    int rc = FINE;
    for (size_t i = 0; i < list->n; i++) {
        const TestCase *c = &list->cases[i];
        if (c->passed) continue;
        const int code = c->code == TROUBLE ? TROUBLE : c->code == NO_CODE ? NO_CODE : REJECTED;
        if (rc == FINE || code == TROUBLE || (code == REJECTED && rc == NO_CODE)) rc = code;
    }
    return rc;
}

static int run_cases(TestList *list, const Options *opt) {
    const TestFormat *format = &test_formats[opt->test.format];
    Told told = {.opt = opt};
    if (opt->test.list) return list_cases(list);
    if (format->begin != NULL) format->begin(list->n);
    const int rc = tests_run(list, opt->threads != 0 ? opt->threads : pool_cores(), tell, &told);
    if (rc != FINE) return rc;
    json_t *coverage = list->coverage ? tests_coverage(list) : NULL;
    if (format->end != NULL) format->end(list, coverage);
    int worst = worst_code(list);
    if (coverage != NULL && coverage_percent(coverage) < opt->test.fail_under) {
        fflush(stdout);
        fprintf(stderr, "ptoasm: coverage is %.1f %%, less than %g %%\n",
                coverage_percent(coverage), opt->test.fail_under);
        if (worst == FINE || worst == NO_CODE) worst = REJECTED;
    }
    json_decref(coverage);
    return worst;
}

static int read_files(const FileList *files, TestList *list) {
    int rc = FINE;
    for (size_t i = 0; i < files->n && rc == FINE; i++) {
        const FileItem *item = &files->items[i];
        rc = item->reason != NULL ? trouble("cannot read '%s': %s", item->name, item->reason)
                                  : tests_read(item->name, list);
    }
    return rc;
}

static int run(Options *opt) {
    static const char *here[] = {"."};
    FileList files;
    TestList list = {.update = opt->test.update, .coverage = opt->test.coverage};
    if (opt->nargs == 0) {
        opt->args = here;
        opt->nargs = 1;
    }
    json_prepare();
    int rc = files_list(&files, opt, ".test.json") ? read_files(&files, &list)
                                                   : trouble("out of memory");
    if (rc == FINE) {
        TestList chosen = {.cases = list.cases, .n = choose(&list, opt), .coverage = list.coverage};
        rc = chosen.n == 0 && opt->test.update ? trouble("no case expects a file")
             : chosen.n == 0                   ? trouble("no case has '%s' in its name",
                                       opt->test.match != NULL ? opt->test.match : "")
                                               : run_cases(&chosen, opt);
    }
    tests_free(&list);
    files_free(&files);
    return rc;
}

/* ---- options ---- */

static bool set_update(Options *opt, const char *value) {
    (void)value;
    return opt->test.update = true;
}

static bool set_list(Options *opt, const char *value) {
    (void)value;
    return opt->test.list = true;
}

static bool set_verbose(Options *opt, const char *value) {
    (void)value;
    return opt->test.verbose = true;
}

static bool set_coverage(Options *opt, const char *value) {
    (void)value;
    return opt->test.coverage = true;
}

static bool set_fail_under(Options *opt, const char *value) {
    double *percent = &opt->test.fail_under;
    opt->test.coverage = true;
    return number_read(value, strlen(value), percent) && *percent >= 0 && *percent <= 100;
}

static bool set_match(Options *opt, const char *value) {
    opt->test.match = value;
    return *value != '\0';
}

static bool set_format(Options *opt, const char *value) {
    for (unsigned i = 0; test_formats[i].name != NULL; i++)
        if (strcmp(test_formats[i].name, value) == 0) {
            opt->test.format = i;
            return true;
        }
    return false;
}

static bool set_processes(Options *opt, const char *value) {
    uint64_t n;
    if (!number_from_text(value, POOL_MOST, &n) || n == 0) return false;
    opt->threads = (unsigned)n;
    return true;
}

static const OptionRow rows[] = {
    {"format", 0, "F", "report as text, tap, junit (XML) or json", "text, tap, junit or json",
     set_format},
    {"match", 0, "TEXT", "only cases whose name has TEXT in it", "a text", set_match},
    {"update", 0, NULL,
     "write the files that cases expect from what the programs compute\nnow; other cases do not "
     "run",
     NULL, set_update},
    {"coverage", 0, NULL,
     "report which ways through the programs no case takes: branches,\n"
     "loops without a trip and with one, partial tiles, blocks without work",
     NULL, set_coverage},
    {"fail-under", 0, "PERCENT", "the same; exit code 1 when fewer ways are taken",
     "a number from 0 to 100", set_fail_under},
    {"list", 0, NULL, "print the names of the cases and run none", NULL, set_list},
    {"verbose", 'v', NULL, "as text, name the cases that pass too", NULL, set_verbose},
    {"j", 'j', "N", "run N cases at once (default: one for each core)", "a number from 1 to 256",
     set_processes},
    OPTION_EXCLUDE,
    OPTION_COMMON,
};

const Command test_command = {
    .name = "test",
    .usage = "[OPTION]... [PATH]...",
    .summary = "Runs the test cases beside programs.",
    .details =
        "PATH is a file with cases, or a folder: all files named *.test.json in it and below\n"
        "(default: the working folder). Each case runs a function as ptoasm run does, in a\n"
        "process of its own, and compares what it computes with files, another program, a\n"
        "Python function or a command. docs/testing.md describes the files, and\n"
        "test.schema.json defines them. Files that a case names are relative to its own.\n"
        "\n"
        "The exit code is 1 when a case fails, 2 when cases cannot be read or run, and 3 when\n"
        "programs are legal but cannot be run yet.\n",
    .rows = rows,
    .examples = "  ptoasm test\n"
                "  ptoasm test --format=junit kernels >report.xml\n"
                "  ptoasm test --update softmax.test.json\n",
    .run = run,
};
