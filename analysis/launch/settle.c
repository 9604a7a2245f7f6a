/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the statements of all cores, one pipe at a time, as far as they go. Any order would do: see
 * launch.h. */
#include "analysis/launch/flight.h"
#include "analysis/launch/places.h"
#include "analysis/launch/statements.h"

/* ---- findings ---- */

Found *find_launch(Attempt *a, FoundKind kind, const Statement *of, const Statement *other) {
    for (Found *f = a->found; f != NULL; f = f->next)
        if (f->kind == kind && f->of->step->op == of->step->op && f->core == of->core &&
            (other == NULL) == (f->other == NULL) &&
            (other == NULL || f->other->step->op == other->step->op))
            return f;
    Found *f = ARENA_NEW(a->arena, Found);
    *f = (Found){.kind = (uint8_t)kind, .of = of, .other = other, .core = of->core, .maybe = true};
    if (other != NULL) f->other_core = other->core;
    *a->last_found = f;
    a->last_found = &f->next;
    return f;
}

/* After that nothing else is reported: see launch_report(). */
void find_freed(Attempt *a, const Flight *f, const Statement *s) {
    Found *found = find_launch(a, FOUND_FREED, s, NULL);
    found->maybe &= f->guessed;
    if (found->maybe) return;
    a->judged = false;
    a->words = 0;
}

/* ---- what is known ---- */

static uint32_t observer(unsigned core, unsigned pipe) {
    return core * PIPES + pipe;
}

static void set_bit(uint64_t *bits, uint32_t i) {
    bits[i / 64] |= (uint64_t)1 << i % 64;
}

static void keep_common(const Attempt *a, uint64_t *set, const uint64_t *with) {
    for (size_t i = 0; i < flight_words(a); i++)
        set[i] &= with[i];
}

/* Removes what a pipe of a core did. */
static void drop_own(const Attempt *a, uint64_t *set, uint32_t pipe) {
    for (uint32_t l = 0; l < a->levels; l++)
        for (uint32_t w = 0; w < a->words; w++)
            set[(size_t)l * a->words + w] &= ~a->own[pipe][w];
}

static void meet_one(Attempt *a, const Flight *f, uint32_t first, uint32_t second, uint32_t level) {
    const Overlap o = instances_meet(a, first, second, level);
    if (o == OVERLAP_NO || a->batch) return;
    const Statement *x = a->instances[first]->of, *y = a->instances[second]->of;
    Found *found = find_launch(a, FOUND_RACE, y, x);
    found->maybe &= o == OVERLAP_MAYBE || f->guessed;
    found->queue = a->instances[second]->touched[0].queue;
}

/* Compares an access with those that may not have ended from the point of view of its pipe. */
static void check_work(Attempt *a, const Flight *f, uint32_t pipe, uint32_t instance) {
    const uint64_t *seen = flight_seen(a, f, pipe), *rivals = a->rivals[instance];
    for (uint32_t l = 0; l < a->levels; l++)
        for (uint32_t w = 0; w < a->words; w++)
            for (uint64_t open = seen[(size_t)l * a->words + w] & rivals[w]; open != 0;
                 open &= open - 1)
                meet_one(a, f, w * 64 + (uint32_t)__builtin_ctzll(open), instance, l);
}

static void do_work(Attempt *a, Flight *f, unsigned core, const Micro *m) {
    const uint32_t me = observer(core, m->pipe);
    if (!a->judged) return;
    check_work(a, f, me, m->instance);
    const bool ordered = (a->block->info->in_order >> m->pipe & 1) != 0;
    for (uint32_t r = 0; r < a->nrows; r++)
        if (r != a->row[me] || !ordered) set_bit(flight_row(a, f, r), m->instance);
    for (uint32_t c = 0; c < a->nchannels; c++)
        for (Token *t = f->first[c]; t != NULL; t = t->next)
            set_bit(t->bits, m->instance);
}

/* ---- tokens ---- */

static uint8_t *lag_of(const Attempt *a, const Flight *f, uint32_t pipe) {
    return f->lag + (size_t)a->row[pipe] * a->nevents;
}

static uint8_t one_more(uint8_t n) {
    return n > MOST_SIGNALS ? n : (uint8_t)(n + 1);
}

/* Counts a signal: from every point of view one more may not have been taken. */
static void count_signal(Attempt *a, Flight *f, uint32_t event) {
    for (uint32_t p = 0; p < a->npipes; p++) {
        uint8_t *lag = &f->lag[(size_t)p * a->nevents + event];
        *lag = one_more(*lag);
    }
    for (uint32_t c = 0; c < a->nchannels; c++)
        for (Token *t = f->first[c]; t != NULL; t = t->next)
            t->lag[event] = one_more(t->lag[event]);
}

