/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of front ends, `ptoasm ptoas X.pto -o X.cpp --enable-insert-sync ..`, on each
 * program of the corpus that the vendor's assembler accepts: time and memory. usage: bench_ptoas
 * PTOASM; skips without PTOASM_CORPUS */
#include "bench.h"
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ROUNDS = 5, MOST = 4096, LINE = 4096, COLUMNS = 7, SKIPPED = 77 };

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Milliseconds of the shortest of several runs, and the peak memory in MB; false: the program
 * fails. */
static bool measure(char *const argv[], double *ms, double *mb) {
    *ms = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        pid_t pid;
        int status;
        struct rusage usage;
        posix_spawn_file_actions_t quiet;
        if (posix_spawn_file_actions_init(&quiet) != 0 ||
            posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0) != 0)
            exit(2);
        double start = seconds_now();
        if (posix_spawn(&pid, argv[0], &quiet, NULL, argv, environ) != 0 ||
            wait4(pid, &status, 0, &usage) != pid)
            exit(2);
        double took = (seconds_now() - start) * 1e3;
        posix_spawn_file_actions_destroy(&quiet);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return false;
        *ms = took < *ms ? took : *ms;
        *mb = (double)usage.ru_maxrss / 1024.0;
    }
    return true;
}

/* Splits a line of the index at its tabs; true for an accepted program that becomes C++. */
static bool take_row(char *line, char *columns[COLUMNS]) {
    int n = 0;
    for (char *at = line; at != NULL && n < COLUMNS;)
        columns[n++] = strsep(&at, "\t\n");
    return n >= 5 && strcmp(columns[4], "accept") == 0 &&
           (n < COLUMNS || strstr(columns[6], "backend=vpto") == NULL);
}

int main(int argc, char **argv) {
    const char *corpus = getenv("PTOASM_CORPUS");
    static char line[LINE], path[LINE], level[32];
    static double ms[MOST], mb[MOST];
    if (argc != 2) return 2;
    if (corpus == NULL) {
        puts("skipped: PTOASM_CORPUS names no corpus");
        return SKIPPED;
    }
    snprintf(path, sizeof path, "%s/INDEX.tsv", corpus);
    FILE *index = fopen(path, "r");
    char out[] = "/tmp/ptoasm-ptoas-XXXXXX";
    int fd = mkstemp(out);
    if (index == NULL || fd < 0 || close(fd) != 0) return 2;
    int n = 0, refused = 0;
    while (n < MOST && fgets(line, sizeof line, index) != NULL) {
        char *columns[COLUMNS], *arch;
        if (!take_row(line, columns)) continue;
        snprintf(path, sizeof path, "%s/%s", corpus, columns[0]);
        snprintf(level, sizeof level, "--pto-level=%.6s", columns[3]);
        for (char *rest = columns[2]; (arch = strsep(&rest, ",")) != NULL && n < MOST;) {
            if (strcmp(arch, "cpu") == 0) continue;
            char *words[] = {argv[1], "ptoas",      path,
                             "-o",    out,          "--enable-insert-sync",
                             level,   "--pto-arch", strcmp(arch, "a2a3") == 0 ? "a3" : "a5",
                             NULL};
            const bool good = measure(words, &ms[n], &mb[n]);
            n += good;
            refused += !good;
        }
    }
    fclose(index);
    remove(out);
    qsort(ms, (size_t)n, sizeof *ms, by_value);
    qsort(mb, (size_t)n, sizeof *mb, by_value);
    if (n == 0) return 2;
    printf("%d runs, %d programs refused; times: 9 of 10 below %.2f ms, the longest %.2f ms\n", n,
           refused, ms[n * 9 / 10], ms[n - 1]);
    int missed = figure("ptoas, median time", ms[n / 2], "ms", false, 3);
    /* The program itself takes 3.4 MB. The largest text, of 285 KB, takes 45 bytes for each of its
     * bytes: both are a fifth below the bounds. */
    missed += figure("ptoas, median of peak memory", mb[n / 2], "MB", false, 5);
    missed += figure("ptoas, most memory", mb[n - 1], "MB", false, 20);
    return missed == 0 ? 0 : 1;
}
