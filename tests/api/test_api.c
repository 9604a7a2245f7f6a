/* SPDX-License-Identifier: Apache-2.0 */
/* The public interface of libptoasm, through the shared library alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ptoasm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char legal[] =
    "module {\n"
    "  func.func @k(%p: !pto.ptr<f32>, %n: index) attributes {pto.entry} {\n"
    "    return\n"
    "  }\n"
    "}\n";
static const char illegal[] = "func.func @k( {\n";

static ptoasm_source *open_text(const char *text) {
    ptoasm_source *src;
    assert_int_equal(ptoasm_source_open("t.pto", text, strlen(text), 0, &src), PTOASM_OK);
    return src;
}

static void test_check(void **state) {
    (void)state;
    ptoasm_source *src = open_text(legal);
    ptoasm_result *res;
    assert_int_equal(ptoasm_check(src, NULL, &res), PTOASM_OK);
    assert_int_equal(ptoasm_diagnostic_count(res), 0);
    assert_null(ptoasm_result_text(res, NULL));
    assert_string_equal(ptoasm_diagnostics_text(res, 0, NULL), "");
    ptoasm_result_free(res);
    ptoasm_source_close(src);
}

static void test_diagnostics(void **state) {
    (void)state;
    ptoasm_source *src = open_text("func.func @k() {\n"
                                   "  %\303\244 = arith.constant 1 : i32\n"
                                   "  %b = arith.addi %\303\244, %missing : i32\n"
                                   "  return\n"
                                   "}\n");
    ptoasm_result *res;
    assert_int_equal(ptoasm_check(src, NULL, &res), PTOASM_REJECTED);
    assert_true(ptoasm_diagnostic_count(res) >= 1);
    ptoasm_diagnostic d;
    assert_true(ptoasm_diagnostic_at(res, 0, &d));
    assert_false(ptoasm_diagnostic_at(res, ptoasm_diagnostic_count(res), &d));
    size_t size;
    const char *text = ptoasm_diagnostics_text(res, 0, &size);
    assert_non_null(text);
    assert_int_equal(strlen(text), size);
    assert_non_null(strstr(text, "t.pto:"));
    assert_null(strchr(text, '\033'));
    assert_non_null(strchr(ptoasm_diagnostics_text(res, PTOASM_TEXT_COLOR, NULL), '\033'));
    ptoasm_result_free(res);
    ptoasm_source_close(src);
}

static void test_places(void **state) {
    (void)state;
    ptoasm_source *src = open_text("func.func @k() {\n"
                                   "  %a = arith.constant 1 : i32\n"
                                   "  %b = arith.addi %a, %missing : i32\n"
                                   "  return\n"
                                   "}\n");
    ptoasm_result *res;
    assert_int_equal(ptoasm_check(src, NULL, &res), PTOASM_REJECTED);
    assert_int_equal(ptoasm_diagnostic_count(res), 1);
    ptoasm_diagnostic d;
    assert_true(ptoasm_diagnostic_at(res, 0, &d));
    assert_string_equal(d.id, "undefined-value");
    assert_int_equal(d.severity, PTOASM_SEVERITY_ERROR);
    assert_int_equal(d.profiles, 0);
    assert_int_equal(d.place.line, 3);
    assert_int_equal(d.place.column, 23);
    assert_int_equal(d.place.end_line, 3);
    assert_int_equal(d.place.end_column, 31);
    assert_int_equal(d.place.length, 8);
    assert_non_null(strstr(d.message, "missing"));
    const char *message;
    ptoasm_place place;
    assert_false(ptoasm_diagnostic_note(res, 0, d.notes, &message, &place));
    assert_false(ptoasm_diagnostic_note(res, 1, 0, &message, &place));
    ptoasm_result_free(res);
    ptoasm_source_close(src);
}

static void test_format(void **state) {
    (void)state;
    ptoasm_source *src = open_text(legal);
    for (int form = PTOASM_FORM_KEEP; form <= PTOASM_FORM_GENERIC; form++) {
        ptoasm_result *res, *again;
        assert_int_equal(ptoasm_format(src, NULL, (enum ptoasm_form)form, &res), PTOASM_OK);
        size_t size;
        const char *text = ptoasm_result_text(res, &size);
        assert_non_null(text);
        assert_int_equal(strlen(text), size);
        ptoasm_source *printed = open_text(text);
        assert_int_equal(ptoasm_format(printed, NULL, (enum ptoasm_form)form, &again), PTOASM_OK);
        assert_string_equal(ptoasm_result_text(again, NULL), text);
        ptoasm_result_free(again);
        ptoasm_source_close(printed);
        ptoasm_result_free(res);
    }
    ptoasm_source_close(src);
    src = open_text(illegal);
    ptoasm_result *res;
    assert_int_equal(ptoasm_format(src, NULL, PTOASM_FORM_KEEP, &res), PTOASM_REJECTED);
    assert_null(ptoasm_result_text(res, NULL));
    ptoasm_result_free(res);
    ptoasm_source_close(src);
}

static void test_emit(void **state) {
    (void)state;
    ptoasm_source *src = open_text(legal);
    const ptoasm_emit_options emit = {.size = sizeof emit, .header = true, .header_name = "k.h"};
    const ptoasm_options cpu = {.size = sizeof cpu, .profiles = PTOASM_PROFILE_CPU};
    ptoasm_result *res;
    assert_int_equal(ptoasm_emit(src, &cpu, &emit, &res), PTOASM_OK);
    assert_non_null(strstr(ptoasm_result_text(res, NULL), "ptort_emitted.h"));
    assert_non_null(strstr(ptoasm_result_header(res, NULL), "int k(float *"));
    assert_int_equal(ptoasm_kernel_count(res), 1);
    ptoasm_kernel k;
    assert_true(ptoasm_kernel_at(res, 0, &k));
    assert_false(ptoasm_kernel_at(res, 1, &k));
    assert_string_equal(k.name, "k");
    assert_string_equal(k.grid, "k_grid");
    assert_true(k.entry);
    assert_int_equal(k.params, 2);
    ptoasm_param p;
    assert_true(ptoasm_kernel_param(res, 0, 0, &p));
    assert_string_equal(p.name, "p");
    assert_int_equal(p.kind, PTOASM_PARAM_POINTER);
    assert_string_equal(p.elem, "f32");
    assert_string_equal(p.c_type, "float");
    assert_string_equal(p.type, "!pto.ptr<f32>");
    assert_true(ptoasm_kernel_param(res, 0, 1, &p));
    assert_int_equal(p.kind, PTOASM_PARAM_SCALAR);
    assert_string_equal(p.elem, "index");
    assert_string_equal(p.c_type, "int64_t");
    assert_false(ptoasm_kernel_param(res, 0, 2, &p));
    assert_false(ptoasm_kernel_param(res, 1, 0, &p));
    ptoasm_result_free(res);
    assert_int_equal(ptoasm_emit(src, NULL, NULL, &res), PTOASM_OK);
    assert_null(ptoasm_result_header(res, NULL));
    ptoasm_result_free(res);
    ptoasm_source_close(src);
}

/* Legal programs without C, and illegal ones. */
static void test_no_code(void **state) {
    (void)state;
    static const struct {
        const char *text, *id;
        int status;
    } cases[] = {{"func.func @k(%a: i7) {\n  return\n}\n", "not-lowerable", PTOASM_NO_CODE},
                 {illegal, "syntax", PTOASM_REJECTED}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ptoasm_source *src = open_text(cases[i].text);
        ptoasm_result *res;
        ptoasm_diagnostic d;
        assert_int_equal(ptoasm_emit(src, NULL, NULL, &res), cases[i].status);
        assert_null(ptoasm_result_text(res, NULL));
        assert_true(ptoasm_diagnostic_at(res, 0, &d));
        assert_string_equal(d.id, cases[i].id);
        ptoasm_result_free(res);
        ptoasm_source_close(src);
    }
}

