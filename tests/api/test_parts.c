/* SPDX-License-Identifier: Apache-2.0 */
/* A text that is checked function by function gets the verdict and the messages of one that is
 * checked as a whole; what concerns several functions at once; that bodies are forgotten; every
 * allocation fails in turn. usage: test_parts FOLDER... */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/internal.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char **folders;
static int nfolders;

static long left = -1; /* allocations until one fails; negative: never */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);

static bool fails_now(void) {
    return left >= 0 && left-- == 0;
}

void *__wrap_malloc(size_t n) {
    return fails_now() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size) {
    return fails_now() ? NULL : __real_calloc(n, size);
}

/* Checks both ways; returns the number of bodies that were forgotten. */
static uint32_t compare(const char *name, const char *text, size_t size,
                        const ptoasm_options *opt) {
    ptoasm_source *src;
    ptoasm_result *whole, *parts;
    ptoasm_program *program;
    ptoasm_diagnostic d, e;
    int status = ptoasm_source_open(name, text, size, PTOASM_SOURCE_BORROW, &src);
    if (status != PTOASM_OK) return 0;
    assert_int_equal(ptoasm_program_open(src, opt, &program), PTOASM_OK);
    ptoasm_program_close(program);
    status = ptoasm_check(src, opt, &whole); /* of less than a megabyte */
    assert_int_equal(check_in_parts(src, opt, &parts), status);
    assert_string_equal(ptoasm_diagnostics_text(parts, 0, NULL),
                        ptoasm_diagnostics_text(whole, 0, NULL));
    for (size_t i = 0; ptoasm_diagnostic_at(whole, i, &d); i++) {
        assert_true(ptoasm_diagnostic_at(parts, i, &e));
        assert_string_equal(d.id, e.id);
        assert_int_equal(d.profiles, e.profiles);
        assert_int_equal(whole->diags[i]->edits != NULL, parts->diags[i]->edits != NULL);
        for (const DiagEdit *a = whole->diags[i]->edits, *b = parts->diags[i]->edits; a != NULL;
             a = a->next, b = b->next) {
            assert_non_null(b);
            assert_string_equal(a->text, b->text);
        }
    }
    uint32_t forgotten = parts->ctx->forgotten.n;
    ptoasm_result_free(whole);
    ptoasm_result_free(parts);
    ptoasm_source_close(src);
    return forgotten;
}

static uint32_t compare_text(const char *text) {
    const ptoasm_options vendor = {.size = sizeof vendor, .compat = true};
    compare("text.pto", text, strlen(text), &vendor);
    return compare("text.pto", text, strlen(text), NULL);
}

/* ---- programs ---- */

#define TILE "!pto.tile_buf<vec, 32x32xf32>"
#define PLAIN(name)                                                                                \
    "func.func @" name "(%s: f32) {\n  %a = pto.alloc_tile : " TILE "\n  pto.tadds ins(%a, %s : "  \
    "" TILE ", f32) outs(%a : " TILE ")\n  return\n}\n"
#define PLACED(name)                                                                               \
    "func.func @" name "(%s: f32) {\n  %c = arith.constant 0 : i64\n  %a = pto.alloc_tile addr = " \
    "%c : " TILE "\n  pto.tadds ins(%a, %s : " TILE ", f32) outs(%a : " TILE ")\n  return\n}\n"
#define PIPE_FLAGS(pipes)                                                                          \
    "  pto.set_flag[" pipes ", <EVENT_ID0>]\n  pto.wait_flag[" pipes ", <EVENT_ID0>]\n"
/* The kind of core is that of the tile. */
#define FLAGGED(name)                                                                              \
    "func.func @" name "(%s: f32) {\n  %c = arith.constant 0 : i64\n  %a = pto.alloc_tile addr = " \
    "%c : " TILE "\n" PIPE_FLAGS("<PIPE_MTE2>, <PIPE_V>") "  pto.tadds ins(%a, %s : " TILE         \
                                                          ", f32) outs(%a : " TILE                 \
                                                          ")\n  return\n}\n"
/* ... of other functions of the module. */
#define OPEN(name) "func.func @" name "() {\n" PIPE_FLAGS("<PIPE_MTE2>, <PIPE_S>") "  return\n}\n"
#define CUBE(name)                                                                                 \
    "func.func @" name "() attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {\n  return\n}\n"
#define SCALAR(name)                                                                               \
    "func.func @" name "(%x: index) -> index {\n  %y = arith.addi %x, %x : index\n"                \
    "  return %y : index\n}\n"
#define CALL(name, callee)                                                                         \
    "func.func @" name "(%x: index) {\n  %y = func.call @" callee "(%x) : (index) -> index\n"      \
    "  return\n}\n"

