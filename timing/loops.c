/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of a program that is timed. Turns that make the same decisions as those before are not run:
 * their events are those of one period, again. */
#include "timing/probe.h"
#include "timing/values.h"

/* ---- periods ---- */

/* What runs a turn of a loop; false: the loop has ended. */
typedef struct Turning {
    TimeRun *r;
    TimeNode *node;
    ProbedLoop loop;
    bool counted;     /* else a condition ends it */
    uint64_t left;    /* turns; if they are not counted many */
    int64_t at, step; /* of a counted loop */
    const Cell *low;
    const TimeLoop *blocks; /* of a loop of blocks */
    const TimeBlock *next;  /* where it leads when it ends */
    const TimeNode **last;
    bool (*turn)(struct Turning *t, uint64_t period);
} Turning;

static bool run_turns(Turning *t, uint64_t n, uint64_t period) {
    for (uint64_t i = 0; i < n; i++) {
        if (!t->turn(t, period)) return false;
        loop_turned(t->r, &t->loop);
    }
    return true;
}

static void skip(Turning *t, uint64_t periods, uint64_t period) {
    loop_skip(t->r, &t->loop, periods);
    t->left -= periods * period;
    t->at = (int64_t)((uint64_t)t->at + periods * period * (uint64_t)t->step);
}

/* Outside scopes the events of the period come several times. */
static void repeat_events(Turning *t, uint32_t first, uint64_t periods, uint64_t period) {
    events_repeat(t->r, first, periods);
    if (periods > 1) skip(t, periods - 1, period);
}

/* In a scope the next period counts for all of those that follow. */
static bool repeat_scope(Turning *t, uint64_t periods, uint64_t period) {
    TimeRun *r = t->r;
    const double weight = r->scope_weight;
    if (periods < 3 || !loop_scope_repeats(r, &t->loop)) return true;
    loop_scope_begin(r, &t->loop);
    r->scope_weight = weight * (double)(periods - 1);
    const bool goes_on = run_turns(t, period, 0);
    r->scope_weight = weight;
    loop_scope_skip(r, &t->loop, periods - 2);
    skip(t, periods - 2, period);
    return goes_on;
}

/* Runs a loop to its end. */
static void run_loop(Turning *t) {
    TimeRun *r = t->r;
    bool goes_on = true;
    while (goes_on && t->left > 0) {
        const uint64_t period = t->loop.period;
        const bool scope = r->scope != NULL;
        if (!loop_begin(r, &t->loop, t->left)) {
            goes_on = run_turns(t, 1, 0);
            continue;
        }
        const uint32_t first = scope ? 0 : events_mark(r, t->node);
        goes_on = run_turns(t, period, period);
        if (!goes_on) {
            loop_abandon(r, &t->loop);
            if (!scope) events_repeat(r, first, 1);
            break;
        }
        const uint64_t periods = loop_end(r, &t->loop, 1 + t->left / period);
        if (t->loop.endless && !t->counted)
            time_stop(r, t->node->stmt,
                      "the loop never ends: no turn changes what decides whether there is another");
        if (scope)
            goes_on = repeat_scope(t, periods, period);
        else
            repeat_events(t, first, periods, period);
    }
}

/* ---- scf.for ---- */

static bool turn_for(Turning *t, uint64_t period) {
    TimeRun *r = t->r;
    TimeNode *n = t->node;
    const TimeBlock *body = n->regions[0].first;
    const unsigned carried = n->stmt->nresults;
    Cell *i = &r->cells[body->args[0]];
    *i = (Cell){.known = true, .n = t->at, .moves = t->low->moves || period > 0};
    for (unsigned l = 0; t->low->moves && l < r->nprobes; l++)
        i->slope[l] = t->low->slope[l];
    if (t->low->moves) i->bent = t->low->bent;
    if (period > 0) probe_counter(r, i, t->step, period);
    for (unsigned k = 0; k < carried; k++)
        r->cells[body->args[1 + k]] = r->cells[n->out[k]];
    const TimeNode *end = run_region(r, &n->regions[0]);
    if (end != NULL) assign(r, n->out, end, 0, fewer(carried, end->stmt->nargs));
    t->at = (int64_t)((uint64_t)t->at + (uint64_t)t->step);
    t->left--;
    return true;
}

