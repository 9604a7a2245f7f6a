/* SPDX-License-Identifier: Apache-2.0 */
/* Times a program: finds the function and its arguments, runs it with numbers alone for each kind
 * of core, and collects what its statements cost. */
#include "analysis/check_sync.h"
#include "api/timer.h"

#include <stdlib.h>
#include <string.h>

static_assert(TIMING_PIPES == (int)TIMED_PIPES, "TIMING_PIPES");

uint32_t timer_line(Timer *t, Span at) {
    return at.len != 0 ? source_place(&t->res->index, at).line : 0;
}

bool timer_refuse(Timer *t, Span at, int code, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    t->call->timing.why = arena_vprintf(t->arena, fmt, ap);
    va_end(ap);
    t->call->timing.why_line = timer_line(t, at);
    t->call->timing.why_code = code;
    return false;
}

/* ---- the function ---- */

const char *timer_name(Timer *t, const LowerFunc *f) {
    const Interner *names = &t->res->ctx->names;
    return arena_strndup(t->arena, atom_text(names, f->data->name), atom_len(names, f->data->name));
}

static const Launch *find_launch(Timer *t) {
    const char *wanted = t->call->request.entry;
    const Launch *found = NULL;
    for (unsigned i = 0; i < t->lower->nlaunches; i++) {
        const Launch *l = &t->lower->launches[i];
        if (wanted == NULL && (found == NULL || (l->named->entry && !found->named->entry)))
            found = l;
        if (wanted != NULL &&
            ((l->cube != NULL && strcmp(timer_name(t, l->cube), wanted) == 0) ||
             (l->vector != NULL && strcmp(timer_name(t, l->vector), wanted) == 0)))
            return l;
    }
    return found;
}

/* Without a launch: any function that has a body. */
static const LowerFunc *find_function(Timer *t) {
    const char *wanted = t->call->request.entry;
    for (unsigned i = 0; i < t->lower->nfuncs; i++) {
        const LowerFunc *f = &t->lower->funcs[i];
        if (f->data->has_body && (wanted == NULL || strcmp(timer_name(t, f), wanted) == 0))
            return f;
    }
    if (wanted != NULL)
        timer_refuse(t, (Span){0}, 1, "there is no function '%s' with a body", wanted);
    else
        timer_refuse(t, (Span){0}, 0, "the program has no function with a body");
    return NULL;
}

/* ---- results ---- */

static bool is_shown(const TimeNode *n) {
    return n->count > 0 && (n->cycles > 0 || n->stalled > 0 || n->pipe > PIPE_S);
}

static void put_value(StrBuf *out, const Interner *names, const Value *v, const char *before) {
    sb_printf(out, "%s%%%.*s", before, (int)atom_len(names, v->name), atom_text(names, v->name));
    if (v->pack > 0) sb_printf(out, "#%u", v->pack);
}

/* The statement without its types: `pto.tadd %a, %b -> %c`; of a flag as it is written. */
static const char *statement_text(Timer *t, const Op *op) {
    StrBuf out;
    const Interner *names = &t->res->ctx->names;
    sb_init(&out, t->arena);
    if (op->inst->form != FORM_TILE) {
        op_print(&out, t->res->ctx, op, PRINT_KEEP);
        return sb_text(&out);
    }
    const char *before = " ";
    sb_puts(&out, op->inst->name);
    for (int pass = 0; pass < 2; pass++) {
        unsigned at = 0;
        for (int i = 0; i < op->inst->nslots; i++)
            for (unsigned k = slot_count(op, i); k > 0 && at < op->noperands; k--, at++) {
                const bool written = op->inst->slots[i].role == ROLE_WRITE;
                if (written != (pass == 1)) continue;
                put_value(&out, names, op->operands[at].value, before);
                before = ", ";
            }
        before = " -> ";
    }
    return sb_text(&out);
}

static void find_source(Timer *t, Span at, TimedStatement *s) {
    ptoasm_location l;
    if (at.len == 0 || !ptoasm_location_at(t->res, at.off, 0, &l) || l.line == 0) return;
    s->source_file = arena_strndup(t->arena, l.file, strlen(l.file));
    s->source_line = l.line;
}

