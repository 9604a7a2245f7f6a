/* SPDX-License-Identifier: Apache-2.0 */
/* What a program would take on another chip or with a change: the model runs again. */
#include "api/timer.h"

/* ---- what if ---- */

/* Whether the model of a program may run once more: long ones only so often that nobody waits. */
static bool affords(const TimedBlock *b, unsigned *runs) {
    enum { MOST = 1 << 25 };
    uint64_t steps = 0;
    for (unsigned i = 0; i < b->n; i++)
        steps += b->runs[i].steps + b->runs[i].events.n;
    return steps * ++*runs < MOST;
}

static void add_what_if(Timer *t, const char *what, double cycles) {
    Timing *out = &t->call->timing;
    if (out->nwhat_if < MOST_WHAT_IFS) out->what_if[out->nwhat_if++] = (WhatIf){what, cycles};
}

static void scale_pipe(TimedBlock *b, int pipe, double by) {
    for (unsigned i = 0; i < b->n; i++)
        b->runs[i].scale[pipe] = by;
}

/* Adds what the program takes without any flag, or without those that keep a buffer from being
 * written again: there is always one more. */
static void try_free(Timer *t, TimedBlock *b, unsigned *runs, bool buffers) {
    if (!affords(b, runs)) return;
    for (unsigned i = 0; i < b->n; i++)
        *(buffers ? &b->runs[i].free_buffers : &b->runs[i].free_flags) = true;
    if (timer_schedule(t, b, false))
        add_what_if(t, buffers ? "perfect double buffering" : "no flags", timer_end(b));
    for (unsigned i = 0; i < b->n; i++)
        b->runs[i].free_buffers = b->runs[i].free_flags = false;
}

void timer_what_if(Timer *t, TimedBlock *b) {
    const Timing *out = &t->call->timing;
    double most = 0;
    unsigned runs = 0;
    for (int p = PIPE_V; p < TIMING_PIPES; p++) {
        double busy = 0;
        for (unsigned i = 0; i < out->ncores; i++)
            if (out->cores[i].busy[p] > busy) busy = out->cores[i].busy[p];
        if (busy > most) most = busy;
        if (busy == 0 || !affords(b, &runs)) continue;
        scale_pipe(b, p, 0);
        if (timer_schedule(t, b, false))
            add_what_if(t, arena_printf(t->arena, "%s takes no time", timing_pipe_name((Pipe)p)),
                        timer_end(b));
        scale_pipe(b, p, 1);
    }
    try_free(t, b, &runs, true);
    try_free(t, b, &runs, false);
    add_what_if(t, "pipes overlap perfectly", most);
}

/* ---- advice ---- */

/* What a wait says about the program. */
static const char *wait_advice(Timer *t, const TimeNode *n) {
    const Pipe from = (Pipe)n->pipe, to = (Pipe)n->to;
    const uint32_t set = n->setter != NULL ? timer_line(t, n->setter->stmt->span) : 0;
    if (n->stmt->inst->sync == SYNC_BARRIER)
        return "no barrier here, if nothing needs it (check --lint says whether the proof does)";
    if (to == PIPE_MTE2)
        return arena_printf(t->arena, "loads wait until %s has read the buffer: a second buffer",
                            timing_pipe_name(from));
    if (to == PIPE_MTE1 && from == PIPE_M)
        return "moves wait until the cube has read the tile: a second tile in left and right";
    if (to == PIPE_V && from == PIPE_MTE3)
        return "the vector unit waits until its result is stored: a second buffer for it";
    if (to == PIPE_M && from == PIPE_FIX)
        return "the cube waits until its result is stored: a second accumulator";
    if (from == PIPE_MTE2)
        return arena_printf(t->arena, "%s waits for the load before line %u: loading it earlier",
                            timing_pipe_name(to), set);
    return NULL;
}

static void add_try(Try *list, unsigned *n, Try one) {
    unsigned at = *n;
    if (one.text == NULL || one.weight < 1) return;
    if (*n < MOST_TRIED)
        ++*n;
    else if (list[--at].weight >= one.weight)
        return;
    for (; at > 0 && list[at - 1].weight < one.weight; at--)
        list[at] = list[at - 1];
    list[at] = one;
}

static bool fills_no_repeat(const TimeRun *r, const TimeNode *n) {
    const PriceRule rule = price_row(n->stmt->inst)->rule;
    return n->pipe == PIPE_V && n->cycles > 0 && r->params->profile == PROFILE_A2A3 &&
           (rule == RULE_BINARY || rule == RULE_SCALAR || rule == RULE_UNARY ||
            rule == RULE_QUOTIENT);
}

unsigned timer_tries(Timer *t, const TimedBlock *b, Try *list) {
    unsigned n = 0;
    for (unsigned i = 0; i < b->n; i++)
        for (TimeNode *k = b->runs[i].nodes; k != NULL; k = k->listed) {
            const uint32_t line = timer_line(t, k->stmt->span);
            const bool barrier = k->sync == SYNC_BARRIER && k->count > 0;
            if (k->sync == SYNC_WAIT || barrier)
                add_try(list, &n,
                        (Try){k, false, barrier ? k->stalled + 16.0 * (double)k->count : k->stalled,
                              wait_advice(t, k), line});
            else if (fills_no_repeat(&b->runs[i], k))
                add_try(list, &n,
                        (Try){k, true, k->cycles / 2,
                              "columns that fill whole repeats of 256 bytes", line});
        }
    return n;
}

static void add_advice(Timing *out, TimingAdvice one) {
    unsigned at = out->nadvice < MOST_ADVICE ? out->nadvice++ : MOST_ADVICE;
    if (at == MOST_ADVICE && out->advice[--at].gain >= one.gain) return;
    for (; at > 0 && out->advice[at - 1].gain < one.gain; at--)
        out->advice[at] = out->advice[at - 1];
    out->advice[at] = one;
}

/* Runs the model again with each change that may matter; keeps those that save a hundredth. */
void timer_advise(Timer *t, TimedBlock *b, const Try *tries, unsigned n) {
    Timing *out = &t->call->timing;
    double total = 0;
    for (unsigned i = 0; i < out->ncores; i++)
        if (out->cores[i].cycles > total) total = out->cores[i].cycles;
    unsigned runs = 0;
    for (unsigned i = 0; i < n && total > 0 && affords(b, &runs); i++) {
        out->ntried++;
        tries[i].node->ignored = !tries[i].rounds;
        tries[i].node->rounded = tries[i].rounds;
        /* prices belong to events */
        const bool fine = (!tries[i].rounds || timer_find(t, b)) && timer_schedule(t, b, false);
        const double gain = fine ? total - timer_end(b) : 0;
        tries[i].node->ignored = tries[i].node->rounded = false;
        if (tries[i].rounds && !timer_find(t, b)) break;
        if (gain >= total / 100)
            add_advice(out, (TimingAdvice){tries[i].line, tries[i].text, gain});
    }
}
