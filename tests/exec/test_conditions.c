/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions that only run time can decide: with `?` extents and set_validshape the emitted code
 * checks them, and its error names the line of the .pto file. Each has a passing and a failing run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness.h"
#include <stdio.h>
#include <string.h>

/* Source and destination with valid regions given by the caller. The marked line is the checked
 * one. */
static const char program[] =
    "!t = !pto.tile_buf<vec, 8x64x$E, valid=?x?>\n"
    "func.func @k(%%in: !pto.ptr<$E>, %%out: !pto.ptr<$E>, %%sr: index, %%sc: index, %%dr: index, "
    "%%dc: index) {\n"
    "  %%c0 = arith.constant 0 : index\n"
    "  %%c1 = arith.constant 1 : index\n"
    "  %%rows = arith.constant 8 : index\n"
    "  %%cols = arith.constant 64 : index\n"
    "  %%s = arith.constant 1$Z : $E\n"
    "  %%iv = pto.make_tensor_view %%in, shape = [%%rows, %%cols], strides = [%%cols, %%c1] : "
    "!pto.tensor_view<8x64x$E>\n"
    "  %%ip = pto.partition_view %%iv, offsets = [%%c0, %%c0], sizes = [%%sr, %%sc] : "
    "!pto.tensor_view<8x64x$E> -> !pto.partition_tensor_view<?x?x$E>\n"
    "  %%ov = pto.make_tensor_view %%out, shape = [%%rows, %%cols], strides = [%%cols, %%c1] : "
    "!pto.tensor_view<8x64x$E>\n"
    "  %%op = pto.partition_view %%ov, offsets = [%%c0, %%c0], sizes = [%%dr, %%dc] : "
    "!pto.tensor_view<8x64x$E> -> !pto.partition_tensor_view<?x?x$E>\n"
    "%s"
    "  pto.tload ins(%%ip : !pto.partition_tensor_view<?x?x$E>) outs(%%a : !t)\n"
    "  pto.$I ins(%%a, %%s : !t, $E) outs(%%b : !t)\n"
    "  pto.tstore ins(%%b : !t) outs(%%op : !pto.partition_tensor_view<?x?x$E>)\n"
    "  return\n"
    "}\n";

static const char by_operands[] = "  %a = pto.alloc_tile valid_row = %sr valid_col = %sc : !t\n"
                                  "  %b = pto.alloc_tile valid_row = %dr valid_col = %dc : !t\n";

static const char by_set_validshape[] =
    "  %a = pto.alloc_tile valid_row = %rows valid_col = %cols : !t\n"
    "  %b = pto.alloc_tile valid_row = %rows valid_col = %cols : !t\n"
    "  pto.set_validshape %a, %sr, %sc : !t\n"
    "  pto.set_validshape %b, %dr, %dc : !t\n";

/* The program for an instruction and element type, with one way to set the extents. */
static Text make_program(const char *inst, const char *elem, const char *extents) {
    Text with_extents = {0}, out = {0};
    text_add(&with_extents, program, extents);
    for (const char *s = with_extents.s; *s != '\0'; s++) {
        if (*s != '$')
            text_add(&out, "%c", *s);
        else if (*++s == 'E')
            text_add(&out, "%s", elem);
        else if (*s == 'I')
            text_add(&out, "%s", inst);
        else
            text_add(&out, "%s", elem[0] == 'f' ? ".0" : "");
    }
    text_free(&with_extents);
    return out;
}

typedef int (*Kernel)(void *, void *, int64_t, int64_t, int64_t, int64_t);

static Kernel kernel_of(const Built *b) {
    void *symbol = built_function(b, "k");
    Kernel k;
    memcpy(&k, &symbol, sizeof k);
    return k;
}

static void expect_failure(Kernel k, const int64_t v[4], const char *where) {
    static int32_t in[8 * 64], out[8 * 64];
    assert_int_not_equal(k(in, out, v[0], v[1], v[2], v[3]), 0);
    if (strstr(last_error(), where) == NULL)
        fail_msg("the error does not name %s: %s", where, last_error());
}

