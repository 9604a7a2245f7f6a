/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `ptoasm test`: cases are read from JSON, each is a `ptoasm run` in a process. */
#ifndef CLI_TEST_H
#define CLI_TEST_H

#include "cli/cli.h"
#include "cli/report_values.h"

/* One run of a program with what must come of it. */
typedef struct TestCase {
    const char *file;         /* with the cases, as named */
    char *name;               /* with the values that were chosen for it */
    char *folder;             /* of the file: paths are relative to it */
    char *program, *function; /* that it runs; NULL: the only one */
    char **words;             /* of the command line from `run` on, NULL at the end */
    size_t nwords;
    char **timed; /* the same for `time`, after a run that is as expected; NULL = it is not timed */
    size_t ntimed;
    bool goldens;     /* files are expected, which --update writes */
    int exit;         /* the exit code to expect */
    char *message;    /* what standard error must contain; NULL = anything */
    unsigned seconds; /* the case has failed after so many */
    bool quiet;       /* standard error is dropped */
    /* What happened. */
    bool passed;
    int code;         /* exit code of the run; -1 when a signal ended it */
    int signal;       /* that ended it; 0 = none */
    double took;      /* seconds */
    char *output;     /* both streams of the run */
    json_t *coverage; /* what it wrote with --coverage; NULL = nothing */
} TestCase;

typedef struct TestList {
    TestCase *cases;
    size_t n, cap;
    bool update;   /* --update: runs write what is expected */
    bool coverage; /* --coverage */
} TestList;

/* ---- test_read.c ---- */

/* Reads a file and adds its cases, one for each choice of values and profile. Returns FINE, or
 * TROUBLE after a message. */
int tests_read(const char *file, TestList *list);
void tests_free(TestList *list);

/* ---- test_words.c ---- */

/* Makes the words of the run of a case from its JSON object, whose keys are known and of the right
 * type. Returns the reason why that is not possible, or NULL. */
const char *test_words(const json_t *o, const char *profile, TestList *list, TestCase *c);
/* Adds a word to the command line of a case. */
void add_word(TestCase *c, const char *fmt, ...) __attribute__((format(printf, 2, 3), nonnull));
/* The text of a string or number; to be freed. */
char *test_text(const json_t *value);

/* ---- test_process.c ---- */

/* Runs all cases, at most `processes` at a time, and calls `done` for each in order. Returns FINE,
 * or TROUBLE after a message. */
int tests_run(TestList *list, unsigned processes, void (*done)(void *user, const TestCase *c),
              void *user);

/* ---- test_coverage.c ---- */

/* Joins what the runs have taken: an object with the ways, those taken, and the points of each
 * program by line. */
json_t *tests_coverage(const TestList *list);
double coverage_percent(const json_t *coverage);
/* Prints it, each line after `before`. */
void coverage_print(const json_t *coverage, const char *before);

/* ---- test_report.c ---- */

/* A format of the report; the names of all are in the help of --format. */
typedef struct TestFormat {
    const char *name;
    void (*begin)(size_t n);                                      /* NULL = nothing */
    void (*put)(const TestCase *c, size_t i, const Options *opt); /* case i, from 1 */
    void (*end)(const TestList *list, const json_t *coverage);    /* NULL: not asked for */
} TestFormat;
extern const TestFormat test_formats[]; /* ends with a name NULL; the first is the default */

/* Counts the cases that did not pass. */
size_t tests_failed(const TestList *list);

#endif
