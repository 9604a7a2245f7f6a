/* SPDX-License-Identifier: Apache-2.0 */
/* Whole kernels (.pto files of this folder) with sizes that leave rests, against plain loops, on
 * both kinds of devices and in both forms: experts and products of bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "whole.h"
#include <math.h>
#include <string.h>

enum { WIDTH = 64 };

/* ---- experts ---- */

enum { EXPERTS = 4, TOKENS = 32 + 5 + 0 + 71 };

static void row_product(const double *x, const float *w, double *y) {
    for (int j = 0; j < WIDTH; j++) {
        y[j] = 0;
        for (int d = 0; d < WIDTH; d++)
            y[j] += x[d] * (double)w[d * WIDTH + j];
    }
}

static void check_expert(const float *x, const float *gate, const float *up, const float *down,
                         const float *y) {
    double in[WIDTH], a[WIDTH], b[WIDTH], out[WIDTH];
    for (int d = 0; d < WIDTH; d++)
        in[d] = (double)x[d];
    row_product(in, gate, a);
    row_product(in, up, b);
    for (int d = 0; d < WIDTH; d++)
        a[d] = a[d] / (1 + exp(-a[d])) * b[d];
    row_product(a, down, out);
    for (int d = 0; d < WIDTH; d++) /* what is pushed back is rounded to 11 bits */
        close_to(y[d], (float)out[d], 0.25f);
}

static void test_swiglu(void **state) {
    enum { WEIGHTS = EXPERTS * WIDTH * WIDTH };
    static int32_t counts[EXPERTS] = {32, 5, 0, 71};
    static float x[TOKENS * WIDTH], gate[WEIGHTS], up[WEIGHTS], down[WEIGHTS], y[TOKENS * WIDTH];
    static uint16_t xh[TOKENS * WIDTH], gateh[WEIGHTS], uph[WEIGHTS], downh[WEIGHTS];
    static float slots[16384];
    (void)state;
    fill_halves(x, xh, TOKENS * WIDTH, 9);
    fill_halves(gate, gateh, WEIGHTS, 10);
    fill_halves(up, uph, WEIGHTS, 11);
    fill_halves(down, downh, WEIGHTS, 12);
    for (int f = 0; f < FORMS; f++) {
        Built b;
        int (*swiglu)(uint16_t *, uint16_t *, uint16_t *, uint16_t *, float *, int32_t *, float *,
                      int64_t, int64_t);
        open_kernel(&b, "swiglu", &forms[f], &swiglu);
        ALLOW(xh), ALLOW(gateh), ALLOW(uph), ALLOW(downh), ALLOW(y), ALLOW(counts), ALLOW(slots);
        memset(y, 0x55, sizeof y);
        went_well(swiglu(xh, gateh, uph, downh, y, counts, slots, EXPERTS, TOKENS));
        int row = 0;
        for (int e = 0; e < EXPERTS; e++)
            for (int i = 0; i < counts[e]; i++, row++)
                check_expert(x + row * WIDTH, gate + e * WIDTH * WIDTH, up + e * WIDTH * WIDTH,
                             down + e * WIDTH * WIDTH, y + row * WIDTH);
        close_kernel(&b);
    }
}

/* ---- which experts ---- */

enum { CHOICES = 64 };

/* The largest one but `but`; of equal ones the first. */
static int largest_but(const float *x, int but) {
    int best = -1;
    for (int j = 0; j < CHOICES; j++)
        if (j != but && (best < 0 || x[j] > x[best])) best = j;
    return best;
}

static void test_route(void **state) {
    enum { ROWS = 60 };
    static float x[ROWS * CHOICES], weight[2 * ROWS];
    static int32_t expert[2 * ROWS], place[2 * ROWS], count[CHOICES];
    (void)state;
    fill_floats(x, ROWS * CHOICES, 3, 20);
    for (int j = 0; j < CHOICES; j++)
        x[5 * CHOICES + j] = 1; /* all are equal */
    for (int f = 0; f < FORMS; f++) {
        Built b;
        int (*route)(float *, float *, int32_t *, int32_t *, int32_t *, int64_t);
        int32_t seen[CHOICES] = {0};
        open_kernel(&b, "route", &forms[f], &route);
        ALLOW(x), ALLOW(weight), ALLOW(expert), ALLOW(place), ALLOW(count);
        memset(count, 99, sizeof count);
        went_well(route(x, weight, expert, place, count, ROWS));
        for (int i = 0; i < ROWS; i++) {
            const float *row = x + i * CHOICES;
            const int first = largest_but(row, -1), second = largest_but(row, first);
            const float less = expf(row[second] - row[first]);
            assert_int_equal(expert[2 * i], first);
            assert_int_equal(expert[2 * i + 1], second);
            assert_int_equal(place[2 * i], seen[first]++);
            assert_int_equal(place[2 * i + 1], seen[second]++);
            close_to(weight[2 * i], 1 / (1 + less), 1e-6f);
            close_to(weight[2 * i + 1], less / (1 + less), 1e-6f);
        }
        assert_memory_equal(count, seen, sizeof seen);
        close_kernel(&b);
    }
}

/* ---- products of bytes ---- */

static void test_w8a8(void **state) {
    enum { CHUNKS = 3, ROWS = 32 * CHUNKS };
    static float x[ROWS * WIDTH], scale[WIDTH], y[ROWS * WIDTH];
    static int32_t numbers[WIDTH * WIDTH], slots[32768];
    static int8_t w[WIDTH * WIDTH];
    (void)state;
    fill_floats(x, ROWS * WIDTH, 3, 21);
    fill_floats(scale, WIDTH, 0.01f, 22);
    fill_numbers(numbers, WIDTH * WIDTH, 256, 23);
    for (int i = 0; i < WIDTH * WIDTH; i++)
        w[i] = (int8_t)(numbers[i] - 128);
    for (int f = 0; f < FORMS; f++) {
        Built b;
        int (*w8a8)(float *, int8_t *, float *, float *, int32_t *, int64_t);
        open_kernel(&b, "w8a8", &forms[f], &w8a8);
        ALLOW(x), ALLOW(w), ALLOW(scale), ALLOW(y), ALLOW(slots);
        went_well(w8a8(x, w, scale, y, slots, CHUNKS));
        for (int i = 0; i < ROWS; i++) {
            float largest = 0;
            for (int d = 0; d < WIDTH; d++)
                largest = fmaxf(largest, fabsf(x[i * WIDTH + d]));
            const float by = 127 / largest, back = largest / 127;
            for (int j = 0; j < WIDTH; j++) {
                int32_t sum = 0;
                for (int d = 0; d < WIDTH; d++)
                    sum += (int32_t)rintf(x[i * WIDTH + d] * by) * w[d * WIDTH + j];
                const float rounded = (float)sum * back;
                close_to(y[i * WIDTH + j], rounded * scale[j], 0);
            }
        }
        close_kernel(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_swiglu),
        cmocka_unit_test(test_route),
        cmocka_unit_test(test_w8a8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
