/* SPDX-License-Identifier: Apache-2.0 */
/* Emission of a module as C++: preamble, functions and sections. */
#include "backends/cpp/emit.h"

#include "backends/cpp/emitter.h"

#include <string.h>

enum {
    ROUNDS = 3
}; /* how often a function is printed: each leaves out what the last did not use */

/* ---- kinds of cores ---- */

/* A function without a kind and without sections gets the kind of its statements when the functions
 * of the module are not all of one kind. */
static void infer_kinds(Emitter *e) {
    CppEmitter *c = cpp_of(e);
    unsigned all = 0;
    for (unsigned i = 0; i < c->nfuncs; i++)
        all |= lower_kinds(e->ctx, c->funcs[i].low).statements;
    const bool mixed = all == (1u << CORE_CUBE | 1u << CORE_VECTOR);
    for (unsigned i = 0; i < c->nfuncs; i++) {
        CppFunc *f = &c->funcs[i];
        const LowerKinds own = lower_kinds(e->ctx, f->low);
        f->kind = own.given;
        f->mixed = f->low->kind == CORE_ANY && own.statements == all && mixed;
        if (f->kind != CORE_ANY || own.sections || !mixed) continue;
        if (own.statements == 1u << CORE_CUBE) f->kind = CORE_CUBE;
        if (own.statements == 1u << CORE_VECTOR) f->kind = CORE_VECTOR;
    }
}

static const char *macro_of(Core kind) {
    return kind == CORE_CUBE ? "__DAV_CUBE__" : "__DAV_VEC__";
}

/* Emits what makes scalar stores to global memory visible, if the function has any. */
static void cpp_flush(Emitter *e) {
    if (!cpp_of(e)->stores) return;
    ln(e, "pipe_barrier(PIPE_ALL);");
    ln(e, "dcci((__gm__ void*)0, cache_line_t::ENTIRE_DATA_CACHE);");
    ln(e, "dsb((mem_dsb_t)0);");
}

static void open_kind(Emitter *e, Core kind, bool first_core) {
    ln(e, "#if defined(%s)", macro_of(kind));
    if (kind == CORE_VECTOR) {
        ln(e, "set_mask_norm();");
        ln(e, "set_vector_mask(-1, -1);");
    }
    if (first_core) open_brace(e, "if (get_subblockid() == 0)");
}

static void close_kind(Emitter *e, Core kind, bool first_core) {
    if (first_core) close_brace(e);
    cpp_flush(e);
    ln(e, "#endif // %s", macro_of(kind));
}

void cpp_section(Emitter *e, const LowerStmt *s) {
    CppEmitter *c = cpp_of(e);
    Core kind = (Core)s->inst->core;
    open_kind(e, kind, s->alone);
    c->section = kind;
    emit_region(e, &s->regions[0]);
    c->section = CORE_ANY;
    close_kind(e, kind, s->alone);
}

/* ---- sections that the program does not have ---- */

static void leave_section(Emitter *e) {
    CppEmitter *c = cpp_of(e);
    if (!c->inferred) return;
    close_kind(e, c->section, false);
    c->inferred = false;
    c->section = CORE_ANY;
}

/* Both kinds of cores compute scalars. Synchronisation that names no kind belongs to the statements
 * before it. */
void cpp_infer_section(Emitter *e, const LowerStmt *s) {
    CppEmitter *c = cpp_of(e);
    if (!c->fn->mixed || (c->section != CORE_ANY && !c->inferred)) return;
    if (s->block->region != c->inferred_in && c->inferred) return; /* nested in such a section */
    const unsigned kinds = s->cores;
    Core want = kinds == 1u << CORE_CUBE     ? CORE_CUBE
                : kinds == 1u << CORE_VECTOR ? CORE_VECTOR
                                             : CORE_ANY;
    if (kinds == 0 && (s->inst->flags & IF_SYNC) != 0) want = c->section;
    if (s->form == STMT_SECTION) want = CORE_ANY;
    if (want == c->section) return;
    leave_section(e);
    if (want == CORE_ANY) return;
    open_kind(e, want, false);
    c->section = want;
    c->inferred = true;
    c->inferred_in = s->block->region;
}

