/* SPDX-License-Identifier: Apache-2.0 */
/* test_scalar.c - scalar helpers of emitted code: integers at their edges, f16 and bf16
 * exhaustively. */
#include "codec.h"
#include "on_core.h"
#include "random.h"

#include <math.h>

static void test_integer_edges(void **state) {
    (void)state;
    assert_int_equal(ptrt_divsi_i32(7, 0), 0);
    assert_int_equal(ptrt_remsi_i32(7, 0), 7);
    assert_int_equal(ptrt_divsi_i32(INT32_MIN, -1), INT32_MIN);
    assert_int_equal(ptrt_remsi_i32(INT32_MIN, -1), 0);
    assert_true(ptrt_divsi_i64(INT64_MIN, -1) == INT64_MIN);
    assert_int_equal(ptrt_divsi_i8(-128, -1), -128);
    assert_int_equal(ptrt_divsi_i32(-7, 2), -3);
    assert_int_equal(ptrt_remsi_i32(-7, 2), -1);
    assert_int_equal(ptrt_ceildivsi_i32(7, 2), 4);
    assert_int_equal(ptrt_ceildivsi_i32(-7, 2), -3);
    assert_int_equal(ptrt_ceildivsi_i32(-7, -2), 4);
    assert_int_equal(ptrt_floordivsi_i32(-7, 2), -4);
    assert_int_equal(ptrt_floordivsi_i32(7, -2), -4);
    assert_int_equal(ptrt_floordivsi_i32(7, 2), 3);
    assert_int_equal(ptrt_floordivsi_i32(7, 0), 0);
    assert_int_equal(ptrt_divui_i8(-1, 2), 127);
    assert_int_equal(ptrt_remui_i8(-1, 16), 15);
    assert_int_equal(ptrt_ceildivui_i16(7, 2), 4);
    assert_int_equal(ptrt_divui_i32(5, 0), 0);
    assert_int_equal(ptrt_addi_i32(INT32_MAX, 1), INT32_MIN);
    assert_int_equal(ptrt_muli_i16(INT16_MIN, INT16_MIN), 0);
    assert_int_equal(ptrt_muli_i16(-1, -1), 1);
    assert_int_equal(ptrt_subi_i8(-128, 1), 127);
    assert_int_equal(ptrt_shli_i32(1, 31), INT32_MIN);
    assert_int_equal(ptrt_shli_i32(1, 32), 0);
    assert_int_equal(ptrt_shli_i8(3, -1), 0);
    assert_int_equal(ptrt_shrsi_i32(-8, 1), -4);
    assert_int_equal(ptrt_shrsi_i32(-8, 99), -1);
    assert_int_equal(ptrt_shrui_i8(-1, 4), 15);
    assert_int_equal(ptrt_shrui_i64(-1, 64), 0);
    assert_int_equal(ptrt_maxui_i8(-1, 1), -1);
    assert_int_equal(ptrt_minui_i8(-1, 1), 1);
    assert_int_equal(ptrt_maxsi_i8(-1, 1), 1);
    assert_true(ptrt_cmpi_i32(PTRT_ULT, 1, -1));
    assert_false(ptrt_cmpi_i32(PTRT_SLT, 1, -1));
    assert_true(ptrt_cmpi_i64(PTRT_UGE, -1, 1));
}

static void test_extended(void **state) {
    (void)state;
    bool carry;
    assert_int_equal(ptrt_addui_extended_i32(-1, 1, &carry), 0);
    assert_true(carry);
    assert_int_equal(ptrt_addui_extended_i8(100, 100, &carry), -56);
    assert_false(carry);
    int32_t hi;
    assert_int_equal(ptrt_mulsi_extended_i32(INT32_MIN, INT32_MIN, &hi), 0);
    assert_int_equal(hi, 0x40000000);
    assert_int_equal(ptrt_mului_extended_i32(-1, -1, &hi), 1);
    assert_int_equal(hi, -2);
    static const int64_t v[] = {0, 1, -1, INT64_MIN, INT64_MAX, 0x123456789ABCDEF, -77777777777};
    for (size_t i = 0; i < 7; i++) {
        for (size_t k = 0; k < 7; k++) {
            int64_t h;
            __extension__ typedef __int128 wide;
            wide s = (wide)v[i] * v[k];
            assert_true(ptrt_mulsi_extended_i64(v[i], v[k], &h) == (int64_t)s);
            assert_true(h == (int64_t)(s >> 64));
            __extension__ typedef unsigned __int128 uwide;
            uwide u = (uwide)(uint64_t)v[i] * (uint64_t)v[k];
            assert_true(ptrt_mului_extended_i64(v[i], v[k], &h) == (int64_t)(uint64_t)u);
            assert_true(h == (int64_t)(uint64_t)(u >> 64));
        }
    }
}

