/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors that are made: one value in many lanes, and numbers that count. */
#include "passes/lower_vmi/lower.h"

#include "ir/dense.h"

Value *vmi_splat(Lowering *l, Elem e, int64_t number) {
    const unsigned bits = elem_storage_bits(e);
    return SAME(l, INST_VBR, vmi_vreg(l, e), vmi_constant(l, vmi_int(bits, 'I'), number));
}

Value *vmi_numbers(Lowering *l, Elem e, int64_t first) {
    const unsigned bits = elem_storage_bits(e);
    return SAME(l, INST_VCI, vmi_vreg(l, e), vmi_constant(l, vmi_int(bits, 'I'), first));
}

Value *vmi_zeroed(Lowering *l, Value *v, Value *mask) {
    const unsigned bits = type_bits(v->type);
    if (mask == vmi_full(l, bits)) return v;
    Value *zero = vmi_splat(l, vmi_int(bits, 'I'), 0);
    return LOWER(l, INST_VSEL, v->type, v, vmi_cast(l, zero, (Elem)v->type->elem), mask);
}

Value *vmi_divided(Lowering *l, Value *lanes, uint32_t n) {
    if (n == 1) return lanes;
    return SAME(l, INST_VSHRS, lanes->type, lanes, vmi_constant(l, ELEM_I16, vmi_log2(n)),
                vmi_full(l, type_bits(lanes->type)));
}

/* One register in the place of all. */
static bool same_in_all(Lowering *l, Value *v) {
    const Type *t = l->op->results[0].type;
    const uint32_t n = registers_for(t->count, type_bits(t));
    Value **at = vmi_room(l, n);
    for (uint32_t k = 0; k < n; k++)
        at[k] = v;
    v->name = l->op->results[0].npack == 1 ? l->op->results[0].name : 0;
    vmi_set(l, l->op->results, at, n);
    return true;
}

/* The numbers of the groups that the lanes of register k are in, below the lanes of a register. */
static Value *groups_of_lanes(Lowering *l, unsigned bits, uint32_t size, uint32_t k) {
    const uint32_t held = REGISTER_BITS / bits;
    const Elem e = vmi_int(bits, 'U');
    const int64_t first = (int64_t)k * held / size % held;
    if (size >= held) return vmi_splat(l, e, first);
    Value *v = vmi_divided(l, vmi_numbers(l, e, 0), size);
    if (first == 0) return v;
    return SAME(l, INST_VADDS, v->type, v, vmi_constant(l, vmi_int(bits, 'I'), first),
                vmi_full(l, bits));
}

/* Lane g of the source in all lanes of group g. */
static bool spread_groups(Lowering *l, Value **source, uint32_t groups) {
    const Type *t = l->op->results[0].type;
    const unsigned bits = type_bits(t);
    const uint32_t held = REGISTER_BITS / bits, n = registers_for(t->count, bits);
    const uint32_t size = groups != 0 ? t->count / groups : 0;
    if (size * groups != t->count) return vmi_refuse(l, "the groups are not of equal size");
    if (size % held != 0 && (held % size != 0 || vmi_log2(size) < 0))
        return vmi_refuse(l, "groups of %u lanes do not divide a register of %u", (unsigned)size,
                          (unsigned)held);
    Value **at = vmi_room(l, n);
    for (uint32_t k = 0; k < n; k++) {
        Value *from = source[(uint64_t)k * held / size / held];
        at[k] = LOWER(l, INST_VSELR, from->type, from, groups_of_lanes(l, bits, size, k));
    }
    vmi_set(l, l->op->results, at, n);
    return true;
}

bool vmi_broadcast(Lowering *l, const Row *row) {
    (void)row;
    Value *x = l->op->operands[0].value;
    const Type *t = l->op->results[0].type;
    if (!value_is_lanes(x))
        return same_in_all(l, LOWER(l, INST_VBR, vmi_vreg(l, (Elem)t->elem), vmi_current(l, x)));
    int64_t groups;
    op_groups(l->op, &groups);
    Value **source = vmi_registers(l, x);
    if (x->type->count != 1)
        return spread_groups(l, source, groups > 0 ? (uint32_t)groups : x->type->count);
    Value *v = LOWER(l, INST_VDUP, source[0]->type, source[0], vmi_full(l, type_bits(t)));
    vmi_word(l, v->def, ATTR_position, EF_POSITION, "LOWEST");
    return same_in_all(l, v);
}

