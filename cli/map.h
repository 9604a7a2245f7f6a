/* The on-chip memory of a program as a picture, for `ptoasm map`. */
#ifndef CLI_MAP_H
#define CLI_MAP_H

#include "cli/cli.h"
#include <stdio.h>

typedef struct MapTile {
    ptoasm_slot slot;
    const struct MapTile *before; /* the last one whose bytes it takes over; NULL = none */
} MapTile;

/* The tiles of one function in one space, in the order of their addresses. */
typedef struct MapSpace {
    const char *profile, *function, *space;
    const MapTile *tiles;
    size_t n;
    int64_t capacity;   /* -1 = no limit */
    int64_t used;       /* the first byte that no tile has */
    int64_t peak;       /* most bytes that are needed at one time, */
    uint32_t peak_at;   /* the first position where they are, */
    uint32_t peak_line; /* and its line */
    size_t peak_tiles;
    uint32_t positions; /* of the function, as far as tiles live */
} MapSpace;

/* Gives every space of a plan to `put`. False when memory runs out. */
bool map_spaces(const ptoasm_result *res, const char *profile,
                void (*put)(const MapSpace *s, void *arg), void *arg);
bool map_alive(const MapTile *t, uint32_t position);
/* A tile's name with its %, or the instruction whose scratch it is. */
const char *map_name(const MapTile *t);

/* Gaps between the tiles that are alive at a position: calls `put` for each, up to the capacity. */
void map_holes(const MapSpace *s, uint32_t position,
               void (*put)(int64_t address, int64_t bytes, void *arg), void *arg);

enum { MAP_LAST = 8192 }; /* the end of a space that is looked at */
/* Whether a tile lies in the last bytes of its space. */
bool map_in_last(const MapSpace *s, const MapTile *t);

/* ---- map_text.c, map_html.c ---- */

void map_put_text(const MapSpace *s, FILE *to);
void map_begin_html(FILE *to, const char *file);
void map_put_html(const MapSpace *s, FILE *to);
void map_end_html(FILE *to);

#endif
