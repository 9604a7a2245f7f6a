/* SPDX-License-Identifier: Apache-2.0 */
/* Says what statements do to tokens: which a push, pop, free, signal or flag takes and gives, on
 * which pipe. A wait of the whole core stops all that is issued later, one of a pipe only its work.
 */
#include "analysis/launch/flight.h"
#include "analysis/launch/places.h"
#include "analysis/launch/statements.h"

enum { MOST_MICROS = 24 };

typedef struct Micros {
    Attempt *a;
    Flight *f; /* NULL: only the channels are wanted */
    const Statement *s;
    Micro list[MOST_MICROS];
    uint32_t n;
} Micros;

/* ---- channels ---- */

int channel_of(Attempt *a, ChannelKind kind, unsigned core, unsigned from, uint32_t id,
               const Queue *queue) {
    for (uint32_t i = 0; i < a->nchannels; i++) {
        const Channel *c = &a->channels[i];
        if (c->kind == kind && c->core == core && c->from == from && c->id == id &&
            c->queue == queue)
            return (int)i;
    }
    if (a->nchannels == a->cap_channels)
        a->channels =
            ARENA_WIDEN(a->arena, Channel, a->channels, &a->cap_channels, a->nchannels, 16);
    Channel *c = &a->channels[a->nchannels];
    *c = (Channel){.kind = (uint8_t)kind,
                   .core = (uint8_t)core,
                   .from = (uint8_t)from,
                   .id = id,
                   .queue = queue,
                   .most = kind == CHANNEL_KNOWN ? MOST_KNOWN : MOST_AHEAD,
                   .lag = -1};
    if (kind == CHANNEL_SLOT) {
        c->tokens = a->batch ? 0 : a->fewer ? queue->slots - queue->period + 1 : queue->slots;
        c->most = queue->slots + 2;
    }
    if (kind == CHANNEL_EVENT) {
        c->lag = (int)a->nevents++;
        c->most = MOST_SIGNALS + 2;
    }
    return (int)a->nchannels++;
}

static uint32_t flag_number(const Statement *s, int64_t event) {
    return ((uint32_t)s->pipe * PIPES + s->step->to) * EVENTS + (uint32_t)(event % EVENTS);
}

static int flag_channel(Micros *m, int64_t event) {
    return channel_of(m->a, CHANNEL_FLAG, m->s->core, m->s->core, flag_number(m->s, event), NULL);
}

/* ---- what is done ---- */

static Micro *add(Micros *m, MicroKind kind, unsigned pipe, int channel) {
    if (m->n == MOST_MICROS) return &m->list[m->n - 1];
    Micro *x = &m->list[m->n];
    *x = (Micro){.kind = (uint8_t)kind, .pipe = (uint8_t)pipe, .channel = channel, .of = m->s};
    x->index = m->n++;
    return x;
}

/* The core or its pipe waits for a token. */
static void wait_for(Micros *m, int channel) {
    const bool core = m->a->whole || !m->a->block->info->entries_on_chip || m->s->pipe == PIPE_S;
    m->a->channels[channel].awaited = true;
    add(m, core ? MICRO_STOP : MICRO_WAIT, m->s->pipe, channel);
}

static void give(Micros *m, int channel) {
    add(m, MICRO_TOKEN, m->s->pipe, channel);
}

static void work(Micros *m, uint32_t k) {
    if (m->f != NULL && m->s->kind == DO_ACCESS) check_entries(m->a, m->f, m->s);
    if (m->f == NULL || !m->a->judged) return;
    const uint32_t instance = instance_now(m->a, m->f, m->s, k);
    if (m->a->crowded || m->a->instances[instance]->n == 0) return;
    add(m, MICRO_WORK, m->s->pipe, -1)->instance = instance;
}

/* ---- queues ---- */

/* Returns the vector cores that a statement of the cube means. */
static unsigned peers_of(const Micros *m) {
    const LaunchBlock *b = m->a->block;
    const bool whole = b->info->whole_entry_to_first && m->s->split == 0;
    unsigned cores = 1u << ON_VECTOR_0;
    if (!whole) cores |= 1u << ON_VECTOR_1;
    return cores;
}

