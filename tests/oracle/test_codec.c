/* SPDX-License-Identifier: Apache-2.0 */
/* test_codec.c - the oracle's codec against facts that do not come from it: round trips and order
 * of all codes, the neighbours of every midpoint, values worked out in integers, and for f32 what
 * the machine's own conversion gives. */
#include "codec.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Bits of a lane, worked out from the size of an element. */
static int lane_width(int elem) {
    return 8 * (int)elem_bytes(elem) / elem_lanes(elem);
}

static bool is_small_real(int elem) {
    return elem_is_real(elem) && lane_width(elem) <= 16;
}

/* ---- every code of 8 and 16 bits ---- */

static void test_codes_round_trip(void **state) {
    (void)state;
    for (int elem = 0; elem < PTRT_ELEMS; elem++) {
        if (lane_width(elem) > 16) continue;
        for (uint64_t code = 0; code < (uint64_t)1 << lane_width(elem); code++) {
            Num n = num_of(elem, code);
            if (elem_is_real(elem) && isnan(n.f))
                assert_true(isnan(num_of(elem, code_of(elem, n)).f));
            else
                assert_int_equal(code_of(elem, n), code);
        }
    }
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The finite values of a type in ascending order, each once; returns how many. */
static size_t finite_values(int elem, double *out) {
    size_t n = 0, kept = 0;
    for (uint64_t code = 0; code < (uint64_t)1 << lane_width(elem); code++) {
        double v = num_of(elem, code).f;
        if (isfinite(v)) out[n++] = v;
    }
    qsort(out, n, sizeof *out, by_value);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || out[i] != out[kept - 1]) out[kept++] = out[i];
    return kept;
}

static double rounded(int elem, double v, Rounding r) {
    return num_of(elem, code_of_real(elem, v, r, false)).f;
}

static bool is_odd(int elem, double v) {
    return code_of_real(elem, v, TO_EVEN, false) & 1;
}

/* Between two neighbours a < b every mode is decided by which half the value lies in. The values of
 * exponent-only types have no even neighbour. */
static void check_gap(int elem, double a, double b) {
    double middle = (a + b) / 2, up = nextafter(middle, b), down = nextafter(middle, a);
    bool hif8 = elem == PTRT_HIF8 || elem == PTRT_HIF8X2;
    double away = fabs(a) > fabs(b) ? a : b, zero = fabs(a) > fabs(b) ? b : a;
    assert_true(rounded(elem, up, TO_EVEN) == b && rounded(elem, down, TO_EVEN) == a);
    assert_true(rounded(elem, up, TO_AWAY) == b && rounded(elem, down, TO_AWAY) == a);
    assert_true(rounded(elem, middle, TO_AWAY) == away);
    assert_true(rounded(elem, middle, TO_EVEN) == (hif8 ? away : is_odd(elem, a) ? b : a));
    assert_true(rounded(elem, up, TO_FLOOR) == a && rounded(elem, down, TO_FLOOR) == a);
    assert_true(rounded(elem, up, TO_CEIL) == b && rounded(elem, down, TO_CEIL) == b);
    assert_true(rounded(elem, up, TO_ZERO) == zero && rounded(elem, down, TO_ZERO) == zero);
    if (!hif8) assert_true(rounded(elem, middle, TO_ODD) == (is_odd(elem, a) ? a : b));
}

static void test_between_neighbours(void **state) {
    (void)state;
    double *v = malloc(65536 * sizeof *v);
    for (int elem = 0; elem < PTRT_ELEMS; elem++) {
        if (!is_small_real(elem)) continue;
        size_t n = finite_values(elem, v);
        for (size_t i = 0; i + 1 < n; i++)
            check_gap(elem, v[i], v[i + 1]);
    }
    free(v);
}

/* ---- known values ---- */

