/* SPDX-License-Identifier: Apache-2.0 */
/* States of a run: made, copied, compared and joined. */
#include "analysis/launch/flight.h"

#include "support/hash.h"

/* ---- queues of statements ---- */

void fifo_push(Arena *arena, Fifo *q, const void *x) {
    if (q->first + q->n == q->cap) {
        const uint32_t cap = q->n < 4 ? 8 : q->n * 2;
        const void **more = ARENA_ARRAY(arena, const void *, cap);
        if (q->n > 0) memcpy(more, q->items + q->first, q->n * sizeof *more);
        q->items = more;
        q->first = 0;
        q->cap = cap;
    }
    q->items[q->first + q->n++] = x;
}

static void fifo_copy(Arena *arena, Fifo *to, const Fifo *from) {
    to->first = to->n = 0;
    if (to->cap < from->n) {
        to->cap = from->n * 2;
        to->items = ARENA_ARRAY(arena, const void *, to->cap);
    }
    if (from->n > 0) memcpy(to->items, from->items + from->first, from->n * sizeof *to->items);
    to->n = from->n;
}

/* ---- tokens ---- */

static size_t lag_bytes(const Attempt *a) {
    return a->nevents;
}

static Token *new_token(Attempt *a) {
    Token *t = a->spare_tokens;
    if (t != NULL) {
        a->spare_tokens = t->next;
    } else {
        t = ARENA_NEW(a->arena, Token);
        t->bits = ARENA_ARRAY(a->arena, uint64_t, flight_words(a) + 1);
        t->lag = ARENA_ARRAY(a->arena, uint8_t, lag_bytes(a) + 1);
    }
    t->next = NULL;
    return t;
}

void free_token(Attempt *a, Token *t) {
    t->next = a->spare_tokens;
    a->spare_tokens = t;
}

Token *give_token(Attempt *a, Flight *f, int channel) {
    if (f->ntokens[channel] >= a->channels[channel].most) return NULL;
    Token *t = new_token(a), **last = &f->first[channel];
    while (*last != NULL)
        last = &(*last)->next;
    *last = t;
    f->ntokens[channel]++;
    memset(t->bits, 0, flight_words(a) * sizeof *t->bits);
    memset(t->lag, 0, lag_bytes(a));
    return t;
}

Token *take_token(Flight *f, int channel) {
    Token *t = f->first[channel];
    if (t == NULL) return NULL;
    f->first[channel] = t->next;
    f->ntokens[channel]--;
    return t;
}

static void copy_tokens(Attempt *a, Flight *to, const Flight *from) {
    for (uint32_t c = 0; c < a->nchannels; c++) {
        Token **last = &to->first[c];
        for (const Token *t = from->first[c]; t != NULL; t = t->next) {
            if (*last == NULL) *last = new_token(a);
            memcpy((*last)->bits, t->bits, flight_words(a) * sizeof *t->bits);
            memcpy((*last)->lag, t->lag, lag_bytes(a));
            last = &(*last)->next;
        }
        for (Token *t = *last, *next; t != NULL; t = next) {
            next = t->next;
            free_token(a, t);
        }
        *last = NULL;
        to->ntokens[c] = from->ntokens[c];
    }
}

/* ---- states ---- */

static size_t nseen(const Attempt *a) {
    return a->nrows * flight_words(a);
}

static size_t nlags(const Attempt *a) {
    return (size_t)a->npipes * a->nevents;
}

static size_t ncounts(const Attempt *a) {
    return (size_t)CORES * a->nqueues * COUNTS;
}

static size_t nbound(const Attempt *a) {
    return (size_t)a->block->nentries * CORES;
}

static Flight *new_flight(Attempt *a) {
    Flight *f = a->spare;
    if (f != NULL) {
        a->spare = f->next;
        f->next = NULL;
        return f;
    }
    f = ARENA_NEW(a->arena, Flight);
    f->seen = ARENA_ARRAY(a->arena, uint64_t, nseen(a) + 1);
    f->first = ARENA_ARRAY(a->arena, Token *, a->nchannels + 1);
    f->ntokens = ARENA_ARRAY(a->arena, uint32_t, a->nchannels + 1);
    f->lag = ARENA_ARRAY(a->arena, uint8_t, nlags(a) + 1);
    f->counts = ARENA_ARRAY(a->arena, int32_t, ncounts(a) + 1);
    f->bound = ARENA_ARRAY(a->arena, int32_t, nbound(a) + 1);
    f->halves = ARENA_ARRAY(a->arena, uint8_t, nbound(a) + 1);
    f->phase = ARENA_ARRAY(a->arena, uint32_t, a->nloops + 1);
    return f;
}