/* Equal extents pass; rows that differ fail unless `rows_may_differ`; columns that differ fail. */
static void check_valid(const char *inst, const char *elem, const char *profile,
                        bool rows_may_differ) {
    static const char *const ways[] = {by_operands, by_set_validshape};
    static int32_t in[8 * 64], out[8 * 64];
    for (size_t w = 0; w < 2; w++) {
        Text text = make_program(inst, elem, ways[w]);
        char where[64], name[32];
        snprintf(name, sizeof name, "  pto.%s ", inst);
        snprintf(where, sizeof where, "conditions.pto:%d:", line_of(text.s, name));
        Built b;
        build_text(&b, "conditions", text.s, profile);
        Kernel k = kernel_of(&b);
        assert_int_equal(k(in, out, 8, 64, 8, 64), 0);
        assert_int_equal(k(in, out, 5, 17, 5, 17), 0);
        assert_int_equal(k(in, out, 0, 64, 0, 64), 0);
        if (rows_may_differ)
            assert_int_equal(k(in, out, 4, 17, 5, 17), 0);
        else
            expect_failure(k, (const int64_t[]){4, 17, 5, 17}, where);
        expect_failure(k, (const int64_t[]){5, 17, 5, 16}, where);
        built_free(&b);
        text_free(&text);
    }
}

static void test_tadds_a2a3_valid(void **state) {
    (void)state;
    check_valid("tadds", "f32", "a2a3", false);
}

static void test_tadds_a5_valid(void **state) {
    (void)state;
    check_valid("tadds", "f32", "a5", true);
}

static void test_tands_valid(void **state) {
    (void)state;
    check_valid("tands", "i16", "a2a3", false);
    check_valid("tands", "i32", "a5", false);
}

static void test_txors_valid(void **state) {
    (void)state;
    check_valid("txors", "i16", "a2a3", false);
    check_valid("txors", "i32", "a5", false);
}

/* A packed pair counts as two. */
static const char pairs[] =
    "!s = !pto.tile_buf<vec, 8x64xbf16, valid=?x?>\n"
    "!d = !pto.tile_buf<vec, 8x32x!pto.f4E1M2x2, valid=?x?>\n"
    "func.func @k(%in: !pto.ptr<f32>, %out: !pto.ptr<f32>, %sr: index, %sc: index, %dr: index, "
    "%dc: index) {\n"
    "  %a = pto.alloc_tile valid_row = %sr valid_col = %sc : !s\n"
    "  %b = pto.alloc_tile valid_row = %dr valid_col = %dc : !d\n"
    "  pto.tcvt ins(%a : !s) outs(%b : !d)\n"
    "  return\n"
    "}\n";

static void test_tcvt_valid(void **state) {
    (void)state;
    static int32_t in[8 * 64], out[8 * 64];
    Built b;
    build_text(&b, "pairs", pairs, "a5");
    Kernel k = kernel_of(&b);
    assert_int_equal(k(in, out, 8, 64, 8, 32), 0);
    assert_int_equal(k(in, out, 3, 10, 3, 5), 0);
    expect_failure(k, (const int64_t[]){3, 10, 3, 10}, "pairs.pto:6:");
    expect_failure(k, (const int64_t[]){4, 10, 3, 5}, "pairs.pto:6:");
    expect_failure(k, (const int64_t[]){4, 9, 4, 5}, "pairs.pto:6:");
    built_free(&b);
}

/* Valid extents above the shape are an error in every build, at the line that sets them. */
static void test_valid_above_shape(void **state) {
    (void)state;
    Text text = make_program("tadds", "f32", by_set_validshape);
    char where[64];
    snprintf(where, sizeof where, "conditions.pto:%d:", line_of(text.s, "set_validshape %a"));
    Built b;
    build_text(&b, "conditions", text.s, NULL);
    Kernel k = kernel_of(&b);
    expect_failure(k, (const int64_t[]){9, 64, 9, 64}, where);
    expect_failure(k, (const int64_t[]){8, 65, 8, 65}, where);
    expect_failure(k, (const int64_t[]){-1, 64, -1, 64}, where);
    built_free(&b);
    text_free(&text);
}

