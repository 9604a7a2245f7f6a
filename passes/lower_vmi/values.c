/* SPDX-License-Identifier: Apache-2.0 */
/* The registers of logical vectors, and lists of values in which several registers are in the place
 * of one vector: operands and results of loops and branches, arguments of blocks. */
#include "passes/lower_vmi/lower.h"

#include <string.h>

Value **vmi_room(Lowering *l, uint32_t n) {
    return ARENA_ARRAY(l->arena, Value *, n + 1);
}

Value **vmi_registers(Lowering *l, const Value *v) {
    const Registers *r = ptrmap_get(&l->registers, v);
    return r != NULL ? r->at : NULL;
}

void vmi_set(Lowering *l, const Value *result, Value **at, uint32_t n) {
    Registers *r = ARENA_NEW(l->arena, Registers);
    *r = (Registers){.at = at, .n = n};
    *ptrmap_at(&l->registers, result) = r;
}

Value *vmi_current(Lowering *l, Value *v) {
    Value *to = v != NULL ? ptrmap_get(&l->moved, v) : NULL;
    return to != NULL ? to : v;
}

Value *vmi_slot(Lowering *l, OperandName name) {
    return vmi_current(l, named_value(l->op, name));
}

const NamedAttr *vmi_attr_of(const Lowering *l, AttrName name) {
    return op_attr_named(l->op, name);
}

int64_t vmi_number(const Lowering *l, AttrName name, int64_t absent) {
    const NamedAttr *a = vmi_attr_of(l, name);
    if (a == NULL) return absent;
    return a->value->kind == ATTR_ENUM ? enum_number(a->value) : a->value->i;
}

/* ---- lists ---- */

/* The width of masks that loops, blocks and calls carry. */
enum { CARRIED_BITS = 8 };

static uint32_t carried(const Value *v) {
    if (!value_is_logical(v)) return 1;
    return registers_for(v->type->count, value_is_lanes(v) ? type_bits(v->type) : CARRIED_BITS);
}

static const Type *carried_type(Lowering *l, const Type *t) {
    return t->kind == TY_LANES ? vmi_vreg(l, (Elem)t->elem) : vmi_mask_type(l, CARRIED_BITS);
}

/* Writes the values that are in the place of one. */
static void put(Lowering *l, Operand *to, const Operand *from) {
    Value *v = from->value;
    const uint32_t n = carried(v);
    Value **at = value_is_lanes(v)       ? vmi_registers(l, v)
                 : value_is_lane_mask(v) ? vmi_masks(l, v, CARRIED_BITS)
                                         : NULL;
    for (uint32_t k = 0; k < n; k++)
        to[k] = (Operand){.value = at != NULL ? at[k] : vmi_current(l, v), .span = from->span};
}

/* Returns the longer list; its length in *n. */
static Operand *longer(Lowering *l, Operand *list, uint32_t *n) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < *n; i++)
        total += carried(list[i].value);
    Operand *more = total == *n ? list : ARENA_ARRAY(l->arena, Operand, total);
    for (uint32_t i = 0, at = 0; i < *n; i++) {
        const Operand from = list[i];
        put(l, &more[at], &from);
        at += carried(from.value);
    }
    *n = total;
    return more;
}

/* Writes the lengths of the slots of the longer list. */
static bool longer_slots(Lowering *l, Op *op) {
    uint16_t *segs = ARENA_ARRAY(l->arena, uint16_t, op->inst->nslots + 1u);
    for (int s = 0; s < op->inst->nslots; s++) {
        const Operand *list = slot_operands(op, s);
        uint32_t n = 0;
        for (unsigned i = 0; i < slot_count(op, s); i++) {
            n += carried(list[i].value);
            if (value_is_logical(list[i].value) && op->inst->slots[s].arity != ARITY_VAR)
                return vmi_refuse(l, "it has no form that works on registers");
        }
        if (n > UINT16_MAX) return vmi_refuse(l, "it would have %u operands", (unsigned)n);
        segs[s] = (uint16_t)n;
    }
    op->segs = segs;
    return true;
}

