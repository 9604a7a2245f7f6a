/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and applies -Werror, -W[no-]ID, -W[no-]error=ID and --quiet. */
#include "cli/warnings.h"

#include "support/near.h"
#include <stdio.h>
#include <string.h>

static bool skip(const char **text, const char *prefix) {
    size_t n = strlen(prefix);
    if (strncmp(*text, prefix, n) != 0) return false;
    *text += n;
    return true;
}

/* Parses the text after -W. False when no warning has the id that it names; *id is that id. */
static bool warnings_take(Warnings *w, const char *text, const char **id) {
    uint8_t fate = skip(&text, "no-") ? FATE_NO : FATE_YES;
    if (strcmp(text, "error") == 0) {
        w->error = fate == FATE_YES;
        return true;
    }
    bool error = skip(&text, "error=");
    *id = text;
    DiagId found = diag_find(text);
    WarningIds known;
    warning_ids(&known);
    if (found == DIAG_COUNT || !warning_known(&known, text, strlen(text))) return false;
    if (error) w->by_id[found].error = fate;
    if (!error || fate == FATE_YES) w->by_id[found].show = fate; /* -Werror=ID shows it too */
    return true;
}

int warning_severity(const char *id, const Warnings *w) {
    DiagId found = diag_find(id);
    if (found == DIAG_COUNT) return PTOASM_SEVERITY_WARNING;
    uint8_t error = w->by_id[found].error;
    if (w->by_id[found].show == FATE_NO) return PTOASM_SEVERITY_NOTE;
    bool all =
        w->error && diag_infos[found].severity != SEV_NOTE; /* -Werror does not apply to notes */
    if (error == FATE_YES || (error == FATE_UNSET && all)) return PTOASM_SEVERITY_ERROR;
    return w->quiet ? PTOASM_SEVERITY_NOTE : PTOASM_SEVERITY_WARNING;
}

/* ---- the options ---- */

void wrong_warning_text(const char *id, char *text, size_t size) {
    WarningIds known;
    warning_ids(&known);
    const char *near = near_word(id, strlen(id), known.ids, known.n);
    if (diag_find(id) != DIAG_COUNT)
        snprintf(text, size, "'%s' is always an error", id);
    else if (near == NULL)
        snprintf(text, size, "unknown warning '%s'", id);
    else
        snprintf(text, size, "unknown warning '%s'; did you mean '%s'?", id, near);
}

int wrong_warning(const Command *cmd, const char *id) {
    char text[256];
    wrong_warning_text(id, text, sizeof text);
    return usage_error(cmd, "option '-W': %s", text);
}

Warnings *warnings_of(Options *opt) {
    static Warnings warnings;
    if (opt->warnings == NULL) {
        warnings = (Warnings){.error = false};
        opt->warnings = &warnings;
    }
    return opt->warnings;
}

bool set_warning(Options *opt, const char *value) {
    const char *id;
    if (!warnings_take(warnings_of(opt), value, &id) && opt->wrong_warning == NULL)
        opt->wrong_warning = id;
    return true;
}

bool set_lint(Options *opt, const char *value) {
    (void)value;
    return opt->judge.lint = true;
}
