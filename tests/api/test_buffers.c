/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm_kernel_buffer: the memory that the views of buffers.pto make of its pointers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/checkrun.h"

enum { MOST_PARAMS = 8, LINE = 256 };

/* For each kernel: the pointer's number, the grid, the numbers of the parameters (`-` = not known),
 * and the shape, or what the reason begins with. */
static const struct {
    const char *kernel;
    size_t param;
    int64_t blocks;
    const char *numbers, *answer;
} cases[] = {
    {"constant", 0, 1, "-", "16x64"},
    {"scalar", 0, 1, "- 10 -", "10x64"},
    {"scalar", 0, 1, "- 0 -", "0x64"},
    {"scalar", 0, 1, "- -5 -", "0x64"},
    {"scalar", 0, 1, "- - -", "?x64 the view depends on %n"},
    {"scalar", 0, 1, "- 9223372036854775807 -", "the view reaches before its pointer or beyond"},
    {"arithmetic", 0, 1, "- 20 1", "48x20"},
    {"arithmetic", 0, 1, "- 20 0", "20x20"},
    {"arithmetic", 0, 1, "- 300 0", "300x44"},
    {"arithmetic", 0, 1, "- 7 -", "?x7 the view depends on %b"},
    {"grid", 0, 1, "-", "32x32"},
    {"grid", 0, 5, "-", "160x32"},
    {"grid", 0, 2147483647, "-", "68719476704x32"},
    {"block", 0, 1, "- 100", "8x32"},
    {"block", 0, 3, "- 100", "24x32"},
    {"block", 0, 3, "- 18", "18x32"},
    {"block", 0, 3, "- 1", "1x32"},
    {"block", 0, 2147483647, "- 1", "there are too many blocks and statements"},
    {"supplied", 0, 3, "- 10", "5x10"},
    {"packed", 0, 1, "-", "12x16"},
    {"odd_place", 0, 1, "-", "65"},
    {"padded", 0, 1, "- - - -", "16x32"},
    {"padded", 1, 1, "- - - -", "20x16"},
    {"padded", 2, 1, "- - - -", "16x32x2"},
    {"padded", 3, 1, "- - - -", "20"},
    {"units", 0, 1, "-", "1x1x1x32x32"},
    {"calls", 0, 1, "- - 7", "14"},
    {"calls", 1, 1, "- - 7", "28"},
    {"loaded", 0, 1, "- -", "? the view depends on %many"},
    {"loaded", 1, 1, "- -", "no view says it"},
    {"loop", 0, 1, "- 4", "? the view depends on %i"},
    {"before", 0, 1, "- -3", "0x1"},
    {"before", 0, 1, "- 3", "4x3"},
};

static ptoasm_source *src;
static ptoasm_result *res;

static size_t find_kernel(const char *name) {
    ptoasm_kernel k;
    for (size_t i = 0; ptoasm_kernel_at(res, i, &k); i++)
        if (strcmp(k.name, name) == 0) return i;
    fail_msg("no kernel %s", name);
    return 0;
}

static size_t read_numbers(const char *text, bool *known, int64_t *values) {
    size_t n = 0;
    for (const char *p = text; *p != '\0'; n++) {
        size_t len = strcspn(p, " ");
        known[n] = !(len == 1 && *p == '-');
        values[n] = known[n] ? strtoll(p, NULL, 10) : 0;
        p += len;
        p += *p == ' ';
    }
    return n;
}

static void answer_of(const ptoasm_buffer *b, char *out) {
    size_t len = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < b->rank; i++) {
        len += (size_t)snprintf(out + len, LINE - len, i > 0 ? "x" : "%s", "");
        if (b->shape[i] == PTOASM_EXTENT_ANY)
            len += (size_t)snprintf(out + len, LINE - len, "?");
        else
            len += (size_t)snprintf(out + len, LINE - len, "%lld", (long long)b->shape[i]);
    }
    if (!b->known) snprintf(out + len, LINE - len, "%s%s", len > 0 ? " " : "", b->reason);
}

static void shapes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool known[MOST_PARAMS];
        int64_t values[MOST_PARAMS];
        size_t n = read_numbers(cases[i].numbers, known, values);
        const ptoasm_launch launch = {sizeof launch, cases[i].blocks, n, known, values};
        size_t k = find_kernel(cases[i].kernel);
        ptoasm_kernel kernel;
        ptoasm_buffer b;
        char answer[LINE];
        assert_true(ptoasm_kernel_at(res, k, &kernel));
        assert_int_equal(kernel.params, n);
        assert_int_equal(ptoasm_kernel_buffer(res, k, cases[i].param, &launch, &b), PTOASM_OK);
        answer_of(&b, answer);
        if (strncmp(answer, cases[i].answer, strlen(cases[i].answer)) != 0 ||
            (b.known && strcmp(answer, cases[i].answer) != 0))
            fail_msg("%s, parameter %zu, %s: '%s', not '%s'", cases[i].kernel, cases[i].param,
                     cases[i].numbers, answer, cases[i].answer);
        assert_int_equal(b.known, *b.reason == '\0');
    }
}

static void arguments(void **state) {
    (void)state;
    const bool known[MOST_PARAMS] = {false};
    const int64_t values[MOST_PARAMS] = {0};
    ptoasm_launch launch = {sizeof launch, 1, 0, known, values};
    ptoasm_buffer b;
    size_t k = find_kernel("scalar");
    assert_int_equal(ptoasm_kernel_buffer(res, k, 0, &launch, &b), PTOASM_OK);
    assert_false(b.known); /* no entry for %n is none that is known */
    assert_int_equal(ptoasm_kernel_buffer(res, k, 1, &launch, &b), PTOASM_ARGUMENT);
    assert_int_equal(ptoasm_kernel_buffer(res, k, 3, &launch, &b), PTOASM_ARGUMENT);
    assert_int_equal(ptoasm_kernel_buffer(res, 1000, 0, &launch, &b), PTOASM_ARGUMENT);
    launch.size = 1;
    assert_int_equal(ptoasm_kernel_buffer(res, k, 0, &launch, &b), PTOASM_ARGUMENT);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes), cmocka_unit_test(arguments)};
    size_t n;
    char *text = argc > 1 ? read_whole_file(argv[1], &n) : NULL;
    ptoasm_options cpu = PTOASM_OPTIONS_INIT;
    cpu.profiles = PTOASM_PROFILE_CPU;
    if (text == NULL || ptoasm_source_open("buffers.pto", text, n, 0, &src) != PTOASM_OK) return 2;
    int status = ptoasm_emit(src, &cpu, NULL, &res);
    if (res == NULL) return 2;
    if (status != PTOASM_OK) fputs(ptoasm_diagnostics_text(res, 0, NULL), stderr);
    int failed = status != PTOASM_OK ? 2 : cmocka_run_group_tests(tests, NULL, NULL);
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    free(text);
    return failed;
}