static void test_arguments(void **state) {
    (void)state;
    ptoasm_source *src;
    assert_int_equal(ptoasm_source_open(NULL, "", 0, 0, &src), PTOASM_ARGUMENT);
    assert_null(src);
    assert_int_equal(ptoasm_source_open("n", NULL, 1, 0, &src), PTOASM_ARGUMENT);
    assert_int_equal(ptoasm_source_open("n", "", 0, 4, &src), PTOASM_ARGUMENT);
    assert_int_equal(ptoasm_source_open("n", "", 0, 0, NULL), PTOASM_ARGUMENT);
    assert_int_equal(ptoasm_source_open("n", "", (size_t)1 << 31, 0, &src), PTOASM_TOO_LARGE);
    assert_int_equal(ptoasm_source_open("n", NULL, 0, 0, &src), PTOASM_OK);
    ptoasm_result *res = (ptoasm_result *)&src;
    ptoasm_options opt = PTOASM_OPTIONS_INIT;
    assert_int_equal(ptoasm_check(NULL, NULL, &res), PTOASM_ARGUMENT);
    assert_null(res);
    assert_int_equal(ptoasm_check(src, NULL, NULL), PTOASM_ARGUMENT);
    opt.level = 4;
    assert_int_equal(ptoasm_check(src, &opt, &res), PTOASM_ARGUMENT);
    opt.level = 0;
    opt.profiles = 8;
    assert_int_equal(ptoasm_check(src, &opt, &res), PTOASM_ARGUMENT);
    opt.profiles = 0;
    opt.size = 1;
    assert_int_equal(ptoasm_check(src, &opt, &res), PTOASM_ARGUMENT);
    assert_int_equal(ptoasm_format(src, NULL, (enum ptoasm_form)9, &res), PTOASM_ARGUMENT);
    opt.size = sizeof opt;
    opt.rewrite = 16;
    assert_int_equal(ptoasm_format(src, &opt, PTOASM_FORM_KEEP, &res), PTOASM_ARGUMENT);
    opt.rewrite = PTOASM_REWRITE_ADDRESSES;
    assert_int_equal(ptoasm_format(src, &opt, PTOASM_FORM_SSA, &res), PTOASM_ARGUMENT);
    assert_int_equal(ptoasm_format(src, &opt, PTOASM_FORM_AS, &res), PTOASM_ARGUMENT);
    opt.rewrite = PTOASM_REWRITE_SYNC; /* it has no pipes there */
    opt.profiles = PTOASM_PROFILE_CPU;
    assert_int_equal(ptoasm_format(src, &opt, PTOASM_FORM_KEEP, &res), PTOASM_OK);
    ptoasm_result_free(res);
    res = NULL;
    const ptoasm_emit_options emit = {.size = 1};
    assert_int_equal(ptoasm_emit(src, NULL, &emit, &res), PTOASM_ARGUMENT);
    assert_null(res);
    assert_int_equal(ptoasm_check(src, NULL, &res), PTOASM_OK);
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    ptoasm_source_close(NULL);
    ptoasm_result_free(NULL);
}

