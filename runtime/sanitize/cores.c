/* SPDX-License-Identifier: Apache-2.0 */
/* cores.c - what orders the cores of a block, of a launch and of several ranks: entries of pipes,
 * signals, and points where all meet. */
#include "core/fifo.h"
#include "sanitize/sanitize.h"

#include <stdio.h>
#include <stdlib.h>

static void acquire(ptrt_watch *w, int pipe, const san_clock *clock) {
    for (int m = 0; m < w->models; m++)
        if (!san_pipes_acquire(&w->pipes[m], w->waits_all ? SAN_ALL : pipe, clock))
            san_incomplete(w->session);
}

static void release(ptrt_watch *w, int pipe, san_clock *out) {
    for (int m = 1; m < w->models; m++) {
        san_clock ignored = {.base = NULL};
        san_pipes_release(&w->pipes[m], pipe, &ignored);
        san_clock_drop(&ignored);
    }
    san_pipes_release(&w->pipes[0], pipe, out);
}

/* ---- entries ---- */

static ptrt_fifo *fifo_at(const ptrt_core *core, const ptrt_pipe *pipe, bool pushes) {
    return pipe->fifo[core->cube == pushes ? 0 : 1];
}

/* Returns what is known of a FIFO; NULL: out of memory. */
static san_fifo *known(ptrt_watch *w, const ptrt_fifo *of) {
    san_fifo *f = w->block->fifos;
    while (f && f->of != of)
        f = f->next;
    if (f || !of) return f;
    f = calloc(1, sizeof *f);
    if (f) {
        f->of = of;
        f->ready = calloc((size_t)of->desc.slot_num, sizeof *f->ready);
        f->free = calloc((size_t)of->desc.slot_num, sizeof *f->free);
        if (f->ready && f->free) {
            f->next = w->block->fifos;
            return w->block->fifos = f;
        }
        free(f->ready);
        free(f->free);
        free(f);
    }
    san_incomplete(w->session);
    return NULL;
}

static int32_t before(const ptrt_fifo *f, int32_t slot) {
    return slot > 0 ? slot - 1 : f->desc.slot_num - 1;
}

/* Slots in global memory of the program; those of the runtime belong to the block alone. */
static bool is_global(const ptrt_fifo *f) {
    return !f->on_chip && f->desc.ring != NULL;
}

/* Logs the part of a slot that one core writes or reads. */
static void see_slot(ptrt_core *core, const ptrt_site *site, const ptrt_fifo *f, int32_t slot,
                     bool writes) {
    const ptrt_fifo_note *note =
        ptrt_fifo_note_at(f, slot, writes && f->desc.split != 0 && !core->cube ? core->sub : 0);
    if (!is_global(f) || note->elem == PTRT_ELEMS) return;
    uint64_t bytes = (uint64_t)note->rows * (uint64_t)note->cols * ptrt_elem_size(note->elem);
    const unsigned char *at = ptrt_fifo_slot(f, core->place, slot);
    if (f->desc.split != 0 && !core->cube) {
        bytes /= 2;
        at += (uint64_t)core->sub * bytes;
    }
    if (bytes > 0) san_see_run(core, site, at, bytes);
}

void ptrt_see_alloc(ptrt_core *core, const ptrt_site *site, const ptrt_pipe *pipe) {
    ptrt_watch *w = core->watch;
    const ptrt_fifo *of = fifo_at(core, pipe, true);
    if (!w || !of || !of->produces[core->place]) return;
    const san_fifo *f = known(w, of);
    if (f) acquire(w, site->pipe, &f->free[of->push_slot[core->place]]);
}

void ptrt_see_push(ptrt_core *core, const ptrt_site *site, const ptrt_pipe *pipe) {
    ptrt_watch *w = core->watch;
    const ptrt_fifo *of = fifo_at(core, pipe, true);
    if (!w || !of || !of->produces[core->place]) return;
    san_fifo *f = known(w, of);
    const int32_t slot = before(of, of->push_slot[core->place]);
    if (!f) return;
    acquire(w, site->pipe, &f->free[slot]);
    see_slot(core, site, of, slot, true);
    release(w, site->pipe, &f->ready[slot]);
}

static void report_second_free(ptrt_core *core, const ptrt_site *site) {
    const ptrt_watch *w = core->watch;
    char text[200], where[80];
    san_put_place(&w->where, where, sizeof where);
    snprintf(text, sizeof text, "%s frees a slot, and no popped entry is left (%s)", site->op,
             where);
    san_report(w->session, "sync-freed", site, NULL, &w->where, 0, 0, text, NULL);
}

