/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the statements of a program with numbers alone: integers are computed, tiles and views are
 * their extents, and what needs a pipe is scheduled. */
#include "ir/number.h"
#include "timing/run.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

_Noreturn void time_stop(TimeRun *r, const Op *op, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(r->why, sizeof r->why, fmt, ap);
    va_end(ap);
    r->where = op;
    longjmp(r->stop, 1);
}

_Noreturn void time_unknown(TimeRun *r, const Op *op, const char *what, const Value *cause) {
    const Interner *names = &r->lower->ctx->names;
    if (cause == NULL) time_stop(r, op, "%s is not known", what);
    const int n = (int)atom_len(names, cause->name);
    const char *text = atom_text(names, cause->name);
    if (cause->argument)
        time_stop(r, op, "%s depends on %%%.*s: give the argument, as in %.*s=1", what, n, text, n,
                  text);
    time_stop(r, op, "%s depends on %%%.*s, which '%s' gets from data: give it, as in %.*s=1", what,
              n, text, cause->def->inst->name, n, text);
}

/* ---- cells ---- */

static Cell *in(TimeRun *r, const TimeNode *n, unsigned i) {
    return &r->cells[n->in[i]];
}

static Cell *out(TimeRun *r, const TimeNode *n, unsigned i) {
    return &r->cells[n->out[i]];
}

static int64_t need(TimeRun *r, const TimeNode *n, unsigned i, const char *what) {
    const Cell *c = in(r, n, i);
    if (!c->known) time_unknown(r, n->op, what, c->cause);
    return c->n;
}

/* Results that data decides, unless the caller gave them. */
static void forget(TimeRun *r, const TimeNode *n) {
    for (unsigned i = 0; i < n->op->nresults; i++) {
        const Value *v = &n->op->results[i];
        *out(r, n, i) = (Cell){.cause = v};
        for (size_t k = 0; k < r->ngiven; k++)
            if (r->given[k].name == v->name)
                *out(r, n, i) = (Cell){.known = true, .n = r->given[k].n};
    }
}

/* Results of arithmetic on what is not known. */
static void pass_on(TimeRun *r, const TimeNode *n) {
    const Value *cause = NULL;
    for (unsigned i = 0; i < n->op->noperands && cause == NULL; i++)
        if (!in(r, n, i)->known) cause = in(r, n, i)->cause;
    forget(r, n);
    for (unsigned i = 0; i < n->op->nresults; i++)
        if (!out(r, n, i)->known && cause != NULL) out(r, n, i)->cause = cause;
}

static void compute(TimeRun *r, const TimeNode *n) {
    int64_t x[3], v;
    const unsigned count = n->op->noperands;
    bool known = count <= 3;
    for (unsigned i = 0; i < count && known; i++) {
        known = in(r, n, i)->known;
        x[i] = in(r, n, i)->n;
    }
    if (n->form == STMT_SELECT && in(r, n, 0)->known)
        *out(r, n, 0) = *in(r, n, in(r, n, 0)->n != 0 ? 1 : 2);
    else if (known && number_compute(n->op, x, &v))
        *out(r, n, 0) = (Cell){.known = true, .n = v};
    else
        pass_on(r, n);
}

static void query(TimeRun *r, const TimeNode *n) {
    const InstId id = inst_id(n->op->inst);
    const int64_t v = id == INST_GET_BLOCK_IDX      ? r->block
                      : id == INST_GET_BLOCK_NUM    ? r->grid
                      : id == INST_GET_SUBBLOCK_NUM ? 2
                                                    : 0;
    *out(r, n, 0) = (Cell){.known = true, .n = v};
}

/* ---- tiles ---- */

/* An extent of a type, or else of an operand. */
static int64_t extent(TimeRun *r, const TimeNode *n, int64_t given, OperandName name,
                      const Value **open) {
    const int slot = inst_slot(n->op->inst, name);
    if (given != DYNAMIC) return given;
    const Operand *o = slot >= 0 ? slot_operands(n->op, slot) : NULL;
    if (o == NULL) return EXTENT_OPEN;
    const Cell *c = in(r, n, (unsigned)(o - n->op->operands));
    if (!c->known) *open = c->cause;
    return c->known ? c->n : EXTENT_OPEN;
}

