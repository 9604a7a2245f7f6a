/* SPDX-License-Identifier: Apache-2.0 */
/* Whole kernels (the .pto files of this folder) with sizes that leave rests, against plain loops,
 * on both kinds of devices and in both forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "whole.h"
#include <math.h>
#include <string.h>

/* ---- rows to 8 bits and back ---- */

enum { QCOLS = 64, QROWS = 37 };

static void check_row(const float *x, const int8_t *q, const float *y) {
    float largest = 0;
    for (int j = 0; j < QCOLS; j++)
        largest = fmaxf(largest, fabsf(x[j]));
    const float scale = 127.0f / largest, back = largest / 127.0f;
    for (int j = 0; j < QCOLS; j++) {
        const float scaled = x[j] * scale;
        const float want = fminf(fmaxf(rintf(scaled), -128), 127);
        assert_int_equal(q[j], (int)want);
        close_to(y[j], want * back, 0);
    }
}

static void test_dynquant(void **state) {
    static const int64_t rows[] = {1, 16, QROWS};
    static float x[QROWS * QCOLS], y[QROWS * QCOLS];
    static int8_t q[QROWS * QCOLS];
    (void)state;
    fill_floats(x, QROWS * QCOLS, 3, 1);
    for (int f = 0; f < FORMS; f++) {
        Built b;
        int (*dynquant)(float *, int8_t *, float *, int64_t);
        open_kernel(&b, "dynquant", &forms[f], &dynquant);
        for (int k = 0; k < 3; k++) {
            memset(q, 99, sizeof q);
            went_well(dynquant(x, q, y, rows[k]));
            for (int64_t i = 0; i < rows[k]; i++)
                check_row(x + i * QCOLS, q + i * QCOLS, y + i * QCOLS);
            if (rows[k] < QROWS) assert_int_equal(q[rows[k] * QCOLS], 99);
        }
        close_kernel(&b);
    }
}

/* ---- columns of a matrix that is stored by columns ---- */

enum { NROWS = 29, NCOLS = 53 };

static void check_column(const float *x, const float *y) {
    double sum = 0, squares = 0;
    for (int i = 0; i < NROWS; i++)
        sum += (double)x[i];
    const double mean = sum / NROWS;
    for (int i = 0; i < NROWS; i++)
        squares += ((double)x[i] - mean) * ((double)x[i] - mean);
    const double factor = 1 / sqrt(squares / NROWS + 1e-5);
    for (int i = 0; i < NROWS; i++)
        close_to(y[i], (float)(((double)x[i] - mean) * factor), 1e-5f);
}

static void test_columns(void **state) {
    static float x[NROWS * NCOLS], y[NROWS * NCOLS];
    (void)state;
    fill_floats(x, NROWS * NCOLS, 3, 2);
    for (int f = 0; f < FORMS; f++) {
        Built b;
        int (*columns)(float *, float *, int64_t, int64_t);
        open_kernel(&b, "columns", &forms[f], &columns);
        went_well(columns(x, y, NROWS, NCOLS));
        for (int j = 0; j < NCOLS; j++)
            check_column(x + j * NROWS, y + j * NROWS);
        assert_int_not_equal(columns(x, y, 33, NCOLS), 0);
        assert_non_null(strstr(last_error(), "columns.pto:"));
        close_kernel(&b);
    }
}

/* ---- segments, some of them empty ---- */

enum { SEGMENTS = 6, LINES = 24, LINE = 40 };

static void check_segment(const float *x, const float *y, const float *most, int rows) {
    for (int j = 0; j < LINE; j++) {
        double sum = 0;
        float top = -INFINITY;
        for (int i = 0; i < rows; i++)
            top = fmaxf(top, x[i * LINE + j]);
        for (int i = 0; i < rows; i++)
            sum += exp((double)(x[i * LINE + j] - top));
        for (int i = 0; i < rows; i++)
            close_to(y[i * LINE + j], (float)(exp((double)(x[i * LINE + j] - top)) / sum), 1e-6f);
    }
    for (int i = 0; i < rows; i++) {
        float top = -INFINITY;
        for (int j = 0; j < LINE; j++)
            top = fmaxf(top, x[i * LINE + j]);
        close_to(most[i], top, 0);
    }
}

