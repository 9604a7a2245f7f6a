/* SPDX-License-Identifier: Apache-2.0 */
/* Whole kernels (.pto files of this folder) whose blocks or cores depend on each other, against
 * plain loops, on both kinds of devices and in both forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "whole.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Builds NAME.pto and stores the address of NAME_grid in *function. */
static void open_grid(Built *b, const char *name, const Form *form, void *function) {
    char grid[64];
    void *symbol;
    open_kernel(b, name, form, &symbol);
    snprintf(grid, sizeof grid, "%s_grid", name);
    symbol = built_function(b, grid);
    memcpy(function, &symbol, sizeof symbol);
}

/* ---- atomic additions and a barrier of all blocks ---- */

static void test_counts(void **state) {
    enum { N = 203, KINDS = 40 };
    static int32_t keys[N], counts[KINDS], starts[KINDS + 1];
    int32_t want[KINDS] = {0};
    (void)state;
    fill_numbers(keys, N, KINDS + 3, 3);
    keys[7] = -1;
    for (int i = 0; i < N; i++)
        if (keys[i] >= 0 && keys[i] < KINDS) want[keys[i]]++;
    for (int f = 0; f < FORMS; f++) {
        Built b;
        int (*counts_grid)(int64_t, int32_t *, int32_t *, int32_t *, int64_t, int64_t);
        open_grid(&b, "counts", &forms[f], &counts_grid);
        ALLOW(keys), ALLOW(counts), ALLOW(starts);
        for (int64_t blocks = 1; blocks <= 5; blocks += 2) {
            int32_t sum = 0;
            memset(counts, 0, sizeof counts);
            went_well(counts_grid(blocks, keys, counts, starts, N, KINDS));
            for (int i = 0; i < KINDS; i++) {
                assert_int_equal(counts[i], want[i]);
                assert_int_equal(starts[i], sum);
                sum += want[i];
            }
            assert_int_equal(starts[KINDS], sum);
        }
        close_kernel(&b);
    }
}

/* ---- blocks that wait for the one before ---- */

static void test_prefix(void **state) {
    enum { ROWS = 7, COLS = 40 };
    static int32_t x[ROWS * COLS], y[ROWS * COLS], sums[ROWS], signals[ROWS * 16];
    (void)state;
    fill_numbers(x, ROWS * COLS, 1 << 23, 4);
    for (int i = 0; i < ROWS * COLS; i++)
        x[i] = (int32_t)((uint32_t)x[i] << 9); /* the sums wrap */
    for (int f = 0; f < FORMS; f++) {
        Built b;
        int (*prefix_grid)(int64_t, int32_t *, int32_t *, int32_t *, int32_t *);
        uint32_t sum = 0;
        open_grid(&b, "prefix", &forms[f], &prefix_grid);
        ALLOW(x), ALLOW(y), ALLOW(sums), ALLOW(signals);
        memset(signals, 0, sizeof signals);
        went_well(prefix_grid(ROWS, x, y, sums, signals));
        for (int i = 0; i < ROWS * COLS; i++) {
            sum += (uint32_t)x[i];
            assert_int_equal((uint32_t)y[i], sum);
        }
        assert_int_equal((uint32_t)sums[ROWS - 1], sum);
        close_kernel(&b);
    }
}

/* ---- blocks that add to one product ---- */

static void test_splitk(void **state) {
    enum { M = 32, N = 48, MOST = 200 };
    static const int64_t depths[] = {1, 64, MOST};
    static float a[M * MOST], b[MOST * N], c[M * N];
    static uint16_t ah[M * MOST], bh[MOST * N];
    (void)state;
    fill_halves(a, ah, M * MOST, 5);
    fill_halves(b, bh, MOST * N, 6);
    for (int f = 0; f < FORMS; f++) {
        Built built;
        int (*splitk_grid)(int64_t, uint16_t *, uint16_t *, float *, int64_t);
        open_grid(&built, "splitk", &forms[f], &splitk_grid);
        for (int k = 0; k < 3; k++) {
            memset(c, 0, sizeof c);
            went_well(splitk_grid(3, ah, bh, c, depths[k]));
            for (int i = 0; i < M * N; i++) {
                float sum = 0; /* exact, in any order */
                for (int64_t d = 0; d < depths[k]; d++)
                    sum += a[i / N * depths[k] + d] * b[d * N + i % N];
                close_to(c[i], sum, 0);
            }
        }
        close_kernel(&built);
    }
}

/* ---- values that a loop carries through a call ---- */

