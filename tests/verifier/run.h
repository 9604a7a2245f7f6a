/* SPDX-License-Identifier: Apache-2.0 */
/* For the verifier's tests: one run of parser and verifier over a text in memory. */
#ifndef TESTS_VERIFIER_RUN_H
#define TESTS_VERIFIER_RUN_H

#include "verifier/verify.h"

typedef struct CheckRun {
    Context ctx;
    Source source;
    Module *module;
    bool oom;
} CheckRun;

/* Parses and, with options, verifies. `data` has `size` bytes and a NUL after them, and outlives
 * the run. The run must be freed. */
void check_run(CheckRun *run, const char *name, const char *data, size_t size,
               const VerifyOptions *opt);
void check_run_free(CheckRun *run);
bool check_run_accepted(const CheckRun *run);
/* All diagnostics as text, to stderr. */
void check_run_report(CheckRun *run);
/* A whole file with a NUL after it, NULL when it cannot be read; free it. */
char *read_file(const char *path, size_t *size);

#endif