static void leave_region(Emitter *e, const LowerRegion *r) {
    CppEmitter *c = cpp_of(e);
    if (c->inferred && c->inferred_in == r) leave_section(e);
}

/* ---- tiles that have another address in a region ---- */

void cpp_save(Emitter *e, const LowerStmt *s) {
    const char *saved = local_entry(e, s)->name = cpp_fresh(e, "saved");
    ln(e, "const uint64_t %s = reinterpret_cast<uint64_t>(%s.data());", saved, val(e, s->rebinds));
}

void cpp_restore(Emitter *e, const LowerStmt *s) {
    ln(e, "TASSIGN(%s, %s);", val(e, s->rebinds), local_entry(e, s->saved)->name);
}

/* ---- functions ---- */

static unsigned result_count(const CppFunc *f) {
    return f->data->type->ntypes - f->data->type->ninputs;
}

static const char *result_text(Emitter *e, const CppFunc *f) {
    unsigned n = result_count(f);
    if (n == 0) return "void";
    const Type *t = f->data->type->types[f->data->type->ninputs];
    const char *type = n == 1 ? cpp_type(e, t) : NULL;
    if (type == NULL)
        cannot(e, f->data->name_span,
               n > 1 ? "a function with several results has no form in C++"
                     : "a result of type '" TYPE_FMT "' has no form in C++",
               TYPE_ARG(&e->ctx->names, t));
    else if (f->low->entry)
        cannot(e, f->data->name_span, "an entry point with a result has no form in C++");
    return type != NULL ? type : "void";
}

static const char *specifiers(Emitter *e, const CppFunc *f) {
    if (f->data->has_body && e->opt->embed) return "static AICORE";
    if (f->low->entry) return "extern \"C\" __global__ AICORE";
    if (!f->data->has_body) return "extern \"C\" AICORE";
    if (f->low->hidden) return "static AICORE";
    return f->low->external ? "extern \"C\" AICORE" : "AICORE";
}

/* A tile that gets another address is the function's copy: the caller's tile stays where it is. */
static bool by_reference(const CppFunc *f, unsigned i) {
    if (!type_is_tile(f->data->type->types[i])) return false;
    if (!f->data->has_body) return true;
    return !lower_moves(f->low, &lower_params(f->low)[i]);
}

static void put_parameters(Emitter *e, StrBuf *out, const CppFunc *f) {
    for (unsigned i = 0; i < f->data->type->ninputs; i++) {
        const Type *t = f->data->type->types[i];
        const char *type = cpp_type(e, t);
        if (type == NULL)
            cannot(e, f->data->name_span, "a parameter of type '" TYPE_FMT "' has no form in C++",
                   TYPE_ARG(&e->ctx->names, t));
        sb_printf(out, "%s%s%s", i > 0 ? ", " : "", type != NULL ? type : "int",
                  by_reference(f, i) ? "&" : "");
        if (f->data->has_body) sb_printf(out, " %s", name_of(e, &lower_params(f->low)[i]));
    }
}

/* Where flags are inserted, the pipes have ended before the function returns. */
static void put_tail(Emitter *e, const CppFunc *f) {
    const bool stores = f->low->tail_stores;
    if (!f->data->ends_in_order) return;
    if (cpp_as_vendor(e)) {
        cpp_of(e)->uses_tail = true;
        ln(e, "ptoas_auto_sync_tail(PTOAutoSyncTailMode::%s);",
           stores ? "kSetWaitMte3ToSEvent0" : "kBarrierAll");
    } else if (stores) {
        ln(e, "set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);");
        ln(e, "wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);");
    } else {
        ln(e, "pipe_barrier(PIPE_ALL);");
    }
}

static bool returns_once(const Emitter *e) {
    const LowerBlock *first = e->body->region.first;
    return first == NULL || first->next == NULL;
}

