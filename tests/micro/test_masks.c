/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on masks, bit by bit. */
#include "random.h"

#include "ptort_micro.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BITS = 256, TRIALS = 500 };

typedef struct Bits {
    bool at[2 * BITS];
} Bits;

static Random noise = {7};

static Bits bits_of(const ptrt_mask *m) {
    Bits b = {{false}};
    for (int i = 0; i < BITS; i++)
        b.at[i] = (m->bits[i / 64] >> (i % 64) & 1) != 0;
    return b;
}

/* Compares with the bits from `first` on. */
static void check(const char *what, const ptrt_mask *got, const Bits *want, int first) {
    const Bits b = bits_of(got);
    for (int i = 0; i < BITS; i++)
        if (b.at[i] != want->at[first + i]) fail_msg("%s: bit %d is %d", what, i, b.at[i]);
}

static ptrt_mask any_mask(void) {
    ptrt_mask m;
    for (int i = 0; i < 4; i++)
        m.bits[i] =
            random_bits(&noise) & (random_below(&noise, 2) ? ~UINT64_C(0) : random_bits(&noise));
    return m;
}

/* ---- lanes ---- */

static void test_patterns(void **state) {
    static const int firsts[][2] = {{1, 1},  {2, 2},  {3, 3},  {4, 4},   {5, 8},
                                    {6, 16}, {7, 32}, {8, 64}, {13, 128}};
    (void)state;
    for (int width = 1; width <= 4; width *= 2)
        for (int pattern = 0; pattern < 16; pattern++) {
            ptrt_mask m;
            Bits want = {{false}};
            const int lanes = BITS / width;
            if (pattern == 14) continue; /* none */
            for (int i = 0; i < lanes; i++) {
                bool *at = &want.at[i * width];
                if (pattern == 0) *at = true;
                if (pattern == 9) *at = i % 3 == 0;
                if (pattern == 10) *at = i % 4 == 0;
                if (pattern == 11) *at = i < lanes / 2;
                if (pattern == 12) *at = i < lanes / 4;
                for (size_t k = 0; k < sizeof firsts / sizeof *firsts; k++)
                    if (firsts[k][0] == pattern) *at = i < firsts[k][1];
            }
            ptrt_pattern_mask(&m, pattern, width);
            check("pattern", &m, &want, 0);
        }
}

static void test_counts(void **state) {
    (void)state;
    for (int n = 0; n < TRIALS; n++) {
        const int width = 1 << random_below(&noise, 3), lanes = BITS / width;
        const int64_t count = random_below(&noise, 3 * lanes) - lanes / 2;
        const int64_t loop = random_below(&noise, 4) == 0 ? -1 : random_below(&noise, 4);
        const int64_t passed = loop < 0 ? 65535 : loop; /* loop has 16 bits and no sign */
        const int64_t bound = passed * lanes + count;
        Bits want = {{false}};
        ptrt_mask m;
        int32_t rest;
        for (int i = 0; i < lanes; i++)
            want.at[i * width] = i < count;
        ptrt_first_lanes(&m, &rest, count, width);
        check("first", &m, &want, 0);
        assert_int_equal(rest, count < lanes ? 0 : count - lanes);
        ptrt_lanes_below(&m, loop, bound, width);
        check("below", &m, &want, 0);
    }
}

/* ---- bits ---- */

static void test_logic(void **state) {
    (void)state;
    for (int n = 0; n < TRIALS; n++) {
        const ptrt_mask a = any_mask(), b = any_mask(), m = any_mask();
        const Bits x = bits_of(&a), y = bits_of(&b), k = bits_of(&m);
        Bits and, or, xor, sel, not ;
        ptrt_mask out;
        for (int i = 0; i < BITS; i++) {
            and.at[i] = x.at[i] && y.at[i] && k.at[i];
            or.at[i] = (x.at[i] || y.at[i]) && k.at[i];
            xor.at[i] = x.at[i] != y.at[i] && k.at[i];
            sel.at[i] = k.at[i] ? x.at[i] : y.at[i];
            not .at[i] = !x.at[i] && k.at[i];
        }
        ptrt_mask_and(&out, &a, &b, &m);
        check("and", &out, &and, 0);
        ptrt_mask_or(&out, &a, &b, &m);
        check("or", &out, & or, 0);
        ptrt_mask_xor(&out, &a, &b, &m);
        check("xor", &out, &xor, 0);
        ptrt_mask_select(&out, &a, &b, &m);
        check("select", &out, &sel, 0);
        ptrt_mask_not(&out, &a, &m);
        check("not", &out, &not, 0);
        ptrt_mask_copy(&out, &a);
        check("copy", &out, &x, 0);
    }
}

static void test_halves(void **state) {
    (void)state;
    for (int n = 0; n < TRIALS; n++) {
        const ptrt_mask a = any_mask();
        const Bits x = bits_of(&a);
        for (int upper = 0; upper < 2; upper++) {
            Bits packed = {{false}}, unpacked = {{false}};
            ptrt_mask out;
            for (int i = 0; i < BITS / 2; i++) {
                packed.at[upper * BITS / 2 + i] = x.at[2 * i];
                unpacked.at[2 * i] = x.at[upper * BITS / 2 + i];
            }
            ptrt_mask_pack(&out, &a, upper);
            check("pack", &out, &packed, 0);
            ptrt_mask_unpack(&out, &a, upper);
            check("unpack", &out, &unpacked, 0);
        }
    }
}

static void test_zips(void **state) {
    (void)state;
    for (int n = 0; n < TRIALS; n++) {
        const int width = 1 << random_below(&noise, 3);
        const ptrt_mask a = any_mask(), b = any_mask();
        const Bits x = bits_of(&a), y = bits_of(&b);
        Bits zipped, even, odd;
        ptrt_mask low, high;
        for (int i = 0; i < 2 * BITS; i++) {
            const int lane = i / width, bit = i % width;
            zipped.at[i] = (lane % 2 == 0 ? x : y).at[lane / 2 * width + bit];
            const bool of_pair = i < BITS ? x.at[i] : y.at[i - BITS];
            (lane % 2 == 0 ? &even : &odd)->at[lane / 2 * width + bit] = of_pair;
        }
        ptrt_mask_zip(&low, &high, &a, &b, width);
        check("zip, low", &low, &zipped, 0);
        check("zip, high", &high, &zipped, BITS);
        ptrt_mask_unzip(&low, &high, &a, &b, width);
        check("unzip, low", &low, &even, 0);
        check("unzip, high", &high, &odd, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_patterns),
                                       cmocka_unit_test(test_counts), cmocka_unit_test(test_logic),
                                       cmocka_unit_test(test_halves), cmocka_unit_test(test_zips)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
