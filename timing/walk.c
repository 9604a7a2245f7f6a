/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the statements of a program with numbers alone: integers are computed, tiles and views are
 * their extents, and what needs a pipe is scheduled. */
#include "analysis/effects.h"
#include "ir/number.h"
#include "timing/probe.h"
#include "timing/values.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

_Noreturn void time_stop(TimeRun *r, const LowerStmt *s, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(r->why, sizeof r->why, fmt, ap);
    va_end(ap);
    r->where = s != NULL ? s->span : (Span){0};
    longjmp(r->stop, 1);
}

/* An argument as an example: a number, or the extents of a tile or view. */
static const char *example_of(const Value *v) {
    static const char *const shapes[] = {"64", "16x64", "2x16x64", "2x2x16x64", "2x2x2x16x64"};
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    const Type *t = v->type;
    const bool view = t->kind == TY_TENSOR_VIEW || t->kind == TY_PART_VIEW;
    const unsigned rank = view ? t->rank : type_is_tile(t) ? 2 : 0;
    return rank == 0 || rank > SHAPES ? "1" : shapes[rank - 1];
}

_Noreturn void time_unknown(TimeRun *r, const LowerStmt *s, const char *what, const Value *cause) {
    const Interner *names = &r->lower->ctx->names;
    if (cause == NULL) time_stop(r, s, "%s is not known", what);
    const int n = (int)atom_len(names, cause->name);
    const char *text = atom_text(names, cause->name);
    if (cause->argument)
        time_stop(r, s, "%s depends on %%%.*s: give the argument, as in %.*s=%s", what, n, text, n,
                  text, example_of(cause));
    if (r->cells[time_cell(r, cause)].by_zero)
        time_stop(r, s, "%s depends on %%%.*s, for which '%s' divides by zero", what, n, text,
                  cause->def->inst->name);
    time_stop(r, s, "%s depends on %%%.*s, which '%s' gets from data: give it, as in %.*s=1", what,
              n, text, cause->def->inst->name, n, text);
}

/* ---- synchronisation ---- */

/* The operand that has the number: of signals it is the last, of others the first. */
static unsigned event_operand(const TimeNode *n) {
    return n->sync == SYNC_CORES ? n->stmt->nargs - 1 : 0;
}

unsigned time_event_number(TimeRun *r, const TimeNode *n, unsigned limit) {
    const char *what = "the number of the event";
    if (!n->literal && n->stmt->nargs == 0) time_unknown(r, n->stmt, what, NULL);
    const int64_t v = n->literal ? n->event : need(r, n, event_operand(n), what);
    if (v < 0 || v >= limit)
        time_stop(r, n->stmt, "there is no event number %lld: the last is %u", (long long)v,
                  limit - 1);
    return (unsigned)v;
}

static unsigned number_of_event(TimeRun *r, const TimeNode *n) {
    return time_event_number(r, n, TIMED_EVENTS);
}

static void synchronise(TimeRun *r, TimeNode *n) {
    const Pipe pipe = (Pipe)n->pipe;
    switch ((SyncUse)n->sync) {
    case SYNC_SET:
        time_emit(r, n, TIME_SET, pipe, number_of_event(r, n));
        break;
    case SYNC_WAIT:
        time_emit(r, n, TIME_WAIT, (Pipe)n->to, number_of_event(r, n));
        break;
    case SYNC_BARRIER:
        time_emit(r, n, TIME_BARRIER, pipe, 0);
        break;
    case SYNC_DRAIN:
    case SYNC_FENCE:
        time_emit(r, n, TIME_BARRIER, PIPE_NONE, 0);
        break;
    case SYNC_GET:
        time_emit(r, n, TIME_GET, pipe, number_of_event(r, n));
        break;
    case SYNC_RELEASE:
        time_emit(r, n, TIME_RELEASE, pipe, number_of_event(r, n));
        break;
    case SYNC_CORES:
        time_cores(r, n);
        break;
    case SYNC_MEMORY:
        if (r->scope != NULL) scope_barrier(r);
        break;
    case SYNC_NONE:
        break;
    }
}