static double adam_of(double w, double g, int64_t steps, bool clip) {
    double m = 0, v = 0;
    for (int64_t i = 1; i <= steps; i++) {
        double gradient = w * g;
        if (clip) gradient = fmin(fmax(gradient, -0.5), 0.5);
        m = 0.875 * m + 0.125 * gradient;
        v = 0.96875 * v + 0.03125 * gradient * gradient;
        const double m_hat = m / (1 - pow(0.875, (double)i));
        const double v_hat = v / (1 - pow(0.96875, (double)i));
        w -= 0.015625 * m_hat / (sqrt(v_hat) + 1e-8);
    }
    return w;
}

static void test_adam(void **state) {
    enum { COUNT = 8 * 19 };
    static float w[COUNT], g[COUNT], y[COUNT];
    (void)state;
    fill_floats(w, COUNT, 2, 7);
    fill_floats(g, COUNT, 2, 8);
    for (int f = 0; f < FORMS; f++) {
        Built b;
        int (*adam)(float *, float *, float *, int64_t, bool);
        open_kernel(&b, "adam", &forms[f], &adam);
        for (int64_t steps = 0; steps <= 7; steps += 7)
            for (int clip = 0; clip < 2; clip++) {
                went_well(adam(w, g, y, steps, clip != 0));
                for (int i = 0; i < COUNT; i++)
                    close_to(y[i], (float)adam_of((double)w[i], (double)g[i], steps, clip != 0),
                             1e-5f);
            }
        close_kernel(&b);
    }
}

/* ---- one of several regions, and regions of several blocks ---- */

static int32_t by_kind(int32_t x, int32_t kind, bool again) {
    const int32_t y = kind == 1 ? 2 * x : kind == 2 ? x * x : -x;
    return again ? 2 * y : y;
}

static void test_regions(void **state) {
    enum { ROWS = 6, COLS = 40 };
    static int32_t x[ROWS * COLS], y[ROWS * COLS];
    static int32_t kinds[ROWS] = {2, 1, 0, -1, 2, 7};
    (void)state;
    fill_numbers(x, ROWS * COLS, 1000, 8);
    for (int f = 0; f < FORMS; f++) {
        Built b;
        int (*regions)(int32_t *, int32_t *, int32_t *, int64_t, bool);
        open_kernel(&b, "regions", &forms[f], &regions);
        ALLOW(x), ALLOW(y), ALLOW(kinds);
        for (int again = 0; again < 2; again++) {
            memset(y, 0, sizeof y);
            went_well(regions(x, y, kinds, ROWS, again != 0));
            for (int i = 0; i < ROWS * COLS; i++)
                assert_int_equal(y[i], by_kind(x[i], kinds[i / COLS], again != 0));
        }
        close_kernel(&b);
    }
}

/* ---- signals between the cores of a block ---- */

enum { QUERIES = 64, WIDTH = 32, CHUNK = 16, CHUNKS = 3 };

/* The weight of key j for query i, without the division by their sum. */
static double weight(const float *q, const float *k, int i, int j) {
    double sum = 0;
    for (int d = 0; d < WIDTH; d++)
        sum += (double)q[i * WIDTH + d] * (double)k[j * WIDTH + d];
    return exp(sum / sqrt(WIDTH));
}

static void check_query(const float *q, const float *k, const float *v, const float *y, int i) {
    const int first = (i / CHUNK - CHUNKS + 1) * CHUNK;
    double sum = 0, row[WIDTH] = {0};
    for (int j = first > 0 ? first : 0; j <= i; j++) {
        const double w = weight(q, k, i, j);
        sum += w;
        for (int d = 0; d < WIDTH; d++)
            row[d] += w * (double)v[j * WIDTH + d];
    }
    for (int d = 0; d < WIDTH; d++) /* weights are rounded to 11 bits */
        close_to(y[i * WIDTH + d], (float)(row[d] / sum), 2e-3f);
}

static void test_window(void **state) {
    enum { COUNT = QUERIES * WIDTH };
    static float q[COUNT], k[COUNT], v[COUNT], y[COUNT], scores[QUERIES * CHUNK], products[COUNT];
    static uint16_t qh[COUNT], kh[COUNT], vh[COUNT], weights[QUERIES * CHUNK];
    (void)state;
    fill_halves(q, qh, COUNT, 9);
    fill_halves(k, kh, COUNT, 10);
    fill_halves(v, vh, COUNT, 11);
    for (int f = 0; f < FORMS; f++) {
        Built b;
        int (*window_grid)(int64_t, uint16_t *, uint16_t *, uint16_t *, float *, float *,
                           uint16_t *, float *);
        open_grid(&b, "window", &forms[f], &window_grid);
        went_well(window_grid(QUERIES / CHUNK, qh, kh, vh, y, scores, weights, products));
        for (int i = 0; i < QUERIES; i++)
            check_query(q, k, v, y, i);
        close_kernel(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),  cmocka_unit_test(test_prefix),
        cmocka_unit_test(test_splitk),  cmocka_unit_test(test_adam),
        cmocka_unit_test(test_regions), cmocka_unit_test(test_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
