/* Addresses for intervals: which bytes of one memory space each of a list of tiles gets. */
#ifndef PASSES_PLACE_H
#define PASSES_PLACE_H

#include "support/arena.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct PlaceItem {
    uint32_t start, end; /* closed interval of positions in which the bytes are needed */
    int64_t size;        /* a multiple of the alignment */
    int64_t min;         /* lowest allowed address */
    int64_t addr;        /* the answer */
    bool last;           /* placed when all others have their place, after the limit without need */
    void *user;
} PlaceItem;

typedef struct PlaceRange {
    int64_t lo, hi; /* bytes [lo, hi) */
} PlaceRange;

typedef struct PlaceSpace {
    int64_t alignment;
    int64_t limit;      /* first byte that no item may use */
    int64_t sequential; /* when all sizes together are below this, they lie one after the other */
    const PlaceRange *blocked; /* never used; in any order */
    uint32_t nblocked;
} PlaceSpace;

/* Places the items, which are sorted by their start. False when they do not fit; then *needed is
 * the number of bytes that the best attempt would take. */
bool place_items(Arena *arena, const PlaceSpace *space, PlaceItem **items, uint32_t n,
                 int64_t *needed);
/* The most bytes that are needed at one position, and the first such position. */
int64_t place_peak(Arena *arena, PlaceItem *const *items, uint32_t n, uint32_t *position);

/* The lowest address from `min` on where `size` bytes meet none of the ranges, which get sorted. */
int64_t place_hole(PlaceRange *taken, uint32_t n, int64_t min, int64_t size, int64_t alignment);

#endif