/* Frees the oldest entry of a core: by a statement, which names the pipe, or where none does on the
 * pipe of the pop. */
static void free_entry(ptrt_core *core, const ptrt_site *site, const ptrt_fifo *of, san_fifo *f,
                       bool stated) {
    ptrt_watch *w = core->watch;
    const int place = core->place;
    const size_t at = f->popped[place].first;
    if (at >= f->popped[place].n) return;
    const san_popped *p = &f->popped[place].list[at];
    const int32_t slot = (int32_t)(at % (size_t)of->desc.slot_num);
    const int pipe = stated ? site->pipe : p->site->pipe;
    f->popped[place].first++;
    /* a2a3 frees the slot when the pipe that reads it is done, before later statements */
    release(w, w->waits_all ? SAN_ALL : pipe, &f->free[slot]);
    if (!stated) return;
    if (p->bytes > 0) {
        san_free(core, site, pipe, p->at, p->bytes);
        return;
    }
    san_freed *more = realloc(w->freed, (w->nfreed + 1) * sizeof *more);
    if (more) w->freed = more;
    if (more) more[w->nfreed++] = (san_freed){p->slot, (uint64_t)of->desc.slot_size, site};
}

/* Before a pop waits: the entry that it frees where nothing else does. Before a free: whether an
 * entry is left. */
void ptrt_see_before_entry(ptrt_core *core, const ptrt_site *site, const ptrt_pipe *pipe) {
    ptrt_watch *w = core->watch;
    const ptrt_fifo *of = fifo_at(core, pipe, false);
    if (!w || !of || !of->consumes[core->place]) return;
    san_fifo *f = known(w, of);
    if (f && (site->role & PTRT_WRITE) != 0 &&
        f->popped[core->place].first == f->popped[core->place].n)
        report_second_free(core, site);
    if (!of->desc.auto_free) return;
    while (f && f->popped[core->place].first < f->popped[core->place].n)
        free_entry(core, site, of, f, false);
}

static void forget_freed(ptrt_watch *w, uintptr_t slot) {
    size_t kept = 0;
    for (size_t i = 0; i < w->nfreed; i++)
        if (w->freed[i].at != slot) w->freed[kept++] = w->freed[i];
    w->nfreed = kept;
}

static bool add_popped(san_fifo *f, int place, const san_popped *p) {
    if (f->popped[place].n == f->popped[place].cap) {
        const size_t cap = f->popped[place].cap == 0 ? 8 : f->popped[place].cap * 2;
        san_popped *more = realloc(f->popped[place].list, cap * sizeof *more);
        if (!more) return false;
        f->popped[place].list = more;
        f->popped[place].cap = cap;
    }
    f->popped[place].list[f->popped[place].n++] = *p;
    return true;
}

void ptrt_see_pop(ptrt_core *core, const ptrt_site *site, const ptrt_site *reads,
                  const ptrt_pipe *pipe, const ptrt_tile *entry) {
    ptrt_watch *w = core->watch;
    const ptrt_fifo *of = fifo_at(core, pipe, false);
    if (!w || !of || !of->consumes[core->place]) return;
    san_fifo *f = known(w, of);
    if (!f) return;
    const int32_t slot = before(of, of->pop_slot[core->place]);
    san_popped p = {.site = site, .slot = (uintptr_t)ptrt_fifo_slot(of, core->place, slot)};
    acquire(w, site->pipe, &f->ready[slot]);
    forget_freed(w, p.slot);
    if (entry) {
        see_slot(core, reads, of, slot, false);
        ptrt_see_tile(core, site, entry, 0, 0, entry->rows, entry->cols);
        p.at = (uint64_t)(entry->at - w->block->base);
        p.bytes = entry->bytes;
    }
    if (!add_popped(f, core->place, &p)) san_incomplete(w->session);
}

void ptrt_see_free(ptrt_core *core, const ptrt_site *site, const ptrt_pipe *pipe) {
    ptrt_watch *w = core->watch;
    const ptrt_fifo *of = fifo_at(core, pipe, false);
    if (!w || !of || !of->consumes[core->place]) return;
    san_fifo *f = known(w, of);
    if (f) free_entry(core, site, of, f, true);
}

/* ---- signals in a block ---- */

static void send(ptrt_watch *w, int pipe, san_queue *q) {
    if (q->n == q->cap) {
        const size_t cap = q->cap == 0 ? 4 : q->cap * 2;
        san_clock *more = realloc(q->list, cap * sizeof *more);
        if (!more) {
            san_incomplete(w->session);
            return;
        }
        q->list = more;
        q->cap = cap;
    }
    q->list[q->n] = (san_clock){.base = NULL};
    release(w, pipe, &q->list[q->n++]);
}

