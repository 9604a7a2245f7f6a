/* SPDX-License-Identifier: Apache-2.0 */
/* A program that is legal under all three profiles computes the same bytes when emitted for each.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call.h"
#include "frame.h"
#include <math.h>
#include <stdio.h>

enum { TILE = FRAME_ROWS * FRAME_COLS };
static const char *const profiles[] = {"cpu", "a2a3", "a5"};

/* Runs `statement` on random data under each profile; with a scalar operand when `scalar` is set.
 */
static void same_bytes(const char *elem, const char *statement, const ElemType *scalar, int pad) {
    const ElemType *t = elem_named(elem);
    char params[32] = "";
    if (scalar != NULL) snprintf(params, sizeof params, ", %%s: %s", scalar->text);
    Text text = {0};
    frame_add(&text, &(Frame){.name = "f",
                              .src = t,
                              .dst = t,
                              .src_vrow = 5,
                              .src_vcol = 50,
                              .dst_vrow = pad ? 8 : 5,
                              .dst_vcol = pad ? 64 : 50,
                              .pad = pad,
                              .params = params,
                              .statement = statement});
    unsigned char in[TILE * 4], first[TILE * 4], out[TILE * 4];
    fill_random(t, in, TILE, 11);
    for (size_t p = 0; p < 3; p++) {
        Built b;
        build_text(&b, "portable", text.s, profiles[p]);
        fill_random(t, out, TILE, 12);
        int rc = scalar != NULL ? call_pps(&b, "f", in, out, scalar, elem_one(scalar))
                                : call_pp(&b, "f", in, out);
        assert_int_equal(rc, 0);
        if (p == 0) memcpy(first, out, sizeof first);
        assert_memory_equal(first, out, TILE * t->bytes);
        built_free(&b);
    }
    text_free(&text);
}

static void test_tadds_same_bytes(void **state) {
    (void)state;
    same_bytes("f32", "pto.tadds ins(%src, %s : $s, f32) outs(%dst : $d)", elem_named("f32"), 0);
    same_bytes("f16", "pto.tadds ins(%src, %s : $s, f16) outs(%dst : $d)", elem_named("f16"), 0);
}

static void test_tands_same_bytes(void **state) {
    (void)state;
    same_bytes("ui16", "pto.tands ins(%src, %s : $s, i16) outs(%dst : $d)", elem_named("i16"), 0);
}

static void test_txors_same_bytes(void **state) {
    (void)state;
    same_bytes("i8", "pto.txors ins(%src, %s : $s, i8) outs(%dst : $d)", elem_named("i8"), 0);
}

static void test_ttri_same_bytes(void **state) {
    (void)state;
    same_bytes("f16", "pto.ttri ins(%s : i32) outs(%dst : $d)", elem_named("i32"), 0);
}

static void test_tfillpad_same_bytes(void **state) {
    (void)state;
    same_bytes("f32", "pto.tfillpad ins(%src : $s) outs(%dst : $d)", NULL, 3);
    same_bytes("ui8", "pto.tfillpad ins(%src : $s) outs(%dst : $d)", NULL, 2);
}

/* What a program says of overflow is obeyed where the hardware can: not for this pair on a2a3. */
static void test_tcvt_by_profile(void **state) {
    (void)state;
    static const uint16_t largest[] = {0x7C00, 0x7BFF, 0x7C00};
    Text text = {0};
    frame_add(&text,
              &(Frame){.name = "f",
                       .src = elem_named("f32"),
                       .dst = elem_named("f16"),
                       .src_vrow = 1,
                       .src_vcol = 2,
                       .dst_vrow = 1,
                       .dst_vcol = 2,
                       .params = "",
                       .statement = "pto.tcvt ins(%src {satmode = #pto<saturation_mode OFF>} : $s) "
                                    "outs(%dst : $d)"});
    for (size_t p = 0; p < 3; p++) {
        Built b;
        static float in[TILE] = {70000, 1.5f};
        static uint16_t out[TILE];
        build_text(&b, "overflow", text.s, profiles[p]);
        assert_int_equal(call_pp(&b, "f", in, out), 0);
        assert_int_equal(out[0], largest[p]);
        assert_int_equal(out[1], 0x3E00);
        built_free(&b);
    }
    text_free(&text);
}

