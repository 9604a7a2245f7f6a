/* SPDX-License-Identifier: Apache-2.0 */
/* tiles.pto: handles in, out and around. */
#include "tiles.h"

#include "expect.h"

enum { N = 8 * 32 };

static const ptrt_tile_type type = {PTRT_I32,          PTRT_VEC, PTRT_ROW_MAJOR,
                                    PTRT_NONE_BOX,     512,      PTRT_PAD_NULL,
                                    PTRT_COMPACT_NULL, 8,        32};
static int32_t xs[N], ys[N];
static ptrt_tile x, y;

static void tiles(void) {
    expect_i64("calls", calls(&x, &y), 0);
    for (int i = 0; i < N; i++)
        expect_i64("product", ys[i], (xs[i] + 2) * (xs[i] + 10));
    expect_i64("result", result(&x, &y), 0);
    for (int i = 0; i < N; i++)
        expect_i64("square", ys[i], xs[i] * xs[i]);
    for (int n = 0; n < 4; n++) {
        expect_i64("pingpong", pingpong(&x, &y, n), 0);
        for (int i = 0; i < N; i++)
            expect_i64("added", ys[i], xs[i] + n);
    }
}

static void valid_regions(void) {
    for (int rows = 0; rows <= 8; rows += 4)
        for (int cols = 0; cols <= 32; cols += 13) {
            expect_i64("part", part(ys, rows, cols, 6), 0);
            for (int i = 0; i < N; i++)
                expect_i64("written", ys[i], i / 32 < rows && i % 32 < cols ? 6 : 0);
        }
    expect_i64("too many rows", part(ys, 9, 1, 6), PTRT_E_VALID);
    expect_text("its text", ptrt_error(), "tiles.pto:49:");
    expect_i64("negative", part(ys, 1, -1, 6), PTRT_E_VALID);
}

static void wrong_types(void) {
    ptrt_tile_type other = type;
    ptrt_tile t;
    other.cols = 16;
    expect_i64("init", ptrt_tile_init(&t, &other, ys, sizeof ys, 8, 16), 0);
    expect_i64("shape", calls(&x, &t), PTRT_E_TYPE);
    other = type;
    other.elem = PTRT_F32;
    expect_i64("init", ptrt_tile_init(&t, &other, ys, sizeof ys, 8, 32), 0);
    expect_i64("element", calls(&t, &y), PTRT_E_TYPE);
}

int main(void) {
    for (int i = 0; i < N; i++)
        xs[i] = i * 3 - 100;
    expect_i64("init", ptrt_tile_init(&x, &type, xs, sizeof xs, 8, 32), 0);
    expect_i64("init", ptrt_tile_init(&y, &type, ys, sizeof ys, 8, 32), 0);
    tiles();
    valid_regions();
    wrong_types();
    return wrong != 0;
}