/* f16 and bf16 in units of their smallest subnormal: (mantissa + hidden bit) << (exponent - 1). */
static void test_halves_in_integers(void **state) {
    (void)state;
    for (uint32_t code = 0; code < 0x7C00; code++) {
        uint32_t e = code >> 10, m = code & 1023;
        uint64_t units = e == 0 ? m : (uint64_t)(m + 1024) << (e - 1);
        assert_true(num_of(PTRT_F16, code).f * 16777216.0 == (double)units);
        assert_true(num_of(PTRT_F16, code | 0x8000).f * 16777216.0 == -(double)units);
    }
    for (uint32_t code = 0; code < 0x10000; code++) {
        uint32_t wide = code << 16;
        float f;
        memcpy(&f, &wide, sizeof f);
        double v = num_of(PTRT_BF16, code).f;
        assert_true(isnan(f) ? isnan(v) : v == (double)f && !signbit(v) == !signbit(f));
    }
}

typedef struct Fact {
    int elem;
    unsigned code;
    double value;
} Fact;

/* From the published descriptions of the formats. */
static const Fact facts[] = {
    {PTRT_F16, 0x7BFF, 65504},      {PTRT_F16, 0x0001, 0x1p-24},
    {PTRT_F16, 0x7C00, INFINITY},   {PTRT_F16, 0xFC00, -INFINITY},
    {PTRT_F8E4M3, 0x77, 240},       {PTRT_F8E4M3, 0x78, 256},
    {PTRT_F8E4M3FN, 0x7E, 448},     {PTRT_F8E4M3FN, 0x7F, NAN},
    {PTRT_F8E4M3FN, 0xFF, NAN},     {PTRT_F8E4M3FN, 0x01, 0x1p-9},
    {PTRT_F8E4M3FN, 0x38, 1},       {PTRT_F8E4M3FNUZ, 0x7E, 448},
    {PTRT_F8E4M3FNUZ, 0x80, -0.0},  {PTRT_F8E4M3FNUZ, 0x01, 0x1p-9},
    {PTRT_F8E4M3B11FNUZ, 0x38, 1},  {PTRT_F8E4M3B11FNUZ, 0x7F, NAN},
    {PTRT_F8E5M2, 0x7B, 57344},     {PTRT_F8E5M2, 0x7C, INFINITY},
    {PTRT_F8E5M2, 0x7D, NAN},       {PTRT_F8E5M2, 0x01, 0x1p-16},
    {PTRT_F8E5M2FNUZ, 0x7B, 57344}, {PTRT_F8E5M2FNUZ, 0x01, 0x1p-16},
    {PTRT_HIF8, 0x00, 0},           {PTRT_HIF8, 0x80, NAN},
    {PTRT_HIF8, 0x6F, INFINITY},    {PTRT_HIF8, 0xEF, -INFINITY},
    {PTRT_HIF8, 0x6E, 32768},       {PTRT_HIF8, 0x7E, 0x1p-15},
    {PTRT_HIF8, 0x01, 0x1p-22},     {PTRT_HIF8, 0x07, 0x1p-16},
    {PTRT_HIF8, 0x08, 1},           {PTRT_HIF8, 0x0F, 1.875},
    {PTRT_HIF8, 0x10, 2},           {PTRT_HIF8, 0x18, 0.5},
    {PTRT_HIF8, 0x20, 4},           {PTRT_HIF8, 0x2F, 15},
    {PTRT_HIF8, 0x3F, 0.234375},    {PTRT_HIF8, 0x40, 16},
    {PTRT_HIF8, 0x4F, 224},         {PTRT_HIF8, 0x60, 256},
    {PTRT_HIF8, 0xC8, -64},         {PTRT_F8E8M0, 0, 0x1p-127},
    {PTRT_F8E8M0, 127, 1},          {PTRT_F8E8M0, 254, 0x1p127},
    {PTRT_F8E8M0, 255, NAN},        {PTRT_F4E1M2X2, 7, 1.75},
    {PTRT_F4E1M2X2, 1, 0.25},       {PTRT_F4E1M2X2, 15, -1.75},
    {PTRT_F4E2M1X2, 7, 6},          {PTRT_F4E2M1X2, 1, 0.5},
    {PTRT_F4E2M1X2, 10, -1},
};

