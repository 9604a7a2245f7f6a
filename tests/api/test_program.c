/* SPDX-License-Identifier: Apache-2.0 */
/* A program that is read once gives, call after call, what a source that is read for each call
 * gives; what is at an offset; the memory plan; structs of other sizes. usage: test_program
 * FOLDER... */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ptoasm.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char **folders;
static int nfolders;

static const char sample[] = "func.func @helper(%t: !pto.tile_buf<vec, 32x32xf32>) {\n"
                             "  return\n"
                             "}\n"
                             "func.func @k(%s: f32) {\n"
                             "  %a = pto.alloc_tile : !pto.tile_buf<vec, 32x32xf32>\n"
                             "  %b = pto.tadds %a, %s : (!pto.tile_buf<vec, 32x32xf32>, f32) "
                             "-> !pto.tile_buf<vec, 32x32xf32>\n"
                             "  func.call @helper(%b) : (!pto.tile_buf<vec, 32x32xf32>) -> ()\n"
                             "  return\n"
                             "}\n";

static ptoasm_source *open_text(const char *name, const char *text, size_t size) {
    ptoasm_source *src;
    assert_int_equal(ptoasm_source_open(name, text, size, 0, &src), PTOASM_OK);
    return src;
}

static ptoasm_program *open_program(const ptoasm_source *src) {
    ptoasm_program *p;
    assert_int_equal(ptoasm_program_open(src, NULL, &p), PTOASM_OK);
    return p;
}

/* ---- one reading, many calls ---- */

static char *text_of(ptoasm_result *res) {
    const char *printed = ptoasm_diagnostics_text(res, 0, NULL);
    const char *made = ptoasm_result_text(res, NULL);
    assert_non_null(printed);
    size_t n = strlen(printed) + (made != NULL ? strlen(made) : 0) + 2;
    char *copy = malloc(n);
    assert_non_null(copy);
    snprintf(copy, n, "%s\n%s", printed, made != NULL ? made : "");
    return copy;
}

enum { CHECK_A2A3, CHECK_ALL, EMIT_C, KEEP, DPS, SSA, GENERIC, CALLS };

static int call(const ptoasm_source *src, ptoasm_program *p, int which, ptoasm_result **res) {
    static const enum ptoasm_form forms[] = {PTOASM_FORM_KEEP, PTOASM_FORM_DPS, PTOASM_FORM_SSA,
                                             PTOASM_FORM_GENERIC};
    ptoasm_options opt = PTOASM_OPTIONS_INIT;
    opt.profiles = which == CHECK_ALL ? PTOASM_PROFILE_ALL : PTOASM_PROFILE_A2A3;
    if (which == CHECK_A2A3 || which == CHECK_ALL)
        return p != NULL ? ptoasm_program_check(p, &opt, res) : ptoasm_check(src, &opt, res);
    if (which == EMIT_C)
        return p != NULL ? ptoasm_program_emit(p, &opt, NULL, res)
                         : ptoasm_emit(src, &opt, NULL, res);
    enum ptoasm_form form = forms[which - KEEP];
    return p != NULL ? ptoasm_program_format(p, &opt, form, res)
                     : ptoasm_format(src, &opt, form, res);
}

/* Every call twice, the second time after all others; results stay as they are meanwhile. */
static void compare_calls(const char *name, const char *text, size_t size) {
    ptoasm_source *src = open_text(name, text, size);
    ptoasm_program *p = open_program(src);
    ptoasm_result *kept[2 * CALLS];
    char *wanted[CALLS];
    for (int i = 0; i < 2 * CALLS; i++) {
        ptoasm_result *fresh;
        int expected = call(src, NULL, i % CALLS, &fresh);
        int got = call(src, p, i % CALLS, &kept[i]);
        if (expected != got) print_error("%s: call %d: %d, expected %d\n", name, i, got, expected);
        assert_int_equal(expected, got);
        if (i < CALLS) wanted[i] = text_of(fresh);
        ptoasm_result_free(fresh);
    }
    for (int i = 0; i < 2 * CALLS; i++) {
        char *got = text_of(kept[i]);
        if (strcmp(got, wanted[i % CALLS]) != 0) print_error("%s: call %d differs\n", name, i);
        assert_string_equal(got, wanted[i % CALLS]);
        free(got);
        ptoasm_result_free(kept[i]);
    }
    for (int i = 0; i < CALLS; i++)
        free(wanted[i]);
    ptoasm_program_close(p);
    ptoasm_source_close(src);
}