/* To nearest even. */
static uint64_t to_half(int elem, double x) {
    return code_of_real(elem, x, TO_EVEN, false);
}

static void test_half_to_float(void **state) {
    (void)state;
    for (uint32_t h = 0; h < 65536; h++) {
        double f = num_of(PTRT_F16, h).f, b = num_of(PTRT_BF16, h).f;
        double gf = (double)ptrt_extf_f16_f32((ptrt_f16)h), gb = ptrt_extf_bf16_f64((ptrt_bf16)h);
        assert_true(isnan(f) ? isnan(gf) : ptrt_bits_of_f64(f) == ptrt_bits_of_f64(gf));
        assert_true(isnan(b) ? isnan(gb) : ptrt_bits_of_f64(b) == ptrt_bits_of_f64(gb));
    }
}

/* Neighbours, midpoints and points just beside the midpoints of all f16 and bf16 values. */
static void check_round(int elem, double x) {
    uint64_t want = to_half(elem, x);
    uint64_t got64 = elem == PTRT_F16 ? ptrt_truncf_f64_f16(x, PTRT_NEAREST_EVEN)
                                      : ptrt_truncf_f64_bf16(x, PTRT_NEAREST_EVEN);
    assert_int_equal(got64, want);
    float f = (float)x;
    want = to_half(elem, (double)f);
    uint64_t got32 = elem == PTRT_F16 ? ptrt_truncf_f32_f16(f, PTRT_NEAREST_EVEN)
                                      : ptrt_truncf_f32_bf16(f, PTRT_NEAREST_EVEN);
    assert_int_equal(got32, want);
    /* The conversion inside the arithmetic: f + 0 is f. */
    if (elem == PTRT_F16 && (double)f == x)
        assert_true(bits_same(elem, ptrt_addf_f16((ptrt_f16)want, 0x8000), want));
}

static void test_float_to_half(void **state) {
    (void)state;
    static const int elems[] = {PTRT_F16, PTRT_BF16};
    for (int e = 0; e < 2; e++) {
        for (uint32_t h = 0; h < (elems[e] == PTRT_F16 ? 0x7C00u : 0x7F80u); h++) {
            double a = num_of(elems[e], h).f, b = num_of(elems[e], h + 1).f;
            double mid = isinf(b) ? a + (a - num_of(elems[e], h - 1).f) / 2 : (a + b) / 2;
            check_round(elems[e], a);
            check_round(elems[e], mid);
            check_round(elems[e], -mid);
            check_round(elems[e], nextafter(mid, 0));
            check_round(elems[e], nextafter(mid, (double)INFINITY));
            check_round(elems[e], (double)nextafterf((float)mid, 0));
            check_round(elems[e], -(double)nextafterf((float)mid, INFINITY));
        }
    }
    assert_int_equal(ptrt_truncf_f64_f16(5e-324, PTRT_NEAREST_EVEN), 0);
    assert_int_equal(ptrt_truncf_f64_f16(1e300, PTRT_NEAREST_EVEN), 0x7C00);
}

