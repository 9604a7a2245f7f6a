/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of types and attributes: what they accept, what it means, and where the error of
 * what they reject points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parser/parse.h"

/* Spellings of types, and the canonical text. */
static const struct {
    const char *text, *prints;
} types[] = {
    {"f32", "f32"},
    {"i7", "i7"},
    {"ui16", "ui16"},
    {"dtype", "dtype"},
    {"!pto.hif8", "!pto.hif8"},
    {"!pto.tile<...>", "!pto.tile<...>"},
    {"!pto.tile_buf<...>", "!pto.tile_buf<...>"},
    {"!pto.tile<32x64xf32>", "!pto.tile<vec, 32x64xf32>"},
    {"!pto.tile<f32, 16, 32>", "!pto.tile<vec, 16x32xf32>"},
    {"!pto.tile<half, 16, 32>", "!pto.tile<vec, 16x32xf16>"},
    {"!pto.tile<mat, f32, 16, 32, ColMajor, RowMajor, NZ, Zero>",
     "!pto.tile<mat, 16x32xf32, blayout=col_major, slayout=row_major, pad=1>"},
    {"!pto.tile<loc=vec, f32, 16, 32, 8, ?, RowMajor, NoneBox, None, Invalid>",
     "!pto.tile<vec, 16x32xf32, valid=8x?>"},
    {"!pto.tile_buf<vec, 16x64xf32>", "!pto.tile_buf<vec, 16x64xf32>"},
    {"!pto.tile_buf<vec, 16 x 64 x f32, pad=2, valid=8 x 8>",
     "!pto.tile_buf<vec, 16x64xf32, valid=8x8, pad=2>"},
    {"!pto.tile_buf<vec, 4x4x!pto.f4E2M1x2, valid=?x0>",
     "!pto.tile_buf<vec, 4x4x!pto.f4E2M1x2, valid=?x0>"},
    {"!pto.tile_buf<loc=acc, dtype=f32, rows=16, cols=16, v_row=-1, v_col=?, "
     "blayout=\"col_major\", "
     "slayout=row_major, fractal=1024, pad=0, compact=2>",
     "!pto.tile_buf<acc, 16x16xf32, valid=?x?, blayout=col_major, slayout=row_major, fractal=1024, "
     "compact=2>"},
    {"pto.tile<16x16xi8>", "!pto.tile<vec, 16x16xi8>"},
    {"!pto.multi_tile_buf<vec, 16x16xf16, count=2>",
     "!pto.multi_tile_buf<!pto.tile_buf<vec, 16x16xf16>, count=2>"},
    {"!pto.multi_tile_buf<!pto.tile_buf<vec, 16x16xf16>, count=16>",
     "!pto.multi_tile_buf<!pto.tile_buf<vec, 16x16xf16>, count=16>"},
    {"!pto.ptr<f32>", "!pto.ptr<f32>"},
    {"!pto.ptr<i8, vec>", "!pto.ptr<i8, ub>"},
    {"!pto.tensor_view<?x0x4x!pto.hif8>", "!pto.tensor_view<?x0x4x!pto.hif8>"},
    {"!pto.tensor_view<f32>", "!pto.tensor_view<f32>"},
    {"!pto.tile_view<4xf32>", "!pto.partition_tensor_view<4xf32>"},
    {"!pto.partition_tensor_view<0x16xf32>", "!pto.partition_tensor_view<0x16xf32>"},
    {"!pto.local_array<4x8xf32>", "!pto.local_array<4x8xf32>"},
    {"!pto.struct<f32, i8, !pto.struct<i32>>", "!pto.struct<f32, i8, !pto.struct<i32>>"},
    {"!pto.eventid_array<4>", "!pto.eventid_array<4>"},
    {"memref<16x16xf16, #pto.address_space<vec>>", "memref<16x16xf16, #pto.address_space<vec>>"},
    {"vector<4xi16>", "vector<4xi16>"},
    {"!pto.vreg<64xf32>", "!pto.vreg<64xf32>"},
    {"(f32, !pto.pipe) -> ()", "(f32, !pto.pipe) -> ()"},
    {"() -> (i32, index)", "() -> (i32, index)"},
};