static void make_tile(TimeRun *r, const TimeNode *n) {
    TileNow *t = n->tile;
    if (t == NULL || t->type == NULL) return;
    const TileInfo *info = &t->type->tile;
    t->open = NULL;
    t->vrows = extent(r, n, info->vrow, OPERAND_valid_row, &t->open);
    t->vcols = extent(r, n, info->vcol, OPERAND_valid_col, &t->open);
    for (uint32_t i = 0; t->slots != NULL && i < t->type->count; i++)
        t->slots[i] = (TileNow){t->type, t->vrows, t->vcols, NULL, t->open};
    *out(r, n, 0) = (Cell){.tile = t};
}

static void get_slot(TimeRun *r, const TimeNode *n) {
    const TileNow *of = in(r, n, 0)->tile;
    if (of == NULL || of->slots == NULL) {
        make_tile(r, n);
        return;
    }
    const Cell *c = in(r, n, 1);
    const int64_t i = c->known && c->n >= 0 && c->n < (int64_t)of->type->count ? c->n : 0;
    of->slots[i].type = n->tile->type;
    *out(r, n, 0) = (Cell){.tile = &of->slots[i]};
}

/* A tile over the bytes of another: its extents are those of its type, else of the other. */
static void view_tile(TimeRun *r, const TimeNode *n) {
    const TileNow *of = n->op->noperands > 0 ? in(r, n, 0)->tile : NULL;
    if (n->tile == NULL) return; /* it changes an operand, whose extents stay */
    make_tile(r, n);
    if (of == NULL) return;
    if (n->tile->vrows < 0 && n->tile->open == NULL) n->tile->vrows = of->vrows;
    if (n->tile->vcols < 0 && n->tile->open == NULL) n->tile->vcols = of->vcols;
    if (n->tile->vrows < 0 || n->tile->vcols < 0) n->tile->open = of->open;
    if (n->form == STMT_ASSIGN) *out(r, n, 0) = *in(r, n, 0);
}

static void set_valid(TimeRun *r, const TimeNode *n) {
    TileNow *t = in(r, n, 0)->tile;
    if (t == NULL) return;
    const Cell *rows = in(r, n, 1), *cols = in(r, n, 2);
    t->vrows = rows->known ? rows->n : EXTENT_OPEN;
    t->vcols = cols->known ? cols->n : EXTENT_OPEN;
    t->open = !rows->known ? rows->cause : cols->cause;
}

static void get_valid(TimeRun *r, const TimeNode *n) {
    const TileNow *t = in(r, n, 0)->tile;
    const bool cols_only = op_is(n->op, INST_TILE_VALID_COLS);
    for (unsigned i = 0; i < n->op->nresults; i++) {
        const int64_t v = t == NULL ? EXTENT_OPEN : i == 1 || cols_only ? t->vcols : t->vrows;
        *out(r, n, i) = (Cell){.known = v >= 0, .n = v, .cause = t != NULL ? t->open : NULL};
    }
}

/* Results that are tiles, of calls and pops: with the extents of their types. */
static void make_results(TimeRun *r, const TimeNode *n) {
    if (n->tile != NULL && n->op->nresults == 1)
        make_tile(r, n);
    else
        forget(r, n);
}

/* ---- views ---- */

static void make_view(TimeRun *r, const TimeNode *n) {
    ViewNow *v = n->view;
    if (v == NULL) return;
    const Type *t = n->op->results[0].type;
    const bool part = n->form == STMT_PARTITION;
    const int slot = part                        ? inst_slot(n->op->inst, OPERAND_sizes)
                     : n->form == STMT_MAKE_VIEW ? inst_slot(n->op->inst, OPERAND_shape)
                                                 : -1;
    const Operand *sizes = slot >= 0 ? slot_operands(n->op, slot) : NULL;
    const unsigned count = slot >= 0 ? slot_count(n->op, slot) : 0;
    *v = (ViewNow){.elem = t->elem_type != NULL ? (Elem)t->elem_type->elem : ELEM_F32,
                   .rank = t->rank < 8 ? t->rank : 8};
    for (unsigned i = 0; i < v->rank; i++) {
        const Cell *c = i < count ? in(r, n, (unsigned)(sizes - n->op->operands) + i) : NULL;
        v->dims[i] = t->dims[i] != DYNAMIC   ? t->dims[i]
                     : c != NULL && c->known ? c->n
                                             : EXTENT_OPEN;
        if (v->dims[i] < 0 && c != NULL) v->open = c->cause;
    }
    *out(r, n, 0) = (Cell){.view = v};
}

