/* SPDX-License-Identifier: Apache-2.0 */
/* What an event does to the times of pipes. */
#include "timing/schedule.h"

#include <string.h>

static void run_statement(TimeRun *r, const TimeEvent *e) {
    Schedule *s = r->s;
    TimeNode *n = e->node;
    const Pipe pipe = (Pipe)e->pipe;
    const Price *p = &e->price->by[pipe == PIPE_V ? s->vector : 0];
    const double cycles = exact_cycles(p->cycles * r->scale[pipe]);
    s->now += s->issue;
    const double start = s->free[pipe] > s->now ? s->free[pipe] : s->now;
    if (pipe == PIPE_V) s->vector = p->state;
    s->last[pipe] = log_add(r, n, start, start + cycles, s->last[pipe]);
    s->free[pipe] = start + cycles;
    s->busy[pipe] += s->weight * cycles;
    s->by_origin[p->origin] += s->weight * cycles;
    s->bytes += s->weight * (double)e->price->bytes;
    s->flops += s->weight * (double)e->price->flops;
    n->cycles += s->weight * cycles;
    n->origin = p->origin;
    if (e->price->scope != NULL) e->price->scope->runs += s->weight;
}

/* Whether a pipe waits until a later one has read what it is to write again: data goes from loads
 * to moves, the cube, the fix pipe, the vector unit and stores. */
static bool is_for_buffer(Pipe pipe, Pipe by) {
    static const uint8_t order[TIMED_PIPES] = {[PIPE_MTE2] = 1, [PIPE_MTE1] = 2, [PIPE_M] = 3,
                                               [PIPE_FIX] = 4,  [PIPE_V] = 5,    [PIPE_MTE3] = 6};
    return order[pipe] > 0 && order[by] > order[pipe];
}

/* Holds a pipe until a time. */
static void hold(TimeRun *r, TimeNode *n, Pipe pipe, const Token *t, Pipe by) {
    Schedule *s = r->s;
    if (r->free_flags || n->ignored || (r->free_buffers && is_for_buffer(pipe, by))) return;
    if (pipe == PIPE_S) {
        /* of a statement with phases, the pipe is another one */
        if (t->at > s->now && n->phases == NULL) n->stalled += s->weight * (t->at - s->now);
        if (t->at > s->now) s->now = t->at;
        return;
    }
    if (t->at <= s->free[pipe]) return;
    const double from = s->free[pipe] > s->now ? s->free[pipe] : s->now;
    const double wait = t->at > from ? t->at - from : 0;
    s->stall[pipe][by] += s->weight * wait;
    n->stalled += s->weight * wait;
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

static TokenQueue *flag(TimeRun *r, const TimeEvent *e) {
    Schedule *s = r->s;
    TokenQueue *q = &s->flags[e->node->pipe][e->node->to][e->number];
    if (q->list == NULL && e->what == TIME_SET) s->used[s->nused++] = q;
    return q;
}

static bool take(TimeRun *r, const TimeEvent *e, TokenQueue *q, Pipe by) {
    if (q->n == 0) return false;
    const Token t = q->list[q->first];
    q->first++;
    q->n--;
    hold(r, e->node, e->pipe == PIPE_NONE ? PIPE_S : (Pipe)e->pipe, &t, by);
    return true;
}

/* Takes a signal or an entry of another core, or a place for one. */
static bool receive(TimeRun *r, const TimeEvent *e) {
    Channel *c = &r->shared->channels[e->number];
    if (!r->free_buffers || c->places == 0) return take(r, e, &c->queue, PIPE_NONE);
    if (c->queue.n > 0) c->queue.first++, c->queue.n--;
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

/* Whether a run of the statement is counted with this event. */
static bool is_counted(const TimeEvent *e) {
    const EntryUse use = (EntryUse)e->node->stmt->inst->entry;
    if (e->node->phases != NULL) return e->what == TIME_DO;
    return e->what == TIME_DO || use == ENTRY_NONE || use == ENTRY_ALLOC || use == ENTRY_FREE;
}

bool schedule_event(TimeRun *r, const TimeEvent *e) {
    Schedule *s = r->s;
    TimeNode *n = e->node;
    bool fine = true;
    switch ((TimeWhat)e->what) {
    case TIME_DO:
        run_statement(r, e);
        break;
    case TIME_SET:
        if ((r->events.awaited[n->pipe][n->to] >> e->number & 1) != 0)
            queue_add(r, flag(r, e), done_by(r, (Pipe)e->pipe, n, s->flag));
        break;
    case TIME_WAIT:
        fine = take(r, e, flag(r, e), (Pipe)n->pipe);
        break;
    case TIME_BARRIER:
        pass_barrier(r, e);
        break;
    case TIME_GET:
        get_buffer(r, e);
        break;
    case TIME_RELEASE:
        s->buffers[e->number] = done_by(r, (Pipe)e->pipe, n, s->flag);
        break;
    case TIME_SEND:
    case TIME_SEND_TOO:
        if (r->shared->channels[e->number].awaited)
            queue_add(r, &r->shared->channels[e->number].queue,
                      done_by(r, (Pipe)e->pipe, n, s->cross));
        break;
    case TIME_RECEIVE:
        fine = receive(r, e);
        break;
    case TIME_PHASE: {
        const Token t = done_by(r, (Pipe)e->number, n, s->flag);
        hold(r, n, (Pipe)e->pipe, &t, (Pipe)e->number);
        break;
    }
    case TIME_TURNS:
    case TIME_AGAIN:
    case TIME_NOTHING:
        return true;
    }
    if (!fine || e->what == TIME_SEND_TOO) return fine;
    if (is_counted(e)) n->count += (uint64_t)s->weight;
    s->events += s->weight;
    return true;
}

void schedule_reset(TimeRun *r) {
    Schedule *s = r->s;
    memset(s, 0, sizeof *s);
    s->weight = 1;
    s->issue = exact_cycles(r->params->issue);
    s->flag = exact_cycles(r->params->flag);
    s->cross = exact_cycles(r->params->number[TIME_CROSS]);
    for (int p = 0; p < TIMED_PIPES; p++)
        s->last[p] = -1;
    log_reset(r);
    for (ScopeRun *scope = r->scopes; scope != NULL; scope = scope->next)
        scope->runs = 0;
    for (TimeNode *n = r->nodes; n != NULL; n = n->listed) {
        n->count = 0;
        n->cycles = n->stalled = n->critical = 0;
        n->setter = NULL;
    }
}

double schedule_end(const Schedule *s) {
    double end = s->now;
    for (int p = 0; p < TIMED_PIPES; p++)
        if (s->free[p] > end) end = s->free[p];
    return end;
}
