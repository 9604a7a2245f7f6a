/* SPDX-License-Identifier: Apache-2.0 */
/* Edits the program for SSA -> DPS. */
#include "passes/dps.h"

#include <string.h>

/* ---- names ---- */

/* Makes an unused name from that of `like`, `suffix` and a number. */
static Atom dps_fresh_name(Dps *d, const Value *like, const char *suffix) {
    Interner *names = &d->ctx->names;
    const char *stem = name_stem(d->ctx, like->name, suffix);
    if (intern_find(names, stem, strlen(stem)) == 0) return intern_copy(names, stem, strlen(stem));
    return fresh_numbered(d->ctx, stem, 1);
}

/* ---- allocations ---- */

static Value *insert_constant(Dps *d, Op *pos, const Attr *value, Atom name, uint32_t name_off) {
    Op *op = op_new(d->ctx, &inst_table[INST_CONSTANT], pos->span);
    op->attrs = ARENA_NEW(d->arena, NamedAttr);
    op->attrs[0] = attr_made(d->ctx, ATTR_value, value);
    op->nattrs = 1;
    op->results = ARENA_NEW(d->arena, Value);
    op->nresults = 1;
    op->results[0] =
        (Value){.type = value->type, .name = name, .name_off = name_off, .def = op, .npack = 1};
    op_insert_before(pos, op);
    return &op->results[0];
}

/* Replaces a vector result by a constant that the instruction overwrites. */
static Value *vector_before(Dps *d, Op *pos, const Value *result) {
    Attr *value = ARENA_NEW(d->arena, Attr);
    *value = (Attr){.kind = ATTR_OPAQUE,
                    .text = intern_copy(&d->ctx->names, "dense<0>", 8),
                    .type = result->type};
    return insert_constant(d, pos, value, dps_fresh_name(d, result, "init"), result->name_off);
}

/* Moves blank lines before a statement to the one inserted before it. */
static void take_blank_lines(Arena *arena, Op *from, Op *to) {
    if (op_trivia(from) == NULL || op_trivia(from)->kind != TRIVIA_BLANK) return;
    Trivia *blank = op_trivia(from);
    from->more->trivia = blank->next;
    blank->next = op_trivia(to);
    op_more(arena, to)->trivia = blank;
}

static void set_slot(Op *op, OperandName name, Value *v) {
    if (v == NULL) return;
    op->segs[inst_slot(op->inst, name)] = 1;
    op->operands[op->noperands++] = (Operand){.value = v, .span = op->span};
}

Value *dps_alloc(Dps *d, Op *pos, const Type *type, Valid valid, const Value *like, bool fresh) {
    Op *op = op_new(d->ctx, &inst_table[INST_ALLOC_TILE], pos->span);
    op->form = OPF_DPS;
    op->segs = ARENA_ARRAY(d->arena, uint16_t, op->inst->nslots);
    op->operands = ARENA_ARRAY(d->arena, Operand, 3);
    set_slot(op, OPERAND_valid_row, valid.row);
    set_slot(op, OPERAND_valid_col, valid.col);
    op->results = ARENA_NEW(d->arena, Value);
    op->nresults = 1;
    op->results[0] = (Value){.type = type,
                             .name = fresh ? dps_fresh_name(d, like, "buf") : like->name,
                             .name_off = like->name_off,
                             .def = op,
                             .npack = 1};
    op_insert_before(pos, op);
    take_blank_lines(d->arena, pos, op);
    if (d->manual) {
        Inserted *i = ARENA_NEW(d->arena, Inserted);
        *i = (Inserted){.next = d->inserted, .op = op};
        d->inserted = i;
    }
    return &op->results[0];
}

void dps_place(Dps *d, const Plan *plan) {
    for (const Inserted *i = d->inserted; i != NULL; i = i->next) {
        Op *op = i->op;
        const Value *v = &op->results[0];
        const PlanSlot *slot = plan_value(plan, v);
        if (slot == NULL) continue;
        Attr *value = ARENA_NEW(d->arena, Attr);
        *value =
            (Attr){.kind = ATTR_INT, .i = slot->addr, .type = type_scalar(d->ctx->types, ELEM_I64)};
        Value *at = insert_constant(d, op, value, dps_fresh_name(d, v, "addr"), v->name_off);
        take_blank_lines(d->arena, op, at->def);
        memmove(op->operands + 1, op->operands, op->noperands * sizeof *op->operands);
        op->operands[0] = (Operand){.value = at, .span = op->span};
        op->noperands++;
        op->segs[inst_slot(op->inst, OPERAND_addr)] = 1;
    }
}

