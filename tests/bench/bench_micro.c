/* SPDX-License-Identifier: Apache-2.0 */
/* bench_micro PTOASM MICRO_PTO: loops of micro-instructions, compiled by the C compiler and by the
 * one inside ptoasm, against the same work by hand at the same level of instructions. All three
 * take turns for a fraction of a millisecond each, so that what else the machine does weighs on all
 * alike. Fails when a ratio is above its limit. */
#include "emitted_micro.h"
#include "micro_plain.h"

#include <ptort.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A launch of `ptoasm run`, which takes some microseconds itself, repeats LAUNCH times as often. */
enum { LAUNCH = 4, ROUNDS = 60, RUNS = 5, ALL = ROUNDS * RUNS, N = 1024, COLUMNS = 128 };

/* What is left of softmax is exponentials: 32 of whole registers, where the code by hand has 32 of
 * half the size, and 24 of one number. What `ptoasm run` adds to convert is how libtcc compiles its
 * seven calls. */
static const struct Loop {
    const char *name;
    int (*emitted)(float *x, int32_t n, int64_t reps);
    void (*plain)(float *ub, int n);
    int n, reps;
    double most, most_run; /* ratios to the code by hand: emitted C, `ptoasm run` */
} loops[] = {
    {"add", add, plain_add, N, 1000, 5, 6.5},
    {"softmax", softmax, plain_softmax, COLUMNS, 100, 4.2, 4.6},
    {"convert", convert, plain_convert, N, 500, 1.4, 1.75},
    {"gather", gather, plain_gather, N, 500, 1.6, 1.8},
    {"choose", choose, plain_choose, N, 500, 3.6, 4.6},
};

static _Alignas(64) float memory[8 * N];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void fill(const struct Loop *l) {
    for (int i = 0; i < 2 * N; i++)
        memory[i] = (float)(i * 7919 % 1000) / 250 - 2;
    for (int i = 0; i < N && strcmp(l->name, "gather") == 0; i++) {
        const uint32_t at = (uint32_t)(i * 7919 % N);
        memcpy(&memory[N + i], &at, sizeof at);
    }
}

static int by_value(const void *x, const void *y) {
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Returns the lower quartile. */
static double quartile(double *t, int n) {
    qsort(t, (size_t)n, sizeof *t, by_value);
    return t[n / 4];
}

static double time_plain(const struct Loop *l) {
    const double from = now();
    for (int i = 0; i < l->reps; i++) {
        l->plain(memory, l->n);
        __asm__ volatile("" ::: "memory");
    }
    return (now() - from) / l->reps;
}

static double time_emitted(const struct Loop *l) {
    const double from = now();
    if (l->emitted(memory, l->n, l->reps) != 0) {
        fprintf(stderr, "%s: %s\n", l->name, ptrt_error());
        exit(1);
    }
    return (now() - from) / l->reps;
}

/* Writes the input as an array of f32. */
static void write_input(void) {
    char head[129];
    snprintf(head, sizeof head, "%cNUMPY%c%c%c%c%-117s\n", 0x93, 1, 0, 118, 0, "");
    const int n = snprintf(head + 10, sizeof head - 10,
                           "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }", 2 * N);
    memset(head + 10 + n, ' ', (size_t)(117 - n));
    head[127] = '\n';
    FILE *x = fopen("bench_micro.npy", "wb");
    if (!x || fwrite(head, 1, 128, x) != 128 || fwrite(memory, sizeof *memory, 2 * N, x) != 2 * N ||
        fclose(x) != 0)
        exit(1);
}

/* The least time of a launch that `ptoasm run --time` prints, in ns for each repetition. */
static double time_run(const char *ptoasm, const char *file, const struct Loop *l) {
    char command[4096], line[256];
    double best = 0;
    write_input();
    snprintf(command, sizeof command,
             "'%s' run --profile=a5 --entry=%s --time=%d '%s' bench_micro.npy %d %d 2>&1", ptoasm,
             l->name, ROUNDS, file, l->n, LAUNCH * l->reps);
    FILE *p = popen(command, "r");
    while (p && fgets(line, sizeof line, p)) {
        const char *at = strstr(line, "median ");
        double t;
        if (at && sscanf(at, "median %lf ms", &t) == 1)
            best = t * 1e6;
        else
            fputs(line, stderr);
    }
    if (!p || pclose(p) != 0) exit(1);
    return best / (LAUNCH * l->reps);
}

int main(int argc, char **argv) {
    bool fine = argc == 3;
    printf("%-10s %10s %10s %10s  (ns, %s)\n", "loop", "by hand", "emitted", "run", ptrt_isa());
    for (size_t i = 0; argc == 3 && i < sizeof loops / sizeof *loops; i++) {
        const struct Loop *l = &loops[i];
        static double plain[ALL], emitted[ALL], ran[RUNS];
        fill(l);
        for (int r = 0; r < ALL; r++) {
            if (r % ROUNDS == 0) ran[r / ROUNDS] = time_run(argv[1], argv[2], l);
            plain[r] = time_plain(l);
            emitted[r] = time_emitted(l);
        }
        const double hand = quartile(plain, ALL), own = quartile(emitted, ALL),
                     run = quartile(ran, RUNS);
        printf("%-10s %10.0f %6.0f %.1fx %6.0f %.1fx\n", l->name, hand, own, own / hand, run,
               run / hand);
        fflush(stdout);
        if (own / hand > l->most || run / hand > l->most_run) {
            printf("%-10s above %.1f and %.1f\n", l->name, l->most, l->most_run);
            fine = false;
        }
    }
    return fine ? 0 : 1;
}
