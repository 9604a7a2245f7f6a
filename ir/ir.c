/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts, and queries and construction of operations. */
#include "ir/ir.h"
#include "ir/format.h"

#include <assert.h>
#include <string.h>

/* Makes the names of the table the first atoms, so that finding a row is one array access. */
static void seed_names(Context *ctx) {
    enum { MOST = 2 * INST_COUNT + 8 };
    const Inst **by_atom = ARENA_ARRAY(&ctx->keep, const Inst *, MOST);
    for (int i = 1; i < INST_COUNT; i++) {
        const char *name = inst_table[i].name;
        by_atom[intern(&ctx->names, name, strlen(name))] = &inst_table[i];
        if (strncmp(name, "pto.", 4) == 0)
            by_atom[intern(&ctx->names, name + 4, strlen(name + 4))] = &inst_table[i];
    }
    by_atom[intern(&ctx->names, "module", 6)] = &inst_table[INST_MODULE];
    by_atom[intern(&ctx->names, "return", 6)] = &inst_table[INST_RETURN];
    by_atom[intern(&ctx->names, "call", 4)] = &inst_table[INST_CALL];
    ctx->inst_by_atom = by_atom;
    ctx->ninst_atoms = ctx->names.count;
}

void context_init(Context *ctx, const Source *src, uint32_t max_errors) {
    ctx->source = src;
    arena_init(&ctx->arena, &ctx->oom);
    arena_init(&ctx->keep, &ctx->oom);
    arena_init(&ctx->step, &ctx->oom);
    interner_init(&ctx->names, &ctx->keep);
    ctx->types = type_table_new(&ctx->keep, &ctx->names);
    diag_init(&ctx->diags, &ctx->arena, max_errors);
    ctx->type_by_atom = NULL;
    ctx->ntype_by_atom = 0;
    ctx->aliases = NULL;
    ctx->last_alias = &ctx->aliases;
    ctx->alias_by_atom = NULL;
    ctx->nalias_by_atom = 0;
    seed_names(ctx);
    ctx->verifier_runs = 0;
    ctx->lowered_modules = ctx->lowered_functions = 0;
    ctx->formats = ARENA_ARRAY(&ctx->keep, const Format *, INST_COUNT);
    ctx->statement_locations = NULL;
    ctx->allows = NULL;
    ctx->nallows = ctx->cap_allows = 0;
    ctx->forgotten = (Forgotten){.n = 0};
    ctx->rule_sets = NULL;
}

jmp_buf *context_guard(Context *ctx, jmp_buf *oom) {
    jmp_buf *former = ctx->arena.oom;
    ctx->arena.oom = ctx->keep.oom = ctx->step.oom = oom;
    return former;
}

void context_free(Context *ctx) {
    arena_free(&ctx->arena);
    arena_free(&ctx->keep);
    arena_free(&ctx->step);
}

AliasDef *alias_find(const Context *ctx, Atom name, bool is_type) {
    if (name >= ctx->nalias_by_atom) return NULL;
    AliasDef *a = ctx->alias_by_atom[name];
    while (a != NULL && a->is_type != is_type)
        a = a->same_name;
    return a;
}

const AliasDef *alias_near(const Context *ctx, const char *s, size_t n, bool is_type) {
    enum { MOST_LOOKED_AT = 1000 };
    unsigned limit = n < 4 ? 1 : 2, least = limit * EDIT_COST + 1, looked = 0;
    const AliasDef *best = NULL;
    for (const AliasDef *a = ctx->aliases; a != NULL && looked < MOST_LOOKED_AT; a = a->next) {
        if (a->is_type != is_type) continue;
        unsigned cost =
            edit_cost(s, n, atom_text(&ctx->names, a->name), atom_len(&ctx->names, a->name), limit);
        if (cost < least) {
            least = cost;
            best = a;
        }
        looked++;
    }
    return best;
}

void alias_respell(Module *m, TileSpelling spelling) {
    for (AliasDef *a = m->aliases; a != NULL; a = a->next)
        if (a->is_type) a->type = type_respell(m->ctx->types, a->type, spelling);
}

void alias_add(Context *ctx, AliasDef *def) {
    if (def->name >= ctx->nalias_by_atom) {
        uint32_t n = ctx->nalias_by_atom == 0 ? 1024 : ctx->nalias_by_atom * 2;
        while (n <= def->name)
            n *= 2;
        AliasDef **grown = ARENA_ARRAY(&ctx->keep, AliasDef *, n);
        if (ctx->nalias_by_atom != 0)
            memcpy(grown, ctx->alias_by_atom, ctx->nalias_by_atom * sizeof(AliasDef *));
        ctx->alias_by_atom = grown;
        ctx->nalias_by_atom = n;
    }
    def->same_name = ctx->alias_by_atom[def->name];
    ctx->alias_by_atom[def->name] = def;
    *ctx->last_alias = def;
    ctx->last_alias = &def->next;
}

/* ---- queries ---- */

