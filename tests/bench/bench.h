/* SPDX-License-Identifier: Apache-2.0 */
/* Small things that the benchmarks share. */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

static inline double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Prints a figure beside its bound; returns 1 when it is missed, to be added up. */
static inline int figure(const char *what, double value, const char *unit, bool at_least,
                         double bound) {
    bool good = at_least ? value >= bound : value <= bound;
    printf("%-46s %9.3f %-6s (%s %g) %s\n", what, value, unit, at_least ? "at least" : "at most",
           bound, good ? "ok" : "MISSED");
    return good ? 0 : 1;
}

#endif