static void test_borrow(void **state) {
    (void)state;
    ptoasm_source *src;
    assert_int_equal(ptoasm_source_open("t.pto", legal, strlen(legal), PTOASM_SOURCE_BORROW, &src),
                     PTOASM_OK);
    ptoasm_result *res;
    assert_int_equal(ptoasm_check(src, NULL, &res), PTOASM_OK);
    ptoasm_result_free(res);
    ptoasm_source_close(src);
    /* a copy needs no NUL after it and may change afterwards */
    size_t n = strlen(legal);
    char *text = malloc(n);
    assert_non_null(text);
    memcpy(text, legal, n);
    assert_int_equal(ptoasm_source_open("t.pto", text, n, 0, &src), PTOASM_OK);
    memset(text, '(', n);
    free(text);
    assert_int_equal(ptoasm_check(src, NULL, &res), PTOASM_OK);
    ptoasm_result_free(res);
    ptoasm_source_close(src);
}

static void test_limit(void **state) {
    (void)state;
    char text[4096] = "func.func @k() {\n";
    for (int i = 0; i < 40; i++) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "  call @f(%%n%d) : (i32) -> ()\n", i);
    }
    strcat(text, "  return\n}\n");
    ptoasm_source *src = open_text(text);
    ptoasm_options opt = PTOASM_OPTIONS_INIT;
    opt.max_errors = 10;
    ptoasm_result *res;
    assert_int_equal(ptoasm_check(src, &opt, &res), PTOASM_REJECTED);
    assert_int_equal(ptoasm_diagnostic_count(res), 11);
    ptoasm_diagnostic d;
    assert_true(ptoasm_diagnostic_at(res, 10, &d));
    assert_string_equal(d.id, "too-many-errors");
    ptoasm_result_free(res);
    ptoasm_source_close(src);
}

