/* SPDX-License-Identifier: Apache-2.0 */
/* Every program of samples/ against a scalar reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call.h"
#include <math.h>
#include <stdio.h>

static const char *const forms[] = {"dps", "ssa", "as"};

/* ---- tile-scalar instructions, 16x32 elements, in three forms ---- */

static void check_forms(const char *inst, const ElemType *t, uint32_t scalar,
                        uint32_t (*ref)(const ElemType *, uint32_t, uint32_t)) {
    enum { N = 16 * 32 };
    for (size_t f = 0; f < 3; f++) {
        char path[64], name[32];
        snprintf(name, sizeof name, "%s_%s", inst, forms[f]);
        snprintf(path, sizeof path, "%s/%s.pto", inst, name);
        uint32_t in[N], out[N];
        fill_random(t, in, N, 21 + f);
        memset(out, 0, sizeof out);
        Built b;
        build_sample(&b, path, NULL);
        assert_int_equal(call_pps(&b, name, in, out, t, scalar), 0);
        for (size_t i = 0; i < N; i++)
            assert_true(elem_equal(t, elem_get(t, out, i), ref(t, elem_get(t, in, i), scalar)));
        built_free(&b);
    }
}

static uint32_t ref_and(const ElemType *t, uint32_t a, uint32_t s) {
    (void)t;
    return a & s;
}

static uint32_t ref_xor(const ElemType *t, uint32_t a, uint32_t s) {
    (void)t;
    return a ^ s;
}

static void test_tadds_forms(void **state) {
    (void)state;
    uint32_t bits;
    memcpy(&bits, &(float){2.5f}, 4);
    check_forms("tadds", elem_named("f32"), bits, elem_add);
}

static void test_tands_forms(void **state) {
    (void)state;
    check_forms("tands", elem_named("i16"), 0x0FF0, ref_and);
}

static void test_txors_forms(void **state) {
    (void)state;
    check_forms("txors", elem_named("i16"), 0xA5A5, ref_xor);
}

/* ---- pto.tfillpad ---- */

static void test_tfillpad_forms(void **state) {
    (void)state;
    for (size_t f = 0; f < 3; f++) {
        char path[64], name[32];
        snprintf(name, sizeof name, "tfillpad_%s", forms[f]);
        snprintf(path, sizeof path, "tfillpad/%s.pto", name);
        float in[10 * 20], out[16 * 32];
        for (int i = 0; i < 10 * 20; i++)
            in[i] = (float)i * 0.5f;
        Built b;
        build_sample(&b, path, NULL);
        assert_int_equal(call_pp(&b, name, in, out), 0);
        for (int i = 0; i < 16; i++)
            for (int j = 0; j < 32; j++) {
                float got = out[i * 32 + j];
                assert_true(i < 10 && j < 20 ? got == in[i * 20 + j] : isinf(got) && got > 0);
            }
        built_free(&b);
    }
}

static void test_tfillpad_example1(void **state) {
    (void)state;
    float in[16 * 16], out[16 * 16];
    for (int i = 0; i < 16 * 16; i++)
        in[i] = (float)(i - 100);
    Built b;
    build_sample(&b, "tfillpad/example1.pto", NULL);
    assert_int_equal(call_pp(&b, "example1", in, out), 0);
    assert_memory_equal(in, out, sizeof in);
    built_free(&b);
}

static void test_tfillpad_example2(void **state) {
    (void)state;
    static const char *const profiles[] = {"a2a3", "cpu"};
    float in[224], out[224];
    for (int i = 0; i < 224; i++)
        in[i] = (float)(224 - i);
    for (size_t p = 0; p < 2; p++) {
        Built b;
        build_sample(&b, "tfillpad/example2.pto", profiles[p]);
        memset(out, 0, sizeof out);
        assert_int_equal(call_pp(&b, "example2", in, out), 0);
        assert_memory_equal(in, out, sizeof in);
        built_free(&b);
    }
}

/* ---- the other examples of the pages ---- */

static void check_tadds_example(const char *name) {
    char path[64];
    float in[16 * 16], out[16 * 16];
    for (int i = 0; i < 16 * 16; i++)
        in[i] = (float)i * 0.125f;
    snprintf(path, sizeof path, "tadds/%s.pto", name);
    Built b;
    build_sample(&b, path, NULL);
    assert_int_equal(call_pp(&b, name, in, out), 0);
    for (int i = 0; i < 16 * 16; i++)
        assert_true(out[i] == in[i] + 1.0f);
    built_free(&b);
}

static void test_tadds_example_auto(void **state) {
    (void)state;
    check_tadds_example("example_auto");
}

static void test_tadds_example_manual(void **state) {
    (void)state;
    check_tadds_example("example_manual");
    check_tadds_example("example_manual_addr");
}