unsigned slot_count(const Op *op, int slot) {
    if (op->segs != NULL) return op->segs[slot];
    return op->nresults > op->inst->nresults && slot_is_result(&op->inst->slots[slot]) ? 0 : 1;
}

Operand *slot_operands(const Op *op, int slot) {
    unsigned first = 0;
    for (int i = 0; i < slot; i++)
        first += slot_count(op, i);
    return slot_count(op, slot) == 0 ? NULL : op->operands + first;
}

/* Returns the index of the result that a destination slot is; -1: none. */
static int slot_result(const Op *op, int slot) {
    if (!slot_is_result(&op->inst->slots[slot]) || slot_count(op, slot) != 0) return -1;
    int r = 0;
    for (int i = 0; i < slot; i++)
        r += slot_is_result(&op->inst->slots[i]);
    return r < op->nresults ? r : -1;
}

Value *slot_value(const Op *op, int slot) {
    int r = slot_result(op, slot);
    if (r >= 0) return &op->results[r];
    Operand *o = slot_operands(op, slot);
    return o != NULL ? o->value : NULL;
}

Value *named_value(const Op *op, OperandName name) {
    const int slot = inst_slot(op->inst, name);
    return slot >= 0 ? slot_value(op, slot) : NULL;
}

const char *op_operand_name(const Op *op, unsigned i) {
    for (int s = 0; s < op->inst->nslots; s++) {
        const unsigned n = slot_count(op, s);
        if (i < n) return op->inst->slots[s].name;
        i -= n;
    }
    return NULL;
}

Span slot_span(const Op *op, int slot) {
    int r = slot_result(op, slot);
    if (r >= 0 && op->results[r].name != 0) return (Span){op->results[r].name_off, 1};
    Operand *o = slot_operands(op, slot);
    return o != NULL && o->span.len != 0 ? o->span : op->name_span;
}

unsigned op_tile_results(const Op *op) {
    unsigned n = 0;
    if (op->nresults == 0) return 0;
    for (int i = 0; i < op->inst->nslots; i++)
        n += slot_result(op, i) >= 0;
    return n;
}

unsigned op_new_tiles(const Op *op) {
    return (op->inst->flags & IF_VIEW) != 0 ? 0 : op_tile_results(op);
}

Value *op_result(const Op *op, int i) {
    unsigned at = op_tile_results(op) + (unsigned)i;
    return at < op->nresults ? &op->results[at] : NULL;
}

const NamedAttr *op_attr_named(const Op *op, AttrName name) {
    for (unsigned i = 0; i < op->nattrs; i++)
        if (op->attrs[i].id == name) return &op->attrs[i];
    return NULL;
}

const NamedAttr *op_attr(const Op *op, int attr) {
    if (op->nattrs == 0) return NULL;
    return op_attr_named(op, inst_attr_name(op->inst, attr));
}

NamedAttr attr_made(Context *ctx, AttrName name, const Attr *value) {
    const char *text = attr_texts[name];
    return (NamedAttr){
        .name = intern(&ctx->names, text, strlen(text)), .id = (uint16_t)name, .value = value};
}

int64_t op_attr_int(const Op *op, int attr) {
    const NamedAttr *a = op_attr(op, attr);
    return a != NULL ? a->value->i : op->inst->attrs[attr].dflt;
}

bool block_is_inside(const Block *b, const Op *op) {
    while (b != NULL) {
        const Op *owner = region_owner(b);
        if (owner == op) return true;
        b = owner != NULL ? owner->block : NULL;
    }
    return false;
}

Op *op_function(const Op *op) {
    for (const Op *o = op; o != NULL && o->block != NULL;) {
        o = region_owner(o->block);
        if (o != NULL && op_is(o, INST_FUNC)) return (Op *)(uintptr_t)o;
    }
    return NULL;
}

const Type *tile_value_type(const Value *v) {
    while (v != NULL && v->type->kind == TY_TILE_ANY && v->def != NULL) {
        const Op *op = v->def;
        v = NULL;
        for (unsigned i = 0; i < op->noperands && v == NULL; i++)
            if (type_is_tile(op->operands[i].value->type)) v = op->operands[i].value;
    }
    return v != NULL && v->type->kind == TY_TILE ? v->type : NULL;
}

bool op_is_entry(const Op *func) {
    static const AttrName keys[] = {ATTR_pto_entry, ATTR_pto_kernel, ATTR_pto_aicore,
                                    ATTR_hacc_entry};
    for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (op_attr_named(func, keys[i]) != NULL) return true;
    return false;
}

