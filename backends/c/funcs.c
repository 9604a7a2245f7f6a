/* SPDX-License-Identifier: Apache-2.0 */
/* Functions: their C names and signatures, bodies, calls and returns. */
#include "backends/c/cover.h"
#include "backends/c/emitter.h"
#include "backends/c/observe.h"

#include <string.h>

static const Type *result_type(const Func *f, unsigned i) {
    return f->data->type->types[f->data->type->ninputs + i];
}

static unsigned result_count(const Func *f) {
    return f->data->type->ntypes - f->data->type->ninputs;
}

const Func *func_of(Emitter *e, const LowerFunc *low) {
    return low != NULL ? &c_of(e)->funcs[low - e->low->funcs] : NULL;
}

/* ---- names ---- */

/* Returns the file name without folders and extension, which names an implicit function. */
static const char *file_stem(Emitter *e) {
    const char *slash = strrchr(e->file, '/');
    const char *base = slash != NULL ? slash + 1 : e->file;
    const char *dot = strrchr(base, '.');
    size_t n = dot != NULL && dot != base ? (size_t)(dot - base) : strlen(base);
    return n == 0 || (n == 1 && base[0] == '-') ? "stdin_pto" : strf(e, "%.*s", (int)n, base);
}

static const char *pto_name(Emitter *e, const Func *f) {
    if (f->data->implicit) return file_stem(e);
    const Interner *in = &e->ctx->names;
    /* Mangled here, because a name may contain a NUL. */
    return name_mangle(e->arena, atom_text(in, f->data->name), atom_len(in, f->data->name));
}

/* Takes the names `k` and `k_grid` if both are free, else variants of them. */
static void take_kernel_names(Emitter *e, Func *f) {
    const char *text = pto_name(e, f);
    const char *name = name_mangle(e->arena, text, strlen(text));
    if (name_is_reserved(name, false)) name = strf(e, "%s_", name);
    name = name_free(&e->globals, e->arena, name, "_grid");
    const char *grid = strf(e, "%s_grid", name);
    nameset_add(&e->globals, name);
    nameset_add(&e->globals, grid);
    f->name = name;
    f->grid = grid;
}

/* Assigns the C names: extern functions first, because the linker knows them by name; then the
 * public functions; then the static ones. */
void name_functions(Emitter *e) {
    const Lower *l = e->low;
    c_of(e)->nfuncs = l->nfuncs;
    c_of(e)->funcs = ARENA_ARRAY(e->arena, Func, l->nfuncs + 1);
    for (unsigned i = 0; i < l->nfuncs; i++)
        c_of(e)->funcs[i] = (Func){.low = &l->funcs[i], .data = l->funcs[i].data};
    for (unsigned i = 0; i < l->nlaunches; i++)
        c_of(e)->funcs[l->launches[i].named - l->funcs].launch = &l->launches[i];
    for (unsigned i = 0; i < c_of(e)->nfuncs; i++) {
        Func *f = &c_of(e)->funcs[i];
        const char *text = pto_name(e, f);
        if (!f->data->has_body) f->body = name_take(&e->globals, e->arena, text, strlen(text));
    }
    for (unsigned i = 0; i < c_of(e)->nfuncs; i++)
        if (c_of(e)->funcs[i].launch != NULL) take_kernel_names(e, &c_of(e)->funcs[i]);
    for (unsigned i = 0; i < c_of(e)->nfuncs; i++) {
        Func *f = &c_of(e)->funcs[i];
        const char *text = strf(e, "pto_%s", f->name != NULL ? f->name : pto_name(e, f));
        if (f->data->has_body) f->body = name_take(&e->globals, e->arena, text, strlen(text));
    }
}

/* ---- signatures ---- */

static Span param_span(const Func *f, unsigned i) {
    if (f->data->has_body) return (Span){lower_params(f->low)[i].name_off, 1};
    return f->data->name_span;
}

const char *param_text(Emitter *e, const Type *type, Span at) {
    const char *t = c_param(e->arena, type);
    if (t == NULL) {
        cannot(e, at, "a parameter of type '" TYPE_FMT "' has no form in C",
               TYPE_ARG(&e->ctx->names, type));
        return "int ";
    }
    return t[strlen(t) - 1] == '*' ? t : strf(e, "%s ", t);
}

/* Tile and view parameters are pointers `p_x`; the variable `v_x` is a copy of the handle. Vectors
 * are pointers `r_1` and copied to registers. */
static const char *param_name(Emitter *e, const Func *f, unsigned i) {
    const Value *v = &lower_params(f->low)[i];
    if (lower_register_span(v->type) > 0) return strf(e, "r_%u", i);
    bool handle = type_is_tile(v->type) || type_is_view(v->type);
    return handle ? strf(e, "p_%s", name_of(e, v) + 2) : name_of(e, v);
}

void put_signature(Emitter *e, StrBuf *out, const Func *f, bool with_names) {
    sb_printf(out, "int %s(ptrt_core *core", f->body);
    for (unsigned i = 0; i < f->data->type->ninputs; i++) {
        const char *t = param_text(e, f->data->type->types[i], param_span(f, i));
        size_t n = strlen(t);
        bool blank = !with_names && t[n - 1] == ' ';
        sb_printf(out, ", %.*s%s", (int)(n - blank), t, with_names ? param_name(e, f, i) : "");
    }
    for (unsigned i = 0; i < result_count(f); i++) {
        const Type *type = result_type(f, i);
        const char *t = c_type(e->arena, type);
        if (t == NULL)
            cannot(e, f->data->name_span, "a result of type '" TYPE_FMT "' has no form in C",
                   TYPE_ARG(&e->ctx->names, type));
        sb_printf(out, ", %s *pto_r%u", t != NULL ? t : "void", i);
    }
    sb_puts(out, ")");
}

