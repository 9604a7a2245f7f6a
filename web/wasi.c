/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands call and wasi-libc does not have: jumps (include/setjmp.h), and functions about
 * files that mean nothing for files in memory. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

char *realpath(const char *restrict path, char *restrict resolved);
mode_t umask(mode_t mask);
int fchmod(int fd, mode_t mode);
int mkstemp(char *name);

_Noreturn void longjmp(jmp_buf b, int value) {
    (void)b, (void)value;
    _Exit(70);
}

/* There are no links. */
char *realpath(const char *restrict path, char *restrict resolved) {
    struct stat about;
    if (stat(path, &about) != 0) return NULL;
    return resolved != NULL ? strcpy(resolved, path) : strdup(path);
}

mode_t umask(mode_t mask) {
    (void)mask;
    return 0;
}

int fchmod(int fd, mode_t mode) {
    (void)fd, (void)mode;
    return 0;
}

/* The name ends with XXXXXX, which one program alone need not replace. */
int mkstemp(char *name) {
    return open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
}
