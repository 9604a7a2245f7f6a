/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm run --time: calls the function repeatedly on the same data. */
#define _DEFAULT_SOURCE
#include "cli/run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- copies of the data before the first call ---- */

static void copies_free(unsigned char **copies, size_t n) {
    for (size_t i = 0; i < n; i++)
        free(copies[i]);
    free(copies);
}

static unsigned char **copies_make(const Argument *args, size_t n) {
    unsigned char **copies = calloc(n + 1, sizeof *copies);
    for (size_t i = 0; i < n && copies != NULL; i++) {
        const Array *a = &args[i].array;
        if (a->data == NULL) continue;
        copies[i] = malloc(a->bytes + 1);
        if (copies[i] == NULL) {
            copies_free(copies, n);
            return NULL;
        }
        memcpy(copies[i], a->data, a->bytes);
    }
    return copies;
}

static void copies_restore(unsigned char *const *copies, Argument *args, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (copies[i] != NULL) memcpy(args[i].array.data, copies[i], args[i].array.bytes);
}

/* ---- the calls ---- */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void print_times(double *times, uint32_t n, double build) {
    qsort(times, n, sizeof *times, by_size);
    fprintf(stderr, "ptoasm: compiled in %.1f ms; %u run%s", build * 1e3, (unsigned)n,
            n == 1 ? "" : "s");
    if (n == 1)
        fprintf(stderr, " in %.4f ms\n", times[0] * 1e3);
    else
        fprintf(stderr, ": best %.4f ms, median %.4f ms, worst %.4f ms\n", times[0] * 1e3,
                times[n / 2] * 1e3, times[n - 1] * 1e3);
}

int kernel_time(const Target *target, const Code *code, Argument *args, uint32_t n, double build) {
    size_t params = target->kernel.params;
    double *times = calloc(n + 1, sizeof *times);
    unsigned char **copies = copies_make(args, params);
    int rc = times == NULL || copies == NULL ? trouble("out of memory") : FINE;
    for (uint32_t i = 0; i < n && rc == FINE; i++) {
        if (i > 0) copies_restore(copies, args, params);
        double start = seconds_now();
        rc = kernel_call(target, code, args);
        times[i] = seconds_now() - start;
    }
    if (rc == FINE) print_times(times, n, build);
    if (copies != NULL) copies_free(copies, params);
    free(times);
    return rc;
}
