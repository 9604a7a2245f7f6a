/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the statements of cases*.txt and the programs of programs*.txt, compares verdicts, and fails
 * when a named check function never refused one. (That the rows of the vocabulary fire, each for
 * each instruction, is what the mutator shows.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/verifier/casefile.h"
#include "tests/verifier/run.h"
#include "verifier/rules/rows.h"
#include "verifier/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char **paths;
static int npaths;

enum { MAX_ROWS = 16384 };
static const RuleRow *fired[MAX_ROWS];
static unsigned nfired;

static void row_fired(void *user, InstId inst, const RuleRow *row) {
    (void)user;
    (void)inst;
    for (unsigned i = 0; i < nfired; i++)
        if (fired[i] == row) return;
    assert_true(nfired < MAX_ROWS);
    fired[nfired++] = row;
}

static bool verdict_is(const char *want, size_t n, const char *word) {
    return strlen(word) == n && memcmp(want, word, n) == 0;
}

/* What came out: `ok`, the id of the only error, or `warn ID` for one warning. */
static void describe(const CheckRun *run, char *out, size_t size) {
    const Diag *error = NULL, *warning = NULL;
    unsigned nerrors = 0, nwarnings = 0;
    for (const Diag *d = run->ctx.diags.first; d != NULL; d = d->next) {
        if (d->severity == SEV_ERROR) {
            error = d;
            nerrors++;
        } else if (d->severity == SEV_WARNING) {
            warning = d;
            nwarnings++;
        }
    }
    if (nerrors > 1)
        snprintf(out, size, "%u errors", nerrors);
    else if (error != NULL)
        snprintf(out, size, "%s", diag_infos[error->id].text);
    else if (nwarnings > 1)
        snprintf(out, size, "%u warnings", nwarnings);
    else if (warning != NULL)
        snprintf(out, size, "warn %s", diag_infos[warning->id].text);
    else
        snprintf(out, size, "ok");
}

/* One text against its verdict; a report when it differs. */
static void judge_case(const CaseText *c, void *arg) {
    unsigned *wrong = arg;
    CheckRun run;
    VerifyOptions opt = c->options;
    char got[96];
    opt.on_broken = row_fired;
    check_run(&run, c->where, c->text, c->size, &opt);
    describe(&run, got, sizeof got);
    if (!verdict_is(c->want, c->nwant, got)) {
        fprintf(stderr, "%s (%.*s): expected %.*s, got %s\n%s\n", c->where, (int)c->nname, c->name,
                (int)c->nwant, c->want, got, c->text);
        check_run_report(&run);
        ++*wrong;
    }
    check_run_free(&run);
}

static void texts_get_their_verdicts(void **state) {
    (void)state;
    unsigned wrong = 0, ran = 0;
    for (int i = 0; i < npaths; i++) {
        unsigned n = each_case(paths[i], judge_case, &wrong);
        assert_true(n > 0);
        ran += n;
    }
    printf("%u texts\n", ran);
    assert_int_equal(wrong, 0);
}

static void count_case(const CaseText *c, void *arg) {
    unsigned *named = arg;
    *named += c->nname > 0;
}

static void nameless_cases_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *file, *text;
        unsigned ran;
        const char *mistake; /* NULL: accepted */
    } texts[] = {
        {"programs.txt", "=== a5 | ok | one\n=== a5 | ok | two\nmodule {\n}\n", 2, NULL},
        {"programs.txt", "=== a5 | ok | one\n=== a5 | ok\n", 1, "programs.txt:2: three fields"},
        {"programs.txt", "# x\n=== a5 | ok |\n", 0, "programs.txt:2: no name"},
        {"programs.txt", "=== a5 | ok | one | two\n", 0, "programs.txt:1: three fields"},
        {"programs.txt", "=== a5 | ok | one\n\n=== a2a3 | syntax | one\n", 1,
         "programs.txt:3: the name"},
        {"cases.txt", "# ---- g ----\na5 | ok | | x\na5 | ok | | y\n", 2, NULL},
        {"cases.txt", "# x\na5 | ok | | x\n", 0, "cases.txt:2: no name"},
        {"cases.txt", "# ---- ----\na5 | ok | | x\n", 0, "cases.txt:1: no name"},
        {"cases.txt", "# ---- g ----\na5 | ok | x\n", 0, "cases.txt:2: four fields"},
        {"cases.txt", "# ---- g ----\na5 | ok | | x\n# ---- g ----\n", 1, "cases.txt:3: the name"},
        {"cases.txt", "# ---- g ----\na5 | ok | | x\na5 | ok | | x\n", 1, "cases.txt:3: the name"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char mistake[CASE_MISTAKE] = "";
        unsigned named = 0, ran;
        bool fine = read_cases(texts[i].file, texts[i].text, count_case, &named, &ran, mistake);
        const char *want = texts[i].mistake != NULL ? texts[i].mistake : "";
        if (fine != (texts[i].mistake == NULL) || strncmp(mistake, want, strlen(want)) != 0)
            fail_msg("%s:\n%s\nexpected \"%s\", got \"%s\"", texts[i].file, texts[i].text, want,
                     mistake);
        assert_int_equal(ran, texts[i].ran);
        assert_int_equal(named, ran);
    }
}

