/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores in order, of blocks, of two vectors in turn, and by numbers of elements. */
#include "passes/lower_vmi/lower.h"

#include "passes/lower_vmi/rows.h"

/* What a statement accesses: lanes of `type` at pointer[offset]. */
typedef struct Access {
    Value *pointer, *offset;
    const Type *type;
    unsigned bits;
    uint32_t held, n; /* lanes of a register, registers */
} Access;

static Access access_of(Lowering *l, OperandName pointer, const Type *type) {
    const unsigned bits = type_bits(type);
    return (Access){.pointer = vmi_slot(l, pointer),
                    .offset = vmi_slot(l, OPERAND_offset),
                    .type = type,
                    .bits = bits,
                    .held = REGISTER_BITS / bits,
                    .n = registers_for(type->count, bits)};
}

static const char *word_of(Lowering *l, const char *stem, unsigned bits) {
    return arena_printf(l->arena, "%s_B%u", stem, bits);
}

/* ---- loads ---- */

static Value *load(Lowering *l, const Access *a, Value *offset, const char *dist) {
    if (dist == NULL) return rows_load(l, (Elem)a->type->elem, a->pointer, offset);
    Value *v = LOWER(l, INST_VLDS, vmi_vreg(l, (Elem)a->type->elem), a->pointer, offset);
    vmi_word(l, v->def, ATTR_dist, EF_LOAD_DIST, dist);
    return v;
}

/* All registers in order. One lane is loaded by itself: it needs no aligned address. */
static Value **load_in_order(Lowering *l, const Access *a) {
    Value **at = vmi_room(l, a->n);
    const char *dist = a->type->count == 1 ? word_of(l, "BRC", a->bits) : NULL;
    for (uint32_t k = 0; k < a->n; k++)
        at[k] = load(l, a, vmi_plus(l, a->offset, (int64_t)k * a->held), dist);
    return at;
}

/* One element in all lanes. */
static bool load_same(Lowering *l, const Access *a) {
    Value **at = vmi_room(l, a->n), *v = load(l, a, a->offset, word_of(l, "BRC", a->bits));
    for (uint32_t k = 0; k < a->n; k++)
        at[k] = v;
    v->name = l->op->results[0].npack == 1 ? l->op->results[0].name : 0;
    vmi_set(l, l->op->results, at, a->n);
    return true;
}

/* Loads in order, and separates the lanes. */
static bool load_zipped(Lowering *l, const Access *a) {
    const Type *type = vmi_vreg(l, (Elem)a->type->elem);
    Value **low = vmi_room(l, a->n), **high = vmi_room(l, a->n);
    for (uint32_t k = 0; k < a->n; k++) {
        Value *x[2];
        for (uint32_t i = 0; i < 2; i++)
            x[i] = rows_load(l, (Elem)a->type->elem, a->pointer,
                             vmi_plus(l, a->offset, (int64_t)(2 * k + i) * a->held));
        Op *op = vmi_op(l, INST_VDINTLV, x, 2, (const Type *[]){type, type, NULL});
        low[k] = &op->results[0];
        high[k] = &op->results[1];
    }
    vmi_set(l, &l->op->results[0], low, a->n);
    vmi_set(l, &l->op->results[1], high, a->n);
    return true;
}

bool vmi_load2(Lowering *l, const Row *row) {
    (void)row;
    const Access a = access_of(l, OPERAND_source, l->op->results[0].type);
    if (rows_alignment(a.pointer, a.offset, a.bits) == UNALIGNED) return load_zipped(l, &a);
    const Type *type = vmi_vreg(l, (Elem)a.type->elem);
    Value **low = vmi_room(l, a.n), **high = vmi_room(l, a.n);
    for (uint32_t k = 0; k < a.n; k++) {
        Value *offset = vmi_plus(l, a.offset, (int64_t)k * 2 * a.held);
        Op *op = vmi_op(l, INST_VLDSX2, (Value *[]){a.pointer, offset}, 2,
                        (const Type *[]){type, type, NULL});
        vmi_word(l, op, ATTR_dist, EF_LOAD2_DIST, word_of(l, "DINTLV", a.bits));
        low[k] = &op->results[0];
        high[k] = &op->results[1];
    }
    vmi_set(l, &l->op->results[0], low, a.n);
    vmi_set(l, &l->op->results[1], high, a.n);
    return true;
}

bool vmi_load(Lowering *l, const Row *row) {
    enum { CONTINUOUS, BRC, TWO, UNPACK }; /* numbers of ir/enums.def */
    const int64_t dist = vmi_number(l, ATTR_dist_mode, CONTINUOUS);
    int64_t groups;
    if (op_groups(l->op, &groups)) return vmi_group_load(l, row);
    if (vmi_slot(l, OPERAND_repeat_stride) != NULL) return vmi_block_load(l, row);
    if (dist == UNPACK) return vmi_refuse(l, "dist_mode unpack is a load and pto.vmi.vcvt");
    if (dist == TWO || l->op->nresults == 2) return vmi_load2(l, row);
    const Access a = access_of(l, OPERAND_source, l->op->results[0].type);
    if (dist == BRC) return load_same(l, &a);
    vmi_set(l, l->op->results, load_in_order(l, &a), a.n);
    return true;
}

