/* SPDX-License-Identifier: Apache-2.0 */
/* Corrects a program by the edits of its diagnostics. */
#ifndef CLI_FIX_H
#define CLI_FIX_H

#include "cli/cli.h"

/* The corrected text and its result; NULL when no fix was made. */
typedef struct Fixed {
    char *text;
    size_t size;
    size_t fixes;
    ptoasm_source *src;
    ptoasm_result *res;
    int status;
} Fixed;

/* Checks a text like the caller does, including -W; returns and sets *res like ptoasm_check. */
typedef int FixJudge(const ptoasm_source *src, const Options *opt, ptoasm_result **res);

/* Applies the fixes of `res`, checks again, and repeats while the first error goes away. Keeps the
 * state with the fewest errors, then the fewest warnings; that may be the original, so a legal
 * program stays legal. */
void fix_program(const char *name, ptoasm_result *res, const Options *opt, FixJudge *judge,
                 Fixed *out);
void fixed_free(Fixed *fixed);

#endif