static void bodies_are_forgotten(void **state) {
    (void)state;
    assert_int_equal(compare_text(PLAIN("a") PLAIN("b") SCALAR("c")), 3);
    assert_int_equal(compare_text("module {\n" PLAIN("a") "}\nmodule {\n" PLAIN("a") "}\n"), 2);
    assert_int_equal(compare_text(SCALAR("c") CALL("d", "c") PLAIN("a")), 3);
    assert_int_equal(compare_text(FLAGGED("a") FLAGGED("b") PLACED("c")), 3);
}

#define ORDERED(name, from, to, body)                                                              \
    "func.func @" name "(%s: f32, %x: index) {\n" body "  pto.set_flag[<" from ">, <" to           \
    ">, <EVENT_ID0>]\n  pto.wait_flag[<" from ">, <" to ">, <EVENT_ID0>]\n  return\n}\n"
#define ADDS                                                                                       \
    "  %a = pto.alloc_tile : " TILE "\n  pto.tadds ins(%a, %s : " TILE ", f32) outs(%a : " TILE    \
    ")\n"

/* Flags of a pipe that both kinds of cores have: the kind of a function is that of its tiles, or of
 * all functions of the module. */
static void kinds_of_cores_are_told(void **state) {
    (void)state;
    assert_int_equal(compare_text(ORDERED("a", "PIPE_MTE2", "PIPE_V", ADDS) PLAIN("b")), 2);
    assert_int_equal(compare_text(ORDERED("a", "PIPE_MTE2", "PIPE_S", "")
                                      ORDERED("b", "PIPE_MTE2", "PIPE_S", "")),
                     0);
    compare_text(ORDERED("a", "PIPE_MTE2", "PIPE_S", "") PLAIN("b"));
    compare_text(PLAIN("b") ORDERED("a", "PIPE_MTE2", "PIPE_S", "") PLAIN("c"));
    /* What the proof does not understand is said, of a function without tiles as of others. */
    compare_text(
        PLACED("b") "func.func @k(%k: index) {\n  pto.set_flag_dyn[<PIPE_V>, <PIPE_MTE3>, %k]\n"
                    "  pto.wait_flag_dyn[<PIPE_V>, <PIPE_MTE3>, %k]\n  return\n}\n");
}

/* Where a function has flags, those stay that others call, with their callers; the rest is
 * forgotten. */
static void called_functions_stay(void **state) {
    (void)state;
    assert_int_equal(compare_text(PLAIN("a") SCALAR("b") ORDERED(
                         "c", "PIPE_V", "PIPE_MTE3", "  %y = func.call @b(%x) : (index) -> index\n")
                                      PLAIN("d") ORDERED("e", "PIPE_V", "PIPE_MTE3", ADDS)),
                     3);
    assert_int_equal(compare_text(SCALAR("b.1$c") CALL("d", "b.1$c") SCALAR("e")
                                      ORDERED("f", "PIPE_V", "PIPE_MTE3", ADDS)),
                     4);
}

/* A function without tiles, about which the proof of the order of pipes has a warning only. */
static void warnings_of_the_proof_stay(void **state) {
    (void)state;
    assert_int_equal(
        compare_text(PLACED("a") "func.func @b(%c: i1) {\n"
                                 "  pto.get_buf \"PIPE_MTE2\", 1\n"
                                 "  scf.if %c {\n    pto.rls_buf \"PIPE_MTE2\", 1\n  }\n"
                                 "  pto.get_buf \"PIPE_MTE2\", 1\n"
                                 "  pto.rls_buf \"PIPE_MTE2\", 1\n  return\n}\n"),
        1);
}

/* Of a legal program with a warning all is forgotten but the function with the warning. */
static void what_is_said_stays(void **state) {
    (void)state;
    assert_int_equal(compare_text(PLAIN("a") "func.func @w() {\n  %d = arith.constant 1 : index\n"
                                             "  %t = pto.alloc_tile : !pto.tile_buf<left, "
                                             "32x32xf16>\n  return\n}\n" PLAIN("b")) >= 2,
                     1);
    compare_text(PLAIN("a") "func.func @e() {\n  pto.nonsense\n}\n" PLAIN("b"));
    compare_text(PLAIN("a") "func.func @e() {\n" PLAIN("b"));
    compare_text("func.func @big() {\n  %t = pto.alloc_tile : !pto.tile_buf<vec, 1024x1024xf32>\n"
                 "  pto.tabs ins(%t : !pto.tile_buf<vec, 1024x1024xf32>) outs(%t : "
                 "!pto.tile_buf<vec, 1024x1024xf32>)\n  return\n}\n" PLAIN("b"));
}

/* The level of the text is known when it has been read. */
static void level_comes_late(void **state) {
    (void)state;
    compare_text(PLAIN("a") PLACED("b"));
    compare_text(SCALAR("a") PLACED("b"));
    compare_text(PLACED("b") PLAIN("a"));
    compare_text(PLAIN("a") "func.func @s(%a: " TILE
                            ", %k: f32) {\n  %b = pto.tadds %a, %k : (" TILE ", f32) -> " TILE
                            "\n  return\n}\n");
}

