/* Whole kernels of language models (.pto files of this folder) with sizes that leave rests, against
 * plain loops, on both kinds of devices and in both forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "whole.h"
#include <math.h>
#include <string.h>

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

/* ---- attention to keys in pages ---- */

enum { WIDTH = 64, PAGE = 16, POOL = 20, MOST_PAGES = 16 };

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_online), cmocka_unit_test(test_longest),
        cmocka_unit_test(test_pairs),  cmocka_unit_test(test_paged),
        cmocka_unit_test(test_swiglu), cmocka_unit_test(test_lookup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
