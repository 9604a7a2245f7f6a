/* SPDX-License-Identifier: Apache-2.0 */
/* Times a program: finds the function and its arguments, runs it with numbers alone for each kind
 * of core, and collects what its statements cost. */
#include "api/timing.h"

#include "api/job.h"
#include "timing/run.h"

#include <stdlib.h>
#include <string.h>

const char *const timing_pipe_names[TIMING_PIPES] = {"other core", "S",    "V",    "M",
                                                     "MTE1",       "MTE2", "MTE3", "FIX"};
static_assert(TIMING_PIPES == (int)TIMED_PIPES, "TIMING_PIPES");

typedef struct Timer {
    ptoasm_result *res;
    TimingCall *call;
    const Lower *lower;
    Arena *arena;
} Timer;

static bool refuse(Timer *t, const Op *at, int code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static uint32_t line_of(Timer *t, const Op *op) {
    return op != NULL && op->span.len != 0 ? source_place(&t->res->index, op->span).line : 0;
}

static bool refuse(Timer *t, const Op *at, int code, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    t->call->timing.why = arena_vprintf(t->arena, fmt, ap);
    va_end(ap);
    t->call->timing.why_line = line_of(t, at);
    t->call->timing.why_code = code;
    return false;
}

/* ---- the function ---- */

static const char *func_name(Timer *t, const LowerFunc *f) {
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
        if (wanted != NULL && ((l->cube != NULL && strcmp(func_name(t, l->cube), wanted) == 0) ||
                               (l->vector != NULL && strcmp(func_name(t, l->vector), wanted) == 0)))
            return l;
    }
    return found;
}

/* Without a launch: any function that has a body. */
static const LowerFunc *find_function(Timer *t) {
    const char *wanted = t->call->request.entry;
    for (unsigned i = 0; i < t->lower->nfuncs; i++) {
        const LowerFunc *f = &t->lower->funcs[i];
        if (f->data->has_body && (wanted == NULL || strcmp(func_name(t, f), wanted) == 0)) return f;
    }
    if (wanted != NULL)
        refuse(t, NULL, 1, "there is no function '%s' with a body", wanted);
    else
        refuse(t, NULL, 0, "the program has no function with a body");
    return NULL;
}

/* ---- arguments ---- */

static bool is_number(const Type *type) {
    return type->kind == TY_SCALAR && number_width(type) != 0;
}

static bool takes(const Type *type, bool numbers_only) {
    return !numbers_only || is_number(type);
}

/* Reads the extents of a view or tile, such as 64x128; a shape after a colon counts too. */
static void read_shape(const char *text, int64_t *dims, unsigned rank) {
    const char *at = strrchr(text, ':') != NULL ? strrchr(text, ':') + 1 : text;
    for (unsigned i = 0; i < rank && *at >= '0' && *at <= '9'; i++) {
        char *end;
        const long long v = strtoll(at, &end, 10);
        if (dims[i] < 0 || i == 0) dims[i] = v;
        at = *end == 'x' || *end == ',' ? end + 1 : "";
    }
}

static bool give(Timer *t, TimeRun *r, const Value *param, const char *name, const char *text) {
    Cell *c = &r->cells[time_cell(r, param)];
    if (is_number(param->type)) {
        char *end;
        const long long v = strtoll(text, &end, 0);
        if (end == text || *end != '\0')
            return refuse(t, NULL, 1, "argument %s: expected an integer, found '%s'", name, text);
        *c = (Cell){.known = true, .n = number_signed(v, number_width(param->type))};
    } else if (c->view != NULL) {
        read_shape(text, c->view->dims, c->view->rank);
    } else if (c->tile != NULL) {
        int64_t dims[2] = {c->tile->vrows, c->tile->vcols};
        read_shape(text, dims, 2);
        c->tile->vrows = dims[0];
        c->tile->vcols = dims[1];
    }
    return true;
}

/* What is known of a parameter without an argument. */
static void begin_param(TimeRun *r, const Value *param) {
    Cell *c = &r->cells[time_cell(r, param)];
    const Type *type = param->type;
    *c = (Cell){.cause = param};
    if (type_is_tile(type) && type->kind == TY_TILE) {
        c->tile = ARENA_NEW(r->arena, TileNow);
        *c->tile = (TileNow){.type = type, .open = param};
        c->tile->vrows = type->tile.vrow == DYNAMIC ? EXTENT_OPEN : type->tile.vrow;
        c->tile->vcols = type->tile.vcol == DYNAMIC ? EXTENT_OPEN : type->tile.vcol;
    } else if (type->kind == TY_TENSOR_VIEW || type->kind == TY_PART_VIEW) {
        c->view = ARENA_NEW(r->arena, ViewNow);
        *c->view = (ViewNow){.elem = (Elem)type->elem_type->elem,
                             .rank = type->rank < 8 ? type->rank : 8,
                             .open = param};
        for (unsigned i = 0; i < c->view->rank; i++)
            c->view->dims[i] = type->dims[i] == DYNAMIC ? EXTENT_OPEN : type->dims[i];
    }
}