static void test_known_values(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        double v = num_of(facts[i].elem, facts[i].code).f;
        if (isnan(facts[i].value) ? !isnan(v) : v != facts[i].value)
            fail_msg("%s 0x%X is %g", elem_text(facts[i].elem), facts[i].code, v);
    }
}

/* Hif8 has 254 numbers: no two codes but the zeros would share a value. */
static void test_hif8_values_differ(void **state) {
    (void)state;
    double v[256];
    assert_int_equal(finite_values(PTRT_HIF8, v), 253);
}

/* ---- the edges of the ranges ---- */

typedef struct Edge {
    int elem;
    double value;
    Rounding r;
    bool clamp;
    unsigned code;
} Edge;

static const Edge edges[] = {
    {PTRT_F16, 65519.996, TO_EVEN, false, 0x7BFF},
    {PTRT_F16, 65520, TO_EVEN, false, 0x7C00},
    {PTRT_F16, 70000, TO_ZERO, false, 0x7BFF},
    {PTRT_F16, 70000, TO_FLOOR, false, 0x7BFF},
    {PTRT_F16, 70000, TO_CEIL, false, 0x7C00},
    {PTRT_F16, -70000, TO_FLOOR, false, 0xFC00},
    {PTRT_F16, -70000, TO_CEIL, false, 0xFBFF},
    {PTRT_F16, INFINITY, TO_ZERO, false, 0x7C00},
    {PTRT_F16, -INFINITY, TO_EVEN, true, 0xFBFF},
    {PTRT_F16, 1e300, TO_EVEN, true, 0x7BFF},
    {PTRT_F16, -0x1p-25, TO_EVEN, false, 0x8000},
    {PTRT_F16, 0x1p-25, TO_AWAY, false, 0x0001},
    {PTRT_F16, 0x1p-1000, TO_CEIL, false, 0x0001},
    {PTRT_F8E4M3FN, 464, TO_EVEN, false, 0x7E},
    {PTRT_F8E4M3FN, 464.1, TO_EVEN, false, 0x7F},
    {PTRT_F8E4M3FN, -1e9, TO_EVEN, false, 0xFF & 0x7F},
    {PTRT_F8E4M3FN, -1e9, TO_EVEN, true, 0xFE},
    {PTRT_F8E4M3FN, INFINITY, TO_EVEN, false, 0x7F},
    {PTRT_F8E5M2, 61439.9, TO_EVEN, false, 0x7B},
    {PTRT_F8E5M2, 61440, TO_EVEN, false, 0x7C},
    {PTRT_F8E4M3FNUZ, -0.0, TO_EVEN, false, 0x80},
    {PTRT_F8E4M3FNUZ, -0x1p-12, TO_EVEN, false, 0x80},
    {PTRT_F8E4M3FNUZ, 1000, TO_EVEN, false, 0x7F},
    {PTRT_HIF8, 40959.9, TO_AWAY, false, 0x6E},
    {PTRT_HIF8, 40960, TO_AWAY, false, 0x6F},
    {PTRT_HIF8, -1e9, TO_AWAY, false, 0xEF},
    {PTRT_HIF8, -1e9, TO_AWAY, true, 0xEE},
    {PTRT_HIF8, 0x1p-23, TO_AWAY, false, 0x01},
    {PTRT_HIF8, -0x1p-24, TO_AWAY, false, 0x00},
    {PTRT_F4E2M1X2, 1e9, TO_EVEN, false, 7},
    {PTRT_F4E2M1X2, -5, TO_EVEN, false, 14},
    {PTRT_F4E1M2X2, -0.1, TO_EVEN, false, 8},
    {PTRT_F4E1M2X2, NAN, TO_EVEN, false, 0},
    {PTRT_F8E8M0, 3, TO_FLOOR, false, 128},
    {PTRT_F8E8M0, 3, TO_CEIL, false, 129},
    {PTRT_F8E8M0, 0x1p-200, TO_EVEN, false, 0},
    {PTRT_F8E8M0, 1e39, TO_EVEN, true, 254},
};

