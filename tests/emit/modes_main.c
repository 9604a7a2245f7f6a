/* SPDX-License-Identifier: Apache-2.0 */
/* modes.pto: products of factors that are rounded to eleven bits after the point. */
#include "modes.h"

#include "expect.h"

enum { SIZE = 16, N = SIZE * SIZE };

static float x[N], y[N], plain[N], even[N], away[N], off[N];

static void expect_first(const char *what, const float *got, float want) {
    for (int i = 0; i < SIZE; i++)
        if (got[i * SIZE] != want) {
            wrong++;
            printf("%s: %a, expected %a\n", what, (double)got[i * SIZE], (double)want);
        }
}

/* x = `left` on the diagonal, y = `right` there. */
static void multiply(float left, float right) {
    memset(x, 0, sizeof x);
    memset(y, 0, sizeof y);
    for (int i = 0; i < SIZE; i++) {
        x[i * SIZE] = left;
        y[i] = right;
    }
    expect_i64("modes", modes(x, y, plain, even, away, off), 0);
}

int main(void) {
    multiply(0x1.001p0f, 1);
    expect_first("plain", plain, 0x1.001p0f);
    expect_first("even", even, 1);
    expect_first("away", away, 0x1.002p0f);
    expect_first("off", off, 0x1.001p0f);
    multiply(1, 0x1.003p0f);
    expect_first("even", even, 0x1.004p0f);
    expect_first("away", away, 0x1.004p0f);
    multiply(-0x1.fff001p0f, 1);
    expect_first("a carry", even, -2);
    multiply(0x1p-130f, 1);
    expect_first("subnormal", plain, 0x1p-130f);
    expect_first("subnormal", even, 0);
    multiply(0x1.fffffep127f, 1);
    expect_first("overflow", even, __builtin_inff());
    return wrong != 0;
}
