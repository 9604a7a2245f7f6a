/* SPDX-License-Identifier: Apache-2.0 */
/* bench_run PTOASM SAMPLES: `ptoasm run` of small kernels, from the text to the result, in turn
 * with /bin/true. Fails when the least time of one is above its limit: what else the machine does
 * only adds to it. */
#include "bench.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ROUNDS = 150 };

/* The arguments after `run`; the first one is the file, relative to SAMPLES. */
static const struct Run {
    const char *name, *args[8];
} runs[] = {
    {"/bin/true", {NULL}},
    {"softmax, micro-instructions",
     {"softmax/softmax_micro.pto", "--profile=a5", "random:1:2048", "zeros:2048", "16"}},
    {"softmax, logical vectors",
     {"softmax/softmax_vmi.pto", "--profile=a5", "random:1:2048", "zeros:2048", "16"}},
    {"softmax, tiles", {"softmax/softmax_dps.pto", "random:1:2048", "zeros:2048", "16"}},
    {"gelu, tiles", {"gelu/gelu_dps.pto", "random:1:2048", "zeros:2048", "16"}},
    {"layernorm, tiles",
     {"layernorm/layernorm_dps.pto", "random:1:2048", "random:2:128", "random:3:128", "zeros:2048",
      "16"}},
};
enum { RUNS = sizeof runs / sizeof *runs };

/* Returns milliseconds. */
static double run_once(const char *ptoasm, const char *samples, const struct Run *r) {
    char file[4096], *argv[12] = {(char *)(uintptr_t) "/bin/true"};
    int n = 0;
    if (r->args[0] != NULL) {
        snprintf(file, sizeof file, "%s/%s", samples, r->args[0]);
        argv[n++] = (char *)(uintptr_t)ptoasm;
        argv[n++] = (char *)(uintptr_t) "run";
        argv[n++] = file;
        for (int i = 1; r->args[i] != NULL; i++)
            argv[n++] = (char *)(uintptr_t)r->args[i];
    }
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    pid_t pid;
    int status;
    const double start = seconds_now();
    if (posix_spawn(&pid, argv[0], &quiet, NULL, argv, environ) != 0 ||
        waitpid(pid, &status, 0) != pid || status != 0) {
        fprintf(stderr, "%s fails\n", r->name);
        exit(2);
    }
    const double took = (seconds_now() - start) * 1e3;
    posix_spawn_file_actions_destroy(&quiet);
    return took;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    static double took[RUNS][ROUNDS];
    int missed = 0;
    if (argc != 3) {
        fprintf(stderr, "usage: %s PTOASM SAMPLES\n", argv[0]);
        return 2;
    }
    for (int i = 0; i < ROUNDS; i++)
        for (int k = 0; k < RUNS; k++)
            took[k][i] = run_once(argv[1], argv[2], &runs[k]);
    for (int k = 0; k < RUNS; k++) {
        char label[120];
        qsort(took[k], ROUNDS, sizeof took[k][0], by_value);
        snprintf(label, sizeof label, "%s: median %.2f ms, least", runs[k].name,
                 took[k][ROUNDS / 2]);
        if (k == 0)
            printf("%s %.2f ms\n", label, took[k][0]);
        else
            missed += figure(label, took[k][0], "ms", false, 6);
    }
    return missed > 0;
}