static void test_ragged(void **state) {
    static int32_t offsets[SEGMENTS + 1] = {0, 0, 3, 11, 11, 19, LINES};
    static float x[LINES * LINE], y[LINES * LINE], most[LINES];
    (void)state;
    fill_floats(x, LINES * LINE, 5, 13);
    for (int f = 0; f < FORMS; f++) {
        Built b;
        int (*ragged)(float *, int32_t *, float *, float *, int64_t, int64_t);
        open_kernel(&b, "ragged", &forms[f], &ragged);
        went_well(ragged(x, offsets, y, most, LINES, SEGMENTS));
        for (int s = 0; s < SEGMENTS; s++) {
            const int at = offsets[s];
            check_segment(x + at * LINE, y + at * LINE, most + at, offsets[s + 1] - at);
        }
        close_kernel(&b);
    }
}

/* ---- masks and places ---- */

static void test_argmin(void **state) {
    enum { ROWS = 8, COLS = 40 };
    static float x[ROWS * COLS], n[ROWS];
    static int32_t at[ROWS];
    (void)state;
    fill_floats(x, ROWS * COLS, 2, 3);
    for (int j = 0; j < COLS; j++)
        x[5 * COLS + j] = -0.0f; /* no element is positive */
    for (int f = 0; f < FORMS; f++) {
        Built b;
        int (*argmin)(float *, int32_t *, float *);
        open_kernel(&b, "argmin", &forms[f], &argmin);
        went_well(argmin(x, at, n));
        for (int i = 0; i < ROWS; i++) {
            int best = 0, count = 0;
            for (int j = 0; j < COLS; j++) {
                const float v = x[i * COLS + j];
                if (v > 0 && (count == 0 || v < x[i * COLS + best])) best = j;
                count += v > 0;
            }
            assert_int_equal(at[i], best);
            close_to(n[i], (float)count, 0);
        }
        close_kernel(&b);
    }
}

/* ---- products ---- */

static float dot(const float *x, const float *w, int64_t depth, int64_t step) {
    double sum = 0;
    for (int64_t k = 0; k < depth; k++)
        sum += (double)x[k] * (double)w[k * step];
    return (float)sum;
}

enum { M = 41, K = 80, N = 33 };

static void check_product(const float *x, const float *w, const float *bias, const uint16_t *y,
                          int64_t depth) {
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            const float got = of_brain(y[i * N + j]);
            const float want = fmaxf(dot(x + i * depth, w + j, depth, N) + bias[j], 0);
            close_to(got, want, want / 128 + 1e-5f);
        }
}

static void test_bias(void **state) {
    static float x[M * K], w[K * N], bias[N];
    static uint16_t xh[M * K], wh[K * N], y[M * N];
    (void)state;
    fill_halves(x, xh, M * K, 4);
    fill_halves(w, wh, K * N, 5);
    fill_floats(bias, N, 1, 6);
    for (int f = 0; f < FORMS; f++) {
        Built b;
        int (*product)(uint16_t *, uint16_t *, float *, uint16_t *, int64_t, int64_t, int64_t);
        open_kernel(&b, "bias", &forms[f], &product);
        for (int64_t depth = 16; depth <= K; depth += 64) {
            went_well(product(xh, wh, bias, y, M, depth, N));
            check_product(x, w, bias, y, depth);
        }
        close_kernel(&b);
    }
}

static void test_silu_product(void **state) {
    enum { CHUNKS = 3, ROWS = 32 * CHUNKS, DEPTH = 64, COLS = 32 };
    static float x[ROWS * DEPTH], s[ROWS * DEPTH], w[DEPTH * COLS], y[ROWS * COLS];
    static uint16_t wh[DEPTH * COLS], slots[32768];
    (void)state;
    fill_floats(x, ROWS * DEPTH, 2, 7);
    fill_halves(w, wh, DEPTH * COLS, 8);
    for (int i = 0; i < ROWS * DEPTH; i++)
        s[i] = x[i] / (1 + expf(-x[i]));
    for (int f = 0; f < FORMS; f++) {
        Built b;
        int (*product)(float *, uint16_t *, float *, uint16_t *, int64_t);
        open_kernel(&b, "silu_product", &forms[f], &product);
        went_well(product(x, wh, y, slots, CHUNKS));
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLS; j++) /* what is pushed is rounded to 11 bits */
                close_to(y[i * COLS + j], dot(s + i * DEPTH, w + j, DEPTH, COLS), 1e-2f);
        close_kernel(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dynquant),     cmocka_unit_test(test_columns),
        cmocka_unit_test(test_argmin),       cmocka_unit_test(test_bias),
        cmocka_unit_test(test_silu_product), cmocka_unit_test(test_ragged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
