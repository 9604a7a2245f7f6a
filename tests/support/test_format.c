/* SPDX-License-Identifier: Apache-2.0 */
/* text_format() against vsnprintf(): random formats, arguments and sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/format.h"

enum { ROUNDS = 200000, ROOM = 300 };

static uint32_t seed = 1;
static unsigned pick(unsigned n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static int ours(char *to, size_t size, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const int n = text_format(to, size, fmt, ap);
    va_end(ap);
    return n;
}

static int theirs(char *to, size_t size, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(to, size, fmt, ap);
    va_end(ap);
    return n;
}

/* The arguments of all formats: an int, a long long, a text, and an int with a text, in turn. */
static const char *const integers[] = {"%d", "%u", "%c", "%5d", "%03u", "%x", "%%%d", "%-4d|"};
static const char *const longs[] = {"%lld", "%llu", "%llx", "+%lld"};
static const char *const texts[] = {"%s", "<%s>", "%8s", "%.3s", "%s%%", "-%s"};
static const char *const cut_texts[] = {"%.*s", "%*s", "[%.*s]"};
#define ANY(list) list[pick(sizeof list / sizeof *list)]

static void same_as_the_library(void **state) {
    (void)state;
    static const char *const words[] = {"", "a", "valid_row", "\xC3\xA4 %d",
                                        "a long text of words"};
    static const int numbers[] = {0, 1, 7, -1, 10, -10, 65, 255, 99999, INT32_MAX, INT32_MIN};
    for (int round = 0; round < ROUNDS; round++) {
        char fmt[64], a[ROOM], b[ROOM];
        snprintf(fmt, sizeof fmt, "%s%s%s%s%s%s", pick(2) ? "x = " : "", ANY(integers), ANY(longs),
                 ANY(texts), ANY(cut_texts), pick(2) ? ";\n" : "");
        const int n = ANY(numbers), width = (int)pick(30) - 3;
        const long long l = (long long)ANY(numbers) * (pick(2) ? 1 : INT32_MIN);
        const char *s = ANY(words), *cut = ANY(words);
        const size_t size = pick(4) == 0 ? pick(40) : ROOM;
        memset(a, '#', sizeof a);
        memset(b, '#', sizeof b);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        const int na = ours(a, size, fmt, n, l, s, width, cut);
        const int nb = theirs(b, size, fmt, n, l, s, width, cut);
#pragma GCC diagnostic pop
        if (na != nb || memcmp(a, b, size) != 0)
            fail_msg("format '%s' of %d, %lld, '%s', %d, '%s' in %zu bytes: %d '%.*s' instead of "
                     "%d '%.*s'",
                     fmt, n, l, s, width, cut, size, na, (int)size, a, nb, (int)size, b);
    }
}

/* The longest number; and what a caller may not give. */
static void extremes(void **state) {
    (void)state;
    char a[ROOM], b[ROOM];
    const char *volatile none = NULL;
    assert_int_equal(ours(a, sizeof a, "%lld", (long long)INT64_MIN), 20);
    assert_string_equal(a, "-9223372036854775808");
    assert_int_equal(ours(a, sizeof a, "%d %s", 1, none), theirs(b, sizeof b, "%d %s", 1, none));
    assert_string_equal(a, b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_the_library),
                                       cmocka_unit_test(extremes)};
    return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