static void view_extent(TimeRun *r, const TimeNode *n) {
    const ViewNow *v = in(r, n, 0)->view;
    const Cell *dim = in(r, n, 1);
    if (v == NULL || !dim->known || dim->n < 0 || dim->n >= v->rank ||
        op_is(n->op, INST_GET_TENSOR_VIEW_STRIDE)) {
        forget(r, n);
        return;
    }
    *out(r, n, 0) = (Cell){.known = v->dims[dim->n] >= 0, .n = v->dims[dim->n], .cause = v->open};
}

/* ---- synchronisation ---- */

static unsigned number_of_event(TimeRun *r, const TimeNode *n) {
    const int64_t v = n->event >= 0 ? n->event : need(r, n, 0, "the number of the event");
    if (v < 0 || v >= TIMED_EVENTS)
        time_stop(r, n->op, "there is no event number %lld", (long long)v);
    return (unsigned)v;
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
    case SYNC_NONE:
        break;
    }
}

/* ---- control flow ---- */

static const TimeNode *run_region(TimeRun *r, const TimeRegion *region);

static void assign(TimeRun *r, const uint32_t *to, const TimeNode *from, unsigned first,
                   unsigned n) {
    Cell few[16], *copy = n <= 16 ? few : ARENA_ARRAY(r->arena, Cell, n);
    for (unsigned i = 0; i < n; i++)
        copy[i] = r->cells[from->in[first + i]];
    for (unsigned i = 0; i < n; i++)
        r->cells[to[i]] = copy[i];
}

static unsigned fewer(unsigned a, unsigned b) {
    return a < b ? a : b;
}

static void run_for(TimeRun *r, TimeNode *n) {
    const char *what = "the number of iterations";
    const int64_t lo = need(r, n, 0, what), hi = need(r, n, 1, what), step = need(r, n, 2, what);
    TimeBlock *body = n->regions[0].first;
    const unsigned carried = n->op->nresults;
    if (step <= 0) time_stop(r, n->op, "the step %lld is not positive", (long long)step);
    for (unsigned i = 0; i < carried; i++)
        r->cells[n->out[i]] = *in(r, n, n->op->noperands - carried + i);
    for (int64_t i = lo; i < hi; i += step) {
        r->cells[body->args[0]] = (Cell){.known = true, .n = i};
        for (unsigned k = 0; k < carried; k++)
            r->cells[body->args[1 + k]] = r->cells[n->out[k]];
        const TimeNode *end = run_region(r, &n->regions[0]);
        if (end != NULL) assign(r, n->out, end, 0, fewer(carried, end->op->noperands));
        if (i > INT64_MAX - step) break;
    }
}

static void run_while(TimeRun *r, TimeNode *n) {
    TimeBlock *before = n->regions[0].first, *after = n->regions[1].first;
    for (unsigned i = 0; i < before->nargs; i++)
        r->cells[before->args[i]] = *in(r, n, i);
    for (;;) {
        const TimeNode *end = run_region(r, &n->regions[0]);
        const Cell *go = in(r, end, 0);
        if (!go->known) time_unknown(r, n->op, "the number of iterations", go->cause);
        const unsigned passed = end->op->noperands - 1;
        if (go->n == 0) {
            assign(r, n->out, end, 1, fewer(passed, n->op->nresults));
            return;
        }
        assign(r, after->args, end, 1, fewer(passed, after->nargs));
        end = run_region(r, &n->regions[1]);
        assign(r, before->args, end, 0, fewer(end->op->noperands, before->nargs));
    }
}