bool vmi_masked_load(Lowering *l, const Row *row) {
    (void)row;
    const Access a = access_of(l, OPERAND_source, l->op->results[0].type);
    Value **at = load_in_order(l, &a);
    Value **masks = vmi_masks(l, named_value(l->op, OPERAND_mask), a.bits);
    Value **other = vmi_registers(l, named_value(l->op, OPERAND_passthru));
    for (uint32_t k = 0; k < a.n; k++)
        at[k] = LOWER(l, INST_VSEL, at[k]->type, at[k], other[k], masks[k]);
    vmi_set(l, l->op->results, at, a.n);
    return true;
}

/* ---- stores ---- */

/* Lanes that do not fill registers are moved in turn, and stored in order. */
static bool store_zipped(Lowering *l, const Access *a, Value **low, Value **high) {
    const uint32_t lanes = 2 * a->type->count;
    Value **x = vmi_zipped(l, low, high, a->n);
    for (uint32_t k = 0; k < registers_for(lanes, a->bits); k++)
        if (!rows_store(l, x[k], a->pointer, vmi_plus(l, a->offset, (int64_t)k * a->held),
                        vmi_prefix(l, a->bits, lanes_of(lanes, a->bits, k))))
            return false;
    return true;
}

bool vmi_store2(Lowering *l, const Row *row) {
    (void)row;
    const Value *low = l->op->operands[0].value, *high = l->op->operands[1].value;
    const Access a = access_of(l, OPERAND_destination, low->type);
    Value **even = vmi_registers(l, low), **odd = vmi_registers(l, high);
    if (named_value(l->op, OPERAND_mask) != NULL)
        return vmi_refuse(l, "a store of two registers in turn has no mask");
    if (a.type->count % a.held != 0 || rows_alignment(a.pointer, a.offset, a.bits) == UNALIGNED)
        return store_zipped(l, &a, even, odd);
    for (uint32_t k = 0; k < a.n; k++) {
        Value *offset = vmi_plus(l, a.offset, (int64_t)k * 2 * a.held);
        Op *op = vmi_op(l, INST_VSTSX2,
                        (Value *[]){even[k], odd[k], a.pointer, offset, vmi_full(l, a.bits)}, 5,
                        (const Type *[]){NULL});
        vmi_word(l, op, ATTR_dist, EF_STORE2_DIST, word_of(l, "INTLV", a.bits));
    }
    return true;
}

/* Stores the first lane, which needs no aligned address. */
static void store_one(Lowering *l, const Access *a, Value *value, Value *mask) {
    Op *op = vmi_op(l, INST_VSTS, (Value *[]){value, a->pointer, a->offset, mask}, 4,
                    (const Type *[]){NULL});
    vmi_word(l, op, ATTR_dist, EF_STORE_DIST, word_of(l, "1PT", a->bits));
}

bool vmi_store(Lowering *l, const Row *row) {
    const Value *value = l->op->operands[0].value, *mask = named_value(l->op, OPERAND_mask);
    int64_t groups;
    if (op_groups(l->op, &groups)) return vmi_group_store(l, row);
    if (vmi_slot(l, OPERAND_repeat_stride) != NULL) return vmi_block_store(l, row);
    if (named_value(l->op, OPERAND_high) != NULL) return vmi_store2(l, row);
    const Access a = access_of(l, OPERAND_destination, value->type);
    if (a.pointer->type->kind == TY_PTR && type_bits(a.pointer->type->elem_type) != a.bits)
        return vmi_refuse(l, "the pointer has elements of another width than the lanes");
    Value **x = vmi_registers(l, value);
    for (uint32_t k = 0; k < a.n; k++) {
        Value *offset = vmi_plus(l, a.offset, (int64_t)k * a.held);
        Value *m = vmi_mask_of(l, mask, a.bits, a.type->count, k);
        if (a.type->count == 1 && mask == NULL)
            store_one(l, &a, x[k], m);
        else if (!rows_store(l, x[k], a.pointer, offset, m))
            return false;
    }
    return true;
}

/* ---- blocks of 32 bytes ---- */

/* The strides, as i16; the one that is not given is 0. */
static Value *stride_of(Lowering *l, OperandName name) {
    Value *v = vmi_slot(l, name);
    return v == NULL ? vmi_constant(l, ELEM_I16, 0) : vmi_as(l, v, ELEM_I16);
}

/* The pointer of register k, eight blocks after the one before; strides have no sign. NULL: that is
 * refused. */
static Value *blocks_of(Lowering *l, const Access *a, uint32_t k) {
    const int64_t each = 8 * (32 * 8 / a->bits); /* elements of eight blocks without a stride */
    Value *stride = vmi_slot(l, OPERAND_stride);
    int64_t n;
    if (k == 0) return rows_pointer(l, a->pointer, a->offset);
    if (!vmi_known(stride, &n)) {
        vmi_refuse(l, "the stride of %u registers of blocks is no constant", (unsigned)a->n);
        return NULL;
    }
    return rows_pointer(l, a->pointer, vmi_plus(l, a->offset, k * each * (n & UINT16_MAX)));
}

