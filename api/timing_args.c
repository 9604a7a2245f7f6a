/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a program that is timed: integers, extents of tiles and views, and numbers for
 * values that data decides. */
#include "api/timer.h"
#include "ir/number.h"
#include "support/number.h"
#include "timing/probe.h"

#include <string.h>

static bool is_number(const Type *type) {
    return type->kind == TY_SCALAR && number_width(type) != 0;
}

static bool takes(const Type *type, bool numbers_only) {
    return !numbers_only || is_number(type);
}

/* ---- shapes ---- */

/* Finds the part of an argument that is a shape: all of it, or what follows the last colon; NULL:
 * the argument is only data. The number after `random:` is a seed. */
static const char *shape_text(const char *text) {
    static const char seeded[] = "random:";
    const bool random = strncmp(text, seeded, sizeof seeded - 1) == 0;
    const char *from = random ? text + sizeof seeded - 1 : text, *colon = strrchr(from, ':');
    if (colon != NULL) return strpbrk(colon, "./") == NULL ? colon + 1 : NULL;
    return !random && *text >= '0' && *text <= '9' && strpbrk(text, "./") == NULL ? text : NULL;
}

/* Reads a shape such as 64x128 or f32x64x128; the last `rank` numbers are the extents. */
static bool read_shape(const char *text, int64_t *dims, unsigned rank) {
    const char *end = text + strlen(text);
    for (unsigned i = rank; i-- > 0; end -= end > text) {
        const char *at = end;
        uint64_t v;
        while (at > text && at[-1] != 'x')
            at--;
        if (!number_read_digits(at, (size_t)(end - at), INT32_MAX, &v)) return false;
        dims[i] = (int64_t)v;
        end = at;
    }
    return (end == text && *text != 'x') || elem_from_text(text, (size_t)(end - text)) != ELEM_NONE;
}

/* Gives the extents that a type leaves open; the others must be as the type says. */
static bool give_shape(Timer *t, const char *name, const char *text, int64_t *dims, unsigned rank) {
    int64_t given[8];
    const char *shape = shape_text(text);
    if (shape == NULL || rank == 0) return true;
    if (!read_shape(shape, given, rank))
        return timer_refuse(t, (Span){0}, 1,
                            "argument %s: expected %u extents, as in %s, found '%s'", name, rank,
                            rank == 1   ? "64"
                            : rank == 2 ? "16x64"
                                        : "2x16x64",
                            shape);
    for (unsigned i = 0; i < rank; i++) {
        if (dims[i] >= 0 && dims[i] != given[i])
            return timer_refuse(t, (Span){0}, 1,
                                "argument %s: extent %u is %lld, but the type says %lld", name, i,
                                (long long)given[i], (long long)dims[i]);
        dims[i] = given[i];
    }
    return true;
}

static bool give(Timer *t, TimeRun *r, const Value *param, const char *name, const char *text) {
    Cell *c = &r->cells[time_cell(r, param)];
    if (is_number(param->type)) {
        uint64_t bits;
        if (!number_of_type((Elem)param->type->elem, text, &bits))
            return timer_refuse(t, (Span){0}, 1,
                                "argument %s: expected a number of type %s, found '%s'", name,
                                elem_infos[param->type->elem].text, text);
        *c = (Cell){.known = true, .n = number_signed((int64_t)bits, number_width(param->type))};
    } else if (c->view != NULL) {
        return give_shape(t, name, text, c->view->dims, c->view->rank);
    } else if (c->tile != NULL) {
        int64_t dims[2] = {c->tile->vrows, c->tile->vcols};
        if (!give_shape(t, name, text, dims, 2)) return false;
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
    if (id == INST_GET_BLOCK_IDX) probe_block(r, &r->cells[time_cell(r, param)]);
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
    const Value *found;
} NameSearch;

static bool find_name(Op *op, void *arg) {
    NameSearch *s = arg;
    for (unsigned i = 0; i < op->nresults && s->found == NULL; i++)
        if (op->results[i].name == s->name) s->found = &op->results[i];
    return s->found == NULL;
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
        if (s.found == NULL && q->lenient) continue;
        if (s.found == NULL)
            return timer_refuse(t, f->span, 1, "'%s': @%s has no parameter or value of this name",
                                q->args[i], timer_name(t, f));
        uint64_t bits;
        if (!is_number(s.found->type))
            return timer_refuse(t, s.found->def->span, 1, "'%s': %%%.*s is no integer", q->args[i],
                                (int)len, q->args[i]);
        if (!number_of_type((Elem)s.found->type->elem, eq + 1, &bits))
            return timer_refuse(t, s.found->def->span, 1, "'%s': expected a number of type %s",
                                q->args[i], elem_infos[s.found->type->elem].text);
        given[r->ngiven++] =
            (GivenNumber){s.name, number_signed((int64_t)bits, number_width(s.found->type))};
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
        return timer_refuse(t, f->span, 1,
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