/* ---- replacements ---- */

Value *dps_current(const Dps *d, Value *v) {
    for (Value *to; (to = ptrmap_get(&d->replaced, v)) != NULL;)
        v = to;
    return v;
}

void dps_replace(Dps *d, Value *result, Value *value) {
    *ptrmap_at(&d->replaced, result) = value;
}

void dps_rewrite_op(Dps *d, Op *op) {
    unsigned nresults = op_tile_results(op);
    const Inst *inst = op->inst;
    Operand *operands = ARENA_ARRAY(d->arena, Operand, op->noperands + nresults);
    uint16_t *segs = ARENA_ARRAY(d->arena, uint16_t, inst->nslots);
    unsigned n = 0, r = 0;
    for (int i = 0; i < inst->nslots; i++) {
        unsigned count = slot_count(op, i);
        Operand *from = slot_operands(op, i);
        if (count > 0) memcpy(operands + n, from, count * sizeof *from);
        if (count == 0 && slot_is_result(&inst->slots[i]) && r < nresults) {
            Value *v = &op->results[r++];
            if (inst->slots[i].kind == SLOT_VECTOR) dps_replace(d, v, vector_before(d, op, v));
            operands[n] = (Operand){.value = dps_current(d, v), .span = {v->name_off, 1}};
            count = 1;
        }
        segs[i] = (uint16_t)count;
        n += count;
    }
    op->operands = operands;
    op->noperands = (uint16_t)n;
    op->segs = segs;
    op->results += nresults;
    op->nresults = (uint8_t)(op->nresults - nresults);
    for (unsigned i = 0; i < op->nresults; i++)
        op->results[i].index = (uint16_t)i;
    op->form = OPF_DPS;
}

static void respell(Dps *d, Value *values, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (values[i].type->kind == TY_TILE && values[i].type->spelling != SPELL_BUF)
            values[i].type = type_respell(d->ctx->types, values[i].type, SPELL_BUF);
}

