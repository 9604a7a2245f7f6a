/* Functions: which of them can be launched, their C names and signatures, bodies, calls, returns.
 */
#include "backends/c/emitter.h"
#include "backends/c/tiles.h"

#include <stdlib.h>
#include <string.h>

/* ---- which functions there are ---- */

static bool has_attr(const Context *ctx, const Op *op, const char *name) {
    return op_attr_named(ctx, op, name) != NULL;
}

static bool atom_equals(const Interner *in, Atom a, const char *text) {
    return atom_len(in, a) == strlen(text) && memcmp(atom_text(in, a), text, strlen(text)) == 0;
}

static bool marked_entry(const Context *ctx, const Op *op) {
    return has_attr(ctx, op, "pto.entry") || has_attr(ctx, op, "pto.kernel") ||
           has_attr(ctx, op, "pto.aicore") || has_attr(ctx, op, "hacc.entry");
}

static bool is_external(const Context *ctx, const Op *op) {
    const NamedAttr *a = op_attr_named(ctx, op, "pto.visibility");
    return a != NULL && a->value->kind == ATTR_STRING &&
           atom_equals(&ctx->names, a->value->text, "external");
}

static const Type *result_type(const Func *f, unsigned i) {
    return f->data->type->types[f->data->type->ninputs + i];
}

static unsigned result_count(const Func *f) {
    return f->data->type->ntypes - f->data->type->ninputs;
}

/* A function with scalar results is internal; tile results have an out parameter. */
static bool results_allow_launch(const Func *f) {
    for (unsigned i = 0; i < result_count(f); i++)
        if (!type_is_tile(result_type(f, i))) return false;
    return true;
}

static bool is_public(const Context *ctx, const Func *f) {
    return f->data->visibility == 0 || atom_equals(&ctx->names, f->data->visibility, "public");
}

/* Marks the runnable kernels among funcs[first .. nfuncs), the functions of one module. */
static void mark_kernels(Emitter *e, bool *runnable, unsigned first, unsigned n) {
    bool marked = false;
    for (unsigned i = first; i < n; i++) {
        Func *f = &e->funcs[i];
        f->entry = f->data->has_body && marked_entry(e->ctx, f->op);
        runnable[i] = f->data->has_body && results_allow_launch(f) &&
                      (f->entry || f->data->implicit || is_external(e->ctx, f->op));
        marked |= runnable[i];
    }
    for (unsigned i = first; !marked && i < n; i++) {
        const Func *f = &e->funcs[i];
        runnable[i] = f->data->has_body && is_public(e->ctx, f) && result_count(f) == 0;
    }
}

static unsigned count_functions(const Op *module) {
    unsigned n = 0;
    for (const Op *op = module->regions[0].first->first; op != NULL; op = op->next)
        n += op_is(op, INST_FUNC) ? 1 : op_is(op, INST_MODULE) ? count_functions(op) : 0;
    return n;
}

/* Functions of a module first, then those of the modules in it: each module's lie together. */
static void add_functions(Emitter *e, const Op *module, bool *runnable) {
    unsigned first = e->nfuncs;
    for (const Op *op = module->regions[0].first->first; op != NULL; op = op->next)
        if (op_is(op, INST_FUNC))
            e->funcs[e->nfuncs++] = (Func){.op = op, .module = module, .data = func_data(op)};
    mark_kernels(e, runnable, first, e->nfuncs);
    for (const Op *op = module->regions[0].first->first; op != NULL; op = op->next)
        if (op_is(op, INST_MODULE)) add_functions(e, op, runnable);
}

/* ---- names ---- */

/* The name of the file without folders and extension: that of an implicit function. */
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
    return strf(e, "%.*s", (int)atom_len(in, f->data->name), atom_text(in, f->data->name));
}