/* Ways to two tiles of which only run time knows whether they are one: the first argument of each
 * entry decides. */
static const char overlaps[] =
    "!t = !pto.tile_buf<vec, 16x16xi16>\n"
    "func.func private @mask(%src: !t, %dst: !t, %s: i16) {\n"
    "  pto.tands ins(%src, %s : !t, i16) outs(%dst : !t) // in @mask\n"
    "  return\n"
    "}\n"
    "func.func @selected(%same: i1, %s: i16) {\n"
    "  %t = pto.alloc_tile : !t\n"
    "  %u = pto.alloc_tile : !t\n"
    "  pto.texpands ins(%s : i16) outs(%t : !t)\n"
    "  %x = arith.select %same, %u, %t : !t\n"
    "  pto.tands ins(%x, %s : !t, i16) outs(%u : !t) // in @selected\n"
    "  return\n"
    "}\n"
    "func.func @called(%same: i1, %s: i16) {\n"
    "  %t = pto.alloc_tile : !t\n"
    "  %u = pto.alloc_tile : !t\n"
    "  pto.texpands ins(%s : i16) outs(%t : !t)\n"
    "  %x = arith.select %same, %u, %t : !t\n"
    "  func.call @mask(%x, %u, %s) : (!t, !t, i16) -> ()\n"
    "  return\n"
    "}\n"
    "func.func @carried(%again: i1, %s: i16) {\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %c1 = arith.constant 1 : index\n"
    "  %c2 = arith.constant 2 : index\n"
    "  %n = arith.select %again, %c2, %c1 : index\n"
    "  %t = pto.alloc_tile : !t\n"
    "  pto.texpands ins(%s : i16) outs(%t : !t)\n"
    "  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %t) -> (!t) {\n"
    "    %u = pto.alloc_tile : !t\n"
    "    pto.tands ins(%x, %s : !t, i16) outs(%u : !t) // in @carried\n"
    "    scf.yield %u : !t\n"
    "  }\n"
    "  return\n"
    "}\n"
    "func.func @joined(%same: i1, %s: i16) {\n"
    "  %t = pto.alloc_tile : !t\n"
    "  %u = pto.alloc_tile : !t\n"
    "  pto.texpands ins(%s : i16) outs(%t : !t)\n"
    "  cf.cond_br %same, ^end(%u : !t), ^end(%t : !t)\n"
    "^end(%x: !t):\n"
    "  %tmp = pto.alloc_tile : !t\n"
    "  pto.txors ins(%x, %s, %tmp : !t, i16, !t) outs(%u : !t) // in @joined\n"
    "  return\n"
    "}\n";

static void test_overlaps(void **state) {
    (void)state;
    static const char *const entries[] = {"selected", "called", "carried", "joined"};
    Built b;
    build_text(&b, "overlaps", overlaps, "a2a3");
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        char where[64], mark[64];
        int (*entry)(bool, int16_t);
        void *symbol = built_function(&b, entries[i]);
        memcpy(&entry, &symbol, sizeof entry);
        snprintf(mark, sizeof mark, "// in @%s",
                 strcmp(entries[i], "called") == 0 ? "mask" : entries[i]);
        snprintf(where, sizeof where, "overlaps.pto:%d:", line_of(overlaps, mark));
        assert_int_equal(entry(false, 7), 0);
        assert_int_not_equal(entry(true, 7), 0);
        if (strstr(last_error(), where) == NULL)
            fail_msg("the error does not name %s: %s", where, last_error());
    }
    built_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tadds_a2a3_valid), cmocka_unit_test(test_tadds_a5_valid),
        cmocka_unit_test(test_tands_valid),      cmocka_unit_test(test_txors_valid),
        cmocka_unit_test(test_tcvt_valid),       cmocka_unit_test(test_valid_above_shape),
        cmocka_unit_test(test_overlaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
