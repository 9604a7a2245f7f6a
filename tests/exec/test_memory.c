/* SPDX-License-Identifier: Apache-2.0 */
/* On-chip memory is memory: bound addresses are honoured, tiles that share bytes alias, nothing but
 * the destination changes, and planning keeps apart what must not overlap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call.h"
#include <stdio.h>
#include <string.h>

enum { N = 16 * 32 };

/* Constants and views over %in and %out, 16x32 elements each. `$E` is the element type. */
static const char views[] =
    "  %c0 = arith.constant 0 : index\n"
    "  %c1 = arith.constant 1 : index\n"
    "  %rows = arith.constant 16 : index\n"
    "  %cols = arith.constant 32 : index\n"
    "  %iv = pto.make_tensor_view %in, shape = [%rows, %cols], strides = [%cols, %c1] : "
    "!pto.tensor_view<16x32x$E>\n"
    "  %ip = pto.partition_view %iv, offsets = [%c0, %c0], sizes = [%rows, %cols] : "
    "!pto.tensor_view<16x32x$E> -> !pto.partition_tensor_view<16x32x$E>\n"
    "  %ov = pto.make_tensor_view %out, shape = [%rows, %cols], strides = [%cols, %c1] : "
    "!pto.tensor_view<16x32x$E>\n"
    "  %op = pto.partition_view %ov, offsets = [%c0, %c0], sizes = [%rows, %cols] : "
    "!pto.tensor_view<16x32x$E> -> !pto.partition_tensor_view<16x32x$E>\n";

/* `@k(%in, %out)` with the views and `body`, `$E` replaced. */
static void add_kernel(Text *t, const char *elem, const char *body) {
    const char *parts[] = {"func.func @k(%in: !pto.ptr<$E>, %out: !pto.ptr<$E>) {\n", views, body,
                           "  return\n}\n"};
    for (size_t p = 0; p < 4; p++)
        for (const char *s = parts[p]; *s != '\0'; s++) {
            if (s[0] == '$' && s[1] == 'E')
                text_add(t, "%s", (s++, elem));
            else
                text_add(t, "%c", *s);
        }
}

/* Builds and runs @k; in and out have N elements. */
static void run_kernel(const char *elem, const char *body, const char *profile, void *in,
                       void *out) {
    Text text = {0};
    add_kernel(&text, elem, body);
    Built b;
    build_text(&b, "k", text.s, profile);
    if (call_pp(&b, "k", in, out) != 0) fail_msg("%s\n%s", last_error(), text.s);
    built_free(&b);
    text_free(&text);
}

/* ---- the pages' manual mode: tassign with an address literal, in the SSA form ---- */

/* The source is at 0x1000 and the result at 0x2000: read back through tiles allocated there. */
#define PROBES                                                                                     \
    "  %pa = arith.constant 0x1000 : i64\n"                                                        \
    "  %pb = arith.constant 0x2000 : i64\n"                                                        \
    "  %probe = pto.alloc_tile addr = %pb : !pto.tile_buf<vec, 16x32x$E>\n"                        \
    "  pto.tstore ins(%probe : !pto.tile_buf<vec, 16x32x$E>) outs(%op : "                          \
    "!pto.partition_tensor_view<16x32x$E>)\n"
#define LOADED                                                                                     \
    "  %src = pto.tload %ip : !pto.partition_tensor_view<16x32x$E> -> !pto.tile<16x32x$E>\n"       \
    "  pto.tassign %src, @tile(0x1000)\n"

static void test_manual_tadds(void **state) {
    (void)state;
    float in[N], out[N];
    for (int i = 0; i < N; i++)
        in[i] = (float)i;
    run_kernel("f32",
               "  %s = arith.constant 1.0 : f32\n" LOADED
               "  %dst = pto.tadds %src, %s : (!pto.tile<16x32xf32>, f32) -> !pto.tile<16x32xf32>\n"
               "  pto.tassign %dst, @tile(0x2000)\n" PROBES,
               NULL, in, out);
    for (int i = 0; i < N; i++)
        assert_true(out[i] == (float)i + 1.0f);
}

