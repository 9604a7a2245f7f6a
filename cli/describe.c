/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the description of emitted functions; docs/machine-output.md describes it. */
#include "cli/describe.h"
#include "cli/report_values.h"
#include "ir/profile.h"

#include <stdlib.h>
#include <string.h>

static json_t *text_or_null(const char *s) {
    return *s != '\0' ? json_text(s) : json_null();
}

static json_t *number_or_null(int64_t n) {
    return n >= 0 ? json_integer(n) : json_null();
}

/* Makes an array of the words whose bits are set. */
static json_t *words_of(uint32_t bits, const char *const *words, unsigned n) {
    json_t *list = json_array();
    for (unsigned i = 0; i < n; i++)
        if ((bits >> i & 1) != 0) json_add(list, json_string(words[i]));
    return list;
}

static const char *const core_words[] = {"cube", "vector"};
static const char *const query_words[] = {"block index", "block count", "subblock index",
                                          "subblock count"};

static json_t *query_or_null(uint32_t bit) {
    return bit != 0 ? json_string(query_words[__builtin_ctz(bit)]) : json_null();
}

static const char *kind_word(int kind) {
    static const char *const words[] = {[PTOASM_PARAM_SCALAR] = "scalar",
                                        [PTOASM_PARAM_POINTER] = "pointer",
                                        [PTOASM_PARAM_HANDLE] = "handle",
                                        [PTOASM_PARAM_TILE] = "tile",
                                        [PTOASM_PARAM_VIEW] = "view"};
    return words[kind];
}

static json_t *shape_or_null(const ptoasm_argument *a) {
    if (a->rank == 0) return json_null();
    json_t *shape = json_array();
    for (uint32_t i = 0; i < a->rank; i++)
        json_add(shape, number_or_null(a->shape[i]));
    return shape;
}

static json_t *argument_object(const ptoasm_argument *a) {
    json_t *o = json_object();
    json_put(o, "name", text_or_null(a->name));
    json_put(o, "line", json_integer(a->line));
    json_put(o, "type", json_text(a->type));
    json_put(o, "cpp_type", json_text(a->cpp_type));
    json_put(o, "kind", json_string(kind_word(a->kind)));
    json_put(o, "element", text_or_null(a->elem));
    json_put(o, "launch", query_or_null(a->launch));
    json_put(o, "reads", json_boolean(a->reads));
    json_put(o, "writes", json_boolean(a->writes));
    json_put(o, "elements", number_or_null(a->elements));
    json_put(o, "shape", shape_or_null(a));
    json_put(o, "unknown", text_or_null(a->reason));
    json_put(o, "unknown_line", a->reason_line != 0 ? json_integer(a->reason_line) : json_null());
    return o;
}

static json_t *memory_object(const ptoasm_memory *m) {
    json_t *o = json_object();
    json_put(o, "space", json_string(m->space));
    json_put(o, "bytes", json_integer(m->bytes));
    json_put(o, "capacity", number_or_null(m->capacity));
    return o;
}

static json_t *function_object(const ptoasm_result *res, size_t i, const ptoasm_function *f) {
    json_t *o = json_object(), *arguments = json_array(), *memory = json_array();
    ptoasm_argument a;
    ptoasm_memory m;
    for (size_t k = 0; ptoasm_function_argument(res, i, k, &a); k++)
        json_add(arguments, argument_object(&a));
    for (size_t k = 0; ptoasm_function_memory(res, i, k, &m); k++)
        json_add(memory, memory_object(&m));
    json_put(o, "name", json_text(f->name));
    json_put(o, "symbol", json_text(f->symbol));
    json_put(o, "line", json_integer(f->line));
    json_put(o, "entry", json_boolean(f->entry));
    json_put(o, "cores", words_of(f->cores, core_words, 2));
    json_put(o, "asks", words_of(f->asks, query_words, 4));
    json_put(o, "parameters", arguments);
    json_put(o, "memory", memory);
    return o;
}

static json_t *program_object(const char *file, const ptoasm_result *res) {
    json_t *o = json_object(), *kernels = json_array();
    ptoasm_function f;
    for (size_t i = 0; ptoasm_function_at(res, i, &f); i++)
        json_add(kernels, function_object(res, i, &f));
    json_put(o, "file", json_text(file));
    json_put(o, "profile", json_string(profile_names[__builtin_ctz(ptoasm_result_profiles(res))]));
    json_put(o, "kernels", kernels);
    return o;
}

int description_open(Description *d, const char *path) {
    *d = (Description){.open = false};
    if (path == NULL) return FINE;
    json_prepare();
    const int rc = output_open(&d->out, path);
    d->open = rc == FINE;
    return rc;
}

int description_add(Description *d, const char *file, const ptoasm_result *res) {
    if (!d->open) return FINE;
    json_t *program = program_object(file, res);
    char *text = json_dumps(program, JSON_COMPACT);
    if (text == NULL) out_of_memory();
    const bool written =
        output_write(&d->out, text, strlen(text)) && output_write(&d->out, "\n", 1);
    free(text);
    json_decref(program);
    return written ? FINE : TROUBLE;
}

int description_close(Description *d, bool keep) {
    if (!d->open) return FINE;
    d->open = false;
    if (keep) return output_commit(&d->out);
    output_drop(&d->out);
    return FINE;
}