/* `k` and `k_grid`, both free. */
static void take_kernel_names(Emitter *e, Func *f) {
    const char *text = pto_name(e, f);
    const char *name = name_mangle(e->arena, text, strlen(text));
    if (name_is_reserved(name, false)) name = strf(e, "%s_", name);
    const char *grid = strf(e, "%s_grid", name);
    while (nameset_has(&e->globals, name) || nameset_has(&e->globals, grid)) {
        name = strf(e, "%s_", name);
        grid = strf(e, "%s_grid", name);
    }
    nameset_add(&e->globals, name);
    nameset_add(&e->globals, grid);
    f->name = name;
    f->grid = grid;
}

/* Extern names first, as the linker knows them; then the public ones; static ones give way. */
static void name_functions(Emitter *e, const bool *runnable) {
    for (unsigned i = 0; i < e->nfuncs; i++) {
        Func *f = &e->funcs[i];
        const char *text = pto_name(e, f);
        if (!f->data->has_body) f->body = name_take(&e->globals, e->arena, text, strlen(text));
    }
    for (unsigned i = 0; i < e->nfuncs; i++)
        if (runnable[i]) take_kernel_names(e, &e->funcs[i]);
    for (unsigned i = 0; i < e->nfuncs; i++) {
        Func *f = &e->funcs[i];
        const char *text = strf(e, "pto_%s", f->name != NULL ? f->name : pto_name(e, f));
        if (f->data->has_body) f->body = name_take(&e->globals, e->arena, text, strlen(text));
    }
}

/* ---- what kernels reach ---- */

static int compare_names(const void *a, const void *b) {
    const Func *f = *(Func *const *)a, *g = *(Func *const *)b;
    uintptr_t m = (uintptr_t)f->module, n = (uintptr_t)g->module;
    if (m != n) return m < n ? -1 : 1;
    return f->data->name < g->data->name ? -1 : f->data->name > g->data->name;
}

static void sort_functions(Emitter *e) {
    e->by_name = ARENA_ARRAY(e->arena, Func *, e->nfuncs + 1);
    for (unsigned i = 0; i < e->nfuncs; i++)
        e->by_name[i] = &e->funcs[i];
    qsort(e->by_name, e->nfuncs, sizeof *e->by_name, compare_names);
}

Func *find_callee(Emitter *e, const Op *call) {
    const NamedAttr *callee = op_attr_named(e->ctx, call, "callee");
    const Op *fn = op_function(call);
    if (callee == NULL || fn == NULL) return NULL;
    FuncData data = {.name = callee->value->text};
    Func key = {.module = region_owner(fn->block), .data = &data}, *at = &key;
    Func **found = bsearch(&at, e->by_name, e->nfuncs, sizeof *e->by_name, compare_names);
    return found != NULL ? *found : NULL;
}

static void reach(Emitter *e, Func *f) {
    if (f->reached) return;
    f->reached = true;
    f->next = e->reached;
    e->reached = f;
}

static void reach_region(Emitter *e, const Region *r) {
    for (const Block *b = r->first; b != NULL; b = b->next)
        for (const Op *op = b->first; op != NULL; op = op->next) {
            Func *callee = op_is(op, INST_CALL) ? find_callee(e, op) : NULL;
            if (callee != NULL) reach(e, callee);
            for (unsigned i = 0; i < op->nregions; i++)
                reach_region(e, &op->regions[i]);
        }
}

void collect_functions(Emitter *e) {
    unsigned n = count_functions(e->m->root);
    bool *runnable = ARENA_ARRAY(e->arena, bool, n + 1);
    e->funcs = ARENA_ARRAY(e->arena, Func, n + 1);
    add_functions(e, e->m->root, runnable);
    name_functions(e, runnable);
    sort_functions(e);
    for (unsigned i = 0; i < e->nfuncs; i++)
        if (e->funcs[i].name != NULL) reach(e, &e->funcs[i]);
    for (Func *f; (f = e->reached) != NULL;) {
        e->reached = f->next;
        if (f->data->has_body) reach_region(e, &f->op->regions[0]);
    }
}

/* ---- signatures ---- */

static Span param_span(const Func *f, unsigned i) {
    if (f->data->has_body) return (Span){f->op->regions[0].first->args[i].name_off, 1};
    return f->data->name_span;
}

