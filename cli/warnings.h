/* SPDX-License-Identifier: Apache-2.0 */
/* -W: which warnings are shown, and which are errors. */
#ifndef CLI_WARNINGS_H
#define CLI_WARNINGS_H

#include "cli/cli.h"
#include "support/diag.h"
#include "verifier/rules/warnings.h"

typedef enum WarningFate { FATE_UNSET, FATE_YES, FATE_NO } WarningFate;

/* As in gcc, an option for one id beats an option for all; of two for the same id the last wins. */
typedef struct Warnings {
    bool error; /* -Werror */
    bool quiet; /* show errors only */
    struct {
        uint8_t show;  /* -WID, -Wno-ID */
        uint8_t error; /* -Werror=ID, -Wno-error=ID */
    } by_id[DIAG_COUNT];
} Warnings;

/* The severity of a warning: PTOASM_SEVERITY_WARNING, PTOASM_SEVERITY_ERROR, or
 * PTOASM_SEVERITY_NOTE when it is not shown. */
int warning_severity(const char *id, const Warnings *w);
/* Returns the -W options of the command line. They are in static memory, which the next command
 * line reuses. */
Warnings *warnings_of(Options *opt);
/* Reports Options.wrong_warning; returns TROUBLE. */
int wrong_warning(const Command *cmd, const char *id);
/* Writes why no warning has the id, with a suggestion, to `text`. */
void wrong_warning_text(const char *id, char *text, size_t size);

#endif