static bool finish_op(Op *op, void *arg) {
    Dps *d = arg;
    for (unsigned i = 0; i < op->noperands; i++)
        op->operands[i].value = dps_current(d, op->operands[i].value);
    for (unsigned i = 0; i < op->nsuccs; i++)
        for (uint32_t k = 0; k < op_succs(op)[i].nargs; k++)
            op_succs(op)[i].args[k].value = dps_current(d, op_succs(op)[i].args[k].value);
    if (op->form == OPF_SSA || op->form == OPF_AS)
        op->form = op_tile_results(op) > 0 ? OPF_SSA : OPF_DPS;    /* a view keeps its result */
    if (op_is(op, INST_FUNC) || op_is(op, INST_CALL)) return true; /* the type of the function */
    respell(d, op->results, op->nresults);
    for (unsigned r = 0; r < op->nregions; r++)
        for (Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            respell(d, b->args, b->nargs);
    return true;
}

void dps_finish(Dps *d, Op *func) {
    op_walk(func, finish_op, d);
}

/* ---- longer lists ---- */

Operand *dps_longer_list(Dps *d, const Operand *list, unsigned n, Value *v, Span span) {
    Operand *more = ARENA_ARRAY(d->arena, Operand, n + 1);
    if (n > 0) memcpy(more, list, n * sizeof *list);
    more[n] = (Operand){.value = v, .span = span};
    return more;
}

void dps_add_operand(Dps *d, Op *op, int slot, Value *v) {
    uint16_t *segs = ARENA_ARRAY(d->arena, uint16_t, op->inst->nslots);
    for (int i = 0; i < op->inst->nslots; i++)
        segs[i] = (uint16_t)slot_count(op, i);
    segs[slot]++;
    op->operands = dps_longer_list(d, op->operands, op->noperands, v, op->span);
    op->noperands++;
    op->segs = segs;
}

/* Copies a list of values and appends one; the old values are replaced by their copies. */
static Value *append_value(Dps *d, Block *block, Value *list, uint32_t n, Value more) {
    Value *copy = block_args_new(d->arena, block, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        copy[i] = list[i];
        dps_replace(d, &list[i], &copy[i]);
    }
    copy[n] = more;
    copy[n].index = (uint16_t)n;
    return copy;
}

static Value number_like(Dps *d, const Type *type, const Value *like) {
    return (Value){.type = type,
                   .name = dps_fresh_name(d, like, "slot"),
                   .name_off = like->name_off,
                   .npack = 1};
}

Value *dps_add_argument(Dps *d, Block *b, const Type *type, const Value *like) {
    Value v = number_like(d, type, like);
    v.argument = true;
    b->args = append_value(d, b, b->args, b->nargs, v);
    return &b->args[b->nargs++];
}

Value *dps_add_result(Dps *d, Op *op, const Type *type, const Value *like) {
    if (op->nresults == UINT8_MAX) return NULL;
    Value v = number_like(d, type, like);
    v.def = op;
    op->results = append_value(d, NULL, op->results, op->nresults, v);
    return &op->results[op->nresults++];
}

/* ---- inserted statements ---- */

static Value *insert_op(Dps *d, Op *pos, InstId inst, const Type *type, Value *const *operands,
                        unsigned n, const Value *like, const char *suffix) {
    Op *op = op_new(d->ctx, &inst_table[inst], pos->span);
    op->operands = ARENA_ARRAY(d->arena, Operand, n);
    for (unsigned i = 0; i < n; i++)
        op->operands[i] = (Operand){.value = operands[i], .span = pos->span};
    op->noperands = (uint16_t)n;
    op->results = ARENA_NEW(d->arena, Value);
    op->nresults = 1;
    op->results[0] = (Value){.type = type,
                             .name = suffix != NULL ? dps_fresh_name(d, like, suffix) : like->name,
                             .name_off = like->name_off,
                             .def = op,
                             .npack = 1};
    op_insert_before(pos, op);
    return &op->results[0];
}

Value *dps_valid_extent(Dps *d, Op *pos, Value *tile, bool cols) {
    const Type *index = type_scalar(d->ctx->types, ELEM_INDEX);
    return insert_op(d, pos, cols ? INST_TILE_VALID_COLS : INST_TILE_VALID_ROWS, index, &tile, 1,
                     tile, cols ? "cols" : "rows");
}

Value *dps_select(Dps *d, Op *pos, Value *condition, Value *yes, Value *no, const Value *like,
                  const char *suffix) {
    Value *const operands[] = {condition, yes, no};
    return insert_op(d, pos, INST_SELECT, yes->type, operands, 3, like, suffix);
}

Value *dps_equal(Dps *d, Op *pos, Value *a, Value *b, const Value *like) {
    Value *const operands[] = {a, b};
    const Type *i1 = type_scalar(d->ctx->types, ELEM_I1);
    Value *v = insert_op(d, pos, INST_CMPI, i1, operands, 2, like, "taken");
    Attr *eq = ARENA_NEW(d->arena, Attr);
    *eq = (Attr){.kind = ATTR_ENUM, .family = EF_CMPI, .i = enum_value_find(EF_CMPI, "eq", 2)};
    v->def->attrs = ARENA_NEW(d->arena, NamedAttr);
    v->def->attrs[0] = attr_made(d->ctx, ATTR_predicate, eq);
    v->def->nattrs = 1;
    return v;
}

Value *dps_or(Dps *d, Op *pos, Value *a, Value *b, const Value *like) {
    Value *const operands[] = {a, b};
    return insert_op(d, pos, INST_ORI, a->type, operands, 2, like, "taken");
}

Value *dps_count(Dps *d, uint32_t n) {
    if (d->counts[n] != NULL) return d->counts[n];
    Attr *value = ARENA_NEW(d->arena, Attr);
    *value = (Attr){.kind = ATTR_INT, .i = n, .type = type_scalar(d->ctx->types, ELEM_INDEX)};
    const char *name = arena_printf(d->arena, "slot%u", (unsigned)n);
    d->counts[n] = insert_constant(d, op_regions(d->func)[0].first->first, value,
                                   fresh_name(d->ctx, name), d->func->name_span.off);
    return d->counts[n];
}
