/* SPDX-License-Identifier: Apache-2.0 */
/* What the edits of diagnostics do to other people's programs (INDEX.tsv and mutants.tsv.gz in the
 * folder that PTOASM_CORPUS names), with and without --compat=ptoas:
 *   - a program that is accepted is accepted with all edits of its warnings;
 *   - following the advice of a rejected one ends: no text comes again, and there are no more
 *     errors at the end than at the start;
 *   - the table at the end says how many rejected ones are accepted after the first edits, and
 *     after following all advice. */
#include "common/checkrun.h"
#include "corpus/mutants.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 12, PATH_SIZE = 2048 };

typedef struct Counts {
    long accepted, changed, rejected, with_edits, repaired, repaired_later, failures;
} Counts;

static Counts counts;
static bool verbose;

typedef struct Verdict {
    int status;
    unsigned errors;
    size_t fixes;
    char *fixed; /* to be freed */
} Verdict;

static Verdict judge(const char *name, const char *text, const ptoasm_options *opt) {
    Verdict v = {.status = -1};
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    ptoasm_diagnostic d;
    size_t size = 0;
    if (ptoasm_source_open(name, text, strlen(text), PTOASM_SOURCE_BORROW, &src) != PTOASM_OK)
        return v;
    v.status = ptoasm_check(src, opt, &res);
    for (size_t i = 0; res != NULL && ptoasm_diagnostic_at(res, i, &d); i++)
        v.errors += d.severity == PTOASM_SEVERITY_ERROR;
    const char *made =
        res != NULL ? ptoasm_fixed_text(res, PTOASM_FIX_ALL | PTOASM_FIX_GUESSES, &size, &v.fixes)
                    : NULL;
    if (made != NULL && (v.fixed = malloc(size + 1)) != NULL) memcpy(v.fixed, made, size + 1);
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return v;
}

static void fault(const char *name, const char *what, const char *before, const char *after) {
    counts.failures++;
    printf("FAIL %s: %s\n", name, what);
    if (verbose) printf("---- before\n%s\n---- after\n%s\n", before, after);
}

/* An accepted text stays so. */
static void keep_legal(const char *name, const char *text, const Verdict *v,
                       const ptoasm_options *opt) {
    counts.accepted++;
    if (v->fixes == 0) return;
    counts.changed++;
    Verdict after = judge(name, v->fixed, opt);
    if (after.status != PTOASM_OK) fault(name, "edits make it illegal", text, v->fixed);
    free(after.fixed);
}

/* Follows the advice about a rejected text. */
static void follow(const char *name, const char *text, const Verdict *first,
                   const ptoasm_options *opt) {
    char *seen[MOST_STEPS + 1] = {NULL};
    unsigned n = 0;
    Verdict v = *first;
    counts.rejected++;
    counts.with_edits += first->fixes > 0;
    v.fixed = NULL;
    const char *next = first->fixed;
    for (bool again = first->fixes > 0; again && n < MOST_STEPS;) {
        for (unsigned i = 0; i < n; i++)
            if (strcmp(seen[i], next) == 0) {
                fault(name, "the advice goes in a circle", text, next);
                again = false;
            }
        if (!again || strcmp(next, n > 0 ? seen[n - 1] : text) == 0) break;
        seen[n] = malloc(strlen(next) + 1);
        if (seen[n] == NULL) exit(2);
        strcpy(seen[n], next);
        free(v.fixed);
        v = judge(name, seen[n], opt);
        if (n++ == 0) counts.repaired += v.status == PTOASM_OK;
        next = v.fixed;
        again = v.status == PTOASM_REJECTED && v.fixes > 0 && next != NULL;
    }
    if (n == MOST_STEPS) fault(name, "the advice does not end", text, seen[n - 1]);
    if (n > 0 && v.errors > first->errors && verbose)
        printf("more errors: %s\n---- before\n%s\n---- after\n%s\n", name, text, seen[n - 1]);
    counts.repaired_later += n > 0 && v.status == PTOASM_OK;
    free(v.fixed);
    while (n > 0)
        free(seen[--n]);
}

static void try_text(const char *name, const char *text, ptoasm_options opt) {
    for (int compat = 0; compat < 2; compat++) {
        opt.compat = compat != 0;
        Verdict v = judge(name, text, &opt);
        if (v.fixed == NULL)
            fault(name, "cannot be judged", text, "");
        else if (v.status == PTOASM_OK)
            keep_legal(name, text, &v, &opt);
        else
            follow(name, text, &v, &opt);
        free(v.fixed);
    }
}

static void try_mutant(Mutant *m, void *arg) {
    (void)arg;
    char name[128];
    snprintf(name, sizeof name, "%s (%s, %s)", m->instruction, m->profile, m->change);
    try_text(name, m->text, mutant_options(m, false));
}

/* The columns of INDEX.tsv: path, source, profiles, levels, verdict. */
static void try_row(const char *corpus, char *line) {
    char *fields[5], path[PATH_SIZE];
    for (unsigned i = 0; i < 5; i++) {
        fields[i] = line;
        line = line != NULL ? strchr(line, '\t') : NULL;
        if (line == NULL) return;
        *line++ = '\0';
    }
    ptoasm_options opt = PTOASM_OPTIONS_INIT;
    size_t size;
    opt.profiles = strstr(fields[2], "a2a3") != NULL ? PTOASM_PROFILE_A2A3 : PTOASM_PROFILE_A5;
    opt.level = fields[3][5] - '0';
    snprintf(path, sizeof path, "%s/%s", corpus, fields[0]);
    char *text = read_whole_file(path, &size);
    if (text == NULL)
        fault(path, "cannot be read", "", "");
    else
        try_text(fields[0], text, opt);
    free(text);
}

static void try_index(const char *corpus) {
    char path[PATH_SIZE];
    size_t size;
    snprintf(path, sizeof path, "%s/INDEX.tsv", corpus);
    char *index = read_whole_file(path, &size);
    if (index == NULL) exit(2);
    for (char *line = strchr(index, '\n'), *end; line != NULL; line = end) {
        line++;
        if ((end = strchr(line, '\n')) != NULL) *end = '\0';
        try_row(corpus, line);
    }
    free(index);
}

static void print_counts(const char *of) {
    printf("%s: %ld accepted, %ld of them with edits; %ld rejected, %ld of them with edits: %ld "
           "accepted after these, %ld after all advice\n",
           of, counts.accepted, counts.changed, counts.rejected, counts.with_edits, counts.repaired,
           counts.repaired_later);
}

int main(void) {
    const char *corpus = getenv("PTOASM_CORPUS");
    if (corpus == NULL) {
        puts("PTOASM_CORPUS is not set: skipped");
        return 77;
    }
    verbose = getenv("PTOASM_VERBOSE") != NULL;
    try_index(corpus);
    print_counts("programs");
    long failures = counts.failures;
    counts = (Counts){.failures = failures};
    if (!mutants_each("", try_mutant, NULL)) return 2;
    print_counts("statements");
    printf("%ld failures\n", counts.failures);
    return counts.failures == 0 ? 0 : 1;
}