/* ---- control flow ---- */

void assign(TimeRun *r, const uint32_t *to, const TimeNode *from, unsigned first, unsigned n) {
    if (n > r->capcopied) r->copied = ARENA_ARRAY(r->arena, Cell, r->capcopied = 2 * n);
    for (unsigned i = 0; i < n; i++)
        r->copied[i] = r->cells[from->in[first + i]];
    for (unsigned i = 0; i < n; i++)
        r->cells[to[i]] = r->copied[i];
}

static void run_chosen(TimeRun *r, TimeNode *n, unsigned which) {
    const TimeNode *end = which < n->stmt->nregions ? run_region(r, &n->regions[which]) : NULL;
    if (end != NULL) assign(r, n->out, end, 0, fewer(end->stmt->nargs, n->stmt->nresults));
}

static unsigned case_of(const TimeNode *n, int64_t v, unsigned otherwise) {
    const Attr *a = n->stmt->cases;
    for (uint32_t i = 0; a != NULL && i < a->n; i++)
        if (a->items[i]->i == v) return i;
    return otherwise;
}

static void run_call(TimeRun *r, TimeNode *n) {
    TimeFunc *f = n->callee;
    if (f == NULL)
        time_stop(r, n->stmt,
                  "how long the function that is called takes is not known: it has no body");
    if (f->running) time_stop(r, n->stmt, "the function calls itself");
    assign(r, f->body.first->args, n, 0, fewer(n->stmt->nargs, f->body.first->nargs));
    f->running = true;
    const TimeNode *end = run_region(r, &f->body);
    f->running = false;
    if (end != NULL) assign(r, n->out, end, 0, fewer(end->stmt->nargs, n->stmt->nresults));
}

/* ---- statements ---- */

static bool has_pipe(const TimeNode *n) {
    return n->pipe > PIPE_S && n->pipe < TIMED_PIPES;
}

/* A statement that works on several pipes: its time is that on its own pipe, the others work for it
 * for an unknown time, taken as nothing, but wait for each other. */
static void run_phases(TimeRun *r, TimeNode *n) {
    bool done = !has_pipe(n);
    for (uint8_t i = 0; i < n->phases->nphases; i++) {
        const Phase *p = &n->phases->phases[i];
        if (!n->stmt->work->applies[i]) continue;
        if (p->kind == PHASE_ACCESS && p->pipe == n->pipe && !done) {
            time_emit(r, n, TIME_DO, (Pipe)n->pipe, 0);
            done = true;
        } else if (p->kind == PHASE_FLAGS) {
            time_emit(r, n, TIME_PHASE, (Pipe)p->to, p->pipe);
        } else if (p->kind == PHASE_BARRIER) {
            time_emit(r, n, TIME_BARRIER, (Pipe)p->pipe, 0);
        }
    }
    if (!done) time_emit(r, n, TIME_DO, (Pipe)n->pipe, 0);
}

static void run_kernel(TimeRun *r, TimeNode *n) {
    if (n->tile != NULL)
        make_results(r, n);
    else if (n->view != NULL)
        make_view(r, n);
    else if (n->stmt->nresults > 0)
        forget(r, n);
    if (n->stmt->inst->entry != ENTRY_NONE)
        time_entry(r, n);
    else if (n->vector && r->scope != NULL)
        scope_add(r, n);
    else if (n->phases != NULL)
        run_phases(r, n);
    else if (has_pipe(n))
        time_emit(r, n, TIME_DO, (Pipe)n->pipe, 0);
}

/* ---- statements by form ---- */

static void set_constant(TimeRun *r, TimeNode *n) {
    *out(r, n, 0) = (Cell){.known = true, .n = n->constant};
}

static void pass_value(TimeRun *r, TimeNode *n) {
    *out(r, n, 0) = *in(r, n, 0);
}

