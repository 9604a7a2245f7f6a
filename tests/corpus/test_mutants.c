/* SPDX-License-Identifier: Apache-2.0 */
/* Single statements of other people's programs, most of them changed in one to three places, with
 * the verdict of the vendor's assembler 0.60: mutants.tsv.gz in the folder that PTOASM_CORPUS
 * names. Each is judged with --compat=ptoas; of the rows that count (`at-pass` ones, which only a
 * later pass of the vendor refuses, do not) 999 in 1000 must have the vendor's verdict. The others
 * are listed by instruction. */
#include "corpus/mutants.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_PER_MILLE = 999 };

typedef struct Counts {
    long counted, refused, missed, skipped;
} Counts;

typedef struct Run {
    Counts counts;
    bool verbose;
} Run;

/* The first error as `message [id]`, "" when there is none; false when the call itself fails. */
static bool first_error(const Mutant *m, const char *text, size_t size, char out[512]) {
    const ptoasm_options opt = mutant_options(m, true);
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    ptoasm_diagnostic d;
    out[0] = '\0';
    if (ptoasm_source_open(m->instruction, text, size, PTOASM_SOURCE_BORROW, &src) != PTOASM_OK)
        return false;
    int status = ptoasm_check(src, &opt, &res);
    for (size_t i = 0; out[0] == '\0' && ptoasm_diagnostic_at(res, i, &d); i++)
        if (d.severity == PTOASM_SEVERITY_ERROR) snprintf(out, 512, "%s [%s]", d.message, d.id);
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    return status == PTOASM_OK || status == PTOASM_REJECTED;
}

static void judge(Mutant *m, void *arg) {
    Run *run = arg;
    Counts *counts = &run->counts;
    char error[512];
    if (strcmp(m->verdict, "at-pass") == 0) {
        counts->skipped++;
        return;
    }
    counts->counted++;
    if (!first_error(m, m->text, m->size, error)) {
        printf("FAIL %s: cannot be judged\n", m->instruction);
        counts->missed++;
        return;
    }
    bool accepted = strcmp(m->verdict, "accept") == 0;
    if (accepted == (error[0] == '\0')) return;
    counts->missed++;
    counts->refused += accepted;
    printf("%s: %s (%s, level %s, %s): %s\n", accepted ? "refused here" : "accepted here",
           m->instruction, m->profile, m->level, m->change, accepted ? error : m->vendor);
    if (run->verbose) printf("%s\n", m->text);
}

int main(void) {
    if (getenv("PTOASM_CORPUS") == NULL) {
        puts("PTOASM_CORPUS is not set: skipped");
        return 77;
    }
    Run run = {.verbose = getenv("PTOASM_VERBOSE") != NULL};
    if (!mutants_each("", judge, &run)) {
        fputs("cannot read mutants.tsv.gz\n", stderr);
        return 2;
    }
    const Counts counts = run.counts;
    printf("%ld verdicts, %ld others do not count\n", counts.counted, counts.skipped);
    printf("  as the vendor's: %ld (%.2f %%)\n", counts.counted - counts.missed,
           100.0 * (double)(counts.counted - counts.missed) / (double)counts.counted);
    printf("  refused here, accepted there: %ld\n", counts.refused);
    printf("  accepted here, refused there: %ld\n", counts.missed - counts.refused);
    if (counts.counted > 0 &&
        (counts.counted - counts.missed) * 1000 >= counts.counted * MIN_PER_MILLE)
        return 0;
    printf("FAIL fewer than %d in 1000 verdicts are the vendor's\n", MIN_PER_MILLE);
    return 1;
}