static void expect_row(const ptoasm_result *res, size_t i, ptoasm_verdict want) {
    ptoasm_verdict v;
    assert_true(ptoasm_verdict_at(res, i, &v));
    assert_int_equal(v.kind, want.kind);
    assert_string_equal(v.function, want.function);
    assert_string_equal(v.instruction, want.instruction);
    assert_int_equal(v.line, want.line);
    assert_int_equal(v.judged, want.judged);
    assert_int_equal(v.accepted, want.accepted);
    assert_int_equal(v.offset, want.offset);
}

static void judged_for(const char *text, uint32_t asked, uint32_t want) {
    ptoasm_options opt = PTOASM_OPTIONS_INIT;
    opt.profiles = asked;
    ptoasm_source *src = open_text(text);
    ptoasm_result *res;
    size_t size;
    assert_int_equal(ptoasm_check(src, &opt, &res), PTOASM_OK);
    assert_int_equal(ptoasm_result_profiles(res), want);
    assert_string_equal(ptoasm_result_source(res, &size), text);
    assert_int_equal(size, strlen(text));
    ptoasm_result_free(res);
    assert_int_equal(ptoasm_format(src, &opt, PTOASM_FORM_KEEP, &res), PTOASM_OK);
    assert_int_equal(ptoasm_result_profiles(res), 0);
    ptoasm_result_free(res);
    ptoasm_source_close(src);
}

static void test_what_was_judged(void **state) {
    (void)state;
    const char *plain = "func.func @k() {\n  return\n}\n";
    judged_for(plain, 0, PTOASM_PROFILE_A2A3);
    judged_for(plain, PTOASM_PROFILE_CPU | PTOASM_PROFILE_A5,
               PTOASM_PROFILE_CPU | PTOASM_PROFILE_A5);
    judged_for("module attributes {pto.target_arch = \"a5\"} {\n}\n", 0, PTOASM_PROFILE_A5);
}