bool vmi_block_load(Lowering *l, const Row *row) {
    (void)row;
    const Access a = access_of(l, OPERAND_source, l->op->results[0].type);
    const Value *mask = named_value(l->op, OPERAND_mask);
    Value **at = vmi_room(l, a.n);
    for (uint32_t k = 0; k < a.n; k++) {
        Value *pointer = blocks_of(l, &a, k);
        if (pointer == NULL) return false;
        at[k] = LOWER(l, INST_VSLDB, vmi_vreg(l, (Elem)a.type->elem), pointer,
                      stride_of(l, OPERAND_stride), stride_of(l, OPERAND_repeat_stride),
                      vmi_mask_of(l, mask, a.bits, a.type->count, k));
    }
    vmi_set(l, l->op->results, at, a.n);
    return true;
}

bool vmi_block_store(Lowering *l, const Row *row) {
    (void)row;
    const Value *value = l->op->operands[0].value, *mask = named_value(l->op, OPERAND_mask);
    const Access a = access_of(l, OPERAND_destination, value->type);
    for (uint32_t k = 0; k < a.n; k++) {
        Value *pointer = blocks_of(l, &a, k);
        if (pointer == NULL) return false;
        LOWER(l, INST_VSSTB, NULL, vmi_registers(l, value)[k], pointer,
              stride_of(l, OPERAND_stride), stride_of(l, OPERAND_repeat_stride),
              vmi_mask_of(l, mask, a.bits, a.type->count, k));
    }
    return true;
}

/* ---- by numbers of elements ---- */

/* The numbers that the micro-instruction takes: integers of the width of the lanes. */
static bool index_fits(Lowering *l, const Type *index, const Type *lanes) {
    const unsigned bits = type_bits(lanes);
    if (bits != 8 && type_bits(index) == bits) return true;
    return vmi_refuse(l, "numbers of %u bits do not name elements of %u bits", type_bits(index),
                      bits);
}

static Value *as_numbers(Lowering *l, Value *index) {
    return vmi_cast(l, index, vmi_int(type_bits(index->type), 'U'));
}

bool vmi_gather(Lowering *l, const Row *row) {
    (void)row;
    const Value *index = named_value(l->op, OPERAND_index);
    const Value *other = named_value(l->op, OPERAND_passthru);
    const Type *t = l->op->results[0].type;
    Value *pointer = vmi_slot(l, OPERAND_source);
    const unsigned bits = type_bits(t);
    if (!index_fits(l, index->type, t) || !rows_is_pointer(l, pointer)) return false;
    const uint32_t n = registers_for(t->count, bits);
    Value **at = vmi_room(l, n), **i = vmi_registers(l, index);
    Value **masks = vmi_masks(l, named_value(l->op, OPERAND_mask), bits);
    for (uint32_t k = 0; k < n; k++) {
        at[k] = LOWER(l, INST_VGATHER2, vmi_vreg(l, (Elem)t->elem), pointer, as_numbers(l, i[k]),
                      masks[k]);
        if (other != NULL)
            at[k] = LOWER(l, INST_VSEL, at[k]->type, at[k], vmi_registers(l, other)[k], masks[k]);
    }
    vmi_set(l, l->op->results, at, n);
    return true;
}

bool vmi_gather_blocks(Lowering *l, const Row *row) {
    (void)row;
    const Value *index = named_value(l->op, OPERAND_index);
    const Type *t = l->op->results[0].type;
    Value *pointer = vmi_slot(l, OPERAND_source);
    if (!rows_is_pointer(l, pointer)) return false;
    if (registers_for(t->count, type_bits(t)) > 1 || type_bits(index->type) != 32)
        return vmi_refuse(l, "blocks are those of one register, which numbers of 32 bits name");
    Value **at = vmi_room(l, 1);
    at[0] = LOWER(l, INST_VGATHERB, vmi_vreg(l, (Elem)t->elem), pointer, vmi_registers(l, index)[0],
                  vmi_masks(l, named_value(l->op, OPERAND_mask), 32)[0]);
    vmi_set(l, l->op->results, at, 1);
    return true;
}

bool vmi_scatter(Lowering *l, const Row *row) {
    (void)row;
    const Value *value = l->op->operands[0].value, *index = named_value(l->op, OPERAND_index);
    Value *pointer = vmi_slot(l, OPERAND_destination);
    const unsigned bits = type_bits(value->type);
    if (!index_fits(l, index->type, value->type) || !rows_is_pointer(l, pointer)) return false;
    Value **masks = vmi_masks(l, named_value(l->op, OPERAND_mask), bits);
    for (uint32_t k = 0; k < registers_for(value->type->count, bits); k++)
        LOWER(l, INST_VSCATTER, NULL, vmi_registers(l, value)[k], pointer,
              as_numbers(l, vmi_registers(l, index)[k]), masks[k]);
    return true;
}
