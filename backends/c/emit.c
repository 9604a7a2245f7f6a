/* SPDX-License-Identifier: Apache-2.0 */
/* Emission of a module: assembles the C file and the header from their parts. */
#include "backends/c/emit.h"
#include "backends/c/cover.h"
#include "backends/c/emitter.h"
#include "backends/c/observe.h"

#include <string.h>

static const char *c_value_name(Emitter *e, const Value *v) {
    const Interner *in = &e->ctx->names;
    if (v->name == 0) return "v_t";
    return strf(e, "v_%s", name_mangle(e->arena, atom_text(in, v->name), atom_len(in, v->name)));
}

static const char *type_of_local(Emitter *e, const Value *v) {
    return c_type(e->arena, v->type);
}

/* Defines the type of several registers that follow each other, and a macro for those from one on.
 */
static void need_span(Emitter *e, unsigned span) {
    const char *key = strf(e, "%u", span);
    CEmitter *c = c_of(e);
    if (intern_find(&c->spans, key, strlen(key)) != 0) return;
    intern_copy(&c->spans, key, strlen(key));
    sb_printf(&c->types,
              "typedef struct pto_vregs%u {\n    ptrt_vreg r[%u];\n} pto_vregs%u;\n"
              "#define pto_at%u(i) (*(pto_vregs%u *)&r[i])\n",
              span, span, span, span, span);
}

/* Registers are in the file of the core, at the number that an enumerator names. */
static const char *c_place(Emitter *e, const Value *v, const char *name) {
    const unsigned span = lower_register_span(v->type);
    if (span == 0) return NULL;
    const uintptr_t number = (uintptr_t)ptrmap_get(&c_of(e)->registers, v);
    StrBuf *names = &c_of(e)->register_names;
    const size_t line = names->len - c_of(e)->register_line;
    if (names->len > 0) sb_puts(names, line > 72 ? ",\n" : ", ");
    if (names->len == 0 || line > 72) {
        c_of(e)->register_line = names->len;
        sb_puts(names, "        ");
    }
    sb_printf(names, "%s = %u", name, (unsigned)number - 1);
    if (span == 1) return strf(e, "r[%s]", name);
    need_span(e, span);
    return strf(e, "pto_at%u(%s)", span, name);
}

static const TextLanguage c_language = {.name = "C",
                                        .stmt = emit_stmt,
                                        .place = c_place,
                                        .type = type_of_local,
                                        .value_name = c_value_name,
                                        .check_step = c_check_step};

static Emitter *start(CEmitter *c, const Module *m, const EmitOptions *opt, Arena *arena,
                      DiagList *diags) {
    memset(c, 0, sizeof *c);
    Emitter *e = &c->text_state;
    emitter_init(e, &c_language, m, opt, arena, diags);
    sb_init(&c->types, arena);
    interner_init_small(&c->type_texts, arena);
    interner_init_small(&c->pipe_texts, arena);
    interner_init_small(&c->bodies, arena);
    interner_init_small(&c->spans, arena);
    c->runners.arena = arena;
    sb_init(&c->head, arena);
    nameset_add(&e->globals, "pto_copy_tile");
    name_functions(e);
    return e;
}

/* ---- the C file ---- */

static void put_name(Emitter *e, StrBuf *out, const Func *f) {
    const Interner *in = &e->ctx->names;
    sb_puts(out, "\n *   @");
    put_comment_text(out, atom_text(in, f->data->name), atom_len(in, f->data->name));
}

/* Lists the functions whose C name differs from the one in the program. */
static void put_renamed(Emitter *e, StrBuf *out) {
    const Interner *in = &e->ctx->names;
    bool any = false;
    for (unsigned i = 0; i < c_of(e)->nfuncs; i++) {
        const Func *f = &c_of(e)->funcs[i];
        const char *name = f->name != NULL ? f->name : f->data->has_body ? NULL : f->body;
        if (name == NULL || f->data->implicit || atom_is(in, f->data->name, name)) continue;
        if (!any) sb_puts(out, "\n *\n * Functions with another name in C:");
        any = true;
        put_name(e, out, f);
        sb_printf(out, " is %s", name);
    }
}

static void put_together(Emitter *e, StrBuf *out) {
    bool any = false;
    for (unsigned i = 0; i < c_of(e)->nfuncs; i++) {
        const Launch *k = c_of(e)->funcs[i].launch;
        if (k == NULL || k->cube == NULL || k->vector == NULL || k->cube == k->vector) continue;
        if (!any) sb_puts(out, "\n *\n * Functions that one launch runs together:");
        any = true;
        put_name(e, out, func_of(e, k->cube));
        put_name(e, out, func_of(e, k->vector));
        sb_puts(out, " on vector cores");
    }
}

static void put_left_out(Emitter *e, StrBuf *out) {
    bool any = false;
    for (unsigned i = 0; i < c_of(e)->nfuncs; i++) {
        const Func *f = &c_of(e)->funcs[i];
        if (f->low->reached || !f->data->has_body) continue;
        if (!any) sb_puts(out, "\n *\n * Functions that no kernel calls are left out:");
        any = true;
        put_name(e, out, f);
    }
}

static void put_banner(Emitter *e, StrBuf *out) {
    sb_puts(out, "/* Emitted by ptoasm from ");
    put_comment_text(out, e->file, strlen(e->file));
    sb_printf(out, " for profile %s.", profile_names[e->opt->profile]);
    put_renamed(e, out);
    put_together(e, out);
    put_left_out(e, out);
    sb_printf(out, " */\n#include <%s.h>\n",
              c_of(e)->logical ? "ptort_logical"
              : c_of(e)->micro ? "ptort_micro"
                               : "ptort_emitted");
}

