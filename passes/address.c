/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the addresses of a plan into the program, which is then of level 3: allocations get
 * `addr`, instructions their scratch tiles, and reserved buffers their base. */
#include "passes/passes.h"

#include <string.h>

typedef struct Writer {
    Context *ctx;
    const Plan *plan;
} Writer;

static Atom fresh_value(Writer *w, const char *stem) {
    Interner *names = &w->ctx->names;
    size_t n = strlen(stem);
    if (intern_find(names, stem, n) == 0) return intern_copy(names, stem, n);
    return fresh_numbered(w->ctx, stem, 1);
}

static Value *give_result(Writer *w, Op *op, const Type *type, Atom name) {
    op->results = ARENA_NEW(&w->ctx->arena, Value);
    op->nresults = 1;
    op->results[0] = (Value){.type = type, .name = name, .def = op, .npack = 1};
    return &op->results[0];
}

/* Moves blank lines and comments before a statement to the one inserted before it. */
static void take_leading(Writer *w, Op *from, Op *to) {
    Trivia *first = op_trivia(from), **end = &first;
    while (*end != NULL && ((*end)->kind == TRIVIA_BLANK || (*end)->kind == TRIVIA_COMMENT))
        end = &(*end)->next;
    if (end == &first) return;
    op_more(&w->ctx->arena, from)->trivia = *end;
    *end = NULL;
    op_more(&w->ctx->arena, to)->trivia = first;
}

static Value *insert_number(Writer *w, Op *pos, int64_t n, Atom name) {
    Arena *a = &w->ctx->arena;
    Op *op = op_new(w->ctx, &inst_table[INST_CONSTANT], pos->span);
    Attr *value = ARENA_NEW(a, Attr);
    *value = (Attr){.kind = ATTR_INT, .i = n, .type = type_scalar(w->ctx->types, ELEM_I64)};
    op->attrs = ARENA_NEW(a, NamedAttr);
    op->attrs[0] = attr_made(w->ctx, ATTR_value, value);
    op->nattrs = 1;
    op_insert_before(pos, op);
    take_leading(w, pos, op);
    return give_result(w, op, value->type, name);
}

/* Makes `v` the only operand of an empty slot. */
static void fill_slot(Writer *w, Op *op, int slot, Value *v) {
    Arena *a = &w->ctx->arena;
    Operand *operands = ARENA_ARRAY(a, Operand, op->noperands + 1u);
    uint16_t *segs = ARENA_ARRAY(a, uint16_t, op->inst->nslots);
    unsigned n = 0, from = 0;
    for (int i = 0; i < op->inst->nslots; i++) {
        segs[i] = (uint16_t)slot_count(op, i);
        for (unsigned k = 0; k < segs[i]; k++)
            operands[n++] = op->operands[from++];
        if (i != slot) continue;
        operands[n++] = (Operand){.value = v, .span = op->name_span};
        segs[i] = 1;
    }
    op->operands = operands;
    op->noperands = (uint16_t)n;
    op->segs = segs;
}

static void place_allocation(Writer *w, Op *op) {
    int slot = inst_slot(op->inst, OPERAND_addr);
    const PlanSlot *at = plan_value(w->plan, &op->results[0]);
    if (at == NULL || slot_value(op, slot) != NULL) return;
    const char *stem = name_stem(w->ctx, op->results[0].name, "addr");
    fill_slot(w, op, slot, insert_number(w, op, at->addr, fresh_value(w, stem)));
}

/* ---- scratch tiles ---- */

/* Returns the slot of a scratch tile that the text leaves out, or -1. */
static int scratch_slot(const Op *op) {
    for (int i = 0; i < op->inst->nslots; i++)
        if (op->inst->slots[i].role == ROLE_SCRATCH && slot_value(op, i) == NULL) return i;
    return -1;
}

/* Makes the whole scratch tile valid: instructions use what they need of it. */
static const Type *whole_tile(Writer *w, const Type *type) {
    Type proto = *type;
    proto.alias = 0;
    proto.tile.vrow = proto.tile.rows;
    proto.tile.vcol = proto.tile.cols;
    return type_intern(w->ctx->types, &proto);
}

static void place_scratch(Writer *w, Op *op) {
    const PlanTmp *tmp = plan_tmp(w->plan, op);
    int slot = scratch_slot(op);
    if (tmp == NULL || slot < 0) return;
    Op *alloc = op_new(w->ctx, &inst_table[INST_ALLOC_TILE], op->span);
    alloc->form = OPF_DPS;
    alloc->segs = ARENA_ARRAY(&w->ctx->arena, uint16_t, alloc->inst->nslots);
    op_insert_before(op, alloc);
    take_leading(w, op, alloc);
    Value *tile = give_result(w, alloc, whole_tile(w, tmp->type), fresh_value(w, "scratch"));
    Value *at = insert_number(w, alloc, tmp->slot.addr, fresh_value(w, "scratch_addr"));
    fill_slot(w, alloc, inst_slot(alloc->inst, OPERAND_addr), at);
    fill_slot(w, op, slot, tile);
}

/* ---- reserved buffers ---- */

static NamedAttr number_attr(Writer *w, AttrName name, uint8_t kind, Elem type, int64_t n) {
    Attr *value = ARENA_NEW(&w->ctx->arena, Attr);
    *value = (Attr){.kind = kind, .i = n, .type = type_scalar(w->ctx->types, type)};
    return attr_made(w->ctx, name, value);
}

static void place_reserved(Writer *w, Op *op) {
    int64_t base = plan_reserved(w->plan, op);
    const NamedAttr *automatic = op_attr_named(op, ATTR_auto);
    if (base < 0 || automatic == NULL) return;
    NamedAttr *attrs = ARENA_ARRAY(&w->ctx->arena, NamedAttr, op->nattrs + 1u);
    for (unsigned i = 0; i < op->nattrs; i++)
        attrs[i] = &op->attrs[i] == automatic ? number_attr(w, ATTR_auto, ATTR_BOOL, ELEM_I1, 0)
                                              : op->attrs[i];
    attrs[op->nattrs++] = number_attr(w, ATTR_base, ATTR_INT, ELEM_I32, base);
    op->attrs = attrs;
}

static bool place(Op *op, void *arg) {
    Writer *w = arg;
    if (op_is(op, INST_ALLOC_TILE) || op_is(op, INST_ALLOC_MULTI_TILE))
        place_allocation(w, op);
    else if (op_is(op, INST_RESERVE_BUFFER))
        place_reserved(w, op);
    else
        place_scratch(w, op);
    return true;
}

void passes_write_plan(Module *m, const Plan *plan) {
    Writer w = {m->ctx, plan};
    op_walk(m->root, place, &w);
}
