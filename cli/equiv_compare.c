/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm equiv: finds the first statement after which two runs differ. */
#include "cli/equiv.h"
#include "cli/numbers.h"
#include "cli/report_values.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static char *file_in(const char *folder, const char *name) {
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = must_alloc(size);
    snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static json_t *tiles_of(const char *folder) {
    json_error_t error;
    char *path = file_in(folder, "index.json");
    json_t *index = json_load_file(path, 0, &error);
    if (index == NULL) trouble("cannot read '%s': %s", path, error.text);
    json_t *tiles = json_incref(json_object_get(index, "tiles"));
    json_decref(index);
    free(path);
    return tiles;
}

static const char *text_of(const json_t *tile, const char *key) {
    return json_string_value(json_object_get(tile, key));
}

static int64_t extent_of(const json_t *tile, const char *key, size_t i) {
    return json_integer_value(json_array_get(json_object_get(tile, key), i));
}

/* Reads the valid region of a tile; the file of a narrow float has f32. */
static int read_tile(const char *folder, const json_t *tile, Array *out) {
    char code[NPY_TYPE];
    const char *type = text_of(tile, "type");
    Array whole = {0};
    Elem elem = elem_from_text(type, strlen(type));
    if (elem != ELEM_NONE && elem_is_narrow(elem)) elem = ELEM_F32;
    char *path = file_in(folder, text_of(tile, "file"));
    int rc = elem == ELEM_NONE ? REJECTED : npy_read(path, elem, &whole, code);
    if (rc == REJECTED) rc = trouble("cannot compare tiles of type %s", type);
    if (rc == FINE &&
        !matrix_corner(&whole, 0, extent_of(tile, "valid", 0), extent_of(tile, "valid", 1), out))
        rc = trouble("out of memory");
    array_free(&whole);
    free(path);
    return rc;
}

/* ---- matching ---- */

static bool same_place(const json_t *a, const json_t *b) {
    return strcmp(text_of(a, "value"), text_of(b, "value")) == 0 &&
           strcmp(text_of(a, "core"), text_of(b, "core")) == 0 &&
           json_equal(json_object_get(a, "block"), json_object_get(b, "block"));
}

/* Counts the times that a tile is written on its core; sets *before to those before `tile`. */
static size_t count_writes(json_t *tiles, const json_t *tile, size_t *before) {
    size_t i, n = 0;
    json_t *other;
    *before = 0;
    json_array_foreach(tiles, i, other) {
        if (other == tile) *before = n;
        n += same_place(other, tile);
    }
    return n;
}

static json_t *write_number(json_t *tiles, const json_t *like, size_t number) {
    size_t i;
    json_t *tile;
    json_array_foreach(tiles, i, tile) {
        if (same_place(tile, like) && number-- == 0) return tile;
    }
    return NULL;
}

/* Returns the same write of that name in the other run; NULL: it writes the name more or less
 * often, so that the name does not mean the same. */
static json_t *match_of(json_t *own, const json_t *tile, json_t *others) {
    size_t before, ignored;
    const size_t n = count_writes(own, tile, &before), m = count_writes(others, tile, &ignored);
    return n == m ? write_number(others, tile, before) : NULL;
}

/* ---- comparing ---- */

static void put_element(const char *what, const Array *a, const Array *b, size_t i) {
    char one[NUMBER_TEXT], two[NUMBER_TEXT];
    size_t index[MAX_RANK];
    element_index(a, i, index);
    element_text(a, i, one);
    element_text(b, i, two);
    fprintf(stderr, "  %s [%zu, %zu]: %s and %s\n", what, index[0], index[1], one, two);
}

static void put_place(const char *const programs[2], const json_t *a, const json_t *b) {
    fprintf(stderr, "%s:%lld: %s differs from that of %s:%lld", programs[0],
            (long long)json_integer_value(json_object_get(a, "line")), text_of(a, "value"),
            programs[1], (long long)json_integer_value(json_object_get(b, "line")));
}

