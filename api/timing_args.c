/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a program that is timed: integers, extents of tiles and views, and numbers for
 * values that data decides. */
#include "api/timer.h"

#include <stdlib.h>

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
            return timer_refuse(t, NULL, 1, "argument %s: expected an integer, found '%s'", name,
                                text);
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
            return timer_refuse(t, f->op, 1, "'%s': @%s has no parameter or value of this name",
                                q->args[i], timer_name(t, f));
        if (end == eq + 1 || *end != '\0')
            return timer_refuse(t, f->op, 1, "'%s': expected an integer", q->args[i]);
        given[r->ngiven++] = (GivenNumber){s.name, v};
    }
    return true;
}

bool timer_arguments(Timer *t, TimeRun *r, const LowerFunc *f) {
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
        return timer_refuse(t, f->op, 1,
                            "@%s takes %zu arguments, %zu of them numbers; %zu are given",
                            timer_name(t, f), passed, numbers, unnamed);
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