void run_for(TimeRun *r, TimeNode *n) {
    const char *what = "the number of iterations";
    const int64_t lo = need_any(r, n, 0, what), hi = need_any(r, n, 1, what),
                  step = need(r, n, 2, what);
    const unsigned carried = n->stmt->nresults;
    if (step <= 0) time_stop(r, n->stmt, "the step %lld is not positive", (long long)step);
    probe_distance(r, in(r, n, 0), in(r, n, 1));
    for (unsigned i = 0; i < carried; i++)
        r->cells[n->out[i]] = *in(r, n, n->stmt->nargs - carried + i);
    if (lo >= hi) return;
    const uint64_t span = (uint64_t)hi - (uint64_t)lo;
    const Cell low = *in(r, n, 0);
    Turning t = {.r = r,
                 .node = n,
                 .counted = true,
                 .left = (span - 1) / (uint64_t)step + 1,
                 .at = lo,
                 .step = step,
                 .low = &low,
                 .turn = turn_for};
    loop_init(r, &t.loop, &n->room, n->out, carried);
    run_loop(&t);
}

/* ---- scf.while ---- */

static bool turn_while(Turning *t, uint64_t period) {
    TimeRun *r = t->r;
    TimeNode *n = t->node;
    const TimeBlock *before = n->regions[0].first, *after = n->regions[1].first;
    const TimeNode *end = run_region(r, &n->regions[0]);
    const int64_t go = need(r, end, 0, "the number of iterations");
    const unsigned passed = end->stmt->nargs - 1;
    (void)period;
    if (go == 0) {
        assign(r, n->out, end, 1, fewer(passed, n->stmt->nresults));
        return false;
    }
    assign(r, after->args, end, 1, fewer(passed, after->nargs));
    end = run_region(r, &n->regions[1]);
    assign(r, before->args, end, 0, fewer(end->stmt->nargs, before->nargs));
    return true;
}

void run_while(TimeRun *r, TimeNode *n) {
    const TimeBlock *before = n->regions[0].first;
    for (unsigned i = 0; i < before->nargs; i++)
        r->cells[before->args[i]] = *in(r, n, i);
    Turning t = {.r = r, .node = n, .left = UINT64_MAX, .turn = turn_while};
    loop_init(r, &t.loop, &n->room, before->args, before->nargs);
    run_loop(&t);
    for (unsigned i = 0; i < n->stmt->nresults; i++)
        probe_drop(r, &r->cells[n->out[i]]);
}

/* ---- branches between blocks ---- */

/* Between two turns, only the arguments of the header hold values of the loop: what else a turn
 * reads it computes first, or the blocks before the loop did. That is so for loops with several
 * entries too, as the blocks of a loop come after its header: see timing/blocks.c. */
static bool turn_blocks(Turning *t, uint64_t period) {
    (void)period;
    t->next = run_blocks(t->r, t->blocks->header, t->blocks, t->last);
    return t->next == t->blocks->header;
}

const TimeBlock *run_block_loop(TimeRun *r, TimeLoop *loop, const TimeNode **last) {
    const TimeBlock *header = loop->header;
    Turning t = {.r = r,
                 .node = header->last,
                 .left = UINT64_MAX,
                 .blocks = loop,
                 .last = last,
                 .turn = turn_blocks};
    loop_init(r, &t.loop, &loop->room, header->args, header->nargs);
    run_loop(&t);
    /* what follows sees values of the loop */
    for (uint32_t i = 0; i < loop->ndefined; i++)
        if (r->cells[loop->defined[i]].moves) probe_drop(r, &r->cells[loop->defined[i]]);
    for (unsigned i = 0; t.next != NULL && i < t.next->nargs; i++)
        probe_drop(r, &r->cells[t.next->args[i]]);
    return t.next;
}