static void do_token(Attempt *a, Flight *f, unsigned core, const Micro *m) {
    const uint32_t me = observer(core, m->pipe);
    Channel *c = &a->channels[m->channel];
    c->last = m->of->step->op;
    if (c->lag >= 0) {
        if (lag_of(a, f, me)[c->lag] >= MOST_SIGNALS)
            find_launch(a, FOUND_OVERFLOW, m->of, NULL)->maybe &= f->guessed;
        count_signal(a, f, (uint32_t)c->lag);
    }
    Token *t = give_token(a, f, m->channel);
    if (t == NULL) return;
    memcpy(t->bits, flight_seen(a, f, me), flight_words(a) * sizeof *t->bits);
    drop_own(a, t->bits, me);
    memcpy(t->lag, lag_of(a, f, me), a->nevents);
}

/* A pipe learns what a token makes known. */
static void learn(Attempt *a, Flight *f, uint32_t pipe, const Token *t) {
    keep_common(a, flight_seen(a, f, pipe), t->bits);
    uint8_t *lag = lag_of(a, f, pipe);
    for (uint32_t e = 0; e < a->nevents; e++)
        if (t->lag[e] < lag[e]) lag[e] = t->lag[e];
}

/* The tokens of an event that are left tell how many have not been taken. */
static void note_taken(Attempt *a, const Flight *f, int channel, Token *t) {
    const int lag = a->channels[channel].lag;
    if (lag >= 0 && f->ntokens[channel] < t->lag[lag]) t->lag[lag] = (uint8_t)f->ntokens[channel];
}

static bool do_wait(Attempt *a, Flight *f, unsigned core, const Micro *m) {
    Token *t = take_token(f, m->channel);
    if (t == NULL) return false;
    note_taken(a, f, m->channel, t);
    learn(a, f, observer(core, m->pipe), t);
    free_token(a, t);
    return true;
}

/* The whole core waits. What the token makes known holds for what is issued later: it comes to each
 * pipe after what the pipe has still to do. */
static bool do_stop(Attempt *a, Flight *f, unsigned core, const Micro *m) {
    Token *t = take_token(f, m->channel);
    if (t == NULL) return false;
    note_taken(a, f, m->channel, t);
    for (unsigned p = 0; p < PIPES; p++) {
        if ((a->used[core] >> p & 1) == 0) continue;
        if (f->queue[observer(core, p)].n == 0) {
            learn(a, f, observer(core, p), t);
            continue;
        }
        const int channel = a->known[core][p];
        Token *known = give_token(a, f, channel);
        if (known == NULL) {
            attempt_fails(a, m->of->step->op, "so many waits of a core");
            break;
        }
        memcpy(known->bits, t->bits, flight_words(a) * sizeof *t->bits);
        memcpy(known->lag, t->lag, a->nevents);
        Micro *wait = ARENA_NEW(a->arena, Micro);
        *wait = (Micro){MICRO_WAIT, (uint8_t)p, channel, m->of, m->index, 0};
        fifo_push(a->arena, &f->queue[observer(core, p)], wait);
    }
    free_token(a, t);
    return true;
}

/* ---- barriers and buffers ---- */

static bool has_work(const Flight *f, unsigned core) {
    for (unsigned p = 0; p < PIPES; p++)
        if (f->queue[observer(core, p)].n > 0) return true;
    return false;
}

/* All pipes have ended what they had, and each knows what any of them knew. */
static bool do_drain(Attempt *a, Flight *f, unsigned core) {
    uint64_t *every = a->every;
    if (has_work(f, core)) return false;
    memset(every, 0xff, flight_words(a) * sizeof *every);
    for (unsigned p = 0; p < PIPES; p++)
        if ((a->used[core] >> p & 1) != 0)
            keep_common(a, every, flight_seen(a, f, observer(core, p)));
    for (unsigned p = 0; p < PIPES; p++)
        drop_own(a, every, observer(core, p));
    for (uint32_t e = 0; e < a->nevents; e++) {
        uint8_t least = UINT8_MAX;
        for (uint32_t left = a->used[core]; left != 0; left &= left - 1) {
            const uint8_t lag = lag_of(a, f, observer(core, (unsigned)__builtin_ctz(left)))[e];
            if (lag < least) least = lag;
        }
        for (uint32_t left = a->used[core]; left != 0; left &= left - 1)
            lag_of(a, f, observer(core, (unsigned)__builtin_ctz(left)))[e] = least;
    }
    for (unsigned p = 0; p < PIPES; p++)
        if ((a->used[core] >> p & 1) != 0)
            memcpy(flight_seen(a, f, observer(core, p)), every, flight_words(a) * sizeof *every);
    return true;
}