/* Which way a condition leads, 0 or 1. One that data decides is taken to hold where `may`, and the
 * report says so. */
static unsigned decide(TimeRun *r, TimeNode *n, bool may) {
    const Cell *c = in(r, n, 0);
    const bool data = !c->known && c->cause != NULL && c->cause->def != NULL;
    n->assumed |= may && data;
    return (may && data) || need(r, n, 0, "the condition") != 0 ? 0 : 1;
}

static void run_if(TimeRun *r, TimeNode *n) {
    run_chosen(r, n, decide(r, n, true));
}

static void run_switch(TimeRun *r, TimeNode *n) {
    run_chosen(r, n, case_of(n, need(r, n, 0, "the case"), n->stmt->nregions - 1));
}

static void run_once(TimeRun *r, TimeNode *n) {
    run_chosen(r, n, 0);
}

static void refuse_items(TimeRun *r, TimeNode *n) {
    time_stop(r, n->stmt, "'%s' runs code of work items, of which no times are published",
              n->stmt->inst->name);
}

/* What is not listed may need a pipe. */
static void (*const run_form[STMT_FORM_COUNT])(TimeRun *r,
                                               TimeNode *n) = {[STMT_CONSTANT] = set_constant,
                                                               [STMT_BINARY] = compute,
                                                               [STMT_BITWISE] = compute,
                                                               [STMT_COMPARE_INTS] = compute,
                                                               [STMT_CAST_SIGNED] = compute,
                                                               [STMT_CAST_UNSIGNED] = compute,
                                                               [STMT_SELECT] = compute,
                                                               [STMT_RESIGN] = pass_value,
                                                               [STMT_QUERY] = query,
                                                               [STMT_ALLOC] = make_tile,
                                                               [STMT_ALLOC_MULTI] = make_tile,
                                                               [STMT_DECLARE_TILE] = make_tile,
                                                               [STMT_MULTI_GET] = get_slot,
                                                               [STMT_ASSIGN] = view_tile,
                                                               [STMT_SUBVIEW] = view_tile,
                                                               [STMT_SUBSET] = view_tile,
                                                               [STMT_WINDOW] = view_tile,
                                                               [STMT_RECAST] = view_tile,
                                                               [STMT_ALIAS] = view_tile,
                                                               [STMT_SET_VALID] = set_valid,
                                                               [STMT_GET_VALID] = get_valid,
                                                               [STMT_MAKE_VIEW] = make_view,
                                                               [STMT_PARTITION] = make_view,
                                                               [STMT_DECLARE_VIEW] = make_view,
                                                               [STMT_VIEW_EXTENT] = view_extent,
                                                               [STMT_FOR] = run_for,
                                                               [STMT_WHILE] = run_while,
                                                               [STMT_IF] = run_if,
                                                               [STMT_INDEX_SWITCH] = run_switch,
                                                               [STMT_EXECUTE_REGION] = run_once,
                                                               [STMT_SECTION] = run_once,
                                                               [STMT_ITEMS] = refuse_items,
                                                               [STMT_LAUNCH_ITEMS] = refuse_items,
                                                               [STMT_FUNCTION] = run_call,
                                                               [STMT_STORAGE] = make_array,
                                                               [STMT_ARRAY_GET] = use_array,
                                                               [STMT_ARRAY_SET] = use_array};

static void count_step(TimeRun *r, const TimeNode *n) {
    if (++r->steps > MOST_STEPS) time_stop(r, n->stmt, "the program runs too many statements");
}

static void run_node(TimeRun *r, TimeNode *n) {
    count_step(r, n);
    if (n->core != CORE_ANY && r->core != CORE_ANY && n->core != r->core) return;
    ScopeSum sum = {0};
    const bool begins = n->scope && r->scope == NULL;
    if (begins) r->scope = &sum;
    if (n->stmt->inst->sync != SYNC_NONE)
        synchronise(r, n);
    else if (run_form[n->form] != NULL)
        run_form[n->form](r, n);
    else
        run_kernel(r, n);
    if (begins) scope_end(r, n);
}