static const char *param_name(Timer *t, const Value *v) {
    const Interner *names = &t->res->ctx->names;
    return arena_strndup(t->arena, atom_text(names, v->name), atom_len(names, v->name));
}

static bool supply(TimeRun *r, const Value *param, const Inst *query) {
    if (query == NULL) return false;
    const InstId id = inst_id(query);
    r->cells[time_cell(r, param)] = (Cell){.known = true,
                                           .n = id == INST_GET_BLOCK_IDX   ? r->block
                                                : id == INST_GET_BLOCK_NUM ? r->grid
                                                                           : 0};
    return true;
}

/* The argument of a parameter: by its name, else the next one without a name; NULL: none. */
static const char *argument_for(const TimingRequest *q, const char *name, size_t *next) {
    const size_t n = strlen(name);
    for (size_t i = 0; i < q->nargs; i++)
        if (strncmp(q->args[i], name, n) == 0 && q->args[i][n] == '=') return q->args[i] + n + 1;
    while (*next < q->nargs && strchr(q->args[*next], '=') != NULL && q->args[*next][0] != '=')
        ++*next;
    return *next < q->nargs ? q->args[(*next)++] : NULL;
}

static bool is_param(Timer *t, const char *name, size_t n, unsigned nparams, const Value *params) {
    for (unsigned k = 0; k < nparams; k++) {
        const char *param = param_name(t, &params[k]);
        if (strlen(param) == n && strncmp(param, name, n) == 0) return true;
    }
    return false;
}

typedef struct NameSearch {
    Atom name;
    bool found;
} NameSearch;

static bool find_name(Op *op, void *arg) {
    NameSearch *s = arg;
    for (unsigned i = 0; i < op->nresults; i++)
        s->found |= op->results[i].name == s->name;
    return !s->found;
}

/* Takes the arguments that name no parameter: numbers for values that data decides. */
static bool take_given(Timer *t, TimeRun *r, const LowerFunc *f) {
    const TimingRequest *q = &t->call->request;
    const unsigned n = f->data->type->ninputs;
    GivenNumber *given = ARENA_ARRAY(t->arena, GivenNumber, q->nargs + 1);
    r->given = given;
    r->ngiven = 0;
    for (size_t i = 0; i < q->nargs; i++) {
        const char *eq = strchr(q->args[i], '=');
        const size_t len = eq != NULL ? (size_t)(eq - q->args[i]) : 0;
        if (len == 0 || is_param(t, q->args[i], len, n, op_regions(f->op)[0].first->args)) continue;
        NameSearch s = {.name = intern(&t->res->ctx->names, q->args[i], len)};
        op_walk(t->res->module->root, find_name, &s);
        char *end;
        const long long v = strtoll(eq + 1, &end, 0);
        if (!s.found && q->lenient) continue;
        if (!s.found)
            return refuse(t, f->op, 1, "'%s': @%s has no parameter or value of this name",
                          q->args[i], func_name(t, f));
        if (end == eq + 1 || *end != '\0')
            return refuse(t, f->op, 1, "'%s': expected an integer", q->args[i]);
        given[r->ngiven++] = (GivenNumber){s.name, v};
    }
    return true;
}