static void test_manual_tands(void **state) {
    (void)state;
    uint16_t in[N], out[N];
    fill_random(elem_named("ui16"), in, N, 41);
    run_kernel(
        "ui16",
        "  %s = arith.constant 0xff : i16\n" LOADED
        "  %dst = pto.tands %src, %s : (!pto.tile<16x32xui16>, i16) -> !pto.tile<16x32xui16>\n"
        "  pto.tassign %dst, @tile(0x2000)\n" PROBES,
        NULL, in, out);
    for (int i = 0; i < N; i++)
        assert_int_equal(out[i], in[i] & 0xff);
}

static void test_manual_txors(void **state) {
    (void)state;
    uint16_t in[N], out[N];
    fill_random(elem_named("ui16"), in, N, 42);
    run_kernel(
        "ui16",
        "  %s = arith.constant 0x55 : i16\n" LOADED
        "  %dst = pto.txors %src, %s : (!pto.tile<16x32xui16>, i16) -> !pto.tile<16x32xui16>\n"
        "  pto.tassign %dst, @tile(0x2000)\n" PROBES,
        NULL, in, out);
    for (int i = 0; i < N; i++)
        assert_int_equal(out[i], in[i] ^ 0x55);
}

static void test_manual_tfillpad(void **state) {
    (void)state;
    float in[N], out[N];
    for (int i = 0; i < N; i++)
        in[i] = (float)i;
    run_kernel("f32",
               "  %half = arith.constant 8 : index\n"
               "  %hp = pto.partition_view %iv, offsets = [%c0, %c0], sizes = [%half, %cols] : "
               "!pto.tensor_view<16x32xf32> -> !pto.partition_tensor_view<8x32xf32>\n"
               "  %src = pto.tload %hp : !pto.partition_tensor_view<8x32xf32> -> "
               "!pto.tile<vec, 16x32xf32, valid=8x32>\n"
               "  pto.tassign %src, @tile(0x1000)\n"
               "  %dst = pto.tfillpad %src : !pto.tile<vec, 16x32xf32, valid=8x32> -> "
               "!pto.tile<vec, 16x32xf32, pad=1>\n"
               "  pto.tassign %dst, @tile(0x2000)\n" PROBES,
               NULL, in, out);
    for (int i = 0; i < N; i++)
        assert_true(out[i] == (i < N / 2 ? (float)i : 0.0f));
}

static void test_manual_ttri(void **state) {
    (void)state;
    float in[N] = {0}, out[N];
    run_kernel("f32",
               LOADED
               "  %dst = pto.ttri %src, %src : (!pto.tile<16x32xf32>, !pto.tile<16x32xf32>) -> "
               "!pto.tile<16x32xf32>\n"
               "  pto.tassign %dst, @tile(0x2000)\n" PROBES,
               NULL, in, out);
    for (int i = 0; i < N; i++)
        assert_true(out[i] == (i % 32 <= i / 32 ? 1.0f : 0.0f));
}

/* ---- aliasing at level 3 ---- */

