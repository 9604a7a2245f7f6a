/* SPDX-License-Identifier: Apache-2.0 */
/* Start-up of `ptoasm check` on an empty module against /bin/true: time, memory, and the size of
 * the stripped program. usage: bench_startup PTOASM MEGABYTES, the promised size */
#include "bench.h"
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ROUNDS = 300 };

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Milliseconds of one run; *kb gets its peak memory when it is higher. */
static double run_once(char *const argv[], long *kb) {
    pid_t pid;
    int status;
    struct rusage usage;
    double start = seconds_now();
    if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) != 0 ||
        wait4(pid, &status, 0, &usage) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "%s fails\n", argv[0]);
        exit(1);
    }
    if (usage.ru_maxrss > *kb) *kb = usage.ru_maxrss;
    return (seconds_now() - start) * 1e3;
}

static double stripped_size(const char *program) {
    char path[] = "/tmp/ptoasm-strip-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0) exit(2);
    close(fd);
    char *argv[] = {"strip", "-o", path, (char *)program, NULL};
    pid_t pid;
    int status;
    struct stat st;
    if (posix_spawnp(&pid, "strip", NULL, NULL, argv, environ) != 0 ||
        waitpid(pid, &status, 0) != pid || status != 0 || stat(path, &st) != 0)
        exit(2);
    remove(path);
    return (double)st.st_size;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s PTOASM MEGABYTES\n", argv[0]);
        return 2;
    }
    char path[] = "/tmp/ptoasm-empty-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, "module {\n}\n", 11) != 11 || close(fd) != 0) return 2;
    char *nothing[] = {"/bin/true", NULL};
    char *check[] = {argv[1], "check", path, NULL};
    static double t[2][ROUNDS];
    long kb = 0, ignored = 0;
    for (int i = 0; i < ROUNDS; i++) {
        t[0][i] = run_once(nothing, &ignored);
        t[1][i] = run_once(check, &kb);
    }
    remove(path);
    for (int k = 0; k < 2; k++)
        qsort(t[k], ROUNDS, sizeof t[k][0], by_value);
    double base = t[0][ROUNDS / 2], ours = t[1][ROUNDS / 2];
    printf("medians of %d runs: /bin/true %.3f ms, ptoasm check %.3f ms\n", ROUNDS, base, ours);
    int missed = figure("ptoasm check / /bin/true", ours / base, "", false, 3);
    missed += figure("ptoasm check", ours, "ms", false, 2);
    missed += figure("peak memory", (double)kb / 1024.0, "MB", false, 4);
    missed += figure("stripped program", stripped_size(argv[1]) / 1e6, "MB", false, atof(argv[2]));
    return missed == 0 ? 0 : 1;
}