static bool give_arguments(Timer *t, TimeRun *r, const LowerFunc *f) {
    const TimingRequest *q = &t->call->request;
    const unsigned n = f->data->type->ninputs;
    const Value *params = op_regions(f->op)[0].first->args;
    size_t unnamed = 0, next = 0, numbers = 0, passed = 0;
    for (size_t i = 0; i < q->nargs; i++)
        unnamed += strchr(q->args[i], '=') == NULL || q->args[i][0] == '=';
    for (unsigned i = 0; i < n; i++) {
        const bool supplied = lower_param_query(t->res->ctx, f->op, i) != NULL;
        numbers += is_number(params[i].type) && !supplied;
        passed += !supplied;
    }
    if (!take_given(t, r, f)) return false;
    const bool numbers_only = unnamed <= numbers && unnamed < passed;
    if (!numbers_only && unnamed > passed)
        return refuse(t, f->op, 1, "@%s takes %zu arguments, %zu of them numbers; %zu are given",
                      func_name(t, f), passed, numbers, unnamed);
    for (unsigned i = 0; i < n; i++) {
        begin_param(r, &params[i]);
        if (supply(r, &params[i], lower_param_query(t->res->ctx, f->op, i))) continue;
        const char *name = param_name(t, &params[i]);
        size_t none = q->nargs;
        const char *text =
            argument_for(q, name, takes(params[i].type, numbers_only) ? &next : &none);
        if (text != NULL && !give(t, r, &params[i], name, text)) return false;
    }
    return true;
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
        list[core->n++] =
            (TimedStatement){.line = line_of(t, k->op),
                             .name = k->op->inst->name,
                             .text = statement_text(t, k->op),
                             .pipe = waits ? (Pipe)k->to : (Pipe)k->pipe,
                             .from = waits ? (Pipe)k->pipe : PIPE_NONE,
                             .set_line = k->setter != NULL ? line_of(t, k->setter->op) : 0,
                             .count = k->count,
                             .cycles = k->cycles,
                             .stalled = k->stalled,
                             .critical = k->critical,
                             .origin = k->origin};
    }
    TimedSlice *slices = ARENA_ARRAY(t->arena, TimedSlice, r->shared->nlog + 1u);
    core->slices = slices;
    for (uint32_t i = 0; i < r->shared->nlog; i++) {
        const Logged *l = &r->shared->log[i];
        const uint32_t number = (uint32_t)(uintptr_t)ptrmap_get(&numbers, l->node);
        if (number != 0) slices[core->nslices++] = (TimedSlice){l->start, l->end, number - 1};
    }
}

static void take_totals(const TimeRun *r, TimedCore *core) {
    const Schedule *s = r->s;
    core->path_known = r->shared->nlog < MOST_LOGGED;
    core->cycles = schedule_end(s);
    memcpy(core->busy, s->busy, sizeof core->busy);
    memcpy(core->stall, s->stall, sizeof core->stall);
    memcpy(core->by_origin, s->by_origin, sizeof core->by_origin);
    core->bytes = s->bytes;
    core->flops = s->flops;
    core->events = s->events;
}

/* ---- the cores of a block ---- */

/* A core and what it runs. */
typedef struct Part {
    const LowerFunc *func;
    TimeFunc *body;
    Core kind;
    bool named; /* there are others */
} Part;
typedef struct TimedBlock {
    Part list[2];
    TimeRun runs[2];
    unsigned n;
    TimeShared shared;
} TimedBlock;

static void begin_part(Timer *t, TimedBlock *b, const LowerFunc *func, Core kind, bool named) {
    TimeRun *r = &b->runs[b->n];
    Part *part = &b->list[b->n++];
    *part = (Part){.func = func, .kind = kind, .named = named};
    *r = (TimeRun){.lower = t->lower,
                   .arena = t->arena,
                   .params = &t->call->request.params,
                   .cells_of = {.arena = t->arena},
                   .funcs = {.arena = t->arena},
                   .core = kind,
                   .grid = t->call->request.grid,
                   .block = t->call->request.block,
                   .records = named,
                   .shared = &b->shared};
    for (int p = 0; p < TIMED_PIPES; p++)
        r->scale[p] = 1;
    r->last_node = &r->nodes;
    r->s = ARENA_NEW(t->arena, Schedule);
    part->body = time_function(r, func->op);
    for (unsigned i = 0; i < func->data->type->ninputs; i++)
        time_cell(r, &op_regions(func->op)[0].first->args[i]);
    r->cells = ARENA_ARRAY(t->arena, Cell, r->ncells + 1);
}

/* Runs the cores of a block; false after refuse(). */
static bool run_block(Timer *t, TimedBlock *b) {
    b->shared.nlog = 0;
    b->shared.nchannels = 0;
    for (unsigned i = 0; i < b->n; i++) {
        TimeRun *r = &b->runs[i];
        time_reset(r);
        if (!give_arguments(t, r, b->list[i].func)) return false;
        if (!time_run(r, b->list[i].body)) return refuse(t, r->where, 0, "%s", r->why);
    }
    if (b->runs[0].records && !time_schedule(b->runs, b->n))
        return refuse(t, b->runs[0].where, 0, "%s", b->runs[0].why);
    return true;
}

static double block_end(const TimedBlock *b) {
    double end = 0;
    for (unsigned i = 0; i < b->n; i++)
        if (schedule_end(b->runs[i].s) > end) end = schedule_end(b->runs[i].s);
    return end;
}

/* ---- what if ---- */

static void add_what_if(Timer *t, const char *what, double cycles) {
    Timing *out = &t->call->timing;
    if (out->nwhat_if < MOST_WHAT_IFS) out->what_if[out->nwhat_if++] = (WhatIf){what, cycles};
}