/* The C type of parameter i of a body; "int " after a diagnostic. */
const char *param_text(Emitter *e, const Func *f, unsigned i) {
    const Type *type = f->data->type->types[i];
    const char *t = c_param(e->arena, type);
    if (t == NULL) {
        cannot(e, param_span(f, i), "a parameter of type '" TYPE_FMT "' has no form in C",
               TYPE_ARG(&e->ctx->names, type));
        return "int ";
    }
    return t[strlen(t) - 1] == '*' ? t : strf(e, "%s ", t);
}

/* Tile parameters arrive as pointers `p_x`; the variable `v_x` is a copy of the handle. */
static const char *param_name(Emitter *e, const Func *f, unsigned i) {
    const Value *v = &f->op->regions[0].first->args[i];
    bool handle = type_is_tile(v->type) || type_is_view(v->type);
    return handle ? strf(e, "p_%s", name_of(e, v) + 2) : name_of(e, v);
}

void put_signature(Emitter *e, StrBuf *out, const Func *f, bool with_names) {
    sb_printf(out, "int %s(ptrt_core *core", f->body);
    for (unsigned i = 0; i < f->data->type->ninputs; i++) {
        const char *t = param_text(e, f, i);
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
    const Block *entry = f->op->regions[0].first;
    for (uint32_t i = 0; i < entry->nargs; i++) {
        const Value *v = &entry->args[i];
        bool handle = type_is_tile(v->type) || type_is_view(v->type);
        if (handle)
            ln(e, "%s %s = *p_%s;", c_type(e->arena, v->type), name_of(e, v), name_of(e, v) + 2);
        defined(e, v);
    }
}

void emit_function(Emitter *e, Func *f) {
    StrBuf body;
    sb_init(&body, e->arena);
    e->fn = f;
    e->indent = 0;
    e->out = &e->text;
    e->uses_err = e->uses_core = false;
    e->sink = e->leave = (Sink){0};
    e->restores = NULL;
    locals_reset(e);
    locals_scan(e, &f->op->regions[0]);
    sb_puts(&e->text, "\n");
    start_statement(e, f->op);
    e->out = &body;
    e->indent = 1;
    sb_puts(&e->text, "static ");
    put_signature(e, &e->text, f, true);
    sb_puts(&e->text, " {\n");
    unpack_params(e, f);
    emit_region(e, &f->op->regions[0]);
    if (e->uses_err) sb_puts(&e->text, "    int err;\n");
    if (!e->uses_core) sb_puts(&e->text, "    (void)core;\n");
    put_body(e, &e->text, &body);
    sb_puts(&e->text, "}\n");
}

void emit_return(Emitter *e, const Op *op) {
    for (unsigned i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i].value;
        if (type_is_tile(v->type)) {
            e->copies_tiles = true;
            ln(e, "pto_copy_tile(pto_r%u, &%s);", i, val(e, v));
        } else {
            ln(e, "*pto_r%u = %s;", i, val(e, v));
        }
    }
    ln(e, "return PTRT_OK;");
}

/* ---- calls ---- */

void emit_call(Emitter *e, const Op *op) {
    const Func *f = find_callee(e, op);
    StrBuf args;
    if (f == NULL) {
        cannot(e, op->span, "the called function is not known");
        return;
    }
    sb_init(&args, e->arena);
    for (unsigned i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i].value;
        bool handle = type_is_tile(v->type) || type_is_view(v->type);
        sb_printf(&args, ", %s%s", handle ? "&" : "", val(e, v));
    }
    for (unsigned i = 0; i < op->nresults; i++) {
        const Value *v = &op->results[i];
        declare(e, v);
        if (type_is_tile(v->type)) bind_call_result(e, v, op->span); /* the callee copies into it */
        sb_printf(&args, ", &%s", val(e, v));
    }
    try_call(e, "%s(core%s)", f->body, sb_text(&args));
    for (unsigned i = 0; i < op->nresults; i++)
        defined(e, &op->results[i]);
}
