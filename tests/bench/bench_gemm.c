/* SPDX-License-Identifier: Apache-2.0 */
/* The tiled product of samples/gemm, 1024 x 1024 x 1024 elements of f16 from memory to memory,
 * against OpenBLAS' sgemm on one thread at level v3, and on two threads against one. Best of
 * fifteen, in turns. Without OpenBLAS the first figure is left out. */
#include "bench.h"
#include "emitted_gemm.h"
#include "reference.h"
#include <ptort_emitted.h>
#include <stdlib.h>

enum { SIZE = 1024, TILE = 128, BLOCKS = (SIZE / TILE) * (SIZE / TILE), BEST_OF = 15 };

static void *take(size_t n, size_t size) {
    void *p = calloc(n, size);
    if (p == NULL) exit(2);
    return p;
}

static void check(int code) {
    if (code == 0) return;
    fprintf(stderr, "%s\n", ptrt_error());
    exit(2);
}

typedef struct Matrices {
    ptrt_f16 *a, *b;
    float *x, *y, *c;
} Matrices;

static void product(const Matrices *m) {
    check(gemm_grid(BLOCKS, m->a, m->b, m->c, SIZE, SIZE, SIZE));
}

static void sgemm(const Matrices *m) {
    void *const p[] = {m->x, m->y, m->c};
    reference_sgemm(1, p, SIZE, SIZE);
}

/* A block that touches no memory. */
static int count(ptrt_core *core, void *args) {
    (void)core;
    (void)args;
    for (uint64_t i = 0, x = 1; i < 200000; i++) {
        x = x * 6364136223846793005u + 1;
        __asm__ volatile("" : "+r"(x));
    }
    return 0;
}

/* As many blocks as gemm has: what the machine gives to two threads now. */
static void bare(const Matrices *m) {
    static const ptrt_kernel k = {.name = "count", .file = "bench", .vector = count};
    (void)m;
    check(ptrt_launch(&k, BLOCKS, NULL));
}

static void keep_best(double *best, const char *threads, void (*run)(const Matrices *),
                      const Matrices *m) {
    setenv("PTORT_THREADS", threads, 1);
    const double start = seconds_now();
    run(m);
    const double time = seconds_now() - start;
    if (*best == 0 || time < *best) *best = time;
}

int main(void) {
    const size_t n = (size_t)SIZE * SIZE;
    ptrt_f16 *a = take(n, sizeof *a), *b = take(n, sizeof *b);
    float *c = take(n, sizeof *c), *x = take(n, sizeof *x), *y = take(n, sizeof *y);
    int missed = 0;
    setenv("PTORT_ISA", "v3", 1);
    for (size_t i = 0; i < n; i++) {
        x[i] = 0.5f + (float)(i % 61) / 64;
        y[i] = 0.5f + (float)(i % 53) / 64;
        a[i] = ptrt_truncf_f32_f16(x[i], 0);
        b[i] = ptrt_truncf_f32_f16(y[i], 0);
    }
    const Matrices m = {a, b, x, y, c};
    const bool blas = reference_has_blas();
    double one = 0, two = 0, library = 0, bare_one = 0, bare_two = 0;
    for (int i = 0; i < BEST_OF; i++) {
        keep_best(&one, "1", product, &m);
        keep_best(&two, "2", product, &m);
        keep_best(&bare_one, "1", bare, &m);
        keep_best(&bare_two, "2", bare, &m);
        if (blas) keep_best(&library, "1", sgemm, &m);
    }
    if (blas)
        missed +=
            figure("gemm f16 1024, sgemm's time / one thread's", library / one, "", true, 0.6);
    else
        printf("gemm f16 1024: SKIP: the library is not installed\n");
    /* Against threads that only count: others may need the processors too. */
    printf("one thread's time / two threads': gemm %.2f, counting %.2f\n", one / two,
           bare_one / bare_two);
    missed += figure("gemm f16 1024, gain of a second thread / of counting",
                     one / two / (bare_one / bare_two), "", true, 0.8);
    free(a);
    free(b);
    free(c);
    free(x);
    free(y);
    return missed > 0;
}