static bool check_fired(Answer (*fn)(const Case *, const Rule *)) {
    for (unsigned k = 0; k < nfired; k++)
        if (row_fn(fired[k]) == fn) return true;
    return false;
}

static void every_check_fires(void **state) {
    (void)state;
    unsigned silent = 0, total = 0;
    for (int id = 1; id < INST_COUNT; id++) {
        unsigned n;
        const RuleRow *rows = rule_rows((InstId)id, &n);
        for (unsigned i = 0; i < n; i++) {
            if (rows[i].cond != C_CHECK || rows[i].when == SHOWN) continue;
            total++;
            if (check_fired(row_fn(&rows[i]))) continue;
            silent++;
            fprintf(stderr, "%s: the check of row %u (%s) never fired\n", inst_table[id].name, i,
                    diag_infos[rows[i].id].text);
        }
    }
    printf("%u rows with check functions\n", total);
    assert_int_equal(silent, 0);
}

/* ---- the points of *_corrections.txt ---- */

enum { POINTS = 23, MADE_LEGAL = 7 };

typedef struct Points {
    unsigned accepted[POINTS + 1], refused[POINTS + 1], now;
} Points;

/* Cases below `point N` are of it; in a file of programs the word is in the first one. */
static void count_line(Points *p, const char *line, bool *accepts) {
    const char *point = strstr(line, " point "), *bar = strstr(line, " | ");
    bool program = strncmp(line, "=== ", 4) == 0;
    if (line[0] != '!' && bar != NULL && strncmp(line, "# ", 2) != 0) {
        *accepts = strncmp(bar, " | ok", 5) == 0 || strncmp(bar, " | warn ", 8) == 0;
        if (!program) (*accepts ? p->accepted : p->refused)[p->now]++;
    } else if (point != NULL && (line[0] == '#' || line[0] == '/')) {
        p->now = (unsigned)strtoul(point + 7, NULL, 10);
        if (p->now > POINTS) p->now = 0;
    } else if (strncmp(line, "func.func", 9) == 0 || strncmp(line, "module", 6) == 0) {
        (*accepts ? p->accepted : p->refused)[p->now]++;
    }
}

static void count_file(Points *p, const char *path) {
    char line[4096];
    bool accepts = false;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    p->now = 0;
    while (fgets(line, sizeof line, f) != NULL)
        count_line(p, line, &accepts);
    fclose(f);
}

static void every_correction_has_cases(void **state) {
    (void)state;
    static Points p;
    unsigned files = 0, covered = 0;
    for (int i = 0; i < npaths; i++)
        if (strstr(paths[i], "_corrections.txt") != NULL) {
            count_file(&p, paths[i]);
            files++;
        }
    if (files == 0) skip(); /* other files were named */
    for (unsigned k = 1; k <= POINTS; k++) {
        bool good = k <= MADE_LEGAL ? p.accepted[k] > 0 : p.refused[k] > 0;
        if (!good) fprintf(stderr, "point %u: no case\n", k);
        covered += good;
    }
    printf("%u of %u corrections have cases\n", covered, POINTS);
    assert_int_equal(covered, POINTS);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: test_cases cases*.txt programs*.txt\n");
        return 2;
    }
    paths = argv + 1;
    npaths = argc - 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nameless_cases_are_refused),
        cmocka_unit_test(texts_get_their_verdicts),
        cmocka_unit_test(every_check_fires),
        cmocka_unit_test(every_correction_has_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
