/* SPDX-License-Identifier: Apache-2.0 */
/* The on-chip memory of a program as a diagram, for `ptoasm map`. */
#ifndef CLI_MAP_H
#define CLI_MAP_H

#include "cli/cli.h"
#include <stdio.h>

typedef struct MapTile {
    ptoasm_slot slot;
    const struct MapTile *before; /* the last tile that had some of its bytes before; NULL = none */
} MapTile;

/* The tiles of one function in one space, in the order of addresses. */
typedef struct MapSpace {
    const char *profile, *function, *space;
    const MapTile *tiles;
    size_t n;
    int64_t capacity;   /* -1 = no limit */
    int64_t used;       /* end of the highest tile */
    int64_t peak;       /* most bytes live at one time */
    uint32_t peak_at;   /* first position of the peak */
    uint32_t peak_line; /* line of the peak */
    size_t peak_tiles;
    uint32_t positions; /* length of the function, up to the last live tile */
} MapSpace;

/* Passes each space of a plan to `put`. False when memory runs out. */
bool map_spaces(const ptoasm_result *res, const char *profile,
                void (*put)(const MapSpace *s, void *arg), void *arg);
/* Returns the name of a tile with %, or the instruction whose scratch it is. */
const char *map_name(const MapTile *t);

/* Calls `put` for each gap between the tiles that are live at a position, up to the capacity. */
void map_holes(const MapSpace *s, uint32_t position,
               void (*put)(int64_t address, int64_t bytes, void *arg), void *arg);

/* Writes the gaps at the peak as text, such as `256 at 1024`; `nothing` without one. */
void map_put_holes(const MapSpace *s, FILE *to);

enum { MAP_LAST = 8192 }; /* the last bytes of a space, which are marked */
/* True when a tile is in the last MAP_LAST bytes of its space. */
bool map_in_last(const MapSpace *s, const MapTile *t);

/* ---- map_json.c ---- */

struct json_t *map_begin_json(const char *file);
struct json_t *map_spaces_json(struct json_t *map);
void map_put_json(const MapSpace *s, struct json_t *spaces);
void map_put_diagnostics(struct json_t *map, const char *file, ptoasm_result *res);
/* Writes the object, and frees it. */
void map_end_json(struct json_t *map, FILE *to);

/* ---- map_text.c, map_html.c ---- */

void map_put_text(const MapSpace *s, FILE *to);
void map_begin_html(FILE *to, const char *file);
void map_put_html(const MapSpace *s, FILE *to);
void map_end_html(FILE *to);

#endif