/* base + delta in the type of lanes of a scalar. */
static Value *base_plus(Lowering *l, Value *base, int64_t delta) {
    int64_t n;
    if (delta == 0) return base;
    if (vmi_known(base, &n)) /* lanes wrap */
        return vmi_constant(l, (Elem)base->type->elem, (int64_t)((uint64_t)n + (uint64_t)delta));
    return LOWER(l, INST_ADDI, base->type, base, vmi_constant(l, (Elem)base->type->elem, delta));
}

/* Counts in groups that are smaller than a register: the same numbers in each register. */
static Value *count_in_groups(Lowering *l, Value *base, uint32_t size, bool down) {
    const Type *t = l->op->results[0].type;
    const unsigned bits = type_bits(t);
    const Elem e = vmi_int(bits, 'U');
    Value *i = vmi_numbers(l, e, 0);
    i = SAME(l, INST_VAND, i->type, i, vmi_splat(l, e, size - 1), vmi_full(l, bits));
    Value *b = SAME(l, INST_VBR, i->type, base);
    Value *v = LOWER(l, down ? INST_VSUB : INST_VADD, i->type, b, i, vmi_full(l, bits));
    return vmi_cast(l, v, (Elem)t->elem);
}

static Value *count_from(Lowering *l, Value *base, bool down) {
    Value *v = LOWER(l, INST_VCI, vmi_vreg(l, (Elem)l->op->results[0].type->elem), base);
    if (!down) return v;
    Attr *a = ARENA_NEW(l->arena, Attr);
    *a = (Attr){.kind = ATTR_STRING, .text = intern_copy(&l->ctx->names, "DESC", 4)};
    vmi_attr(l, v->def, ATTR_order, a);
    return v;
}

bool vmi_count(Lowering *l, const Row *row) {
    (void)row;
    const Type *t = l->op->results[0].type;
    const unsigned bits = type_bits(t);
    const uint32_t held = REGISTER_BITS / bits, n = registers_for(t->count, bits);
    const bool down = vmi_number(l, ATTR_order, 0) == 1;
    int64_t groups;
    if (!op_groups(l->op, &groups)) groups = 1;
    const uint32_t size = groups > 0 ? (uint32_t)(t->count / groups) : 0;
    Value *base = vmi_current(l, l->op->operands[0].value);
    if (size == 0 || (size * groups != t->count))
        return vmi_refuse(l, "the groups are not of equal size");
    if (elem_is_float((Elem)t->elem) && (n > 1 || groups > 1))
        return vmi_refuse(l, "floats are counted from a base in one register only");
    if (groups > 1 && size % held != 0) {
        if (held % size != 0)
            return vmi_refuse(l, "groups of %u lanes do not divide a register", (unsigned)size);
        return same_in_all(l, count_in_groups(l, base, size, down));
    }
    Value **at = vmi_room(l, n);
    for (uint32_t k = 0; k < n; k++) {
        const int64_t delta = (int64_t)k * held % size;
        at[k] = count_from(l, base_plus(l, base, down ? -delta : delta), down);
    }
    vmi_set(l, l->op->results, at, n);
    return true;
}

/* Reads the number in `dense<NUMBER>`. */
static bool only_number(Lowering *l, Elem e, Attr *number) {
    const NamedAttr *a = vmi_attr_of(l, ATTR_value);
    Dense d;
    return a != NULL && dense_open(&d, &l->ctx->names, a->value) && dense_has(&d, e, 1) &&
           dense_next(&d, e, number);
}

bool vmi_constant_lanes(Lowering *l, const Row *row) {
    (void)row;
    const Type *t = l->op->results[0].type;
    Attr *number = ARENA_NEW(l->arena, Attr);
    if (!only_number(l, (Elem)t->elem, number))
        return vmi_refuse(l, "its lanes are not one number; pto.vmi.vbrc has one for all");
    if (number->kind == ATTR_INT) return same_in_all(l, vmi_splat(l, (Elem)t->elem, number->i));
    number->type = t->elem_type;
    Value *v = vmi_op(l, INST_CONSTANT, NULL, 0, (const Type *[]){t->elem_type, NULL})->results;
    vmi_attr(l, v->def, ATTR_value, number);
    return same_in_all(l, LOWER(l, INST_VBR, vmi_vreg(l, (Elem)t->elem), v));
}
