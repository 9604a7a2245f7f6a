/* SPDX-License-Identifier: Apache-2.0 */
/* The variables of a function: one name per value, unique in the function. */
#include "backends/text/emitter.h"

#include <stdarg.h>
#include <string.h>

Local *local_entry(Emitter *e, const void *v) {
    void **at = ptrmap_at(&e->locals, v);
    if (*at == NULL) *at = ARENA_NEW(e->arena, Local);
    return *at;
}

ArenaMark emitter_enter(Emitter *e) {
    Arena *step = &e->m->ctx->step;
    arena_alloc(step, 1, 1); /* keeps the first chunk when rewinding */
    e->arena = step;
    return arena_mark(step);
}

void emitter_leave(Emitter *e, ArenaMark mark) {
    arena_rewind(e->arena, mark);
    e->arena = e->keep;
    e->body = NULL;
    locals_reset(e);
}

void locals_reset(Emitter *e) {
    e->locals = (PtrMap){.arena = e->arena};
    nameset_init(&e->names, e->arena, &e->globals);
    e->definitions = NULL;
    e->last_definition = &e->definitions;
}

const char *fresh(Emitter *e, const char *stem) {
    bool taken = nameset_has(&e->names, stem);
    nameset_add(&e->names, stem);
    if (!taken) return stem;
    /* each stem continues from its last number, so that thousands of loops over %i stay cheap */
    const Interner *in = &e->names.names;
    Local *stems = local_entry(e, atom_text(in, intern_find(in, stem, strlen(stem))));
    const char *name;
    do {
        name = strf(e, "%s_%u", stem, (unsigned)++stems->count + 1);
    } while (nameset_has(&e->names, name));
    nameset_add(&e->names, name);
    return name;
}

Local *local_of(Emitter *e, const Value *v) {
    Local *l = local_entry(e, v);
    if (l->name == NULL) {
        const char *stem = e->lang->value_name(e, v);
        l->name = fresh(e, v->npack > 1 ? strf(e, "%s_%u", stem, v->pack) : stem);
        const char *at = e->lang->place != NULL ? e->lang->place(e, v, l->name) : NULL;
        l->hoisted = at != NULL;
        if (at != NULL) l->name = at;
    }
    return l;
}

const char *name_of(Emitter *e, const Value *v) {
    return local_of(e, v)->name;
}

const char *val(Emitter *e, const Value *v) {
    Local *l = local_of(e, v);
    l->used = true;
    return l->name;
}

static const char *type_text(Emitter *e, const Value *v) {
    const char *t = e->lang->type(e, v);
    if (t != NULL) return t;
    cannot(e, (Span){v->name_off, 1}, "type '" TYPE_FMT "' has no form in %s",
           TYPE_ARG(&e->ctx->names, v->type), e->lang->name);
    return "int";
}

/* Begins a line with a type, so that a name may follow; a pointer type already ends with a star. */
static void begin_typed(Emitter *e, const char *type) {
    begin_line(e);
    sb_puts(e->out, type);
    if (type[strlen(type) - 1] != '*') sb_putc(e->out, ' ');
}

void declare(Emitter *e, const Value *v) {
    Local *l = local_of(e, v);
    if (e->lang->before_value != NULL) e->lang->before_value(e, v);
    if (l->hoisted) return;
    begin_typed(e, type_text(e, v));
    sb_puts(e->out, l->name);
    sb_puts(e->out, ";\n");
}

void defined(Emitter *e, const Value *v) {
    if (local_of(e, v)->hoisted) return;
    Definition *d = ARENA_NEW(e->arena, Definition);
    *d = (Definition){NULL, v, e->out->len, e->indent};
    *e->last_definition = d;
    e->last_definition = &d->next;
}

void put_body(Emitter *e, StrBuf *out, const StrBuf *body) {
    size_t done = 0;
    for (const Definition *d = e->definitions; d != NULL; d = d->next) {
        const Local *l = local_entry(e, d->value);
        if (l->used) continue;
        sb_add(out, body->data + done, d->at - done);
        sb_pad(out, ' ', (size_t)d->indent * 4);
        sb_printf(out, "(void)%s;\n", l->name);
        done = d->at;
    }
    if (body->len > done) sb_add(out, body->data + done, body->len - done);
}

void define(Emitter *e, const Value *v, const char *fmt, ...) {
    va_list ap;
    const Local *l = local_of(e, v);
    const char *type = l->hoisted ? NULL : type_text(e, v);
    if (e->lang->before_value != NULL) e->lang->before_value(e, v);
    if (type != NULL)
        begin_typed(e, type);
    else
        begin_line(e);
    sb_puts(e->out, l->name);
    sb_puts(e->out, " = ");
    va_start(ap, fmt);
    sb_vprintf(e->out, fmt, ap);
    va_end(ap);
    sb_puts(e->out, ";\n");
    defined(e, v);
}

const char **value_names(Emitter *e, const Value *values, unsigned n) {
    const char **names = ARENA_ARRAY(e->arena, const char *, n + 1);
    for (unsigned i = 0; i < n; i++)
        names[i] = name_of(e, &values[i]);
    return names;
}

/* Whether assigning in order would read a variable that has been overwritten. */
static bool needs_copies(Emitter *e, const char *const *names, const Operand *srcs, unsigned n) {
    for (unsigned i = 1; i < n; i++)
        for (unsigned j = 0; j < i; j++)
            if (strcmp(val(e, srcs[i].value), names[j]) == 0) return true;
    return false;
}

const char *passed(Emitter *e, const Value *from, const Value *to) {
    return e->lang->passed != NULL ? e->lang->passed(e, from, to) : val(e, from);
}

void assign_all(Emitter *e, const char *const *names, const Value *types, const Operand *srcs,
                unsigned n) {
    const char **from = ARENA_ARRAY(e->arena, const char *, n + 1);
    for (unsigned i = 0; i < n; i++)
        from[i] = passed(e, srcs[i].value, &types[i]); /* may write lines */
    bool copies = needs_copies(e, names, srcs, n);
    if (copies) open_block(e);
    for (unsigned i = 0; copies && i < n; i++) {
        begin_typed(e, type_text(e, &types[i]));
        sb_printf(e->out, "pto_t%u = %s;\n", i, from[i]);
    }
    for (unsigned i = 0; i < n; i++) {
        if (copies)
            ln(e, "%s = pto_t%u;", names[i], i);
        else if (strcmp(from[i], names[i]) != 0)
            ln(e, "%s = %s;", names[i], from[i]);
    }
    if (copies) close_brace(e);
}
