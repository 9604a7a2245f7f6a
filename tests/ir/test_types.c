/* SPDX-License-Identifier: Apache-2.0 */
/* Types: interning, canonical text, layout numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "ir/ir.h"
#include "parser/parse.h"

static Context ctx;
static Source src = {"none", "", 0};

static int setup(void **state) {
    (void)state;
    if (setjmp(ctx.oom) != 0) return 1;
    context_init(&ctx, &src, 0);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    context_free(&ctx);
    return 0;
}

static const Type *parse(const char *text) {
    const Type *t = parse_type(&ctx, text, strlen(text));
    if (t == NULL) fail_msg("not a type: %s", text);
    return t;
}

static void prints(const char *text, const char *expected) {
    const Type *t = parse(text);
    char got[256];
    snprintf(got, sizeof got, TYPE_FMT, TYPE_ARG(&ctx.names, t));
    assert_string_equal(got, expected);
    assert_true(type_same(t, parse(expected)));
}

static void canonical_text(void **state) {
    (void)state;
    prints("!pto.tile_buf<loc=vec, dtype=f32, rows=16, cols=64, v_row=16, v_col=64, "
           "blayout=row_major, slayout=none_box, fractal=512, pad=0>",
           "!pto.tile_buf<vec, 16x64xf32>");
    prints("!pto.tile_buf<loc=acc, dtype=f32, rows=16, cols=16, v_row=?, v_col=8, "
           "blayout=col_major, slayout=row_major, fractal=1024, pad=2>",
           "!pto.tile_buf<acc, 16x16xf32, valid=?x8, blayout=col_major, slayout=row_major, "
           "fractal=1024, pad=2>");
    prints("!pto.tile<32x32xf32>", "!pto.tile<vec, 32x32xf32>");
    prints("!pto.ptr<f16>", "!pto.ptr<f16>");
    prints("!pto.ptr<f16, vec>", "!pto.ptr<f16, ub>");
    prints("!pto.tensor_view<?x16xf32>", "!pto.tensor_view<?x16xf32>");
}

static void spelling_is_no_difference(void **state) {
    (void)state;
    const Type *a = parse("!pto.tile<16x16xf32>");
    const Type *b = parse("!pto.tile_buf<vec, 16x16xf32>");
    assert_ptr_not_equal(a, b);
    assert_true(type_same(a, b));
    assert_true(type_same(type_respell(ctx.types, a, SPELL_BUF), b));
    assert_ptr_equal(type_respell(ctx.types, a, SPELL_BUF), b);
    assert_false(type_same(a, parse("!pto.tile_buf<vec, 16x16xf16>")));
    assert_false(type_same(b, parse("!pto.tile_buf<vec, 16x16xf32, pad=1>")));
    assert_true(type_compatible(a, parse("!pto.tile<...>")));
    assert_false(type_compatible(parse("f32"), parse("!pto.tile<...>")));
}

/* The blayout of a left tile follows the profile (decision 8). */
static void left_layout(void **state) {
    (void)state;
    const Type *t = parse("!pto.tile_buf<left, 16x16xf16, blayout=col_major, slayout=row_major>");
    assert_int_equal(tile_blayout(t, PROFILE_A2A3), BL_ROW_MAJOR);
    assert_int_equal(tile_blayout(t, PROFILE_A5), BL_COL_MAJOR);
    assert_int_equal(tile_blayout(t, PROFILE_CPU), BL_COL_MAJOR);
    assert_true(type_same(t, parse("!pto.tile_buf<left, 16x16xf16, slayout=row_major>")));
}

static void sizes(void **state) {
    (void)state;
    assert_int_equal(tile_bytes(parse("!pto.tile_buf<vec, 3x32xi8>"), PROFILE_A5), 96);
    assert_int_equal(tile_bytes(parse("!pto.tile_buf<vec, 4x8xf32, compact=2>"), PROFILE_A5),
                     (3 * 9 + 8) * 4);
    int64_t rows, cols;
    assert_true(
        tile_inner_box(parse("!pto.tile_buf<mat, 16x16xf32, slayout=row_major>"), &rows, &cols));
    assert_int_equal(rows, 16);
    assert_int_equal(cols, 8);
    assert_true(
        tile_inner_box(parse("!pto.tile_buf<mat, 16x16xf32, slayout=col_major>"), &rows, &cols));
    assert_int_equal(rows, 8);
    assert_int_equal(cols, 16);
    assert_int_equal(profile_plan_capacity(PROFILE_A5, SPACE_VEC), 253952);
    assert_int_equal(profile_plan_capacity(PROFILE_CPU, SPACE_VEC), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(canonical_text, setup, teardown),
        cmocka_unit_test_setup_teardown(spelling_is_no_difference, setup, teardown),
        cmocka_unit_test_setup_teardown(left_layout, setup, teardown),
        cmocka_unit_test_setup_teardown(sizes, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
