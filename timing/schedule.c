/* SPDX-License-Identifier: Apache-2.0 */
/* When each statement begins and ends: every pipe runs its statements in order, flags, barriers and
 * buffers hold it back. */
#include "timing/run.h"

/* Adds an entry to the log; -1 when it is full. */
static int32_t log_add(TimeRun *r, TimeNode *n, double start, double end, int32_t before) {
    TimeShared *s = r->shared;
    if (s->nlog >= MOST_LOGGED) return -1;
    if (s->nlog == s->caplog)
        s->log = ARENA_WIDEN(r->arena, Logged, s->log, &s->caplog, s->nlog, 256);
    s->log[s->nlog] = (Logged){n, start, end, before};
    return (int32_t)s->nlog++;
}

static void run_statement(TimeRun *r, const TimeEvent *e) {
    Schedule *s = r->s;
    TimeNode *n = e->node;
    const Pipe pipe = (Pipe)e->pipe;
    const Price *p = &e->price->by[pipe == PIPE_V ? s->vector : 0];
    const double cycles = p->cycles * r->scale[pipe];
    s->now += r->params->issue;
    const double start = s->free[pipe] > s->now ? s->free[pipe] : s->now;
    if (pipe == PIPE_V) s->vector = p->state;
    s->last[pipe] = log_add(r, n, start, start + cycles, s->last[pipe]);
    s->free[pipe] = start + cycles;
    s->busy[pipe] += cycles;
    s->by_origin[p->origin] += cycles;
    s->bytes += e->price->bytes;
    s->flops += e->price->flops;
    n->cycles += cycles;
    n->origin = p->origin;
}

/* Holds a pipe until a time. */
static void hold(TimeRun *r, TimeNode *n, Pipe pipe, const Token *t, Pipe by) {
    Schedule *s = r->s;
    if (r->free_flags || n->ignored) return;
    if (pipe == PIPE_S) {
        if (t->at > s->now) n->stalled += t->at - s->now, s->now = t->at;
        return;
    }
    if (t->at <= s->free[pipe]) return;
    const double from = s->free[pipe] > s->now ? s->free[pipe] : s->now;
    const double wait = t->at > from ? t->at - from : 0;
    s->stall[pipe][by] += wait;
    n->stalled += wait;
    n->setter = t->setter;
    if (pipe == PIPE_V && r->params->law == LAW_DEVICE) s->vector = VECTOR_FRESH;
    s->free[pipe] = t->at;
    s->last[pipe] = t->who;
}

/* ---- flags ---- */

void queue_add(TimeRun *r, TokenQueue *q, Token t) {
    if (q->first + q->n == q->cap) {
        /* A queue is short: what was taken is dropped. */
        for (uint32_t i = 0; i < q->n; i++)
            q->list[i] = q->list[q->first + i];
        q->first = 0;
        if (q->n == q->cap) q->list = ARENA_WIDEN(r->arena, Token, q->list, &q->cap, q->n, 4);
    }
    q->list[q->first + q->n++] = t;
}

/* What a pipe has done so far, as a signal of it. */
static Token done_by(const TimeRun *r, Pipe pipe, const TimeNode *n, double late) {
    const Schedule *s = r->s;
    const bool scalar = pipe == PIPE_S || pipe == PIPE_NONE;
    return (Token){(scalar ? s->now : s->free[pipe]) + late, s->last[pipe], n};
}

static bool take(TimeRun *r, const TimeEvent *e, TokenQueue *q, Pipe by) {
    if (q->n == 0) return false;
    const Token t = q->list[q->first];
    q->first++;
    q->n--;
    hold(r, e->node, e->pipe == PIPE_NONE ? PIPE_S : (Pipe)e->pipe, &t, by);
    return true;
}

/* ---- barriers ---- */

static Token latest(const Schedule *s, const TimeNode *n, Pipe *pipe) {
    *pipe = PIPE_S;
    for (int p = 0; p < TIMED_PIPES; p++)
        if (s->free[p] > s->free[*pipe]) *pipe = (Pipe)p;
    return (Token){s->free[*pipe], s->last[*pipe], n};
}