/* A column tile of 16 rows is read back as a row tile of 16 columns at the same address. */
static const char column_as_row[] =
    "func.func @k(%in: !pto.ptr<f32>, %out: !pto.ptr<f32>) {\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %c1 = arith.constant 1 : index\n"
    "  %n = arith.constant 16 : index\n"
    "  %addr = arith.constant 0x660 : i64\n"
    "  %iv = pto.make_tensor_view %in, shape = [%n, %c1], strides = [%c1, %n] {layout = "
    "#pto.layout<dn>} : !pto.tensor_view<16x1xf32>\n"
    "  %ip = pto.partition_view %iv, offsets = [%c0, %c0], sizes = [%n, %c1] : "
    "!pto.tensor_view<16x1xf32> -> !pto.partition_tensor_view<16x1xf32>\n"
    "  %ov = pto.make_tensor_view %out, shape = [%c1, %n], strides = [%n, %c1] : "
    "!pto.tensor_view<1x16xf32>\n"
    "  %op = pto.partition_view %ov, offsets = [%c0, %c0], sizes = [%c1, %n] : "
    "!pto.tensor_view<1x16xf32> -> !pto.partition_tensor_view<1x16xf32>\n"
    "  %one = arith.constant 1.0 : f32\n"
    "  %column = pto.alloc_tile addr = %addr : !pto.tile_buf<vec, 16x1xf32, blayout=col_major>\n"
    "  %row = pto.alloc_tile addr = %addr : !pto.tile_buf<vec, 1x16xf32>\n"
    "  pto.tload ins(%ip : !pto.partition_tensor_view<16x1xf32>) outs(%column : "
    "!pto.tile_buf<vec, 16x1xf32, blayout=col_major>)\n"
    "  pto.tadds ins(%row, %one : !pto.tile_buf<vec, 1x16xf32>, f32) outs(%row : "
    "!pto.tile_buf<vec, 1x16xf32>)\n"
    "  pto.tstore ins(%row : !pto.tile_buf<vec, 1x16xf32>) outs(%op : "
    "!pto.partition_tensor_view<1x16xf32>)\n"
    "  return\n"
    "}\n";

static void check_column_as_row(const char *compiler) {
    float in[16], out[16];
    for (int i = 0; i < 16; i++)
        in[i] = (float)(i * i);
    Built b;
    build_text_with(&b, "alias", column_as_row, NULL, compiler);
    assert_int_equal(call_pp(&b, "k", in, out), 0);
    for (int i = 0; i < 16; i++)
        assert_true(out[i] == in[i] + 1.0f);
    built_free(&b);
}

static void test_column_read_as_row(void **state) {
    (void)state;
    check_column_as_row("cc -O1");
    check_column_as_row("gcc -O3 -flto");
    check_column_as_row("clang -O3 -flto");
}

/* ---- effects ---- */

/* Neighbours of the destination and the source itself keep their bytes: the three tiles lie side by
 * side, and %out gets all of them but the middle one. */
static void test_only_destination_changes(void **state) {
    (void)state;
    static const char *const statements[] = {
        "  pto.tadds ins(%src, %s : !t, i16) outs(%dst : !t)\n",
        "  pto.tands ins(%src, %s : !t, i16) outs(%dst : !t)\n",
        "  pto.txors ins(%src, %s, %tmp : !t, i16, !t) outs(%dst : !t)\n",
        "  pto.ttri ins(%d : i32) outs(%dst : !t)\n",
        "  pto.tfillpad ins(%src : !t) outs(%padded : !p)\n",
    };
    /* 4x32 tiles, 256 bytes each: source, destination, neighbour; the scratch tile is elsewhere. */
    static const char head[] = "!t = !pto.tile_buf<vec, 4x32xi16>\n"
                               "!p = !pto.tile_buf<vec, 4x32xi16, pad=2>\n"
                               "!all = !pto.tile_buf<vec, 16x32xi16>\n";
    static const char before[] =
        "  %s = arith.constant 3 : i16\n"
        "  %d = arith.constant 0 : i32\n"
        "  %a0 = arith.constant 0x400 : i64\n"
        "  %a1 = arith.constant 0x500 : i64\n"
        "  %a2 = arith.constant 0x2000 : i64\n"
        "  %whole = pto.alloc_tile addr = %a0 : !all\n"
        "  %src = pto.alloc_tile addr = %a0 : !t\n"
        "  %dst = pto.alloc_tile addr = %a1 : !t\n"
        "  %padded = pto.alloc_tile addr = %a1 : !p\n"
        "  %tmp = pto.alloc_tile addr = %a2 : !t\n"
        "  pto.tload ins(%ip : !pto.partition_tensor_view<16x32xi16>) outs(%whole : !all)\n";
    static const char after[] =
        "  pto.tstore ins(%whole : !all) outs(%op : !pto.partition_tensor_view<16x32xi16>)\n";
    for (size_t k = 0; k < sizeof statements / sizeof *statements; k++) {
        int16_t in[N], out[N];
        fill_random(elem_named("i16"), in, N, 51);
        Text body = {0}, text = {0};
        text_add(&body, "%s%s%s", before, statements[k], after);
        text_add(&text, "%s", head);
        add_kernel(&text, "i16", body.s);
        Built b;
        build_text(&b, "effects", text.s, NULL);
        assert_int_equal(call_pp(&b, "k", in, out), 0);
        /* Elements 128..255 are the destination. */
        assert_memory_equal(out, in, 128 * sizeof *in);
        assert_memory_equal(out + 256, in + 256, (N - 256) * sizeof *in);
        built_free(&b);
        text_free(&body);
        text_free(&text);
    }
}

