/* The command: picks the subcommand; messages that all of them print. */
#include "cli/argfile.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const Command *const commands[] = {&check_command, &fmt_command,     &emit_command,
                                   &run_command,   &explain_command, NULL};

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
    const char *text = ptoasm_diagnostics_text(res, use_color(opt) ? PTOASM_COLOR : 0, &size);
    if (text == NULL)
        trouble("out of memory");
    else
        fwrite(text, 1, size, stderr);
}

static const char *command_name(const void *table, size_t i) {
    return ((const Command *const *)table)[i]->name;
}

static int unknown_command(const char *word) {
    size_t n = sizeof commands / sizeof commands[0] - 1;
    const char *near = nearest_name(word, strlen(word), n, command_name, commands);
    if (near != NULL)
        return usage_error(NULL, "unknown command '%s'; did you mean '%s'?", word, near);
    return usage_error(NULL, "unknown command '%s'", word);
}

int stdout_close(void) {
    errno = 0; /* a failure of before has left only the mark of the stream */
    if (fflush(stdout) == 0 && !ferror(stdout)) return FINE;
    return trouble("cannot write '<stdout>': %s", strerror(errno != 0 ? errno : EIO));
}

static int version_print(void) {
    printf("ptoasm %s\n", ptoasm_version());
    return stdout_close();
}

/* argv[0] is the command's name. */
static int command_run(const Command *cmd, int argc, char **argv) {
    Options opt;
    ArgList args = {.n = 0};
    int rc = -1;
    if (cmd->argfiles) {
        rc = argfiles_expand(argc, argv, &args);
        argc = args.n;
        argv = args.v;
    }
    if (rc < 0) rc = options_parse(cmd, argc, argv, &opt);
    if (rc < 0) rc = cmd->run(&opt);
    argfiles_free(&args);
    return rc;
}

int main(int argc, char **argv) {
    if (argc < 2) return usage_error(NULL, "no command given");
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return help_print(NULL);
    if (strcmp(word, "--version") == 0) return version_print();
    if (word[0] == '-') return usage_error(NULL, "unknown option '%s'", word);
    for (size_t i = 0; commands[i] != NULL; i++)
        if (strcmp(word, commands[i]->name) == 0)
            return command_run(commands[i], argc - 1, argv + 1);
    return unknown_command(word);
}