static void run_chosen(TimeRun *r, TimeNode *n, unsigned which) {
    const TimeNode *end = which < n->op->nregions ? run_region(r, &n->regions[which]) : NULL;
    if (end != NULL) assign(r, n->out, end, 0, fewer(end->op->noperands, n->op->nresults));
}

static unsigned case_of(const TimeNode *n, AttrName name, int64_t v, unsigned otherwise) {
    const NamedAttr *cases = op_attr_named(n->op, name);
    const Attr *a = cases != NULL ? cases->value : NULL;
    for (uint32_t i = 0; a != NULL && i < a->n; i++)
        if (a->items[i]->i == v) return i;
    return otherwise;
}

static void run_call(TimeRun *r, TimeNode *n) {
    TimeFunc *f = n->callee;
    if (f == NULL)
        time_stop(r, n->op,
                  "how long the function that is called takes is not known: it has no body");
    if (f->running) time_stop(r, n->op, "the function calls itself");
    assign(r, f->body.first->args, n, 0, fewer(n->op->noperands, f->body.first->nargs));
    f->running = true;
    const TimeNode *end = run_region(r, &f->body);
    f->running = false;
    if (end != NULL) assign(r, n->out, end, 0, fewer(end->op->noperands, n->op->nresults));
}

/* ---- statements ---- */

static void run_kernel(TimeRun *r, TimeNode *n) {
    if (n->tile != NULL)
        make_results(r, n);
    else if (n->view != NULL)
        make_view(r, n);
    else if (n->op->nresults > 0)
        forget(r, n);
    if (n->op->inst->entry != ENTRY_NONE)
        time_entry(r, n);
    else if (n->pipe > PIPE_S && n->pipe < TIMED_PIPES)
        time_emit(r, n, TIME_DO, (Pipe)n->pipe, 0);
}

/* ---- arrays of event ids and integers ---- */

static void make_array(TimeRun *r, TimeNode *n) {
    enum { MOST = 4096 };
    const Type *t = n->op->results[0].type;
    const bool events = t->kind == TY_EVENT_ARRAY;
    const int64_t count = events                                      ? t->count
                          : t->kind == TY_LOCAL_ARRAY && t->rank == 1 ? t->dims[0]
                                                                      : 0;
    Cell *c = out(r, n, 0);
    *c = (Cell){.cause = &n->op->results[0]};
    if (count <= 0 || count > MOST) return;
    if (n->store == NULL) n->store = ARENA_ARRAY(r->arena, Cell, (size_t)count);
    c->array = n->store;
    c->count = count;
    for (int64_t i = 0; i < count; i++)
        c->array[i] = (Cell){.known = true};
}

/* An element of the array in operand 0, at the index in the next one; NULL: not known. */
static Cell *element(TimeRun *r, const TimeNode *n) {
    const Cell *array = in(r, n, 0);
    const Cell *index = n->op->noperands > 1 ? in(r, n, 1) : NULL;
    if (array->array == NULL || index == NULL || !index->known) return NULL;
    return index->n >= 0 && index->n < array->count ? &array->array[index->n] : NULL;
}

static void use_array(TimeRun *r, TimeNode *n) {
    Cell *at = element(r, n);
    if (n->form == STMT_ARRAY_SET) {
        if (at != NULL) *at = *in(r, n, n->op->noperands - 1);
    } else if (at != NULL && n->op->nresults == 1) {
        *out(r, n, 0) = *at;
    } else {
        forget(r, n);
    }
}

