/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm run --coverage: the ways through a program that a run has taken. */
#include "cli/report_values.h"
#include "cli/run.h"

#include <stdlib.h>
#include <string.h>

/* Reads the names of ways, with commas between. */
static json_t *ways_json(const char *names, size_t n, const unsigned char *taken) {
    json_t *ways = json_array();
    for (const char *end = names + n; names < end; taken++) {
        size_t length = 0;
        while (names + length < end && names[length] != ',')
            length++;
        json_t *way = json_object();
        json_put(way, "way", json_bytes(names, length));
        json_put(way, "taken", json_boolean(*taken != 0));
        json_add(ways, way);
        names += length + (names + length < end);
    }
    return ways;
}

/* Reads `INDEX LINE KIND:WAY,WAY`. */
static json_t *point_json(const char *line, size_t n, const unsigned char *cover) {
    char *rest;
    const unsigned long first = strtoul(line, &rest, 10), at = strtoul(rest, &rest, 10);
    const char *kind = rest + 1, *colon = memchr(line, ':', n);
    json_t *point = json_object();
    json_put(point, "line", json_integer((json_int_t)at));
    json_put(point, "kind", json_bytes(kind, (size_t)(colon - kind)));
    json_put(point, "ways", ways_json(colon + 1, n - (size_t)(colon + 1 - line), cover + first));
    return point;
}

int coverage_write(const Target *target, const Code *code, const char *path) {
    json_prepare();
    json_t *o = json_object(), *points = json_array();
    for (const char *p = code->cover_points; *p != '\0';) {
        const size_t n = strcspn(p, "\n");
        json_add(points, point_json(p, n, code->cover));
        p += n + 1;
    }
    json_put(o, "file", json_text(target->file));
    json_put(o, "function", json_text(target->kernel.name));
    json_put(o, "points", points);
    char *text = json_dumps(o, JSON_INDENT(1));
    if (text == NULL) out_of_memory();
    const int rc = output_file(path, text, strlen(text));
    free(text);
    json_decref(o);
    return rc;
}
