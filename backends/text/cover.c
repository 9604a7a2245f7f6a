/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage: the points of a program, and the statements that note their ways. Every way is a byte
 * that threads only ever set to 1. */
#include "backends/text/cover.h"

int cover_point(Emitter *e, Span at, const char *kind, const char *ways, unsigned n) {
    if (!e->opt->cover) return NO_POINT;
    const int first = (int)e->nways;
    e->nways += n;
    sb_printf(&e->points, "    \"%d %u %s:%s\\n\"\n", first,
              (unsigned)source_line_from(e->ctx->source, 0, 1, at.off), kind, ways);
    return first;
}

void cover_way(Emitter *e, int point, unsigned way) {
    if (point != NO_POINT) ln(e, "ptrt_cover[%u] = 1;", (unsigned)point + way);
}

void cover_expr(Emitter *e, int point, const char *way) {
    if (point != NO_POINT) ln(e, "ptrt_cover[%d + (%s)] = 1;", point, way);
}

const char *cover_trips(Emitter *e, int point) {
    if (point == NO_POINT) return "";
    const char *trips = fresh(e, "trips");
    ln(e, "int %s = 0;", trips);
    return trips;
}

void cover_trip(Emitter *e, int point, const char *trips) {
    if (point != NO_POINT) ln(e, "%s += %s < 2;", trips, trips);
}

void cover_loop(Emitter *e, int point, const char *trips) {
    cover_expr(e, point, trips);
}
