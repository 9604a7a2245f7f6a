/* SPDX-License-Identifier: Apache-2.0 */
/* Names in the C++: of values, of variables that are no value, and of functions. They must not hide
 * what the text uses of the library. */
#include "backends/cpp/emitter.h"

#include <string.h>

/* ---- names of the library ---- */

/* What the text uses besides calls and enumerators, which come from calls.def and enums.def. */
static const char *const library_names[] = {
#define NAME(name) #name,
#include "backends/cpp/library.def"
#undef NAME
};

/* Beginnings of names of macros and of functions of the device's compiler. */
static const char *const library_prefixes[] = {
    "EVENT_ID", "FFTS_", "MAP_INSTR_", "PIPE_", "PTOAS", "PTO_", "PtoStruct_", "__", "ptoas_"};

/* The type of an enumerator is the last word before the colons. */
static void add_type(NameSet *set, const char *prefix) {
    const char *end = strrchr(prefix, ':');
    if (end == NULL) return;
    const char *at = --end;
    while (at > prefix && at[-1] != ':')
        at--;
    intern_copy(&set->names, at, (size_t)(end - at));
}

static void gather_library(Emitter *e) {
    NameSet *set = &cpp_of(e)->library;
    nameset_init(set, e->keep, NULL);
    for (size_t i = 0; i < sizeof library_names / sizeof *library_names; i++)
        nameset_add(set, library_names[i]);
    for (int i = 0; i < EF_COUNT; i++)
        if (call_enums[i].n > 0) add_type(set, call_texts + call_enums[i].prefix);
}

static bool has_library_prefix(const char *name) {
    for (size_t i = 0; i < sizeof library_prefixes / sizeof *library_prefixes; i++)
        if (strncmp(name, library_prefixes[i], strlen(library_prefixes[i])) == 0) return true;
    return false;
}

/* Whether the text may use the name. */
static bool is_library_name(Emitter *e, const char *name) {
    return has_library_prefix(name) || nameset_has(&cpp_of(e)->library, name) ||
           call_has_name(name);
}

/* ---- values ---- */

static const char *numbered(Emitter *e) {
    return strf(e, "v%u", ++cpp_of(e)->numbered);
}

const char *cpp_fresh(Emitter *e, const char *stem) {
    return fresh(e, cpp_as_vendor(e) ? numbered(e) : stem);
}

const char *cpp_value_name(Emitter *e, const Value *v) {
    const Interner *in = &e->ctx->names;
    if (cpp_as_vendor(e)) return numbered(e);
    const char *text = atom_text(in, v->name);
    if (v->name == 0) return "t";
    const char *name = name_mangle(e->arena, text, atom_len(in, v->name));
    if (name[0] == '_') return strf(e, "v%s", text[0] >= '0' && text[0] <= '9' ? name + 1 : name);
    /* The library has more names that begin with a capital letter than the text uses. */
    const bool upper = name[0] >= 'A' && name[0] <= 'Z';
    return upper || is_library_name(e, name) || name_is_reserved(name, false) ? strf(e, "%s_", name)
                                                                              : name;
}

void cpp_put_name(Emitter *e, const Value *v) {
    const Interner *in = &e->ctx->names;
    if (!cpp_as_vendor(e) || e->quiet || v->npack > 1) return;
    const Span given = lower_location_name(e->ctx, v);
    if (v->name == 0 && given.len == 0) return;
    begin_line(e);
    sb_puts(e->out, "// pto: %");
    if (given.len > 0)
        put_line_comment(e->out, e->ctx->source->data + given.off, given.len);
    else
        put_line_comment(e->out, atom_text(in, v->name), atom_len(in, v->name));
    sb_putc(e->out, '\n');
}

/* ---- functions ---- */

/* What a host or another file calls has its name. */
static bool is_exported(const CppFunc *f) {
    return f->low->entry || !f->data->has_body || f->low->external;
}

static bool has_handles(const CppFunc *f) {
    for (unsigned i = 0; i < f->data->type->ninputs; i++)
        if (type_is_tile(f->data->type->types[i]) || cpp_is_view(f->data->type->types[i]))
            return true;
    return false;
}

static bool is_small(const char *name) {
    return name[0] >= 'a' && name[0] <= 'z';
}

/* Whether the C++ could mean the function where it means the library. Calls that begin with a
 * capital letter have tiles or windows as arguments, which a function without them does not fit. */
static bool hides_library(Emitter *e, const CppFunc *f, const char *name) {
    return has_library_prefix(name) || nameset_has(&cpp_of(e)->library, name) ||
           (call_has_name(name) && (is_small(name) || has_handles(f)));
}

/* Whether the name may be one of the library's macros. */
static bool is_macro_like(const char *name) {
    return strpbrk(name, "abcdefghijklmnopqrstuvwxyz") == NULL;
}

/* The vendor's assembler also prints names of functions of C. */
static const char *function_name(Emitter *e, const CppFunc *f) {
    const Interner *in = &e->ctx->names;
    if (f->data->implicit) return "kernel";
    const char *name =
        name_mangle(e->keep, atom_text(in, f->data->name), atom_len(in, f->data->name));
    const bool hides = hides_library(e, f, name), exported = is_exported(f);
    if (hides && exported)
        cannot(e, f->data->name_span,
               "the C++ uses '%s' of the vendor's library: a function that others call must have "
               "another name",
               name);
    const bool renamed = (hides && !exported) || name_is_known(name, cpp_as_vendor(e)) ||
                         (f->data->visibility != 0 && !exported && is_macro_like(name));
    return renamed ? strf(e, "%s_", name) : name;
}

static void name_all(Emitter *e, bool exported) {
    CppEmitter *c = cpp_of(e);
    for (unsigned i = 0; i < c->nfuncs; i++) {
        CppFunc *f = &c->funcs[i];
        if (is_exported(f) != exported) continue;
        f->name = name_free(&e->globals, e->keep, function_name(e, f), "");
        nameset_add(&e->globals, f->name);
    }
}

void cpp_name_functions(Emitter *e) {
    CppEmitter *c = cpp_of(e);
    gather_library(e);
    c->nfuncs = e->low->nfuncs;
    c->funcs = ARENA_ARRAY(e->arena, CppFunc, c->nfuncs + 1);
    for (unsigned i = 0; i < c->nfuncs; i++) {
        const LowerFunc *low = &e->low->funcs[i];
        c->funcs[i] = (CppFunc){.low = low, .data = low->data};
    }
    name_all(e, true); /* first: these must not give way */
    name_all(e, false);
}
