/* Computes the contents of a memory map from the plan. */
#include "cli/map.h"

#include <stdlib.h>
#include <string.h>

bool map_alive(const MapTile *t, uint32_t position) {
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

/* ---- the spaces of a plan ---- */

static int compare_tiles(const void *a, const void *b) {
    const ptoasm_slot *x = &((const MapTile *)a)->slot, *y = &((const MapTile *)b)->slot;
    int by_space = strcmp(x->space, y->space);
    if (by_space != 0) return by_space;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Finds the tile that was the last to use some bytes of this one before it. */
static void find_before(MapTile *tiles, size_t n, MapTile *t) {
    const ptoasm_slot *b = &t->slot;
    if (b->first > b->last) return;
    for (size_t i = 0; i < n && tiles[i].slot.address < b->address + b->bytes; i++) {
        const ptoasm_slot *a = &tiles[i].slot;
        if (a->address + a->bytes <= b->address || a->first > a->last || a->last >= b->first)
            continue;
        if (t->before == NULL || t->before->slot.last < a->last) t->before = &tiles[i];
    }
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
        find_before(tiles, n, &tiles[i]);
    }
    if (!find_peak(&s)) return false;
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