/* ---- planning ---- */

/* Without a scratch tile in the text one is planned, apart from source and destination, also next
 * to tiles that the program places itself. */
static void test_txors_implicit_tmp(void **state) {
    (void)state;
    static const char *const profiles[] = {"a2a3", "a5", "cpu"};
    static const char placed[] =
        "  %s = arith.constant 0x0ff0 : i16\n"
        "  %a0 = arith.constant 0 : i64\n"
        "  %a1 = arith.constant 0x400 : i64\n"
        "  %src = pto.alloc_tile addr = %a0 : !pto.tile_buf<vec, 16x32xi16>\n"
        "  %dst = pto.alloc_tile addr = %a1 : !pto.tile_buf<vec, 16x32xi16>\n";
    static const char planned[] = "  %s = arith.constant 0x0ff0 : i16\n"
                                  "  %src = pto.alloc_tile : !pto.tile_buf<vec, 16x32xi16>\n"
                                  "  %dst = pto.alloc_tile : !pto.tile_buf<vec, 16x32xi16>\n";
    static const char rest[] =
        "  pto.tload ins(%ip : !pto.partition_tensor_view<16x32xi16>) outs(%src : "
        "!pto.tile_buf<vec, 16x32xi16>)\n"
        "  pto.txors ins(%src, %s : !pto.tile_buf<vec, 16x32xi16>, i16) outs(%dst : "
        "!pto.tile_buf<vec, 16x32xi16>)\n"
        "  pto.txors ins(%dst, %s : !pto.tile_buf<vec, 16x32xi16>, i16) outs(%src : "
        "!pto.tile_buf<vec, 16x32xi16>)\n"
        "  pto.tstore ins(%src : !pto.tile_buf<vec, 16x32xi16>) outs(%op : "
        "!pto.partition_tensor_view<16x32xi16>)\n";
    for (size_t p = 0; p < 3; p++)
        for (int level3 = 0; level3 < 2; level3++) {
            int16_t in[N], out[N];
            fill_random(elem_named("i16"), in, N, 61);
            Text body = {0};
            text_add(&body, "%s%s", level3 ? placed : planned, rest);
            run_kernel("i16", body.s, profiles[p], in, out);
            assert_memory_equal(in, out, sizeof in); /* xor twice */
            text_free(&body);
        }
}

/* The SSA form where the source dies in the instruction: its bytes are not the destination's. */
static void test_dying_source_is_apart(void **state) {
    (void)state;
    uint16_t in[N], out[N];
    fill_random(elem_named("ui16"), in, N, 71);
    run_kernel(
        "ui16",
        "  %s = arith.constant 0x3c : i16\n"
        "  %a = pto.tload %ip : !pto.partition_tensor_view<16x32xui16> -> !pto.tile<16x32xui16>\n"
        "  %b = pto.tands %a, %s : (!pto.tile<16x32xui16>, i16) -> !pto.tile<16x32xui16>\n"
        "  %c = pto.txors %b, %s : (!pto.tile<16x32xui16>, i16) -> !pto.tile<16x32xui16>\n"
        "  pto.tstore %c, %op : (!pto.tile<16x32xui16>, !pto.partition_tensor_view<16x32xui16>) "
        "-> ()\n",
        NULL, in, out);
    for (int i = 0; i < N; i++)
        assert_int_equal(out[i], (in[i] & 0x3c) ^ 0x3c);
}

