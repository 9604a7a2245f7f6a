/* The changes that SSA -> DPS makes to a program. */
#include "passes/dps.h"

#include <string.h>

/* ---- names ---- */

Atom dps_fresh_name(Dps *d, const Value *like, const char *suffix) {
    Interner *names = &d->ctx->names;
    const char *stem = arena_printf(d->arena, "%.*s_%s", (int)atom_len(names, like->name),
                                    atom_text(names, like->name), suffix);
    if (intern_find(names, stem, strlen(stem)) == 0) return intern_copy(names, stem, strlen(stem));
    return fresh_numbered(d->ctx, stem, 1);
}

/* ---- allocations ---- */

static Value *insert_constant(Dps *d, Op *pos, const Attr *value, const Value *like,
                              const char *suffix) {
    Op *op = op_new(d->ctx, &inst_table[INST_CONSTANT], pos->span);
    op->attrs = ARENA_NEW(d->arena, NamedAttr);
    op->attrs[0] = (NamedAttr){.name = intern_copy(&d->ctx->names, "value", 5), .value = value};
    op->nattrs = 1;
    op->results = ARENA_NEW(d->arena, Value);
    op->nresults = 1;
    op->results[0] = (Value){.type = value->type,
                             .name = dps_fresh_name(d, like, suffix),
                             .name_off = like->name_off,
                             .def = op,
                             .npack = 1};
    op_insert_before(pos, op);
    return &op->results[0];
}

static Value *constant_before(Dps *d, Op *pos, int64_t n, const Value *like) {
    Attr *value = ARENA_NEW(d->arena, Attr);
    const Type *i64 = type_scalar(d->ctx->types, ELEM_I64);
    *value = (Attr){.kind = ATTR_INT, .i = n, .type = i64};
    return insert_constant(d, pos, value, like, "addr");
}

/* What a vector result becomes: a constant that the instruction writes over. */
static Value *vector_before(Dps *d, Op *pos, const Value *result) {
    Attr *value = ARENA_NEW(d->arena, Attr);
    *value = (Attr){.kind = ATTR_OPAQUE,
                    .text = intern_copy(&d->ctx->names, "dense<0>", 8),
                    .type = result->type};
    return insert_constant(d, pos, value, result, "init");
}

/* Blank lines before a statement go before what is inserted in front of it. */
static void take_blank_lines(Op *from, Op *to) {
    if (from->trivia == NULL || from->trivia->kind != TRIVIA_BLANK) return;
    Trivia *blank = from->trivia;
    from->trivia = blank->next;
    blank->next = to->trivia;
    to->trivia = blank;
}

static void set_slot(Op *op, const char *name, Value *v) {
    if (v == NULL) return;
    op->segs[inst_slot(op->inst, name)] = 1;
    op->operands[op->noperands++] = (Operand){.value = v, .span = op->span};
}

Value *dps_alloc(Dps *d, Op *pos, const Type *type, Valid valid, const Value *like, bool fresh,
                 int64_t addr) {
    Op *op = op_new(d->ctx, &inst_table[INST_ALLOC_TILE], pos->span);
    Value *at = addr >= 0 ? constant_before(d, pos, addr, like) : NULL;
    op->form = OPF_DPS;
    op->segs = ARENA_ARRAY(d->arena, uint16_t, op->inst->nslots);
    op->operands = ARENA_ARRAY(d->arena, Operand, 3);
    set_slot(op, "addr", at);
    set_slot(op, "valid_row", valid.row);
    set_slot(op, "valid_col", valid.col);
    op->results = ARENA_NEW(d->arena, Value);
    op->nresults = 1;
    op->results[0] = (Value){.type = type,
                             .name = fresh ? dps_fresh_name(d, like, "buf") : like->name,
                             .name_off = like->name_off,
                             .def = op,
                             .npack = 1};
    op_insert_before(pos, op);
    take_blank_lines(pos, at != NULL ? at->def : op);
    return &op->results[0];
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
        if (values[i].type->kind == TY_TILE)
            values[i].type = type_respell(d->ctx->types, values[i].type, SPELL_BUF);
}

