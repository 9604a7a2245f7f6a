/* SPDX-License-Identifier: Apache-2.0 */
/* The tiled product of samples/gemm, 1024 x 1024 x 1024 elements of f16 from memory to memory,
 * against OpenBLAS' sgemm on one thread at level v3, and on two threads against one. Best of seven.
 * Without OpenBLAS the first figure is left out. */
#include "bench.h"
#include "emitted_gemm.h"
#include "reference.h"
#include <ptort_scalar.h>
#include <stdlib.h>

enum { SIZE = 1024, TILE = 128, BLOCKS = (SIZE / TILE) * (SIZE / TILE), BEST_OF = 7 };

static void *take(size_t n, size_t size) {
    void *p = calloc(n, size);
    if (p == NULL) exit(2);
    return p;
}

static double time_gemm(const char *threads, ptrt_f16 *a, ptrt_f16 *b, float *c) {
    double best = 1e9;
    setenv("PTORT_THREADS", threads, 1);
    for (int i = 0; i < BEST_OF; i++) {
        double start = seconds_now();
        if (gemm_grid(BLOCKS, a, b, c, SIZE, SIZE, SIZE) != 0) {
            fprintf(stderr, "%s\n", ptrt_error());
            exit(2);
        }
        double time = seconds_now() - start;
        if (time < best) best = time;
    }
    return best;
}

static double time_sgemm(void *const *p) {
    double best = 1e9;
    for (int i = 0; i < BEST_OF; i++) {
        double start = seconds_now();
        reference_sgemm(1, p, SIZE, SIZE);
        double time = seconds_now() - start;
        if (time < best) best = time;
    }
    return best;
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
    const double one = time_gemm("1", a, b, c), two = time_gemm("2", a, b, c);
    void *const p[] = {x, y, c};
    if (reference_has_blas())
        missed += figure("gemm f16 1024, sgemm's time / one thread's", time_sgemm(p) / one, "",
                         true, 0.6);
    else
        printf("gemm f16 1024: SKIP: the library is not installed\n");
    missed += figure("gemm f16 1024, one thread's time / two threads'", one / two, "", true, 1.6);
    free(a);
    free(b);
    free(c);
    free(x);
    free(y);
    return missed > 0;
}
