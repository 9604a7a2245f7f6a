/* SPDX-License-Identifier: Apache-2.0 */
/* pto.tfillpad and its variants: element types, pad values, valid regions, layouts, the matrix
 * memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call.h"
#include "frame.h"
#include <stdio.h>
#include <stdlib.h>

enum { TILE = FRAME_ROWS * FRAME_COLS };

static void add_function(Text *text, const char *name, const ElemType *t, const int valid[4],
                         int pad) {
    frame_add(text, &(Frame){.name = name,
                             .src = t,
                             .dst = t,
                             .src_vrow = valid[0],
                             .src_vcol = valid[1],
                             .dst_vrow = valid[2],
                             .dst_vcol = valid[3],
                             .pad = pad,
                             .params = "",
                             .statement = "pto.tfillpad ins(%src : $s) outs(%dst : $d)"});
}

static int check_function(const Built *b, const char *name, const ElemType *t, const int valid[4],
                          int pad) {
    unsigned char in[TILE * 4], out[TILE * 4], before[TILE * 4];
    fill_random(t, in, TILE, 4);
    fill_random(t, before, TILE, 5);
    memcpy(out, before, sizeof out);
    int rc = call_pp(b, name, in, out), wrong = rc != 0;
    if (rc != 0) print_error("%s: %s\n", name, last_error());
    bool empty = valid[2] == 0 || valid[3] == 0;
    for (int i = 0; rc == 0 && i < TILE; i++) {
        size_t at = (size_t)i;
        bool copied = i / FRAME_COLS < valid[0] && i % FRAME_COLS < valid[1];
        uint32_t want = empty    ? elem_get(t, before, at)
                        : copied ? elem_get(t, in, at)
                                 : elem_pad(t, pad);
        if (elem_get(t, out, at) != want && wrong++ == 0)
            print_error("%s: wrong at (%d, %d)\n", name, i / FRAME_COLS, i % FRAME_COLS);
    }
    return wrong;
}

static void test_tfillpad_types(void **state) {
    (void)state;
    static const int valid[4] = {5, 37, FRAME_ROWS, FRAME_COLS};
    static const char *const profiles[] = {"a2a3", "a5", "cpu"};
    Text text = {0};
    char name[64];
    for (const ElemType *t = all_types; t->text != NULL; t++)
        for (int pad = 1; pad <= 3; pad++) {
            snprintf(name, sizeof name, "%s_%d", t->text, pad);
            add_function(&text, name, t, valid, pad);
        }
    int wrong = 0;
    for (size_t p = 0; p < 3; p++) {
        Built b;
        build_text(&b, "types", text.s, profiles[p]);
        for (const ElemType *t = all_types; t->text != NULL; t++)
            for (int pad = 1; pad <= 3; pad++) {
                snprintf(name, sizeof name, "%s_%d", t->text, pad);
                wrong += check_function(&b, name, t, valid, pad);
            }
        built_free(&b);
    }
    text_free(&text);
    assert_int_equal(wrong, 0);
}

static void check_regions(const int (*valid)[4], int n) {
    const ElemType *t = elem_named("f32");
    Text text = {0};
    char name[64];
    for (int r = 0; r < n; r++) {
        snprintf(name, sizeof name, "r%d", r);
        add_function(&text, name, t, valid[r], 1 + r % 3);
    }
    Built b;
    build_text(&b, "regions", text.s, NULL);
    int wrong = 0;
    for (int r = 0; r < n; r++) {
        snprintf(name, sizeof name, "r%d", r);
        wrong += check_function(&b, name, t, valid[r], 1 + r % 3);
    }
    built_free(&b);
    text_free(&text);
    assert_int_equal(wrong, 0);
}

static void test_tfillpad_valid_regions(void **state) {
    (void)state;
    static const int valid[][4] = {{8, 64, 8, 64}, {1, 1, 8, 64},  {0, 0, 8, 64},
                                   {8, 1, 8, 64},  {1, 64, 8, 64}, {7, 63, 8, 64}};
    check_regions(valid, 6);
}

/* All of dst's shape is written, whatever its valid region; an empty one switches the instruction
 * off. */
static void test_tfillpad_whole_tile(void **state) {
    (void)state;
    static const int valid[][4] = {{3, 9, 3, 9}, {3, 9, 5, 20}, {3, 9, 0, 64}, {3, 9, 8, 0}};
    check_regions(valid, 4);
}