static bool finish_op(Op *op, void *arg) {
    Dps *d = arg;
    for (unsigned i = 0; i < op->noperands; i++)
        op->operands[i].value = dps_current(d, op->operands[i].value);
    for (unsigned i = 0; i < op->nsuccs; i++)
        for (uint32_t k = 0; k < op->succs[i].nargs; k++)
            op->succs[i].args[k].value = dps_current(d, op->succs[i].args[k].value);
    if (op->form == OPF_SSA || op->form == OPF_AS)
        op->form = op_tile_results(op) > 0 ? OPF_SSA : OPF_DPS;    /* a view keeps its result */
    if (op_is(op, INST_FUNC) || op_is(op, INST_CALL)) return true; /* the function's type */
    respell(d, op->results, op->nresults);
    for (unsigned r = 0; r < op->nregions; r++)
        for (Block *b = op->regions[r].first; b != NULL; b = b->next)
            respell(d, b->args, b->nargs);
    return true;
}

void dps_finish(Dps *d, Op *func) {
    op_walk(func, finish_op, d);
}

/* ---- more values in a loop ---- */

static Operand *append_operand(Dps *d, Operand *list, unsigned n, Value *v, Span span) {
    Operand *more = ARENA_ARRAY(d->arena, Operand, n + 1);
    if (n > 0) memcpy(more, list, n * sizeof *list);
    more[n] = (Operand){.value = v, .span = span};
    return more;
}

/* A copy of a list of values with one more; the old ones are replaced by their copies. */
static Value *append_value(Dps *d, Value *list, uint32_t n, Value more) {
    Value *copy = ARENA_ARRAY(d->arena, Value, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        copy[i] = list[i];
        dps_replace(d, &list[i], &copy[i]);
    }
    copy[n] = more;
    copy[n].index = (uint16_t)n;
    return copy;
}

Value *dps_carry(Dps *d, Op *loop, Value *init, const Value *like) {
    Block *body = loop->regions[0].first;
    Op *yield = body->last;
    int slot = inst_slot(loop->inst, "init");
    unsigned before = 0;
    uint16_t *segs = ARENA_ARRAY(d->arena, uint16_t, loop->inst->nslots);
    for (int i = 0; i < loop->inst->nslots; i++)
        segs[i] = (uint16_t)slot_count(loop, i);
    for (int i = 0; i <= slot; i++)
        before += segs[i];
    segs[slot]++;
    loop->operands = append_operand(d, loop->operands, before, init, loop->span);
    loop->noperands++;
    loop->segs = segs;
    Value result = {.type = init->type,
                    .name = dps_fresh_name(d, like, "out"),
                    .name_off = like->name_off,
                    .def = loop,
                    .npack = 1};
    loop->results = append_value(d, loop->results, loop->nresults, result);
    loop->nresults++;
    Value arg = {.type = init->type,
                 .name = dps_fresh_name(d, like, "turn"),
                 .name_off = like->name_off,
                 .block = body,
                 .npack = 1};
    body->args = append_value(d, body->args, body->nargs, arg);
    Value *made = &body->args[body->nargs++];
    yield->operands = append_operand(d, yield->operands, yield->noperands, made, yield->span);
    yield->noperands++;
    if (yield->segs != NULL) {
        uint16_t *yield_segs = ARENA_NEW(d->arena, uint16_t);
        *yield_segs = yield->noperands;
        yield->segs = yield_segs;
    }
    return made;
}

void dps_set_yield(Op *loop, const Value *arg, Value *yielded) {
    /* Argument 0 is the counter; the others are what the loop carries. */
    loop->regions[0].first->last->operands[arg->index - 1].value = yielded;
}
