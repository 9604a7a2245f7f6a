/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the contents of a memory map from the plan. */
#include "cli/map.h"

#include <stdlib.h>
#include <string.h>

static bool map_alive(const MapTile *t, uint32_t position) {
    return t->slot.first <= position && position <= t->slot.last;
}

const char *map_name(const MapTile *t) {
    return *t->slot.name != '\0' ? t->slot.name : t->slot.instruction;
}

bool map_in_last(const MapSpace *s, const MapTile *t) {
    return s->capacity >= MAP_LAST && t->slot.bytes > 0 && t->slot.first <= t->slot.last &&
           t->slot.address + t->slot.bytes > s->capacity - MAP_LAST;
}

/* ---- peak use ---- */

typedef struct Event {
    uint32_t position;
    bool end; /* after the position */
    int64_t bytes;
} Event;

static int compare_events(const void *a, const void *b) {
    const Event *x = a, *y = b;
    if (x->position != y->position) return x->position < y->position ? -1 : 1;
    return x->end - y->end;
}

static bool find_peak(MapSpace *s) {
    Event *events = calloc(2 * s->n + 1, sizeof *events);
    if (events == NULL) return false;
    size_t n = 0, alive = 0;
    int64_t bytes = 0;
    for (size_t i = 0; i < s->n; i++) {
        const ptoasm_slot *t = &s->tiles[i].slot;
        if (t->first > t->last) continue;
        events[n++] = (Event){t->first, false, t->bytes};
        events[n++] = (Event){t->last, true, t->bytes};
    }
    qsort(events, n, sizeof *events, compare_events);
    for (size_t i = 0; i < n; i++) {
        alive = events[i].end ? alive - 1 : alive + 1;
        bytes += events[i].end ? -events[i].bytes : events[i].bytes;
        if (bytes <= s->peak) continue;
        s->peak = bytes;
        s->peak_at = events[i].position;
        s->peak_tiles = alive;
    }
    free(events);
    for (size_t i = 0; i < s->n; i++)
        if (s->tiles[i].slot.first == s->peak_at) s->peak_line = s->tiles[i].slot.first_line;
    return true;
}

/* ---- holes ---- */

void map_holes(const MapSpace *s, uint32_t position,
               void (*put)(int64_t address, int64_t bytes, void *arg), void *arg) {
    int64_t at = 0, end = s->capacity >= 0 ? s->capacity : s->used;
    for (size_t i = 0; i < s->n; i++) {
        const ptoasm_slot *t = &s->tiles[i].slot;
        if (!map_alive(&s->tiles[i], position)) continue;
        if (t->address > at) put(at, (t->address < end ? t->address : end) - at, arg);
        if (t->address + t->bytes > at) at = t->address + t->bytes;
        if (at >= end) return;
    }
    if (at < end) put(at, end - at, arg);
}

typedef struct Holes {
    FILE *to;
    unsigned n;
} Holes;

static void put_hole(int64_t address, int64_t bytes, void *arg) {
    Holes *h = arg;
    fprintf(h->to, "%s%lld at %lld", h->n++ > 0 ? ", " : "", (long long)bytes, (long long)address);
}

void map_put_holes(const MapSpace *s, FILE *to) {
    Holes holes = {.to = to};
    map_holes(s, s->peak_at, put_hole, &holes);
    if (holes.n == 0) fputs("nothing", to);
}

/* ---- the spaces of a plan ---- */