static bool is_pto(const char *name) {
    size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, ".pto") == 0;
}

static void compare_file(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    static char text[1 << 20];
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    if (n < sizeof text) compare_calls(name, text, n);
}

static void test_same_results(void **state) {
    (void)state;
    int files = 0;
    for (int i = 0; i < nfolders; i++) {
        DIR *d = opendir(folders[i]);
        assert_non_null(d);
        for (struct dirent *e; (e = readdir(d)) != NULL;)
            if (is_pto(e->d_name)) {
                compare_file(folders[i], e->d_name);
                files++;
            }
        closedir(d);
    }
    assert_true(files > 50);
    compare_calls("sample", sample, strlen(sample));
}

/* ---- what is at an offset ---- */

static uint32_t place_in(const char *text, const char *what) {
    const char *at = strstr(text, what);
    assert_non_null(at);
    return (uint32_t)(at - text);
}

static void test_symbols(void **state) {
    (void)state;
    ptoasm_source *src = open_text("k.pto", sample, strlen(sample));
    ptoasm_program *p = open_program(src);
    ptoasm_symbol s;
    ptoasm_place uses[8];
    assert_true(ptoasm_program_symbol(p, place_in(sample, "%a, %s") + 1, &s));
    assert_int_equal(s.kind, PTOASM_SYMBOL_VALUE);
    assert_string_equal(s.name, "%a");
    assert_string_equal(s.type, "!pto.tile_buf<vec, 32x32xf32>");
    assert_string_equal(s.instruction, "pto.tadds");
    assert_int_equal(s.definition.offset, place_in(sample, "%a ="));
    assert_int_equal(s.definition.line, 5);
    assert_int_equal(s.place.length, 2);

    assert_true(ptoasm_program_symbol(p, place_in(sample, "%s: f32"), &s)); /* a parameter */
    assert_string_equal(s.name, "%s");
    assert_string_equal(s.type, "f32");
    assert_int_equal(ptoasm_program_uses(p, place_in(sample, "%s: f32"), uses, 8), 2);
    assert_int_equal(uses[0].offset, place_in(sample, "%s: f32"));
    assert_int_equal(uses[1].offset, place_in(sample, "%s : ("));

    assert_true(ptoasm_program_symbol(p, place_in(sample, "@helper(%b") + 3, &s));
    assert_int_equal(s.kind, PTOASM_SYMBOL_FUNCTION);
    assert_string_equal(s.name, "@helper");
    assert_int_equal(s.definition.line, 1);
    assert_int_equal(ptoasm_program_uses(p, place_in(sample, "@helper(%b"), uses, 1), 2);
    assert_int_equal(uses[0].line, 1);

    assert_true(ptoasm_program_symbol(p, place_in(sample, "pto.tadds"), &s));
    assert_int_equal(s.kind, PTOASM_SYMBOL_INSTRUCTION);
    assert_string_equal(s.name, "pto.tadds");
    ptoasm_instruction facts;
    assert_true(ptoasm_instruction_find(s.name, &facts));
    assert_int_equal(facts.profiles, PTOASM_PROFILE_ALL);
    assert_true(strlen(facts.summary) > 10);

    assert_false(ptoasm_program_symbol(p, place_in(sample, "-> !pto") + 10, &s));
    for (uint32_t off = 0; off < strlen(sample) + 5; off++) /* any place is a legal question */
        ptoasm_program_symbol(p, off, &s);
    ptoasm_program_close(p);
    ptoasm_source_close(src);
}

