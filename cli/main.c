/* SPDX-License-Identifier: Apache-2.0 */
/* The ptoasm command: selects and runs the subcommand. */
#include "cli/argfile.h"
#include "cli/cli.h"
#include "cli/project.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char *command_name(const void *table, size_t i) {
    return ((const Command *const *)table)[i]->name;
}

static int unknown_command(const char *word) {
    size_t n = 0;
    while (commands[n] != NULL)
        n++;
    const char *near = nearest_name(word, strlen(word), n, command_name, commands);
    if (near != NULL)
        return usage_error(NULL, "unknown command '%s'; did you mean '%s'?", word, near);
    return usage_error(NULL, "unknown command '%s'", word);
}

/* Flushes standard output and reports a failed write. */
static int stdout_close(void) {
    errno = 0; /* an earlier failure left only the stream's error flag */
    if (fflush(stdout) == 0 && !ferror(stdout)) return FINE;
    return trouble("cannot write '<stdout>': %s", strerror(errno != 0 ? errno : EIO));
}

static int version_print(void) {
    printf("ptoasm %s\n", ptoasm_version());
    return FINE;
}

/* Runs a command; argv[0] is its name. */
static int command_run(const Command *cmd, int argc, char **argv) {
    Options opt;
    ArgList args = {.n = 0};
    int rc = -1;
    if (cmd->argfiles) {
        rc = argfiles_expand(argc, argv, &args);
        if (rc < 0 && cmd->project) rc = project_add(cmd, &args);
        argc = args.n;
        argv = args.v;
    }
    if (rc < 0) rc = options_parse(cmd, argc, argv, &opt);
    if (rc < 0) rc = cmd->run(&opt);
    argfiles_free(&args);
    return rc;
}

/* True when the program was called by the name of the vendor's assembler. */
static bool is_ptoas(const char *path) {
    const char *slash = strrchr(path, '/');
    return strcmp(slash != NULL ? slash + 1 : path, "ptoas") == 0;
}

static int run_line(int argc, char **argv) {
    if (argc > 0 && is_ptoas(argv[0])) return ptoas_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], "ptoas") == 0) return ptoas_main(argc - 1, argv + 1);
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

int main(int argc, char **argv) {
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large: write() fails instead */
    int rc = run_line(argc, argv);
    return stdout_close() == FINE ? rc : TROUBLE;
}
