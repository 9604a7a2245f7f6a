/* SPDX-License-Identifier: Apache-2.0 */
/* handles.pto: windows, other types, several buffers, elements and addresses. */
#include "handles.h"

#include "expect.h"

enum { ROWS = 8, COLS = 32, N = ROWS * COLS };

static const ptrt_tile_type type = {PTRT_I32,          PTRT_VEC, PTRT_ROW_MAJOR,
                                    PTRT_NONE_BOX,     512,      PTRT_PAD_NULL,
                                    PTRT_COMPACT_NULL, ROWS,     COLS};
static int32_t xs[N], ys[N];
static ptrt_tile x, y;

static void fill(void) {
    for (int i = 0; i < N; i++)
        xs[i] = ys[i] = 1000 + i;
    expect_i64("init", ptrt_tile_init(&x, &type, xs, sizeof xs, ROWS, COLS), 0);
    expect_i64("init", ptrt_tile_init(&y, &type, ys, sizeof ys, ROWS, COLS), 0);
}

/* n inside of rows x cols from (row, col), what was there elsewhere. */
static void expect_window(const char *what, const int32_t *got, int row, int col, int rows,
                          int cols, int32_t n) {
    for (int i = 0; i < N; i++) {
        int r = i / COLS - row, c = i % COLS - col;
        bool in = r >= 0 && r < rows && c >= 0 && c < cols;
        expect_i64(what, got[i], in ? n : 1000 + i);
    }
}

static void windows(void) {
    for (int row = 0; row <= 4; row += 2)
        for (int col = 0; col <= 24; col += 8) {
            fill();
            expect_i64("window", window(&x, row, col, 3, 7, 5), 0);
            expect_window("window", xs, row, col, 3, 7, 5);
        }
    /* Only the valid region must lie in the tile. */
    fill();
    expect_i64("end", window(&x, 5, 28, 3, 4, 5), 0);
    expect_window("end", xs, 5, 28, 3, 4, 5);
    fill();
    expect_i64("empty", window(&x, 1, 1, 0, 8, 5), 0);
    expect_i64("empty, beyond the end", window(&x, 8, 99, 0, 8, 5), 0);
    expect_i64("below", window(&x, 5, 0, 4, 1, 5), PTRT_E_BOUNDS);
    expect_text("below", ptrt_error(), "handles.pto:8: pto.subview: 4x1 valid elements at (5, 0) ");
    expect_i64("before", window(&x, 0, -1, 1, 1, 5), PTRT_E_BOUNDS);
    expect_i64("far", window(&x, INT64_MAX, 0, 1, 1, 5), PTRT_E_BOUNDS);
    expect_i64("valid", window(&x, 0, 0, 5, 1, 5), PTRT_E_VALID);
    expect_i64("valid", window(&x, 0, 0, 1, -1, 5), PTRT_E_VALID);
    expect_window("nothing", xs, 0, 0, 0, 0, 5);
    expect_i64("inner", inner(&x, 9), 0);
    expect_window("inner", xs, 3, 16, 2, 8, 9);
}

static void subsets(void) {
    fill();
    expect_i64("valid", ptrt_tile_init(&x, &type, xs, sizeof xs, 3, 9), 0);
    expect_i64("subset", subset(&x, 0, 0, 5), 0);
    expect_window("all that is valid", xs, 0, 0, 3, 8, 5);
    fill();
    expect_i64("valid", ptrt_tile_init(&x, &type, xs, sizeof xs, 6, 12), 0);
    expect_i64("subset", subset(&x, 4, 8, 5), 0);
    expect_window("the rest", xs, 4, 8, 2, 4, 5);
}

static void bound(void) {
    fill();
    expect_i64("inside", bound_window(&x, &y, true, 7), 0);
    expect_window("inside", xs, 2, 8, 4, 8, 7);
    expect_window("after", ys, 2, 8, 4, 8, 2);
    fill();
    expect_i64("outside", bound_window(&x, &y, false, 7), 0);
    expect_window("outside", xs, 0, 0, 0, 0, 7);
    expect_window("after", ys, 2, 8, 4, 8, 2);
}

static void recasts(void) {
    static float f[N];
    ptrt_tile t;
    ptrt_tile_type of_floats = type;
    of_floats.elem = PTRT_F32;
    for (int i = 0; i < N; i++)
        f[i] = (float)i - 3;
    expect_i64("init", ptrt_tile_init(&t, &of_floats, f, sizeof f, ROWS, COLS), 0);
    expect_i64("casts", casts(&t), 0);
    for (int i = 0; i < N; i++)
        expect_i64("negative", (int64_t)f[i], 3 - i);
    fill();
    expect_i64("moved", moved(&x, true, 4), 0);
    expect_window("moved", xs, 0, 0, ROWS, COLS, 4);
    fill();
    expect_i64("back", moved(&x, false, 4), 0);
    expect_window("back", xs, 0, 0, 0, 0, 4);
}

static void buffers(void) {
    int32_t got[3] = {0};
    expect_i64("several", several(got, 5), 0);
    expect_i64("slot 0", got[0], 3);
    expect_i64("slot 1", got[1], 4);
    expect_i64("slot 2", got[2], 2);
    expect_i64("slot", slot(2), 0);
    expect_i64("slot 3", slot(3), PTRT_E_VALID);
    expect_text("slot 3", ptrt_error(), "slot is one of the buffer (slot 3)");
    expect_i64("slot -1", slot(-1), PTRT_E_VALID);
}

static void elements(void) {
    int32_t old = 0;
    fill();
    expect_i64("exchange", exchange(&x, 37, -2.75f, &old), 0);
    expect_i64("old", old, 1037);
    expect_i64("new", xs[37], -2);
    expect_i64("last", exchange(&x, N - 1, 1e30f, &old), 0);
    expect_i64("clamped", xs[N - 1], INT32_MAX);
    expect_i64("past the end", exchange(&x, N, 0, &old), PTRT_E_BOUNDS);
    expect_text("past the end", ptrt_error(), "pto.tgetval: element 256 of a tile of 256");
    expect_i64("before", exchange(&x, -1, 0, &old), PTRT_E_BOUNDS);
}

static void places(void) {
    int32_t got[8] = {0};
    expect_i64("addresses", addresses(got, 6), 0);
    expect_i64("a byte", got[0], 7);
    expect_i64("stride", got[1], 1);
    expect_i64("of a view", got[3], 6);
    expect_i64("through an integer", got[4], 6);
    fill();
    expect_i64("no address", no_address(&x), PTRT_E_ARG);
    const ptrt_i16x4 lane = {{1, 2, 3, 4}};
    got[0] = 0;
    expect_i64("vectors", vectors(lane, got), 0);
    expect_i64("called", got[0], 1);
}

int main(void) {
    windows();
    subsets();
    bound();
    recasts();
    buffers();
    elements();
    places();
    return wrong != 0;
}