static void test_aliases(void **state) {
    (void)state;
    static const char text[] = "!t = !pto.tile_buf<vec, 32x32xf32>\n"
                               "!s = !pto.struct<i32, !t> // !t\n"
                               "func.func @f(%t: !t) {\n"
                               "  %d = arith.constant {x = \"!t\"} 1 : i32\n"
                               "  return\n"
                               "}\n";
    ptoasm_source *src = open_text("k.pto", text, strlen(text));
    ptoasm_program *p = open_program(src);
    const uint32_t at = place_in(text, ": !t") + 2;
    ptoasm_symbol s;
    ptoasm_place uses[4];
    assert_true(ptoasm_program_symbol(p, at, &s));
    assert_int_equal(s.kind, PTOASM_SYMBOL_TYPE);
    assert_string_equal(s.name, "!t");
    assert_string_equal(s.meaning, "!pto.tile_buf<vec, 32x32xf32>");
    assert_string_equal(s.instruction, "");
    assert_int_equal(s.definition.offset, 0);
    assert_int_equal(s.statement.line, 0);
    assert_int_equal(s.place.offset, at);
    assert_int_equal(ptoasm_program_uses(p, at, uses, 4), 3);
    assert_int_equal(uses[0].offset, 0);
    assert_int_equal(uses[1].offset, place_in(text, "!t> "));
    assert_int_equal(uses[2].offset, at);
    assert_int_equal(ptoasm_program_uses(p, at, uses, 1), 3);
    assert_int_equal(ptoasm_program_names(p, 0, uses, 4), 3);
    assert_int_equal(uses[2].offset, at + 1);
    assert_int_equal(uses[2].length, 1);
    assert_int_equal(ptoasm_program_bytes(p, at, PTOASM_PROFILE_A5), 4096);
    assert_false(ptoasm_program_symbol(p, place_in(text, "// !t") + 4, &s));
    assert_false(ptoasm_program_symbol(p, place_in(text, "\"!t") + 2, &s));
    ptoasm_definition d;
    assert_true(ptoasm_program_definition(p, 1, &d)); /* %t */
    assert_string_equal(d.type, "!t");
    assert_string_equal(d.meaning, "!pto.tile_buf<vec, 32x32xf32>");
    ptoasm_program_close(p);
    ptoasm_source_close(src);
}

/* ---- definitions and names ---- */

static const char packs[] = "!t = !pto.tile_buf<vec, 32x32xf32>\n"
                            "func.func @f(%n: index, %t: !t) -> index {\n"
                            "  %c = arith.constant 0 : index\n"
                            "  %r:2 = scf.for %i = %c to %n step %n iter_args(%x = %c, %y = %n)\n"
                            "      -> (index, index) {\n"
                            "    %in = arith.addi %x, %i : index\n"
                            "    scf.yield %in, %y : index, index\n"
                            "  }\n"
                            "  %sum = arith.addi %r#0, %r#1 : index\n"
                            "  return %sum : index\n"
                            "}\n"
                            "func.func @g(%n: index, %t: !t) -> index {\n"
                            "  %r = func.call @f(%n, %t) : (index, !t) -> index\n"
                            "  return %r : index\n"
                            "}\n";