/* Texts that are no types: the column (from 1) and length of the error. */
static const struct {
    const char *text;
    unsigned column, len;
} bad_types[] = {
    {"", 1, 1},
    {"f33", 1, 3},
    {"!pto.tilebuf<vec>", 1, 12},
    {"!x.y", 1, 4},
    {"f32 f32", 5, 3},
    {"!pto.ptr<f32", 13, 1},
    {"!pto.ptr<f32, moon>", 15, 4},
    {"!pto.ptr<!pto.pipe>", 10, 9},
    {"!pto.tile_buf<vec>", 15, 3},
    {"!pto.tile_buf<gm, 16x16xf32>", 15, 2},
    {"!pto.tile_buf<vec, 16xf32>", 20, 6},
    {"!pto.tile_buf<vec, ?x16xf32>", 20, 5},
    {"!pto.tile_buf<vec, 0x16xf32>", 20, 5},
    {"!pto.tile_buf<vec, -1x16xf32>", 20, 9},
    {"!pto.tile_buf<vec, 16x16xf32, valid=17x1>", 37, 2},
    {"!pto.tile_buf<vec, 16x16xf32, valid=1x17>", 39, 2},
    {"!pto.tile_buf<vec, 16x16xf32, pad=4>", 35, 1},
    {"!pto.tile_buf<vec, 16x16xf32, pad=zero>", 35, 4},
    {"!pto.tile_buf<vec, 16x16xf32, pda=1>", 31, 3},
    {"!pto.tile_buf<vec, 16x16xf32, pad=1, pad=1>", 38, 5},
    {"!pto.tile_buf<vec, 16x16xf32, fractal=513>", 39, 3},
    {"!pto.tile_buf<vec, 16x16xf32,>", 30, 1},
    {"!pto.tile_buf<vec, 16x16xf32, rows=1>", 31, 6},
    {"!pto.tile_buf<vec, 16x16xf32, blayout=RowMajor>", 39, 8},
    {"!pto.tile_buf<vec, f32, 16, 16>", 20, 3},
    {"!pto.tile_buf<loc=vec, dtype=f32, rows=16>", 15, 27},
    {"!pto.tile_buf<vec, 4294967296x4294967296xf32>", 20, 22},
    {"!pto.tile_buf<vec, 99999999999999999999x1xf32>", 20, 20},
    {"!pto.tile<vec, f32, 16, 16, RowMajor, NoneBox, FR, Zero>", 48, 2},
    {"!pto.multi_tile_buf<vec, 16x16xf16, count=17>", 43, 2},
    {"!pto.multi_tile_buf<vec, 16x16xf16>", 21, 15},
    {"!pto.local_array<4x?xf32>", 18, 4},
    {"!pto.struct<index>", 13, 5},
    {"!pto.local_array<4294967296x4294967296xf32>", 18, 22},
    {"!unknown", 1, 8},
    {"i0", 1, 2},
};

static void types_accepted(void **state) {
    (void)state;
    static Context ctx;
    static Source src = {"none", "", 0};
    unsigned wrong = 0;
    if (setjmp(ctx.oom) != 0) fail_msg("out of memory");
    context_init(&ctx, &src, 0);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const Type *t = parse_type(&ctx, types[i].text, strlen(types[i].text));
        const char *got =
            t == NULL ? "nothing" : arena_printf(&ctx.arena, TYPE_FMT, TYPE_ARG(&ctx.names, t));
        if (strcmp(got, types[i].prints) != 0) {
            print_error("%s\n  gives %s\n", types[i].text, got);
            wrong++;
        }
        if (t == NULL) continue;
        const Type *again = parse_type(&ctx, types[i].prints, strlen(types[i].prints));
        if (again == NULL || !type_same(t, again)) {
            print_error("%s\n  does not mean what it prints as\n", types[i].text);
            wrong++;
        }
    }
    context_free(&ctx);
    assert_int_equal(wrong, 0);
}

static void types_rejected(void **state) {
    (void)state;
    static Context ctx;
    static Source src = {"none", "", 0};
    unsigned wrong = 0;
    if (setjmp(ctx.oom) != 0) fail_msg("out of memory");
    for (size_t i = 0; i < sizeof bad_types / sizeof bad_types[0]; i++) {
        context_init(&ctx, &src, 0);
        const Type *t = parse_type(&ctx, bad_types[i].text, strlen(bad_types[i].text));
        const Diag *d = ctx.diags.first;
        if (t != NULL || d == NULL || d->next != NULL || d->span.off + 1 != bad_types[i].column ||
            d->span.len != bad_types[i].len) {
            print_error("%s\n  %s %u+%u: %s\n", bad_types[i].text,
                        t != NULL ? "accepted" : "rejected", d != NULL ? d->span.off + 1 : 0,
                        d != NULL ? d->span.len : 0, d != NULL ? d->message : "");
            wrong++;
        }
        context_free(&ctx);
    }
    assert_int_equal(wrong, 0);
}

static void deep_types(void **state) {
    (void)state;
    enum { DEPTH = 100000 };
    static Context ctx;
    static Source src = {"none", "", 0};
    char *text = malloc(DEPTH * 12 + 1);
    for (size_t i = 0; i < DEPTH; i++)
        memcpy(text + i * 12, "!pto.struct<", 12);
    if (setjmp(ctx.oom) != 0) fail_msg("out of memory");
    context_init(&ctx, &src, 0);
    assert_null(parse_type(&ctx, text, DEPTH * 12));
    assert_int_equal(ctx.diags.errors, 1);
    context_free(&ctx);
    free(text);
}

