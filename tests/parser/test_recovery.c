/* SPDX-License-Identifier: Apache-2.0 */
/* Syntax errors: one diagnostic for each bad statement, none for the good ones around it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parser/parse.h"

/* Parses; writes `line:id` of every error, separated by blanks, to `got`. */
static void errors_of(const char *text, size_t n, char *got, size_t size) {
    Context *ctx = calloc(1, sizeof *ctx);
    Source src = {"test", text, (uint32_t)n};
    if (setjmp(ctx->oom) != 0) fail_msg("out of memory");
    context_init(ctx, &src, 0);
    parse_module(ctx);
    size_t len = 0;
    got[0] = '\0';
    for (const Diag *d = ctx->diags.first; d != NULL && len + 40 < size; d = d->next) {
        if (d->severity != SEV_ERROR) continue;
        len += (size_t)snprintf(got + len, size - len, "%s%u:%s", len != 0 ? " " : "",
                                source_line_from(&src, 0, 1, d->span.off), diag_infos[d->id].text);
    }
    context_free(ctx);
    free(ctx);
}

#define HEAD "func.func @k(%a: index, %b: index, %c: i1) {\n"
#define TAIL "\n%z = arith.addi %a, %b : index\nreturn\n}\n"

static const struct {
    const char *text, *errors;
} cases[] = {
    {HEAD "%x = arith.addi %a, %b : index" TAIL, ""},
    {HEAD "%x = arith.addi %a %b : index\n%y = arith.addi %x, %x : index" TAIL, "2:syntax"},
    {HEAD "%x = arith.addi %a, : index" TAIL, "2:syntax"},
    {HEAD "%x =\n%y = arith.addi %x, %x : index" TAIL, "2:syntax"},
    {HEAD "%x = arith.addi %a, %b :" TAIL, "2:syntax"},
    {HEAD "%x = arith.addi %a, %b) : index" TAIL, "2:syntax"},
    {HEAD "%x = arith.addi (%a, %b : index" TAIL, "2:syntax"},
    {HEAD "%x = arith.addi (%a, %b : index\n%y = arith.addi %x, %a : index" TAIL, "2:syntax"},
    {HEAD "%x = arith.addi %a, %b {k = } : index" TAIL, "2:syntax"},
    {HEAD "%x = arith.addi %a, %b {k = 1, } : index" TAIL, "2:syntax"},
    {HEAD "%x = arith.addi %a, %b : !pto.ptr<f32" TAIL, "2:bad-type"},
    {HEAD "%x = arith.addi %a, \"open" TAIL, "2:bad-string"},
    {HEAD "%x = arith.addi %a, [%b" TAIL, "2:syntax"},
    {HEAD "%x = arith.addi %a, \f %b : index" TAIL, "2:bad-character"},
    {HEAD "tmatmul : !pto.tile_buf<vec, 16x16xf32> -> !pto.tile_buf<acc, 16x16xf32>" TAIL,
     "2:operand-count"},
    /* a header that cannot be read keeps its region; names it defines count as defined */
    {HEAD "scf.for %i = to %b step %b {\n  %x = arith.addi %i, %a : index\n}" TAIL, "2:syntax"},
    {HEAD "scf.for %i = %a to %b step %b iter_args(%q = %a -> (index) {\n"
          "  %x = arith.addi %i, %q : index\n}" TAIL,
     "2:syntax"},
    {HEAD "scf.if %c {\n  %x = arith.addi %a %b : index\n} else {\n"
          "  %x = arith.addi %a %b : index\n}" TAIL,
     "3:syntax 5:syntax"},
    {HEAD "scf.if %c {\n} else %a %b {\n  %x = arith.addi %a, %b : index\n}" TAIL, "3:syntax"},
    /* braces */
    {HEAD "scf.if %c {" TAIL, "6:syntax"},
    {HEAD "%x = arith.addi %a, %b : index" TAIL "}\n", "6:syntax"},
    {HEAD "}\n}\n" HEAD "return\n}\n", "3:syntax"},
    {"func.func @k(%a: index\nfunc.func @l() {\nreturn\n}\n", "1:syntax"},
    {"func.func @k() {\n  %x = arith.constant 1 : index", "2:syntax"},
    /* ten bad statements, ten diagnostics */
    {HEAD "%q = arith.addi %a %b : index\n%r = arith.addi %a, : index\n%s =\n%t = arith.addi (%a\n"
          "%u = arith.addi %a) : index\n%v = arith.addi [%a\n%w = arith.addi %a {k = }\n"
          "%x = arith.addi %a : !pto.ptr<f32\n%y = arith.addi \"x\n%y2 = arith.addi -, %a : index\n"
          "%y3 = arith.addi %q, %r : index\n%y4 = arith.addi %s, %y2 : index" TAIL,
     "2:syntax 3:syntax 4:syntax 5:syntax 6:syntax 7:syntax 8:syntax 9:bad-type 10:bad-string "
     "11:syntax"},
};

