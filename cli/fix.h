/* Correcting a program by the edits that its diagnostics carry. */
#ifndef CLI_FIX_H
#define CLI_FIX_H

#include "cli/cli.h"

/* The last state of a program, and the text it has then; NULL when no fix was made. */
typedef struct Fixed {
    char *text;
    size_t size;
    size_t fixes;
    ptoasm_source *src;
    ptoasm_result *res;
    int status;
} Fixed;

/* Judges a text as its caller does, severities of warnings included; what it returns and leaves in
 * *res is as of ptoasm_check. */
typedef int FixJudge(const ptoasm_source *src, const Options *opt, ptoasm_result **res);

/* Makes the fixes of `res`, judges the text again, and goes on while the first error goes away. The
 * result is the state with the fewest errors, then the fewest warnings, and none at all when that
 * is the one of the caller: a program that was legal stays so. */
void fix_program(const char *name, ptoasm_result *res, const Options *opt, FixJudge *judge,
                 Fixed *out);
void fixed_free(Fixed *fixed);

#endif
