/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a memory map as text: one line per tile, in the order of addresses, with its lifetime
 * across. */
#include "cli/map.h"

#include <string.h>

enum { WIDTH = 32 };

/* Prints `#` where the tile is live. */
static void put_life(const MapSpace *s, const MapTile *t, FILE *to) {
    for (uint32_t i = 0; i < WIDTH; i++) {
        uint32_t lo = (uint32_t)((uint64_t)i * s->positions / WIDTH);
        uint32_t hi = (uint32_t)((uint64_t)(i + 1) * s->positions / WIDTH);
        if (hi > lo) hi--;
        bool alive = t->slot.first <= hi && lo <= t->slot.last && t->slot.first <= t->slot.last;
        fputc(alive ? '#' : '.', to);
    }
}

static void put_name(const MapTile *t, FILE *to) {
    fprintf(to, "%s%s", *t->slot.name != '\0' ? "%" : "scratch of ", map_name(t));
}

/* Writes `, %b, %c`: the other values in the tile. */
static void put_others(const MapTile *t, FILE *to) {
    for (const char *s = t->slot.also; *s != '\0';) {
        const size_t n = strcspn(s, ",");
        fprintf(to, ", %%%.*s", (int)n, s);
        s += n + strspn(s + n, ", ");
    }
}

static void put_tile(const MapSpace *s, const MapTile *t, FILE *to) {
    char lines[32] = "-";
    if (t->slot.first <= t->slot.last)
        snprintf(lines, sizeof lines, "%u-%u", (unsigned)t->slot.first_line,
                 (unsigned)t->slot.last_line);
    fprintf(to, "  %9lld  %9lld  %9s  ", (long long)t->slot.address, (long long)t->slot.bytes,
            lines);
    put_life(s, t, to);
    fputs("  ", to);
    put_name(t, to);
    put_others(t, to);
    if (t->slot.bound) fputs(", at an address of the text", to);
    if (t->before != NULL) {
        fputs(", after ", to);
        put_name(t->before, to);
    }
    fputc('\n', to);
}

static void put_last(const MapSpace *s, FILE *to) {
    unsigned n = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (!map_in_last(s, &s->tiles[i])) continue;
        if (n++ == 0)
            fprintf(to, "  in the last %d bytes: ", MAP_LAST);
        else
            fputs(", ", to);
        put_name(&s->tiles[i], to);
    }
    if (n > 0) fputc('\n', to);
}

void map_put_text(const MapSpace *s, FILE *to) {
    fputc('@', to);
    put_plain(to, s->function);
    fprintf(to, ", profile %s: %s, %lld", s->profile, s->space, (long long)s->used);
    if (s->capacity >= 0) fprintf(to, " of %lld", (long long)s->capacity);
    if (s->peak_tiles == 0)
        fputs(" bytes; no tile is used\n", to);
    else
        fprintf(to, " bytes; most in line %u: %lld bytes in %zu tile%s\n", (unsigned)s->peak_line,
                (long long)s->peak, s->peak_tiles, s->peak_tiles == 1 ? "" : "s");
    fprintf(to, "  %9s  %9s  %9s  %-*s  tile\n", "address", "bytes", "lines", WIDTH, "needed");
    for (size_t i = 0; i < s->n; i++)
        put_tile(s, &s->tiles[i], to);
    if (s->peak_tiles == 0) return;
    fprintf(to, "  free in line %u: ", (unsigned)s->peak_line);
    map_put_holes(s, to);
    fputc('\n', to);
    put_last(s, to);
}
