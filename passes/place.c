/* SPDX-License-Identifier: Apache-2.0 */
/* Placement in three attempts: one after the other without reuse; first fit in the order of start;
 * first fit in the order of decreasing size. What is reserved for the whole function comes last, in
 * the lowest holes; where it does not fit, the next attempt leaves other holes. */
#include "passes/place.h"

#include <stdlib.h>
#include <string.h>

/* The last attempt compares all pairs of items; it is skipped beyond this many. */
#define MOST_PAIRWISE 4096

static int64_t aligned(int64_t n, int64_t alignment) {
    return (n + alignment - 1) / alignment * alignment;
}

/* ---- the free gaps of a space, in order ---- */

typedef struct Gaps {
    PlaceRange *g;
    uint32_t n, cap;
    Arena *arena;
} Gaps;

static void gaps_insert(Gaps *gs, uint32_t at, PlaceRange r) {
    if (gs->n == gs->cap) {
        PlaceRange *old = gs->g;
        gs->cap = gs->cap == 0 ? 64 : gs->cap * 2;
        gs->g = ARENA_ARRAY(gs->arena, PlaceRange, gs->cap);
        if (gs->n > 0) memcpy(gs->g, old, gs->n * sizeof *old);
    }
    memmove(gs->g + at + 1, gs->g + at, (gs->n - at) * sizeof *gs->g);
    gs->g[at] = r;
    gs->n++;
}

static void gaps_erase(Gaps *gs, uint32_t at) {
    memmove(gs->g + at, gs->g + at + 1, (gs->n - at - 1) * sizeof *gs->g);
    gs->n--;
}

/* Returns the first gap that ends after `addr`. */
static uint32_t gaps_find(const Gaps *gs, int64_t addr) {
    uint32_t lo = 0, hi = gs->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (gs->g[mid].hi > addr)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

/* Removes [r.lo, r.hi) from gap `at`, which contains it. */
static void gaps_take(Gaps *gs, uint32_t at, PlaceRange r) {
    PlaceRange gap = gs->g[at];
    bool before = gap.lo < r.lo, after = r.hi < gap.hi;
    if (!before && !after) {
        gaps_erase(gs, at);
        return;
    }
    gs->g[at] = before ? (PlaceRange){gap.lo, r.lo} : (PlaceRange){r.hi, gap.hi};
    if (before && after) gaps_insert(gs, at + 1, (PlaceRange){r.hi, gap.hi});
}

static void gaps_free(Gaps *gs, PlaceRange r) {
    uint32_t at = gaps_find(gs, r.lo - 1); /* the gap just before r, or the next one */
    if (at < gs->n && gs->g[at].hi == r.lo) {
        gs->g[at].hi = r.hi;
        if (at + 1 < gs->n && gs->g[at + 1].lo == r.hi) {
            gs->g[at].hi = gs->g[at + 1].hi;
            gaps_erase(gs, at + 1);
        }
    } else if (at < gs->n && gs->g[at].lo == r.hi) {
        gs->g[at].lo = r.lo;
    } else {
        gaps_insert(gs, at, r);
    }
}

/* Starts with everything free except blocked ranges. */
static Gaps gaps_start(Arena *arena, const PlaceSpace *space) {
    Gaps gs = {.arena = arena};
    gaps_insert(&gs, 0, (PlaceRange){0, INT64_MAX});
    for (uint32_t i = 0; i < space->nblocked; i++) {
        PlaceRange r = space->blocked[i];
        for (uint32_t at = gaps_find(&gs, r.lo); at < gs.n && gs.g[at].lo < r.hi;) {
            PlaceRange cut = {r.lo > gs.g[at].lo ? r.lo : gs.g[at].lo,
                              r.hi < gs.g[at].hi ? r.hi : gs.g[at].hi};
            gaps_take(&gs, at, cut);
            at = gaps_find(&gs, cut.hi);
        }
    }
    return gs;
}

/* Returns the lowest address for an item, and its gap in *at. */
static int64_t gaps_fit(const Gaps *gs, const PlaceItem *it, int64_t alignment, uint32_t *at) {
    for (uint32_t i = gaps_find(gs, it->min); i < gs->n; i++) {
        int64_t lo = aligned(gs->g[i].lo > it->min ? gs->g[i].lo : it->min, alignment);
        if (lo < gs->g[i].hi && gs->g[i].hi - lo >= it->size) {
            *at = i;
            return lo;
        }
    }
    return -1; /* unreachable: the last gap has no end */
}

/* ---- heap of live items, the one that ends first on top ---- */

typedef struct Heap {
    PlaceItem **h;
    uint32_t n;
} Heap;

static void heap_push(Heap *q, PlaceItem *it) {
    uint32_t i = q->n++;
    for (; i > 0 && q->h[(i - 1) / 2]->end > it->end; i = (i - 1) / 2)
        q->h[i] = q->h[(i - 1) / 2];
    q->h[i] = it;
}

static PlaceItem *heap_pop(Heap *q) {
    PlaceItem *top = q->h[0], *it = q->h[--q->n];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < q->n; i = child) {
        if (child + 1 < q->n && q->h[child + 1]->end < q->h[child]->end) child++;
        if (q->h[child]->end >= it->end) break;
        q->h[i] = q->h[child];
    }
    q->h[i] = it;
    return top;
}