static void test_verdicts(void **state) {
    (void)state;
    const uint32_t all = PTOASM_PROFILE_ALL, some = PTOASM_PROFILE_CPU | PTOASM_PROFILE_A5;
    ptoasm_source *src = open_text("func.func @k(%s: i8) {\n"
                                   "  %a = pto.alloc_tile : !pto.tile_buf<vec, 32x32xi8>\n"
                                   "  pto.tadds ins(%a, %s : !pto.tile_buf<vec, 32x32xi8>, i8)\n"
                                   "            outs(%a : !pto.tile_buf<vec, 32x32xi8>)\n"
                                   "  return\n"
                                   "}\n"
                                   "pto.what\n");
    ptoasm_options opt = PTOASM_OPTIONS_INIT;
    opt.profiles = all;
    ptoasm_result *res;
    assert_int_equal(ptoasm_check(src, &opt, &res), PTOASM_REJECTED);
    assert_int_equal(ptoasm_verdict_count(res), 0); /* nobody asked */
    ptoasm_result_free(res);
    opt.verdicts = true;
    assert_int_equal(ptoasm_check(src, &opt, &res), PTOASM_REJECTED);
    assert_int_equal(ptoasm_verdict_count(res), 6);
    expect_row(res, 0, (ptoasm_verdict){PTOASM_VERDICT_FUNCTION, "k", "", 1, all, some, 0});
    expect_row(res, 1,
               (ptoasm_verdict){PTOASM_VERDICT_STATEMENT, "k", "pto.alloc_tile", 2, all, all, 25});
    expect_row(res, 2,
               (ptoasm_verdict){PTOASM_VERDICT_STATEMENT, "k", "pto.tadds", 3, all, some, 78});
    expect_row(res, 3, (ptoasm_verdict){PTOASM_VERDICT_MEMORY, "k", "", 1, 0, 0, 0});
    expect_row(res, 4, (ptoasm_verdict){PTOASM_VERDICT_FUNCTION, "", "", 7, all, 0, 198});
    expect_row(res, 5, (ptoasm_verdict){PTOASM_VERDICT_STATEMENT, "", "", 7, all, 0, 198});
    assert_string_equal(ptoasm_verdict_id(res, 2, PTOASM_PROFILE_A2A3), "elem-type");
    assert_null(ptoasm_verdict_id(res, 2, PTOASM_PROFILE_A5));
    assert_null(ptoasm_verdict_id(res, 2, PTOASM_PROFILE_ALL));
    assert_null(ptoasm_verdict_id(res, 0, PTOASM_PROFILE_A2A3));
    assert_null(ptoasm_verdict_id(res, 3, PTOASM_PROFILE_A2A3));
    assert_string_equal(ptoasm_verdict_id(res, 5, PTOASM_PROFILE_A5), "unknown-op");
    ptoasm_verdict v;
    assert_false(ptoasm_verdict_at(res, 6, &v));
    assert_null(ptoasm_verdict_id(res, 6, PTOASM_PROFILE_A5));
    ptoasm_result_free(res);
    ptoasm_source_close(src);
}

static int as_told(const char *id, const void *arg) {
    assert_string_equal(id, "deprecated-spelling");
    return *(const int *)arg;
}

/* Warnings stay, become errors, or go; errors are not asked about. */
static void test_warnings(void **state) {
    (void)state;
    ptoasm_source *src = open_text("func.func @k() {\n"
                                   "  pto.tmatmul_acc ins(%a, %b, %c : i8, i8, i8) outs(%a : i8)\n"
                                   "  return\n"
                                   "}\n");
    static const int severities[] = {PTOASM_SEVERITY_WARNING, PTOASM_SEVERITY_ERROR,
                                     PTOASM_SEVERITY_NOTE};
    for (int k = 0; k < 3; k++) {
        ptoasm_result *res;
        ptoasm_diagnostic d;
        assert_int_equal(ptoasm_check(src, NULL, &res), PTOASM_REJECTED);
        size_t before = ptoasm_diagnostic_count(res);
        assert_true(before > 1);
        ptoasm_set_warning_severity(res, as_told, &severities[k]);
        assert_int_equal(ptoasm_diagnostic_count(res), before - (k == 2));
        assert_true(ptoasm_diagnostic_at(res, 0, &d));
        assert_int_equal(d.severity, k == 0 ? PTOASM_SEVERITY_WARNING : PTOASM_SEVERITY_ERROR);
        assert_int_equal(strcmp(d.id, "deprecated-spelling") == 0, k != 2);
        const char *text = ptoasm_diagnostics_text(res, 0, NULL);
        assert_int_equal(strstr(text, "warning: ") != NULL, k == 0);
        assert_int_equal(strstr(text, "[deprecated-spelling]") != NULL, k != 2);
        ptoasm_result_free(res);
    }
    ptoasm_source_close(src);
}

static bool note_warning(const ptoasm_diagnostic *d, void *arg) {
    assert_int_equal(d->severity, PTOASM_SEVERITY_WARNING);
    assert_string_equal(d->id, "deprecated-spelling");
    return *(int *)arg += 1;
}

