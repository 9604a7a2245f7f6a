/* SPDX-License-Identifier: Apache-2.0 */
/* clocks.c - what pipes, flags, tokens and signals know to have ended. */
#include "sanitize/sanitize.h"

#include <stdlib.h>

/* ---- other blocks ---- */

san_base *san_base_new(uint32_t n) {
    san_base *b = calloc(1, sizeof *b + n * sizeof b->at[0]);
    if (!b) return NULL;
    atomic_init(&b->refs, 1);
    b->n = n;
    return b;
}

void san_base_drop(san_base *b) {
    if (b && atomic_fetch_sub(&b->refs, 1) == 1) free(b);
}

static san_base *hold(san_base *b) {
    if (b) atomic_fetch_add(&b->refs, 1);
    return b;
}

/* Whether `a` knows all that `b` knows. */
static bool covers(const san_base *a, const san_base *b) {
    for (uint32_t i = 0; i < b->n; i++)
        if (san_base_at(a, i) < b->at[i]) return false;
    return true;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static bool join_base(san_base **to, san_base *from) {
    if (!from || *to == from || (*to && covers(*to, from))) return true;
    if (!*to || covers(from, *to)) {
        san_base_drop(*to);
        *to = hold(from);
        return true;
    }
    san_base *both = san_base_new(larger((*to)->n, from->n));
    if (!both) return false;
    for (uint32_t i = 0; i < both->n; i++)
        both->at[i] = larger(san_base_at(*to, i), san_base_at(from, i));
    san_base_drop(*to);
    *to = both;
    return true;
}

/* ---- clocks ---- */

bool san_clock_join(san_clock *to, const san_clock *from) {
    for (int i = 0; i < SAN_LANES; i++)
        to->at[i] = larger(to->at[i], from->at[i]);
    return join_base(&to->base, from->base);
}

void san_clock_meet(san_clock *to, const san_clock *from) {
    for (int i = 0; i < SAN_LANES; i++)
        if (from->at[i] < to->at[i]) to->at[i] = from->at[i];
    if (to->base != from->base) {
        san_base_drop(to->base);
        to->base = NULL;
    }
}

void san_clock_copy(san_clock *to, const san_clock *from) {
    san_base *old = to->base;
    *to = *from;
    hold(to->base);
    san_base_drop(old);
}

void san_clock_drop(san_clock *c) {
    san_base_drop(c->base);
    *c = (san_clock){.base = NULL};
}

/* ---- pipes ---- */

void san_pipes_start(san_pipes *p, int place, uint32_t order) {
    *p = (san_pipes){.first = (uint8_t)(place * SAN_PIPES)};
    p->ordered = order & ~1u;
    p->issue = (order & 1) != 0;
}

void san_pipes_end(san_pipes *p) {
    for (int i = 0; i < SAN_PIPES; i++)
        san_clock_drop(&p->seen[i]);
    for (int i = 0; p->flags && i < SAN_FLAGS; i++)
        san_clock_drop(&p->flags[i].clock);
    for (int i = 0; p->tokens && i < PTRT_TOKENS; i++)
        san_clock_drop(&p->tokens[i]);
    free(p->flags);
    free(p->tokens);
    free(p->held);
    p->flags = NULL;
    p->tokens = NULL;
    p->held = NULL;
}

void san_pipes_release(san_pipes *p, int pipe, san_clock *out) {
    if (pipe == SAN_ALL || pipe == 0) {
        for (int i = 0; i < SAN_PIPES; i++) {
            san_clock_join(out, &p->seen[i]);
            out->at[p->first + i] = larger(out->at[p->first + i], p->at[i]);
            p->released[i]++;
        }
        return;
    }
    san_clock_join(out, &p->seen[pipe]);
    out->at[p->first + pipe] = larger(out->at[p->first + pipe], p->at[pipe]);
    out->at[p->first] = larger(out->at[p->first], p->at[0]);
    /* what the pipe has learnt of others goes on too, so they have been released up to there */
    for (int i = 0; i < SAN_PIPES; i++)
        p->released[i]++;
}

bool san_pipes_acquire(san_pipes *p, int pipe, const san_clock *clock) {
    bool fine = true;
    for (int i = 0; i < SAN_PIPES; i++) {
        if (pipe != SAN_ALL && pipe != 0 && i != pipe) continue;
        fine &= san_clock_join(&p->seen[i], clock);
        p->version[i]++;
    }
    return fine;
}

void san_pipes_barrier(san_pipes *p, int pipe) {
    for (int i = 0; i < SAN_PIPES; i++) {
        if (pipe > 0 && i != pipe) continue;
        for (int k = 0; k < SAN_PIPES; k++)
            if (pipe <= 0 || k == pipe) p->seen[i].at[p->first + k] = p->at[k];
        p->version[i]++;
        p->released[i]++;
    }
    /* After a barrier of all pipes, each knows what any of them knew of other cores. */
    if (pipe > 0) return;
    for (int i = 1; i < SAN_PIPES; i++)
        san_clock_join(&p->seen[0], &p->seen[i]);
    for (int i = 1; i < SAN_PIPES; i++)
        san_clock_join(&p->seen[i], &p->seen[0]);
}

san_flag *san_pipes_flag(san_pipes *p, int from, int to, int event) {
    if (!p->flags) p->flags = calloc(SAN_FLAGS, sizeof *p->flags);
    return p->flags ? &p->flags[(from * SAN_PIPES + to) * PTRT_EVENTS + event] : NULL;
}

/* A wait of the scalar pipe, which issues all statements, delays those of all pipes. The scalar
 * pipe itself completes in order. */
bool san_pipes_wait(san_pipes *p, int to, san_flag *flag) {
    const bool all = to == PTRT_PIPE_S && p->issue;
    if (all) flag->clock.at[p->first + PTRT_PIPE_S] = p->at[PTRT_PIPE_S];
    const bool fine = san_pipes_acquire(p, all ? SAN_ALL : to, &flag->clock);
    san_clock_drop(&flag->clock);
    flag->set = NULL;
    return fine;
}
