/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what is at a position of a program: values, functions, instructions and type aliases, with
 * their definitions and uses, for editors. */
#include "api/symbols.h"

#include "ir/functions.h"

#include <stdlib.h>
#include <string.h>

/* ---- statements by position ---- */

typedef struct Collected {
    Op **ops;
    size_t n, cap;
    Arena *arena;
} Collected;

static bool collect_op(Op *op, void *arg) {
    Collected *c = arg;
    if (op->span.len == 0) return true; /* made for a literal operand */
    if (c->n == c->cap) {
        size_t cap = c->cap == 0 ? 256 : 2 * c->cap;
        Op **grown = ARENA_ARRAY(c->arena, Op *, cap);
        if (c->n > 0) memcpy(grown, c->ops, c->n * sizeof *grown);
        c->ops = grown;
        c->cap = cap;
    }
    c->ops[c->n++] = op;
    return true;
}

static int by_place(const void *a, const void *b) {
    const Op *x = *(Op *const *)a, *y = *(Op *const *)b;
    return (x->span.off > y->span.off) - (x->span.off < y->span.off);
}

static void find_ops(ptoasm_program *p) {
    if (p->ops != NULL) return;
    Collected c = {.arena = &p->ctx.arena};
    if (p->module->root != NULL) op_walk(p->module->root, collect_op, &c);
    if (c.n > 1) qsort(c.ops, c.n, sizeof *c.ops, by_place);
    p->ops = c.n > 0 ? c.ops : ARENA_ARRAY(c.arena, Op *, 1);
    p->nops = c.n;
}

/* Returns the last statement that begins at or before `off`; NULL when there is none. */
static Op *op_before(const ptoasm_program *p, uint32_t off) {
    size_t low = 0, high = p->nops;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (p->ops[mid]->span.off <= off)
            low = mid + 1;
        else
            high = mid;
    }
    return low > 0 ? p->ops[low - 1] : NULL;
}

/* ---- names at a position ---- */

/* True when a cursor is directly before or after a character of the name. */
static bool touches(Span s, uint32_t off) {
    return s.len > 0 && off >= s.off && off <= s.off + s.len;
}

Span symbol_value_span(const Context *ctx, const Value *v) {
    if (v->name == 0) return (Span){0, 0};
    return (Span){v->name_off, (uint32_t)atom_len(&ctx->names, v->name) + 1};
}

static bool found_value(Found *f, Op *op, Value *v, Span at) {
    if (v == NULL || v->type == NULL || v->type->kind == TY_NONE) return false;
    f->op = op;
    f->value = v;
    f->at = at;
    return true;
}

static bool find_operand(const Operand *list, unsigned n, Op *op, uint32_t off, Found *f) {
    for (unsigned i = 0; i < n; i++)
        if (touches(list[i].span, off)) return found_value(f, op, list[i].value, list[i].span);
    return false;
}

static bool find_argument(const Context *ctx, Op *op, uint32_t off, Found *f) {
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (uint32_t i = 0; i < b->nargs; i++)
                if (touches(symbol_value_span(ctx, &b->args[i]), off))
                    return found_value(f, op, &b->args[i], symbol_value_span(ctx, &b->args[i]));
    return false;
}

/* Returns the module around a statement. */
static const Op *module_of(const Op *op) {
    while (op != NULL && !op_is(op, INST_MODULE))
        op = op->block != NULL ? region_owner(op->block) : NULL;
    return op;
}

static const Attr *symbol_attr(const Op *op) {
    for (unsigned i = 0; i < op->nattrs; i++)
        if (op->attrs[i].value != NULL && op->attrs[i].value->kind == ATTR_SYMBOL)
            return op->attrs[i].value;
    return NULL;
}

Op *symbol_function_use(const Op *op, Span *at) {
    const Attr *a = symbol_attr(op);
    const Op *module = a != NULL ? module_of(op) : NULL;
    if (module == NULL) return NULL;
    *at = a->span;
    return functions_find(NULL, module, a->text);
}

