/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of work items. What one of them runs is a function that finds its arguments in a struct,
 * which all share: it calls the function that the launch names, or is made of the body of a section
 * and what this uses of the function around it. */
#include "backends/c/emitter.h"

#include <string.h>

bool in_items(Emitter *e) {
    return c_of(e)->section != 0 || c_of(e)->fn->low->items;
}

/* Emits the call that runs the work items. `args` are the members of the struct; NULL: none. */
static void put_run(Emitter *e, const char *run, const char *args, unsigned needs, int64_t stack) {
    const char *together = (needs & NEED_ITEMS) != 0   ? "PTRT_ALL_TOGETHER"
                           : (needs & NEED_LANES) != 0 ? "PTRT_WARPS_TOGETHER"
                                                       : "PTRT_NONE_TOGETHER";
    if (args != NULL) open_block(e);
    if (args != NULL) ln(e, "const struct %s pto_args = {%s};", run, args);
    try_call(e, "ptrt_run_items(core, %u, %s, %s, %s, INT64_C(%lld))", (unsigned)e->line, run,
             args != NULL ? "&pto_args" : "NULL", together, (long long)stack);
    if (args != NULL) close_brace(e);
    c_of(e)->micro = true;
}

static void set_items(Emitter *e, const char *z, const char *y, const char *x) {
    try_call(e, "ptrt_set_items(core, %u, %s, %s, %s)", (unsigned)e->line, z, y, x);
}

/* ---- functions ---- */

/* Defines the function that passes the arguments on, once; returns its name. */
static const char *runner_of(Emitter *e, const Func *f) {
    StrBuf *out = &c_of(e)->head;
    const unsigned n = f->data->type->ninputs;
    char **at = (char **)ptrmap_at(&c_of(e)->runners, f);
    if (*at != NULL) return *at;
    const char *name = arena_printf(e->keep, "%s_item", f->body);
    *at = (char *)(uintptr_t)name_take(&e->globals, e->keep, name, strlen(name));
    if (n > 0) sb_printf(out, "\nstruct %s {\n", *at);
    for (unsigned i = 0; i < n; i++)
        sb_printf(out, "    %sa%u;\n", param_text(e, f->data->type->types[i], f->data->name_span),
                  i);
    if (n > 0) sb_puts(out, "};\n");
    sb_printf(out, "\nstatic int %s(ptrt_core *core, const void *args) {\n", *at);
    if (n > 0)
        sb_printf(out, "    const struct %s *a = (const struct %s *)args;\n", *at, *at);
    else
        sb_puts(out, "    (void)args;\n");
    sb_printf(out, "    return %s(core", f->body);
    for (unsigned i = 0; i < n; i++)
        sb_printf(out, ", a->a%u", i);
    sb_puts(out, ");\n}\n");
    return *at;
}

void launch_function(Emitter *e, const LowerStmt *s, const Operand *args, unsigned n) {
    const Func *f = func_of(e, s->callee);
    if (f == NULL) {
        cannot(e, s->span, "the called function is not known");
        return;
    }
    const char *run = runner_of(e, f);
    StrBuf values;
    sb_init(&values, e->arena);
    for (unsigned i = 0; i < n; i++) {
        const Value *v = args[i].value;
        const bool handle = type_is_tile(v->type) || type_is_view(v->type);
        sb_printf(&values, "%s%s%s", i > 0 ? ", " : "", handle ? "&" : "", val(e, v));
    }
    put_run(e, run, n > 0 ? sb_text(&values) : NULL, f->low->needs, f->low->stack);
}

void emit_launch_items(Emitter *e, const LowerStmt *s) {
    const Operand *o = s->args;
    set_items(e, val(e, o[2].value), val(e, o[1].value), val(e, o[0].value));
    launch_function(e, s, o + 3, s->nargs - 3);
}

/* ---- sections ---- */

/* What a section uses of the function around it, in the order of the text. */
typedef struct Captures {
    Emitter *e;
    PtrMap seen; /* those, and what the section defines */
    const Value **list;
    unsigned n, cap;
    bool registers; /* it has vector registers */
} Captures;

static void see_values(Captures *c, const Value *values, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        *ptrmap_at(&c->seen, &values[i]) = c;
        c->registers |= lower_register_span(values[i].type) != 0;
    }
}

static void see_operands(Captures *c, const Operand *o, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        void **at = ptrmap_at(&c->seen, o[i].value);
        if (*at != NULL) continue;
        *at = c;
        c->registers |= lower_register_span(o[i].value->type) != 0;
        if (c->n == c->cap) {
            c->cap = c->cap == 0 ? 16 : 2 * c->cap;
            const Value **more = ARENA_ARRAY(c->e->arena, const Value *, c->cap);
            for (unsigned k = 0; k < c->n; k++)
                more[k] = c->list[k];
            c->list = more;
        }
        c->list[c->n++] = o[i].value;
    }
}

