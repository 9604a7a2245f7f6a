/* SPDX-License-Identifier: Apache-2.0 */
/* What the library says, prints and emits is the same under a locale with a decimal comma, in which
 * `I` and `i` are different letters. The arguments are programs to try besides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/checkrun.h"
#include "common/comma.h"

static const char floats[] = "module attributes {pto.target_arch = \"A5\"} {\n"
                             "  func.func @k(%p: !pto.ptr<f32>, %h: !pto.ptr<f16>) attributes "
                             "{pto.entry, scale = 1234.5678 : f64} {\n"
                             "    %c0 = arith.constant 0 : index\n"
                             "    %a = arith.constant 1.5 : f32\n"
                             "    %b = arith.constant -2.25e-3 : f16\n"
                             "    %c = arith.constant 0.1 : f64\n"
                             "    pto.store_scalar %a, %p[%c0] : !pto.ptr<f32>, f32\n"
                             "    pto.store_scalar %b, %h[%c0] : !pto.ptr<f16>, f16\n"
                             "    return\n"
                             "  }\n"
                             "}\n";
static const char cases[] =
    "func.func @k(%a: !pto.tile_buf<vec, 16x16xf32>, %b: !pto.tile_buf<vec, 16x16xi32>) {\n"
    "  pto.tcvt ins(%a {rmode = #pto<round_mode CAST_RINT>} : !pto.tile_buf<vec, 16x16xf32>) "
    "outs(%b : !pto.tile_buf<vec, 16x16xi32>)\n"
    "  pto.tcvt ins(%a {rmode = #pto<round_mode rInT>} : !pto.tile_buf<vec, 16x16xf32>) outs(%b : "
    "!pto.tile_buf<vec, 16x16xi32>)\n"
    "  pto.tadds ins(%a, %b : f32, f32) outs(%a : f32)\n"
    "  return\n"
    "}\n";

/* Everything that the library says of a program, in one text. */
typedef struct Said {
    char *text;
    size_t len;
} Said;

static void say(Said *s, const char *text, size_t n) {
    s->text = realloc(s->text, s->len + n + 1);
    assert_non_null(s->text);
    memcpy(s->text + s->len, text, n);
    s->len += n;
    s->text[s->len] = '\0';
}

static void take(Said *s, int status, ptoasm_result *res) {
    char line[32];
    size_t n;
    say(s, line, (size_t)snprintf(line, sizeof line, "status %d\n", status));
    assert_non_null(res);
    const char *text = ptoasm_diagnostics_text(res, 0, &n);
    assert_non_null(text);
    say(s, text, n);
    text = ptoasm_result_text(res, &n);
    if (text != NULL) say(s, text, n);
    ptoasm_result_free(res);
}

static Said everything(const char *text, size_t n) {
    Said s = {NULL, 0};
    ptoasm_source *src;
    ptoasm_result *res;
    ptoasm_options all = PTOASM_OPTIONS_INIT;
    all.profiles = PTOASM_PROFILE_ALL;
    const ptoasm_emit_options emit = {.size = sizeof emit, .checked = true};
    assert_int_equal(ptoasm_source_open("t.pto", text, n, 0, &src), PTOASM_OK);
    int status = ptoasm_check(src, &all, &res);
    take(&s, status, res);
    for (int form = PTOASM_FORM_KEEP; form <= PTOASM_FORM_GENERIC; form++) {
        status = ptoasm_format(src, NULL, (enum ptoasm_form)form, &res);
        take(&s, status, res);
    }
    status = ptoasm_emit(src, NULL, &emit, &res);
    take(&s, status, res);
    ptoasm_source_close(src);
    return s;
}

static locale_t comma;

static void same_under_both(const char *text, size_t n) {
    Said one = everything(text, n);
    uselocale(comma);
    Said other = everything(text, n);
    uselocale(LC_GLOBAL_LOCALE);
    assert_string_equal(one.text, other.text);
    free(one.text);
    free(other.text);
}

static char **files;
static int nfiles;

static void same_under_both_locales(void **state) {
    (void)state;
    comma = comma_locale();
    if (comma == (locale_t)0) {
        print_message("# localedef cannot make a locale with a comma here\n");
        skip();
    }
    Said s = everything(floats, strlen(floats));
    assert_non_null(strstr(s.text, "0x1.8p+0f"));
    assert_non_null(strstr(s.text, "1234.5678"));
    free(s.text);
    same_under_both(floats, strlen(floats));
    same_under_both(cases, strlen(cases));
    for (int i = 0; i < nfiles; i++) {
        size_t n;
        char *text = read_whole_file(files[i], &n);
        assert_non_null(text);
        same_under_both(text, n);
        free(text);
    }
    freelocale(comma);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_under_both_locales)};
    files = argv + 1;
    nfiles = argc - 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
