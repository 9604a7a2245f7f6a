/* SPDX-License-Identifier: Apache-2.0 */
/* The library has no state that threads share: eight of them make every call on sources of their
 * own and on a common one, and all get the same. Nothing is called before they start, so that
 * ThreadSanitizer would see tables that the first call fills. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <ptoasm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, ROUNDS = 4, SIZE = 1 << 16 };

#define TILE "!pto.tile_buf<vec, 16x16xf32>"

static const char *const texts[] = {
    "module {\n"
    "  func.func @k(%s: f32) attributes {pto.entry} {\n"
    "    %a = pto.alloc_tile : " TILE "\n"
    "    %b = pto.alloc_tile : " TILE "\n"
    "    pto.tadds ins(%a, %s : " TILE ", f32) outs(%b : " TILE ")\n"
    "    %c = pto.tadds %b, %s : " TILE ", f32 -> " TILE "\n"
    "    return\n"
    "  }\n"
    "}\n",
    "func.func @k(%s: i8) {\n"
    "  %a = pto.alloc_tile : !pto.tile_buf<vec, 32x32xi8>\n"
    "  pto.tadds ins(%a, %s : !pto.tile_buf<vec, 32x32xi8>, i8) outs(%a : "
    "!pto.tile_buf<vec, 32x32xi8>)\n"
    "  pto.tmatmul_acc ins(%a : i8) outs(%a : i8)\n"
    "  return\n"
    "}\n",
    "func.func @k( {\n  pto.nothing\n}\n\001",
};
enum { TEXTS = sizeof texts / sizeof texts[0] };

typedef struct Thread {
    pthread_t id;
    ptoasm_source *common;
    char said[SIZE]; /* everything that the calls gave */
    size_t n;
} Thread;

static void say(Thread *t, const char *what, const char *text) {
    int n = snprintf(t->said + t->n, SIZE - t->n, "%s: %s\n", what, text != NULL ? text : "none");
    if (n > 0 && (size_t)n < SIZE - t->n) t->n += (size_t)n;
}

static void say_result(Thread *t, const char *what, ptoasm_result *res) {
    say(t, what, ptoasm_result_text(res, NULL));
    say(t, "messages", ptoasm_diagnostics_text(res, 0, NULL));
    for (size_t i = 0; i < ptoasm_verdict_count(res); i++) {
        const char *id = ptoasm_verdict_id(res, i, PTOASM_PROFILE_A2A3);
        say(t, "verdict", id);
    }
    ptoasm_result_free(res);
}

static void make_calls(Thread *t, const ptoasm_source *src) {
    ptoasm_options all = PTOASM_OPTIONS_INIT;
    const ptoasm_emit_options emit = {.size = sizeof emit, .header = true};
    ptoasm_result *res;
    all.profiles = PTOASM_PROFILE_ALL;
    all.verdicts = true;
    ptoasm_check(src, &all, &res);
    say_result(t, "check", res);
    for (int form = PTOASM_FORM_KEEP; form <= PTOASM_FORM_GENERIC; form++) {
        ptoasm_format(src, NULL, (enum ptoasm_form)form, &res);
        say_result(t, "format", res);
    }
    ptoasm_emit(src, NULL, &emit, &res);
    say_result(t, "emit", res);
}

static void *run(void *arg) {
    Thread *t = arg;
    for (int round = 0; round < ROUNDS; round++) {
        t->n = 0;
        make_calls(t, t->common);
        for (unsigned i = 0; i < TEXTS; i++) {
            ptoasm_source *src;
            if (ptoasm_source_open("t.pto", texts[i], strlen(texts[i]), 0, &src) != PTOASM_OK)
                continue;
            make_calls(t, src);
            ptoasm_source_close(src);
        }
    }
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    Thread *t = calloc(THREADS, sizeof *t);
    assert_non_null(t);
    ptoasm_source *common;
    assert_int_equal(
        ptoasm_source_open("c.pto", texts[0], strlen(texts[0]), PTOASM_SOURCE_BORROW, &common),
        PTOASM_OK);
    for (int i = 0; i < THREADS; i++) {
        t[i].common = common;
        assert_int_equal(pthread_create(&t[i].id, NULL, run, &t[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(t[i].id, NULL), 0);
    assert_non_null(strstr(t[0].said, "pto.tadds"));
    assert_non_null(strstr(t[0].said, "[elem-type]"));
    assert_non_null(strstr(t[0].said, "PTRT_TADDS"));
    for (int i = 1; i < THREADS; i++)
        assert_string_equal(t[i].said, t[0].said);
    ptoasm_source_close(common);
    free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
