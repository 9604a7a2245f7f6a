/* SPDX-License-Identifier: Apache-2.0 */
/* `ptoasm check` over a folder of 200 generated programs of the size of real kernels, and of one of
 * them: time of the whole command. usage: bench_files PTOASM */
#include "bench.h"
#include "generate.h"
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { FILES = 200, FILE_SIZE = 9000, ROUNDS = 21, PATH = 64 };

static char folder[] = "/tmp/ptoasm-files-XXXXXX";

static void path_of(int i, char path[PATH]) {
    snprintf(path, PATH, "%s/k%03d.pto", folder, i);
}

/* Bytes of all files; 0 when they cannot be written. */
static size_t write_files(void) {
    size_t bytes = 0;
    char path[PATH];
    for (int i = 0; i < FILES; i++) {
        Program p = generate_program(FILE_SIZE);
        path_of(i, path);
        FILE *f = fopen(path, "wb");
        if (p.text == NULL || f == NULL || fwrite(p.text, 1, p.size, f) != p.size || fclose(f) != 0)
            return 0;
        bytes += p.size;
        free(p.text);
    }
    return bytes;
}

static void remove_files(void) {
    char path[PATH];
    for (int i = 0; i < FILES; i++) {
        path_of(i, path);
        remove(path);
    }
    remove(folder);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median milliseconds; -1 when the command fails. */
static double median(char *const argv[]) {
    double t[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        pid_t pid;
        int status;
        double start = seconds_now();
        if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) != 0 ||
            waitpid(pid, &status, 0) != pid || status != 0)
            return -1;
        t[i] = (seconds_now() - start) * 1e3;
    }
    qsort(t, ROUNDS, sizeof t[0], by_value);
    return t[ROUNDS / 2];
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s PTOASM\n", argv[0]);
        return 2;
    }
    if (mkdtemp(folder) == NULL) return 2;
    size_t bytes = write_files();
    char path[PATH];
    path_of(0, path);
    char *many[] = {argv[1], "check", "--quiet", folder, NULL};
    char *alone[] = {argv[1], "check", "--quiet", "-j1", folder, NULL};
    char *one[] = {argv[1], "check", "--quiet", path, NULL};
    double all_ms = bytes > 0 ? median(many) : -1, alone_ms = median(alone), one_ms = median(one);
    remove_files();
    if (all_ms < 0 || alone_ms < 0 || one_ms < 0) {
        fprintf(stderr, "%s fails\n", argv[1]);
        return 1;
    }
    printf("medians of %d runs, %d files, %zu bytes\n", ROUNDS, FILES, bytes);
    int missed = figure("ptoasm check, 200 files", all_ms, "ms", false, 200);
    missed += figure("ptoasm check -j1, 200 files", alone_ms, "ms", false, 400);
    missed += figure("ptoasm check, one file", one_ms, "ms", false, 5);
    return missed == 0 ? 0 : 1;
}
