/* SPDX-License-Identifier: Apache-2.0 */
/* test_layout.c - the oracle's layouts: no two elements share bytes, the tile ends where its bytes
 * do, offsets are a row's plus a column's, and examples worked out by hand. */
#include "codec.h"
#include "layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static ptrt_tile_type tile_of(int elem, Layout layout, int64_t rows, int64_t cols) {
    ptrt_tile_type t = {.elem = (uint8_t)elem, .space = PTRT_VEC, .rows = rows, .cols = cols};
    layout_set(&t, layout);
    return t;
}

static const int elems[] = {PTRT_I8, PTRT_F16, PTRT_F32, PTRT_I64};
static const int64_t shapes[][2] = {{1, 1}, {16, 32}, {13, 37}, {33, 130}, {48, 16}};

static void check_layout(const ptrt_tile_type *t) {
    int64_t size = elem_bytes(t->elem), n = layout_bytes(t) / size;
    unsigned char *seen = calloc((size_t)n, 1);
    for (int64_t r = 0; r < t->rows; r++) {
        for (int64_t c = 0; c < t->cols; c++) {
            int64_t at = layout_at(t, r, c);
            assert_in_range(at, 0, n - 1);
            assert_int_equal(seen[at]++, 0);
            assert_int_equal(at, layout_at(t, r, 0) + layout_at(t, 0, c));
        }
    }
    free(seen);
}

static void test_elements_have_places(void **state) {
    (void)state;
    for (size_t e = 0; e < sizeof elems / sizeof *elems; e++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int layout = 0; layout < LAYOUTS; layout++) {
                ptrt_tile_type t = tile_of(elems[e], (Layout)layout, shapes[s][0], shapes[s][1]);
                check_layout(&t);
            }
}

static void test_examples(void **state) {
    (void)state;
    ptrt_tile_type t = tile_of(PTRT_F16, LAY_NZ, 32, 48);
    assert_int_equal(layout_at(&t, 0, 16), 512);
    assert_int_equal(layout_at(&t, 17, 5), 17 * 16 + 5);
    t = tile_of(PTRT_F32, LAY_ZN, 16, 32);
    assert_int_equal(layout_at(&t, 1, 0), 1);
    assert_int_equal(layout_at(&t, 0, 1), 8);
    assert_int_equal(layout_at(&t, 8, 0), 256);
    t = tile_of(PTRT_F32, LAY_NZ_1024, 32, 32);
    assert_int_equal(layout_at(&t, 1, 17), 32 * 16 + 17);
    t = tile_of(PTRT_I8, LAY_ZZ_32, 32, 4);
    assert_int_equal(layout_at(&t, 1, 2), 34);
    assert_int_equal(layout_at(&t, 16, 0), 64);
    t = tile_of(PTRT_I8, LAY_NN_32, 4, 32);
    assert_int_equal(layout_at(&t, 3, 1), 32 + 3);
    t = tile_of(PTRT_I8, LAY_ND_PLUS, 4, 32);
    assert_int_equal(layout_at(&t, 1, 0), 33);
    t = tile_of(PTRT_F32, LAY_NZ_PLUS, 16, 16);
    assert_int_equal(layout_at(&t, 0, 8), 17 * 8);
}

/* Views of every layout cover their memory once when their strides are those of a dense array. */
static void test_views(void **state) {
    (void)state;
    static const int64_t shape[][5] = {
        {2, 3, 2, 5, 7}, {2, 1, 3, 5, 4}, {2, 3, 2, 16, 8}, {1, 2, 5, 16, 2}, {1, 2, 3, 16, 2}};
    for (int layout = PTRT_VIEW_ND; layout <= PTRT_VIEW_MX_B_NN; layout++) {
        ptrt_view v = {.elem = PTRT_F32, .layout = (uint8_t)layout, .rank = 5};
        int64_t n = 1, rows, cols;
        for (int i = 4; i >= 0; i--) {
            v.shape[i] = shape[layout][i];
            v.stride[i] = n;
            n *= v.shape[i];
        }
        view_extents(&v, &rows, &cols);
        unsigned char *seen = calloc((size_t)n, 1);
        for (int64_t r = 0; r < rows; r++) {
            for (int64_t c = 0; c < cols; c++) {
                int64_t at = view_at(&v, r, c);
                assert_in_range(at, 0, n - 1);
                assert_int_equal(seen[at]++, 0);
                assert_int_equal(at, view_at(&v, r, 0) + view_at(&v, 0, c));
            }
        }
        assert_int_equal(rows * cols, n);
        free(seen);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements_have_places),
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_views),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