static void put_constant(Emitter *e, const LowerStmt *s) {
    cpp_constant(e, s);
    local_of(e, &s->results[0])->hoisted = true;
}

/* The vendor's text has types of pushes and then all constants at the start of a function. */
static void put_first(Emitter *e, const LowerRegion *r, bool constants) {
    for (const LowerBlock *b = r->first; b != NULL; b = b->next)
        for (const LowerStmt *s = b->first; s != NULL; s = s->next) {
            if (!constants)
                cpp_put_config(e, s);
            else if (s->form == STMT_CONSTANT && !cpp_is_dead(e, s))
                put_constant(e, s);
            for (unsigned i = 0; i < s->nregions; i++)
                put_first(e, &s->regions[i], constants);
        }
}

static void print_body(Emitter *e, CppFunc *f, StrBuf *out) {
    CppEmitter *c = cpp_of(e);
    bool first = f->low->alone;
    c->views = (PtrMap){.arena = e->arena};
    c->quants = (PtrMap){.arena = e->arena};
    c->section = CORE_ANY;
    c->inferred = false;
    c->numbered = 0;
    e->sink = e->leave = (Sink){0};
    locals_reset(e);
    e->shown_off = 0;
    e->indent = 0;
    e->out = out;
    sb_putc(out, '\n');
    start_statement(e, f->low->span);
    sb_printf(out, "%s %s %s(", specifiers(e, f), result_text(e, f), f->name);
    put_parameters(e, out, f);
    sb_puts(out, ") {\n");
    e->indent = 1;
    if (f->kind != CORE_ANY) open_kind(e, f->kind, first);
    if (cpp_as_vendor(e)) {
        put_first(e, &e->body->region, false);
        put_first(e, &e->body->region, true);
    }
    emit_region(e, &e->body->region);
    if (f->kind != CORE_ANY) {
        close_kind(e, f->kind, first);
        if (result_count(f) == 0) put_tail(e, f);
        if (result_count(f) == 0)
            ln(e, "return;");
        else
            ln(e, "return {};");
    }
    sb_puts(out, "}\n");
}

/* A rule of the verifier demands pto.set_ffts; the vendor's assembler does so when it prints. */
static void check_signals(Emitter *e, const CppFunc *f) {
    Span at;
    if (!cpp_as_vendor(e) || profile_infos[e->opt->profile].block_semaphores) return;
    const Inst *signal = lower_baseless_signal(f->low, &at);
    if (signal != NULL) cannot(e, at, "%s: the function has no pto.set_ffts", signal->name);
}

void cpp_function(Emitter *e, CppFunc *f) {
    CppEmitter *c = cpp_of(e);
    check_signals(e, f);
    const ArenaMark mark = emitter_enter(e);
    const LowerOptions how = {.plan = e->opt->plan, .cores = f->mixed};
    e->body = lower_function(e->low, f->low, &how, e->arena);
    StrBuf text;
    c->fn = f;
    c->again = c->stores = false;
    c->tiles = (PtrMap){.arena = e->arena};
    for (int round = 0; round < ROUNDS; round++) {
        sb_init(&text, e->arena);
        e->quiet = round + 1 < ROUNDS;
        print_body(e, f, &text);
        c->before = e->locals;
        c->again = true;
    }
    sb_add(c->text, sb_text(&text), text.len);
    emitter_leave(e, mark);
}

void cpp_return(Emitter *e, const LowerStmt *s) {
    const CppFunc *f = cpp_of(e)->fn;
    if (f->kind != CORE_ANY && s->nargs == 0 && returns_once(e)) return;
    cpp_flush(e);
    put_tail(e, f);
    const Value *v = s->nargs > 0 ? s->args[0].value : NULL;
    if (v == NULL)
        ln(e, "return;");
    else
        ln(e, "return %s;", cpp_is_view(v->type) ? cpp_any_view(e, v) : val(e, v));
}

