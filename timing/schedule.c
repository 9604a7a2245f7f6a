/* SPDX-License-Identifier: Apache-2.0 */
/* When each statement begins and ends: every pipe runs its statements in order, flags, barriers and
 * buffers hold it back. */
#include "timing/run.h"

#include <stdlib.h>

/* Adds an entry to the log; -1 when it is full. */
static int32_t log_add(TimeRun *r, TimeNode *n, double start, double end, int32_t before) {
    Schedule *s = r->s;
    if (s->nlog >= MOST_LOGGED) return -1;
    if (s->nlog == s->caplog)
        s->log = ARENA_WIDEN(r->arena, Logged, s->log, &s->caplog, s->nlog, 256);
    s->log[s->nlog] = (Logged){n, start, end, before};
    return (int32_t)s->nlog++;
}

void schedule_statement(TimeRun *r, TimeNode *n) {
    Schedule *s = r->s;
    const Pipe pipe = (Pipe)n->pipe;
    const Price *p = time_price(r, n);
    const double cycles = p->cycles * r->scale[pipe];
    s->now += r->params->issue;
    const double start = s->free[pipe] > s->now ? s->free[pipe] : s->now;
    if (pipe == PIPE_V) s->vector = p->state;
    s->last[pipe] = log_add(r, n, start, start + cycles, s->last[pipe]);
    s->free[pipe] = start + cycles;
    s->busy[pipe] += cycles;
    s->by_origin[p->origin] += cycles;
    s->bytes += n->bytes;
    s->flops += n->flops;
    s->events++;
    n->count++;
    n->cycles += cycles;
    n->origin = p->origin;
}

/* Holds a pipe until a time. */
static void hold(TimeRun *r, TimeNode *n, Pipe pipe, const Token *t, Pipe by) {
    Schedule *s = r->s;
    if (r->free_flags) return;
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

void schedule_set(TimeRun *r, TimeNode *n, unsigned event) {
    Schedule *s = r->s;
    TokenQueue *q = &s->flags[n->pipe][n->to][event];
    if (q->first + q->n == q->cap) {
        /* A queue is short: what was taken is dropped. */
        for (uint32_t i = 0; i < q->n; i++)
            q->list[i] = q->list[q->first + i];
        q->first = 0;
        if (q->n == q->cap) q->list = ARENA_WIDEN(r->arena, Token, q->list, &q->cap, q->n, 4);
    }
    const double at = n->pipe == PIPE_S ? s->now : s->free[n->pipe];
    q->list[q->first + q->n++] = (Token){at + r->params->flag, s->last[n->pipe], n};
    s->events++;
    n->count++;
}

void schedule_wait(TimeRun *r, TimeNode *n, unsigned event) {
    TokenQueue *q = &r->s->flags[n->pipe][n->to][event];
    if (q->n == 0)
        time_stop(r, n->op, "the pipe waits here for ever: no statement before sets this flag");
    const Token t = q->list[q->first];
    q->first++;
    q->n--;
    r->s->events++;
    n->count++;
    hold(r, n, (Pipe)n->to, &t, (Pipe)n->pipe);
}

double schedule_end(const Schedule *s) {
    double end = s->now;
    for (int p = 0; p < TIMED_PIPES; p++)
        if (s->free[p] > end) end = s->free[p];
    return end;
}

/* The vendor's model lets no barrier of all pipes hold anything. */
void schedule_barrier(TimeRun *r, TimeNode *n, Pipe pipe) {
    Schedule *s = r->s;
    const bool device = r->params->law == LAW_DEVICE;
    s->events++;
    n->count++;
    if (pipe == PIPE_NONE && device && !r->free_flags) {
        int latest = PIPE_S;
        for (int p = 0; p < TIMED_PIPES; p++)
            if (s->free[p] > s->free[latest]) latest = p;
        const Token t = {s->free[latest], s->last[latest], n};
        for (int p = PIPE_V; p < TIMED_PIPES; p++)
            if (p != latest && s->busy[p] > 0)
                hold(r, n, (Pipe)p, &t, (Pipe)latest);
            else if (t.at > s->free[p])
                s->free[p] = t.at, s->last[p] = t.who;
        if (t.at > s->now) s->now = t.at;
    }
    if ((pipe == PIPE_NONE || pipe == PIPE_V) && device) s->vector = VECTOR_DRAINED;
}

/* A buffer that another pipe released. */
void schedule_get(TimeRun *r, TimeNode *n, unsigned buffer) {
    const Token t = r->s->buffers[buffer];
    r->s->events++;
    n->count++;
    if (t.setter != NULL && t.setter->pipe != n->pipe)
        hold(r, n, (Pipe)n->pipe, &t, (Pipe)t.setter->pipe);
}

void schedule_release(TimeRun *r, TimeNode *n, unsigned buffer) {
    Schedule *s = r->s;
    s->buffers[buffer] = (Token){s->free[n->pipe] + r->params->flag, s->last[n->pipe], n};
    s->events++;
    n->count++;
}

void schedule_path(const Schedule *s) {
    int32_t at = -1;
    for (uint32_t i = 0; i < s->nlog; i++)
        if (at < 0 || s->log[i].end > s->log[at].end) at = (int32_t)i;
    for (; at >= 0; at = s->log[at].before)
        s->log[at].node->critical += s->log[at].end - s->log[at].start;
}