static const char wider[] =
    "func.func @wider(%in: !pto.ptr<i16>, %out: !pto.ptr<i16>) {\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %c1 = arith.constant 1 : index\n"
    "  %r = arith.constant 3 : index\n"
    "  %c = arith.constant 16 : index\n"
    "  %rows = arith.constant 6 : index\n"
    "  %cols = arith.constant 48 : index\n"
    "  %iv = pto.make_tensor_view %in, shape = [%r, %c], strides = [%c, %c1] : "
    "!pto.tensor_view<3x16xi16>\n"
    "  %ip = pto.partition_view %iv, offsets = [%c0, %c0], sizes = [%r, %c] : "
    "!pto.tensor_view<3x16xi16> -> !pto.partition_tensor_view<3x16xi16>\n"
    "  %ov = pto.make_tensor_view %out, shape = [%rows, %cols], strides = [%cols, %c1] : "
    "!pto.tensor_view<6x48xi16>\n"
    "  %op = pto.partition_view %ov, offsets = [%c0, %c0], sizes = [%rows, %cols] : "
    "!pto.tensor_view<6x48xi16> -> !pto.partition_tensor_view<6x48xi16>\n"
    "  %s = pto.alloc_tile : !pto.tile_buf<vec, 4x16xi16, valid=3x16>\n"
    "  %d = pto.alloc_tile : !pto.tile_buf<vec, 6x48xi16, pad=2>\n"
    "  pto.tload ins(%ip : !pto.partition_tensor_view<3x16xi16>) outs(%s : "
    "!pto.tile_buf<vec, 4x16xi16, valid=3x16>)\n"
    "  pto.tfillpad_expand ins(%s : !pto.tile_buf<vec, 4x16xi16, valid=3x16>) outs(%d : "
    "!pto.tile_buf<vec, 6x48xi16, pad=2>)\n"
    "  pto.tstore ins(%d : !pto.tile_buf<vec, 6x48xi16, pad=2>) outs(%op : "
    "!pto.partition_tensor_view<6x48xi16>)\n"
    "  return\n"
    "}\n";

static void test_tfillpad_expand(void **state) {
    (void)state;
    Built b;
    build_text(&b, "wider", wider, NULL);
    int16_t in[3 * 16], out[6 * 48];
    fill_random(elem_named("i16"), in, 3 * 16, 6);
    assert_int_equal(call_pp(&b, "wider", in, out), 0);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 48; j++)
            assert_int_equal(out[i * 48 + j], i < 3 && j < 16 ? in[i * 16 + j] : INT16_MAX);
    built_free(&b);
}

/* One storage, another way to name it: data stay, the rest is padded. */
static void test_tfillpad_inplace(void **state) {
    (void)state;
    const ElemType *t = elem_named("f16");
    Text text = {0};
    frame_add(&text,
              &(Frame){.name = "f",
                       .src = t,
                       .dst = t,
                       .src_vrow = 3,
                       .src_vcol = 10,
                       .dst_vrow = 8,
                       .dst_vcol = 64,
                       .pad = 3,
                       .params = "",
                       .statement = "%low = pto.alloc_tile addr = %dst_addr : $s\n"
                                    "  pto.tfillpad_inplace ins(%low : $s) outs(%dst : $d)"});
    Built b;
    build_text(&b, "inplace", text.s, NULL);
    uint16_t in[TILE] = {0}, out[TILE], before[TILE];
    fill_random(t, before, TILE, 7);
    memcpy(out, before, sizeof out);
    assert_int_equal(call_pp(&b, "f", in, out), 0);
    for (int i = 0; i < TILE; i++)
        assert_int_equal(out[i], i / FRAME_COLS < 3 && i % FRAME_COLS < 10 ? before[i] : 0xFC00);
    built_free(&b);
    text_free(&text);
}

/* The page's second example, read back whole: the tile is in NZ layout, boxes of 16x8 elements, one
 * after the other along the columns. */
