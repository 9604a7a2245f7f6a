/* SPDX-License-Identifier: Apache-2.0 */
/* `ptoasm explain --format=json` prints valid JSON of the shape that docs/machine-output.md states.
 * usage: test_json PTOASM */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const char *program;

/* The value that the command prints; the test fails when it is no JSON. */
static json_t *explained(const char *arguments) {
    char command[4096];
    json_error_t error;
    snprintf(command, sizeof command, "'%s' explain --format=json %s", program, arguments);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    json_t *value = json_loadf(f, 0, &error);
    if (value == NULL) fail_msg("%s: %s at line %d", arguments, error.text, error.line);
    assert_int_equal(pclose(f), 0);
    return value;
}

static void has_keys(const json_t *o, const char *what, const char *const *keys) {
    for (; *keys != NULL; keys++)
        if (json_object_get(o, *keys) == NULL) fail_msg("%s has no %s", what, *keys);
}

static void one_instruction(const char *name) {
    static const char *const keys[] = {"name",
                                       "alias_of",
                                       "family",
                                       "summary",
                                       "formula",
                                       "deprecated",
                                       "replacement",
                                       "in_ptoas",
                                       "profiles",
                                       "core",
                                       "tiles",
                                       "syntax",
                                       "operands",
                                       "results",
                                       "attributes",
                                       "pipe",
                                       "planned_tmp",
                                       "no_overlap",
                                       "in_place",
                                       "device_call",
                                       "device_scratch",
                                       "emitted",
                                       "no_effect",
                                       "not_emitted_because",
                                       "rules",
                                       "example",
                                       NULL};
    json_t *o = explained(name);
    has_keys(o, name, keys);
    assert_string_equal(json_string_value(json_object_get(o, "name")), name);
    json_decref(o);
}

static void one_diagnostic(const char *id) {
    static const char *const keys[] = {"id",  "severity", "summary",      "meaning", "why",
                                       "fix", "page",     "instructions", NULL};
    json_t *o = explained(id);
    has_keys(o, id, keys);
    assert_string_equal(json_string_value(json_object_get(o, "id")), id);
    json_decref(o);
}

/* A topic whose name an id has too gives the object of the id. */
static void one_topic(const json_t *entry) {
    static const char *const keys[] = {"topic", "names", "title", "page", "text", NULL};
    const char *name = json_string_value(json_object_get(entry, "topic"));
    has_keys(entry, name, (const char *const[]){"topic", "names", "title", NULL});
    json_t *o = explained(name);
    if (json_object_get(o, "topic") != NULL) {
        has_keys(o, name, keys);
        assert_true(json_string_length(json_object_get(o, "text")) > 40);
    } else {
        has_keys(o, name, (const char *const[]){"id", NULL});
    }
    json_decref(o);
}

/* A process for each name would take long: every eighth is asked for. */
static void lists_and_names(void **state) {
    (void)state;
    json_t *list = explained("--list"), *entry;
    size_t i;
    assert_true(json_is_string(json_object_get(list, "version")));
    json_array_foreach(json_object_get(list, "instructions"), i, entry) {
        if (i % 8 == 0) one_instruction(json_string_value(json_object_get(entry, "name")));
    }
    assert_true(i > 100);
    json_array_foreach(json_object_get(list, "diagnostics"), i, entry) {
        if (i % 8 == 0) one_diagnostic(json_string_value(json_object_get(entry, "id")));
    }
    assert_true(i > 50);
    json_array_foreach(json_object_get(list, "topics"), i, entry) {
        if (i % 4 == 0) one_topic(entry);
    }
    assert_true(i > 20);
    json_decref(list);
    one_instruction("pto.txors");
    json_t *family = explained("sync");
    assert_true(json_array_size(json_object_get(family, "instructions")) > 0);
    json_decref(family);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists_and_names)};
    if (argc != 2) return 2;
    program = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
