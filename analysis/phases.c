/* SPDX-License-Identifier: Apache-2.0 */
/* Which phases a statement has, by its operands and attributes. */
#include "analysis/effects.h"

/* The tile that an indexed statement moves. */
static const TileInfo *moved_tile(const Op *op) {
    const Value *v = named_value(op, OPERAND_dst);
    if (v == NULL || !type_is_tile(v->type)) v = named_value(op, OPERAND_src);
    return v != NULL && type_is_tile(v->type) ? &v->type->tile : NULL;
}

/* Indices are of elements if the text says so, if they have the shape of the tile, or, into mat, if
 * there is memory to collect the elements in. */
static bool is_by_element(const Op *op) {
    const NamedAttr *a = op_attr_named(op, ATTR_coalesce);
    const Value *idx = named_value(op, OPERAND_idx);
    const TileInfo *t = moved_tile(op);
    if (idx == NULL || !type_is_tile(idx->type)) return named_value(op, OPERAND_scratch) != NULL;
    if (a != NULL && a->value->kind == ATTR_ENUM) return enum_number(a->value) != 0;
    return t != NULL && idx->type->tile.rows == t->rows && idx->type->tile.cols == t->cols;
}

static bool is_one_element(const Op *op) {
    const TileInfo *t = moved_tile(op);
    return t != NULL && t->vrow == 1 && t->vcol == 1 && is_by_element(op);
}

/* A pattern that leaves out elements of each row, or else whole rows. */
static bool is_mask(const Context *ctx, const Op *op, bool of_rows) {
    enum { ALL_ELEMENTS = 7 }; /* P1111 */
    const NamedAttr *mask = op_attr_named(op, ATTR_maskPattern);
    const NamedAttr *axis = op_attr_named(op, ATTR_axis);
    bool all =
        mask != NULL && mask->value->kind == ATTR_ENUM && enum_number(mask->value) == ALL_ELEMENTS;
    bool col = axis != NULL && axis->value->kind == ATTR_STRING &&
               atom_len(&ctx->names, axis->value->text) > 0 &&
               (atom_text(&ctx->names, axis->value->text)[0] | 32) == 'c';
    return named_value(op, OPERAND_indexes) == NULL && !all && col != of_rows;
}

static bool is_case(const Context *ctx, const Op *op, PhaseCase when) {
    switch (when) {
    case PHASES_ALWAYS:
        return true;
    case PHASES_ROWS:
        return !is_by_element(op);
    case PHASES_ONE:
        return is_one_element(op);
    case PHASES_OF_VALUE:
        return slot_count(op, inst_slot(op->inst, OPERAND_kValue)) > 0;
    case PHASES_OF_INDEX:
        return named_value(op, OPERAND_indexes) != NULL;
    case PHASES_OF_MASK:
        return is_mask(ctx, op, true);
    case PHASES_OF_LINES:
        return is_mask(ctx, op, false);
    case PHASES_ALONE:
        return slot_count(op, inst_slot(op->inst, OPERAND_group)) == 1;
    }
    return false;
}

const PhaseForm *effects_phases(const Effects *e, const Op *op) {
    const Value *dst = op->inst->rare->nforms > 0 ? named_value(op, OPERAND_dst) : NULL;
    for (unsigned i = 0; i < op->inst->rare->nforms; i++) {
        const PhaseForm *f = &op->inst->rare->phases[i];
        bool there = f->to == SPACE_COUNT ||
                     (dst != NULL && type_is_tile(dst->type) && dst->type->tile.space == f->to);
        if ((f->profiles & PROFILE_BIT(profile_model(e->profile))) != 0 && there &&
            is_case(e->ctx, op, (PhaseCase)f->when))
            return f;
    }
    return NULL;
}

bool phase_applies(const Op *op, const Phase *phase) {
    return phase->with == 0 || slot_value(op, phase->with - 1) != NULL;
}
