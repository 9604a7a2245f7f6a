/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions. Lanes that become wider are moved apart first, those that become narrower moved
 * together afterwards: pto.vcvt has the narrow lane in the lowest part of the wide one. */
#include "passes/lower_vmi/lower.h"

#include "verifier/rules/conversions.h"

/* A list of registers, and the lanes that they have. */
typedef struct Lanes {
    Registers regs;
    unsigned bits;
    uint32_t lanes;
} Lanes;

/* ---- moved apart and together ---- */

static Value *half_of(Lowering *l, Value *x, bool is_signed, uint32_t part) {
    const unsigned bits = type_bits(x->type);
    Value *from = vmi_cast(l, x, vmi_int(bits, is_signed ? 'S' : 'U'));
    return LOWER(l, is_signed ? INST_VSUNPACK : INST_VZUNPACK,
                 vmi_vreg(l, vmi_int(2 * bits, is_signed ? 'S' : 'U')), from,
                 vmi_constant(l, ELEM_INDEX, part));
}

/* Doubles the width of lanes, with zeros or the sign. */
static Lanes wider(Lowering *l, Lanes x, bool is_signed) {
    Lanes to = {.bits = 2 * x.bits, .lanes = x.lanes};
    to.regs.n = registers_for(x.lanes, to.bits);
    to.regs.at = vmi_room(l, to.regs.n);
    for (uint32_t k = 0; k < to.regs.n; k++)
        to.regs.at[k] = half_of(l, x.regs.at[k / 2], is_signed, k % 2);
    return to;
}

static Value *packed_half(Lowering *l, Value *x, unsigned bits, const char *part) {
    Value *from = vmi_cast(l, x, vmi_int(bits, 'U'));
    Value *v = LOWER(l, INST_VPACK, vmi_vreg(l, vmi_int(bits / 2, 'U')), from);
    vmi_word(l, v->def, ATTR_part, EF_HALF, part);
    return v;
}

Registers vmi_packed(Lowering *l, Registers wide, unsigned bits, uint32_t lanes) {
    Registers to = {.n = registers_for(lanes, bits / 2)};
    to.at = vmi_room(l, to.n);
    for (uint32_t k = 0; k < to.n; k++) {
        to.at[k] = packed_half(l, wide.at[2 * k], bits, "LOWER");
        if (2 * k + 1 == wide.n) continue;
        Value *high = packed_half(l, wide.at[2 * k + 1], bits, "HIGHER");
        to.at[k] = LOWER(l, INST_VOR, high->type, to.at[k], high, vmi_full(l, bits / 2));
    }
    return to;
}

Registers vmi_widened(Lowering *l, Registers x, unsigned bits, uint32_t lanes) {
    return wider(l, (Lanes){.regs = x, .bits = bits, .lanes = lanes}, false).regs;
}

static Lanes narrower(Lowering *l, Lanes x) {
    return (Lanes){
        .regs = vmi_packed(l, x.regs, x.bits, x.lanes), .bits = x.bits / 2, .lanes = x.lanes};
}

/* ---- converted ---- */

static const char *rounding_for(const Lowering *l, const Conversion *c) {
    const NamedAttr *a = op_attr_named(l->op, ATTR_rounding);
    if (a != NULL) return enum_infos[a->value->family].values[a->value->i].text;
    return (c->modes & 1u << LANES_ROUND_R) != 0 ? "R" : "A";
}

static Value *converted(Lowering *l, const Conversion *c, Value *x, Elem from, Elem to) {
    const unsigned bits = elem_storage_bits(from);
    x = vmi_cast(l, x, from);
    Value *v = LOWER(l, INST_VCVT, vmi_vreg(l, to), x, vmi_full(l, bits > 32 ? 32 : bits));
    if (c->part != NO_PART)
        vmi_word(l, v->def, ATTR_part, EF_LANE_PART, c->part == PAIR ? "EVEN" : "P0");
    if (c->modes != NO_MODE) vmi_word(l, v->def, ATTR_rnd, EF_LANE_ROUNDING, rounding_for(l, c));
    if (c->saturates)
        vmi_word(l, v->def, ATTR_sat, EF_LANE_SATURATION,
                 vmi_number(l, ATTR_saturate, 0) == 1 ? "SAT" : "NOSAT");
    return v;
}

static void convert_all(Lowering *l, Lanes *x, const Conversion *c, Elem from, Elem to) {
    for (uint32_t k = 0; k < x->regs.n; k++)
        x->regs.at[k] = converted(l, c, x->regs.at[k], from, to);
}

/* The element type of lanes, where a signless integer has the sign of the row. */
static Elem signed_elem(const Type *t, const Row *row) {
    const Elem e = (Elem)t->elem;
    if (e == ELEM_BF16X2) return ELEM_BF16;
    if (elem_int_width(e) == 0) return e;
    if ((row->flags & ROW_SIGNED) != 0) return vmi_int(type_bits(t), 'S');
    return elem_infos[e].cls == 'I' ? vmi_int(type_bits(t), 'U') : e;
}

/* Copies the list, as registers of one value are shared by its uses. */
static Lanes lanes_of_value(Lowering *l, const Value *v) {
    Lanes x = {.bits = type_bits(v->type), .lanes = v->type->count};
    x.regs.n = registers_for(x.lanes, x.bits);
    x.regs.at = vmi_room(l, x.regs.n);
    for (uint32_t k = 0; k < x.regs.n; k++)
        x.regs.at[k] = vmi_registers(l, v)[k];
    return x;
}

static bool finish(Lowering *l, Lanes x) {
    const Value *result = l->op->results;
    for (uint32_t k = 0; k < x.regs.n; k++)
        x.regs.at[k] = vmi_cast(l, x.regs.at[k], (Elem)result->type->elem);
    vmi_set(l, result, x.regs.at, x.regs.n);
    return true;
}

/* Between integers, only clamping needs a conversion. */
static bool keeps_bits(const Lowering *l, Elem from, Elem to) {
    return elem_int_width(from) != 0 && elem_int_width(to) != 0 &&
           (elem_int_width(from) <= elem_int_width(to) || vmi_number(l, ATTR_saturate, 0) == 0);
}

bool vmi_convert(Lowering *l, const Row *row) {
    const Type *s = l->op->operands[0].value->type, *d = l->op->results[0].type;
    const Elem from = signed_elem(s, row), to = signed_elem(d, row);
    const bool moves = keeps_bits(l, from, to);
    const Conversion *c = moves ? NULL : conversion_of(from, to);
    if (!moves && c == NULL)
        return vmi_refuse(l, "registers are not converted from %s to %s", elem_infos[from].text,
                          elem_infos[to].text);
    Lanes x = lanes_of_value(l, l->op->operands[0].value);
    while (x.bits < type_bits(d))
        x = wider(l, x, moves && elem_infos[from].cls == 'S');
    if (c != NULL) convert_all(l, &x, c, from, to);
    while (x.bits > type_bits(d))
        x = narrower(l, x);
    return finish(l, x);
}

bool vmi_recast(Lowering *l, const Row *row) {
    (void)row;
    const Type *s = l->op->operands[0].value->type, *d = l->op->results[0].type;
    if (s->count * type_bits(s) != d->count * type_bits(d))
        return vmi_refuse(l, "the two vectors have not the same number of bits");
    return finish(l, lanes_of_value(l, l->op->operands[0].value));
}
