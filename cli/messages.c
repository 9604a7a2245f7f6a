/* What the subcommands say on standard error, and exit codes. */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int trouble(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fputs("ptoasm: error: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    return TROUBLE;
}

int usage_error(const Command *cmd, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fputs("ptoasm: error: ", stderr);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fprintf(stderr, "\nTry 'ptoasm %s%s--help'.\n", cmd != NULL ? cmd->name : "",
            cmd != NULL ? " " : "");
    return TROUBLE;
}

int status_trouble(const char *input, int status) {
    return trouble("'%s': %s", input, ptoasm_status_text(status));
}

int exit_of_emission(int status) {
    return status == PTOASM_OK ? FINE : status == PTOASM_NO_CODE ? NO_CODE : REJECTED;
}

static bool use_color(const Options *opt) {
    if (opt->color != COLOR_AUTO) return opt->color == COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return (no_color == NULL || *no_color == '\0') && isatty(STDERR_FILENO) == 1 &&
           (term == NULL || strcmp(term, "dumb") != 0);
}

void print_diagnostics(ptoasm_result *res, const Options *opt) {
    if (ptoasm_diagnostic_count(res) == 0) return;
    size_t size;
    const char *text = ptoasm_diagnostics_text(res, use_color(opt) ? PTOASM_TEXT_COLOR : 0, &size);
    if (text == NULL)
        trouble("out of memory");
    else
        fwrite(text, 1, size, stderr);
}