/* Hidden warnings are forgotten, and errors stay; what a source was opened with. */
static void test_hidden_warnings(void **state) {
    (void)state;
    ptoasm_source *src = open_text("func.func @k() {\n"
                                   "  pto.tmatmul_acc ins(%a, %b, %c : i8, i8, i8) outs(%a : i8)\n"
                                   "  return\n"
                                   "}\n");
    ptoasm_result *res;
    ptoasm_diagnostic d;
    int asked = 0;
    size_t size;
    assert_int_equal(ptoasm_check(src, NULL, &res), PTOASM_REJECTED);
    size_t before = ptoasm_diagnostic_count(res);
    ptoasm_hide_warnings(res, note_warning, &asked);
    assert_int_equal(asked, 1);
    assert_int_equal(ptoasm_diagnostic_count(res), before - 1);
    for (size_t i = 0; ptoasm_diagnostic_at(res, i, &d); i++)
        assert_int_equal(d.severity, PTOASM_SEVERITY_ERROR);
    ptoasm_result_free(res);
    assert_int_equal(strncmp(ptoasm_source_text(src, &size), "func.func", 9), 0);
    assert_int_equal(strlen(ptoasm_source_text(src, NULL)), size);
    assert_non_null(ptoasm_source_name(src));
    ptoasm_source_close(src);
}

/* The lines that `loc(..)` names, of a diagnostic and at an offset. */
static void test_locations(void **state) {
    static const char text[] = "func.func @k() {\n"
                               "  %a = arith.constant 1.0 : i32 loc(#a)\n"
                               "  %b = arith.constant 1.0 : i32\n"
                               "  return\n"
                               "} loc(\"k.py\":1)\n"
                               "#a = loc(callsite(\"x\"(\"a.py\":2:3) at \"b.py\":4:5))\n";
    (void)state;
    ptoasm_source *src = open_text(text);
    ptoasm_result *res;
    ptoasm_diagnostic d;
    ptoasm_location l;
    assert_int_equal(ptoasm_check(src, NULL, &res), PTOASM_REJECTED);
    assert_true(ptoasm_diagnostic_at(res, 0, &d));
    assert_string_equal(d.source_file, "a.py");
    assert_int_equal(d.source_line, 2);
    assert_int_equal(d.source_column, 3);
    assert_true(ptoasm_location_at(res, d.place.offset, 0, &l));
    assert_string_equal(l.name, "x");
    assert_false(l.caller);
    assert_true(ptoasm_location_at(res, d.place.offset, 1, &l));
    assert_string_equal(l.file, "b.py");
    assert_true(l.caller);
    assert_string_equal(l.message, "called from here");
    assert_false(ptoasm_location_at(res, d.place.offset, 2, &l));
    assert_true(ptoasm_location_at(res, 0, 0, &l));
    assert_string_equal(l.file, "k.py");
    assert_int_equal(l.column, 0);
    assert_null(l.name);
    assert_true(ptoasm_diagnostic_at(res, 1, &d));
    assert_null(d.source_file);
    assert_int_equal(d.source_line, 0);
    assert_false(ptoasm_location_at(res, UINT32_MAX, 8, &l));
    const char *shown = ptoasm_diagnostics_text(res, PTOASM_TEXT_AUTHOR, NULL);
    assert_int_equal(strncmp(shown, "a.py:2:3: error: ", 17), 0);
    ptoasm_result_free(res);
    ptoasm_source_close(src);
}

static void test_texts(void **state) {
    (void)state;
    assert_true(ptoasm_version()[0] >= '0' && ptoasm_version()[0] <= '9');
    for (int s = PTOASM_OK; s <= PTOASM_TOO_LARGE; s++)
        for (int t = s + 1; t <= PTOASM_TOO_LARGE; t++)
            assert_string_not_equal(ptoasm_status_text(s), ptoasm_status_text(t));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check),     cmocka_unit_test(test_diagnostics),
        cmocka_unit_test(test_places),    cmocka_unit_test(test_format),
        cmocka_unit_test(test_emit),      cmocka_unit_test(test_no_code),
        cmocka_unit_test(test_arguments), cmocka_unit_test(test_borrow),
        cmocka_unit_test(test_limit),     cmocka_unit_test(test_texts),
        cmocka_unit_test(test_warnings),  cmocka_unit_test(test_hidden_warnings),
        cmocka_unit_test(test_verdicts),  cmocka_unit_test(test_what_was_judged),
        cmocka_unit_test(test_locations),
    };
    return cmocka_run_group_tests_name("api", tests, NULL, NULL);
}
