/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm map --format=json: the memory plan as one JSON object. docs/machine-output.md describes
 * it. */
#include "cli/map.h"
#include "cli/report.h"
#include "cli/report_values.h"

#include <stdlib.h>
#include <string.h>

static json_t *name_json(const MapTile *t) {
    return *t->slot.name != '\0' ? json_text(map_name(t)) : json_null();
}

static json_t *others_json(const MapTile *t) {
    json_t *list = json_array();
    for (const char *s = t->slot.also; *s != '\0';) {
        const size_t n = strcspn(s, ",");
        json_add(list, json_bytes(s, n));
        s += n + strspn(s + n, ", ");
    }
    return list;
}

static json_t *number_or_null(bool known, int64_t n) {
    return known ? json_integer(n) : json_null();
}

static json_t *tile_json(const MapTile *t) {
    const ptoasm_slot *s = &t->slot;
    const bool used = s->first <= s->last;
    json_t *o = json_object();
    json_put(o, "name", name_json(t));
    json_put(o, "also", others_json(t));
    json_put(o, "instruction", *s->instruction != '\0' ? json_text(s->instruction) : json_null());
    json_put(o, "line", json_integer(s->line));
    json_put(o, "address", json_integer(s->address));
    json_put(o, "bytes", json_integer(s->bytes));
    json_put(o, "bound", json_boolean(s->bound));
    json_put(o, "first_line", number_or_null(used, s->first_line));
    json_put(o, "last_line", number_or_null(used, s->last_line));
    json_put(o, "after", t->before != NULL ? name_json(t->before) : json_null());
    return o;
}

static void put_hole(int64_t address, int64_t bytes, void *arg) {
    json_t *o = json_object();
    json_put(o, "address", json_integer(address));
    json_put(o, "bytes", json_integer(bytes));
    json_add(arg, o);
}

void map_put_json(const MapSpace *s, struct json_t *spaces) {
    const bool used = s->peak_tiles > 0;
    json_t *o = json_object(), *tiles = json_array(), *holes = json_array();
    if (used) map_holes(s, s->peak_at, put_hole, holes);
    for (size_t i = 0; i < s->n; i++)
        json_add(tiles, tile_json(&s->tiles[i]));
    json_put(o, "function", json_text(s->function));
    json_put(o, "profile", json_string(s->profile));
    json_put(o, "space", json_string(s->space));
    json_put(o, "used", json_integer(s->used));
    json_put(o, "capacity", number_or_null(s->capacity >= 0, s->capacity));
    json_put(o, "peak", json_integer(s->peak));
    json_put(o, "peak_line", number_or_null(used, s->peak_line));
    json_put(o, "free", holes);
    json_put(o, "tiles", tiles);
    json_add(spaces, o);
}

struct json_t *map_begin_json(const char *file) {
    json_prepare();
    json_t *o = json_object();
    json_put(o, "file", json_text(file));
    json_put(o, "spaces", json_array());
    json_put(o, "diagnostics", json_array());
    return o;
}

struct json_t *map_spaces_json(struct json_t *map) {
    return json_object_get(map, "spaces");
}

void map_put_diagnostics(struct json_t *map, const char *file, ptoasm_result *res) {
    json_t *list = json_object_get(map, "diagnostics");
    for (size_t i = 0; i < ptoasm_diagnostic_count(res); i++)
        json_add(list, diagnostic_object(file, res, i));
}

void map_end_json(struct json_t *map, FILE *to) {
    char *text = json_dumps(map, JSON_INDENT(1));
    if (text == NULL) out_of_memory();
    fprintf(to, "%s\n", text);
    free(text);
    json_decref(map);
}
