/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that are read once, and structs of the interface, which may grow. */
#include "api/internal.h"

#include <stdlib.h>
#include <string.h>

bool struct_take(void *to, size_t own, size_t least, const void *from) {
    size_t size;
    memcpy(&size, from, sizeof size); /* the first member */
    if (size < least) return false;
    memset(to, 0, own);
    memcpy(to, from, size < own ? size : own);
    const unsigned char *bytes = from;
    for (size_t i = own; i < size; i++)
        if (bytes[i] != 0) return false; /* requires a feature that this version lacks */
    memcpy(to, &own, sizeof own);
    return true;
}

void struct_give(void *out, size_t size, const void *from, size_t own) {
    memcpy(out, from, size < own ? size : own);
    if (size > own) memset((char *)out + own, 0, size - own);
}

ptoasm_place program_place(const ptoasm_program *p, Span at) {
    if (at.len == 0) return (ptoasm_place){0};
    return source_place(&p->lines, at);
}

void program_read(ptoasm_program *p, const ptoasm_source *src, uint32_t max_errors) {
    program_read_hooked(p, src, max_errors, NULL);
}

void program_read_hooked(ptoasm_program *p, const ptoasm_source *src, uint32_t max_errors,
                         const FunctionHook *hook) {
    p->source = src;
    context_init(&p->ctx, &src->text, max_errors);
    p->module = parse_module_hooked(&p->ctx, hook);
    p->read = p->ctx.diags;
}

static void copy_notes(Context *ctx, const Diag *from, Diag *to) {
    to->notes = NULL;
    to->last_note = &to->notes;
    for (const DiagNote *n = from->notes; n != NULL; n = n->next) {
        DiagNote *copy = ARENA_NEW(&ctx->arena, DiagNote);
        *copy = *n;
        copy->next = NULL;
        *to->last_note = copy;
        to->last_note = &copy->next;
    }
}

/* Gives each call its own copy of the list: judging adds to it, sorts it and changes severities. */
void program_begin(ptoasm_program *p, uint32_t max_errors) {
    DiagList *list = &p->ctx.diags;
    diag_init(list, &p->ctx.arena, max_errors);
    for (Diag *d = p->read.first; d != NULL; d = d->next) {
        Diag *copy = ARENA_NEW(&p->ctx.arena, Diag);
        *copy = *d;
        copy->next = NULL;
        d->copy = copy;
        copy_notes(&p->ctx, d, copy);
        *list->last = copy;
        list->last = &copy->next;
    }
    for (Diag *d = list->first; d != NULL; d = d->next)
        if (d->into != NULL) d->into = d->into->copy;
    list->errors = p->read.errors;
    list->merged = p->read.merged;
    list->warnings = p->read.warnings;
    list->stopped =
        p->read.stopped || (max_errors != 0 && list->errors - list->merged >= max_errors);
}

void program_free(ptoasm_program *p) {
    if (p == NULL) return;
    context_free(&p->ctx);
    free(p);
}

int ptoasm_program_open(const ptoasm_source *src, const ptoasm_options *options,
                        ptoasm_program **out) {
    ptoasm_options opt;
    if (out == NULL) return PTOASM_ARGUMENT;
    *out = NULL;
    if (src == NULL || !options_take(&opt, options)) return PTOASM_ARGUMENT;
    ptoasm_program *p = calloc(1, sizeof *p);
    if (p == NULL) return PTOASM_NOMEM;
    if (setjmp(p->ctx.oom) != 0) {
        program_free(p);
        return PTOASM_NOMEM;
    }
    program_read(p, src, opt.max_errors);
    diag_order(&p->ctx.diags); /* each call shows what is merged */
    p->read = p->ctx.diags;
    p->lines = source_index(&p->ctx.arena, p->ctx.source);
    *out = p;
    return PTOASM_OK;
}

void ptoasm_program_close(ptoasm_program *program) {
    program_free(program);
}

bool ptoasm_program_readable(const ptoasm_program *program) {
    return program->module->bound_ok;
}
