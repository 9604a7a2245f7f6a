/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions, of all lanes or of groups, and histograms. Each register is reduced by itself, and
 * the registers of a group are combined in order from the first one. */
#include "passes/lower_vmi/lower.h"

/* A reduction of the statement that is lowered. */
typedef struct Reduction {
    const Row *row;
    Value **x;
    const Value *mask;
    Elem elem; /* in which it is computed */
    unsigned bits;
    uint32_t held, lanes, groups, size; /* lanes of a register, of all, groups, lanes of a group */
} Reduction;

/* The sum of 8 or 16 bits has twice as many; its low bits are those of the wrapped sum. */
static Elem result_elem(const Reduction *r) {
    if (r->row->to != INST_VCADD || r->bits == 32 || elem_is_float(r->elem)) return r->elem;
    return vmi_int(2 * r->bits, elem_infos[r->elem].cls);
}

/* Reduces the active lanes of a register to its first lane. */
static Value *whole(Lowering *l, const Reduction *r, uint32_t k, Value *mask) {
    Value *x = vmi_cast(l, r->x[k], r->elem);
    Value *v = LOWER(l, (InstId)r->row->to, vmi_vreg(l, result_elem(r)), x, mask);
    return vmi_cast(l, v, r->elem);
}

/* Reduces the registers [from, to). */
static Value *of_registers(Lowering *l, const Reduction *r, uint32_t from, uint32_t to) {
    Value *all = NULL;
    for (uint32_t k = from; k < to; k++) {
        Value *one = whole(l, r, k, vmi_masks(l, r->mask, r->bits)[k]);
        all = all == NULL
                  ? one
                  : LOWER(l, (InstId)r->row->both, one->type, all, one, vmi_prefix(l, r->bits, 1));
    }
    return all;
}

/* Reduces group g, which is a part of a register. */
static Value *of_part(Lowering *l, const Reduction *r, uint32_t g) {
    const uint32_t k = g * r->size / r->held, from = g * r->size % r->held;
    Value *mask = vmi_masks(l, r->mask, r->bits)[k];
    Value *lanes = vmi_both(l, mask, vmi_range(l, r->bits, from, from + r->size), r->bits);
    return whole(l, r, k, lanes);
}

/* A value in all lanes of a register. */
static Value *in_all_lanes(Lowering *l, const Reduction *r, Value *v) {
    v = LOWER(l, INST_VDUP, v->type, v, vmi_full(l, r->bits));
    vmi_word(l, v->def, ATTR_position, EF_POSITION, "LOWEST");
    return v;
}

/* Joins results, each in the first lane of a register, from the last one to the first. */
static Value *joined(Lowering *l, const Reduction *r, Value **one, uint32_t n) {
    if (n == 1) return one[0];
    Value *all = in_all_lanes(l, r, one[n - 1]);
    for (uint32_t g = n - 1; g-- > 0;)
        all = LOWER(l, INST_VSEL, all->type, g == 0 ? one[g] : in_all_lanes(l, r, one[g]), all,
                    vmi_prefix(l, r->bits, g + 1));
    return all;
}

/* Moves the first lanes of a register to lane `to` and those after it. */
static Value *moved_up(Lowering *l, const Reduction *r, Value *v, uint32_t to) {
    if (to == 0) return v;
    const Elem e = vmi_int(r->bits, 'U');
    Value *i = vmi_numbers(l, e, (int64_t)r->held - to); /* modulo the lanes of a register */
    i = SAME(l, INST_VAND, i->type, i, vmi_splat(l, e, r->held - 1), vmi_full(l, r->bits));
    return LOWER(l, INST_VSELR, v->type, v, i);
}