static void test_rounding_modes(void **state) {
    (void)state;
    /* 1 + 2^-11 is midway between 1 and the next f16. */
    static const struct {
        double x;
        uint16_t even, down, up, zero, away;
    } t[] = {
        {1 + 0x1p-11, 0x3C00, 0x3C00, 0x3C01, 0x3C00, 0x3C01},
        {-1 - 0x1p-11, 0xBC00, 0xBC01, 0xBC00, 0xBC00, 0xBC01},
        {1e9, 0x7C00, 0x7BFF, 0x7C00, 0x7BFF, 0x7C00},
        {-1e9, 0xFC00, 0xFC00, 0xFBFF, 0xFBFF, 0xFC00},
        {1e-30, 0, 0, 1, 0, 0},
        {-1e-30, 0x8000, 0x8001, 0x8000, 0x8000, 0x8000},
        {1.5, 0x3E00, 0x3E00, 0x3E00, 0x3E00, 0x3E00},
        {(double)INFINITY, 0x7C00, 0x7C00, 0x7C00, 0x7C00, 0x7C00},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        assert_int_equal(ptrt_truncf_f64_f16(t[i].x, PTRT_NEAREST_EVEN), t[i].even);
        assert_int_equal(ptrt_truncf_f64_f16(t[i].x, PTRT_DOWNWARD), t[i].down);
        assert_int_equal(ptrt_truncf_f64_f16(t[i].x, PTRT_UPWARD), t[i].up);
        assert_int_equal(ptrt_truncf_f64_f16(t[i].x, PTRT_TOWARD_ZERO), t[i].zero);
        assert_int_equal(ptrt_truncf_f64_f16(t[i].x, PTRT_NEAREST_AWAY), t[i].away);
    }
    Random seed = {9};
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = random_bits(&seed);
        double x = ptrt_f64_of_bits(bits);
        if (isnan(x)) continue;
        assert_true(ptrt_truncf_f64_f32(x, PTRT_NEAREST_EVEN) == (float)x);
    }
    assert_true(isnan(ptrt_truncf_f64_f32((double)NAN, PTRT_UPWARD)));
    assert_true(bits_have_nan(PTRT_BF16, ptrt_truncf_f32_bf16(NAN, PTRT_NEAREST_EVEN)));
}

static void test_half_arithmetic(void **state) {
    (void)state;
    Random seed = {3};
    for (int i = 0; i < 300000; i++) {
        uint16_t x = (uint16_t)random_bits(&seed), y = (uint16_t)random_bits(&seed);
        for (int elem = PTRT_F16; elem <= PTRT_BF16; elem++) {
            bool f16 = elem == PTRT_F16;
            double a = num_of(elem, x).f, b = num_of(elem, y).f;
            uint16_t sum = f16 ? ptrt_addf_f16(x, y) : ptrt_addf_bf16(x, y);
            uint16_t dif = f16 ? ptrt_subf_f16(x, y) : ptrt_subf_bf16(x, y);
            uint16_t mul = f16 ? ptrt_mulf_f16(x, y) : ptrt_mulf_bf16(x, y);
            uint16_t div = f16 ? ptrt_divf_f16(x, y) : ptrt_divf_bf16(x, y);
            assert_true(bits_same(elem, sum, to_half(elem, a + b)));
            assert_true(bits_same(elem, dif, to_half(elem, a - b)));
            assert_true(bits_same(elem, mul, to_half(elem, a * b)));
            assert_true(bits_same(elem, div, to_half(elem, a / b)));
            if (f16) assert_true(bits_same(elem, ptrt_remf_f16(x, y), to_half(elem, fmod(a, b))));
        }
    }
}

static void test_min_max(void **state) {
    (void)state;
    assert_true(isnan(ptrt_maximumf_f32(NAN, 1)));
    assert_true(isnan(ptrt_minimumf_f64(1, (double)NAN)));
    assert_true(ptrt_maxnumf_f32(NAN, 1) == 1.0f);
    assert_true(ptrt_minnumf_f32(1, NAN) == 1.0f);
    assert_true(isnan(ptrt_minnumf_f32(NAN, NAN)));
    assert_false(signbit(ptrt_maximumf_f32(-0.0f, 0.0f)));
    assert_true(signbit(ptrt_minimumf_f32(0.0f, -0.0f)));
    assert_true(ptrt_maximumf_f64(2, 3) == 3.0);
    assert_true(ptrt_minimumf_f64(2, 3) == 2.0);
    assert_int_equal(ptrt_negf_f16(0x3C00), 0xBC00);
    assert_true(signbit(ptrt_negf_f32(0)));
    assert_true(signbit(ptrt_negf_f64(0)));
    assert_int_equal(ptrt_maximumf_bf16(0x3F80, 0xBF80), 0x3F80);
}