static void see_arguments(Captures *c, const LowerRegion *r) {
    for (const LowerBlock *b = r->first; b != NULL; b = b->next)
        see_values(c, b->args, b->nargs);
}

/* Operands are defined before they are used, also in the text. */
static void see_statement(const LowerStmt *s, void *arg) {
    Captures *c = arg;
    see_operands(c, s->args, s->nargs);
    for (unsigned i = 0; i < s->nways; i++)
        see_operands(c, s->ways[i].args, s->ways[i].nargs);
    see_values(c, s->results, s->nresults);
    for (unsigned i = 0; i < s->nregions; i++)
        see_arguments(c, &s->regions[i]);
}

/* The state of the current function, which a section replaces. */
typedef struct Around {
    StrBuf *out, top;
    unsigned indent;
    bool uses_err, uses_core;
    Definition *definitions, **last_definition;
} Around;

static Around enter_section(Emitter *e, StrBuf *body) {
    CEmitter *c = c_of(e);
    const Around around = {e->out,       c->top,         e->indent,         c->uses_err,
                           c->uses_core, e->definitions, e->last_definition};
    sb_init(body, e->arena);
    sb_init(&c->top, e->arena);
    e->out = body;
    e->indent = 1;
    e->definitions = NULL;
    e->last_definition = &e->definitions;
    c->uses_err = c->uses_core = false;
    c->section = ++c->sections_seen;
    if (e->opt->trap) sb_puts(&c->top, "    int pto_bad = 0;\n    (void)pto_bad;\n");
    return around;
}

/* Writes the function of the section and goes back to the one around it. */
static void leave_section(Emitter *e, const Around *around, const char *name, const Captures *used,
                          const StrBuf *body) {
    CEmitter *c = c_of(e);
    StrBuf *out = &c->head;
    if (used->n > 0) sb_printf(out, "\nstruct %s {\n", name);
    for (unsigned i = 0; i < used->n; i++) {
        const char *t = c_type(e->arena, used->list[i]->type);
        sb_printf(out, "    %s %s;\n", t != NULL ? t : "int", name_of(e, used->list[i]));
    }
    if (used->n > 0) sb_puts(out, "};\n");
    sb_printf(out, "\nstatic int %s(ptrt_core *core, const void *args) {\n", name);
    if (used->n > 0)
        sb_printf(out, "    const struct %s *a = (const struct %s *)args;\n", name, name);
    else
        sb_puts(out, "    (void)args;\n");
    for (unsigned i = 0; i < used->n; i++) {
        const char *t = c_type(e->arena, used->list[i]->type), *v = name_of(e, used->list[i]);
        sb_printf(out, "    %s %s = a->%s;\n    (void)%s;\n", t != NULL ? t : "int", v, v, v);
    }
    if (c->uses_err) sb_puts(out, "    int err;\n");
    if (!c->uses_core) sb_puts(out, "    (void)core;\n");
    sb_puts(out, sb_text(&c->top));
    put_body(e, out, body);
    sb_puts(out, "    return PTRT_OK;\n}\n");
    e->out = around->out;
    e->indent = around->indent;
    e->definitions = around->definitions;
    e->last_definition = around->last_definition;
    c->top = around->top;
    c->uses_err = around->uses_err;
    c->uses_core = around->uses_core;
    c->section = 0;
}

static const char *dim(Emitter *e, const LowerStmt *s, unsigned i) {
    const NamedAttr *dims = stmt_attr_named(s, ATTR_dims);
    return strf(e, "%lld", (long long)dims->value->items[i]->i);
}

void emit_items(Emitter *e, const LowerStmt *s) {
    Captures used = {.e = e, .seen = {.arena = e->arena}};
    StrBuf body, values;
    see_arguments(&used, &s->regions[0]);
    lower_walk(&s->regions[0], see_statement, &used);
    if (used.registers) {
        cannot(e, s->name_span, "vector registers in code of work items have no form in C");
        return;
    }
    const char *stem = strf(e, "%s_section", c_of(e)->fn->body);
    const char *name = name_take(&e->globals, e->arena, stem, strlen(stem));
    sb_init(&values, e->arena);
    for (unsigned i = 0; i < used.n; i++)
        sb_printf(&values, "%s%s", i > 0 ? ", " : "", val(e, used.list[i]));
    set_items(e, dim(e, s, 2), dim(e, s, 1), dim(e, s, 0));
    put_run(e, name, used.n > 0 ? sb_text(&values) : NULL, s->needs, c_of(e)->fn->low->stack);
    const Around around = enter_section(e, &body);
    emit_region(e, &s->regions[0]);
    leave_section(e, &around, name, &used, &body);
}