static uint32_t buffer_row(const Attempt *a, const Micro *m) {
    return a->npipes + a->buffers[m->channel] - 1;
}

/* True while a release of a buffer has not happened that was issued before a get. */
static bool is_held(const Flight *f, unsigned core, const Micro *get) {
    for (unsigned p = 0; p < PIPES; p++) {
        const Fifo *q = &f->queue[observer(core, p)];
        for (uint32_t i = 0; i < q->n; i++) {
            const Micro *m = q->items[q->first + i];
            if (m->kind == MICRO_RELEASE && m->channel == get->channel) return true;
        }
    }
    return false;
}

static void do_buffer(Attempt *a, Flight *f, unsigned core, const Micro *m) {
    const uint32_t me = observer(core, m->pipe);
    uint64_t *seen = flight_seen(a, f, me), *token = flight_row(a, f, buffer_row(a, m));
    if (m->kind == MICRO_GET) {
        keep_common(a, seen, token);
    } else {
        keep_common(a, token, seen);
        drop_own(a, token, me);
    }
}

/* ---- one core, one pipe ---- */

/* Issues the next part of the current statement; false when the core has to wait. */
static bool issue(Attempt *a, Flight *f, unsigned core, const Micro *m) {
    switch ((MicroKind)m->kind) {
    case MICRO_STOP:
        return do_stop(a, f, core, m);
    case MICRO_DRAIN:
        return do_drain(a, f, core);
    case MICRO_GET:
        if (is_held(f, core, m)) {
            a->late_release = true;
            return false;
        }
        break;
    default:
        break;
    }
    fifo_push(a->arena, &f->queue[observer(core, m->pipe)], m);
    return true;
}

static bool issue_core(Attempt *a, Flight *f, unsigned core) {
    bool any = false;
    while (!attempt_ended(a)) {
        if (f->nnow[core] == 0) {
            if (f->rest[core].n == 0) return any;
            const Statement *s = fifo_first(&f->rest[core]);
            fifo_pop(&f->rest[core]);
            f->now[core] = statement_micros(a, f, s, &f->nnow[core]);
        } else {
            if (!issue(a, f, core, f->now[core])) return any;
            f->now[core]++;
            f->nnow[core]--;
        }
        any = true;
    }
    return any;
}

/* Does what comes next on a pipe; false when that has to wait. */
static bool step_pipe(Attempt *a, Flight *f, unsigned core, const Micro *m) {
    switch ((MicroKind)m->kind) {
    case MICRO_WAIT:
        return do_wait(a, f, core, m);
    case MICRO_TOKEN:
        do_token(a, f, core, m);
        return true;
    case MICRO_ORDER:
        drop_own(a, flight_seen(a, f, observer(core, m->pipe)), observer(core, m->pipe));
        return true;
    case MICRO_WORK:
        do_work(a, f, core, m);
        return true;
    default:
        do_buffer(a, f, core, m);
        return true;
    }
}

static bool run_pipe(Attempt *a, Flight *f, unsigned core, unsigned pipe) {
    Fifo *q = &f->queue[observer(core, pipe)];
    bool any = false;
    while (q->n > 0 && !attempt_ended(a)) {
        const Micro *m = fifo_first(q);
        if (!step_pipe(a, f, core, m)) return any;
        fifo_pop(q);
        any = true;
    }
    return any;
}

void flight_settle(Attempt *a, Flight *f) {
    bool again = true;
    while (again && !attempt_ended(a)) {
        again = false;
        for (unsigned c = 0; c < CORES; c++)
            again |= issue_core(a, f, c);
        for (unsigned c = 0; c < CORES; c++)
            for (uint32_t left = a->used[c]; left != 0; left &= left - 1)
                again |= run_pipe(a, f, c, (unsigned)__builtin_ctz(left));
    }
}

bool flight_is_busy(const Flight *f, unsigned cores) {
    for (unsigned c = 0; c < CORES; c++)
        if ((cores >> c & 1) != 0 && (f->rest[c].n > 0 || f->nnow[c] > 0 || has_work(f, c)))
            return true;
    return false;
}
