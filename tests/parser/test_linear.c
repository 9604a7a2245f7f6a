/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of every kind, one eight times as long as the other: reading one element takes as long in
 * the longer one, up to noise. Quadratic time takes eight times as long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parser/parse.h"

enum { FEWER = 1024, MORE = 8 * FEWER, LONGEST_ELEMENT = 128 };

/* `element` is printed with its number, once or twice, between `head` and `tail`; where the list
 * wants it, `separator` is put between two. */
static const struct {
    const char *name, *head, *element, *separator, *tail;
} lists[] = {
    {"arguments of PTO-AS", "", ".arg %%a%d : i32\n", "", "%r = arith.addi %a0, %a1 : i32\n"},
    {"constants of PTO-AS", "", ".const %%c%d = 1 : i32\n", "", ""},
    {"parameters", "func.func @k(", "%%a%d: i32", ", ", ") {\n  return\n}\n"},
    {"statements", "func.func @k() {\n", "%%c%d = arith.constant %d : i32\n", "", "return\n}\n"},
    {"blocks", "func.func @k() {\ncf.br ^b0\n", "^b%d:\ncf.br ^b%d\n", "", "}\n"},
    {"attributes", "func.func @k() attributes {", "k%d = %d : i32", ", ", "} {\n  return\n}\n"},
    {"functions", "", "func.func @f%d() {\n  return\n}\n", "", ""},
    {"modules", "", "module {\n.arg %%a%d : i32\n%%r = arith.addi %%a%d, %%a%d : i32\n}\n", "", ""},
    {"type aliases", "", "!t%d = !pto.ptr<f32>\n", "", ""},
};

static char *list_text(size_t k, int n) {
    size_t cap = (size_t)n * LONGEST_ELEMENT + 256, len = 0;
    char *text = malloc(cap);
    assert_non_null(text);
    len = (size_t)snprintf(text, cap, "%s", lists[k].head);
    for (int i = 0; i < n; i++) {
        if (i > 0) len += (size_t)snprintf(text + len, cap - len, "%s", lists[k].separator);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        len += (size_t)snprintf(text + len, cap - len, lists[k].element, i, i, i);
#pragma GCC diagnostic pop
        assert_true(len < cap);
    }
    snprintf(text + len, cap - len, "%s", lists[k].tail);
    return text;
}

static double seconds(void) {
    struct timespec t;
    assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t), 0);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void parse(const char *text) {
    Context *ctx = calloc(1, sizeof *ctx);
    assert_non_null(ctx);
    Source src = {"test", text, (uint32_t)strlen(text)};
    if (setjmp(ctx->oom) != 0) fail_msg("out of memory");
    context_init(ctx, &src, 0);
    parse_module(ctx);
    context_free(ctx);
    free(ctx);
}

static double time_of(const char *text, int times) {
    double start = seconds();
    for (int i = 0; i < times; i++)
        parse(text);
    return seconds() - start;
}

/* Ratio of the shortest times of several measurements, taken in turns so that a busy machine slows
 * both alike. A few rounds suffice where nothing disturbs them; more follow only while the ratio
 * is too large, which quadratic time stays through all of them. */
static double ratio_of(const char *few, const char *many, double limit) {
    enum { ROUNDS = 3, MOST_ROUNDS = 60 };
    double best_few = 1e9, best_many = 1e9;
    for (int r = 0; r < MOST_ROUNDS; r++) {
        double f = time_of(few, MORE / FEWER), m = time_of(many, 1);
        if (f < best_few) best_few = f;
        if (m < best_many) best_many = m;
        if (r + 1 >= ROUNDS && best_many <= limit * best_few) break;
    }
    return best_many / best_few;
}

static void linear(void **state) {
    enum { LIMIT = 3 };
    (void)state;
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        char *few = list_text(k, FEWER), *many = list_text(k, MORE);
        double ratio = ratio_of(few, many, LIMIT);
        print_message("# %s: %.2f\n", lists[k].name, ratio);
        if (ratio > LIMIT)
            fail_msg("%s: an element takes %.1f times as long", lists[k].name, ratio);
        free(few);
        free(many);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(linear)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