typedef struct Slicing {
    TimedCore *core;
    TimedSlice *list;
    const PtrMap *numbers; /* TimeNode -> its number in TimedCore.list + 1 */
} Slicing;

static void add_slice(void *arg, const TimeNode *n, double start, double end) {
    Slicing *s = arg;
    const uint32_t number = (uint32_t)(uintptr_t)ptrmap_get(s->numbers, n);
    if (number != 0) s->list[s->core->nslices++] = (TimedSlice){start, end, number - 1};
}

static void collect_slices(Timer *t, const TimeRun *r, TimedCore *core, const PtrMap *numbers) {
    uint64_t n = log_runs(r);
    core->slices_left_out = n > MOST_SLICES || !r->shared->logs;
    if (n > MOST_SLICES) n = MOST_SLICES;
    Slicing s = {core, ARENA_ARRAY(t->arena, TimedSlice, n + 1u), numbers};
    core->slices = s.list;
    log_each(r, n, add_slice, &s);
}

static void collect(Timer *t, const TimeRun *r, TimedCore *core) {
    size_t n = 0;
    PtrMap numbers = {.arena = t->arena};
    for (const TimeNode *k = r->nodes; k != NULL; k = k->listed)
        n += is_shown(k);
    TimedStatement *list = ARENA_ARRAY(t->arena, TimedStatement, n + 1);
    core->list = list;
    for (const TimeNode *k = r->nodes; k != NULL; k = k->listed) {
        if (!is_shown(k)) continue;
        *ptrmap_at(&numbers, k) = (void *)(uintptr_t)(core->n + 1);
        const bool waits = k->sync == SYNC_WAIT;
        list[core->n++] = (TimedStatement){
            .line = timer_line(t, k->stmt->span),
            .name = k->stmt->inst->name,
            .text = statement_text(t, ptrmap_get(&r->origins, k->stmt)),
            .pipe = waits ? (Pipe)k->to : (Pipe)k->pipe,
            .from = waits ? (Pipe)k->pipe : PIPE_NONE,
            .set_line =
                k->setter != NULL && k->setter != k ? timer_line(t, k->setter->stmt->span) : 0,
            .count = k->count,
            .cycles = k->cycles,
            .stalled = k->stalled,
            .critical = k->critical,
            .origin = k->origin};
        find_source(t, k->stmt->span, &list[core->n - 1]);
    }
    Timing *out = &t->call->timing;
    for (const TimeNode *k = r->nodes; k != NULL; k = k->listed) {
        if (!k->assumed) continue;
        if (out->nassumed < MOST_ASSUMED)
            out->assumed[out->nassumed] = timer_line(t, k->stmt->span);
        out->nassumed++;
    }
    if (t->call->request.slices) collect_slices(t, r, core, &numbers);
}

static void collect_lines(Timer *t) {
    Timing *out = &t->call->timing;
    for (unsigned k = 0; k < out->ncores; k++)
        for (size_t i = 0; i < out->cores[k].n; i++)
            if (out->cores[k].list[i].line >= out->nlines)
                out->nlines = out->cores[k].list[i].line + 1;
    TimedLine *lines = ARENA_ARRAY(t->arena, TimedLine, out->nlines + 1u);
    for (unsigned k = 0; k < out->ncores; k++)
        for (size_t i = 0; i < out->cores[k].n; i++) {
            const TimedStatement *s = &out->cores[k].list[i];
            TimedLine *line = &lines[s->line];
            if (s->cycles > 0 || line->cycles <= 0) {
                line->count = s->count;
                line->pipe = s->pipe;
            }
            line->cycles += s->cycles;
            line->stalled += s->stalled;
        }
    out->lines = lines;
}

static int64_t whole_number(double v) {
    return v < 9e18 ? (int64_t)v : INT64_MAX;
}

