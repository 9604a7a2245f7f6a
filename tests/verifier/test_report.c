/* SPDX-License-Identifier: Apache-2.0 */
/* What the verifier's diagnostics say and point at, and what it reads from a module itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ir/target.h"
#include "tests/verifier/run.h"

#include <string.h>

#define TILE(elem) "!pto.tile_buf<vec, 16x32x" elem ">"
#define TADDS(elem)                                                                                \
    "func.func @f(%a: " TILE(elem) ", %d: " TILE(                                                  \
        elem) ", %s: " elem ") {\n"                                                                \
              "  pto.tadds ins(%a, %s : " TILE(elem) ", " elem                                     \
                                                     ") outs(%d : " TILE(elem) ")\n"               \
                                                                               "  return\n}\n"

static void run_text(CheckRun *run, const char *text, ProfileSet profiles) {
    VerifyOptions opt = {.profiles = profiles};
    check_run(run, "t.pto", text, strlen(text), &opt);
    assert_false(run->oom);
}

static const Diag *only(const CheckRun *run) {
    const Diag *d = run->ctx.diags.first;
    assert_non_null(d);
    assert_null(d->next);
    return d;
}

static void note_names_the_profiles_that_accept(void **state) {
    (void)state;
    CheckRun run;
    run_text(&run, TADDS("bf16"), PROFILE_BIT(PROFILE_A2A3));
    const Diag *d = only(&run);
    assert_int_equal(d->id, DIAG_ELEM_TYPE);
    assert_non_null(strstr(d->message, "src has element type bf16"));
    assert_non_null(strstr(d->message, "!pto.tile_buf<vec, 16x32xbf16>"));
    assert_non_null(d->notes);
    assert_string_equal(d->notes->message, "accepted by the profiles cpu and a5");
    check_run_free(&run);
}

static void no_note_when_no_profile_accepts(void **state) {
    (void)state;
    CheckRun run;
    run_text(&run,
             "func.func @f(%d: " TILE("i64") ", %k: i32) {\n"
                                             "  pto.ttri ins(%k : i32) outs(%d : " TILE(
                                                 "i64") ")\n  return\n}\n",
             PROFILES_ALL);
    ProfileSet seen = 0;
    for (const Diag *d = run.ctx.diags.first; d != NULL; d = d->next) {
        assert_int_equal(d->id, DIAG_ELEM_TYPE);
        assert_int_equal(d->profiles & seen, 0);
        assert_null(d->notes);
        seen |= d->profiles;
    }
    assert_int_equal(seen, PROFILES_ALL);
    check_run_free(&run);
}

static void several_profiles_are_named(void **state) {
    (void)state;
    CheckRun run;
    run_text(&run, TADDS("i8"), PROFILES_ALL);
    const Diag *d = only(&run);
    assert_int_equal(d->profiles, PROFILE_BIT(PROFILE_A2A3));
    assert_non_null(strstr(d->message, "(a2a3)"));
    check_run_free(&run);
}

/* A warning names every profile that gives it. */
static void warnings_name_their_profiles(void **state) {
    (void)state;
    CheckRun run;
    run_text(
        &run,
        "func.func @f(%d: " TILE("f32") ", %k: i32) {\n"
                                        "  pto.ttri ins(%k {upperOrLower = 1} : i32) outs(%d : "
                                        "" TILE("f32") ")\n  return\n}\n",
        PROFILES_ALL);
    const Diag *d = only(&run);
    assert_int_equal(d->severity, SEV_WARNING);
    assert_int_equal(d->profiles, PROFILE_BIT(PROFILE_A2A3) | PROFILE_BIT(PROFILE_A5));
    assert_non_null(strstr(d->message, "(a2a3 and a5)"));
    check_run_free(&run);
}

