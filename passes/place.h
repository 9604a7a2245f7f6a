/* SPDX-License-Identifier: Apache-2.0 */
/* Assigns addresses in one memory space to tiles with live intervals. */
#ifndef PASSES_PLACE_H
#define PASSES_PLACE_H

#include "support/arena.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum PlaceTurn {
    PLACE_TILE,
    PLACE_RESERVED, /* after all tiles; its interval is the whole function */
    PLACE_IDLE      /* after all others; may lie beyond the limit */
} PlaceTurn;

typedef struct PlaceItem {
    uint32_t start, end; /* closed interval of positions in which the bytes are needed */
    int64_t size;        /* of tiles a multiple of the alignment */
    int64_t min;         /* lowest allowed address */
    int64_t addr;        /* result */
    uint8_t turn;        /* PlaceTurn */
    void *user;
} PlaceItem;

typedef struct PlaceRange {
    int64_t lo, hi; /* bytes [lo, hi) */
} PlaceRange;

typedef struct PlaceSpace {
    int64_t alignment;
    int64_t limit;      /* first byte that no item may use */
    int64_t sequential; /* if the sizes of the tiles add up to less than this, and what is reserved
                           ends below it, tiles are placed one after the other */
    const PlaceRange *blocked; /* bytes not to use, in any order */
    uint32_t nblocked;
} PlaceSpace;

/* Places the items, of which the tiles must be sorted by start. False when they do not fit; *needed
 * is then the number of bytes that the best attempt would take. */
bool place_items(Arena *arena, const PlaceSpace *space, PlaceItem **items, uint32_t n,
                 int64_t *needed);
/* Returns the highest address of `size` free bytes below `limit` in a space; -1: there are none.
 * space->blocked must be sorted. */
int64_t place_last(const PlaceSpace *space, int64_t size, int64_t limit);
/* Returns the most bytes needed at one position, and the first such position. */
int64_t place_peak(Arena *arena, PlaceItem *const *items, uint32_t n, uint32_t *position);

#endif