static void scale_pipe(TimedBlock *b, int pipe, double by) {
    for (unsigned i = 0; i < b->n; i++)
        b->runs[i].scale[pipe] = by;
}

static void ask_what_if(Timer *t, TimedBlock *b) {
    const Timing *out = &t->call->timing;
    double most = 0;
    for (int p = PIPE_V; p < TIMING_PIPES; p++) {
        double busy = 0;
        for (unsigned i = 0; i < out->ncores; i++)
            if (out->cores[i].busy[p] > busy) busy = out->cores[i].busy[p];
        if (busy > most) most = busy;
        if (busy == 0) continue;
        scale_pipe(b, p, 0);
        if (run_block(t, b))
            add_what_if(t, arena_printf(t->arena, "%s takes no time", timing_pipe_names[p]),
                        block_end(b));
        scale_pipe(b, p, 1);
    }
    add_what_if(t, "pipes overlap perfectly", most);
}

/* ---- advice ---- */

enum { MOST_TRIED = 24 };
typedef struct Try {
    TimeNode *node;
    bool rounds;
    double weight; /* what it may save at most */
    const char *text;
    uint32_t line;
} Try;

/* What a wait says about the program. */
static const char *wait_advice(Timer *t, const TimeNode *n) {
    const Pipe from = (Pipe)n->pipe, to = (Pipe)n->to;
    const uint32_t set = n->setter != NULL ? line_of(t, n->setter->op) : 0;
    if (n->op->inst->sync == SYNC_BARRIER)
        return "no barrier here, if nothing needs it (check --lint says whether the proof does)";
    if (to == PIPE_MTE2)
        return arena_printf(t->arena, "loads wait until %s has read the buffer: a second buffer",
                            timing_pipe_names[from]);
    if (to == PIPE_MTE1 && from == PIPE_M)
        return "moves wait until the cube has read the tile: a second tile in left and right";
    if (to == PIPE_V && from == PIPE_MTE3)
        return "the vector unit waits until its result is stored: a second buffer for it";
    if (to == PIPE_M && from == PIPE_FIX)
        return "the cube waits until its result is stored: a second accumulator";
    if (from == PIPE_MTE2)
        return arena_printf(t->arena, "%s waits for the load before line %u: loading it earlier",
                            timing_pipe_names[to], set);
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
    const PriceRule rule = price_row(n->op->inst)->rule;
    return n->pipe == PIPE_V && n->cycles > 0 && r->params->profile == PROFILE_A2A3 &&
           (rule == RULE_BINARY || rule == RULE_SCALAR || rule == RULE_UNARY ||
            rule == RULE_QUOTIENT);
}

static unsigned find_tries(Timer *t, const TimedBlock *b, Try *list) {
    unsigned n = 0;
    for (unsigned i = 0; i < b->n; i++)
        for (TimeNode *k = b->runs[i].nodes; k != NULL; k = k->listed) {
            const uint32_t line = line_of(t, k->op);
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
static void advise(Timer *t, TimedBlock *b, const Try *tries, unsigned n) {
    Timing *out = &t->call->timing;
    double total = 0;
    for (unsigned i = 0; i < out->ncores; i++)
        if (out->cores[i].cycles > total) total = out->cores[i].cycles;
    for (unsigned i = 0; i < n && total > 0; i++) {
        tries[i].node->ignored = !tries[i].rounds;
        tries[i].node->rounded = tries[i].rounds;
        const double gain = run_block(t, b) ? total - block_end(b) : 0;
        tries[i].node->ignored = tries[i].node->rounded = false;
        if (gain >= total / 100)
            add_advice(out, (TimingAdvice){tries[i].line, tries[i].text, gain});
    }
}

/* ---- the whole ---- */

static bool time_block(Timer *t, TimedBlock *b) {
    Timing *out = &t->call->timing;
    if (!run_block(t, b)) return false;
    schedule_path(&b->shared);
    for (unsigned i = 0; i < b->n; i++) {
        TimedCore *core = &out->cores[out->ncores++];
        core->kind = b->list[i].named ? core_names[b->list[i].kind] : "";
        take_totals(&b->runs[i], core);
        collect(t, &b->runs[i], core);
    }
    Try tries[MOST_TRIED];
    const unsigned n = t->call->request.what_if ? find_tries(t, b, tries) : 0;
    if (t->call->request.what_if) ask_what_if(t, b);
    advise(t, b, tries, n);
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
    out->function = func_name(t, f);
    out->line = line_of(t, f->op);
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
                            .inserted = call->timing.inserted};
    t.lower = lower_module(res->module, profile, &res->ctx->arena, &res->ctx->diags);
    if (!t.lower->ok) return false;
    return time_launch(&t);
}
