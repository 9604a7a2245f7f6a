/* SPDX-License-Identifier: Apache-2.0 */
/* What works on each lane by itself: the micro-instruction of the row, once for each register. */
#include "passes/lower_vmi/lower.h"

#include <string.h>

enum { MOST_OPERANDS = 4 };

/* What a statement works on, in the order of its operands. */
typedef struct Parts {
    Value **vectors[MOST_OPERANDS];
    Value *scalars[MOST_OPERANDS];
    const Value *masks[MOST_OPERANDS];
    unsigned nvectors, nscalars, nmasks;
    const Type *type; /* of the first vector */
} Parts;

/* Makes the last vector the first. */
static void turn(Parts *p) {
    Value **last = p->vectors[p->nvectors - 1];
    memmove(&p->vectors[1], &p->vectors[0], (p->nvectors - 1) * sizeof *p->vectors);
    p->vectors[0] = last;
}

static Parts parts_of(Lowering *l, const Row *row) {
    const Op *op = l->op;
    Parts p = {.type = NULL};
    for (unsigned i = 0; i < op->noperands && i < MOST_OPERANDS; i++) {
        Value *v = op->operands[i].value;
        if (value_is_lanes(v)) {
            if (p.type == NULL) p.type = v->type;
            p.vectors[p.nvectors++] = vmi_registers(l, v);
        } else if (value_is_lane_mask(v)) {
            p.masks[p.nmasks++] = v;
        } else {
            p.scalars[p.nscalars++] = vmi_current(l, v);
        }
    }
    if ((row->flags & ROW_LAST_FIRST) != 0) turn(&p);
    return p;
}

/* The element type of lanes where their sign matters. */
static Elem elem_for(const Type *t, unsigned flags) {
    const Elem e = (Elem)t->elem;
    if (elem_infos[e].cls == 'I' && (flags & ROW_UNSIGNED) != 0) return vmi_int(type_bits(t), 'U');
    if (elem_int_width(e) != 0 && (flags & ROW_SIGNED) != 0) return vmi_int(type_bits(t), 'S');
    if (elem_int_width(e) != 0 && (flags & ROW_NO_SIGN) != 0) return vmi_int(type_bits(t), 'U');
    return e;
}

/* Writes the operands of a micro-instruction for register k. */
static unsigned operands_for(Lowering *l, const Row *row, const Parts *p, uint32_t k,
                             Value **operands) {
    const Inst *to = &inst_table[row->to];
    const unsigned bits = type_bits(p->type);
    const Elem e = elem_for(p->type, row->flags);
    unsigned vectors = 0, scalars = 0, masks = 0, n = 0;
    for (int s = 0; s < to->nslots; s++) {
        if (to->slots[s].kind == SLOT_VREG) {
            const bool count = vectors == 1 && (row->flags & ROW_SIGNED_RIGHT) != 0;
            Value *v = p->vectors[vectors++][k];
            const bool data = v->type->elem == p->type->elem;
            operands[n++] = count  ? vmi_cast(l, v, vmi_int(bits, 'S'))
                            : data ? vmi_cast(l, v, e)
                                   : v;
        } else if (to->slots[s].kind == SLOT_MASK) {
            const bool given = masks < p->nmasks && (row->flags & ROW_MERGES) == 0;
            operands[n++] = given ? vmi_masks(l, p->masks[masks++], bits)[k] : vmi_full(l, bits);
        } else {
            operands[n++] = p->scalars[scalars++];
        }
    }
    return n;
}

/* Makes register k of each result. */
static void make_results(Lowering *l, const Row *row, const Parts *p, uint32_t k, Value **at[]) {
    const Op *op = l->op;
    const unsigned bits = type_bits(p->type);
    const Type *types[MOST_OPERANDS + 1] = {NULL};
    Value *operands[2 * MOST_OPERANDS];
    for (unsigned r = 0; r < op->nresults; r++) {
        const Type *t = op->results[r].type;
        types[r] =
            t->kind == TY_LANE_MASK ? vmi_mask_type(l, bits) : vmi_vreg(l, elem_for(t, row->flags));
    }
    const unsigned n = operands_for(l, row, p, k, operands);
    Op *made = vmi_op(l, (InstId)row->to, operands, n, types);
    for (unsigned r = 0; r < op->nresults; r++) {
        const Type *t = op->results[r].type;
        Value *v = &made->results[r];
        if ((row->flags & ROW_MERGES) != 0 && p->nmasks > 0)
            v = vmi_zeroed(l, v, vmi_masks(l, p->masks[0], bits)[k]);
        at[r][k] = t->kind == TY_LANES ? vmi_cast(l, v, (Elem)t->elem) : v;
    }
}