/* Values of an attribute, and what is wrong with them ("" = nothing). */
static const struct {
    const char *value, *error;
} attrs[] = {
    {"1", ""},
    {"-9223372036854775808", ""},
    {"9223372036854775808", "bad-number"},
    {"18446744073709551615 : ui64", ""},
    {"18446744073709551616", "bad-number"},
    {"255 : i8", ""},
    {"256 : i8", "bad-number"},
    {"-128 : i8", ""},
    {"-129 : i8", "bad-number"},
    {"-0x10 : i32", ""},
    {"1.5", ""},
    {"1.5 : f16", ""},
    {"1.5 : i32", "bad-number"},
    {"1 : f32", "bad-number"},
    {"0x7F800000 : f32", ""},
    {"0x7F8000000 : f32", "bad-number"},
    {"-0x1 : f32", "bad-number"},
    {"true", ""},
    {"unit", ""},
    {"yes", "bad-attribute"},
    {"\"text\"", ""},
    {"@a::@b", ""},
    {"[1, \"a\", [f32]]", ""},
    {"{\"b c\" = {x}, a = [{y}]}", ""},
    {"{a = 1, a = 2}", "duplicate-attribute"},
    {"(f32) -> i32", ""},
    {"!pto.tile<16x16xf32>", ""},
    {"#pto.layout<nd>", ""},
    {"#pto<layout nd>", ""},
    {"#pto<layout<nd>>", ""},
    {"#pto.cmp<GT>", ""},
    {"#pto<cmp gt>", ""},
    {"#pto.cmp<gr>", "bad-attribute"},
    {"#pto.cpm<gt>", "bad-attribute"},
    {"#pto.address_space<ub>", ""},
    {"#pto.tile_buf_config<>", ""},
    {"#pto.tile_buf_config<pad=#pto.pad_value<zero>, s_fractal_size=512>", ""},
    {"#pto.tile_buf_config<pad=#pto.pad_value<big>>", "bad-attribute"},
    {"#pto.tile_buf_config<512>", "bad-attribute"},
    {"#pto.acc_push_epilogue<layout = nz2nd, quant = req8_vec, relu = no_relu>", ""},
    {"#pto.acc_push_epilogue<layout = nz2nd, quant = req9>", "bad-attribute"},
    {"#pto.mad_mode<x>", ""},
    {"#arith.overflow<nsw>", ""},
    {"#nowhere", "undefined-alias"},
    {"#here", ""},
    {"array<i32: 1, -2>", ""},
    {"array<i1: true>", ""},
    {"array<i32>", ""},
    {"array<i8: 300>", "bad-number"},
    {"array<q: 1>", "bad-attribute"},
    {"dense<[1, 2]> : tensor<2xi32>", ""},
    {"affine_map<(d0) -> (d0)>", ""},
    {"loc(\"f\":1:2)", ""},
};

static void attributes(void **state) {
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof attrs / sizeof attrs[0]; i++) {
        char text[300];
        int n = snprintf(text, sizeof text,
                         "#here = 1 : i32\nfunc.func private @k() attributes {pto.x = %s}\n",
                         attrs[i].value);
        Context *ctx = calloc(1, sizeof *ctx);
        Source src = {"test", text, (uint32_t)n};
        if (setjmp(ctx->oom) != 0) fail_msg("out of memory");
        context_init(ctx, &src, 0);
        parse_module(ctx);
        const Diag *d = ctx->diags.first;
        const char *got = d == NULL         ? ""
                          : d->next != NULL ? "several errors"
                                            : diag_infos[d->id].text;
        if (strcmp(got, attrs[i].error) != 0) {
            print_error("%s\n  gives '%s': %s\n", attrs[i].value, got, d != NULL ? d->message : "");
            wrong++;
        }
        context_free(ctx);
        free(ctx);
    }
    assert_int_equal(wrong, 0);
}

/* A text that cannot be read is reported at its first place, and only there. */
static void reported_once(void **state) {
    (void)state;
    static Context ctx;
    static const char text[] = "func.func private @a(!pto.moon)\nfunc.func private @b(!pto.moon)\n"
                               "func.func private @c(!pto.sun)\n";
    static Source src = {"test", text, sizeof text - 1};
    if (setjmp(ctx.oom) != 0) fail_msg("out of memory");
    context_init(&ctx, &src, 0);
    parse_module(&ctx);
    assert_int_equal(ctx.diags.errors, 2);
    assert_int_equal(source_line_from(&src, 0, 1, ctx.diags.first->span.off), 1);
    assert_int_equal(source_line_from(&src, 0, 1, ctx.diags.first->next->span.off), 3);
    context_free(&ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_accepted), cmocka_unit_test(types_rejected),
        cmocka_unit_test(deep_types),     cmocka_unit_test(attributes),
        cmocka_unit_test(reported_once),
    };
    return cmocka_run_group_tests_name("readers", tests, NULL, NULL);
}