/* Fibonacci's numbers, five iterations of each kind of loop: a sum is needed for two more
 * iterations, and the buffers that it has take turns. The valid region is known at run time only.
 */
static void test_carried_values(void **state) {
    (void)state;
    static const char body[] =
        "  %c5 = arith.constant 5 : index\n"
        "  %in0 = pto.alloc_tile valid_row = %rows valid_col = %cols : $T\n"
        "  pto.tload ins(%ip : !pto.partition_tensor_view<16x32xi32>) outs(%in0 : $T)\n"
        "  %a, %b = scf.for %i = %c0 to %c5 step %c1 iter_args(%x = %in0, %y = %in0) -> ($T, $T) "
        "{\n"
        "    %z = pto.tadd %x, %y : ($T, $T) -> $T\n"
        "    scf.yield %y, %z : $T, $T\n"
        "  }\n"
        "  %c, %d, %n = scf.while (%x = %a, %y = %b, %i = %c0) : ($T, $T, index) -> ($T, $T, "
        "index) "
        "{\n"
        "    %more = arith.cmpi slt, %i, %c5 : index\n"
        "    scf.condition(%more) %x, %y, %i : $T, $T, index\n"
        "  } do {\n"
        "  ^bb0(%x: $T, %y: $T, %i: index):\n"
        "    %z = pto.tadd %x, %y : ($T, $T) -> $T\n"
        "    %j = arith.addi %i, %c1 : index\n"
        "    scf.yield %y, %z, %j : $T, $T, index\n"
        "  }\n"
        "  cf.br ^loop(%c, %d, %c0 : $T, $T, index)\n"
        "^loop(%x: $T, %y: $T, %i: index):\n"
        "  %z = pto.tadd %x, %y : ($T, $T) -> $T\n"
        "  %j = arith.addi %i, %c1 : index\n"
        "  %more = arith.cmpi slt, %j, %c5 : index\n"
        "  cf.cond_br %more, ^loop(%y, %z, %j : $T, $T, index), ^end\n"
        "^end:\n"
        "  pto.tstore ins(%z : $T) outs(%op : !pto.partition_tensor_view<16x32xi32>)\n";
    static const char *const types[] = {"!pto.tile_buf<vec, 16x32xi32>",
                                        "!pto.tile_buf<vec, 16x32xi32, valid=?x?>"};
    enum { FIB17 = 1597 };
    for (size_t t = 0; t < 2; t++) {
        int32_t in[N], out[N];
        Text text = {0};
        for (const char *s = body; *s != '\0'; s++) {
            if (s[0] == '$')
                text_add(&text, "%s", (s++, types[t]));
            else
                text_add(&text, "%c", *s);
        }
        if (t == 0) { /* its extents are in the type */
            char *given = strstr(text.s, "valid_row = %rows valid_col = %cols ");
            memset(given, ' ', strlen("valid_row = %rows valid_col = %cols "));
        }
        fill_random(elem_named("i32"), in, N, 73);
        run_kernel("i32", text.s, "a2a3", in, out);
        for (int i = 0; i < N; i++)
            assert_int_equal((uint32_t)out[i], (uint32_t)in[i] * FIB17);
        text_free(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_manual_tadds),
        cmocka_unit_test(test_manual_tands),
        cmocka_unit_test(test_manual_txors),
        cmocka_unit_test(test_manual_tfillpad),
        cmocka_unit_test(test_manual_ttri),
        cmocka_unit_test(test_column_read_as_row),
        cmocka_unit_test(test_only_destination_changes),
        cmocka_unit_test(test_txors_implicit_tmp),
        cmocka_unit_test(test_dying_source_is_apart),
        cmocka_unit_test(test_carried_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
