/* SPDX-License-Identifier: Apache-2.0 */
/* Whole kernels (.pto files of this folder) with sizes that leave rests, against plain loops, on
 * both kinds of devices and in both forms: attention. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "whole.h"
#include <math.h>
#include <string.h>

enum { WIDTH = 64 };

/* ---- softmax of long rows ---- */

static void check_softmax(const float *x, const float *y, int64_t cols) {
    double most = -INFINITY, sum = 0;
    for (int64_t j = 0; j < cols; j++)
        most = fmax(most, (double)x[j]);
    for (int64_t j = 0; j < cols; j++)
        sum += exp((double)x[j] - most);
    for (int64_t j = 0; j < cols; j++) {
        const double want = exp((double)x[j] - most) / sum;
        close_to(y[j], (float)want, (float)(want * 1e-5 + 1e-30));
    }
}

static void test_online(void **state) {
    enum { ROWS = 11, COLS = 1000 };
    static const int64_t cols[] = {1, 127, 128, 129, COLS};
    static float x[ROWS * COLS], y[ROWS * COLS];
    (void)state;
    fill_floats(x, ROWS * COLS, 20, 1);
    x[2 * ROWS] = -INFINITY; /* weighs nothing */
    for (int f = 0; f < FORMS; f++) {
        Built b;
        int (*online)(float *, float *, int64_t, int64_t);
        open_kernel(&b, "online", &forms[f], &online);
        ALLOW(x), ALLOW(y);
        for (int k = 0; k < 5; k++) {
            memset(y, 0x55, sizeof y);
            went_well(online(x, y, ROWS, cols[k]));
            for (int i = 0; i < ROWS; i++)
                check_softmax(x + i * cols[k], y + i * cols[k], cols[k]);
        }
        close_kernel(&b);
    }
}

/* ---- attention to keys in pages ---- */

enum { PAGE = 16, POOL = 20, MOST_PAGES = 16 };

static void attend(const float *q, const float *k, const float *v, const int32_t *pages,
                   int64_t len, double *o) {
    double weight[MOST_PAGES * PAGE], sum = 0;
    for (int64_t j = 0; j < len; j++) {
        const float *key = k + (pages[j / PAGE] * PAGE + j % PAGE) * WIDTH;
        double score = 0;
        for (int d = 0; d < WIDTH; d++)
            score += (double)q[d] * (double)key[d];
        sum += weight[j] = exp(score / 8);
    }
    for (int d = 0; d < WIDTH; d++) {
        o[d] = 0;
        for (int64_t j = 0; j < len; j++)
            o[d] += weight[j] / sum * (double)v[(pages[j / PAGE] * PAGE + j % PAGE) * WIDTH + d];
    }
}

static void test_paged(void **state) {
    static const int64_t lens[] = {1, 16, 17, 200, 255, 256};
    static float q[WIDTH], k[POOL * PAGE * WIDTH], v[POOL * PAGE * WIDTH], o[WIDTH];
    static uint16_t qh[WIDTH], kh[POOL * PAGE * WIDTH], vh[POOL * PAGE * WIDTH];
    static int32_t pages[MOST_PAGES];
    double want[WIDTH];
    (void)state;
    fill_halves(q, qh, WIDTH, 5);
    fill_halves(k, kh, POOL * PAGE * WIDTH, 6);
    fill_halves(v, vh, POOL * PAGE * WIDTH, 7);
    fill_numbers(pages, MOST_PAGES, POOL, 8);
    for (int f = 0; f < FORMS; f++) {
        Built b;
        int (*paged)(uint16_t *, uint16_t *, uint16_t *, int32_t *, float *, int64_t, int64_t);
        open_kernel(&b, "paged", &forms[f], &paged);
        ALLOW(qh), ALLOW(kh), ALLOW(vh), ALLOW(pages), ALLOW(o);
        for (int n = 0; n < 6; n++) {
            went_well(paged(qh, kh, vh, pages, o, POOL, lens[n]));
            attend(q, k, v, pages, lens[n], want);
            for (int d = 0; d < WIDTH; d++)
                close_to(o[d], (float)want[d], 1e-5f);
        }
        if (forms[f].checked) { /* a page that the pool does not have */
            const int32_t was = pages[0];
            pages[0] = POOL;
            assert_int_not_equal(paged(qh, kh, vh, pages, o, POOL, 16), 0);
            assert_non_null(strstr(last_error(), "paged.pto:"));
            pages[0] = was;
        }
        close_kernel(&b);
    }
}

/* ---- attention to what came before ---- */

static void attend_before(const float *q, const float *k, const float *v, int row, double *o) {
    double sum = 0;
    for (int d = 0; d < WIDTH; d++)
        o[d] = 0;
    for (int j = 0; j <= row; j++) {
        double score = 0;
        for (int d = 0; d < WIDTH; d++)
            score += (double)q[row * WIDTH + d] * (double)k[j * WIDTH + d];
        const double weight = exp(score / 8);
        sum += weight;
        for (int d = 0; d < WIDTH; d++)
            o[d] += weight * (double)v[j * WIDTH + d];
    }
    for (int d = 0; d < WIDTH; d++)
        o[d] /= sum;
}

static void test_causal(void **state) {
    enum { BLOCKS = 3, ROWS = 64 * BLOCKS, SLOTS = 32768 * BLOCKS };
    static float q[ROWS * WIDTH], k[ROWS * WIDTH], v[ROWS * WIDTH], o[ROWS * WIDTH], slots[SLOTS];
    static uint16_t qh[ROWS * WIDTH], kh[ROWS * WIDTH], vh[ROWS * WIDTH];
    double want[WIDTH];
    (void)state;
    fill_halves(q, qh, ROWS * WIDTH, 24);
    fill_halves(k, kh, ROWS * WIDTH, 25);
    fill_halves(v, vh, ROWS * WIDTH, 26);
    for (int f = 0; f < FORMS; f++) {
        Built b;
        int (*causal)(int64_t, uint16_t *, uint16_t *, uint16_t *, float *, float *, int64_t);
        open_kernel(&b, "causal", &forms[f], &causal);
        void *grid = built_function(&b, "causal_grid");
        memcpy(&causal, &grid, sizeof causal);
        ALLOW(qh), ALLOW(kh), ALLOW(vh), ALLOW(o), ALLOW(slots);
        went_well(causal(BLOCKS, qh, kh, vh, o, slots, BLOCKS));
        for (int i = 0; i < ROWS; i++) {
            attend_before(q, k, v, i, want);
            for (int d = 0; d < WIDTH; d++) /* weights are rounded to 11 bits */
                close_to(o[i * WIDTH + d], (float)want[d], 1e-3f);
        }
        close_kernel(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_online),
        cmocka_unit_test(test_paged),
        cmocka_unit_test(test_causal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