static bool all_lowered(Lowering *l, const Operand *list, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if ((value_is_lanes(list[i].value) && vmi_registers(l, list[i].value) == NULL) ||
            (value_is_lane_mask(list[i].value) && ptrmap_get(&l->masks, list[i].value) == NULL))
            return false;
    return true;
}

static bool has_logical(const Operand *list, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (value_is_logical(list[i].value)) return true;
    return false;
}

bool vmi_operands(Lowering *l, Op *op) {
    uint32_t n = op->noperands;
    if (!all_lowered(l, op->operands, n)) return false;
    if (has_logical(op->operands, n) && !longer_slots(l, op)) return false;
    op->operands = longer(l, op->operands, &n);
    op->noperands = (uint16_t)n;
    for (unsigned s = 0; s < op->nsuccs; s++) {
        Successor *to = &op_succs(op)[s];
        if (!all_lowered(l, to->args, to->nargs)) return false;
        to->args = longer(l, to->args, &to->nargs);
    }
    return true;
}

/* Notes the new values of one old one. */
static void note(Lowering *l, const Value *old, Value *first, uint32_t n, Op *before) {
    if (!value_is_logical(old)) {
        *ptrmap_at(&l->moved, old) = first;
        return;
    }
    Value **at = vmi_room(l, n);
    for (uint32_t k = 0; k < n; k++)
        at[k] = &first[k];
    if (value_is_lanes(old))
        vmi_set(l, old, at, n);
    else
        vmi_set_argument(l, old, before, at);
}

/* Copies a list of values, with registers in the place of vectors. */
static void copy_values(Lowering *l, Value *to, const Value *from, uint32_t n, Op *before) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t count = carried(&from[i]);
        for (uint32_t k = 0; k < count; k++) {
            Value *v = &to[at + k];
            *v = from[i];
            v->index = (uint16_t)(at + k);
            v->pack = 0;
            v->npack = 1;
            if (value_is_logical(v)) v->type = carried_type(l, v->type);
            if (count > 1 || from[i].npack > 1) {
                const char *suffix = arena_printf(l->arena, "%u", from[i].pack + (unsigned)k);
                v->name = fresh_name(l->ctx, name_stem(l->ctx, from[i].name, suffix));
            }
        }
        note(l, &from[i], &to[at], count, before);
        at += count;
    }
}

/* The length of a list with registers in the place of vectors; *grows: there are vectors. */
static uint32_t total_of(const Value *list, uint32_t n, bool *grows) {
    uint32_t total = 0;
    *grows = false;
    for (uint32_t i = 0; i < n; i++) {
        total += carried(&list[i]);
        *grows |= value_is_logical(&list[i]);
    }
    return total;
}

bool vmi_results(Lowering *l, Op *op) {
    bool grows;
    const uint32_t total = total_of(op->results, op->nresults, &grows);
    if (!grows) return true;
    if (op->inst->nresults > 0) return vmi_refuse(l, "it has no form that works on registers");
    if (total > UINT8_MAX) return vmi_refuse(l, "it would have %u results", (unsigned)total);
    Value *results = ARENA_ARRAY(l->arena, Value, total);
    copy_values(l, results, op->results, op->nresults, op->next);
    op->results = results;
    op->nresults = (uint8_t)total;
    return true;
}

bool vmi_arguments(Lowering *l, Block *b) {
    bool grows;
    const uint32_t total = total_of(b->args, b->nargs, &grows);
    if (!grows) return true;
    if (total > UINT16_MAX)
        return vmi_refuse(l, "a block would have %u arguments", (unsigned)total);
    Op *first = b->first;
    while (first != NULL && op_is(first, INST_CONSTANT) && first->next != NULL)
        first = first->next;
    Value *args = block_args_new(l->arena, b, total);
    copy_values(l, args, b->args, b->nargs, first);
    b->args = args;
    b->nargs = total;
    return true;
}
