/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.pto: 40 rows over 3 blocks; what is after them is not changed. */
#include "kernel.h"

#include "expect.h"

enum { ROWS = 40, COLS = 64, GUARD = 16 };

int main(void) {
    static float x[ROWS * COLS], y[ROWS * COLS + GUARD];
    for (int i = 0; i < ROWS * COLS; i++)
        x[i] = (float)i * 0.5f;
    for (int i = 0; i < ROWS * COLS + GUARD; i++)
        y[i] = -1.0f;
    expect_i64("code", kernel_grid(3, x, y, ROWS, 1.25f), 0);
    for (int i = 0; i < ROWS * COLS; i++)
        expect_i64("element", (int64_t)(y[i] * 4), (int64_t)i * 2 + 5);
    for (int i = ROWS * COLS; i < ROWS * COLS + GUARD; i++)
        expect_i64("guard", (int64_t)y[i], -1);
    y[16 * COLS] = 7.0f;
    expect_i64("one block", kernel(x, y, ROWS, 2.0f), 0);
    expect_i64("its last element", (int64_t)(y[16 * COLS - 1] * 2), (16 * COLS - 1) + 4);
    expect_i64("after it", (int64_t)y[16 * COLS], 7);
    expect_i64("no block", kernel_grid(0, x, y, ROWS, 2.0f), 0);
    return wrong != 0;
}