/* Calls a function for each vector core at the other end, or for this one. */
static void each_lane(Micros *m, ChannelKind kind, void (*run)(Micros *m, int channel)) {
    const unsigned lanes = m->s->core == ON_CUBE ? peers_of(m) : 1u << m->s->core;
    Queue *q = m->s->queue;
    for (unsigned v = ON_VECTOR_0; v < CORES; v++) {
        int *channel = kind == CHANNEL_ENTRY ? &q->entries[v] : &q->freed[v];
        if ((lanes >> v & 1) == 0) continue;
        if (*channel == 0) *channel = 1 + channel_of(m->a, kind, v, ON_CUBE, q->number, q);
        run(m, *channel - 1);
    }
}

static int32_t *counts_of(const Micros *m) {
    return &m->f->counts[(m->s->core * m->a->nqueues + m->s->queue->number) * COUNTS];
}

/* Binds a value to an entry. */
static void bind(const Micros *m, int32_t k) {
    if (m->f == NULL || m->s->entry < 0) return;
    const uint32_t i = (uint32_t)m->s->entry * CORES + m->s->core;
    m->f->bound[i] = k;
    m->f->halves[i] = m->s->split == 0 || m->s->core == ON_CUBE ? 0 : m->s->core;
}

/* Waits for a free slot. Slots that come back in groups are awaited in groups, and not before the
 * first time around. */
static void wait_for_slot(Micros *m, int32_t k) {
    const Queue *q = m->s->queue;
    if (m->f != NULL && m->a->batch && ((uint32_t)k < q->slots || (uint32_t)k % q->period != 0))
        return;
    each_lane(m, CHANNEL_SLOT, wait_for);
}

/* Gives a slot back; in groups the last one of a group gives it. */
static void give_slot(Micros *m, int32_t last_of_group) {
    if (m->f != NULL && m->a->batch && (uint32_t)last_of_group % m->s->queue->period != 0) return;
    each_lane(m, CHANNEL_SLOT, give);
}

static void do_alloc(Micros *m) {
    int32_t *n = m->f != NULL ? counts_of(m) : NULL;
    wait_for_slot(m, n != NULL ? n[COUNT_ALLOC] : 0);
    if (n != NULL) bind(m, n[COUNT_ALLOC]++);
}

static void do_push(Micros *m) {
    int32_t *n = m->f != NULL ? counts_of(m) : NULL;
    const int32_t k = n != NULL ? n[COUNT_PUSH]++ : 0;
    if (n != NULL && m->s->queue->slots >= 5 && m->s->queue->slots % 2 != 0)
        find_launch(m->a, FOUND_CREDIT, m->s, NULL)->maybe = false;
    if (!m->s->queue->views) {
        wait_for_slot(m, k);
        work(m, (uint32_t)k);
    }
    each_lane(m, CHANNEL_ENTRY, give);
}

static void do_pop(Micros *m) {
    const Queue *q = m->s->queue;
    const bool frees = m->a->block->info->pop_frees && !q->views;
    int32_t *n = m->f != NULL ? counts_of(m) : NULL;
    const int32_t k = n != NULL ? n[COUNT_POP]++ : 0;
    each_lane(m, CHANNEL_ENTRY, wait_for);
    bind(m, k);
    if (q->copied && !q->views) work(m, (uint32_t)k);
    if (frees) give_slot(m, k + 1);
}

/* In groups, the vendor's library counts from the newest popped entry. */
static void do_free(Micros *m) {
    int32_t *n = m->f != NULL ? counts_of(m) : NULL;
    if (n != NULL && n[COUNT_FREE] >= n[COUNT_POP]) find_freed(m->a, m->f, m->s);
    if (n != NULL && m->s->queue->period > 1 && n[COUNT_POP] - n[COUNT_FREE] > 1)
        find_launch(m->a, FOUND_CREDIT, m->s, NULL)->maybe = false;
    const int32_t k = n != NULL ? n[COUNT_FREE]++ : 0;
    work(m, (uint32_t)k);
    give_slot(m, n != NULL ? n[COUNT_POP] : 0);
}