static void recovery(void **state) {
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char got[1000];
        errors_of(cases[i].text, strlen(cases[i].text), got, sizeof got);
        if (strcmp(got, cases[i].errors) != 0) {
            print_error("%s\n  gives '%s', expected '%s'\n", cases[i].text, got, cases[i].errors);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static char *repeat(const char *head, const char *piece, size_t times, const char *tail) {
    size_t h = strlen(head), p = strlen(piece), t = strlen(tail);
    char *text = malloc(h + p * times + t + 1);
    memcpy(text, head, h);
    for (size_t i = 0; i < times; i++)
        memcpy(text + h + i * p, piece, p);
    memcpy(text + h + p * times, tail, t + 1);
    return text;
}

static void expect_errors(char *text, const char *expected) {
    char got[1000];
    errors_of(text, strlen(text), got, sizeof got);
    free(text);
    assert_string_equal(got, expected);
}

static void nested_regions(void **state) {
    (void)state;
    /* 255 regions inside the function fit, 10,000 give one diagnostic. */
    char *inner = repeat("", "scf.if %c {\n", 255, ""),
         *closed = repeat(inner, "}\n", 255, "return\n}\n");
    free(inner);
    expect_errors(repeat(HEAD, closed, 1, ""), "");
    free(closed);
    inner = repeat(HEAD, "scf.if %c {\n", 10000, "");
    expect_errors(repeat(inner, "}\n", 10000, "return\n}\n"), "257:nesting");
    free(inner);
}

static void nested_brackets(void **state) {
    (void)state;
    expect_errors(repeat("func.func private @k() attributes {a = ", "[", 100000, "}\n"),
                  "1:nesting");
    expect_errors(repeat("func.func private @k(", "(", 100000, "\nfunc.func private @l()\n"),
                  "1:nesting");
}

/* Wherever the tokens read at once end. */
static void region_too_many(void **state) {
    (void)state;
    for (unsigned n = 0; n < 600; n++) {
        char got[1000], want[40];
        char *text = repeat("func.func @k(%c: i1) {\n", "return\n", n,
                            "scf.if %c {\n} else {\n} {\n}\nreturn\n}\n");
        errors_of(text, strlen(text), got, sizeof got);
        free(text);
        snprintf(want, sizeof want, "%u:syntax", n + 4);
        assert_non_null(strstr(got, want));
    }
}

/* Long and hostile inputs end, with few diagnostics. */
static void hostile(void **state) {
    (void)state;
    static const char *const pieces[] = {
        "!pto.a<", "!pto.a<\n", "^b(",        "%a, ",    "%a = ", "{",    "}",    "(",
        "\"",      "\"a\"({",   "\"a\"() <{", "pto.x {", "@a::",  "loc(", "a = {"};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        char got[200], *text = repeat("", pieces[i], 20000, "");
        errors_of(text, strlen(text), got, sizeof got);
        free(text);
        assert_true(strlen(got) > 0);
    }
}

static void nul_bytes(void **state) {
    (void)state;
    static const char text[] = "func.func private @k()\n\0\nfunc.func private @l()\n";
    char got[100];
    errors_of(text, sizeof text - 1, got, sizeof got);
    assert_string_equal(got, "2:bad-character");
    errors_of("", 0, got, sizeof got);
    assert_string_equal(got, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovery),        cmocka_unit_test(nested_regions),
        cmocka_unit_test(nested_brackets), cmocka_unit_test(hostile),
        cmocka_unit_test(nul_bytes),       cmocka_unit_test(region_too_many),
    };
    return cmocka_run_group_tests_name("recovery", tests, NULL, NULL);
}
