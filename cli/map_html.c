/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a memory map as one HTML file with a drawing per space: addresses across, the program
 * down. */
#include "cli/map.h"
#include "cli/report_values.h"

#include <stdlib.h>
#include <string.h>

enum { LEFT = 56, TOP = 24, WIDTH = 960, MOST_HEIGHT = 640, BOTTOM = 28, LETTER = 7 };

void map_begin_html(FILE *to, const char *file) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>", to);
    put_html(to, file);
    fputs(": on-chip memory</title>\n<style>\n"
          "body { font: 14px sans-serif; margin: 2em; }\n"
          "svg { font: 11px sans-serif; display: block; }\n"
          ".space { fill: #f4f4f4; stroke: #999; }\n"
          ".beyond { fill: #f7d9d9; }\n"
          ".tile { stroke: #333; stroke-width: 0.5; }\n"
          ".bound { stroke-width: 2; }\n"
          ".tile:hover { fill: #ffef9e; }\n"
          ".peak { stroke: #c00; stroke-dasharray: 4 3; pointer-events: none; }\n"
          "</style>\n</head>\n<body>\n<h1>",
          to);
    put_html(to, file);
    fputs(
        "</h1>\n<p>Addresses go across, the program goes down; a box is a tile for as long as its "
        "bytes are\nneeded. The dashed line is where most bytes are. A thick border: the text "
        "gave the address.</p>\n",
        to);
}

void map_end_html(FILE *to) {
    fputs("</body>\n</html>\n", to);
}

/* ---- one space ---- */

typedef struct Scale {
    double x, y; /* pixels per byte, pixels per position */
    double height;
    int64_t extent;
} Scale;

static Scale scale_of(const MapSpace *s) {
    Scale k = {.extent = s->used > s->capacity ? s->used : s->capacity};
    if (k.extent < 1) k.extent = 1;
    k.x = (double)WIDTH / (double)k.extent;
    k.y = (double)MOST_HEIGHT / s->positions;
    if (k.y > 16) k.y = 16;
    k.height = k.y * s->positions;
    return k;
}

static void put_name(FILE *to, const MapTile *t) {
    fputs(*t->slot.name != '\0' ? "%" : "scratch of ", to);
    put_html(to, map_name(t));
}

static void put_box(FILE *to, const MapSpace *s, const Scale *k, size_t i) {
    const MapTile *t = &s->tiles[i];
    const ptoasm_slot *b = &t->slot;
    if (b->first > b->last) return;
    double x = LEFT + (double)b->address * k->x, w = (double)b->bytes * k->x;
    double y = TOP + b->first * k->y, h = (b->last - b->first + 1) * k->y;
    fprintf(to,
            "<rect class=\"tile%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
            "fill=\"hsl(%zu 60%% 78%%)\"><title>",
            b->bound ? " bound" : "", x, y, w, h, i * 67 % 360);
    put_name(to, t);
    if (*t->slot.also != '\0') {
        fputs(" (also ", to);
        put_html(to, t->slot.also);
        fputc(')', to);
    }
    fprintf(to, ": %lld bytes at %lld, lines %u to %u", (long long)b->bytes, (long long)b->address,
            (unsigned)b->first_line, (unsigned)b->last_line);
    if (t->before != NULL) {
        fputs("; takes over bytes of ", to);
        put_name(to, t->before);
    }
    fputs("</title></rect>\n", to);
    if (w < (double)(LETTER * (strlen(map_name(t)) + 2)) || h < 10) return;
    fprintf(to, "<text x=\"%.2f\" y=\"%.2f\" pointer-events=\"none\">", x + 3, y + 10);
    put_name(to, t);
    fputs("</text>\n", to);
}

static void put_axes(FILE *to, const MapSpace *s, const Scale *k) {
    double limit = s->capacity >= 0 ? (double)s->capacity * k->x : WIDTH;
    fprintf(to, "<rect class=\"space\" x=\"%d\" y=\"%d\" width=\"%.2f\" height=\"%.2f\"/>\n", LEFT,
            TOP, limit, k->height);
    if (s->used > s->capacity && s->capacity >= 0)
        fprintf(to, "<rect class=\"beyond\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%.2f\"/>\n",
                LEFT + limit, TOP, WIDTH - limit, k->height);
    for (int i = 0; i <= 4; i++)
        fprintf(to, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\">%lld</text>\n",
                LEFT + WIDTH * i / 4.0, TOP + k->height + 16,
                i == 0   ? "start"
                : i == 4 ? "end"
                         : "middle",
                (long long)(k->extent * i / 4));
}

static void put_lines(FILE *to, const MapSpace *s, const Scale *k) {
    double last = -100;
    for (uint32_t pos = 0; pos < s->positions; pos++) {
        uint32_t line = 0;
        double y = TOP + pos * k->y + 10;
        if (y < last + 12) continue;
        for (size_t i = 0; i < s->n && line == 0; i++)
            if (s->tiles[i].slot.first == pos) line = s->tiles[i].slot.first_line;
        if (line == 0) continue;
        fprintf(to, "<text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">%u</text>\n", LEFT - 6, y,
                (unsigned)line);
        last = y;
    }
}

static void put_last(FILE *to, const MapSpace *s) {
    unsigned n = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (!map_in_last(s, &s->tiles[i])) continue;
        if (n++ == 0)
            fprintf(to, "<p>In the last %d bytes: ", MAP_LAST);
        else
            fputs(", ", to);
        put_name(to, &s->tiles[i]);
    }
    if (n > 0) fputs("</p>\n", to);
}

void map_put_html(const MapSpace *s, FILE *to) {
    Scale k = scale_of(s);
    fputs("<h2>@", to);
    put_html(to, s->function);
    fprintf(to, ", profile %s: %s</h2>\n<p>%lld", s->profile, s->space, (long long)s->used);
    if (s->capacity >= 0) fprintf(to, " of %lld", (long long)s->capacity);
    if (s->peak_tiles == 0) {
        fputs(" bytes; no tile is used.</p>\n", to);
        return;
    }
    fprintf(to, " bytes; most in line %u: %lld bytes in %zu tile%s. Free there: ",
            (unsigned)s->peak_line, (long long)s->peak, s->peak_tiles,
            s->peak_tiles == 1 ? "" : "s");
    map_put_holes(s, to);
    fputs(".</p>\n", to);
    put_last(to, s);
    fprintf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\">\n",
            LEFT + WIDTH + 8, TOP + k.height + BOTTOM);
    put_axes(to, s, &k);
    for (size_t i = 0; i < s->n; i++)
        put_box(to, s, &k, i);
    put_lines(to, s, &k);
    double y = TOP + (s->peak_at + 0.5) * k.y;
    fprintf(to, "<line class=\"peak\" x1=\"%d\" y1=\"%.2f\" x2=\"%d\" y2=\"%.2f\"/>\n</svg>\n",
            LEFT, y, LEFT + WIDTH, y);
}