static void test_tands_example(void **state) {
    (void)state;
    uint16_t in[16 * 16], out[16 * 16];
    fill_random(elem_named("ui16"), in, 16 * 16, 31);
    Built b;
    build_sample(&b, "tands/example.pto", NULL);
    assert_int_equal(call_pp(&b, "example", in, out), 0);
    for (int i = 0; i < 16 * 16; i++)
        assert_int_equal(out[i], in[i] & 0xff);
    built_free(&b);
}

static void test_txors_example(void **state) {
    (void)state;
    static const char *const profiles[] = {NULL, "a5", "cpu"};
    uint32_t in[16 * 16], out[16 * 16];
    fill_random(elem_named("ui32"), in, 16 * 16, 32);
    for (size_t p = 0; p < 3; p++) {
        Built b;
        build_sample(&b, "txors/example.pto", profiles[p]);
        assert_int_equal(call_pp(&b, "example", in, out), 0);
        for (int i = 0; i < 16 * 16; i++)
            assert_int_equal(out[i], in[i] ^ 1u);
        built_free(&b);
    }
}

/* ---- pto.ttri ---- */

static void test_ttri_forms(void **state) {
    (void)state;
    for (size_t f = 0; f < 3; f++) {
        char path[64], name[32];
        snprintf(name, sizeof name, "ttri_%s", forms[f]);
        snprintf(path, sizeof path, "ttri/%s.pto", name);
        float out[32 * 32];
        Built b;
        build_sample(&b, path, NULL);
        assert_int_equal(call_pp(&b, name, out, NULL), 0);
        for (int i = 0; i < 32; i++)
            for (int j = 0; j < 32; j++)
                assert_true(out[i * 32 + j] == (j < i + 1 ? 0.0f : 1.0f));
        built_free(&b);
    }
}

static void test_ttri_diagonal(void **state) {
    (void)state;
    static const int32_t diagonals[] = {-40, -1, 0, 3, 40};
    Built b;
    build_sample(&b, "ttri/ttri_diagonal.pto", NULL);
    int (*k)(float *, int32_t);
    void *symbol = built_function(&b, "ttri_diagonal");
    memcpy(&k, &symbol, sizeof k);
    for (size_t d = 0; d < 5; d++) {
        float out[32 * 32];
        assert_int_equal(k(out, diagonals[d]), 0);
        for (int i = 0; i < 32; i++)
            for (int j = 0; j < 32; j++)
                assert_true(out[i * 32 + j] == (j <= i + diagonals[d] ? 1.0f : 0.0f));
    }
    built_free(&b);
}

/* ---- the kernel over several blocks ---- */

enum { BLOCK = 32 * 64, MAX_BLOCKS = 65 };

static void check_blocks(const float *in, const float *out, int64_t blocks, float scale) {
    for (int64_t r = 0; r < blocks * 32; r++)
        for (int64_t j = 0; j < 64; j++) {
            float want = in[r * 64 + j] * scale * (j <= r % 32 ? 1.0f : 0.0f);
            if (out[r * 64 + j] != want)
                fail_msg("%d blocks: row %d, column %d", (int)blocks, (int)r, (int)j);
        }
}

static void test_kernel_blocks(void **state) {
    (void)state;
    static const int64_t counts[] = {0, 1, 2, 7, 64};
    static float in[MAX_BLOCKS * BLOCK], out[MAX_BLOCKS * BLOCK];
    for (int i = 0; i < MAX_BLOCKS * BLOCK; i++)
        in[i] = (float)(i % 1021) - 500.0f;
    Built b;
    build_sample(&b, "kernel/scale_mask.pto", NULL);
    int (*grid)(int64_t, const float *, float *, float);
    int (*one)(const float *, float *, float);
    void *symbol = built_function(&b, "scale_mask_grid");
    memcpy(&grid, &symbol, sizeof grid);
    symbol = built_function(&b, "scale_mask");
    memcpy(&one, &symbol, sizeof one);
    for (size_t c = 0; c < 5; c++) {
        for (int i = 0; i < MAX_BLOCKS * BLOCK; i++)
            out[i] = -1.0f;
        assert_int_equal(grid(counts[c], in, out, 0.5f), 0);
        check_blocks(in, out, counts[c], 0.5f);
        assert_true(out[counts[c] * BLOCK] == -1.0f);
    }
    assert_int_equal(one(in, out, 3.0f), 0);
    check_blocks(in, out, 1, 3.0f);
    assert_int_not_equal(grid(-1, in, out, 0.5f), 0);
    built_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tadds_forms),        cmocka_unit_test(test_tands_forms),
        cmocka_unit_test(test_txors_forms),        cmocka_unit_test(test_tfillpad_forms),
        cmocka_unit_test(test_tfillpad_example1),  cmocka_unit_test(test_tfillpad_example2),
        cmocka_unit_test(test_tadds_example_auto), cmocka_unit_test(test_tadds_example_manual),
        cmocka_unit_test(test_tands_example),      cmocka_unit_test(test_txors_example),
        cmocka_unit_test(test_ttri_forms),         cmocka_unit_test(test_ttri_diagonal),
        cmocka_unit_test(test_kernel_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
