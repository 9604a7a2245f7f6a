/* SPDX-License-Identifier: Apache-2.0 */
/* `loc(..)`: which statement it belongs to, and which lines it names. */
#include "lexer/locations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static size_t memory; /* bytes that the last text took */

/* Returns the lines that the statement at `at`, a part of the text, comes from:
 * `file:line:column`, with ` 'name'` and ` caller`. */
static const char *lines_at(const char *text, const char *at) {
    static char out[1024];
    static Context ctx;
    const Source src = {"test.pto", text, (uint32_t)strlen(text)};
    AuthorLine lines[MOST_AUTHOR_LINES];
    size_t n = 0;
    out[0] = '\0';
    memset(&ctx, 0, sizeof ctx);
    if (setjmp(ctx.oom) != 0) fail_msg("out of memory");
    context_init(&ctx, &src, 0);
    const char *found = strstr(text, at);
    assert_non_null(found);
    const unsigned count = locations_find(context_locations(&ctx), (uint32_t)(found - text), lines);
    for (unsigned i = 0; i < count; i++)
        n += (size_t)snprintf(out + n, sizeof out - n, "%s%s:%u:%u%s%s%s%s", i > 0 ? ", " : "",
                              lines[i].file, lines[i].line, lines[i].column,
                              lines[i].name != NULL ? " '" : "",
                              lines[i].name != NULL ? lines[i].name : "",
                              lines[i].name != NULL ? "'" : "", lines[i].caller ? " caller" : "");
    memory = ctx.arena.total + ctx.keep.total;
    context_free(&ctx);
    return out;
}

/* ---- the forms of a location ---- */

static void forms(void **state) {
    static const struct {
        const char *loc, *lines;
    } cases[] = {
        {"\"a.py\":1:2", "a.py:1:2"},
        {" \"a.py\" : 1 : 2 ", "a.py:1:2"},
        {"\"a.py\":1:2 to 3:4", "a.py:1:2"},
        {"\"a.py\":1:2 to :4", "a.py:1:2"},
        {"\"a.py\":7", "a.py:7:0"},
        {"\"a\\\"b\\\\\\n\\C3\\A9.py\":1:2", "a\"b\\\n\xC3\xA9.py:1:2"},
        {"#one", "one.py:1:1"},
        {"#two", "one.py:1:1 'x'"},
        {"\"y\"(#two)", "one.py:1:1 'x'"},
        {"\"y\"(\"x\"(\"a.py\":1:2))", "a.py:1:2 'x'"},
        {"fused[#one, \"a.py\":1:2, #one]", "one.py:1:1, a.py:1:2"},
        {"fused<\"]>\", <#x>>[#one]", "one.py:1:1"},
        {"fused[]", ""},
        {"callsite(\"a.py\":1:2 at \"b.py\":3:4)", "a.py:1:2, b.py:3:4 caller"},
        {"callsite(callsite(\"a.py\":1:2 at #one) at \"b.py\":3:4)",
         "a.py:1:2, one.py:1:1 caller, b.py:3:4 caller"},
        {"callsite(unknown at \"b.py\":3:4)", "b.py:3:4"},
        /* what says nothing */
        {"unknown", ""},
        {"?", ""},
        {"\"a name\"", ""},
        {"\"\":1:2", ""},
        {"\"a.py\":0:0", ""},
        {"\"a.py\":99999999999999999999:1", ""},
        {"\"a.py\":1:99999999999999999999", "a.py:1:0"},
        {"#none", ""},
        {"#self", ""},
        {"#a", ""},
        {"\"a.py\":", ""},
        {"\"a.py\":x:y", ""},
        {"fused[\"a.py\":1:2", ""},
        {"callsite(\"a.py\":1:2)", "a.py:1:2"},
        {"word", ""},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "func.func @f() {\n  return loc(%s)\n}\n#two = loc(\"x\"(#one))\n"
                 "#one = loc(\"one.py\":1:1)\n#self = loc(#self)\n#a = loc(#b)\n"
                 "#b = loc(callsite(#a at #a))\n",
                 cases[i].loc);
        if (strcmp(lines_at(text, "return"), cases[i].lines) != 0)
            fail_msg("loc(%s): %s, not %s", cases[i].loc, lines_at(text, "return"), cases[i].lines);
    }
}

/* ---- the statement of a location ---- */