static bool is_in(const TimeBlock *b, const TimeLoop *loop) {
    const TimeLoop *l = b->loop;
    while (l != loop && l != NULL)
        l = l->outer;
    return l == loop;
}

/* Whether a branch of a block chooses between statements: both ways go on in the same turn of all
 * loops that the block is in. Else it decides how often a loop runs. */
static bool goes_on(const TimeBlock *b, const TimeNode *n) {
    for (unsigned i = 0; i < n->stmt->nways; i++) {
        if (!is_in(n->ways[i], b->loop)) return false;
        for (const TimeLoop *l = b->loop; l != NULL; l = l->outer)
            if (n->ways[i] == l->header) return false;
    }
    return true;
}

/* The block that a jump at the end of one leads to; NULL: it leaves the region. */
static const TimeBlock *jump(TimeRun *r, const TimeBlock *b, TimeNode *n) {
    unsigned way = 0;
    if (n->stmt->nways == 0) return NULL;
    if (n->form == STMT_COND_BR) way = decide(r, n, goes_on(b, n));
    if (n->form == STMT_SWITCH) {
        const unsigned none = n->stmt->nways;
        const unsigned found = case_of(n, need(r, n, 0, "the case"), none);
        way = found == none ? 0 : found + 1;
    }
    assign(r, n->ways[way]->args, n, n->way_args[way], n->ways[way]->nargs);
    return n->ways[way];
}

/* Runs a block; returns the one that follows, NULL at the end of the region. */
static const TimeBlock *run_block(TimeRun *r, const TimeBlock *b, const TimeNode **last) {
    const TimeBlock *next = NULL;
    for (TimeNode *n = b->first; n != NULL; n = n->next) {
        *last = n;
        if ((n->stmt->inst->flags & IF_TERMINATOR) == 0) {
            run_node(r, n);
        } else {
            count_step(r, n);
            next = jump(r, b, n);
        }
    }
    return next;
}

const TimeBlock *run_blocks(TimeRun *r, const TimeBlock *b, const TimeLoop *within,
                            const TimeNode **last) {
    do {
        TimeLoop *loop = b->loop;
        b = loop != NULL && loop != within && loop->header == b ? run_block_loop(r, loop, last)
                                                                : run_block(r, b, last);
    } while (b != NULL && is_in(b, within) && (within == NULL || b != within->header));
    return b;
}

/* Returns the statement that ends the region. */
const TimeNode *run_region(TimeRun *r, const TimeRegion *region) {
    const TimeNode *last = NULL;
    if (region->first != NULL) (void)run_blocks(r, region->first, NULL, &last);
    return last != NULL && (last->stmt->inst->flags & IF_TERMINATOR) != 0 ? last : NULL;
}

/* Begins at the first statement. */
static void reset(TimeRun *r) {
    r->steps = 0;
    r->scope = NULL;
    r->scopes = NULL; /* none has a statement of this run */
    r->scope_weight = 1;
    r->nscope = 0;
    probes_reset(r);
    events_reset(&r->events);
    for (TimeFunc *f = r->all; f != NULL; f = f->next)
        f->running = false; /* a run that stopped has left it */
    for (TimeNode *n = r->nodes; n != NULL; n = n->listed) {
        n->price = NULL;
        n->in_scope = 0;
    }
}

bool time_run(TimeRun *r, TimeFunc *f) {
    reset(r);
    ProbedLoop blocks;
    LoopRoom room = {NULL};
    loop_init(r, &blocks, &room, NULL, 0);
    r->block_same = 1;
    if (setjmp(r->stop) != 0) return false;
    if (r->block_step == 0 || !loop_begin(r, &blocks, UINT64_MAX)) {
        run_region(r, &f->body);
        return true;
    }
    run_region(r, &f->body);
    r->block_same = loop_end(r, &blocks, UINT64_MAX);
    r->block_period = blocks.period;
    return true;
}
