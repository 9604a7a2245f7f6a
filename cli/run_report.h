/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm run --format=json: what a run prints as text, collected in one JSON object.
 * docs/machine-output.md describes it, docs/run.schema.json defines it. */
#ifndef CLI_RUN_REPORT_H
#define CLI_RUN_REPORT_H

#include "cli/dump.h"
#include "cli/numbers.h"
#include "cli/report_values.h"
#include "runtime/ptort_observe.h"

/* Starts a report: from now on what the program prints goes to standard error. */
void run_report_begin(void);
/* True between begin and end. */
bool run_report_on(void);
/* Notes the first error; `kind` is argument, runtime, deadlock, .. Line 0: none. */
void run_report_error(const char *kind, uint32_t line, const char *message);
/* Notes the function to run. */
void run_report_function(const Target *target);
/* Notes the files that were written. */
void run_report_results(const Target *target, const Argument *args, unsigned ranks);
void run_report_dump(const char *folder);
/* Notes what --shadow has found. */
void run_report_shadow(const Target *target, const ptrt_shadow_line *lines, size_t n,
                       const ptrt_shadow_gap *gaps, size_t ngaps);

/* A comparison with an array of a file. */
typedef struct Compared {
    const char *name; /* with % */
    uint32_t line;
    const char *file;
    const Array *got, *want;
    const Taken *taken; /* of a tile; NULL: of a parameter */
    Outcome outcome;
} Compared;
void run_report_comparison(const Target *target, const Compared *c);

/* Prints the object on standard output, with the diagnostics of `res` (may be NULL) and the exit
 * code, which it returns; TROUBLE when it cannot be written. */
int run_report_end(const char *file, ptoasm_result *res, int code);

#endif