/* What reading finds and what rules find comes out of one run, in the order of the text. */
static void mistakes_of_all_kinds_at_once(void **state) {
    (void)state;
    static const char text[] =
        "!t = " TILE("f32") "\n"
                            "!i = !pto.tile_buf<vec, 32x32xi8>\n"
                            "func.func @f(%a: !t, %d: !t, %s: f32, %n: index, %i: !i, %c: i8) {\n"
                            "  pto.tadds ins(%a, %s : !t, f32 outs(%d : !t)\n"
                            "  pto.tadds ins(%a, %u : !t, f32) outs(%d : !t)\n"
                            "  pto.tadds ins(%i, %c : !i, i8) outs(%i : !i)\n"
                            "  %x = arith.addi %n, %n index\n"
                            "  %y = arith.addi %x, %n : index\n"
                            "  %z = pto.alloc_tile : !pto.tile_buf<vec, 3x3xf32>\n"
                            "  scf.for %k = %x to %n step %n {\n"
                            "    pto.taddz ins(%a, %s : !t, f32) outs(%d : !t)\n"
                            "    pto.tands ins(%i, %c : !i, i8) outs(%i : !i)\n"
                            "    %q = arith.addi %k, %s : index\n"
                            "  }\n"
                            "  call @nowhere(%n) : (index) -> ()\n"
                            "  return %n : index\n"
                            "}\n"
                            "func.func @h() -> i32 {\n"
                            "  %c0 = arith.constant 0 : i32\n"
                            "}\n";
    static const DiagId want[] = {
        DIAG_SYNTAX,           DIAG_UNDEFINED_VALUE, DIAG_ELEM_TYPE,         DIAG_SYNTAX,
        DIAG_TILE_ALIGN,       DIAG_UNKNOWN_OP,      DIAG_DISTINCT_OPERANDS, DIAG_OPERAND_KIND,
        DIAG_UNKNOWN_FUNCTION, DIAG_RETURN_MISMATCH, DIAG_TERMINATOR};
    CheckRun run;
    run_text(&run, text, PROFILE_BIT(PROFILE_A2A3));
    const Diag *d = run.ctx.diags.first;
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++, d = d->next) {
        assert_non_null(d);
        assert_string_equal(diag_infos[d->id].text, diag_infos[want[i]].text);
    }
    assert_null(d);
    check_run_free(&run);
}

static void points_at_the_operand(void **state) {
    (void)state;
    static const char text[] = "func.func @f(%a: " TILE("f32") ", %d: " TILE(
        "i32") ", %s: f32) {\n"
               "  pto.tadds ins(%a, %s : " TILE("f32") ", f32) outs(%d : " TILE(
                   "i32") ")\n"
                          "  return\n}\n";
    CheckRun run;
    run_text(&run, text, PROFILE_BIT(PROFILE_A5));
    const Diag *d = only(&run);
    assert_int_equal(d->id, DIAG_ELEM_MISMATCH);
    assert_memory_equal(text + d->span.off, "%d", 2); /* %a goes with the scalar */
    assert_string_equal(d->operand, "dst");
    check_run_free(&run);
}

static void every_bad_statement_is_reported(void **state) {
    (void)state;
    static const char text[] = "func.func @f(%a: " TILE(
        "i64") ", %s: i64) {\n"
               "  pto.tadds ins(%a, %s : " TILE("i64") ", i64) outs(%a : " TILE(
                   "i64") ")\n"
                          "  pto.tadds ins(%a, %s : " TILE("i64") ", i64) outs(%a : " TILE(
                              "i64") ")\n"
                                     "  return\n}\n";
    CheckRun run;
    run_text(&run, text, PROFILE_BIT(PROFILE_A5));
    assert_int_equal(run.ctx.diags.errors, 2);
    check_run_free(&run);
}

static void check_self(const char *text, Profile profile, int level, bool manual) {
    CheckRun run;
    check_run(&run, "t.pto", text, strlen(text), NULL);
    assert_true(run.module->bound_ok);
    assert_int_equal(module_profile(run.module), profile);
    assert_int_equal(module_level(run.module), level);
    assert_int_equal(module_is_manual(run.module), manual);
    check_run_free(&run);
}

static void reads_profile_and_level(void **state) {
    (void)state;
    check_self("", PROFILE_A2A3, 2, false);
    check_self("module attributes {pto.target_arch = \"A5\"} {\n}\n", PROFILE_A5, 2, false);
    check_self("module attributes {pto.target_arch = \"a2a3\"} {\n}\n", PROFILE_A2A3, 2, false);
    check_self("module attributes {\"pto.device-spec\" = \"Ascend950PR\"} {\n}\n", PROFILE_A5, 2,
               false);
    check_self("module attributes {pto.target_arch = \"a3\", \"pto.device-spec\" = "
               "\"Ascend950PR\"} {\n}\n",
               PROFILE_A2A3, 2, false);
    check_self("module attributes {pto.target_arch = \"a7\"} {\n}\n", PROFILE_A2A3, 2, false);
    check_self("func.func @f(%a: " TILE("f32") ", %s: f32) {\n"
                                               "  %d = pto.tadds %a, %s : (" TILE(
                                                   "f32") ", f32) -> " TILE("f32") "\n"
                                                                                   "  return\n}\n",
               PROFILE_A2A3, 1, false);
    check_self("func.func @f() {\n  %c = arith.constant 0 : i64\n"
               "  %t = pto.alloc_tile addr = %c : " TILE("f32") "\n  return\n}\n",
               PROFILE_A2A3, 3, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(note_names_the_profiles_that_accept),
        cmocka_unit_test(no_note_when_no_profile_accepts),
        cmocka_unit_test(several_profiles_are_named),
        cmocka_unit_test(warnings_name_their_profiles),
        cmocka_unit_test(mistakes_of_all_kinds_at_once),
        cmocka_unit_test(points_at_the_operand),
        cmocka_unit_test(every_bad_statement_is_reported),
        cmocka_unit_test(reads_profile_and_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