static ptrt_watch *peer(ptrt_core *core, bool cube, int sub) {
    const ptrt_core *p = ptrt_peer(core, cube, sub);
    return p ? p->watch : NULL;
}

void ptrt_see_set_intra_block(ptrt_core *core, const ptrt_site *site, int64_t id) {
    ptrt_watch *w = core->watch;
    id = ptrt_own_signal(core, id);
    if (!w || id < 0 || id >= (core->cube ? PTRT_SIGNALS : PTRT_SIGNALS / 2)) return;
    ptrt_watch *to = core->cube ? peer(core, false, (int)(id / 16)) : peer(core, true, 0);
    if (to) send(w, site->pipe, &to->signals[core->cube ? id % 16 : id + 16 * core->sub]);
}

void ptrt_see_wait_intra_block(ptrt_core *core, const ptrt_site *site, int64_t id) {
    ptrt_watch *w = core->watch;
    id = ptrt_own_signal(core, id);
    if (!w || id < 0 || id >= PTRT_SIGNALS) return;
    san_queue *q = &w->signals[id];
    if (q->taken < q->n) acquire(w, site->pipe, &q->list[q->taken++]);
}

/* ---- meetings of blocks ---- */

enum { OF_LAUNCH, OF_BLOCK, TO_OTHERS }; /* modes of pto.sync.set */
enum { AT_BARRIER, AT_SIGNAL = AT_BARRIER + PTRT_KINDS, AT_MEMORY = AT_SIGNAL + 2 * PTRT_FFTS };

/* Returns the meeting, under the lock; NULL: out of memory. */
static san_meeting *meeting_of(san_session *s, const void *of, int kind, uint64_t round) {
    san_meeting *m = s->meetings;
    while (m && (m->of != of || m->kind != kind || m->round != round))
        m = m->next;
    if (m) return m;
    m = calloc(1, sizeof *m);
    if (!m) return NULL;
    *m = (san_meeting){.next = s->meetings, .of = of, .kind = kind, .round = round};
    return s->meetings = m;
}

/* Adds what a core tells to a meeting. */
static bool tell(ptrt_core *core, san_meeting *m, const san_clock *c) {
    const san_session *s = core->watch->session;
    /* what others may see already must not change */
    san_base *b = san_base_new(s->cores * SAN_PIPES);
    if (!b) return false;
    for (uint32_t i = 0; i < b->n; i++) {
        const uint32_t x = san_base_at(m->base, i), y = san_base_at(c->base, i);
        b->at[i] = x > y ? x : y;
    }
    for (size_t k = 0; k < core->block->count; k++) {
        const ptrt_core *other = &core->block->cores[k];
        const uint32_t first = (uint32_t)(core->run->first_core +
                                          (uint64_t)core->block->index * core->run->per_block + k) *
                               SAN_PIPES;
        for (uint32_t i = 0; i < SAN_PIPES; i++) {
            const uint32_t at = c->at[other->place * SAN_PIPES + (int)i];
            if (at > b->at[first + i]) b->at[first + i] = at;
        }
    }
    san_base_drop(m->base);
    m->base = b;
    return true;
}

static void arrive(ptrt_core *core, int pipe, const void *of, int kind, uint64_t round,
                   uint32_t members) {
    ptrt_watch *w = core->watch;
    san_session *s = w->session;
    san_clock now = {.base = NULL};
    release(w, pipe, &now);
    pthread_mutex_lock(&s->lock);
    san_meeting *m = meeting_of(s, of, kind, round);
    if (m && members > 0 && m->left == 0) m->left = members;
    const bool fine = m && tell(core, m, &now);
    pthread_mutex_unlock(&s->lock);
    san_clock_drop(&now);
    if (!fine) san_incomplete(s);
}

/* Forgets a meeting that all its cores have passed. */
static void pass(san_session *s, san_meeting *m) {
    if (m->left == 0 || --m->left > 0) return;
    san_meeting **at = &s->meetings;
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    san_base_drop(m->base);
    free(m);
}