static int compare_tiles(const char *const programs[2], const char *const folders[2],
                         const json_t *a, const json_t *b, const Tolerance *t) {
    Array one = {0}, two = {0};
    Outcome outcome;
    const bool alike = strcmp(text_of(a, "type"), text_of(b, "type")) == 0 &&
                       json_equal(json_object_get(a, "valid"), json_object_get(b, "valid"));
    if (!alike) {
        put_place(programs, a, b);
        fputs(" in its type or valid region\n", stderr);
        return REJECTED;
    }
    int rc = read_tile(folders[0], a, &one);
    if (rc == FINE) rc = read_tile(folders[1], b, &two);
    if (rc == FINE && !arrays_compare(&one, &two, t, &outcome)) rc = trouble("out of memory");
    if (rc == FINE && outcome.wrong > 0) {
        put_place(programs, a, b);
        fprintf(stderr, " in %zu of %zu elements (block %lld, %s)\n", outcome.wrong,
                outcome.elements, (long long)json_integer_value(json_object_get(a, "block")),
                text_of(a, "core"));
        put_element("first", &one, &two, outcome.first);
        if (outcome.worst != outcome.first) put_element("worst", &one, &two, outcome.worst);
        rc = REJECTED;
    }
    array_free(&one);
    array_free(&two);
    return rc;
}

int equiv_compare(const char *const programs[2], const char *const folders[2], const Options *opt) {
    const Tolerance t = {opt->run.rtol, opt->run.atol, opt->run.ulp};
    json_t *own = tiles_of(folders[0]), *others = tiles_of(folders[1]), *tile;
    int rc = own == NULL || others == NULL ? TROUBLE : FINE;
    size_t i;
    json_array_foreach(own, i, tile) {
        const json_t *match = rc == FINE ? match_of(own, tile, others) : NULL;
        if (match != NULL) rc = compare_tiles(programs, folders, tile, match, &t);
    }
    json_decref(own);
    json_decref(others);
    return rc;
}

/* ---- results ---- */

static int read_result(const json_t *result, Array *out) {
    char code[NPY_TYPE];
    const char *type = text_of(result, "type");
    if (strncmp(type, "!pto.", 5) == 0) type += 5;
    const Elem elem = elem_from_text(type, strlen(type));
    const int rc =
        elem == ELEM_NONE ? REJECTED : npy_read(text_of(result, "file"), elem, out, code);
    return rc == REJECTED ? trouble("cannot compare arrays of type %s", type) : rc;
}

static void put_whole(const Array *a, const Array *b, size_t i) {
    char one[NUMBER_TEXT], two[NUMBER_TEXT];
    element_text(a, i, one);
    element_text(b, i, two);
    fprintf(stderr, "  first, element %zu: %s and %s\n", i, one, two);
}

static int compare_result(const char *const programs[2], const json_t *a, const json_t *b,
                          const Tolerance *t) {
    Array one = {0}, two = {0};
    Outcome outcome = {0};
    int rc = read_result(a, &one);
    if (rc == FINE) rc = read_result(b, &two);
    const bool alike = rc == FINE && one.elem == two.elem && one.bytes == two.bytes;
    if (alike && !arrays_compare(&one, &two, t, &outcome)) rc = trouble("out of memory");
    if (rc == FINE && (!alike || outcome.wrong > 0)) {
        fprintf(stderr, "%s: the array %%%s differs from that of %s", programs[0],
                text_of(a, "name"), programs[1]);
        if (alike)
            fprintf(stderr, " in %zu of %zu elements\n", outcome.wrong, outcome.elements);
        else
            fputs(" in its type or size\n", stderr);
        if (alike) put_whole(&one, &two, outcome.first);
        rc = REJECTED;
    }
    array_free(&one);
    array_free(&two);
    return rc;
}

int equiv_compare_results(const char *const programs[2], const json_t *const reports[2],
                          const Options *opt) {
    const Tolerance t = {opt->run.rtol, opt->run.atol, opt->run.ulp};
    const json_t *own = json_object_get(reports[0], "results"),
                 *others = json_object_get(reports[1], "results");
    int rc = FINE;
    for (size_t i = 0; i < json_array_size(own) && rc == FINE; i++) {
        const json_t *other = json_array_get(others, i);
        if (other != NULL) rc = compare_result(programs, json_array_get(own, i), other, &t);
    }
    return rc;
}
