/* SPDX-License-Identifier: Apache-2.0 */
/* begin.c - where the sanitizer begins and ends: a group of ranks, a launch, a block. */
#include "core/fifo.h"
#include "core/rank.h"
#include "core/watch.h"
#include "sanitize/sanitize.h"

#include <stdio.h>
#include <stdlib.h>

static san_session *session_of(const ptrt_run *run) {
    return (run->kernel->flags & PTRT_K_SANITIZED) != 0 ? run->owner->session : NULL;
}

/* ---- launches and ranks ---- */

static void begin(san_session *s) {
    pthread_mutex_lock(&s->lock);
    s->running++;
    pthread_mutex_unlock(&s->lock);
}

static void drop_meetings(san_session *s) {
    while (s->meetings) {
        san_meeting *m = s->meetings;
        s->meetings = m->next;
        san_base_drop(m->base);
        free(m);
    }
}

/* Judges when the last launch that may run together with others has ended. */
static void end(san_session *s) {
    pthread_mutex_lock(&s->lock);
    const bool last = --s->running == 0;
    pthread_mutex_unlock(&s->lock);
    if (!last) return;
    san_judge(s);
    drop_meetings(s);
    s->cores = s->groups = 0;
}

void ptrt_watch_launch(ptrt_run *run) {
    san_session *s = session_of(run);
    if (!s) return;
    begin(s);
    pthread_mutex_lock(&s->lock);
    run->first_core = s->cores;
    run->first_group = s->groups;
    s->cores += (uint32_t)run->blocks * (uint32_t)run->per_block;
    s->groups += (uint32_t)run->blocks;
    pthread_mutex_unlock(&s->lock);
}

void ptrt_watch_landed(ptrt_run *run) {
    san_session *s = session_of(run);
    if (s) end(s);
}

void ptrt_watch_ranks(ptrt_thread *caller, bool begins) {
    if (!caller->session) return;
    (begins ? begin : end)(caller->session);
}

/* ---- blocks ---- */

static void begin_core(const ptrt_run *run, san_session *s, san_block *b, ptrt_core *core,
                       uint32_t number) {
    ptrt_watch *w = &b->cores[core->place];
    const ptrt_block *block = core->block;
    w->session = s;
    w->block = b;
    w->where =
        (san_place){run->rank->count > 1 ? run->rank->number : -1, core->place, block->index};
    w->models = (s->flags & PTRT_SANITIZE_STRICT) != 0 ? 2 : 1;
    w->waits_all = (run->kernel->flags & PTRT_K_PIPE_WAITS) == 0;
    for (int m = 0; m < w->models; m++)
        san_pipes_start(&w->pipes[m], core->place, run->kernel->pipe_order[m]);
    w->log = calloc(1, sizeof *w->log);
    if (!w->log) {
        san_incomplete(s);
        return;
    }
    w->log->core = number;
    w->log->group = run->first_group + (uint32_t)block->index;
    w->log->place = w->where;
    w->log->models = w->models;
    for (int m = 0; m < w->models; m++)
        w->log->ordered[m] = w->pipes[m].ordered;
    core->watch = w;
}

void ptrt_watch_begin(ptrt_block *block) {
    ptrt_run *run = block->cores[0].run;
    san_session *s = session_of(run);
    if (!s) return;
    san_block *b = calloc(1, sizeof *b);
    const uint64_t bytes = block->count * run->core_bytes;
    if (!b || !san_shadow_start(&b->shadow, bytes)) {
        free(b);
        san_incomplete(s);
        return;
    }
    b->base = run->arrays + (uint64_t)(block->cores - run->cores) * run->core_bytes;
    b->core_bytes = run->core_bytes;
    memset(b->base, 0xFF, (size_t)bytes);
    for (size_t i = 0; i < block->count; i++)
        begin_core(run, s, b, &block->cores[i],
                   run->first_core + (uint32_t)block->index * (uint32_t)run->per_block +
                       (uint32_t)i);
    block->watched = b;
}

/* ---- what is left at the end ---- */

static void report_flags(const ptrt_watch *w) {
    const san_pipes *p = &w->pipes[0];
    char text[200], where[80];
    for (int i = 0; p->flags && i < SAN_FLAGS; i++) {
        const ptrt_site *set = p->flags[i].set;
        if (!set) continue;
        san_put_place(&w->where, where, sizeof where);
        snprintf(text, sizeof text,
                 "EVENT_ID%d from %s to %s is still set at the end of the kernel (%s)",
                 i % PTRT_EVENTS, san_pipe_name(i / PTRT_EVENTS / SAN_PIPES),
                 san_pipe_name(i / PTRT_EVENTS % SAN_PIPES), where);
        san_report(w->session, "sync-leak", set, NULL, &w->where, (uint64_t)i, 0, text, NULL);
    }
}

static void report_entries(const ptrt_watch *w, const san_fifo *f) {
    const int place = w->where.place;
    char text[200], where[80];
    const size_t left = f->popped[place].n - f->popped[place].first;
    if (left == 0 || f->of->desc.auto_free) return;
    const ptrt_site *pop = f->popped[place].list[f->popped[place].first].site;
    san_put_place(&w->where, where, sizeof where);
    snprintf(text, sizeof text, "an entry that %s takes is never freed (%s)", pop->op, where);
    san_report(w->session, "missing-free", pop, NULL, &w->where, 0, 0, text, NULL);
}

static void free_queue(san_queue *q) {
    for (size_t i = 0; i < q->n; i++)
        san_clock_drop(&q->list[i]);
    free(q->list);
}

static void end_core(ptrt_watch *w, bool complete) {
    san_session *s = w->session;
    if (complete) report_flags(w);
    for (const san_fifo *f = w->block->fifos; complete && f; f = f->next)
        report_entries(w, f);
    for (int m = 0; m < w->models; m++)
        san_pipes_end(&w->pipes[m]);
    for (int i = 0; i < PTRT_SIGNALS; i++)
        free_queue(&w->signals[i]);
    for (int i = 0; i < 2 * PTRT_FFTS; i++)
        free_queue(&w->sent[i / PTRT_FFTS][i % PTRT_FFTS]);
    free(w->freed);
    san_scope_end(w);
    pthread_mutex_lock(&s->lock);
    w->log->next = s->logs;
    s->logs = w->log;
    pthread_mutex_unlock(&s->lock);
}

static void free_fifo(san_fifo *f) {
    for (int32_t i = 0; i < f->of->desc.slot_num; i++) {
        san_clock_drop(&f->ready[i]);
        san_clock_drop(&f->free[i]);
    }
    for (int p = 0; p < PTRT_PLACES; p++)
        free(f->popped[p].list);
    free(f->ready);
    free(f->free);
    free(f);
}

void ptrt_watch_end(ptrt_block *block) {
    san_block *b = block->watched;
    if (!b) return;
    const bool complete = !ptrt_stopped(&block->cores[0]);
    for (size_t i = 0; i < block->count; i++) {
        ptrt_core *core = &block->cores[i];
        if (!core->watch) continue;
        end_core(core->watch, complete);
        core->watch = NULL;
    }
    block->watched = NULL;
    while (b->fifos) {
        san_fifo *f = b->fifos;
        b->fifos = f->next;
        free_fifo(f);
    }
    free(b->pending);
    san_shadow_end(&b->shadow);
    free(b);
}
