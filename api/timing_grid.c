/* SPDX-License-Identifier: Apache-2.0 */
/* Times all blocks of a launch. The number of the block is watched like the number of a turn, so
 * blocks that make the same decisions are timed once. Blocks begin in order, each on the first core
 * that is free. */
#include "api/timer.h"
#include "timing/probe.h"

#include <stdlib.h>

enum { MOST_PLACES = 1 << 16, MOST_EXPANDED = 1 << 20, MOST_STRIDE = 64 };

typedef struct Grid {
    Timer *t;
    TimedBlock *b;
    TimedGrid *out;
    uint32_t cap;
    uint64_t steps;
} Grid;

static bool give_up(Grid *g, const char *why) {
    g->out->why = why;
    return false;
}

static bool add_kind(Grid *g, TimedKind kind) {
    TimedGrid *out = g->out;
    if (out->nkinds == g->cap)
        out->kinds = ARENA_WIDEN(g->t->arena, TimedKind, out->kinds, &g->cap, out->nkinds, 16);
    out->kinds[out->nkinds++] = kind;
    return true;
}

/* Finds the events of block `first`, and how many of those that follow it in steps of `step` have
 * the same ones. Sets how many classes they fall into otherwise. */
static bool find_block(Grid *g, int64_t first, int64_t step, uint64_t *same, int64_t *classes) {
    *same = UINT64_MAX;
    *classes = 1;
    for (unsigned i = 0; i < g->b->n; i++) {
        g->b->runs[i].block = first;
        g->b->runs[i].block_step = step;
    }
    if (!timer_find(g->t, g->b)) {
        const char *why = g->t->call->timing.why;
        g->t->call->timing.why = NULL;
        return give_up(g, arena_printf(g->t->arena, "block %lld: %s", (long long)first, why));
    }
    for (unsigned i = 0; i < g->b->n; i++) {
        const TimeRun *r = &g->b->runs[i];
        if (r->block_same < *same) *same = r->block_same;
        if ((int64_t)r->block_period > *classes) *classes = (int64_t)r->block_period;
        g->steps += r->steps + r->events.n + r->ncells; /* a run begins with all values */
    }
    return true;
}

static bool time_blocks(Grid *g, int64_t first, int64_t step) {
    const uint64_t most_steps = (uint64_t)1 << 26;
    for (int64_t b = first; b < g->out->blocks;) {
        uint64_t same;
        int64_t classes;
        const int64_t left = (g->out->blocks - 1 - b) / step + 1;
        if (!find_block(g, b, step, &same, &classes)) return false;
        if (same == 1 && classes > 1 && left > classes && step * classes <= MOST_STRIDE) {
            for (int64_t k = 0; k < classes; k++)
                if (!time_blocks(g, b + k * step, step * classes)) return false;
            return true;
        }
        if (!timer_schedule(g->t, g->b, false)) {
            const char *why = g->t->call->timing.why;
            g->t->call->timing.why = NULL;
            return give_up(g, arena_printf(g->t->arena, "block %lld: %s", (long long)b, why));
        }
        if (g->steps > most_steps) return give_up(g, "too many blocks differ");
        const int64_t n = same < (uint64_t)left ? (int64_t)same : left;
        add_kind(g, (TimedKind){b, step, n, timer_end(g->b)});
        b += n * step;
    }
    return true;
}

/* ---- on the cores of the chip ---- */

static double *first_free(double *places, unsigned n) {
    double *least = places;
    for (unsigned i = 1; i < n; i++)
        if (places[i] < *least) least = &places[i];
    return least;
}

static double latest(const double *places, unsigned n) {
    double most = 0;
    for (unsigned i = 0; i < n; i++)
        if (places[i] > most) most = places[i];
    return most;
}

static bool place_blocks(Grid *g) {
    TimedGrid *out = g->out;
    const unsigned n = out->at_once;
    const int64_t rounds = (out->blocks - 1) / n + 1;
    if (out->nkinds == 1) {
        out->cycles = (double)rounds * out->kinds[0].cycles;
        return true;
    }
    if (out->blocks > MOST_EXPANDED) return give_up(g, "too many blocks of different lengths");
    double *cycles = ARENA_ARRAY(g->t->arena, double, (size_t)out->blocks);
    double *places = ARENA_ARRAY(g->t->arena, double, n);
    for (uint32_t i = 0; i < out->nkinds; i++) {
        const TimedKind *k = &out->kinds[i];
        for (int64_t b = 0; b < k->count; b++)
            cycles[k->first + b * k->step] = k->cycles;
    }
    for (int64_t b = 0; b < out->blocks; b++)
        *first_free(places, n) += cycles[b];
    out->cycles = latest(places, n);
    return true;
}

/* How many blocks run at the same time: one needs a cube core and the vector cores with it, or, if
 * its launch has no cube core, one vector core. */
static unsigned places_of(const Timer *t, const TimedBlock *b) {
    bool cube = false;
    for (unsigned i = 0; i < b->n; i++)
        cube |= b->list[i].kind != CORE_VECTOR;
    const double n = t->call->request.params.number[cube ? TIME_CUBE_CORES : TIME_VECTOR_CORES];
    return n < 1 ? 1 : n > MOST_PLACES ? MOST_PLACES : (unsigned)n;
}

static int by_first(const void *a, const void *b) {
    const TimedKind *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Joins kinds that follow each other and take as long. */
static void join_kinds(TimedGrid *out) {
    uint32_t n = 0;
    qsort(out->kinds, out->nkinds, sizeof *out->kinds, by_first);
    for (uint32_t i = 0; i < out->nkinds; i++) {
        TimedKind *last = n > 0 ? &out->kinds[n - 1] : NULL;
        const TimedKind *k = &out->kinds[i];
        const bool single = last != NULL && last->count == 1 && k->count == 1;
        if (last != NULL && last->cycles == k->cycles && k->step == last->step &&
            k->first == last->first + last->count * last->step)
            last->count += k->count;
        else if (single && last->cycles == k->cycles)
            last->step = k->first - last->first, last->count = 2;
        else
            out->kinds[n++] = *k;
    }
    out->nkinds = n;
}

void timer_grid(Timer *t, TimedBlock *b) {
    TimedGrid *out = &t->call->timing.whole;
    Grid g = {.t = t, .b = b, .out = out};
    *out = (TimedGrid){.blocks = t->call->request.grid, .at_once = places_of(t, b)};
    if (!time_blocks(&g, 0, 1)) return;
    join_kinds(out);
    if (place_blocks(&g)) out->known = true;
}
