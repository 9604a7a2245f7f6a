/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a core: what its statements do to pipes, in the order of the program. */
#include "timing/run.h"

#include <string.h>

static TimeEvent *new_event(TimeRun *r, const TimeNode *n) {
    EventList *l = &r->events;
    const uint32_t chunk = l->n / EVENT_CHUNK;
    if (l->n == MOST_EVENTS) time_stop(r, n->stmt, "the program runs too many statements");
    if (chunk == l->nchunks) {
        if (chunk == l->capchunks)
            l->chunks =
                ARENA_WIDEN(r->arena, TimeEvent *, l->chunks, &l->capchunks, l->nchunks, 16);
        l->chunks[l->nchunks++] =
            arena_alloc(r->arena, EVENT_CHUNK * sizeof(TimeEvent), _Alignof(TimeEvent));
    }
    return &l->chunks[chunk][l->n++ % EVENT_CHUNK];
}

static void emit(TimeRun *r, TimeEvent e) {
    r->events.crossing += e.what == TIME_SEND || e.what == TIME_RECEIVE;
    if (e.what == TIME_WAIT) r->events.awaited[e.node->pipe][e.node->to] |= 1u << e.number;
    *new_event(r, e.node) = e;
}

void time_emit_at(TimeRun *r, TimeNode *n, const PriceSet *price) {
    emit(r, (TimeEvent){n, price, TIME_DO, n->pipe, 0});
}

void time_emit(TimeRun *r, TimeNode *n, TimeWhat what, Pipe pipe, unsigned number) {
    emit(r, (TimeEvent){n, what == TIME_DO ? time_price(r, n) : NULL, (uint8_t)what, (uint8_t)pipe,
                        number});
}

void events_reset(EventList *l) {
    l->n = l->nturns = l->crossing = 0;
    memset(l->awaited, 0, sizeof l->awaited);
}

/* ---- turns ---- */

uint32_t events_mark(TimeRun *r, TimeNode *loop) {
    const uint32_t at = r->events.n;
    *new_event(r, loop) =
        (TimeEvent){.node = loop, .what = TIME_NOTHING, .number = r->events.crossing};
    return at;
}

void events_repeat(TimeRun *r, uint32_t mark, uint64_t times) {
    EventList *l = &r->events;
    TimeEvent *begin = &l->chunks[mark / EVENT_CHUNK][mark % EVENT_CHUNK];
    if (l->n == mark + 1) l->n = mark;
    if (l->n == mark || times <= 1) return;
    if (l->nturns == l->capturns)
        l->turns = ARENA_WIDEN(r->arena, EventTurns, l->turns, &l->capturns, l->nturns, 16);
    l->turns[l->nturns] = (EventTurns){times, l->crossing != begin->number};
    begin->what = TIME_TURNS;
    begin->number = l->nturns++;
    *new_event(r, begin->node) =
        (TimeEvent){.node = begin->node, .what = TIME_AGAIN, .number = begin->number};
}
