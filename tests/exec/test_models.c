/* SPDX-License-Identifier: Apache-2.0 */
/* Whole kernels (.pto files of this folder) with sizes that leave rests, against plain loops, on
 * both kinds of devices and in both forms: other parts of language models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "whole.h"
#include <math.h>
#include <string.h>

/* ---- the largest of many ---- */

enum { BEST = 64 };

/* How many elements come before element j: larger ones, and equal ones further to the left. */
static int place_of(const float *x, int64_t cols, int64_t j) {
    int n = 0;
    for (int64_t i = 0; i < cols; i++)
        n += x[i] > x[j] || (x[i] == x[j] && i < j);
    return n;
}

static void check_best(const float *x, const float *values, const uint32_t *places, int64_t cols) {
    for (int64_t j = 0; j < cols; j++) {
        const int place = place_of(x, cols, j);
        if (place >= BEST) continue;
        close_to(values[place], x[j], 0);
        assert_int_equal(places[place], j);
    }
}

static void test_longest(void **state) {
    enum { ROWS = 3, COLS = 1024 };
    static const int64_t cols[] = {64, 777, 1000, COLS};
    static float x[ROWS * COLS], values[ROWS * BEST];
    static int32_t numbers[ROWS * COLS];
    static uint32_t places[ROWS * BEST];
    (void)state;
    fill_numbers(numbers, ROWS * COLS, 300, 2); /* many equal ones */
    for (int i = 0; i < ROWS * COLS; i++)
        x[i] = (float)numbers[i] / 4 - 40;
    for (int f = 0; f < FORMS; f++) {
        Built b;
        int (*longest)(float *, float *, uint32_t *, int64_t, int64_t);
        open_kernel(&b, "longest", &forms[f], &longest);
        ALLOW(x), ALLOW(values), ALLOW(places);
        for (int k = 0; k < 4; k++) {
            memset(values, 0x55, sizeof values);
            went_well(longest(x, values, places, ROWS, cols[k]));
            for (int i = 0; i < ROWS; i++)
                check_best(x + i * cols[k], values + i * BEST, places + i * BEST, cols[k]);
        }
        close_kernel(&b);
    }
}

/* ---- rotary embedding of neighbours ---- */

static void test_pairs(void **state) {
    enum { ROWS = 37, COLS = 64, ANGLES = COLS / 2 };
    static float x[ROWS * COLS], y[ROWS * COLS], angle[ROWS * ANGLES], c[ROWS * ANGLES],
        s[ROWS * ANGLES];
    (void)state;
    fill_floats(x, ROWS * COLS, 3, 3);
    fill_floats(angle, ROWS * ANGLES, 4, 4);
    for (int i = 0; i < ROWS * ANGLES; i++) {
        c[i] = cosf(angle[i]);
        s[i] = sinf(angle[i]);
    }
    for (int f = 0; f < FORMS; f++) {
        Built b;
        int (*pairs)(float *, float *, float *, float *, int64_t);
        open_kernel(&b, "pairs", &forms[f], &pairs);
        ALLOW(x), ALLOW(c), ALLOW(s), ALLOW(y);
        memset(y, 0x55, sizeof y);
        went_well(pairs(x, c, s, y, ROWS));
        for (int i = 0; i < ROWS * ANGLES; i++) {
            const float p = x[2 * i], q = x[2 * i + 1];
            close_to(y[2 * i], p * c[i] - q * s[i], 1e-6f);
            close_to(y[2 * i + 1], q * c[i] + p * s[i], 1e-6f);
        }
        close_kernel(&b);
    }
}

/* ---- rows of a table ---- */

static void test_lookup(void **state) {
    enum { WORDS = 50, N = 43, COLS = 96 };
    static float table[WORDS * COLS], place[N * COLS];
    static uint16_t tableb[WORDS * COLS], placeb[N * COLS], y[N * COLS];
    static int32_t ids[N];
    (void)state;
    fill_brains(table, tableb, WORDS * COLS, 13);
    fill_brains(place, placeb, N * COLS, 14);
    fill_numbers(ids, N, WORDS, 15);
    ids[3] = WORDS;
    ids[20] = -1;
    ids[42] = INT32_MAX;
    for (int f = 0; f < FORMS; f++) {
        Built b;
        int (*lookup)(uint16_t *, int32_t *, uint16_t *, uint16_t *, float, int64_t, int64_t);
        open_kernel(&b, "lookup", &forms[f], &lookup);
        ALLOW(tableb), ALLOW(placeb), ALLOW(ids), ALLOW(y);
        memset(y, 0x55, sizeof y);
        went_well(lookup(tableb, ids, placeb, y, 8, WORDS, N));
        for (int i = 0; i < N; i++)
            for (int j = 0; j < COLS; j++) {
                const bool known = ids[i] >= 0 && ids[i] < WORDS;
                const float word = known ? table[ids[i] * COLS + j] : 0;
                const float want = 8 * word + place[i * COLS + j];
                close_to(of_brain(y[i * COLS + j]), want, fabsf(want) / 256);
            }
        close_kernel(&b);
    }
}

/* ---- a state that goes from step to step ---- */

enum { STATE = 16, CHANNELS = 64 };

static void step(double h[STATE][CHANNELS], const float *x, const float *a, const float *b,
                 const float *c, double *y) {
    for (int j = 0; j < CHANNELS; j++) {
        y[j] = 0;
        for (int i = 0; i < STATE; i++) {
            h[i][j] = h[i][j] * (double)a[i] + (double)b[i] * (double)x[j];
            y[j] += h[i][j] * (double)c[i];
        }
    }
}

static void test_scan(void **state) {
    enum { STEPS = 50 };
    static float x[STEPS * CHANNELS], a[STEPS * STATE], b[STEPS * STATE], c[STEPS * STATE],
        y[STEPS * CHANNELS];
    (void)state;
    fill_floats(x, STEPS * CHANNELS, 2, 16);
    fill_floats(a, STEPS * STATE, 0.95f, 17);
    fill_floats(b, STEPS * STATE, 1, 18);
    fill_floats(c, STEPS * STATE, 1, 19);
    for (int f = 0; f < FORMS; f++) {
        Built k;
        int (*scan)(float *, float *, float *, float *, float *, int64_t);
        double h[STATE][CHANNELS] = {{0}}, want[CHANNELS];
        open_kernel(&k, "scan", &forms[f], &scan);
        ALLOW(x), ALLOW(a), ALLOW(b), ALLOW(c), ALLOW(y);
        went_well(scan(x, a, b, c, y, STEPS));
        for (int i = 0; i < STEPS; i++) {
            step(h, x + i * CHANNELS, a + i * STATE, b + i * STATE, c + i * STATE, want);
            for (int j = 0; j < CHANNELS; j++)
                close_to(y[i * CHANNELS + j], (float)want[j], 2e-5f);
        }
        close_kernel(&k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_longest),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_lookup),
        cmocka_unit_test(test_scan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