/* The vendor's model lets no barrier of all pipes hold anything. */
static void pass_barrier(TimeRun *r, const TimeEvent *e) {
    Schedule *s = r->s;
    const bool device = r->params->law == LAW_DEVICE;
    if (e->node->ignored) return;
    if (e->pipe == PIPE_NONE && device && !r->free_flags) {
        Pipe last;
        const Token t = latest(s, e->node, &last);
        for (int p = PIPE_V; p < TIMED_PIPES; p++) {
            if (p != (int)last && s->busy[p] > 0) hold(r, e->node, (Pipe)p, &t, last);
            if (t.at > s->free[p]) s->free[p] = t.at, s->last[p] = t.who;
        }
        if (t.at > s->now) s->now = t.at;
    }
    if ((e->pipe == PIPE_NONE || e->pipe == PIPE_V) && device) s->vector = VECTOR_DRAINED;
}

/* A buffer that another pipe released. */
static void get_buffer(TimeRun *r, const TimeEvent *e) {
    const Token t = r->s->buffers[e->number];
    if (t.setter != NULL && t.setter->pipe != e->pipe)
        hold(r, e->node, (Pipe)e->pipe, &t, (Pipe)t.setter->pipe);
}

/* ---- events ---- */

bool schedule_event(TimeRun *r, const TimeEvent *e) {
    Schedule *s = r->s;
    TimeNode *n = e->node;
    const double late = r->params->flag;
    bool fine = true;
    switch ((TimeWhat)e->what) {
    case TIME_DO:
        run_statement(r, e);
        break;
    case TIME_SET:
        queue_add(r, &s->flags[n->pipe][n->to][e->number], done_by(r, (Pipe)e->pipe, n, late));
        break;
    case TIME_WAIT:
        fine = take(r, e, &s->flags[n->pipe][n->to][e->number], (Pipe)n->pipe);
        break;
    case TIME_BARRIER:
        pass_barrier(r, e);
        break;
    case TIME_GET:
        get_buffer(r, e);
        break;
    case TIME_RELEASE:
        s->buffers[e->number] = done_by(r, (Pipe)e->pipe, n, late);
        break;
    case TIME_SEND:
    case TIME_SEND_TOO:
        queue_add(r, &r->shared->channels[e->number].queue,
                  done_by(r, (Pipe)e->pipe, n, r->params->number[TIME_CROSS]));
        break;
    case TIME_RECEIVE:
        fine = take(r, e, &r->shared->channels[e->number].queue, PIPE_NONE);
        break;
    }
    const EntryUse use = (EntryUse)n->op->inst->entry;
    if (e->what == TIME_SEND_TOO) return fine;
    n->count += fine && (e->what == TIME_DO || use == ENTRY_NONE || use == ENTRY_ALLOC ||
                         use == ENTRY_FREE);
    s->events += fine;
    return fine;
}

static void emit(TimeRun *r, const TimeEvent *e) {
    const Op *op = e->node->op;
    if (!r->records) {
        if (!schedule_event(r, e))
            time_stop(r, op,
                      "the pipe waits here for ever: nothing before sets this flag "
                      "(ptoasm check says where the order is not proved)");
        return;
    }
    if (r->nevents == MOST_EVENTS) time_stop(r, op, "the program runs too many statements");
    if (r->nevents == r->capevents)
        r->events = ARENA_WIDEN(r->arena, TimeEvent, r->events, &r->capevents, r->nevents, 1024);
    r->events[r->nevents++] = *e;
}

void time_emit_at(TimeRun *r, TimeNode *n, const PriceSet *price) {
    emit(r, &(TimeEvent){n, price, TIME_DO, n->pipe, 0});
}

void time_emit(TimeRun *r, TimeNode *n, TimeWhat what, Pipe pipe, unsigned number) {
    emit(r, &(TimeEvent){n, what == TIME_DO ? time_price(r, n) : NULL, (uint8_t)what, (uint8_t)pipe,
                         (uint16_t)number});
}

double schedule_end(const Schedule *s) {
    double end = s->now;
    for (int p = 0; p < TIMED_PIPES; p++)
        if (s->free[p] > end) end = s->free[p];
    return end;
}

void schedule_path(const TimeShared *s) {
    int32_t at = -1;
    for (uint32_t i = 0; i < s->nlog; i++)
        if (at < 0 || s->log[i].end > s->log[at].end) at = (int32_t)i;
    for (; at >= 0; at = s->log[at].before)
        s->log[at].node->critical += s->log[at].end - s->log[at].start;
}
