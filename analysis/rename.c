/* SPDX-License-Identifier: Apache-2.0 */
/* Translates forms and places into shared variables. */
#include "analysis/rename.h"

/* ---- variables ---- */

static SharedVariable *new_variable(SharedVariables *t, const Variable *like, uint32_t depth) {
    SharedVariable *s = ARENA_NEW(t->arena, SharedVariable);
    s->variable = *like;
    s->variable.number = t->n++;
    s->variable.depth = depth;
    s->variable.chain = NULL;
    return s;
}

const Variable *shared_value(SharedVariables *t, const void *key, const Variable *like,
                             uint32_t depth) {
    SharedVariable **at = (SharedVariable **)ptrmap_at(&t->by_key, key);
    for (const SharedVariable *s = *at; s != NULL; s = s->next)
        if (s->variable.lo == like->lo && s->variable.hi == like->hi) return &s->variable;
    SharedVariable *s = new_variable(t, like, depth);
    s->variable.kind = VAR_VALUE;
    s->variable.nest = 0;
    s->next = *at;
    *at = s;
    return &s->variable;
}

const Variable *lone_variable(SharedVariables *t, const Variable *like) {
    return &new_variable(t, like, NEVER_EQUAL)->variable;
}

Affine affine_of(Arena *arena, const Variable *v) {
    AffineTerm *t = ARENA_NEW(arena, AffineTerm);
    *t = (AffineTerm){v, 1};
    return (Affine){.n = 1, .terms = t};
}

static Affine of_variable(const Renaming *r, const Variable *v) {
    return affine_of(r->variables->arena, v);
}

/* ---- remainders, quotients, turns ---- */

/* Computes one of a number. */
static Affine of_number(const Variable *v, int64_t of) {
    const int64_t from = v->kind == VAR_REST ? of - v->lo : of;
    const int64_t rest = from % v->by, least = rest < 0 ? rest + v->by : rest;
    if (v->kind == VAR_REST) return affine_constant(v->lo + least);
    if (v->kind == VAR_TURNS) return affine_constant(v->turns[least]);
    return affine_constant(of / v->by - (rest < 0));
}

static Affine renamed_rest(Renaming *r, const Variable *v) {
    SharedVariables *t = r->variables;
    const Affine of = renamed_form(r, &v->of);
    if (of.n == 0) return of_number(v, of.c);
    SharedVariable **at = (SharedVariable **)ptrmap_at(&t->by_key, &t->forms[v->kind]);
    for (const SharedVariable *s = *at; s != NULL; s = s->next)
        if (s->variable.by == v->by && s->variable.lo == v->lo && s->variable.hi == v->hi &&
            s->variable.turns == v->turns && affine_same(&s->variable.of, &of))
            return of_variable(r, &s->variable);
    SharedVariable *s = new_variable(t, v, affine_depth(&of));
    s->variable.of = of;
    s->next = *at;
    *at = s;
    return of_variable(r, &s->variable);
}

/* ---- forms and places ---- */

static Affine renamed_variable(Renaming *r, const Variable *v) {
    if (v->kind == VAR_REST || v->kind == VAR_QUOTIENT || v->kind == VAR_TURNS)
        return renamed_rest(r, v);
    if (v->depth >= r->fresh && (r->fixed == NULL || !r->fixed(r, v)))
        return of_variable(r, lone_variable(r->variables, v));
    return r->leaf(r, v);
}

Affine renamed_form(Renaming *r, const Affine *form) {
    Affine out = affine_constant(form->c);
    out.assumed = form->assumed;
    for (uint32_t i = 0; i < form->n && !r->failed; i++) {
        const Affine one = renamed_variable(r, form->terms[i].variable);
        r->failed |= !affine_add(r->variables->arena, &out, &one, form->terms[i].by, &out);
    }
    return out;
}

static const ViewWindow *renamed_window(Renaming *r, const ViewWindow *w) {
    ViewWindow *out = ARENA_NEW(r->variables->arena, ViewWindow);
    ViewDim *dims = ARENA_ARRAY(r->variables->arena, ViewDim, w->n + 1);
    *out = *w;
    out->base = renamed_form(r, &w->base);
    out->dims = dims;
    for (uint32_t i = 0; i < w->n; i++)
        dims[i] =
            (ViewDim){renamed_form(r, &w->dims[i].offset), renamed_form(r, &w->dims[i].size),
                      renamed_form(r, &w->dims[i].extent), renamed_form(r, &w->dims[i].stride)};
    return out;
}

Place renamed_place(Renaming *r, const Place *p) {
    Place out = *p;
    out.start = renamed_form(r, &p->start);
    if (p->window != NULL) out.window = renamed_window(r, p->window);
    out.fresh = UINT32_MAX;
    if (r->failed) {
        out = (Place){.base = BASE_ANY,
                      .space = p->space,
                      .bytes = INT64_MAX,
                      .low = INT64_MIN,
                      .end = INT64_MAX,
                      .fresh = UINT32_MAX};
    } else if (out.start.n == 0 && out.bytes != INT64_MAX) {
        out.low = out.start.c;
        if (__builtin_add_overflow(out.low, out.bytes, &out.end)) out.end = INT64_MAX;
    }
    return out;
}
