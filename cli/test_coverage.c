/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm test --coverage: joins what the runs of all cases have taken. */
#include "cli/test.h"

#include <stdlib.h>
#include <string.h>

/* ---- joining ---- */

/* Finds the entry of a program among those so far, or adds one. */
static json_t *program_of(json_t *programs, const TestCase *c, const json_t *run) {
    const char *name = json_string_value(json_object_get(run, "file"));
    char *here = working_folder(), *folder = path_absolute(here, c->folder),
         *path = path_absolute(folder, name);
    json_t *program = json_object_get(programs, path);
    if (program == NULL) {
        program = json_object();
        json_put(program, "points", json_object());
        json_put(programs, path, program);
    }
    free(path);
    free(folder);
    free(here);
    return program;
}

/* Several points may be on one line, of one kind: those of one run are told apart by number. */
static void point_key(const json_t *point, json_t *seen, char out[96]) {
    char kind[64];
    snprintf(kind, sizeof kind, "%08lld %s",
             (long long)json_integer_value(json_object_get(point, "line")),
             json_string_value(json_object_get(point, "kind")));
    const json_int_t n = json_integer_value(json_object_get(seen, kind));
    json_put(seen, kind, json_integer(n + 1));
    snprintf(out, 96, "%s %lld", kind, (long long)n);
}

static void join_ways(json_t *to, json_t *from) {
    size_t i;
    json_t *way;
    json_array_foreach(from, i, way) {
        json_t *known = json_array_get(to, i);
        if (known != NULL && json_is_true(json_object_get(way, "taken")))
            json_put(known, "taken", json_true());
    }
}

static void join_run(json_t *programs, const TestCase *c) {
    json_t *points = json_object_get(program_of(programs, c, c->coverage), "points"), *point;
    json_t *seen = json_object();
    size_t i;
    json_array_foreach(json_object_get(c->coverage, "points"), i, point) {
        char key[96];
        point_key(point, seen, key);
        json_t *known = json_object_get(points, key);
        if (known == NULL)
            json_put(points, key, json_deep_copy(point));
        else
            join_ways(json_object_get(known, "ways"), json_object_get(point, "ways"));
    }
    json_decref(seen);
}

/* ---- the result ---- */

/* The points in the order of their lines; counts their ways. */
static json_t *sorted_points(json_t *points, json_int_t *ways, json_int_t *taken) {
    json_t *list = json_array(), *way;
    char *order = json_dumps(points, JSON_SORT_KEYS);
    json_error_t ignored;
    json_t *sorted = order != NULL ? json_loads(order, 0, &ignored) : NULL, *point;
    const char *key;
    size_t i;
    if (sorted == NULL) out_of_memory();
    free(order);
    json_object_foreach(sorted, key, point) {
        json_array_foreach(json_object_get(point, "ways"), i, way) {
            ++*ways;
            *taken += json_is_true(json_object_get(way, "taken"));
        }
        json_add(list, json_incref(point));
    }
    json_decref(sorted);
    return list;
}

json_t *tests_coverage(const TestList *list) {
    json_t *programs = json_object(), *o = json_object(), *files = json_array(), *program;
    json_int_t ways = 0, taken = 0;
    const char *path;
    char *here = working_folder();
    for (size_t i = 0; i < list->n; i++)
        if (list->cases[i].coverage != NULL) join_run(programs, &list->cases[i]);
    json_object_foreach(programs, path, program) {
        json_t *file = json_object();
        const char *below = path_below(here, path);
        json_put(file, "file", json_text(below != NULL ? below : path));
        json_put(file, "points", sorted_points(json_object_get(program, "points"), &ways, &taken));
        json_add(files, file);
    }
    free(here);
    json_decref(programs);
    json_put(o, "ways", json_integer(ways));
    json_put(o, "taken", json_integer(taken));
    json_put(o, "programs", files);
    return o;
}

double coverage_percent(const json_t *coverage) {
    const double ways = (double)json_integer_value(json_object_get(coverage, "ways"));
    const double taken = (double)json_integer_value(json_object_get(coverage, "taken"));
    return ways > 0 ? 100 * taken / ways : 100;
}

static void print_point(const char *file, const json_t *point, const char *before) {
    size_t i;
    json_t *way;
    json_array_foreach(json_object_get(point, "ways"), i, way) {
        if (json_is_true(json_object_get(way, "taken"))) continue;
        printf("%s%s:%lld: not covered: %s, %s\n", before, file,
               (long long)json_integer_value(json_object_get(point, "line")),
               json_string_value(json_object_get(point, "kind")),
               json_string_value(json_object_get(way, "way")));
    }
}

void coverage_print(const json_t *coverage, const char *before) {
    size_t i, k;
    json_t *file, *point;
    json_array_foreach(json_object_get(coverage, "programs"), i, file) {
        json_array_foreach(json_object_get(file, "points"), k, point)
            print_point(json_string_value(json_object_get(file, "file")), point, before);
    }
    printf("%scoverage: %lld of %lld ways, %.1f %%\n", before,
           (long long)json_integer_value(json_object_get(coverage, "taken")),
           (long long)json_integer_value(json_object_get(coverage, "ways")),
           coverage_percent(coverage));
}