static void test_edges(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        const Edge *e = &edges[i];
        uint64_t code = code_of_real(e->elem, e->value, e->r, e->clamp);
        if (code != e->code)
            fail_msg("%s of %g, rounding %d: 0x%X, not 0x%X", elem_text(e->elem), e->value, e->r,
                     (unsigned)code, e->code);
    }
}

/* ---- f32, tf32, f64 ---- */

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void test_f32_sampled(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (uint32_t i = 0; i < 2000000; i++) {
        uint32_t code = i * 2147u + (uint32_t)(next_random(&seed) >> 53);
        float f;
        memcpy(&f, &code, sizeof f);
        Num n = num_of(PTRT_F32, code);
        if (isnan(f)) {
            assert_true(isnan(n.f));
            continue;
        }
        assert_true(n.f == (double)f);
        assert_int_equal(code_of(PTRT_F32, n), code);
        /* A double between two floats: the machine rounds to even. */
        uint64_t wide;
        memcpy(&wide, &n.f, sizeof wide);
        wide ^= next_random(&seed) >> 35;
        double d;
        memcpy(&d, &wide, sizeof d);
        if (isnan(d)) continue;
        f = (float)d;
        memcpy(&code, &f, sizeof code);
        assert_int_equal(code_of_real(PTRT_F32, d, TO_EVEN, false), code);
        assert_true(rounded(PTRT_F32, d, TO_FLOOR) <= d && rounded(PTRT_F32, d, TO_CEIL) >= d);
    }
}

/* tf32 has the range of f32 and the precision of f16. */
static void test_tf32(void **state) {
    (void)state;
    assert_int_equal(code_of_real(PTRT_TF32, 1.0 + 0x1p-11, TO_EVEN, false), 0x3F800000);
    assert_int_equal(code_of_real(PTRT_TF32, 1.0 + 0x1.8p-10, TO_EVEN, false), 0x3F804000);
    assert_int_equal(code_of_real(PTRT_TF32, -INFINITY, TO_EVEN, false), 0xFF800000);
    assert_int_equal(code_of_real(PTRT_TF32, 1e39, TO_EVEN, false), 0x7F800000);
    assert_true(isnan(num_of(PTRT_TF32, code_of_real(PTRT_TF32, NAN, TO_EVEN, false)).f));
    for (uint32_t half = 0; half < 0x80000; half++) {
        uint32_t code = half << 13;
        Num n = num_of(PTRT_TF32, code);
        if (!isnan(n.f)) assert_int_equal(code_of(PTRT_TF32, n), code);
    }
}

static void test_f64_sampled(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < 500000; i++) {
        uint64_t code = next_random(&seed);
        if (i % 4 == 0) code &= UINT64_C(0x800FFFFFFFFFFFFF);
        Num n = num_of(PTRT_F64, code);
        if (!isnan(n.f)) assert_int_equal(code_of(PTRT_F64, n), code);
    }
}

/* ---- integers, lanes, extremes ---- */

