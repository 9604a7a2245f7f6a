/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the values and functions that a program defines, and the positions of their names, for
 * completion, outlines and renaming. */
#include "api/symbols.h"

#include <stdlib.h>
#include <string.h>

/* ---- definitions ---- */

typedef struct Defined {
    ptoasm_program *p;
    ptoasm_definition *list; /* NULL while counting */
    size_t n;
} Defined;

static uint32_t region_span_end(const ptoasm_program *p, const Region *r) {
    return r->close.len != 0 ? r->close.off : p->ctx.source->size;
}

static uint32_t span_end(Span s) {
    return s.off + s.len;
}

/* Returns the end of a statement with its regions. */
static uint32_t op_end(const ptoasm_program *p, const Op *op) {
    uint32_t end = span_end(op->span);
    for (unsigned r = 0; r < op->nregions; r++) {
        const Region *region = &op_regions(op)[r];
        if (region->first == NULL) continue;
        uint32_t close = region_span_end(p, region) + region->close.len;
        if (close > end) end = close;
    }
    return end;
}

/* Returns the name that all results of a pack share. */
static const char *shared_name(ptoasm_program *p, Atom name) {
    return arena_printf(&p->ctx.arena, "%%%.*s", (int)atom_len(&p->ctx.names, name),
                        atom_text(&p->ctx.names, name));
}

static void add_value(Defined *d, const Value *v, const char *instruction, uint32_t from,
                      uint32_t to) {
    const Type *t = v->type;
    Span at = symbol_value_span(&d->p->ctx, v);
    if (at.len == 0 || v->pack > 0 || t == NULL || t->kind == TY_NONE) return;
    if (d->list != NULL)
        d->list[d->n] = (ptoasm_definition){
            .kind = PTOASM_SYMBOL_VALUE,
            .tile = type_is_tile(t) || t->kind == TY_MULTI_TILE,
            .name = shared_name(d->p, v->name),
            .type = symbol_type_text(d->p, t),
            .meaning = symbol_meaning_text(d->p, t),
            .instruction = instruction,
            .place = program_place(d->p, at),
            .from = from,
            .to = to,
            .results = v->npack > 1 ? v->npack : 1,
        };
    d->n++;
}

static void add_function(Defined *d, const Op *op) {
    Span at = func_data(op)->name_span;
    if (at.len == 0) return;
    if (d->list != NULL)
        d->list[d->n] = (ptoasm_definition){
            .kind = PTOASM_SYMBOL_FUNCTION,
            .name = symbol_function_text(d->p, op),
            .type = symbol_type_text(d->p, func_data(op)->type),
            .meaning = symbol_type_text(d->p, func_data(op)->type),
            .instruction = op->inst->name,
            .place = program_place(d->p, at),
            .from = op->span.off,
            .to = op_end(d->p, op),
            .results = 1,
        };
    d->n++;
}

static void add_arguments(Defined *d, const Op *op) {
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (uint32_t i = 0; i < b->nargs; i++)
                add_value(d, &b->args[i], "", b->args[i].name_off,
                          region_span_end(d->p, &op_regions(op)[r]));
}

static bool add_defined(Op *op, void *arg) {
    Defined *d = arg;
    if (op->span.len != 0 && op->block != NULL)
        for (unsigned i = 0; i < op->nresults; i++)
            add_value(d, &op->results[i], op->inst->name, op_end(d->p, op),
                      region_span_end(d->p, op->block->region));
    if (op_is(op, INST_FUNC)) add_function(d, op);
    add_arguments(d, op);
    return true;
}

static int by_offset(const void *a, const void *b) {
    const ptoasm_definition *x = a, *y = b;
    return (x->place.offset > y->place.offset) - (x->place.offset < y->place.offset);
}

static void find_definitions(ptoasm_program *p) {
    Defined d = {.p = p};
    if (p->definitions != NULL) return;
    if (p->module->root != NULL) op_walk(p->module->root, add_defined, &d);
    d.list = ARENA_ARRAY(&p->ctx.arena, ptoasm_definition, d.n + 1);
    d.n = 0;
    if (p->module->root != NULL) op_walk(p->module->root, add_defined, &d);
    if (d.n > 1) qsort(d.list, d.n, sizeof *d.list, by_offset);
    p->definitions = d.list;
    p->ndefinitions = d.n;
}

size_t ptoasm_program_definition_count(ptoasm_program *program) {
    if (program == NULL || setjmp(program->ctx.oom) != 0) return 0;
    find_definitions(program);
    return program->ndefinitions;
}

bool ptoasm_program_definition_get(ptoasm_program *program, size_t i, ptoasm_definition *out,
                                   size_t size) {
    if (out == NULL || i >= ptoasm_program_definition_count(program)) return false;
    struct_give(out, size, &program->definitions[i], sizeof *out);
    return true;
}

/* ---- names ---- */

typedef struct Names {
    const ptoasm_program *p;
    const Value *first; /* of the results that share the name */
    unsigned n_values;
    const Op *func;
    ptoasm_place *out;
    size_t n, most;
} Names;

/* Adds a name after its marker; a literal in place of a value has none. */
static void add_name(Names *names, Span at, char marker, Atom name) {
    const Source *src = names->p->ctx.source;
    const char *s = src->data + at.off;
    uint32_t len = (uint32_t)atom_len(&names->p->ctx.names, name);
    if (at.len <= len || *s != marker) return;
    Span bare = {at.off + 1, len};
    if (marker == '@' && s[1] == '"')
        bare.len = at.len - 1;
    else if (memcmp(s + 1, atom_text(&names->p->ctx.names, name), len) != 0)
        return;
    if (names->n < names->most) names->out[names->n] = program_place(names->p, bare);
    names->n++;
}

static void add_operand_names(Names *names, const Operand *list, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (list[i].value >= names->first && list[i].value < names->first + names->n_values)
            add_name(names, list[i].span, '%', list[i].value->name);
}

static bool names_in_op(Op *op, void *arg) {
    Names *names = arg;
    Span at;
    if (names->func != NULL) {
        if (symbol_function_use(op, &at) == names->func)
            add_name(names, at, '@', func_data(names->func)->name);
        return true;
    }
    add_operand_names(names, op->operands, op->noperands);
    for (unsigned s = 0; s < op->nsuccs; s++)
        add_operand_names(names, op_succs(op)[s].args, op_succs(op)[s].nargs);
    return true;
}

static void add_alias_name(void *arg, Span at) {
    Names *names = arg;
    if (names->n < names->most)
        names->out[names->n] = program_place(names->p, (Span){at.off + 1, at.len - 1});
    names->n++;
}

size_t ptoasm_program_names(ptoasm_program *program, uint32_t offset, ptoasm_place *out,
                            size_t most) {
    Found f;
    if (program == NULL || (out == NULL && most > 0) || setjmp(program->ctx.oom) != 0) return 0;
    if (!symbol_find(program, offset, &f)) return 0;
    Names names = {.p = program, .out = out, .most = most};
    if (f.value != NULL) {
        const Value *v = f.value;
        names.first = v - v->pack; /* an ordinary name is a pack of one */
        names.n_values = v->npack > 1 ? v->npack : 1;
        add_name(&names, symbol_value_span(&program->ctx, names.first), '%', v->name);
    } else if (f.alias != NULL) {
        type_alias_each(&program->ctx, f.alias, add_alias_name, &names);
        return names.n;
    } else if (f.func != NULL) {
        names.func = f.func;
        add_name(&names, func_data(f.func)->name_span, '@', func_data(f.func)->name);
    } else {
        return 0;
    }
    op_walk(program->module->root, names_in_op, &names);
    return names.n;
}