static void take_totals(const TimeRun *r, TimedCore *core) {
    const Schedule *s = r->s;
    core->path_known = r->shared->logs;
    core->cycles = schedule_end(s);
    memcpy(core->busy, s->busy, sizeof core->busy);
    memcpy(core->stall, s->stall, sizeof core->stall);
    memcpy(core->by_origin, s->by_origin, sizeof core->by_origin);
    core->bytes = whole_number(s->bytes);
    core->flops = whole_number(s->flops);
    core->events = (uint64_t)whole_number(s->events);
}

/* ---- the cores of a block ---- */

static void begin_part(Timer *t, TimedBlock *b, const LowerFunc *func, Core kind, bool named) {
    TimeRun *r = &b->runs[b->n];
    Part *part = &b->list[b->n++];
    *part = (Part){.func = func, .kind = kind, .named = named};
    *r = (TimeRun){.lower = t->lower,
                   .arena = t->arena,
                   .params = &t->call->request.params,
                   .cells_of = {.arena = t->arena},
                   .funcs = {.arena = t->arena},
                   .origins = {.arena = t->arena},
                   .core = kind,
                   .grid = t->call->request.grid,
                   .block = t->call->request.block,
                   .named = named,
                   .uncut = t->call->request.uncut,
                   .number = b->n - 1u,
                   .shared = &b->shared};
    for (int p = 0; p < TIMED_PIPES; p++)
        r->scale[p] = 1;
    r->last_node = &r->nodes;
    r->s = ARENA_NEW(t->arena, Schedule);
    part->body = time_function(r, func);
    for (unsigned i = 0; i < func->data->type->ninputs; i++)
        time_cell(r, &op_regions(func->op)[0].first->args[i]);
    r->cells = ARENA_ARRAY(t->arena, Cell, r->ncells + 1);
}

/* Finds the events of the cores of a block. */
bool timer_find(Timer *t, TimedBlock *b) {
    b->shared.nchannels = 0;
    for (unsigned i = 0; i < b->n; i++) {
        TimeRun *r = &b->runs[i];
        if (!timer_arguments(t, r, b->list[i].func)) return false;
        if (!time_run(r, b->list[i].body)) return timer_refuse(t, r->where, 0, "%s", r->why);
    }
    return true;
}

/* What the proof says about a statement that waits for ever; else about any other; NULL: nothing.
 */
static const Diag *find_deadlock(const DiagList *list, Span at) {
    const Diag *found = NULL;
    for (const Diag *d = list->first; d != NULL; d = d->next) {
        if (d->id != DIAG_SYNC_DEADLOCK) continue;
        if (d->span.off == at.off && at.len != 0) return d;
        if (found == NULL) found = d;
    }
    return found;
}

/* Says that a pipe waits for ever, with the reason that the proof of the order of pipes gives. */
static bool refuse_deadlock(Timer *t, const TimeRun *r) {
    DiagList *list = &t->res->ctx->diags;
    const DiagList before = *list;
    diag_init(list, before.arena, 0);
    check_sync(t->res->module, &(SyncOptions){.profiles = PROFILE_BIT(t->call->timing.profile),
                                              .all = true,
                                              .between = true});
    const Diag *d = find_deadlock(list, r->where);
    *list = before;
    if (d == NULL) return timer_refuse(t, r->where, 0, "%s", r->why);
    const bool here = d->span.off == r->where.off;
    if (here) return timer_refuse(t, r->where, 0, "%s [%s]", d->message, diag_infos[d->id].text);
    return timer_refuse(t, r->where, 0, "%s; line %u: %s [%s]", r->why,
                        source_place(&t->res->index, d->span).line, d->message,
                        diag_infos[d->id].text);
}

bool timer_schedule(Timer *t, TimedBlock *b, bool logs) {
    b->shared.logs = logs;
    if (time_schedule(b->runs, b->n)) return true;
    if (b->runs[0].waits) return refuse_deadlock(t, &b->runs[0]);
    return timer_refuse(t, b->runs[0].where, 0, "%s", b->runs[0].why);
}

double timer_end(const TimedBlock *b) {
    double end = 0;
    for (unsigned i = 0; i < b->n; i++)
        if (schedule_end(b->runs[i].s) > end) end = schedule_end(b->runs[i].s);
    return end;
}

