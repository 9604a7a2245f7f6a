/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the cases of `ptoasm test`: a JSON file as docs/test.schema.json describes it. */
#include "cli/test.h"

#include <stdlib.h>
#include <string.h>

/* ---- keys ---- */

enum { TEXT = 1, WHOLE = 2, REAL = 4, TRUTH = 8, LIST = 16, OBJECT = 32 };

typedef struct Key {
    const char *name;
    unsigned kinds;
} Key;

static const Key case_keys[] = {
    {"name", TEXT},           {"program", TEXT},         {"function", TEXT},
    {"profile", TEXT | LIST}, {"values", LIST | OBJECT}, {"args", LIST | OBJECT},
    {"grid", WHOLE | TEXT},   {"ranks", WHOLE},          {"expect", LIST | OBJECT},
    {"reference", OBJECT},    {"rtol", REAL | WHOLE},    {"atol", REAL | WHOLE},
    {"ulp", WHOLE},           {"sanitize", TRUTH},       {"exit", WHOLE},
    {"message", TEXT},        {"timeout", WHOLE},        {"time", WHOLE},
};
static const Key file_keys[] = {{"$schema", TEXT}, {"defaults", OBJECT}, {"cases", LIST}};
static const Key reference_keys[] = {
    {"python", TEXT}, {"program", TEXT}, {"function", TEXT}, {"command", TEXT}};
static const Key range_keys[] = {{"from", WHOLE}, {"to", WHOLE}, {"step", WHOLE}};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static unsigned kind_of(const json_t *v) {
    return json_is_string(v)    ? TEXT
           : json_is_integer(v) ? WHOLE
           : json_is_real(v)    ? REAL
           : json_is_boolean(v) ? TRUTH
           : json_is_array(v)   ? LIST
           : json_is_object(v)  ? OBJECT
                                : 0;
}

static const char *key_name(const void *table, size_t i) {
    return ((const Key *)table)[i].name;
}

/* Where a value is, for messages: the file and the path in it. */
typedef struct Place {
    const char *file, *path;
} Place;

static int wrong_kind(const Place *at, const Key *key) {
    static const char *const names[] = {"a string",      "an integer", "a number",
                                        "true or false", "an array",   "an object"};
    char text[120] = "";
    for (unsigned i = 0; i < COUNT(names); i++) {
        if ((key->kinds >> i & 1) == 0 || (i == 1 && (key->kinds & REAL) != 0)) continue;
        if (text[0] != '\0') strcat(text, " or ");
        strcat(text, names[i]);
    }
    return trouble("'%s': %s.%s is not %s", at->file, at->path, key->name, text);
}

/* Checks the keys of an object. Returns FINE, or TROUBLE after a message. */
static int check_keys(const Place *at, json_t *o, const Key *keys, size_t n) {
    const char *name;
    json_t *value;
    if (!json_is_object(o)) return trouble("'%s': %s is not an object", at->file, at->path);
    json_object_foreach(o, name, value) {
        size_t i = 0;
        while (i < n && strcmp(keys[i].name, name) != 0)
            i++;
        if (i == n) {
            const char *near = nearest_name(name, strlen(name), n, key_name, keys);
            return trouble("'%s': %s has no key '%s'%s%s%s", at->file, at->path, name,
                           near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                           near != NULL ? "'?" : "");
        }
        if ((kind_of(value) & keys[i].kinds) == 0) return wrong_kind(at, &keys[i]);
    }
    return FINE;
}

/* ---- values ---- */

static char *replaced(const char *text, const json_t *values);

/* Copies JSON with `${name}` in its texts replaced by the values of a combination. */
static json_t *substituted(const json_t *from, const json_t *values) {
    if (json_is_string(from)) {
        char *text = replaced(json_string_value(from), values);
        json_t *copy = json_text(text);
        free(text);
        return copy;
    }
    if (json_is_object(from)) {
        const char *key;
        json_t *value, *o = json_object();
        json_object_foreach((json_t *)(uintptr_t)from, key, value)
            json_put(o, key, substituted(value, values));
        return o;
    }
    if (!json_is_array(from)) return json_deep_copy(from);
    json_t *list = json_array(), *value;
    size_t i;
    json_array_foreach(from, i, value) json_add(list, substituted(value, values));
    return list;
}

static void put_value(FILE *to, const char *name, size_t n, const json_t *values) {
    char key[64];
    snprintf(key, sizeof key, "%.*s", (int)n, name);
    const json_t *value = n < sizeof key ? json_object_get(values, key) : NULL;
    if (value == NULL) { /* the run says what it cannot read */
        fprintf(to, "${%.*s}", (int)n, name);
        return;
    }
    char *text = test_text(value);
    fputs(text, to);
    free(text);
}

static char *replaced(const char *text, const json_t *values) {
    MemoryText out;
    FILE *to = memory_open(&out);
    if (to == NULL) out_of_memory();
    for (const char *at; (at = strstr(text, "${")) != NULL;) {
        const size_t n = strcspn(at + 2, "}");
        if (at[2 + n] == '\0') break;
        fwrite(text, 1, (size_t)(at - text), to);
        put_value(to, at + 2, n, values);
        text = at + 2 + n + 1;
    }
    fputs(text, to);
    if (!memory_close(to, &out)) out_of_memory();
    return out.text;
}

