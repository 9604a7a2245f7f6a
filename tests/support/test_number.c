/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text: what is read is the nearest double, what is written is read back, and no locale
 * changes either. The reference is the C library in its own locale. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/comma.h"
#include "support/number.h"

static uint64_t bits_of(double d) {
    uint64_t b;
    memcpy(&b, &d, sizeof b);
    return b;
}

static uint64_t next(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Reads the text in the locale of the moment, and with strtod in the C locale. */
static void same_as_strtod(const char *text) {
    static locale_t c;
    if (c == (locale_t)0) c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double got = 42;
    if (!number_read(text, strlen(text), &got)) fail_msg("'%.60s' is not read", text);
    locale_t old = uselocale(c);
    double want = strtod(text, NULL);
    uselocale(old);
    if (bits_of(got) != bits_of(want)) fail_msg("'%.60s': %a, not %a", text, got, want);
}

static const char *const numbers[] = {"0",
                                      "-0",
                                      "0.0",
                                      "1",
                                      "+1",
                                      "1.5",
                                      "-1.5",
                                      ".5",
                                      "5.",
                                      "1e3",
                                      "1E+3",
                                      "1.e-3",
                                      "0.001",
                                      "000001.500000",
                                      "123456789012345678901234567890",
                                      "1e400",
                                      "-1e400",
                                      "1e-400",
                                      "4.9e-324",
                                      "2.4703282292062327e-324",
                                      "2.4703282292062328e-324",
                                      "1.7976931348623157e308",
                                      "1.7976931348623159e308",
                                      "9007199254740993",
                                      "9007199254740992.9999999999",
                                      "1e99999999999999",
                                      "0e99999999999999999999",
                                      "1e-99999999999999999999",
                                      "0x0",
                                      "0x1p0",
                                      "0x1.8p1",
                                      "0X1.8P-1",
                                      "0x.8",
                                      "0x8.",
                                      "0xabcdefABCDEF",
                                      "0x1.fffffffffffff8p0",
                                      "0x1.fffffffffffff7fffp0",
                                      "0x1p-1074",
                                      "0x1p-1075",
                                      "0x1.8p-1075",
                                      "0x1p99999",
                                      "inf",
                                      "-INF",
                                      "Infinity"};

static const char *const others[] = {
    "",     "-",  "+",   ".",    "-.",   "e5",  "1e",  "1e+",   "1e5x", "1.5 ", " 1",     "1,5",
    "1.5.", "0x", "0x.", "0xp1", "0x1g", "1p1", "--1", "1e1.5", "in",   "infx", "nan(1)", "1_0"};

static void read_list(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        same_as_strtod(numbers[i]);
    double d;
    assert_true(number_read("-NaN", 4, &d) && isnan(d));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (number_read(others[i], strlen(others[i]), &d)) fail_msg("'%s' is read", others[i]);
}

/* Digits of every number, the point anywhere, exponents around those of doubles. */
static void read_random(void **state) {
    (void)state;
    uint64_t seed = 1;
    char text[2048];
    for (int round = 0; round < 20000; round++) {
        size_t n = 0, digits = 1 + next(&seed) % (round % 50 == 0 ? 1500 : 30);
        size_t point = next(&seed) % (digits + 1);
        for (size_t i = 0; i < digits; i++) {
            if (i == point) text[n++] = '.';
            text[n++] = (char)('0' + (next(&seed) % 4 == 0 ? 0 : next(&seed) % 10));
        }
        snprintf(text + n, sizeof text - n, "e%d", (int)(next(&seed) % 700) - 350);
        same_as_strtod(text);
    }
}

/* Halfway between two doubles, and a last digit, however late, to either side of it. */
static void read_halves(void **state) {
    (void)state;
    uint64_t seed = 7;
    char *text = malloc(4096);
    assert_non_null(text);
    for (int round = 0; round < 300; round++) {
        double d =
            ldexp(1.0 + (double)(next(&seed) >> 12) * 0x1p-52, (int)(next(&seed) % 1900) - 950);
        double up = nextafter(d, INFINITY);
        /* long double holds the middle exactly on x86 only: where it does not, this is one more
         * number */
        snprintf(text, 2048, "%.1100Lf", ((long double)d + (long double)up) / 2);
        same_as_strtod(text);
        size_t n = strlen(text);
        memset(text + n, '0', 900);
        strcpy(text + n + 900, "1");
        same_as_strtod(text);
    }
    free(text);
}

static void write_back(void **state) {
    (void)state;
    jmp_buf oom;
    Arena arena;
    arena_init(&arena, &oom);
    if (setjmp(oom) != 0) fail_msg("out of memory");
    uint64_t seed = 3;
    for (int round = 0; round < 20000; round++) {
        uint64_t b = next(&seed);
        double d, back;
        memcpy(&d, &b, sizeof d);
        if (!isfinite(d)) continue;
        for (int hex = 0; hex < 2; hex++) {
            StrBuf sb;
            sb_init(&sb, &arena);
            (hex ? number_put_hex : number_put)(&sb, d);
            assert_null(strchr(sb_text(&sb), ','));
            assert_true(number_read(sb_text(&sb), sb.len, &back));
            assert_true(bits_of(back) == bits_of(d));
        }
    }
    arena_free(&arena);
}

static void write_list(void **state) {
    (void)state;
    static const struct {
        double d;
        const char *decimal, *hex;
    } list[] = {{1.5, "1.500000e+00", "0x1.8p+0"},
                {0, "0.000000e+00", "0x0p+0"},
                {-0.1, "-1.000000e-01", "-0x1.999999999999ap-4"},
                {1234567.25, "1.23456725e+06", "0x1.2d6874p+20"},
                {0x1p1023, "8.98846567431158e+307", "0x1p+1023"}};
    jmp_buf oom;
    Arena arena;
    arena_init(&arena, &oom);
    if (setjmp(oom) != 0) fail_msg("out of memory");
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        StrBuf a, b;
        sb_init(&a, &arena);
        sb_init(&b, &arena);
        number_put(&a, list[i].d);
        number_put_hex(&b, list[i].d);
        assert_string_equal(sb_text(&a), list[i].decimal);
        assert_string_equal(sb_text(&b), list[i].hex);
    }
    arena_free(&arena);
}

static void under_another_locale(void **state) {
    locale_t comma = comma_locale();
    if (comma == (locale_t)0) {
        print_message("# localedef cannot make a locale with a comma here\n");
        skip();
    }
    uselocale(comma);
    read_list(state);
    read_random(state);
    write_list(state);
    write_back(state);
    uselocale(LC_GLOBAL_LOCALE);
    freelocale(comma);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_list),   cmocka_unit_test(read_random),
        cmocka_unit_test(read_halves), cmocka_unit_test(write_list),
        cmocka_unit_test(write_back),  cmocka_unit_test(under_another_locale)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