static void test_definitions(void **state) {
    (void)state;
    static const char *const names[] = {"@f", "%n",  "%t",   "%c", "%r", "%i", "%x",
                                        "%y", "%in", "%sum", "@g", "%n", "%t", "%r"};
    const size_t n = sizeof names / sizeof names[0];
    ptoasm_source *src = open_text("k.pto", packs, strlen(packs));
    ptoasm_program *p = open_program(src);
    ptoasm_definition d;
    assert_true(ptoasm_program_readable(p));
    assert_int_equal(ptoasm_program_definition_count(p), n);
    for (size_t i = 0; i < n; i++) {
        assert_true(ptoasm_program_definition(p, i, &d));
        assert_string_equal(d.name, names[i]);
        assert_memory_equal(packs + d.place.offset, names[i], strlen(names[i]));
        assert_int_equal(d.kind, names[i][0] == '@' ? PTOASM_SYMBOL_FUNCTION : PTOASM_SYMBOL_VALUE);
        assert_int_equal(d.tile, strcmp(names[i], "%t") == 0);
    }
    assert_false(ptoasm_program_definition(p, n, &d));
    assert_false(ptoasm_program_definition_get(p, 0, NULL, 0));

    ptoasm_program_definition(p, 0, &d); /* @f: all of the function */
    assert_int_equal(d.from, place_in(packs, "func.func @f"));
    assert_int_equal(d.to, place_in(packs, "}\nfunc.func @g") + 1);
    ptoasm_program_definition(p, 2, &d); /* %t: in the function, as an alias */
    assert_string_equal(d.type, "!t");
    assert_string_equal(d.instruction, "");
    assert_int_equal(d.to, place_in(packs, "}\nfunc.func @g"));
    ptoasm_program_definition(p, 4, &d); /* %r: after the loop */
    assert_string_equal(d.instruction, "scf.for");
    assert_int_equal(d.results, 2);
    assert_int_equal(d.from, place_in(packs, "  }\n  %sum") + 3);
    assert_int_equal(d.to, place_in(packs, "}\nfunc.func @g"));
    ptoasm_program_definition(p, 8, &d); /* %in: in the loop */
    assert_int_equal(d.from, place_in(packs, "\n    scf.yield"));
    assert_int_equal(d.to, place_in(packs, "}\n  %sum"));
    ptoasm_program_close(p);
    ptoasm_source_close(src);
}

/* The name at `what` is written where the `n` texts are, and nowhere else. */
static void check_names(ptoasm_program *p, const char *what, size_t length, size_t n,
                        const char *const *where) {
    ptoasm_place places[8];
    assert_int_equal(ptoasm_program_names(p, place_in(packs, what), places, 8), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(places[i].offset, place_in(packs, where[i]) + 1);
        assert_int_equal(places[i].length, length);
    }
    assert_int_equal(ptoasm_program_names(p, place_in(packs, what), places, 1), n);
    assert_int_equal(ptoasm_program_names(p, place_in(packs, what), NULL, 0), n);
}

static void test_names(void **state) {
    (void)state;
    ptoasm_source *src = open_text("k.pto", packs, strlen(packs));
    ptoasm_program *p = open_program(src);
    ptoasm_symbol s;
    check_names(p, "%r#1", 1, 3, (const char *const[]){"%r:2", "%r#0", "%r#1"});
    check_names(p, "%r#0", 1, 3, (const char *const[]){"%r:2", "%r#0", "%r#1"});
    check_names(p, "%sum :", 3, 2, (const char *const[]){"%sum =", "%sum :"});
    check_names(p, "%x,", 1, 2, (const char *const[]){"%x =", "%x,"});
    check_names(p, "@f(%n,", 1, 2, (const char *const[]){"@f(%n:", "@f(%n,"});
    assert_int_equal(ptoasm_program_names(p, place_in(packs, "arith.addi"), NULL, 0), 0);
    assert_int_equal(ptoasm_program_names(p, place_in(packs, "-> ("), NULL, 0), 0);
    assert_int_equal(ptoasm_program_names(NULL, 0, NULL, 0), 0);
    for (uint32_t off = 0; off < strlen(packs) + 5; off++) /* any place is a legal question */
        ptoasm_program_names(p, off, NULL, 0);

    uint32_t tile = place_in(packs, "%t)");
    assert_int_equal(ptoasm_program_bytes(p, tile, PTOASM_PROFILE_A5), 32 * 32 * 4);
    assert_int_equal(ptoasm_program_bytes(p, tile, 0), -1);
    assert_int_equal(ptoasm_program_bytes(p, tile, 8), -1);
    assert_int_equal(ptoasm_program_bytes(p, place_in(packs, "%c ="), PTOASM_PROFILE_A5), -1);
    assert_true(ptoasm_program_symbol(p, tile, &s));
    assert_string_equal(s.type, "!t");
    assert_string_equal(s.meaning, "!pto.tile_buf<vec, 32x32xf32>");
    ptoasm_program_close(p);
    ptoasm_source_close(src);
}

