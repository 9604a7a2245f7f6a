/* SPDX-License-Identifier: Apache-2.0 */
/* test_refuse.c - what drivers refuse, with the words of the messages; calls made ready; registered
 * regions of checked mode. That every kernel refuses impossible tiles, the oracle tests. */
#include "on_core.h"

static int too_small(ptrt_core *core, void *arg) {
    (void)arg;
    static const ptrt_tile_type narrow = {
        .elem = PTRT_F32, .space = PTRT_VEC, .fractal = 512, .rows = 8, .cols = 8};
    static const ptrt_tile_type large = {
        .elem = PTRT_F32, .space = PTRT_VEC, .fractal = 512, .rows = 8, .cols = 16};
    ptrt_tile s, d;
    int code = ptrt_tile_bind(core, &narrow, 0, 8, 8, 1, &s);
    if (code == 0) code = ptrt_tile_bind(core, &large, 4096, 8, 9, 1, &d);
    return code != 0 ? code : ptrt_map2(core, 31, PTRT_TADD, &d, &s, &d);
}

static void test_source_too_small(void **state) {
    (void)state;
    assert_int_equal(on_core(too_small, NULL), PTRT_E_VALID);
    assert_string_equal(ptrt_error(),
                        "test.pto:31: pto.tadd: src1 has 8x8 elements, 8x9 are needed");
}

/* A tile whose bytes leave the space. */
static int outside(ptrt_core *core, void *arg) {
    (void)arg;
    static const ptrt_tile_type type = {
        .elem = PTRT_I32, .space = PTRT_VEC, .fractal = 512, .rows = 8, .cols = 8};
    ptrt_tile t, bad;
    int code = ptrt_tile_bind(core, &type, 0, 8, 8, 1, &t);
    bad = t;
    bad.addr = SPACE_BYTES - 252;
    bad.key = 0;
    bad.n = 0;
    return code != 0 ? code : ptrt_map2(core, 5, PTRT_TMUL, &t, &bad, &t);
}

static void test_outside(void **state) {
    (void)state;
    assert_int_equal(on_core(outside, NULL), PTRT_E_BOUNDS);
    assert_non_null(strstr(ptrt_error(), "test.pto:5: pto.tmul: src1"));
    assert_non_null(strstr(ptrt_error(), "leaves its memory"));
}

static int declared(ptrt_core *core, void *arg) {
    (void)arg;
    static const ptrt_tile_type type = {
        .elem = PTRT_I32, .space = PTRT_VEC, .fractal = 512, .rows = 8, .cols = 8};
    ptrt_tile t, unbound;
    const int code = ptrt_tile_bind(core, &type, 0, 8, 8, 1, &t);
    ptrt_tile_declare(&type, 8, 8, &unbound);
    return code != 0 ? code : ptrt_map2(core, 5, PTRT_TMUL, &t, &unbound, &t);
}

static void test_declared(void **state) {
    (void)state;
    assert_int_equal(on_core(declared, NULL), PTRT_E_BOUNDS);
    assert_non_null(
        strstr(ptrt_error(), "pto.tmul: src1 has no memory: pto.tpop has not bound it"));
}

static int wrong_types(ptrt_core *core, void *arg) {
    (void)arg;
    ptrt_tile_type type = {
        .elem = PTRT_I32, .space = PTRT_VEC, .fractal = 512, .rows = 8, .cols = 8};
    ptrt_tile i32, f32;
    int code = ptrt_tile_bind(core, &type, 0, 8, 8, 1, &i32);
    type.elem = PTRT_F32;
    if (code == 0) code = ptrt_tile_bind(core, &type, 256, 8, 8, 1, &f32);
    return code != 0 ? code : ptrt_map2(core, 6, PTRT_TADD, &i32, &f32, &f32);
}

static void test_wrong_types(void **state) {
    (void)state;
    assert_int_equal(on_core(wrong_types, NULL), PTRT_E_TYPE);
    assert_string_equal(ptrt_error(), "test.pto:6: pto.tadd: no code for these element types: "
                                      "src0 i32, src1 f32, dst f32");
}

static int orientation(ptrt_core *core, void *arg) {
    (void)arg;
    static const ptrt_tile_type type = {
        .elem = PTRT_U16, .space = PTRT_VEC, .fractal = 512, .rows = 8, .cols = 16};
    ptrt_tile d;
    int code = ptrt_tile_bind(core, &type, 0, 8, 16, 1, &d);
    return code != 0 ? code : ptrt_tri(core, 6, PTRT_TTRI, 0, &d, 2);
}