void flight_free(Attempt *a, Flight *f) {
    f->next = a->spare;
    a->spare = f;
}

Flight *flight_begin(Attempt *a) {
    Flight *f = new_flight(a);
    for (size_t i = 0; i < nbound(a); i++)
        f->bound[i] = ENTRY_UNBOUND;
    for (uint32_t c = 0; c < a->nchannels; c++)
        for (uint32_t i = 0; i < a->channels[c].tokens; i++)
            give_token(a, f, (int)c);
    return f;
}

static void copy_decisions(Attempt *a, Flight *to, const Flight *from) {
    if (to->cap_decisions < from->ndecisions) {
        to->cap_decisions = from->ndecisions * 2;
        to->decisions = ARENA_ARRAY(a->arena, Decision, to->cap_decisions);
    }
    if (from->ndecisions > 0)
        memcpy(to->decisions, from->decisions, from->ndecisions * sizeof *to->decisions);
    to->ndecisions = from->ndecisions;
}

Flight *flight_copy(Attempt *a, const Flight *f) {
    Flight *to = new_flight(a);
    memcpy(to->seen, f->seen, nseen(a) * sizeof *f->seen);
    copy_tokens(a, to, f);
    memcpy(to->lag, f->lag, nlags(a));
    memcpy(to->counts, f->counts, ncounts(a) * sizeof *f->counts);
    memcpy(to->bound, f->bound, nbound(a) * sizeof *f->bound);
    memcpy(to->halves, f->halves, nbound(a));
    memcpy(to->phase, f->phase, a->nloops * sizeof *f->phase);
    for (unsigned c = 0; c < CORES; c++)
        fifo_copy(a->arena, &to->rest[c], &f->rest[c]);
    for (unsigned q = 0; q < CORES * PIPES; q++)
        if (pipe_is_used(a, q)) fifo_copy(a->arena, &to->queue[q], &f->queue[q]);
    memcpy(to->now, f->now, sizeof f->now);
    memcpy(to->nnow, f->nnow, sizeof f->nnow);
    copy_decisions(a, to, f);
    to->guessed = f->guessed;
    to->uneven = f->uneven;
    return to;
}

/* ---- configurations ---- */

static uint64_t hash_numbers(uint64_t h, const uint32_t *data, size_t n) {
    for (size_t i = 0; i < n; i++)
        h = hash_with(h, data[i]);
    return h;
}

uint64_t flight_hash(const Attempt *a, const Flight *f) {
    uint64_t h = hash_numbers(1, (const uint32_t *)f->counts, ncounts(a));
    h = hash_numbers(h, (const uint32_t *)f->bound, nbound(a));
    h = hash_numbers(h, f->phase, a->nloops);
    h = hash_numbers(h, f->ntokens, a->nchannels);
    for (unsigned c = 0; c < CORES; c++)
        h = hash_with(hash_with(h, f->rest[c].n), f->nnow[c]);
    uint64_t all = 0; /* decisions in any order */
    for (uint32_t i = 0; i < f->ndecisions; i++)
        all += hash_with(f->decisions[i].term->number, f->decisions[i].yes);
    return hash_with(h, all);
}

static bool same_decisions(const Flight *x, const Flight *y) {
    if (x->ndecisions != y->ndecisions) return false;
    for (uint32_t i = 0; i < x->ndecisions; i++) {
        uint32_t k = 0;
        while (k < y->ndecisions && y->decisions[k].term != x->decisions[i].term)
            k++;
        if (k == y->ndecisions || y->decisions[k].yes != x->decisions[i].yes) return false;
    }
    return true;
}

static bool same_micro(const Micro *x, const Micro *y) {
    return x->of == y->of && x->index == y->index && x->channel == y->channel &&
           x->instance == y->instance;
}