static void print_declarations(Emitter *e) {
    CppEmitter *c = cpp_of(e);
    for (unsigned i = 0; i < c->nfuncs; i++) {
        const CppFunc *f = &c->funcs[i];
        if (f->data->has_body) continue;
        sb_printf(c->text, "\n%s %s %s(", specifiers(e, f), result_text(e, f), f->name);
        put_parameters(e, c->text, f);
        sb_puts(c->text, ");\n");
    }
}

/* ---- the module ---- */

static const char *passed_view(Emitter *e, const Value *from, const Value *to) {
    return cpp_is_view(to->type) && !cpp_view_is_made(e, to) ? cpp_any_view(e, from) : val(e, from);
}

static const TextLanguage cpp_language = {.name = "C++",
                                          .stmt = cpp_stmt,
                                          .type = cpp_type_of,
                                          .value_name = cpp_value_name,
                                          .before_value = cpp_put_name,
                                          .passed = passed_view,
                                          .leave_region = leave_region,
                                          .line_comments = true,
                                          .braced_blocks = true,
                                          .plain_steps = true};

/* The device does not order the pipes of a core by itself. */
static void note_missing_flags(Emitter *e) {
    const CppEmitter *c = cpp_of(e);
    for (unsigned i = 0; i < c->nfuncs; i++)
        if (c->funcs[i].data->has_body && lower_relies_on_insertion(e->low, c->funcs[i].low))
            diag_add(e->diags, DIAG_NO_SYNC, c->funcs[i].data->name_span,
                     "the function has no flags, so the C++ has none: %s inserts them",
                     e->opt->inserter);
}

/* Starts an emission whose texts are in the arena of `out`. */
static void begin_module(CppEmitter *c, const Module *m, const EmitOptions *opt, StrBuf *out,
                         DiagList *diags) {
    Emitter *e = &c->text_state;
    memset(c, 0, sizeof *c);
    emitter_init(e, &cpp_language, m, opt, out->arena, diags);
    sb_init(&c->structs, out->arena);
    c->text = out;
    interner_init_small(&c->struct_names, out->arena);
    c->tiles = (PtrMap){.arena = e->arena};
    cpp_name_functions(e);
}

static CppSignature signature_of(Emitter *e, const CppFunc *f) {
    const unsigned n = f->data->type->ninputs;
    CppSignature s = {.func = f->low,
                      .symbol = f->name,
                      .entry = f->low->entry,
                      .internal = f->low->hidden && !f->low->entry};
    s.types = ARENA_ARRAY(e->arena, const char *, n + 1);
    for (unsigned i = 0; i < n; i++) {
        const Type *t = f->data->type->types[i];
        const char *type = cpp_type(e, t);
        s.types[i] = strf(e, "%s%s", type != NULL ? type : "", by_reference(f, i) ? "&" : "");
    }
    return s;
}

const CppSignature *emit_cpp_functions(const Module *m, const EmitOptions *opt, Arena *arena,
                                       unsigned *n) {
    CppEmitter c;
    DiagList unseen;
    StrBuf text;
    diag_init(&unseen, arena, 0);
    sb_init(&text, arena);
    begin_module(&c, m, opt, &text, &unseen);
    CppSignature *list = ARENA_ARRAY(arena, CppSignature, c.nfuncs + 1);
    *n = 0;
    for (unsigned i = 0; i < c.nfuncs; i++)
        if (c.funcs[i].data->has_body) list[(*n)++] = signature_of(&c.text_state, &c.funcs[i]);
    return list;
}

bool emit_cpp(const Module *m, const EmitOptions *opt, StrBuf *out, DiagList *diags) {
    CppEmitter c;
    Emitter *e = &c.text_state;
    StrBuf top;
    begin_module(&c, m, opt, out, diags);
    emitter_reserve(e, out);
    infer_kinds(e);
    cpp_number_pipes(e);
    locals_reset(e);
    print_declarations(e);
    for (unsigned i = 0; i < c.nfuncs; i++)
        cpp_visit(e, &c.funcs[i]);
    if (e->ok && opt->inserter != NULL) note_missing_flags(e);
    sb_init(&top, e->keep);
    cpp_put_top(e, &top);
    emitter_finish(e, out, &top);
    return e->ok;
}
