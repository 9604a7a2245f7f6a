/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of mutants.tsv.gz, in the folder that PTOASM_CORPUS names or below it. */
#ifndef CORPUS_MUTANTS_H
#define CORPUS_MUTANTS_H

#include "api/ptoasm.h"
#include <stdbool.h>
#include <stddef.h>

/* The fields of a line, in their order. */
typedef struct Mutant {
    char *instruction, *profile, *level, *change, *verdict, *vendor, *text;
    size_t size; /* of the text */
} Mutant;

/* Calls `fn` for each row of the file in a folder below, "" or with a slash at its end; false when
 * it cannot be read. */
bool mutants_each(const char *folder, void (*fn)(Mutant *m, void *arg), void *arg);
/* The options for which the vendor judged a row. */
ptoasm_options mutant_options(const Mutant *m, bool compat);

#endif