static bool same_queues(const Attempt *a, const Flight *x, const Flight *y) {
    for (unsigned q = 0; q < CORES * PIPES; q++) {
        if (!pipe_is_used(a, q)) continue;
        if (x->queue[q].n != y->queue[q].n) return false;
        for (uint32_t i = 0; i < x->queue[q].n; i++)
            if (!same_micro(x->queue[q].items[x->queue[q].first + i],
                            y->queue[q].items[y->queue[q].first + i]))
                return false;
    }
    return true;
}

static bool same_rests(const Flight *x, const Flight *y) {
    for (unsigned c = 0; c < CORES; c++) {
        if (x->rest[c].n != y->rest[c].n || x->nnow[c] != y->nnow[c]) return false;
        if (x->rest[c].n > 0 &&
            memcmp(x->rest[c].items + x->rest[c].first, y->rest[c].items + y->rest[c].first,
                   x->rest[c].n * sizeof *x->rest[c].items) != 0)
            return false;
        for (uint32_t i = 0; i < x->nnow[c]; i++)
            if (!same_micro(&x->now[c][i], &y->now[c][i])) return false;
    }
    return true;
}

bool flight_same(const Attempt *a, const Flight *x, const Flight *y) {
    return memcmp(x->counts, y->counts, ncounts(a) * sizeof *x->counts) == 0 &&
           memcmp(x->bound, y->bound, nbound(a) * sizeof *x->bound) == 0 &&
           memcmp(x->halves, y->halves, nbound(a)) == 0 &&
           memcmp(x->phase, y->phase, a->nloops * sizeof *x->phase) == 0 &&
           memcmp(x->ntokens, y->ntokens, a->nchannels * sizeof *x->ntokens) == 0 &&
           same_decisions(x, y) && same_rests(x, y) && same_queues(a, x, y);
}

static bool join_bits(uint64_t *to, const uint64_t *from, size_t n) {
    uint64_t news = 0;
    for (size_t i = 0; i < n; i++) {
        news |= from[i] & ~to[i];
        to[i] |= from[i];
    }
    return news != 0;
}

static bool join_lags(uint8_t *to, const uint8_t *from, size_t n) {
    bool news = false;
    for (size_t i = 0; i < n; i++)
        if (from[i] > to[i]) {
            to[i] = from[i];
            news = true;
        }
    return news;
}

bool flight_join(Attempt *a, Flight *to, const Flight *from) {
    bool news = join_bits(to->seen, from->seen, nseen(a));
    news |= join_lags(to->lag, from->lag, nlags(a));
    for (uint32_t c = 0; c < a->nchannels; c++) {
        Token *t = to->first[c];
        for (const Token *x = from->first[c]; x != NULL; x = x->next, t = t->next) {
            news |= join_bits(t->bits, x->bits, flight_words(a));
            news |= join_lags(t->lag, x->lag, lag_bytes(a));
        }
    }
    news |= (from->guessed && !to->guessed) || (from->uneven && !to->uneven);
    to->guessed |= from->guessed;
    to->uneven |= from->uneven;
    return news;
}

/* ---- levels ---- */

static void age_set(const Attempt *a, uint64_t *set, const Item *loop, const uint64_t *inside) {
    for (uint32_t w = 0; w < a->words; w++) {
        uint64_t moved = 0;
        if (inside[w] == 0) continue;
        for (uint32_t l = 0; l < a->levels; l++) {
            if (l != 0 && l < loop->depth) continue;
            moved |= set[(size_t)l * a->words + w] & inside[w];
            set[(size_t)l * a->words + w] &= ~inside[w];
        }
        set[(size_t)loop->depth * a->words + w] |= moved;
    }
}

void flight_age(Attempt *a, Flight *f, const Item *loop) {
    const uint64_t *inside = a->inside[loop->number];
    uint64_t any = 0;
    for (uint32_t w = 0; w < a->words; w++)
        any |= inside[w];
    if (any == 0) return;
    for (uint32_t r = 0; r < a->nrows; r++)
        age_set(a, flight_row(a, f, r), loop, inside);
    for (uint32_t c = 0; c < a->nchannels; c++)
        for (Token *t = f->first[c]; t != NULL; t = t->next)
            age_set(a, t->bits, loop, inside);
}
