/* SPDX-License-Identifier: Apache-2.0 */
/* What operations of the vector pipe cost one after the other, under both laws. */
#include "timing/stream.h"

static bool is_arithmetic(MicroOp op) {
    return op == MICRO_VADD || op == MICRO_VSUB || op == MICRO_VMUL || op == MICRO_VDIV ||
           op == MICRO_VMAX || op == MICRO_VMIN || op == MICRO_VAND || op == MICRO_VOR;
}

static double start_of(const Stream *s, const MicroCost *c) {
    if (s->state == VECTOR_RUNNING) return 0;
    return s->state == VECTOR_DRAINED ? c->chained : c->solo;
}

double stream_number(Stream *s, TimeNumber n) {
    if (s->p->origin[n] > s->origin) s->origin = s->p->origin[n];
    return s->p->number[n];
}

void stream_do(Stream *s, MicroOp op, int64_t repeats) {
    const MicroCost *c = params_cost(s->p, op, s->width);
    s->t += c->slope * (double)repeats + start_of(s, c);
    if (s->p->law == LAW_VENDOR) {
        if (s->partial && is_arithmetic(op)) s->t += stream_number(s, TIME_PARTIAL_FLOOR);
    } else if (s->partial && !s->charged) {
        if (s->count) s->t += stream_number(s, TIME_COUNT_ONCE);
        s->charged = true;
    }
    if (c->origin > s->origin) s->origin = c->origin;
    s->state = VECTOR_RUNNING;
}

/* The vendor's model sees the repeats of a call, which are 0 in count mode. */
void stream_count(Stream *s, MicroOp op, int64_t elements, int64_t per) {
    stream_do(s, op, s->p->law == LAW_VENDOR ? 0 : ceil_div(elements, per));
}

void stream_mask(Stream *s, bool partial, int cycles, bool count) {
    s->partial = partial;
    s->count = count && partial;
    s->t += cycles;
}

void stream_barrier(Stream *s) {
    if (s->p->law == LAW_VENDOR) s->t += 1;
    s->state = VECTOR_DRAINED;
}

double stream_copy(Stream *s, int64_t bytes) {
    const TimeParams *p = s->p;
    const double gib = 1024.0 * 1024.0 * 1024.0;
    const double cycles =
        (double)(int64_t)((double)bytes / gib / p->number[TIME_UB_UB] * params_clock(p));
    const double least = (double)bytes / 256;
    s->origin = origin_with(p, s->origin, TIME_UB_UB);
    return p->law == LAW_VENDOR || cycles > least ? cycles : least;
}

bool next_turn(Stream *s, Turns *k) {
    if (k->i == 2) s->t += (double)(k->n - 2) * (s->t - k->before);
    if (k->i == 2 || k->i >= k->n) return false;
    if (k->i == 1) k->before = s->t;
    k->i++;
    return true;
}
