/* SPDX-License-Identifier: Apache-2.0 */
/* ptoasm time -o FILE: the report as one HTML file without anything from a network: when each pipe
 * is busy, and the text of the program with what each line costs. */
#include "cli/report_values.h"
#include "cli/timed.h"
#include "ir/profile.h"

#include <stdlib.h>
#include <string.h>

enum { LEFT = 64, WIDTH = 1120, LANE = 26, MOST_BOXES = 20000 };

static void put_head(const Timing *t, const char *file, FILE *to) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>", to);
    put_html(to, file);
    fputs(": time</title>\n<style>\n"
          "body { font: 14px sans-serif; margin: 2em; }\n"
          "svg { font: 11px sans-serif; display: block; }\n"
          ".lane { fill: #f4f4f4; }\n"
          ".box { stroke: #333; stroke-width: 0.3; }\n"
          ".box:hover { fill: #ffef9e; }\n"
          "pre { font: 12px monospace; }\n"
          "</style>\n</head>\n<body>\n<h1>@",
          to);
    put_html(to, t->function);
    fputs("</h1>\n", to);
}

/* ---- when pipes are busy ---- */

/* Statements that follow each other so closely that they are one box. */
typedef struct Box {
    double start, end;
    unsigned n;
    const TimedStatement *s;
} Box;

static void put_box(FILE *to, const Box *b, double scale, int lane) {
    if (b->n == 0) return;
    fprintf(to,
            "<rect class=\"box\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" "
            "fill=\"hsl(%u 60%% 78%%)\"><title>",
            LEFT + b->start * scale, lane * LANE + 3, (b->end - b->start) * scale, LANE - 6,
            b->n > 1 ? 0 : b->s->line * 67 % 360);
    if (b->n > 1)
        fprintf(to, "%u statements", b->n);
    else
        put_html(to, b->s->text);
    if (b->n == 1 && b->s->line != 0) fprintf(to, ", line %u", b->s->line);
    fprintf(to, ": %.0f to %.0f, %.0f cycles", b->start, b->end, b->end - b->start);
    if (b->n == 1) fprintf(to, "; price: %s", origin_names[b->s->origin]);
    fputs("</title></rect>\n", to);
}

/* Boxes narrower than half a pixel are joined. */
static unsigned put_lane(FILE *to, const TimedCore *c, Pipe pipe, double scale, int lane) {
    Box b = {.n = 0};
    unsigned boxes = 0;
    fprintf(to, "<rect class=\"lane\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", LEFT,
            lane * LANE + 1, WIDTH, LANE - 2);
    fprintf(to, "<text x=\"4\" y=\"%d\">%s</text>\n", lane * LANE + 17, timing_pipe_name(pipe));
    for (size_t i = 0; i < c->nslices && boxes < MOST_BOXES; i++) {
        const TimedSlice *s = &c->slices[i];
        if (c->list[s->statement].pipe != pipe) continue;
        if (b.n > 0 && (s->end - b.start) * scale < 0.5) {
            b.end = s->end;
            b.n++;
            continue;
        }
        put_box(to, &b, scale, lane);
        boxes += b.n > 0;
        b = (Box){s->start, s->end, 1, &c->list[s->statement]};
    }
    put_box(to, &b, scale, lane);
    return boxes;
}

static void put_lanes(FILE *to, const Timing *t) {
    const double total = timing_total(t);
    const double scale = total > 0 ? WIDTH / total : 0;
    int lanes = 0;
    for (unsigned k = 0; k < t->ncores; k++)
        for (int p = PIPE_V; p < TIMING_PIPES; p++)
            lanes += t->cores[k].busy[p] > 0;
    fprintf(to, "<svg width=\"%d\" height=\"%d\">\n", LEFT + WIDTH + 8, lanes * LANE + 20);
    int lane = 0;
    bool whole = true;
    for (unsigned k = 0; k < t->ncores; k++)
        for (int p = PIPE_V; p < TIMING_PIPES; p++)
            if (t->cores[k].busy[p] > 0)
                whole &= put_lane(to, &t->cores[k], (Pipe)p, scale, lane++) < MOST_BOXES &&
                         !t->cores[k].slices_left_out && t->cores[k].path_known;
    fprintf(to, "<text x=\"%d\" y=\"%d\">0</text>\n", LEFT, lanes * LANE + 14);
    fprintf(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.0f cycles</text>\n</svg>\n",
            LEFT + WIDTH, lanes * LANE + 14, total);
    if (!whole) fputs("<p>Only the first statements are drawn.</p>\n", to);
}

/* ---- the page ---- */

static void put_pre(FILE *to, const MemoryText *m) {
    fputs("<pre>", to);
    put_html_bytes(to, m->text, m->size);
    fputs("</pre>\n", to);
}

bool time_put_html(const Timing *t, const char *file, const char *source, const Options *opt,
                   FILE *to) {
    MemoryText report, listing;
    FILE *part = memory_open(&report);
    if (part == NULL) return false;
    bool fine = time_put_text(t, file, opt, part);
    fine = memory_close(part, &report) && fine;
    part = fine ? memory_open(&listing) : NULL;
    if (part != NULL) {
        time_put_annotated(t, source, part);
        fine = memory_close(part, &listing);
    }
    if (part != NULL && fine) {
        put_head(t, file, to);
        put_lanes(to, t);
        put_pre(to, &report);
        put_pre(to, &listing);
        fputs("</body>\n</html>\n", to);
    }
    if (part != NULL) memory_free(&listing);
    memory_free(&report);
    return fine && part != NULL;
}
