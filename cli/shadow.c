/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm run --shadow=f64: where the error against a computation in f64 grows most, by line. */
#include "cli/run_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 10 };
/* A line that makes the error less than twice as large is not shown. */
static const double least_growth = 2;

int shadow_find(const Runtime *rt, Shadow *s) {
    const struct {
        const char *name;
        void *function;
    } rows[] = {{"ptrt_shadow_start", &s->start},
                {"ptrt_shadow_lines", &s->lines},
                {"ptrt_shadow_gaps", &s->gaps},
                {"ptrt_shadow_end", &s->end}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        void *p = runtime_symbol(rt, rows[i].name);
        if (p == NULL) return trouble("the runtime has no shadows in f64");
        memcpy(rows[i].function, &p, sizeof p);
    }
    return FINE;
}

static int by_growth(const void *a, const void *b) {
    const ptrt_shadow_line *x = a, *y = b;
    if (x->growth != y->growth) return x->growth > y->growth ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Returns the lines, the one with the largest growth first; to be freed. */
static ptrt_shadow_line *sorted_lines(const Shadow *s, size_t *n) {
    const ptrt_shadow_line *lines = s->lines(n);
    ptrt_shadow_line *copy = must_alloc((*n + 1) * sizeof *copy);
    if (*n > 0) memcpy(copy, lines, *n * sizeof *copy);
    qsort(copy, *n, sizeof *copy, by_growth);
    return copy;
}

/* ---- text ---- */

static void print_line(const Target *target, const ptrt_shadow_line *l) {
    printf("  line %-5u %-20s %s [%lld, %lld]", (unsigned)l->line, l->op, l->name,
           (long long)l->row, (long long)l->col);
    if (target->blocks > 1) printf(" of block %lld", (long long)l->block);
    printf(": %.2g -> %.2g, %.3g times; %.9g is %.9g\n", l->before, l->after, l->growth, l->stored,
           l->reference);
}

static void print_gaps(const ptrt_shadow_gap *gaps, size_t n) {
    for (size_t i = 0; i < n; i++) {
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen |= strcmp(gaps[k].op, gaps[i].op) == 0;
        if (seen) continue;
        printf("not followed: %s (line", gaps[i].op);
        for (size_t k = i; k < n; k++)
            if (strcmp(gaps[k].op, gaps[i].op) == 0)
                printf("%s%u", k == i ? " " : ", ", (unsigned)gaps[k].line);
        puts("); what reads its results starts from the stored values");
    }
}

static void print_report(const Target *target, const Shadow *s) {
    size_t n, ngaps, shown = 0;
    ptrt_shadow_line *lines = sorted_lines(s, &n);
    const ptrt_shadow_gap *gaps = s->gaps(&ngaps);
    double worst = 0;
    for (size_t i = 0; i < n; i++)
        if (lines[i].worst > worst) worst = lines[i].worst;
    while (shown < n && lines[shown].growth >= least_growth)
        shown++;
    printf("relative error against f64: at most %.2g", worst);
    puts(shown > 0 ? "; it grows most at" : "; no line makes it twice as large");
    for (size_t i = 0; i < shown && i < MOST_SHOWN; i++)
        print_line(target, &lines[i]);
    if (shown > MOST_SHOWN) printf("  and at %zu lines more\n", shown - MOST_SHOWN);
    print_gaps(gaps, ngaps);
    free(lines);
}

/* ---- the run ---- */

void shadow_report(const Target *target, const Shadow *s) {
    if (!run_report_on()) {
        print_report(target, s);
        return;
    }
    size_t n, ngaps;
    ptrt_shadow_line *lines = sorted_lines(s, &n);
    const ptrt_shadow_gap *gaps = s->gaps(&ngaps);
    run_report_shadow(target, lines, n, gaps, ngaps);
    free(lines);
}
