/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and removes scratch folders. */
#define _GNU_SOURCE /* nftw, realpath */
#include "cli/scratch.h"
#include "cli/cli.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>

int scratch_make(const char *what, char path[SCRATCH_PATH]) {
    const char *tmp = getenv("TMPDIR");
    if (tmp == NULL || *tmp == '\0') tmp = "/tmp";
    path[0] = '\0';
    char *full = realpath(tmp, NULL); /* the working folder may change */
    if (full == NULL) return trouble("cannot make a folder in '%s': %s", tmp, strerror(errno));
    const int n = snprintf(path, SCRATCH_PATH, "%s/ptoasm-%s-XXXXXX", full, what);
    free(full);
    const int why = n >= SCRATCH_PATH ? ENAMETOOLONG : mkdtemp(path) == NULL ? errno : 0;
    if (why == 0) return FINE;
    path[0] = '\0';
    return trouble("cannot make a folder in '%s': %s", tmp, strerror(why));
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at) {
    (void)st;
    (void)kind;
    (void)at;
    remove(path);
    return 0;
}

void scratch_remove(char path[SCRATCH_PATH]) {
    if (path[0] != '\0') nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    path[0] = '\0';
}