/* Lowers what is bound to entries with the counts. An entry that was freed long ago is gone. */
static void lower_bound(const Micros *m, int32_t popped, int32_t allocated, bool frees) {
    const Queue *q = m->s->queue;
    const int32_t mod = (int32_t)q->modulus;
    const bool consumes = q->to_vector != (m->s->core == ON_CUBE);
    for (uint32_t i = 0; i < m->a->block->nentries; i++) {
        int32_t *bound = &m->f->bound[i * CORES + m->s->core];
        if (m->a->queue_of[i] != q || *bound < 0) continue;
        *bound -= consumes ? popped : allocated;
        if (*bound < 0) *bound = consumes && !frees ? ENTRY_GONE : (*bound % mod + mod) % mod;
    }
}

/* Where entries are not told apart, only how far pops are ahead of frees matters. */
static void forget_counts(const Micros *m) {
    int32_t *n = counts_of(m);
    const int32_t ahead = n[COUNT_POP] - n[COUNT_FREE];
    const bool frees = m->a->block->info->pop_frees && !m->s->queue->views;
    n[COUNT_ALLOC] = n[COUNT_PUSH] = 0;
    n[COUNT_POP] = frees || ahead < 0 ? 0 : ahead;
    n[COUNT_FREE] = !frees && ahead < 0 ? -ahead : 0;
}

/* Keeps counts small: they matter modulo the slots, by how far pops are ahead of frees, and, in
 * groups, by whether each slot was used once. */
static void reduce_counts(const Micros *m) {
    const Queue *q = m->s->queue;
    const int32_t mod = (int32_t)q->modulus, first = m->a->batch ? 2 * mod : mod;
    if (!m->a->batch && !m->a->followed) forget_counts(m);
    int32_t *n = counts_of(m), popped = n[COUNT_POP], allocated = n[COUNT_ALLOC];
    const bool frees = m->a->block->info->pop_frees && !q->views;
    if (n[COUNT_PUSH] >= first) n[COUNT_PUSH] -= mod;
    if (n[COUNT_ALLOC] >= first) n[COUNT_ALLOC] -= mod;
    if (frees) {
        n[COUNT_FREE] = 0;
        if (n[COUNT_POP] >= mod) n[COUNT_POP] -= mod;
    } else {
        if (n[COUNT_FREE] >= mod && n[COUNT_POP] >= mod) {
            n[COUNT_FREE] -= mod;
            n[COUNT_POP] -= mod;
        }
        /* entries that are never freed: the other core will wait */
        if (n[COUNT_POP] > n[COUNT_FREE] + 3 * mod + 2) n[COUNT_POP] -= mod;
    }
    lower_bound(m, popped - n[COUNT_POP], allocated - n[COUNT_ALLOC], frees);
}

/* ---- signals between cores ---- */

static int event_channel(const Micros *m, unsigned to, unsigned from, uint32_t event) {
    return channel_of(m->a, CHANNEL_EVENT, to, from, event, NULL);
}

/* Calls a function for each event that a statement gives or takes. A vector core has one, the cube
 * one of the core that the number means, or of both. */
static void each_event(Micros *m, bool gives, void (*run)(Micros *m, int channel)) {
    const bool own = m->a->block->info->block_semaphores;
    const uint32_t event = m->s->event;
    for (unsigned v = ON_VECTOR_0; v < CORES; v++) {
        const bool cube = m->s->core == ON_CUBE;
        if (cube ? own && event / 16 + ON_VECTOR_0 != v : v != m->s->core) continue;
        const uint32_t id = own ? event % 16 : event;
        run(m, cube == gives ? event_channel(m, v, ON_CUBE, id) : event_channel(m, ON_CUBE, v, id));
    }
}