/* Converts 8 numbers to `elem` and compares the codes. */
static void converts_to(const char *profile, const char *elem, const char *words, const float *in,
                        const uint8_t *want) {
    enum { N = 8 };
    const ElemType narrow = {elem, elem, 1, 0};
    char statement[128];
    snprintf(statement, sizeof statement, "pto.tcvt ins(%%src%s : $s) outs(%%dst : $d)", words);
    Text text = {0};
    frame_add(&text, &(Frame){.name = "f",
                              .src = elem_named("f32"),
                              .dst = &narrow,
                              .src_vrow = 1,
                              .src_vcol = N,
                              .dst_vrow = 1,
                              .dst_vcol = N,
                              .params = "",
                              .statement = statement});
    Built b;
    static float from[TILE];
    static uint8_t out[TILE];
    memcpy(from, in, N * sizeof *in);
    build_text(&b, "fp8", text.s, profile);
    assert_int_equal(call_pp(&b, "f", from, out), 0);
    for (size_t i = 0; i < N; i++)
        if (out[i] != want[i])
            fail_msg("%s %s: %g is 0x%02x, not 0x%02x", elem, profile, (double)in[i], out[i],
                     want[i]);
    built_free(&b);
    text_free(&text);
}

/* All spellings of E4M3 are E4M3FN, all of E5M2 are E5M2; an explicit OFF counts on cpu only. */
static void test_tcvt_fp8(void **state) {
    (void)state;
    static const char *const e4m3[] = {"f8E4M3", "f8E4M3FN", "f8E4M3FNUZ", "f8E4M3B11FNUZ"};
    static const char *const e5m2[] = {"f8E5M2", "f8E5M2FNUZ"};
    static const char off[] = " {satmode = #pto<saturation_mode OFF>}";
    static const float in[] = {240, 256, 300, 388.03f, 448, 500, -26417, INFINITY};
    static const uint8_t clamped[] = {0x77, 0x78, 0x79, 0x7C, 0x7E, 0x7E, 0xFE, 0x7E},
                         open[] = {0x77, 0x78, 0x79, 0x7C, 0x7E, 0x7F, 0x7F, 0x7F};
    for (size_t i = 0; i < sizeof e4m3 / sizeof *e4m3; i++) {
        converts_to("cpu", e4m3[i], "", in, clamped);
        converts_to("a5", e4m3[i], "", in, clamped);
        converts_to("cpu", e4m3[i], off, in, open);
        converts_to("a5", e4m3[i], off, in, clamped);
    }
    static const float wide[] = {1, -1.25f, 57344, 61439, 61440, 1e9f, -INFINITY, NAN};
    static const uint8_t clamped2[] = {0x3C, 0xBD, 0x7B, 0x7B, 0x7B, 0x7B, 0xFB, 0x7E},
                         open2[] = {0x3C, 0xBD, 0x7B, 0x7B, 0x7C, 0x7C, 0xFC, 0x7E};
    for (size_t i = 0; i < sizeof e5m2 / sizeof *e5m2; i++) {
        converts_to("cpu", e5m2[i], "", wide, clamped2);
        converts_to("cpu", e5m2[i], off, wide, open2);
        converts_to("a5", e5m2[i], off, wide, clamped2);
    }
}

/* A whole kernel over several blocks. */
static void test_kernel_same_bytes(void **state) {
    (void)state;
    enum { N = 3 * 32 * 64 };
    static float in[N], first[N], out[N];
    fill_random(elem_named("f32"), in, N, 13);
    for (size_t p = 0; p < 3; p++) {
        Built b;
        build_sample(&b, "kernel/scale_mask.pto", profiles[p]);
        int (*k)(int64_t, const float *, float *, float);
        void *symbol = built_function(&b, "scale_mask_grid");
        memcpy(&k, &symbol, sizeof k);
        assert_int_equal(k(3, in, out, 0.75f), 0);
        if (p == 0) memcpy(first, out, sizeof first);
        assert_memory_equal(first, out, sizeof out);
        built_free(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tadds_same_bytes), cmocka_unit_test(test_tands_same_bytes),
        cmocka_unit_test(test_txors_same_bytes), cmocka_unit_test(test_ttri_same_bytes),
        cmocka_unit_test(test_tcvt_by_profile),  cmocka_unit_test(test_tfillpad_same_bytes),
        cmocka_unit_test(test_tcvt_fp8),         cmocka_unit_test(test_kernel_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