bool op_walk(Op *op, bool (*fn)(Op *op, void *arg), void *arg) {
    if (!fn(op, arg)) return false;
    for (unsigned r = 0; r < op->nregions; r++)
        for (Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (Op *o = b->first, *next; o != NULL; o = next) {
                next = o->next;
                if (!(o->nregions == 0 ? fn(o, arg) : op_walk(o, fn, arg))) return false;
            }
    return true;
}

void op_note_signs(ModuleSigns *s, const Op *op) {
    if (op_is(op, INST_TASSIGN)) {
        s->address = true;
        s->assign |= op->nresults == 0;
    } else if (op_is(op, INST_ALLOC_TILE) || op_is(op, INST_ALLOC_MULTI_TILE)) {
        s->address |= slot_count(op, 0) != 0;
    } else if (op_is(op, INST_RESERVE_BUFFER)) {
        for (unsigned i = 0; i < op->nattrs; i++) /* auto = false */
            s->address |= op->attrs[i].value->kind == ATTR_BOOL && op->attrs[i].value->i == 0;
    } else if (op->nresults > 0 && op->form != OPF_DPS && op->inst->form == FORM_TILE &&
               (op->inst->flags & IF_VIEW) == 0) {
        s->ssa |= op_tile_results(op) > 0;
    }
}

/* ---- construction ---- */

static bool number_is_free(Context *ctx, const char *stem, uint32_t number) {
    ArenaMark mark = arena_mark(&ctx->arena);
    const char *text = arena_printf(&ctx->arena, "%s%u", stem, number);
    bool found = intern_find(&ctx->names, text, strlen(text)) != 0;
    arena_rewind(&ctx->arena, mark);
    return !found;
}

/* Finds a number by bisection, as every function of a long file may need one for the same stem. */
uint32_t fresh_number(Context *ctx, const char *stem, uint32_t from) {
    if (number_is_free(ctx, stem, from)) return from;
    uint32_t taken = from, step = 1;
    while (!number_is_free(ctx, stem, from + step)) {
        taken = from + step;
        step *= 2;
    }
    uint32_t open = from + step;
    while (open - taken > 1) {
        uint32_t middle = taken + (open - taken) / 2;
        if (number_is_free(ctx, stem, middle))
            open = middle;
        else
            taken = middle;
    }
    return open;
}

Atom fresh_numbered(Context *ctx, const char *stem, uint32_t from) {
    const char *text = arena_printf(&ctx->arena, "%s%u", stem, fresh_number(ctx, stem, from));
    return intern_copy(&ctx->names, text, strlen(text));
}

Atom fresh_name(Context *ctx, const char *stem) {
    if (intern_find(&ctx->names, stem, strlen(stem)) == 0)
        return intern_copy(&ctx->names, stem, strlen(stem));
    return fresh_numbered(ctx, arena_printf(&ctx->arena, "%s_", stem), 0);
}

const char *name_stem(Context *ctx, Atom name, const char *suffix) {
    const char *text = atom_text(&ctx->names, name);
    bool number = text[0] >= '0' && text[0] <= '9';
    return arena_printf(&ctx->arena, "%s%.*s_%s", number ? "v" : "",
                        (int)atom_len(&ctx->names, name), text, suffix);
}

Op *op_new(Context *ctx, const Inst *inst, Span span) {
    Op *op = ARENA_NEW(&ctx->arena, Op);
    op->inst = inst;
    op->span = op->name_span = span;
    return op;
}

OpMore *op_more(Arena *arena, Op *op) {
    if (op->more == NULL) op->more = ARENA_NEW(arena, OpMore);
    return op->more;
}

Region *region_init(Context *ctx, Op *owner, unsigned nregions) {
    Region *regions = ARENA_ARRAY(&ctx->arena, Region, nregions);
    op_more(&ctx->arena, owner)->regions = regions;
    owner->nregions = (uint8_t)nregions;
    for (unsigned i = 0; i < nregions; i++)
        regions[i].owner = owner;
    return regions;
}

Value *block_args_new(Arena *arena, Block *block, size_t n) {
    static_assert(_Alignof(Value) == _Alignof(Block *), "the values follow a pointer");
    Block **room = arena_zalloc(arena, n * sizeof(Value) + sizeof(Block *), 1, _Alignof(Value));
    *room = block;
    return (Value *)(void *)(room + 1);
}

Block *block_new(Context *ctx, Region *region) {
    Block *b = ARENA_NEW(&ctx->arena, Block);
    b->region = region;
    if (region->last != NULL)
        region->last->next = b;
    else
        region->first = b;
    region->last = b;
    return b;
}

void op_append(Block *b, Op *op) {
    op->block = b;
    op->prev = b->last;
    op->next = NULL;
    if (b->last != NULL)
        b->last->next = op;
    else
        b->first = op;
    b->last = op;
}

void op_insert_before(Op *pos, Op *op) {
    Block *b = pos->block;
    op->block = b;
    op->next = pos;
    op->prev = pos->prev;
    if (pos->prev != NULL)
        pos->prev->next = op;
    else
        b->first = op;
    pos->prev = op;
}

void op_insert_after(Op *pos, Op *op) {
    if (pos->next != NULL)
        op_insert_before(pos->next, op);
    else
        op_append(pos->block, op);
}

void op_remove(Op *op) {
    Block *b = op->block;
    if (op->prev != NULL)
        op->prev->next = op->next;
    else
        b->first = op->next;
    if (op->next != NULL)
        op->next->prev = op->prev;
    else
        b->last = op->prev;
    op->next = op->prev = NULL;
}