static void test_integers(void **state) {
    (void)state;
    assert_true(num_of(PTRT_I8, 0x80).i == -128 && num_of(PTRT_U8, 0x80).i == 128);
    assert_true(num_of(PTRT_I64, UINT64_MAX).i == -1);
    assert_int_equal(code_of_int(PTRT_I8, 300), 44);
    assert_int_equal(code_of_int(PTRT_U32, -1), 0xFFFFFFFF);
    assert_int_equal(code_of_clamped(PTRT_I8, 200, TO_EVEN), 0x7F);
    assert_int_equal(code_of_clamped(PTRT_I8, -1e9, TO_EVEN), 0x80);
    assert_int_equal(code_of_clamped(PTRT_U8, -0.6, TO_EVEN), 0);
    assert_int_equal(code_of_clamped(PTRT_I32, NAN, TO_EVEN), 0);
    assert_int_equal(code_of_clamped(PTRT_U64, 0x1p63, TO_EVEN), UINT64_C(1) << 63);
    assert_int_equal(code_of_clamped(PTRT_U64, INFINITY, TO_EVEN), UINT64_MAX);
    assert_int_equal(code_of_clamped(PTRT_I64, 0x1p63, TO_EVEN), INT64_MAX);
    static const double ties[][7] = {
        /* value, even, away, floor, ceil, zero, odd */
        {2.5, 2, 3, 2, 3, 2, 3},     {-2.5, -2, -3, -3, -2, -2, -3}, {3.5, 4, 4, 3, 4, 3, 3},
        {-0.25, 0, 0, -1, 0, 0, -1}, {7, 7, 7, 7, 7, 7, 7},
    };
    for (size_t i = 0; i < sizeof ties / sizeof *ties; i++)
        for (int r = TO_EVEN; r <= TO_ODD; r++)
            assert_true(real_to_integral(ties[i][0], (Rounding)r) == ties[i][1 + r]);
}

static void test_lanes(void **state) {
    (void)state;
    assert_int_equal(lane_bits(PTRT_F4E2M1X2, 0xA3, 0), 3);
    assert_int_equal(lane_bits(PTRT_F4E2M1X2, 0xA3, 1), 10);
    assert_int_equal(lane_put(PTRT_F4E2M1X2, 0xA3, 1, 5), 0x53);
    assert_int_equal(lane_put(PTRT_BF16X2, 0x11112222, 0, 0x3F80), 0x11113F80);
    assert_int_equal(lane_bits(PTRT_HIF8X2, 0x6F08, 1), 0x6F);
    assert_true(bits_have_nan(PTRT_BF16X2, 0x7FC10000) && !bits_have_nan(PTRT_BF16X2, 0x7F800000));
    assert_true(bits_same(PTRT_BF16X2, 0x7FC13F80, 0xFFFF3F80));
    assert_false(bits_same(PTRT_BF16X2, 0x7FC13F80, 0x7FC13F81));
    assert_false(bits_same(PTRT_F32, 0, 0x80000000));
}

static void test_extremes(void **state) {
    (void)state;
    for (int elem = 0; elem < PTRT_ELEMS; elem++) {
        Num low = num_of(elem, code_min(elem)), high = num_of(elem, code_max(elem));
        if (lane_width(elem) > 16) continue;
        for (uint64_t code = 0; code < (uint64_t)1 << lane_width(elem); code++) {
            Num n = num_of(elem, code);
            if (elem_is_real(elem))
                assert_true(isnan(n.f) || (n.f >= low.f && n.f <= high.f));
            else
                assert_true(n.i >= low.i && n.i <= high.i);
        }
    }
    assert_int_equal(code_max(PTRT_F64), UINT64_C(0x7FF0000000000000));
    assert_int_equal(code_min(PTRT_I64), UINT64_C(0x8000000000000000));
    assert_int_equal(code_min(PTRT_TF32), 0xFF800000);
}

static void test_ulps(void **state) {
    (void)state;
    assert_true(ulps_between(PTRT_F32, 0x3F800001, 1.0L) == 1);
    assert_true(ulps_between(PTRT_F32, 0x3F800000, 1.0L + 0x1p-24L) == 0.5);
    assert_true(ulps_between(PTRT_F32, 1, 0) == 1);
    assert_true(ulps_between(PTRT_F16, 0x7C00, 1e6L) == 0);
    assert_true(isinf(ulps_between(PTRT_F16, 0x7BFF, 1e6L)));
    assert_true(ulps_between(PTRT_F16, 0x7E00, (long double)NAN) == 0);
    assert_true(isinf(ulps_between(PTRT_F16, 0, (long double)NAN)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes_round_trip),
        cmocka_unit_test(test_between_neighbours),
        cmocka_unit_test(test_halves_in_integers),
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_hif8_values_differ),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_f32_sampled),
        cmocka_unit_test(test_tf32),
        cmocka_unit_test(test_f64_sampled),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_ulps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
