/* SPDX-License-Identifier: Apache-2.0 */
/* once.c - one run of the matrix. */
#include "context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef ORACLE_CASES
#define ORACLE_CASES 240
#endif

static Run new_run(void) {
    const char *cases = getenv("ORACLE_CASES");
    int n = cases != NULL ? atoi(cases) : ORACLE_CASES;
    return (Run){.cases = n, .exhaustive = n >= 100, .e1 = -1, .e2 = -1, .number = -1};
}

bool run_family(const char *family) {
    Run run = new_run();
    char levels[32];
    run.family = family;
    if (!run_matrix(&run)) run.bad++;
    passes_text(&run.passes, levels, sizeof levels);
    printf("%s %016llx %ld cases, %d bad, %.2f s\n", levels, (unsigned long long)run.digest,
           run.done, run.bad, (double)clock() / CLOCKS_PER_SEC);
    return run.bad == 0;
}

static int print_case(char *text) {
    Run run = new_run();
    const char *id = strtok(text, ",");
    run.line = id != NULL ? line_named(id) : NULL;
    int *fields[] = {&run.e1, &run.e2, &run.number};
    for (int i = 0; i < 3; i++) {
        const char *word = strtok(NULL, ",");
        if (word != NULL) *fields[i] = atoi(word);
    }
    bool ran = run.line != NULL && run_matrix(&run);
    printf("%ld cases, %d bad\n", run.done, run.bad);
    return !ran || run.done == 0 || run.bad != 0;
}

int run_once(int argc, char **argv) {
    char *arg = argc > 1 ? argv[1] : "";
    if (strncmp(arg, "--run=", 6) == 0) return !run_family(arg + 6);
    if (strncmp(arg, "--case=", 7) == 0) return print_case(arg + 7);
    return -1;
}