static void functions_name_each_other(void **state) {
    (void)state;
    compare_text(CALL("d", "c") SCALAR("c"));
    compare_text(CALL("d", "c") PLAIN("a"));
    compare_text(SCALAR("c") SCALAR("c") CALL("d", "c"));
    compare_text("func.func @a(%x: index) -> index {\n  %y = func.call @b(%x) : (index) -> index\n"
                 "  return %y : index\n}\nfunc.func @b(%x: index) -> index {\n"
                 "  %y = func.call @a(%x) : (index) -> index\n  return %y : index\n}\n");
    compare_text(SCALAR("c") "func.func @d(%x: i32) {\n  %y = func.call @c(%x) : (i32) -> i32\n"
                             "  return\n}\n");
    /* A caller that places tiles, after a callee that binds some, and before. */
    compare_text(PLACED("p") "func.func @q(%s: f32) {\n  %c = arith.constant 0 : i64\n"
                             "  %a = pto.alloc_tile : " TILE "\n  func.call @p(%s) : (f32) -> ()\n"
                             "  pto.tadds ins(%a, %s : " TILE ", f32) outs(%a : " TILE
                             ")\n  return\n}\n" PLAIN("r"));
    compare_text("func.func @t(%a: " TILE ", %b: " TILE ") {\n  pto.tabs ins(%a : " TILE
                 ") outs(%b : " TILE
                 ")\n  return\n}\nfunc.func @u() {\n  %a = pto.alloc_tile : " TILE
                 "\n  func.call @t(%a, %a) : (" TILE ", " TILE ") -> ()\n  return\n}\n");
    compare_text("module attributes {pto.target_arch = \"a5\"} {\n" PLAIN("a") "}\n" PLAIN("b"));
}

/* The functions of a module tell the kind of one that does not tell it itself. */
static void functions_tell_kinds(void **state) {
    (void)state;
    compare_text(OPEN("o"));
    compare_text(FLAGGED("a") OPEN("o") FLAGGED("b"));
    compare_text(OPEN("o") FLAGGED("a"));
    compare_text(FLAGGED("a") CUBE("c") OPEN("o"));
    compare_text("module {\n" FLAGGED("a") "}\nmodule {\n" OPEN("o") "}\n");
    compare_text("module {\n" FLAGGED("a") FLAGGED("b")
                     OPEN("o") "}\nmodule {\n" PLACED("p") "}\n");
}

/* ---- files ---- */

static size_t compare_file(const char *path) {
    static char text[1 << 20];
    const ptoasm_options vendor = {.size = sizeof vendor, .compat = true},
                         a5 = {.size = sizeof a5, .profiles = PTOASM_PROFILE_A5};
    FILE *f = fopen(path, "rb");
    if (f == NULL) return 0;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    compare(path, text, n, &vendor);
    compare(path, text, n, &a5);
    return compare(path, text, n, NULL);
}

static void files_are_judged_alike(void **state) {
    size_t forgotten = 0;
    (void)state;
    for (int i = 0; i < nfolders; i++) {
        DIR *dir = opendir(folders[i]);
        assert_non_null(dir);
        for (struct dirent *e; (e = readdir(dir)) != NULL;) {
            char path[4096];
            size_t len = strlen(e->d_name);
            if (len < 4 || strcmp(e->d_name + len - 4, ".pto") != 0) continue;
            snprintf(path, sizeof path, "%s/%s", folders[i], e->d_name);
            forgotten += compare_file(path);
        }
        closedir(dir);
    }
    assert_true(nfolders == 0 || forgotten > 50);
}

/* ---- memory ---- */

static int check_failing(long n) {
    static const char text[] = PLAIN("a") SCALAR("b") CALL("c", "b") PLACED("d");
    ptoasm_source *src;
    ptoasm_result *res = NULL;
    left = n;
    int status = ptoasm_source_open("k.pto", text, strlen(text), 0, &src);
    if (status == PTOASM_OK) {
        status = check_in_parts(src, NULL, &res);
        ptoasm_result_free(res);
        ptoasm_source_close(src);
    }
    return status;
}

static void memory_runs_out(void **state) {
    (void)state;
    left = -1;
    int fine = check_failing(-1), status = PTOASM_NOMEM;
    long n = 0;
    for (; status == PTOASM_NOMEM && n < 10000; n++)
        status = check_failing(n);
    left = -1;
    assert_int_equal(status, fine);
    assert_true(n > 10);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_forgotten),   cmocka_unit_test(what_is_said_stays),
        cmocka_unit_test(functions_tell_kinds),   cmocka_unit_test(kinds_of_cores_are_told),
        cmocka_unit_test(called_functions_stay),  cmocka_unit_test(warnings_of_the_proof_stay),
        cmocka_unit_test(level_comes_late),       cmocka_unit_test(functions_name_each_other),
        cmocka_unit_test(files_are_judged_alike), cmocka_unit_test(memory_runs_out)};
    folders = argv + 1;
    nfolders = argc - 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
