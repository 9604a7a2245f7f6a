/* SPDX-License-Identifier: Apache-2.0 */
/* Chains (ptrt_chain_run) against the same kernels statement by statement and one loop of plain C
 * each, on one thread: medians of rounds that run all three in turn. Names of functions that were
 * emitted with
 * --no-fuse end in _each. */
#include "bench.h"
#include "emitted_chain.h"
#include "emitted_gelu.h"
#include "emitted_layernorm.h"
#include "emitted_rmsnorm.h"
#include "emitted_silu.h"
#include "emitted_softmax.h"
#include "whole.h"

#include <math.h>
#include <ptort_scalar.h>
#include <stdlib.h>
#include <string.h>

int chain_each(float *x, float *y, float *z, int64_t n);
int silu_each_grid(int64_t blocks, ptrt_bf16 *x, ptrt_bf16 *y, int64_t rows);
int gelu_each_grid(int64_t blocks, float *x, float *y, int64_t rows);
int softmax_each_grid(int64_t blocks, float *x, float *y, int64_t rows);
int layernorm_each_grid(int64_t blocks, float *x, float *gain, float *bias, float *y, int64_t rows);
int rmsnorm_each(ptrt_bf16 *x, ptrt_bf16 *gain, ptrt_bf16 *y, int64_t rows, int64_t chunks);

enum { ROUNDS = 151, BLOCKS = 16, ROWS = 16 * BLOCKS, COLS = 128, ELEMENTS = 1 << 18, TIMES = 100 };

static float *x, *y, *z;
static ptrt_bf16 *hx, *hy;

static int run_chain(bool each) {
    return each ? chain_each(x, y, z, TIMES) : chain(x, y, z, TIMES);
}
static int run_silu(bool each) {
    return each ? silu_each_grid(BLOCKS, hx, hy, ROWS) : silu_grid(BLOCKS, hx, hy, ROWS);
}
static int run_gelu(bool each) {
    return each ? gelu_each_grid(BLOCKS, x, z, ROWS) : gelu_grid(BLOCKS, x, z, ROWS);
}
static int run_softmax(bool each) {
    return each ? softmax_each_grid(BLOCKS, x, z, ROWS) : softmax_grid(BLOCKS, x, z, ROWS);
}
static int run_layernorm(bool each) {
    return each ? layernorm_each_grid(BLOCKS, x, y, y + COLS, z, ROWS)
                : layernorm_grid(BLOCKS, x, y, y + COLS, z, ROWS);
}
static int run_rmsnorm(bool each) {
    return each ? rmsnorm_each(hx, hx, hy, 16, 32) : rmsnorm(hx, hx, hy, 16, 32);
}
static void loop_chain(void) {
    for (int i = 0; i < TIMES; i++)
        plain_chain(x, y, z, 32 * 64);
}
static void loop_silu(void) {
    plain_silu(hx, hy, (int64_t)ROWS * COLS);
}
static void loop_gelu(void) {
    plain_gelu(x, z, (int64_t)ROWS * COLS);
}
static void loop_softmax(void) {
    plain_softmax(x, z, ROWS, COLS);
}
static void loop_layernorm(void) {
    plain_layernorm(x, y, y + COLS, z, ROWS, COLS);
}
static void loop_rmsnorm(void) {
    plain_rmsnorm(hx, hx, hy, 16, 32 * 256);
}

/* What a chain must gain, at levels v3 and v4. In chain three of five tiles are not written. Half
 * of the time of silu and gelu are exponentials, which take as long without a chain but for the
 * loads and stores. softmax and layernorm make a number of each row several times, and between
 * these there is one statement, or two: they gain what is not loaded and stored. In rmsnorm v3
 * takes 3 cycles to round 8 elements to bf16. */
static const struct {
    const char *name;
    int (*run)(bool each);
    void (*loop)(void);
    double gain[2];
} kernels[] = {{"chain f32 32x64", run_chain, loop_chain, {1.35, 1.5}},
               {"silu bf16 16x128", run_silu, loop_silu, {1.1, 1.2}},
               {"gelu f32 16x128", run_gelu, loop_gelu, {1.3, 1.45}},
               {"softmax f32 16x128", run_softmax, loop_softmax, {1.03, 1.02}},
               {"layernorm f32 16x128", run_layernorm, loop_layernorm, {0.97, 1.05}},
               {"rmsnorm bf16 16x8192", run_rmsnorm, loop_rmsnorm, {1.12, 1.35}}};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static int by_size(const void *a, const void *b) {
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static double median(double *list) {
    qsort(list, ROUNDS, sizeof *list, by_size);
    return list[ROUNDS / 2] * 1e6;
}

int main(int argc, char **argv) {
    static double took[KERNELS][3][ROUNDS];
    int missed = 0;
    (void)argc;
    setenv("PTORT_THREADS", "1", 1);
    const bool v4 = strcmp(ptrt_isa(), "v4") == 0;
    x = calloc(ELEMENTS, sizeof *x);
    y = calloc(ELEMENTS, sizeof *y);
    z = calloc(ELEMENTS, sizeof *z);
    hx = calloc(ELEMENTS, sizeof *hx);
    hy = calloc(ELEMENTS, sizeof *hy);
    if (!x || !y || !z || !hx || !hy) return 2;
    for (int i = 0; i < ELEMENTS; i++) {
        x[i] = (float)(i % 61) / 8 - 3.5f;
        y[i] = (float)(i % 53) / 16 + 0.5f;
        hx[i] = ptrt_truncf_f32_bf16((float)(i % 61) / 64 - 0.5f, 0);
    }
    for (int r = 0; r < ROUNDS; r++)
        for (int k = 0; k < KERNELS; k++)
            for (int way = 0; way < 3; way++) {
                const double start = seconds_now();
                if (way == 2)
                    kernels[k].loop();
                else if (kernels[k].run(way == 1) != 0) {
                    fprintf(stderr, "%s: %s\n", kernels[k].name, ptrt_error());
                    return 2;
                }
                took[k][way][r] = seconds_now() - start;
            }
    printf("runtime level %s\n", ptrt_isa());
    for (int k = 0; k < KERNELS; k++) {
        char label[120];
        const double chain_us = median(took[k][0]), each = median(took[k][1]),
                     loop = median(took[k][2]);
        snprintf(label, sizeof label, "%s: %.1f us, each %.1f, loop %.1f (%.2f)", kernels[k].name,
                 chain_us, each, loop, loop / chain_us);
        missed += figure(label, each / chain_us, "", true, kernels[k].gain[v4]);
    }
    return missed > 0 && missed_again(argv[0], "");
}