/* Groups of 32 bytes: one instruction reduces those of a register. */
static Value *of_blocks(Lowering *l, const Reduction *r) {
    const uint32_t n = registers_for(r->lanes, r->bits), each = r->held / r->size;
    Value *all = NULL;
    for (uint32_t k = n; k-- > 0;) {
        Value *x = vmi_cast(l, r->x[k], r->elem);
        Value *v = LOWER(l, (InstId)r->row->each, x->type, x, vmi_masks(l, r->mask, r->bits)[k]);
        v = moved_up(l, r, v, k * each);
        all = all == NULL
                  ? v
                  : LOWER(l, INST_VSEL, v->type, v, all, vmi_prefix(l, r->bits, (k + 1) * each));
    }
    return all;
}

/* All results in one register. */
static Value *of_groups(Lowering *l, const Reduction *r) {
    if (r->groups == 1) return of_registers(l, r, 0, registers_for(r->lanes, r->bits));
    if (r->size * r->bits == 8 * 32) return of_blocks(l, r);
    Value **one = vmi_room(l, r->groups);
    const uint32_t each = r->size / r->held;
    for (uint32_t g = 0; g < r->groups; g++)
        one[g] = each > 0 ? of_registers(l, r, g * each, (g + 1) * each) : of_part(l, r, g);
    return joined(l, r, one, r->groups);
}

/* Reads the statement; false if its groups or lanes are refused. */
static bool read_reduction(Lowering *l, const Row *row, Reduction *r) {
    const Value *x = l->op->operands[0].value;
    int64_t groups;
    if (!op_groups(l->op, &groups)) groups = 1;
    const unsigned bits = type_bits(x->type);
    *r = (Reduction){.row = row,
                     .x = vmi_registers(l, x),
                     .mask = l->op->operands[1].value,
                     .elem = (Elem)x->type->elem,
                     .bits = bits,
                     .held = REGISTER_BITS / bits,
                     .lanes = x->type->count,
                     .groups = (uint32_t)groups};
    if (groups <= 0 || r->lanes % groups != 0)
        return vmi_refuse(l, "the groups are not of equal size");
    r->size = r->lanes / r->groups;
    if (elem_infos[r->elem].cls == 'I' && (row->flags & ROW_UNSIGNED) != 0)
        r->elem = vmi_int(bits, 'U');
    if (r->elem == ELEM_BF16)
        return vmi_refuse(l, "registers of bf16 are not reduced; convert the lanes to f32");
    if (r->groups > r->held)
        return vmi_refuse(l, "%u results take more than one register", (unsigned)r->groups);
    if (r->groups > 1 && r->size % r->held != 0 &&
        (r->held % r->size != 0 || vmi_log2(r->size) < 0))
        return vmi_refuse(l, "groups of %u lanes do not divide a register of %u", (unsigned)r->size,
                          (unsigned)r->held);
    return true;
}

bool vmi_reduce(Lowering *l, const Row *row) {
    Reduction r;
    if (!read_reduction(l, row, &r)) return false;
    Value **at = vmi_room(l, 1);
    at[0] = vmi_cast(l, of_groups(l, &r), (Elem)l->op->results[0].type->elem);
    vmi_set(l, l->op->results, at, 1);
    return true;
}

bool vmi_histogram(Lowering *l, const Row *row) {
    const Value *acc = l->op->operands[0].value, *source = l->op->operands[1].value;
    const uint32_t bins = registers_for(acc->type->count, 16);
    if (type_bits(acc->type) != 16 || type_bits(source->type) != 8 || bins > 2)
        return vmi_refuse(l, "registers count bytes in at most 256 bins of 16 bits");
    Value **from = vmi_registers(l, acc), **x = vmi_registers(l, source);
    Value **masks = vmi_masks(l, l->op->operands[2].value, 8), **at = vmi_room(l, bins);
    for (uint32_t b = 0; b < bins; b++) {
        at[b] = from[b];
        for (uint32_t k = 0; k < registers_for(source->type->count, 8); k++)
            at[b] = LOWER(l, (InstId)row->to, at[b]->type, at[b], x[k], masks[k],
                          vmi_constant(l, ELEM_I32, b));
    }
    vmi_set(l, l->op->results, at, bins);
    return true;
}