static void test_facts(void **state) {
    (void)state;
    ptoasm_instruction inst;
    ptoasm_id id;
    assert_true(ptoasm_instruction_find("tadds", &inst));
    assert_string_equal(inst.name, "pto.tadds");
    assert_false(ptoasm_instruction_find("pto.nothing", &inst));
    assert_true(ptoasm_id_find("elem-type", &id));
    assert_int_equal(id.severity, PTOASM_SEVERITY_ERROR);
    assert_true(strlen(id.fix) > 10);
    assert_false(ptoasm_id_find("no-such-id", &id));
}

/* ---- the plan ---- */

static void test_plan(void **state) {
    (void)state;
    ptoasm_source *src = open_text("k.pto", sample, strlen(sample));
    ptoasm_program *p = open_program(src);
    ptoasm_result *res;
    ptoasm_slot slot;
    assert_int_equal(ptoasm_program_plan(p, NULL, &res), PTOASM_OK);
    size_t named = 0;
    for (size_t i = 0; ptoasm_slot_at(res, i, &slot); i++) {
        assert_string_equal(slot.space, "vec");
        assert_string_equal(slot.function, "k");
        assert_int_equal(slot.bytes, 32 * 32 * 4);
        assert_false(slot.bound);
        assert_true(slot.capacity >= slot.address + slot.bytes);
        assert_true(slot.first <= slot.last && slot.last_line >= slot.first_line);
        assert_true(slot.first_line >= slot.line);
        assert_int_equal(sample[slot.offset], '%');
        assert_memory_equal(sample + slot.offset + 1, slot.name, strlen(slot.name));
        named += strcmp(slot.name, "a") == 0 || strcmp(slot.name, "b") == 0;
    }
    assert_int_equal(ptoasm_slot_count(res), named);
    assert_true(named > 0);
    ptoasm_result_free(res);
    assert_int_equal(ptoasm_program_check(p, NULL, &res), PTOASM_OK); /* planning changed nothing */
    assert_int_equal(ptoasm_slot_count(res), 0);
    ptoasm_result_free(res);
    ptoasm_program_close(p);
    ptoasm_source_close(src);
}

/* ---- structs of other sizes ---- */

static void test_sizes(void **state) {
    (void)state;
    struct {
        ptoasm_options known;
        char later[16];
    } longer = {.known = PTOASM_OPTIONS_INIT};
    ptoasm_options shorter = PTOASM_OPTIONS_INIT;
    ptoasm_source *src = open_text("k.pto", sample, strlen(sample));
    ptoasm_result *res;
    longer.known.size = sizeof longer;
    assert_int_equal(ptoasm_check(src, &longer.known, &res), PTOASM_OK);
    ptoasm_result_free(res);
    longer.later[15] = 1;
    assert_int_equal(ptoasm_check(src, &longer.known, &res), PTOASM_ARGUMENT);
    shorter.size = offsetof(ptoasm_options, compat);
    assert_int_equal(ptoasm_check(src, &shorter, &res), PTOASM_ARGUMENT);
    ptoasm_source_close(src);

    struct {
        ptoasm_diagnostic known;
        char later[16];
    } out;
    src = open_text("k.pto", "nothing\n", 8);
    assert_int_equal(ptoasm_check(src, NULL, &res), PTOASM_REJECTED);
    memset(&out, 1, sizeof out);
    assert_true(ptoasm_diagnostic_get(res, 0, &out.known, sizeof out));
    assert_string_equal(out.known.id, "syntax");
    assert_int_equal(out.later[0], 0);
    memset(&out, 1, sizeof out);
    assert_true(ptoasm_diagnostic_get(res, 0, &out.known, offsetof(ptoasm_diagnostic, place)));
    assert_int_equal(out.known.place.line, 0x01010101);
    ptoasm_result_free(res);
    ptoasm_source_close(src);
}

static void test_version(void **state) {
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", PTOASM_VERSION_MAJOR, PTOASM_VERSION_MINOR,
             PTOASM_VERSION_PATCH);
    assert_string_equal(text, ptoasm_version());
}

int main(int argc, char **argv) {
    folders = argv + 1;
    nfolders = argc - 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_results), cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_aliases),      cmocka_unit_test(test_definitions),
        cmocka_unit_test(test_names),        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_plan),         cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