static bool find_symbol(Op *op, uint32_t off, Found *f) {
    Span at;
    if (op_is(op, INST_FUNC) && touches(func_data(op)->name_span, off)) {
        *f = (Found){.op = op, .at = func_data(op)->name_span, .func = op};
        return true;
    }
    Op *func = symbol_function_use(op, &at);
    if (func == NULL || !touches(at, off)) return false;
    *f = (Found){.op = op, .at = at, .func = func};
    return true;
}

static bool find_in(const Context *ctx, Op *op, uint32_t off, Found *f) {
    if (find_operand(op->operands, op->noperands, op, off, f)) return true;
    for (unsigned s = 0; s < op->nsuccs; s++)
        if (find_operand(op_succs(op)[s].args, op_succs(op)[s].nargs, op, off, f)) return true;
    for (unsigned i = 0; i < op->nresults; i++)
        if (touches(symbol_value_span(ctx, &op->results[i]), off))
            return found_value(f, op, &op->results[i], symbol_value_span(ctx, &op->results[i]));
    if (find_symbol(op, off, f) || find_argument(ctx, op, off, f)) return true;
    if (!touches(op->name_span, off)) return false;
    *f = (Found){.op = op, .at = op->name_span, .mnemonic = true};
    return true;
}

/* Finds the name at a position. Block arguments are not in statements, so those of the surrounding
 * regions are tried. */
bool symbol_find(ptoasm_program *p, uint32_t off, Found *f) {
    find_ops(p);
    *f = (Found){.op = NULL};
    if (type_alias_at(&p->ctx, off, &f->at, &f->alias)) return true;
    *f = (Found){.op = NULL};
    Op *op = op_before(p, off);
    if (op == NULL || find_in(&p->ctx, op, off, f)) return op != NULL;
    for (Op *outer = op; outer != NULL;
         outer = outer->block != NULL ? region_owner(outer->block) : NULL)
        if (find_argument(&p->ctx, outer, off, f)) return true;
    return false;
}

/* ---- entry points ---- */

static const char *value_text(ptoasm_program *p, const Value *v) {
    const Interner *names = &p->ctx.names;
    if (v->name == 0) return "";
    if (v->npack > 1)
        return arena_printf(&p->ctx.arena, "%%%.*s#%u", (int)atom_len(names, v->name),
                            atom_text(names, v->name), v->pack);
    return arena_printf(&p->ctx.arena, "%%%.*s", (int)atom_len(names, v->name),
                        atom_text(names, v->name));
}

const char *symbol_function_text(ptoasm_program *p, const Op *func) {
    const Interner *names = &p->ctx.names;
    Atom name = func_data(func)->name;
    return arena_printf(&p->ctx.arena, "@%.*s", (int)atom_len(names, name), atom_text(names, name));
}

const char *symbol_type_text(ptoasm_program *p, const Type *t) {
    return t != NULL ? arena_printf(&p->ctx.arena, TYPE_FMT, TYPE_ARG(&p->ctx.names, t)) : "";
}

const char *symbol_meaning_text(ptoasm_program *p, const Type *t) {
    const Interner *names = &p->ctx.names;
    return arena_strndup(&p->ctx.arena, atom_text(names, t->text), atom_len(names, t->text));
}

static void describe_alias(ptoasm_program *p, const Found *f, ptoasm_symbol *s) {
    const Interner *names = &p->ctx.names;
    *s = (ptoasm_symbol){.kind = PTOASM_SYMBOL_TYPE, .type = "", .meaning = "", .instruction = ""};
    s->name = arena_printf(&p->ctx.arena, "!%.*s", (int)atom_len(names, f->alias->name),
                           atom_text(names, f->alias->name));
    s->place = program_place(p, f->at);
    s->definition = program_place(p, f->alias->span);
    if (f->alias->type == NULL || f->alias->type->kind == TY_NONE) return;
    s->type = symbol_type_text(p, f->alias->type);
    s->meaning = symbol_meaning_text(p, f->alias->type);
}