static void test_orientation(void **state) {
    (void)state;
    assert_int_equal(on_core(orientation, NULL), PTRT_E_ARG);
    assert_string_equal(ptrt_error(), "test.pto:6: pto.ttri: orientation 2 is neither 0 nor 1");
}

static const ptrt_tile_type small = {
    .elem = PTRT_F32, .space = PTRT_VEC, .fractal = 512, .rows = 8, .cols = 8};

static int fill_smaller(ptrt_core *core, void *arg) {
    (void)arg;
    ptrt_tile_type less = small;
    less.rows = 7;
    ptrt_tile s, d;
    int code = ptrt_tile_bind(core, &small, 0, 8, 8, 1, &s);
    if (code == 0) code = ptrt_tile_bind(core, &less, 1024, 7, 8, 1, &d);
    return code ? code : ptrt_fillpad(core, 8, PTRT_TFILLPAD_EXPAND, &s, &d, PTRT_ABSENT);
}

static void test_fill_smaller(void **state) {
    (void)state;
    assert_int_equal(on_core(fill_smaller, NULL), PTRT_E_VALID);
    assert_string_equal(ptrt_error(),
                        "test.pto:8: pto.tfillpad_expand: src (8x8) is larger than dst (7x8)");
}

typedef struct bounds_case {
    int64_t rows, cols; /* of the view */
    bool store, wrong_size, null_base;
    float data[64];
} bounds_case;

static int out_of_view(ptrt_core *core, void *arg) {
    bounds_case *b = arg;
    ptrt_tile t;
    ptrt_view v;
    const int64_t shape[] = {b->rows, b->cols}, stride[] = {8, 1};
    int code = ptrt_tile_bind(core, &small, 0, 8, 8, 1, &t);
    if (code == 0)
        code =
            ptrt_view_make(core, 1, b->null_base ? NULL : b->data,
                           b->wrong_size ? PTRT_F16 : PTRT_F32, 2, shape, stride, PTRT_VIEW_ND, &v);
    if (code != 0) return code;
    return b->store ? ptrt_store(core, 5, PTRT_TSTORE, &t, &v)
                    : ptrt_load(core, 5, PTRT_TLOAD, &v, &t);
}

static void test_out_of_view(void **state) {
    (void)state;
    bounds_case b = {.rows = 7, .cols = 8};
    assert_int_equal(on_checked_core(out_of_view, &b), PTRT_E_BOUNDS);
    assert_string_equal(ptrt_error(),
                        "test.pto:5: pto.tload: 8x8 valid elements, but the view has 7x8");
    b.store = true;
    b.rows = 8;
    b.cols = 7;
    assert_int_equal(on_checked_core(out_of_view, &b), PTRT_E_BOUNDS);
    b.cols = 0;
    assert_int_equal(on_core(out_of_view, &b), PTRT_E_BOUNDS);
    assert_string_equal(ptrt_error(), "test.pto:5: pto.tstore: the view is empty");
    b.cols = 8;
    b.null_base = true;
    assert_int_equal(on_core(out_of_view, &b), PTRT_E_BOUNDS);
    b.null_base = false;
    b.wrong_size = true;
    assert_int_equal(on_core(out_of_view, &b), PTRT_E_TYPE);
    b.wrong_size = false;
    assert_int_equal(on_core(out_of_view, &b), PTRT_OK);
}

/* Registered regions bound every access of checked mode, and of it alone. */
static void test_regions(void **state) {
    (void)state;
    bounds_case b = {.rows = 8, .cols = 8};
    assert_int_equal(ptrt_region_add(b.data, sizeof b.data - 4), 0);
    assert_int_equal(on_checked_core(out_of_view, &b), PTRT_E_BOUNDS);
    assert_string_equal(ptrt_error(),
                        "test.pto:5: pto.tload: the view reaches outside every buffer");
    assert_int_equal(on_core(out_of_view, &b), PTRT_OK);
    ptrt_region_clear();
    assert_int_equal(ptrt_region_add(b.data, sizeof b.data), 0);
    assert_int_equal(on_checked_core(out_of_view, &b), PTRT_OK);
    ptrt_region_clear();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_source_too_small), cmocka_unit_test(test_outside),
        cmocka_unit_test(test_declared),         cmocka_unit_test(test_wrong_types),
        cmocka_unit_test(test_orientation),      cmocka_unit_test(test_fill_smaller),
        cmocka_unit_test(test_out_of_view),      cmocka_unit_test(test_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