static void test_compare(void **state) {
    (void)state;
    /* By predicate: 1 < 2, 1 == 1, 2 > 1, NaN. */
    static const char want[16][5] = {"0000", "0100", "0010", "0110", "1000", "1100",
                                     "1010", "1110", "0101", "0011", "0111", "1001",
                                     "1101", "1011", "0001", "1111"};
    for (int p = 0; p < 16; p++) {
        assert_int_equal(ptrt_cmpf_f32(p, 1, 2), want[p][0] == '1');
        assert_int_equal(ptrt_cmpf_f64(p, 1, 1), want[p][1] == '1');
        assert_int_equal(ptrt_cmpf_f16(p, 0x4000, 0x3C00), want[p][2] == '1');
        assert_int_equal(ptrt_cmpf_f32(p, NAN, 1), want[p][3] == '1');
        assert_int_equal(ptrt_cmpf_bf16(p, 0x3F80, 0x7FC0), want[p][3] == '1');
    }
}

static void test_to_integer(void **state) {
    (void)state;
    assert_int_equal(ptrt_fptosi_f32_i8(1e9f), 127);
    assert_int_equal(ptrt_fptosi_f32_i8(-1e9f), -128);
    assert_int_equal(ptrt_fptosi_f32_i8(-128.9f), -128);
    assert_int_equal(ptrt_fptosi_f32_i32(NAN), 0);
    assert_int_equal(ptrt_fptosi_f64_i32(2147483647.5), INT32_MAX);
    assert_int_equal(ptrt_fptosi_f64_i32(-1.99), -1);
    assert_true(ptrt_fptosi_f32_i64(9.3e18f) == INT64_MAX);
    assert_true(ptrt_fptosi_f64_i64(-(double)INFINITY) == INT64_MIN);
    assert_int_equal(ptrt_fptoui_f32_i8(300), -1);
    assert_int_equal(ptrt_fptoui_f32_i8(-3), 0);
    assert_int_equal(ptrt_fptoui_f32_i8(200.7f), (int8_t)200);
    assert_true(ptrt_fptoui_f64_i64(1.8e19) == (int64_t)UINT64_C(18000000000000000000));
    assert_true(ptrt_fptoui_f64_i64(1e20) == -1);
    assert_int_equal(ptrt_fptosi_f16_i16(0xFC00), INT16_MIN);
    assert_int_equal(ptrt_fptoui_bf16_i16(0x3F80), 1);
}

static void test_from_integer(void **state) {
    (void)state;
    assert_int_equal(ptrt_sitofp_f16(-2), 0xC000);
    assert_int_equal(ptrt_sitofp_f16(0), 0);
    assert_int_equal(ptrt_sitofp_f16(65519), 0x7BFF);
    assert_int_equal(ptrt_sitofp_f16(65520), 0x7C00);
    assert_int_equal(ptrt_uitofp_f16(UINT64_MAX), 0x7C00);
    assert_true(ptrt_uitofp_f32(UINT64_MAX) == 0x1p64f);
    assert_true(ptrt_sitofp_f32(16777217) == 16777216.0f);
    assert_true(ptrt_sitofp_f64(INT64_MIN) == -0x1p63);
    /* Midway for bf16 but for one bit that f64 would drop: must go up. */
    assert_int_equal(ptrt_uitofp_bf16((UINT64_C(257) << 54) + 1),
                     ptrt_uitofp_bf16(UINT64_C(258) << 54));
    assert_int_equal(ptrt_uitofp_bf16(UINT64_C(257) << 54), ptrt_uitofp_bf16(UINT64_C(256) << 54));
    for (int64_t i = -70000; i < 70000; i += 3) {
        assert_int_equal(ptrt_sitofp_f16(i), to_half(PTRT_F16, (double)i));
        assert_int_equal(ptrt_sitofp_bf16(i), to_half(PTRT_BF16, (double)i));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integer_edges),  cmocka_unit_test(test_extended),
        cmocka_unit_test(test_half_to_float),  cmocka_unit_test(test_float_to_half),
        cmocka_unit_test(test_rounding_modes), cmocka_unit_test(test_half_arithmetic),
        cmocka_unit_test(test_min_max),        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_to_integer),     cmocka_unit_test(test_from_integer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