static void learn(ptrt_core *core, int pipe, const void *of, int kind, uint64_t round) {
    ptrt_watch *w = core->watch;
    san_session *s = w->session;
    san_clock all = {.base = NULL};
    pthread_mutex_lock(&s->lock);
    san_meeting *m = meeting_of(s, of, kind, round);
    if (m && m->base) {
        const san_clock told = {.base = m->base};
        (void)san_clock_join(&all, &told);
        pass(s, m);
    }
    pthread_mutex_unlock(&s->lock);
    for (size_t k = 0; all.base && k < core->block->count; k++) {
        const uint32_t first = (uint32_t)(core->run->first_core +
                                          (uint64_t)core->block->index * core->run->per_block + k) *
                               SAN_PIPES;
        for (uint32_t i = 0; i < SAN_PIPES; i++)
            all.at[core->block->cores[k].place * SAN_PIPES + (int)i] =
                san_base_at(all.base, first + i);
    }
    acquire(w, pipe, &all);
    san_clock_drop(&all);
}

static uint32_t members_of(const ptrt_run *run, bool cubes, bool vectors) {
    const uint32_t a = cubes && run->kernel->cube ? 1 : 0;
    const uint32_t b = vectors && run->kernel->vector ? (uint32_t)run->subblocks : 0;
    return (uint32_t)run->blocks * (a + b);
}

/* pto.syncall waits until all pipes of the core are done before it arrives. */
void ptrt_see_arrive(ptrt_core *core, const ptrt_site *site, int type) {
    ptrt_watch *w = core->watch;
    if (!w || type < 0 || type >= PTRT_KINDS) return;
    for (int m = 0; m < w->models; m++)
        san_pipes_barrier(&w->pipes[m], SAN_ALL);
    (void)site;
    arrive(core, SAN_ALL, core->run, AT_BARRIER + type, w->met[type],
           members_of(core->run, type != PTRT_SYNC_VECTORS, type != PTRT_SYNC_CUBES));
}

void ptrt_see_meet(ptrt_core *core, const ptrt_site *site, int type) {
    ptrt_watch *w = core->watch;
    (void)site;
    if (!w || type < 0 || type >= PTRT_KINDS) return;
    for (int m = 0; m < w->models; m++)
        san_pipes_barrier(&w->pipes[m], SAN_ALL);
    const bool all = w->waits_all;
    w->waits_all = true;
    learn(core, SAN_ALL, core->run, AT_BARRIER + type, w->met[type]++);
    w->waits_all = all;
}

void ptrt_see_sync_set(ptrt_core *core, const ptrt_site *site, int64_t event, int mode) {
    ptrt_watch *w = core->watch;
    if (!w || event < 0 || event >= PTRT_FFTS || mode < 0 || mode >= PTRT_FFTS_MODES) return;
    if (mode != OF_LAUNCH) {
        send(w, site->pipe, &w->sent[mode - 1][event]);
        return;
    }
    arrive(core, site->pipe, core->run, AT_SIGNAL + (core->cube ? PTRT_FFTS : 0) + (int)event,
           w->sent_all[event]++, 0);
}

/* Takes signal number `n` of the event from all cores that have sent it. */
void ptrt_see_sync_wait(ptrt_core *core, const ptrt_site *site, int64_t event) {
    ptrt_watch *w = core->watch;
    if (!w || event < 0 || event >= PTRT_FFTS) return;
    const uint64_t n = w->taken[event]++;
    for (size_t i = 0; i < core->block->count; i++) {
        const ptrt_core *c = &core->block->cores[i];
        if (!c->watch) continue;
        const san_queue *q =
            &c->watch->sent[(c->cube == core->cube ? OF_BLOCK : TO_OTHERS) - 1][event];
        if (n < q->n) acquire(w, site->pipe, &q->list[n]);
    }
    if (w->sent_all[event] > n)
        learn(core, site->pipe, core->run, AT_SIGNAL + (core->cube ? PTRT_FFTS : 0) + (int)event,
              n);
}

/* ---- signals in memory ---- */

void ptrt_see_notify(ptrt_core *core, const ptrt_site *site, const ptrt_view *signal) {
    (void)site;
    if (core->watch) arrive(core, SAN_ALL, signal->base, AT_MEMORY, 0, 0);
}

/* Learns from all that have notified each element so far. */
void ptrt_see_noticed(ptrt_core *core, const ptrt_site *site, const ptrt_view *signal) {
    if (!core->watch) return;
    int64_t at[5] = {0};
    for (int d = 4; d >= 0;) {
        uint64_t offset = 0;
        for (int k = 0; k < 5; k++)
            offset += (uint64_t)at[k] * (uint64_t)signal->stride[k];
        learn(core, site->pipe, signal->base + offset * sizeof(int32_t), AT_MEMORY, 0);
        for (d = 4; d >= 0 && ++at[d] >= signal->shape[d]; d--)
            at[d] = 0;
    }
}