/* ---- the attempts ---- */

static void track(int64_t *extent, const PlaceItem *it) {
    if (it->addr + it->size > *extent) *extent = it->addr + it->size;
}

static int compare_ranges(const void *a, const void *b) {
    const PlaceRange *x = a, *y = b;
    return (x->lo > y->lo) - (x->lo < y->lo);
}

/* Returns the lowest address from `min` on where `size` bytes overlap none of the ranges, which it
 * sorts. */
static int64_t place_hole(PlaceRange *taken, uint32_t n, int64_t min, int64_t size,
                          int64_t alignment) {
    int64_t at = aligned(min, alignment);
    qsort(taken, n, sizeof *taken, compare_ranges);
    for (uint32_t i = 0; i < n && taken[i].lo < at + size; i++)
        if (taken[i].hi > at) at = aligned(taken[i].hi, alignment);
    return at;
}

/* Places one item by first fit around all placed ones that are live at the same time. */
static void place_beside(const PlaceSpace *space, PlaceItem *it, PlaceItem *const *placed,
                         uint32_t n, PlaceRange *scratch) {
    uint32_t k = 0;
    for (uint32_t i = 0; i < space->nblocked; i++)
        scratch[k++] = space->blocked[i];
    for (uint32_t i = 0; i < n; i++)
        if (placed[i]->start <= it->end && it->start <= placed[i]->end)
            scratch[k++] = (PlaceRange){placed[i]->addr, placed[i]->addr + placed[i]->size};
    it->addr = place_hole(scratch, k, it->min, it->size, space->alignment);
}

static int64_t place_birth_order(Arena *arena, const PlaceSpace *space, PlaceItem **items,
                                 uint32_t n) {
    Gaps gaps = gaps_start(arena, space);
    Heap live = {.h = ARENA_ARRAY(arena, PlaceItem *, n)};
    int64_t extent = 0;
    for (uint32_t i = 0; i < n; i++) {
        PlaceItem *it = items[i];
        while (live.n > 0 && live.h[0]->end < it->start) {
            PlaceItem *dead = heap_pop(&live);
            gaps_free(&gaps, (PlaceRange){dead->addr, dead->addr + dead->size});
        }
        uint32_t at = 0;
        it->addr = gaps_fit(&gaps, it, space->alignment, &at);
        gaps_take(&gaps, at, (PlaceRange){it->addr, it->addr + it->size});
        heap_push(&live, it);
        track(&extent, it);
    }
    return extent;
}

/* Orders items by decreasing size, then by start. */
static int compare_sizes(const void *a, const void *b) {
    const PlaceItem *x = *(PlaceItem *const *)a, *y = *(PlaceItem *const *)b;
    if (x->size != y->size) return x->size < y->size ? 1 : -1;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return (x > y) - (x < y);
}

static int64_t place_size_order(Arena *arena, const PlaceSpace *space, PlaceItem *const *items,
                                uint32_t n) {
    PlaceItem **sorted = ARENA_ARRAY(arena, PlaceItem *, n);
    PlaceRange *scratch = ARENA_ARRAY(arena, PlaceRange, (size_t)n + space->nblocked + 1);
    int64_t extent = 0;
    memcpy(sorted, items, n * sizeof *items);
    qsort(sorted, n, sizeof *sorted, compare_sizes);
    for (uint32_t i = 0; i < n; i++) {
        place_beside(space, sorted[i], sorted, i, scratch);
        track(&extent, sorted[i]);
    }
    return extent;
}

