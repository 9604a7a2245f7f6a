/* SPDX-License-Identifier: Apache-2.0 */
/* Calls between functions of the C++, and the order in which functions are printed. */
#include "backends/cpp/emitter.h"

static CppFunc *func_of(Emitter *e, const LowerFunc *low) {
    return &cpp_of(e)->funcs[low - e->low->funcs];
}

void cpp_call(Emitter *e, const LowerStmt *s) {
    const CppFunc *f = s->callee != NULL ? func_of(e, s->callee) : NULL;
    StrBuf args;
    if (f == NULL) {
        cannot(e, s->span, "the called function is not known");
        return;
    }
    sb_init(&args, e->arena);
    for (unsigned i = 0; i < s->nargs; i++) {
        const Value *v = s->args[i].value;
        sb_printf(&args, "%s%s", i > 0 ? ", " : "",
                  cpp_is_view(v->type) ? cpp_any_view(e, v) : val(e, v));
    }
    if (s->nresults == 1)
        define(e, &s->results[0], "%s(%s)", f->name, sb_text(&args));
    else
        ln(e, "%s(%s);", f->name, sb_text(&args));
}

/* ---- order: callees first ---- */

typedef struct Callee {
    struct Callee *next;
    CppFunc *f;
} Callee;

/* A function whose callees are printed before it; a list, since chains of calls may be long. */
typedef struct Visit {
    struct Visit *outer; /* the one that calls it */
    Emitter *e;
    CppFunc *f;
    Callee *first, **last; /* calls that are still to be followed */
} Visit;

static void add_callee(LowerFunc *callee, void *arg) {
    Visit *v = arg;
    Callee *c = ARENA_NEW(v->e->keep, Callee);
    *c = (Callee){.f = func_of(v->e, callee)};
    *v->last = c;
    v->last = &c->next;
}

/* Begins a function unless it was; returns the innermost one that is to be finished. */
static Visit *enter(Emitter *e, CppFunc *f, Visit *outer) {
    if (f->open)
        cannot(e, f->data->name_span, "functions that call each other have no form in C++");
    if (f->visited) return outer;
    f->visited = f->open = true;
    Visit *v = ARENA_NEW(e->keep, Visit);
    *v = (Visit){.outer = outer, .e = e, .f = f};
    v->last = &v->first;
    lower_each_callee(e->low, f->low, add_callee, v);
    return v;
}

/* Prints a function after those that it calls. */
void cpp_visit(Emitter *e, CppFunc *f) {
    for (Visit *v = enter(e, f, NULL); v != NULL;) {
        const Callee *c = v->first;
        if (c != NULL) {
            v->first = c->next;
            v = enter(e, c->f, v);
            continue;
        }
        if (v->f->data->has_body) cpp_function(e, v->f);
        v->f->open = false;
        v = v->outer;
    }
}