static void do_meet(Micros *m) {
    for (unsigned c = 0; c < CORES; c++)
        if (c != m->s->core && (m->s->meets >> c & 1) != 0)
            give(m, channel_of(m->a, CHANNEL_MEETING, c, m->s->core, 0, NULL));
    for (unsigned c = 0; c < CORES; c++)
        if (c != m->s->core && (m->s->meets >> c & 1) != 0)
            add(m, MICRO_STOP, PIPE_S, channel_of(m->a, CHANNEL_MEETING, m->s->core, c, 0, NULL));
}

/* ---- the order of a core ---- */

static void do_flag(Micros *m) {
    const Statement *s = m->s;
    const Cycle *id = &s->step->id;
    if (m->f == NULL) {
        for (int64_t e = 0; e < EVENTS; e++)
            if (id->loop != NULL || e == id->offset % EVENTS) flag_channel(m, e);
        return;
    }
    const int channel = flag_channel(m, cycle_now(m->f, s, id));
    if (s->kind == DO_SET)
        give(m, channel);
    else
        add(m, s->step->to == PIPE_S ? MICRO_STOP : MICRO_WAIT, s->step->to, channel);
}

static void do_fence(Micros *m) {
    static const uint8_t pipes[] = {PIPE_MTE2, PIPE_MTE3, PIPE_FIX};
    for (unsigned i = 0; i < sizeof pipes; i++)
        if ((m->a->used[m->s->core] >> pipes[i] & 1) != 0) add(m, MICRO_ORDER, pipes[i], -1);
}

static void do_buffer(Micros *m) {
    const MicroKind kind = m->s->kind == DO_GET ? MICRO_GET : MICRO_RELEASE;
    const int64_t id = m->f != NULL ? cycle_now(m->f, m->s, &m->s->step->id) : 0;
    add(m, kind, m->s->pipe, (int)(m->s->core * 32 + (uint32_t)(id % 32)));
}

static void make_micros(Micros *m) {
    switch ((StatementKind)m->s->kind) {
    case DO_ACCESS:
        work(m, 0);
        break;
    case DO_SET:
    case DO_WAIT:
        do_flag(m);
        break;
    case DO_BARRIER:
        add(m, MICRO_ORDER, m->s->pipe, -1);
        break;
    case DO_BARRIER_ALL:
        add(m, MICRO_DRAIN, PIPE_S, -1);
        break;
    case DO_FENCE:
        do_fence(m);
        break;
    case DO_GET:
    case DO_RELEASE:
        do_buffer(m);
        break;
    case DO_ALLOC:
        do_alloc(m);
        break;
    case DO_PUSH:
        do_push(m);
        break;
    case DO_POP:
        do_pop(m);
        break;
    case DO_FREE:
        do_free(m);
        break;
    case DO_SIGNAL:
        each_event(m, true, give);
        break;
    case DO_AWAIT:
        each_event(m, false, wait_for);
        break;
    case DO_MEET:
        do_meet(m);
        break;
    }
    if (m->f != NULL && m->s->queue != NULL) reduce_counts(m);
}

void statement_channels(Attempt *a, const Statement *s) {
    Micros m;
    m.a = a;
    m.f = NULL;
    m.s = s;
    m.n = 0;
    make_micros(&m);
}

/* True for a statement that does the same every time. */
static bool is_fixed(const Statement *s) {
    if (s->queue != NULL || s->step->id.loop != NULL) return false;
    for (uint32_t i = 0; i < s->ntouches; i++)
        if (s->touches[i].entry >= 0 || s->touches[i].use->slot.loop != NULL) return false;
    return true;
}

const Micro *statement_micros(Attempt *a, Flight *f, const Statement *s, uint32_t *n) {
    Fixed *known = &a->fixed[s->number];
    *n = known->n;
    if (known->list != NULL) return known->list;
    Micros m;
    m.a = a;
    m.f = f;
    m.s = s;
    m.n = 0;
    make_micros(&m);
    Micro *out = arena_alloc(a->arena, (m.n + 1) * sizeof *out, _Alignof(Micro));
    memcpy(out, m.list, m.n * sizeof *out);
    *n = m.n;
    if (is_fixed(s)) *known = (Fixed){out, m.n};
    return out;
}