static bool place_sequence(const PlaceSpace *space, PlaceItem *const *items, uint32_t n) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (items[i]->size >= space->sequential - sum) return false;
        sum += items[i]->size;
    }
    sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        items[i]->addr = sum;
        sum += items[i]->size;
    }
    return true;
}

/* The items in their turns, each in the given order. */
typedef struct Turns {
    PlaceItem **items;
    uint32_t ntiles, nreserved; /* the others are idle */
    PlaceRange *scratch;
} Turns;

static Turns turns_of(Arena *arena, const PlaceSpace *space, PlaceItem *const *items, uint32_t n) {
    Turns t = {.items = ARENA_ARRAY(arena, PlaceItem *, n)};
    uint32_t k = 0;
    for (int turn = PLACE_TILE; turn <= PLACE_IDLE; turn++) {
        for (uint32_t i = 0; i < n; i++)
            if (items[i]->turn == turn) t.items[k++] = items[i];
        if (turn == PLACE_TILE) t.ntiles = k;
        if (turn == PLACE_RESERVED) t.nreserved = k - t.ntiles;
    }
    if (t.ntiles < n) t.scratch = ARENA_ARRAY(arena, PlaceRange, (size_t)n + space->nblocked + 1);
    return t;
}

/* Places what is reserved beside the tiles, which end at `extent`; returns where both end. */
static int64_t place_reserved(const PlaceSpace *space, const Turns *t, int64_t extent) {
    for (uint32_t i = t->ntiles; i < t->ntiles + t->nreserved; i++) {
        place_beside(space, t->items[i], t->items, i, t->scratch);
        track(&extent, t->items[i]);
    }
    return extent;
}

static int64_t place_in_turn(Arena *arena, const PlaceSpace *space, const Turns *t) {
    if (place_sequence(space, t->items, t->ntiles)) {
        int64_t extent = place_reserved(space, t, 0);
        if (extent <= space->sequential) return extent;
    }
    int64_t extent = place_birth_order(arena, space, t->items, t->ntiles);
    extent = place_reserved(space, t, extent);
    if (extent <= space->limit || t->ntiles > MOST_PAIRWISE) return extent;
    int64_t by_size = place_size_order(arena, space, t->items, t->ntiles);
    by_size = place_reserved(space, t, by_size);
    return by_size < extent ? by_size : extent;
}

bool place_items(Arena *arena, const PlaceSpace *space, PlaceItem **items, uint32_t n,
                 int64_t *needed) {
    Turns t = turns_of(arena, space, items, n);
    *needed = place_in_turn(arena, space, &t);
    for (uint32_t i = t.ntiles + t.nreserved; i < n; i++) {
        place_beside(space, t.items[i], t.items, i, t.scratch);
        if (t.items[i]->addr + t.items[i]->size <= space->limit) track(needed, t.items[i]);
    }
    return *needed <= space->limit;
}

typedef struct Event {
    uint32_t pos;
    bool birth; /* births come before deaths at one position: intervals are closed */
    int64_t size;
} Event;

static int compare_events(const void *a, const void *b) {
    const Event *x = a, *y = b;
    if (x->pos != y->pos) return x->pos < y->pos ? -1 : 1;
    return (int)y->birth - (int)x->birth;
}

int64_t place_peak(Arena *arena, PlaceItem *const *items, uint32_t n, uint32_t *position) {
    Event *events = ARENA_ARRAY(arena, Event, 2 * (size_t)n);
    int64_t sum = 0, peak = 0;
    *position = 0;
    for (uint32_t i = 0; i < n; i++) {
        events[2 * i] = (Event){items[i]->start, true, items[i]->size};
        events[2 * i + 1] = (Event){items[i]->end, false, items[i]->size};
    }
    qsort(events, 2 * (size_t)n, sizeof *events, compare_events);
    for (uint32_t i = 0; i < 2 * n; i++) {
        sum += events[i].birth ? events[i].size : -events[i].size;
        if (sum > peak) {
            peak = sum;
            *position = events[i].pos;
        }
    }
    return peak;
}

int64_t place_last(const PlaceSpace *space, int64_t size, int64_t limit) {
    int64_t end = limit;
    for (uint32_t i = space->nblocked;; i--) {
        const int64_t from = i > 0 ? space->blocked[i - 1].hi : 0;
        if (size >= 0 && size <= end && (end - size) / space->alignment * space->alignment >= from)
            return (end - size) / space->alignment * space->alignment;
        if (i == 0) return -1;
        if (space->blocked[i - 1].lo < end) end = space->blocked[i - 1].lo;
    }
}