/* Makes the list of a range; NULL after a message. */
static json_t *range_values(const Place *at, json_t *range) {
    if (check_keys(at, range, range_keys, COUNT(range_keys)) != FINE) return NULL;
    const json_t *given = json_object_get(range, "step");
    const json_int_t from = json_integer_value(json_object_get(range, "from")),
                     to = json_integer_value(json_object_get(range, "to")),
                     step = given != NULL ? json_integer_value(given) : 1;
    if (step < 1 || to < from || (to - from) / step > 9999) {
        trouble("'%s': the range %s has no number, or more than 10000", at->file, at->path);
        return NULL;
    }
    json_t *list = json_array();
    for (json_int_t i = from; i <= to; i += step)
        json_add(list, json_integer(i));
    return list;
}

/* Combines what is in `all` with each value of a name. Takes `all`; NULL after a message. */
static json_t *combined(const Place *at, json_t *all, const char *name, json_t *choices) {
    char path[160];
    snprintf(path, sizeof path, "%s.%s", at->path, name);
    const Place here = {at->file, path};
    json_t *list = json_is_object(choices)  ? range_values(&here, choices)
                   : json_is_array(choices) ? json_incref(choices)
                                            : NULL;
    if (list == NULL && !json_is_object(choices)) {
        list = json_array();
        json_add(list, json_incref(choices));
    }
    json_t *out = list != NULL ? json_array() : NULL, *one, *value;
    size_t i, k;
    json_array_foreach(all, i, one) {
        json_array_foreach(list, k, value) {
            json_t *more = json_copy(one);
            if (more == NULL) out_of_memory();
            json_put(more, name, json_incref(value));
            json_add(out, more);
        }
    }
    json_decref(list);
    json_decref(all);
    return out;
}

/* Returns all combinations of values, each an object; NULL after a message. */
static json_t *combinations(const Place *at, json_t *values) {
    size_t i;
    json_t *value;
    const char *name;
    if (json_is_array(values)) {
        json_array_foreach(values, i, value) {
            if (json_is_object(value)) continue;
            trouble("'%s': %s[%zu] is not an object", at->file, at->path, i);
            return NULL;
        }
        return json_incref(values);
    }
    json_t *all = json_array();
    json_add(all, json_object());
    json_object_foreach(values, name, value) {
        if (all != NULL) all = combined(at, all, name, value);
    }
    return all;
}

/* ---- cases ---- */

static TestCase *new_case(TestList *list) {
    if (list->n == list->cap) {
        list->cap = list->cap != 0 ? 2 * list->cap : 16;
        TestCase *grown = realloc(list->cases, list->cap * sizeof *grown);
        if (grown == NULL) out_of_memory();
        list->cases = grown;
    }
    TestCase *c = &list->cases[list->n++];
    *c = (TestCase){.code = -1};
    return c;
}

/* `name [n=16, profile=a5]` */
static char *full_name(const char *name, const json_t *values, const char *profile) {
    MemoryText out;
    FILE *to = memory_open(&out);
    const char *key, *before = " [";
    json_t *value;
    if (to == NULL) out_of_memory();
    fputs(name, to);
    json_object_foreach((json_t *)(uintptr_t)values, key, value) {
        char *text = test_text(value);
        fprintf(to, "%s%s=%s", before, key, text);
        before = ", ";
        free(text);
    }
    if (profile != NULL) fprintf(to, "%sprofile=%s", before, profile);
    if (profile != NULL || before[0] == ',') fputc(']', to);
    if (!memory_close(to, &out)) out_of_memory();
    return out.text;
}