static void describe(ptoasm_program *p, const Found *f, ptoasm_symbol *s) {
    if (f->alias != NULL) {
        describe_alias(p, f, s);
        return;
    }
    *s = (ptoasm_symbol){.kind = PTOASM_SYMBOL_INSTRUCTION, .name = "", .type = "", .meaning = ""};
    s->place = program_place(p, f->at);
    s->instruction = f->op->inst->name;
    s->statement = program_place(p, f->op->span);
    if (f->mnemonic) {
        s->name = f->op->inst->name;
    } else if (f->value != NULL) {
        s->kind = PTOASM_SYMBOL_VALUE;
        s->name = value_text(p, f->value);
        s->type = symbol_type_text(p, f->value->type);
        s->meaning = symbol_meaning_text(p, f->value->type);
        s->definition = program_place(p, symbol_value_span(&p->ctx, f->value));
    } else {
        const FuncData *data = func_data(f->func);
        s->kind = PTOASM_SYMBOL_FUNCTION;
        s->name = symbol_function_text(p, f->func);
        s->type = s->meaning = symbol_type_text(p, data->type);
        s->definition = program_place(p, data->name_span);
    }
}

bool ptoasm_program_symbol_get(ptoasm_program *program, uint32_t offset, ptoasm_symbol *out,
                               size_t size) {
    Found f;
    ptoasm_symbol s;
    if (program == NULL || out == NULL || setjmp(program->ctx.oom) != 0) return false;
    if (!symbol_find(program, offset, &f)) return false;
    describe(program, &f, &s);
    struct_give(out, size, &s, sizeof s);
    return true;
}

typedef struct Uses {
    const ptoasm_program *p;
    const Found *f;
    ptoasm_place *out;
    size_t n, most;
} Uses;

static void add_use(Uses *u, Span at) {
    if (at.len == 0) return;
    if (u->n < u->most) u->out[u->n] = program_place(u->p, at);
    u->n++;
}

static void add_operands(Uses *u, const Operand *list, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (list[i].value == u->f->value) add_use(u, list[i].span);
}

/* The definition is first in the list. */
static void add_alias_use(void *arg, Span at) {
    Uses *u = arg;
    if (at.off != u->f->alias->span.off) add_use(u, at);
}

static bool use_in_op(Op *op, void *arg) {
    Uses *u = arg;
    if (u->f->value != NULL) {
        add_operands(u, op->operands, op->noperands);
        for (unsigned s = 0; s < op->nsuccs; s++)
            add_operands(u, op_succs(op)[s].args, op_succs(op)[s].nargs);
    } else if (u->f->func != NULL) {
        Span at;
        if (symbol_function_use(op, &at) == u->f->func) add_use(u, at);
    } else if (op->inst == u->f->op->inst) {
        add_use(u, op->name_span);
    }
    return true;
}

size_t ptoasm_program_uses(ptoasm_program *program, uint32_t offset, ptoasm_place *out,
                           size_t most) {
    Found f;
    if (program == NULL || (out == NULL && most > 0) || setjmp(program->ctx.oom) != 0) return 0;
    if (!symbol_find(program, offset, &f)) return 0;
    Uses u = {.p = program, .f = &f, .out = out, .most = most};
    if (f.value != NULL) add_use(&u, symbol_value_span(&program->ctx, f.value));
    if (f.func != NULL) add_use(&u, func_data(f.func)->name_span);
    if (f.alias != NULL) {
        add_use(&u, f.alias->span);
        type_alias_each(&program->ctx, f.alias, add_alias_use, &u);
        return u.n;
    }
    op_walk(program->module->root, use_in_op, &u);
    return u.n;
}

int64_t ptoasm_program_bytes(ptoasm_program *program, uint32_t offset, uint32_t profile) {
    Found f;
    if (program == NULL || setjmp(program->ctx.oom) != 0) return -1;
    if (profile == 0 || (profile & ~(uint32_t)PROFILES_ALL) != 0) return -1;
    if (!symbol_find(program, offset, &f)) return -1;
    const Type *t = f.value != NULL ? f.value->type : f.alias != NULL ? f.alias->type : NULL;
    if (t == NULL) return -1;
    if (t->kind != TY_TILE && t->kind != TY_MULTI_TILE) return -1;
    return tile_bytes(t, (Profile)__builtin_ctz(profile));
}