/* What a comparison is called at the level of registers, and how its lanes are read. */
static const char *comparison(const Op *op, uint16_t *flags) {
    const NamedAttr *a = op_attr_named(op, ATTR_cmp);
    if (a == NULL) a = op_attr_named(op, ATTR_predicate);
    const char *word = enum_infos[a->value->family].values[a->value->i].text;
    if (strlen(word) != 3) return word;
    if (word[0] == 's') *flags = ROW_SIGNED;
    if (word[0] == 'u') *flags = ROW_NO_SIGN;
    return word + 1;
}

/* True unless the words of the statement ask for what registers do not do. */
static bool usual_lanes(Lowering *l, const Row *row, const Parts *p) {
    const NamedAttr *pmode = vmi_attr_of(l, ATTR_pmode);
    if (pmode != NULL && enum_number(pmode->value) == 1 && (row->flags & ROW_ANY_PMODE) == 0)
        return vmi_refuse(l, "registers have 0 in inactive lanes, and pmode asks for the old ones");
    if ((row->flags & ROW_ALONE) != 0 && registers_for(p->type->count, type_bits(p->type)) > 1)
        return vmi_refuse(l, "it moves lanes, and %u lanes take more than one register",
                          (unsigned)p->type->count);
    return true;
}

bool vmi_elementwise(Lowering *l, const Row *row) {
    const Op *op = l->op;
    const Parts p = parts_of(l, row);
    if (!usual_lanes(l, row, &p)) return false;
    const unsigned bits = type_bits(p.type);
    const uint32_t n = registers_for(p.type->count, bits);
    Value **at[MOST_OPERANDS];
    for (unsigned r = 0; r < op->nresults; r++)
        at[r] = vmi_room(l, n);
    for (uint32_t k = 0; k < n; k++)
        make_results(l, row, &p, k, at);
    for (unsigned r = 0; r < op->nresults; r++) {
        if (value_is_lanes(&op->results[r]))
            vmi_set(l, &op->results[r], at[r], n);
        else
            vmi_set_mask(l, &op->results[r], bits, at[r]);
    }
    return true;
}

bool vmi_bitwise(Lowering *l, const Row *row) {
    const Row lanes = {.lower = row->lower, .to = row->to};
    return value_is_lane_mask(l->op->results) ? vmi_mask_logic(l, row) : vmi_elementwise(l, &lanes);
}

/* A mask of all lanes takes the place of a seed that is not given. */
static Value *seed_of(Lowering *l, const Parts *p, uint32_t k) {
    return vmi_mask_of(l, p->nmasks > 0 ? p->masks[0] : NULL, type_bits(p->type), p->type->count,
                       k);
}

bool vmi_compare(Lowering *l, const Row *row) {
    uint16_t flags = row->flags;
    const char *word = comparison(l->op, &flags);
    const Parts p = parts_of(l, row);
    if (!usual_lanes(l, row, &p)) return false;
    const unsigned bits = type_bits(p.type);
    const Elem e = elem_for(p.type, flags);
    const uint32_t n = registers_for(p.type->count, bits);
    Value **at = vmi_room(l, n);
    for (uint32_t k = 0; k < n; k++) {
        Value *a = vmi_cast(l, p.vectors[0][k], e);
        Value *b = p.nvectors > 1 ? vmi_cast(l, p.vectors[1][k], e) : p.scalars[0];
        at[k] = LOWER(l, (InstId)row->to, vmi_mask_type(l, bits), a, b, seed_of(l, &p, k));
        vmi_word(l, at[k]->def, ATTR_cmp_mode, EF_LANE_COMPARISON, word);
    }
    vmi_set_mask(l, l->op->results, bits, at);
    return true;
}

bool vmi_alias(Lowering *l, const Row *row) {
    (void)row;
    const Value *x = l->op->operands[0].value, *result = l->op->results;
    if (value_is_lanes(x))
        vmi_set(l, result, vmi_registers(l, x), registers_for(x->type->count, type_bits(x->type)));
    else
        *ptrmap_at(&l->masks, result) = ptrmap_get(&l->masks, x);
    return true;
}