static char *folder_of(const char *file) {
    const char *slash = strrchr(file, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(file, (size_t)(slash - file) + 1);
    if (folder == NULL) out_of_memory();
    return folder;
}

/* The program beside x.test.json is x.pto. */
static void default_program(const char *file, json_t *o) {
    static const char ending[] = ".test.json";
    if (json_object_get(o, "program") != NULL) return;
    const char *slash = strrchr(file, '/');
    const char *base = slash != NULL ? slash + 1 : file;
    size_t n = strlen(base);
    if (n > sizeof ending - 1 && strcmp(base + n - (sizeof ending - 1), ending) == 0)
        n -= sizeof ending - 1;
    char *name = must_alloc(n + sizeof ".pto");
    memcpy(name, base, n);
    strcpy(name + n, ".pto");
    json_put(o, "program", json_text(name));
    free(name);
}

/* Adds one case. */
static int add_case(const Place *at, const json_t *o, const json_t *values, const char *profile,
                    TestList *list) {
    TestCase *c = new_case(list);
    json_t *one = substituted(o, values);
    default_program(at->file, one);
    const json_t *name = json_object_get(one, "name"), *limit = json_object_get(one, "timeout"),
                 *message = json_object_get(one, "message");
    c->file = at->file;
    c->folder = folder_of(at->file);
    c->name = full_name(name != NULL ? json_string_value(name) : at->path, values, profile);
    const json_t *function = json_object_get(one, "function");
    c->program = test_text(json_object_get(one, "program"));
    c->function = function != NULL ? test_text(function) : NULL;
    const json_int_t code = json_integer_value(json_object_get(one, "exit")),
                     seconds = limit != NULL ? json_integer_value(limit) : 60;
    c->exit = (int)code;
    c->message = message != NULL ? strdup(json_string_value(message)) : NULL;
    c->seconds = (unsigned)seconds;
    const char *why = code < 0 || code > 3             ? "has an exit code that is not 0 to 3"
                      : seconds < 1 || seconds > 86400 ? "has a timeout that is not 1 to 86400"
                                                       : test_words(one, profile, list, c);
    json_decref(one);
    return why == NULL ? FINE : trouble("'%s': %s %s", at->file, at->path, why);
}

static int add_profiles(const Place *at, const json_t *o, const json_t *values, TestList *list) {
    json_t *profiles = json_object_get(o, "profile"), *profile;
    size_t i;
    if (!json_is_array(profiles))
        return add_case(at, o, values, profiles != NULL ? json_string_value(profiles) : NULL, list);
    if (json_array_size(profiles) == 0)
        return trouble("'%s': %s.profile is empty", at->file, at->path);
    json_array_foreach(profiles, i, profile) {
        if (!json_is_string(profile))
            return trouble("'%s': %s.profile[%zu] is not a string", at->file, at->path, i);
        const int rc = add_case(at, o, values, json_string_value(profile), list);
        if (rc != FINE) return rc;
    }
    return FINE;
}

/* Adds the cases of one object, with what the defaults add to it. */
static int add_object(const Place *at, json_t *o, json_t *defaults, TestList *list) {
    json_t *reference = json_object_get(o, "reference"), *values, *one;
    char path[80];
    size_t i;
    int rc = check_keys(at, o, case_keys, COUNT(case_keys));
    snprintf(path, sizeof path, "%s.reference", at->path);
    const Place below = {at->file, path};
    if (rc == FINE && reference != NULL)
        rc = check_keys(&below, reference, reference_keys, COUNT(reference_keys));
    if (rc != FINE) return rc;
    json_t *whole = defaults != NULL ? json_copy(defaults) : json_object();
    if (whole == NULL || json_object_update(whole, o) != 0) out_of_memory();
    json_t *choices = json_object_get(whole, "values"), *none = json_object();
    snprintf(path, sizeof path, "%s.values", at->path);
    values = combinations(&below, choices != NULL ? choices : none);
    if (values == NULL)
        rc = TROUBLE;
    else if (json_array_size(values) == 0)
        rc = trouble("'%s': %s leaves no choice", at->file, below.path);
    json_array_foreach(values, i, one) {
        if (rc == FINE) rc = add_profiles(at, whole, one, list);
    }
    json_decref(values);
    json_decref(none);
    json_decref(whole);
    return rc;
}

static int add_all(const char *file, json_t *root, TestList *list) {
    const Place top = {file, "the file"}, defaults_at = {file, "defaults"};
    json_t *defaults = json_object_get(root, "defaults"), *o;
    size_t i;
    int rc = check_keys(&top, root, file_keys, COUNT(file_keys));
    if (rc == FINE && defaults != NULL)
        rc = check_keys(&defaults_at, defaults, case_keys, COUNT(case_keys));
    if (rc == FINE && json_array_size(json_object_get(root, "cases")) == 0)
        rc = trouble("'%s': there are no cases", file);
    json_array_foreach(json_object_get(root, "cases"), i, o) {
        char path[32];
        snprintf(path, sizeof path, "cases[%zu]", i);
        const Place at = {file, path};
        if (rc == FINE) rc = add_object(&at, o, defaults, list);
    }
    return rc;
}

int tests_read(const char *file, TestList *list) {
    Input in;
    json_error_t error;
    int rc = input_read(file, &in);
    if (rc != FINE) return rc;
    json_t *root = json_loadb(in.data, in.size, JSON_REJECT_DUPLICATES, &error);
    rc = root == NULL ? trouble("%s:%d:%d: %s", file, error.line, error.column, error.text)
                      : add_all(file, root, list);
    json_decref(root);
    input_free(&in);
    return rc;
}

void tests_free(TestList *list) {
    for (size_t i = 0; i < list->n; i++) {
        TestCase *c = &list->cases[i];
        for (size_t k = 0; k < c->nwords; k++)
            free(c->words[k]);
        free(c->words);
        for (size_t k = 0; k < c->ntimed; k++)
            free(c->timed[k]);
        free(c->timed);
        free(c->name);
        free(c->folder);
        free(c->program);
        free(c->function);
        free(c->message);
        free(c->output);
        json_decref(c->coverage);
    }
    free(list->cases);
    *list = (TestList){.n = 0};
}