/* ---- bodies ---- */

static void unpack_params(Emitter *e, const Func *f) {
    for (unsigned i = 0; i < f->data->type->ninputs; i++) {
        const Value *v = &lower_params(f->low)[i];
        bool handle = type_is_tile(v->type) || type_is_view(v->type);
        if (lower_register_span(v->type) > 0)
            ln(e, "%s = *r_%u;", name_of(e, v), i);
        else if (handle)
            ln(e, "%s %s = *p_%s;", c_type(e->arena, v->type), name_of(e, v), name_of(e, v) + 2);
        defined(e, v);
    }
}

/* Declares the registers of a function: each function has its own part of the file. */
static void put_registers(Emitter *e, StrBuf *out, unsigned n) {
    if (n == 0) return;
    sb_printf(out, "    ptrt_vreg *const r = ptrt_vregs(core) + %u;\n", c_of(e)->vregs);
    if (c_of(e)->register_names.len > 0)
        sb_printf(out, "    enum {\n%s\n    };\n", sb_text(&c_of(e)->register_names));
    c_of(e)->vregs += n;
    c_of(e)->micro = true;
}

void emit_function(Emitter *e, Func *f) {
    const ArenaMark mark = emitter_enter(e);
    const LowerOptions how = {.plan = e->opt->plan,
                              .calls = true,
                              .fuse = emits_chains(e),
                              .compat = e->opt->compat,
                              .sanitize = e->opt->sanitize ? &c_of(e)->freed : NULL};
    e->body = lower_function(e->low, f->low, &how, e->arena);
    StrBuf body, *text = c_of(e)->text;
    sb_init(&body, e->arena);
    c_of(e)->fn = f;
    e->indent = 0;
    e->out = text;
    c_of(e)->uses_err = c_of(e)->uses_core = false;
    e->sink = e->leave = (Sink){0};
    sb_init(&c_of(e)->top, e->arena);
    locals_reset(e);
    const unsigned nregs = lower_registers(e->body, e->arena, &c_of(e)->registers);
    c_of(e)->nregisters = nregs;
    if (nregs > 0 && f->low->items)
        cannot(e, f->data->name_span, "vector registers in code of work items have no form in C");
    sb_init(&c_of(e)->register_names, e->arena);
    sb_puts(text, "\n");
    start_statement(e, f->low->span);
    e->out = &body;
    e->indent = 1;
    sb_puts(text, "static ");
    put_signature(e, text, f, true);
    sb_puts(text, " {\n");
    unpack_params(e, f);
    declare_pipes(e, f);
    if (f->low->alone) {
        c_of(e)->uses_core = true;
        ln(e, "if (ptrt_subblock_idx(core) != 0) return PTRT_OK;");
    }
    if (e->opt->cover) cover_function(e);
    if (e->opt->trap) sb_puts(&c_of(e)->top, "    int pto_bad = 0;\n    (void)pto_bad;\n");
    emit_region(e, &e->body->region);
    if (e->opt->cover) cover_function_end(e, f);
    if (c_of(e)->uses_err) sb_puts(text, "    int err;\n");
    if (!c_of(e)->uses_core && nregs == 0) sb_puts(text, "    (void)core;\n");
    put_registers(e, text, c_of(e)->nregisters);
    sb_puts(text, sb_text(&c_of(e)->top));
    put_body(e, text, &body);
    sb_puts(text, "}\n");
    emitter_leave(e, mark);
}

void emit_return(Emitter *e, const LowerStmt *s) {
    for (unsigned i = 0; i < s->nargs; i++) {
        const Value *v = s->args[i].value;
        if (type_is_tile(v->type)) {
            c_of(e)->copies_tiles = true;
            ln(e, "pto_copy_tile(pto_r%u, &%s);", i, val(e, v));
            observe_copy(e, s, strf(e, "pto_r%u", i));
        } else {
            ln(e, "*pto_r%u = %s;", i, val(e, v));
        }
    }
    if (e->opt->cover) cover_return(e);
    ln(e, "return PTRT_OK;");
}

/* ---- calls ---- */

void emit_call(Emitter *e, const LowerStmt *s) {
    const Func *f = func_of(e, s->callee);
    StrBuf args;
    if (f == NULL) {
        cannot(e, s->span, "the called function is not known");
        return;
    }
    if (f->low->items && !in_items(e)) {
        launch_function(e, s, s->args, s->nargs);
        return;
    }
    /* a call with results runs on every core, because all may need them */
    bool other = s->nresults == 0 && f->low->kind != CORE_ANY && f->low->kind != (int)s->core;
    if (other) c_of(e)->uses_core = true;
    if (other)
        open_brace(e, "if (%sptrt_core_is_cube(core))", f->low->kind == CORE_CUBE ? "" : "!");
    sb_init(&args, e->arena);
    for (unsigned i = 0; i < s->nargs; i++) {
        const Value *v = s->args[i].value;
        bool handle =
            type_is_tile(v->type) || type_is_view(v->type) || lower_register_span(v->type) > 0;
        sb_printf(&args, ", %s%s", handle ? "&" : "", val(e, v));
    }
    const LowerBind *bind = s->binds;
    for (unsigned i = 0; i < s->nresults; i++) {
        const Value *v = &s->results[i];
        declare(e, v);
        if (type_is_tile(v->type))
            emit_bind(e, s, bind++, val(e, v), NULL); /* the callee copies into it */
        sb_printf(&args, ", &%s", val(e, v));
    }
    try_call(e, "%s(core%s)", f->body, sb_text(&args));
    if (!f->data->has_body) observe_foreign(e, s);
    if (other) close_brace(e);
    for (unsigned i = 0; i < s->nresults; i++)
        defined(e, &s->results[i]);
}