static void run_node(TimeRun *r, TimeNode *n) {
    if (++r->steps > MOST_STEPS) time_stop(r, n->op, "the program runs too many statements");
    if (n->core != CORE_ANY && r->core != CORE_ANY && n->core != r->core) return;
    if (n->op->inst->sync != SYNC_NONE) {
        synchronise(r, n);
        return;
    }
    switch ((StmtForm)n->form) {
    case STMT_CONSTANT:
        *out(r, n, 0) = (Cell){.known = true, .n = n->constant};
        break;
    case STMT_BINARY:
    case STMT_BITWISE:
    case STMT_COMPARE_INTS:
    case STMT_CAST_SIGNED:
    case STMT_CAST_UNSIGNED:
    case STMT_SELECT:
        compute(r, n);
        break;
    case STMT_RESIGN:
        *out(r, n, 0) = *in(r, n, 0);
        break;
    case STMT_QUERY:
        query(r, n);
        break;
    case STMT_ALLOC:
    case STMT_ALLOC_MULTI:
    case STMT_DECLARE_TILE:
        make_tile(r, n);
        break;
    case STMT_MULTI_GET:
        get_slot(r, n);
        break;
    case STMT_ASSIGN:
    case STMT_SUBVIEW:
    case STMT_SUBSET:
    case STMT_WINDOW:
    case STMT_RECAST:
    case STMT_ALIAS:
        view_tile(r, n);
        break;
    case STMT_SET_VALID:
        set_valid(r, n);
        break;
    case STMT_GET_VALID:
        get_valid(r, n);
        break;
    case STMT_MAKE_VIEW:
    case STMT_PARTITION:
    case STMT_DECLARE_VIEW:
        make_view(r, n);
        break;
    case STMT_VIEW_EXTENT:
        view_extent(r, n);
        break;
    case STMT_FOR:
        run_for(r, n);
        break;
    case STMT_WHILE:
        run_while(r, n);
        break;
    case STMT_IF:
        run_chosen(r, n, need(r, n, 0, "the condition") != 0 ? 0 : 1);
        break;
    case STMT_INDEX_SWITCH:
        run_chosen(r, n, case_of(n, ATTR_cases, need(r, n, 0, "the case"), n->op->nregions - 1));
        break;
    case STMT_EXECUTE_REGION:
    case STMT_SECTION:
        run_chosen(r, n, 0);
        break;
    case STMT_ITEMS:
    case STMT_LAUNCH_ITEMS:
        time_stop(r, n->op, "code of work items is not modelled");
    case STMT_FUNCTION:
        run_call(r, n);
        break;
    case STMT_STORAGE:
        make_array(r, n);
        break;
    case STMT_ARRAY_GET:
    case STMT_ARRAY_SET:
        use_array(r, n);
        break;
    default:
        run_kernel(r, n);
        break;
    }
}

/* The block that a jump leads to; NULL: it leaves the region. */
static const TimeBlock *jump(TimeRun *r, const TimeNode *n) {
    unsigned way = 0;
    if (n->op->nsuccs == 0) return NULL;
    if (n->form == STMT_COND_BR) way = need(r, n, 0, "the condition") != 0 ? 0 : 1;
    if (n->form == STMT_SWITCH) {
        const unsigned none = n->op->nsuccs;
        const unsigned found = case_of(n, ATTR_case_values, need(r, n, 0, "the case"), none);
        way = found == none ? 0 : found + 1;
    }
    assign(r, n->ways[way]->args, n, n->way_args[way], n->ways[way]->nargs);
    return n->ways[way];
}

/* Returns the statement that ends the region. */
static const TimeNode *run_region(TimeRun *r, const TimeRegion *region) {
    const TimeBlock *b = region->first;
    const TimeNode *last = NULL;
    while (b != NULL) {
        const TimeBlock *next = NULL;
        for (TimeNode *n = b->first; n != NULL; n = n->next) {
            last = n;
            if ((n->op->inst->flags & IF_TERMINATOR) == 0) {
                run_node(r, n);
            } else {
                if (++r->steps > MOST_STEPS)
                    time_stop(r, n->op, "the program runs too many statements");
                next = jump(r, n);
            }
        }
        b = next;
    }
    return last != NULL && (last->op->inst->flags & IF_TERMINATOR) != 0 ? last : NULL;
}

void time_reset(TimeRun *r) {
    r->steps = 0;
    memset(r->s, 0, sizeof *r->s);
    r->done = r->nevents = 0;
    for (int p = 0; p < TIMED_PIPES; p++)
        r->s->last[p] = -1;
    for (TimeNode *n = r->nodes; n != NULL; n = n->listed) {
        n->count = 0;
        n->cycles = n->stalled = n->critical = 0;
        n->price = NULL;
        n->setter = NULL;
    }
}

bool time_run(TimeRun *r, TimeFunc *f) {
    if (setjmp(r->stop) != 0) return false;
    run_region(r, &f->body);
    return true;
}
