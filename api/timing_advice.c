/* SPDX-License-Identifier: Apache-2.0 */
/* What a program would take on another chip or with a change: the model runs again. */
#include "api/timer.h"
#include "ir/profile.h"
#include "passes/passes.h"

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

static const Plan *find_plan(Timer *t) {
    DiagList *list = &t->res->ctx->diags;
    const DiagList before = *list;
    if (t->planned) return &t->plan;
    t->planned = true;
    diag_init(list, before.arena, 0);
    if (!passes_plan(t->res->module, &(PlanOptions){.profile = t->call->timing.profile}, &t->plan))
        t->plan.map = NULL;
    *list = before;
    return &t->plan;
}

/* The tile that a statement writes on a pipe; NULL: it does not. */
static const Value *tile_written(const TimeNode *n, Pipe pipe) {
    const LowerStmt *s = n->stmt;
    if (n->sync != SYNC_NONE || n->pipe != pipe) return NULL;
    for (int i = 0; i < s->inst->nslots; i++)
        for (unsigned k = 0; k < stmt_count(s, i); k++)
            if (s->inst->slots[i].role == ROLE_WRITE &&
                type_is_tile(stmt_items(s, i)[k].value->type))
                return stmt_items(s, i)[k].value;
    return NULL;
}

/* The tile that a pipe writes first after a wait, in the order of the text, else from its
 * beginning: the wait may be at the end of a loop. Its place in memory; NULL: not known. */
static const PlanSlot *written_after(Timer *t, const TimeRun *r, const TimeNode *wait) {
    const Value *v = NULL;
    for (const TimeNode *n = wait->listed; n != NULL && v == NULL; n = n->listed)
        v = tile_written(n, (Pipe)wait->to);
    for (const TimeNode *n = r->nodes; n != wait && v == NULL; n = n->listed)
        v = tile_written(n, (Pipe)wait->to);
    const Plan *plan = v != NULL ? find_plan(t) : NULL;
    return plan != NULL && plan->map != NULL ? plan_value(plan, v) : NULL;
}

/* Where a second tile like the one that a pipe waits for is advised: says so if there is no room.
 */
static void look_for_room(Timer *t, const TimedBlock *b, Try *one) {
    const PlanSlot *slot = written_after(t, &b->runs[one->core], one->node);
    const PlanFunction *used =
        slot != NULL ? plan_function(&t->plan, b->list[one->core].func->op) : NULL;
    if (used == NULL) return;
    const int64_t all = profile_plan_capacity(t->call->timing.profile, slot->space);
    const int64_t missing = used->bytes[slot->space] + slot->bytes - all;
    if (all >= 0 && missing > 0)
        one->text = arena_printf(t->arena, "%s, for which %lld bytes are missing in %s", one->text,
                                 (long long)missing, space_names[slot->space]);
}

/* What a wait says about the program. `second`: another tile would help. */
static const char *wait_advice(Timer *t, const TimeNode *n, bool *second) {
    const Pipe from = (Pipe)n->pipe, to = (Pipe)n->to;
    const uint32_t set = n->setter != NULL ? timer_line(t, n->setter->stmt->span) : 0;
    if (n->stmt->inst->sync == SYNC_BARRIER)
        return "no barrier here, if nothing needs it (check --lint says whether the proof does)";
    *second = true;
    if (to == PIPE_MTE2)
        return arena_printf(t->arena, "loads wait until %s has read the buffer: a second buffer",
                            timing_pipe_name(from));
    if (to == PIPE_MTE1 && from == PIPE_M)
        return "moves wait until the cube has read the tile: a second tile in left and right";
    if (to == PIPE_V && from == PIPE_MTE3)
        return "the vector unit waits until its result is stored: a second buffer for it";
    if (to == PIPE_M && from == PIPE_FIX)
        return "the cube waits until its result is stored: a second accumulator";
    *second = false;
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

static void add_tries(Timer *t, const TimedBlock *b, unsigned core, Try *list, unsigned *n) {
    for (TimeNode *k = b->runs[core].nodes; k != NULL; k = k->listed) {
        Try one = {.node = k, .core = core, .line = timer_line(t, k->stmt->span)};
        const bool barrier = k->sync == SYNC_BARRIER && k->count > 0;
        if (k->sync == SYNC_WAIT || barrier) {
            one.weight = barrier ? k->stalled + 16.0 * (double)k->count : k->stalled;
            one.text = wait_advice(t, k, &one.second);
        } else if (fills_no_repeat(&b->runs[core], k)) {
            one.rounds = true;
            one.weight = k->cycles / 2;
            one.text = "columns that fill whole repeats of 256 bytes";
        }
        add_try(list, n, one);
    }
}

unsigned timer_tries(Timer *t, const TimedBlock *b, Try *list) {
    unsigned n = 0;
    for (unsigned i = 0; i < b->n; i++)
        add_tries(t, b, i, list, &n);
    for (unsigned i = 0; i < n; i++)
        if (list[i].second) look_for_room(t, b, &list[i]);
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