static const char copy_tile[] =
    "\n/* A tile result: bytes and valid region go to the tile of the caller, of equal type. */\n"
    "static void pto_copy_tile(ptrt_tile *to, const ptrt_tile *from) {\n"
    "    memmove(to->base + to->addr, from->base + from->addr, (size_t)from->bytes);\n"
    "    to->vrow = from->vrow;\n"
    "    to->vcol = from->vcol;\n"
    "}\n";

static void put_forward(Emitter *e, StrBuf *out) {
    for (unsigned i = 0; i < c_of(e)->nfuncs; i++) {
        const Func *f = &c_of(e)->funcs[i];
        if (!f->low->reached) continue;
        sb_puts(out, f->data->has_body ? "static " : "extern ");
        put_signature(e, out, f, false);
        sb_puts(out, ";\n");
    }
}

/* Writes what precedes the bodies, and is known only after them. */
static void put_top(Emitter *e, StrBuf *out) {
    StrBuf forward;
    sb_init(&forward, e->arena);
    put_forward(e, &forward);
    put_banner(e, out);
    sb_putc(out, '\n');
    sb_puts(out, sb_text(&c_of(e)->types));
    if (c_of(e)->types.len > 0) sb_putc(out, '\n');
    for (unsigned i = 0; i < c_of(e)->nfuncs; i++)
        if (c_of(e)->funcs[i].name != NULL) emit_prototypes(e, out, &c_of(e)->funcs[i]);
    sb_puts(out, sb_text(&forward));
    if (c_of(e)->copies_tiles) sb_puts(out, copy_tile);
    if (e->opt->cover) cover_put(e, out);
    sb_puts(out, sb_text(&c_of(e)->head));
}

/* ---- the header ---- */

static void put_header(Emitter *e, StrBuf *out) {
    const char *name = e->opt->header_name != NULL ? e->opt->header_name : e->file;
    const char *slash = strrchr(name, '/');
    name = slash != NULL ? slash + 1 : name;
    const char *guard = name_mangle(e->arena, name, strlen(name));
    sb_puts(out, "/* Kernels of ");
    put_comment_text(out, e->file, strlen(e->file));
    sb_printf(out,
              ": each call returns 0 or a PTRT_E code, see ptrt_error(). */\n"
              "#ifndef PTO_KERNELS_%s\n#define PTO_KERNELS_%s\n\n#include <ptort.h>\n\n"
              "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
              guard, guard);
    for (unsigned i = 0; i < c_of(e)->nfuncs; i++)
        if (c_of(e)->funcs[i].name != NULL) emit_prototypes(e, out, &c_of(e)->funcs[i]);
    bool any = false;
    for (unsigned i = 0; i < c_of(e)->nfuncs; i++) {
        if (c_of(e)->funcs[i].data->has_body || !c_of(e)->funcs[i].low->reached) continue;
        if (!any) sb_puts(out, "\n/* To be defined by the user. */\n");
        any = true;
        put_signature(e, out, &c_of(e)->funcs[i], false);
        sb_puts(out, ";\n");
    }
    sb_puts(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

bool emit_c(const Module *m, const EmitOptions *opt, StrBuf *c_out, StrBuf *header_out,
            DiagList *diags) {
    CEmitter c;
    Emitter *e = start(&c, m, opt, c_out->arena, diags);
    StrBuf top;
    c.text = c_out;
    sb_init(&top, e->keep);
    emitter_reserve(e, c_out);
    observe_module(e);
    for (unsigned i = 0; i < c.nfuncs; i++) {
        Func *f = &c.funcs[i];
        if (f->low->reached && f->data->has_body) emit_function(e, f);
    }
    for (unsigned i = 0; i < c.nfuncs; i++)
        if (c.funcs[i].name != NULL) emit_launcher(e, &c.funcs[i]);
    put_top(e, &top);
    emitter_finish(e, c_out, &top);
    if (!e->ok) return false;
    if (header_out != NULL) put_header(e, header_out);
    return e->ok;
}

/* ---- kernels, for callers that launch them ---- */

static bool marked_entry(const Launch *k) {
    return (k->cube != NULL && k->cube->entry) || (k->vector != NULL && k->vector->entry);
}

const EmitKernel *emit_kernels(const Module *m, const EmitOptions *opt, Arena *arena, unsigned *n) {
    CEmitter c;
    DiagList ignored;
    diag_init(&ignored, arena, 0);
    start(&c, m, opt, arena, &ignored);
    EmitKernel *list = ARENA_ARRAY(arena, EmitKernel, c.nfuncs + 1);
    *n = 0;
    for (unsigned i = 0; i < c.nfuncs; i++) {
        const Func *f = &c.funcs[i];
        if (f->launch != NULL)
            list[(*n)++] = (EmitKernel){f->launch, f->name, f->grid, marked_entry(f->launch)};
    }
    return list;
}

const EmitExternal *emit_externals(const Module *m, const EmitOptions *opt, Arena *arena,
                                   unsigned *n) {
    CEmitter c;
    DiagList ignored;
    diag_init(&ignored, arena, 0);
    start(&c, m, opt, arena, &ignored);
    EmitExternal *list = ARENA_ARRAY(arena, EmitExternal, c.nfuncs + 1);
    *n = 0;
    for (unsigned i = 0; i < c.nfuncs; i++)
        if (c.funcs[i].low->reached && !c.funcs[i].data->has_body)
            list[(*n)++] = (EmitExternal){c.funcs[i].low, c.funcs[i].body};
    return list;
}

const char *emit_param_type(const Type *type, Arena *arena) {
    return c_param(arena, type);
}
