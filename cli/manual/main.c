/* SPDX-License-Identifier: Apache-2.0 */
/* manual FILE...: writes each file; its name selects the contents. */
#include "cli/manual/manual.h"

#include <stdlib.h>
#include <string.h>

/* Finds the command of `ptoasm-NAME.1`, NULL for `ptoasm.1`. False for other names. */
static bool page_of(const char *name, const Command **cmd) {
    *cmd = NULL;
    if (strcmp(name, "ptoasm.1") == 0) return true;
    for (size_t i = 0; commands[i] != NULL; i++) {
        char page[64];
        snprintf(page, sizeof page, "ptoasm-%s.1", commands[i]->name);
        if (strcmp(name, page) == 0) *cmd = commands[i];
    }
    return *cmd != NULL;
}

static bool write_named(const char *name, FILE *to) {
    const Command *cmd;
    if (strcmp(name, "ptoasm.bash") == 0)
        write_bash(to);
    else if (strcmp(name, "_ptoasm") == 0)
        write_zsh(to);
    else if (strcmp(name, "ptoasm.fish") == 0)
        write_fish(to);
    else if (page_of(name, &cmd))
        write_man_page(to, cmd);
    else
        return false;
    return true;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        const char *slash = strrchr(argv[i], '/');
        FILE *to = fopen(argv[i], "w");
        if (to == NULL) {
            perror(argv[i]);
            return EXIT_FAILURE;
        }
        bool known = write_named(slash != NULL ? slash + 1 : argv[i], to);
        if (!known) fprintf(stderr, "manual: nothing is known to write into '%s'\n", argv[i]);
        if (fclose(to) != 0 || !known) return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
