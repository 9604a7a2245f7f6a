/* SPDX-License-Identifier: Apache-2.0 */
/* Messages on standard error and exit codes. */
#include "cli/cli.h"

#include "support/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *kept;
static size_t kept_size;

void messages_keep(char *text, size_t size) {
    kept = text;
    kept_size = size;
    if (text != NULL) *text = '\0';
}

void put_plain(FILE *to, const char *s) {
    for (size_t n = strlen(s), len; n > 0; s += len, n -= len) {
        len = utf8_length(s, n);
        if (utf8_is_plain(s, len))
            fwrite(s, 1, len, to);
        else
            for (size_t i = 0; i < len; i++)
                fprintf(to, "\\%02X", (unsigned)(unsigned char)s[i]);
    }
}

static void print_message(const char *severity, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));
static void print_message(const char *severity, const char *fmt, va_list ap) {
    enum { MOST = 2 * 4096 + 256 }; /* two paths */
    char text[MOST];
    if (kept != NULL) {
        size_t n = strlen(kept);
        if (n > 0 && n + 2 < kept_size) n += (size_t)snprintf(kept + n, kept_size - n, "; ");
        vsnprintf(kept + n, kept_size - n, fmt, ap);
        return;
    }
    vsnprintf(text, sizeof text, fmt, ap);
    fprintf(stderr, "ptoasm: %s: ", severity);
    put_plain(stderr, text);
    fputc('\n', stderr);
}

int trouble(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    print_message("error", fmt, ap);
    va_end(ap);
    return TROUBLE;
}

void caution(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    print_message("warning", fmt, ap);
    va_end(ap);
}

int usage_error(const Command *cmd, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    print_message("error", fmt, ap);
    va_end(ap);
    if (kept == NULL)
        fprintf(stderr, "Try 'ptoasm %s%s--help'.\n", cmd != NULL ? cmd->name : "",
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
    const uint32_t flags = (use_color(opt) ? PTOASM_TEXT_COLOR : 0) |
                           (opt->author_first ? PTOASM_TEXT_AUTHOR : 0) |
                           (opt->mlir_author ? PTOASM_TEXT_MLIR : 0);
    const char *text = ptoasm_diagnostics_text(res, flags, &size);
    if (text == NULL)
        trouble("out of memory");
    else
        fwrite(text, 1, size, stderr);
}
