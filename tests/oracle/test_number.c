/* SPDX-License-Identifier: Apache-2.0 */
/* test_number.c - elements as text (mem/number.h): every code of the narrow types, samples of the
 * others, against codec.h. */
#include "codec.h"
#include "mem/number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

static void one(int elem, uint64_t bits) {
    unsigned char bytes[8] = {0};
    bits_store(bytes, elem_bytes(elem), bits);
    assert_int_equal(ptrt_elem_lanes(elem), elem_lanes(elem));
    assert_int_equal(ptrt_elem_is_real(elem), elem_is_real(elem));
    if (!elem_is_real(elem)) {
        assert_true(ptrt_integer_at(elem, bytes) == num_of(elem, bits).i);
        return;
    }
    for (int lane = 0; lane < elem_lanes(elem); lane++) {
        double want = num_of(elem, lane_bits(elem, bits, lane)).f,
               got = ptrt_real_at(elem, bytes, lane);
        if (isnan(want) ? !isnan(got) : !(got == want && signbit(got) == signbit(want)))
            fail_msg("%s, bits %llx, lane %d: %g, expected %g", elem_text(elem),
                     (unsigned long long)bits, lane, got, want);
    }
}

static void values(void **state) {
    (void)state;
    for (int elem = 0; elem < PTRT_ELEMS; elem++) {
        uint32_t bytes = elem_bytes(elem);
        for (uint64_t code = 0; bytes <= 2 && code < (uint64_t)1 << 8 * bytes; code++)
            one(elem, code);
        for (uint64_t k = 0, bits = 1; bytes > 2 && k < 10000;
             k++, bits = bits * 6364136223846793005U + 1442695040888963407U)
            one(elem, bytes == 8 ? bits : bits >> 32);
    }
}

static void texts(void **state) {
    static const struct {
        const char *spec;
        char letter;
        double x;
        const char *want;
    } cases[] = {{"%.6", 'g', 0.1, "0.1"},          {"%8.4", 'f', -1.5, " -1.5000"},
                 {"%.6", 'g', -(double)NAN, "nan"}, {"%.6", 'g', -(double)INFINITY, "-inf"},
                 {"%.9", 'g', 1e300, "1e+300"},     {"%.6", 'g', -0.0, "-0"}};
    char text[32];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int n = ptrt_double_text(text, sizeof text, cases[i].spec, cases[i].letter, cases[i].x);
        assert_string_equal(text, cases[i].want);
        assert_int_equal(n, (int)strlen(text));
    }
    assert_int_equal(ptrt_double_text(text, 8, "%.6", 'f', 1e20), 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