static const char matrix[] =
    "!valid = !pto.tile_buf<mat, 16x256xf32, valid=1x224, blayout=col_major, slayout=row_major>\n"
    "!all = !pto.tile_buf<mat, 16x256xf32, blayout=col_major, slayout=row_major>\n"
    "func.func @matrix(%in: !pto.ptr<f32>, %out: !pto.ptr<f32>) {\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %c1 = arith.constant 1 : index\n"
    "  %c8 = arith.constant 8 : index\n"
    "  %c16 = arith.constant 16 : index\n"
    "  %c32 = arith.constant 32 : index\n"
    "  %c128 = arith.constant 128 : index\n"
    "  %c256 = arith.constant 256 : index\n"
    "  %c4096 = arith.constant 4096 : index\n"
    "  %addr = arith.constant 0x400 : i64\n"
    "  %iv = pto.make_tensor_view %in, shape = [%c16, %c256], strides = [%c256, %c1] : "
    "!pto.tensor_view<16x256xf32>\n"
    "  %ip = pto.partition_view %iv, offsets = [%c0, %c0], sizes = [%c16, %c256] : "
    "!pto.tensor_view<16x256xf32> -> !pto.partition_tensor_view<16x256xf32>\n"
    "  %ov = pto.make_tensor_view %out, shape = [%c1, %c32, %c1, %c16, %c8], strides = [%c4096, "
    "%c128, "
    "%c128, %c8, %c1] {layout = #pto.layout<nz>} : !pto.tensor_view<1x32x1x16x8xf32>\n"
    "  %op = pto.partition_view %ov, offsets = [%c0, %c0, %c0, %c0, %c0], sizes = [%c1, %c32, %c1, "
    "%c16, "
    "%c8] : !pto.tensor_view<1x32x1x16x8xf32> -> !pto.partition_tensor_view<1x32x1x16x8xf32>\n"
    "  %t = pto.alloc_tile addr = %addr : !valid\n"
    "  %a = pto.alloc_tile addr = %addr : !all\n"
    "  pto.tload ins(%ip : !pto.partition_tensor_view<16x256xf32>) outs(%a : !all)\n"
    "  pto.tfillpad ins(%t : !valid) outs(%t : !valid)\n"
    "  pto.tstore ins(%a : !all) outs(%op : !pto.partition_tensor_view<1x32x1x16x8xf32>)\n"
    "  return\n"
    "}\n";

static void test_tfillpad_mat(void **state) {
    (void)state;
    static float in[16 * 256], out[16 * 256];
    Built b;
    build_text(&b, "matrix", matrix, NULL);
    for (int i = 0; i < 16 * 256; i++)
        in[i] = (float)(i + 1);
    assert_int_equal(call_pp(&b, "matrix", in, out), 0);
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 256; j++) {
            float got = out[j / 8 * 128 + i * 8 + j % 8];
            assert_true(got == (i < 1 && j < 224 ? in[i * 256 + j] : 0.0f));
        }
    built_free(&b);
}

/* Column-major tiles take the general layout path: loaded from and stored to column-major views. */
static const char columns[] =
    "!src = !pto.tile_buf<vec, 16x8xf32, valid=11x5, blayout=col_major>\n"
    "!dst = !pto.tile_buf<vec, 16x8xf32, blayout=col_major, pad=3>\n"
    "func.func @columns(%in: !pto.ptr<f32>, %out: !pto.ptr<f32>) {\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %c1 = arith.constant 1 : index\n"
    "  %r = arith.constant 11 : index\n"
    "  %c = arith.constant 5 : index\n"
    "  %rows = arith.constant 16 : index\n"
    "  %cols = arith.constant 8 : index\n"
    "  %iv = pto.make_tensor_view %in, shape = [%r, %c], strides = [%c1, %r] {layout = "
    "#pto.layout<dn>} : "
    "!pto.tensor_view<11x5xf32>\n"
    "  %ip = pto.partition_view %iv, offsets = [%c0, %c0], sizes = [%r, %c] : "
    "!pto.tensor_view<11x5xf32> -> !pto.partition_tensor_view<11x5xf32>\n"
    "  %ov = pto.make_tensor_view %out, shape = [%rows, %cols], strides = [%c1, %rows] {layout = "
    "#pto.layout<dn>} : !pto.tensor_view<16x8xf32>\n"
    "  %op = pto.partition_view %ov, offsets = [%c0, %c0], sizes = [%rows, %cols] : "
    "!pto.tensor_view<16x8xf32> -> !pto.partition_tensor_view<16x8xf32>\n"
    "  %s = pto.alloc_tile : !src\n"
    "  %d = pto.alloc_tile : !dst\n"
    "  pto.tload ins(%ip : !pto.partition_tensor_view<11x5xf32>) outs(%s : !src)\n"
    "  pto.tfillpad ins(%s : !src) outs(%d : !dst)\n"
    "  pto.tstore ins(%d : !dst) outs(%op : !pto.partition_tensor_view<16x8xf32>)\n"
    "  return\n"
    "}\n";

static void test_tfillpad_columns(void **state) {
    (void)state;
    float in[11 * 5], out[16 * 8];
    Built b;
    build_text(&b, "columns", columns, NULL);
    for (int i = 0; i < 11 * 5; i++)
        in[i] = (float)i;
    assert_int_equal(call_pp(&b, "columns", in, out), 0);
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 8; j++) {
            float got = out[j * 16 + i];
            assert_true(i < 11 && j < 5 ? got == in[j * 11 + i] : got < -3.4e38f);
        }
    built_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tfillpad_types),      cmocka_unit_test(test_tfillpad_valid_regions),
        cmocka_unit_test(test_tfillpad_whole_tile), cmocka_unit_test(test_tfillpad_expand),
        cmocka_unit_test(test_tfillpad_inplace),    cmocka_unit_test(test_tfillpad_mat),
        cmocka_unit_test(test_tfillpad_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