static int compare_tiles(const void *a, const void *b) {
    const ptoasm_slot *x = &((const MapTile *)a)->slot, *y = &((const MapTile *)b)->slot;
    int by_space = strcmp(x->space, y->space);
    if (by_space != 0) return by_space;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* ---- the tile that used the bytes before ---- */

/* For the bytes between neighbouring addresses of tiles, the last tile that used them: a segment
 * tree. Tiles are entered in the order in which they end, so that a later number replaces an
 * earlier one. */
typedef struct Users {
    int64_t *bounds; /* addresses where tiles begin and end, in order */
    size_t nbounds, leaves;
    size_t *all;  /* per node: the last tile that used all of its bytes; 0 = none */
    size_t *some; /* ... or some of them */
} Users;

static int compare_addresses(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool users_init(Users *u, const MapTile *tiles, size_t n) {
    *u = (Users){.leaves = 2 * n, .bounds = calloc(2 * n, sizeof *u->bounds)};
    u->all = calloc(2 * u->leaves, sizeof *u->all);
    u->some = calloc(2 * u->leaves, sizeof *u->some);
    if (u->bounds == NULL || u->all == NULL || u->some == NULL) return false;
    for (size_t i = 0; i < n; i++) {
        u->bounds[u->nbounds++] = tiles[i].slot.address;
        u->bounds[u->nbounds++] = tiles[i].slot.address + tiles[i].slot.bytes;
    }
    qsort(u->bounds, u->nbounds, sizeof *u->bounds, compare_addresses);
    return true;
}

static void users_free(Users *u) {
    free(u->bounds);
    free(u->all);
    free(u->some);
}

/* Returns the leaf whose bytes begin at a bound. */
static size_t leaf_at(const Users *u, int64_t address) {
    size_t lo = 0, hi = u->nbounds;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (u->bounds[middle] < address)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo + u->leaves;
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static void update_above(Users *u, size_t leaf) {
    for (size_t i = leaf / 2; i > 0; i /= 2)
        u->some[i] = larger(u->all[i], larger(u->some[2 * i], u->some[2 * i + 1]));
}

/* Enters the number of a tile, larger than all before. */
static void users_enter(Users *u, const ptoasm_slot *t, size_t number) {
    size_t from = leaf_at(u, t->address), to = leaf_at(u, t->address + t->bytes);
    if (from == to) return;
    for (size_t l = from, r = to; l < r; l /= 2, r /= 2) {
        if (l % 2 == 1) {
            u->all[l] = u->some[l] = number;
            l++;
        }
        if (r % 2 == 1) {
            r--;
            u->all[r] = u->some[r] = number;
        }
    }
    update_above(u, from);
    update_above(u, to - 1);
}

/* Returns the number of the last tile that used bytes of this one; 0 = none. */
static size_t users_last(const Users *u, const ptoasm_slot *t) {
    size_t from = leaf_at(u, t->address), to = leaf_at(u, t->address + t->bytes), last = 0;
    if (from == to) return 0;
    for (size_t l = from, r = to; l < r; l /= 2, r /= 2) {
        if (l % 2 == 1) last = larger(last, u->some[l++]);
        if (r % 2 == 1) last = larger(last, u->some[--r]);
    }
    for (size_t i = from / 2; i > 0; i /= 2)
        last = larger(last, u->all[i]);
    for (size_t i = (to - 1) / 2; i > 0; i /= 2)
        last = larger(last, u->all[i]);
    return last;
}

static int compare_first(const void *a, const void *b) {
    const MapTile *x = *(MapTile *const *)a, *y = *(MapTile *const *)b;
    if (x->slot.first != y->slot.first) return x->slot.first < y->slot.first ? -1 : 1;
    return (x > y) - (x < y);
}

/* Of tiles that end together, the first in the order of addresses comes last. */
static int compare_last(const void *a, const void *b) {
    const MapTile *x = *(MapTile *const *)a, *y = *(MapTile *const *)b;
    if (x->slot.last != y->slot.last) return x->slot.last < y->slot.last ? -1 : 1;
    return (x < y) - (x > y);
}

/* Finds for each tile the one that was the last to use some bytes of it before. */
static bool find_before(MapTile *tiles, size_t n) {
    Users users = {.leaves = 0};
    MapTile **begin = calloc(2 * n, sizeof(MapTile *)), **end = begin + n;
    bool fine = begin != NULL && users_init(&users, tiles, n);
    size_t used = 0, entered = 0;
    for (size_t i = 0; i < n && fine; i++)
        if (tiles[i].slot.first <= tiles[i].slot.last) begin[used++] = &tiles[i];
    if (fine) {
        memcpy(end, begin, used * sizeof(MapTile *));
        qsort(begin, used, sizeof(MapTile *), compare_first);
        qsort(end, used, sizeof(MapTile *), compare_last);
    }
    for (size_t i = 0; i < used && fine; i++) {
        for (; entered < used && end[entered]->slot.last < begin[i]->slot.first; entered++)
            users_enter(&users, &end[entered]->slot, entered + 1);
        size_t last = users_last(&users, &begin[i]->slot);
        if (last > 0) begin[i]->before = end[last - 1];
    }
    users_free(&users);
    free(begin);
    return fine;
}

static bool put_space(MapTile *tiles, size_t n, const char *profile,
                      void (*put)(const MapSpace *s, void *arg), void *arg) {
    MapSpace s = {.profile = profile,
                  .function = tiles[0].slot.function,
                  .space = tiles[0].slot.space,
                  .tiles = tiles,
                  .n = n,
                  .capacity = tiles[0].slot.capacity,
                  .positions = 1};
    for (size_t i = 0; i < n; i++) {
        const ptoasm_slot *t = &tiles[i].slot;
        if (t->address + t->bytes > s.used) s.used = t->address + t->bytes;
        if (t->first <= t->last && t->last >= s.positions) s.positions = t->last + 1;
    }
    if (!find_before(tiles, n) || !find_peak(&s)) return false;
    put(&s, arg);
    return true;
}

bool map_spaces(const ptoasm_result *res, const char *profile,
                void (*put)(const MapSpace *s, void *arg), void *arg) {
    size_t n = ptoasm_slot_count(res), end;
    MapTile *tiles = calloc(n + 1, sizeof *tiles);
    bool fine = tiles != NULL;
    for (size_t i = 0; i < n && fine; i++)
        ptoasm_slot_at(res, i, &tiles[i].slot);
    /* the slots of a function are consecutive */
    for (size_t i = 0; i < n && fine; i = end) {
        for (end = i; end < n && strcmp(tiles[end].slot.function, tiles[i].slot.function) == 0;)
            end++;
        qsort(tiles + i, end - i, sizeof *tiles, compare_tiles);
        for (size_t from = i, to; from < end && fine; from = to) {
            for (to = from; to < end && strcmp(tiles[to].slot.space, tiles[from].slot.space) == 0;)
                to++;
            fine = put_space(tiles + from, to - from, profile, put, arg);
        }
    }
    free(tiles);
    return fine;
}