/* ---- the whole ---- */

static bool time_block(Timer *t, TimedBlock *b) {
    Timing *out = &t->call->timing;
    if (!timer_find(t, b) || !timer_schedule(t, b, true)) return false;
    if (b->shared.logs) log_path(b->runs, b->n);
    for (unsigned i = 0; i < b->n; i++) {
        TimedCore *core = &out->cores[out->ncores++];
        core->kind = b->list[i].named ? core_names[b->list[i].kind] : "";
        take_totals(&b->runs[i], core);
        collect(t, &b->runs[i], core);
    }
    collect_lines(t);
    for (unsigned i = 0; i < b->n; i++)
        out->steps += b->runs[i].steps;
    out->steps += b->shared.executed;
    Try tries[MOST_TRIED];
    const unsigned n = t->call->request.what_if ? timer_tries(t, b, tries) : 0;
    if (t->call->request.what_if) timer_what_if(t, b);
    timer_advise(t, b, tries, n);
    if (t->call->request.whole) timer_grid(t, b);
    out->why = NULL; /* of a run with a change */
    return true;
}

/* A function that names no kind of core, without sections, is timed as one core that has all pipes,
 * as the vendor's simulator does. */
static bool is_whole(const Timer *t, const LowerFunc *f) {
    return f->kind == CORE_ANY && !lower_kinds(t->lower->ctx, f).sections;
}

static Core only_kind(const Timer *t, const Launch *l, const LowerFunc *f) {
    if (is_whole(t, f)) return CORE_ANY;
    if (l != NULL) return l->cube != NULL ? CORE_CUBE : CORE_VECTOR;
    return (Core)f->kind;
}

static bool time_launch(Timer *t) {
    Timing *out = &t->call->timing;
    TimedBlock *b = ARENA_NEW(t->arena, TimedBlock);
    const Launch *l = find_launch(t);
    const LowerFunc *f = l == NULL ? find_function(t) : l->named;
    if (f == NULL) return false;
    const Block *body = op_regions(f->op)[0].first;
    if (body != NULL && body->first != NULL && op_simt_around(body->first) != NULL)
        return timer_refuse(t, f->span, 0,
                            "@%s is code of work items, of which no times are published",
                            timer_name(t, f));
    out->function = timer_name(t, f);
    out->line = timer_line(t, f->span);
    const bool both = l != NULL && l->cube != NULL && l->vector != NULL &&
                      (l->cube != l->vector || !is_whole(t, f));
    out->crosses = both && (l->needs & NEED_WAITS) != 0;
    if (both) {
        begin_part(t, b, l->cube, CORE_CUBE, true);
        begin_part(t, b, l->vector, CORE_VECTOR, true);
    } else {
        begin_part(t, b, f, only_kind(t, l, f), false);
    }
    if (!time_block(t, b)) return false;
    for (unsigned i = 0; i < out->ncores; i++)
        out->crosses |= out->cores[i].busy[PIPE_M] > 0 && out->cores[i].busy[PIPE_V] > 0;
    return true;
}

bool timing_of(Job *job, TimingCall *call) {
    ptoasm_result *res = job->res;
    const Profile profile = lowest_profile(job->profiles);
    Timer t = {.res = res, .call = call, .arena = &res->ctx->arena};
    if (!call->prepare(&call->request, profile, call->arg)) return false;
    if (res->index.src == NULL) res->index = source_index(&res->ctx->arena, res->ctx->source);
    call->timing = (Timing){.profile = profile,
                            .law = call->request.params.law,
                            .clock = params_clock(&call->request.params),
                            .launch = call->request.params.number[TIME_LAUNCH],
                            .grid = call->request.grid,
                            .block = call->request.block,
                            .shared = call->request.params.blocks > 1,
                            .inserted = call->timing.inserted};
    t.lower = lower_module(res->module, profile, &res->ctx->arena, &res->ctx->diags);
    if (!t.lower->ok) return false;
    return time_launch(&t);
}