static void statements(void **state) {
    static const char text[] =
        "#at = loc(\"alias.py\":1:1)\n"
        "module {\n"
        "  func.func @f(%first: i32 loc(\"first.py\":1:1), %second: i32 {k = 1} loc(#at)) -> i32 "
        "{\n"
        "    %sum = arith.addi %first, %second : i32 loc(\"sum.py\":1:1) // comment\n"
        "    %r, %s = test.two() : i32, i32 loc(\"two.py\":1:1)\n"
        "    %plain = arith.constant 1 : i32\n"
        "    cf.br ^next(%sum : i32) loc(\"br.py\":1:1)\n"
        "  ^next(%arg: i32 loc(\"arg.py\":1:1)):\n"
        "    scf.for %i = %lb to %ub step %st {\n"
        "      %inner = arith.constant 2 : i32 loc(\"inner.py\":1:1)\n"
        "    } {attr = [1, 2]} loc(\"for.py\":1:1)\n"
        "    scf.if %c {\n"
        "      %then = arith.constant 3 : i32\n"
        "    } else {\n"
        "      %else = arith.constant 4 : i32\n"
        "    } loc(\"if.py\":1:1)\n"
        "    \"scf.if\"(%d) ({\n"
        "      %generic = arith.constant 3 : i32 loc(\"generic.py\":1:1)\n"
        "    }, {\n"
        "    }) {gattr = 1} : (i1) -> () loc(\"gif.py\":1:1)\n"
        "    %wrong = = ] loc(\"wrong.py\":1:1)\n"
        "    return %sum : i32\n"
        "      loc(\"return.py\":1:1)\n"
        "  } loc(\"func.py\":1:1)\n"
        "}\n";
    static const struct {
        const char *at, *lines;
    } cases[] = {
        {"module", ""},
        {"func.func", "func.py:1:1"},
        {"first: i32 loc", "first.py:1:1"},
        {"second: i32 {", "alias.py:1:1"},
        {"-> i32 {", "func.py:1:1"},
        {"sum = ", "sum.py:1:1"},
        {"second : i32 loc", "sum.py:1:1"},
        {"%s = test", "two.py:1:1"},
        {"plain", ""},
        {"^next(%sum", "br.py:1:1"},
        {"arg: i32", "arg.py:1:1"},
        {"lb to", "for.py:1:1"},
        {"inner =", "inner.py:1:1"},
        {"attr = [", "for.py:1:1"},
        {"%c {", "if.py:1:1"},
        {"then =", ""},
        {"else {", "if.py:1:1"},
        {"else =", ""},
        {"scf.if\"", "gif.py:1:1"},
        {"generic =", "generic.py:1:1"},
        {"gattr", "gif.py:1:1"},
        {"wrong =", "wrong.py:1:1"},
        {"return", "return.py:1:1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (strcmp(lines_at(text, cases[i].at), cases[i].lines) != 0)
            fail_msg("%s: %s, not %s", cases[i].at, lines_at(text, cases[i].at), cases[i].lines);
}

/* ---- limits ---- */

/* Each alias refers to the next one twice: 2^60 paths lead to the line. */
static void many_paths(void **state) {
    char text[8192];
    int n = snprintf(text, sizeof text, "return loc(#a0)\n");
    (void)state;
    for (int i = 0; i < 60; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "#a%d = loc(fused[#a%d, #a%d])\n", i,
                      i + 1, i + 1);
    snprintf(text + n, sizeof text - (size_t)n, "#a60 = loc(\"deep.py\":1:1)\n");
    assert_string_equal(lines_at(text, "return"), "deep.py:1:1");
}

/* A chain beyond the limit, and more lines than are kept. */
static void long_chains(void **state) {
    char text[65536];
    int n = snprintf(text, sizeof text, "return loc(#a0)\n");
    (void)state;
    for (int i = 0; i < 1000; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "#a%d = loc(callsite(\"a.py\":%d:1 at #a%d))\n", i, i + 1, i + 1);
    assert_string_equal(lines_at(text, "return"),
                        "a.py:1:1, a.py:2:1 caller, a.py:3:1 caller, a.py:4:1 caller, "
                        "a.py:5:1 caller, a.py:6:1 caller, a.py:7:1 caller, a.py:8:1 caller");
}

/* Names take as much memory as they are long, whatever follows them; too long a location says
 * nothing. */
static void long_locations(void **state) {
    static char text[100000];
    (void)state;
    int n = snprintf(text, sizeof text, "return loc(fused[\"a.py\":1:1");
    for (int i = 0; i < 200; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, ", \"a.py\":1:1");
    n += snprintf(text + n, sizeof text - (size_t)n, ", \"%060000d\"])\n", 0);
    assert_string_equal(lines_at(text, "return"), "a.py:1:1");
    assert_true(memory < 1000000);
    snprintf(text + n - 3, sizeof text - (size_t)n, ", \"%030000d\"])\n", 0);
    assert_string_equal(lines_at(text, "return"), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms), cmocka_unit_test(statements),
                                       cmocka_unit_test(many_paths), cmocka_unit_test(long_chains),
                                       cmocka_unit_test(long_locations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
