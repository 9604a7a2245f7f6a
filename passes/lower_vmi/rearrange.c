/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes in another order, pairs of registers at a time, and what works on every other lane. */
#include "passes/lower_vmi/lower.h"

static uint32_t registers_of(const Value *v) {
    return registers_for(v->type->count, type_bits(v->type));
}

static bool full_registers(Lowering *l, const Value *v) {
    if (v->type->count * type_bits(v->type) % REGISTER_BITS == 0) return true;
    return vmi_refuse(l, "%u lanes do not fill registers, between which lanes move",
                      (unsigned)v->type->count);
}

/* Makes the two results of pto.vintlv or pto.vdintlv. */
static Value *pair(Lowering *l, InstId id, Value *a, Value *b) {
    return vmi_op(l, id, (Value *[]){a, b}, 2, (const Type *[]){a->type, a->type, NULL})->results;
}

Value **vmi_zipped(Lowering *l, Value **a, Value **b, uint32_t n) {
    Value **to = vmi_room(l, 2 * n);
    for (uint32_t k = 0; k < n; k++) {
        Value *two = pair(l, INST_VINTLV, a[k], b[k]);
        to[2 * k] = &two[0];
        to[2 * k + 1] = &two[1];
    }
    return to;
}

/* The even lanes of 2n registers, then the odd ones. */
static Value **unzipped(Lowering *l, Value **x, uint32_t n) {
    Value **to = vmi_room(l, 2 * n);
    for (uint32_t k = 0; k < n; k++) {
        Value *two = pair(l, INST_VDINTLV, x[2 * k], x[2 * k + 1]);
        to[k] = &two[0];
        to[n + k] = &two[1];
    }
    return to;
}

/* Notes the two results of a statement whose mask says which lanes of each are kept. */
static bool set_masked(Lowering *l, Value **to, uint32_t n) {
    Value **masks = vmi_masks(l, l->op->operands[2].value, type_bits(l->op->results[0].type));
    for (uint32_t k = 0; k < 2 * n; k++)
        to[k] = vmi_zeroed(l, to[k], masks[k % n]);
    vmi_set(l, &l->op->results[0], to, n);
    vmi_set(l, &l->op->results[1], to + n, n);
    return true;
}

/* Numbers of lanes from `first` on, modulo the lanes of a register. */
static Value *turned(Lowering *l, Value *v, int64_t first) {
    const unsigned bits = type_bits(v->type);
    const Elem e = vmi_int(bits, 'U');
    Value *i = vmi_numbers(l, e, first);
    i = SAME(l, INST_VAND, i->type, i, vmi_splat(l, e, REGISTER_BITS / bits - 1),
             vmi_full(l, bits));
    return LOWER(l, INST_VSELR, v->type, v, i);
}

/* True if the vector fills registers, or two of it fit one; else that is reported. */
static bool fits(Lowering *l, const Value *v, bool *small) {
    *small = 2 * v->type->count * type_bits(v->type) <= REGISTER_BITS;
    return *small || full_registers(l, v);
}

bool vmi_zip(Lowering *l, const Row *row) {
    (void)row;
    const Value *a = l->op->operands[0].value, *b = l->op->operands[1].value;
    const uint32_t n = registers_of(a);
    bool small;
    if (!fits(l, a, &small)) return false;
    Value **to = vmi_zipped(l, vmi_registers(l, a), vmi_registers(l, b), n);
    if (small) to[1] = turned(l, to[0], a->type->count);
    return set_masked(l, to, n);
}

/* Two vectors, one after the other. */
static Value **followed(Lowering *l, const Value *a, const Value *b, uint32_t n, bool small) {
    Value **both = vmi_room(l, 2 * n), **x = vmi_registers(l, a), **y = vmi_registers(l, b);
    if (small) {
        const unsigned bits = type_bits(a->type);
        const int64_t held = REGISTER_BITS / bits, lanes = a->type->count;
        both[0] = both[1] = LOWER(l, INST_VSEL, x[0]->type, x[0], turned(l, y[0], held - lanes),
                                  vmi_prefix(l, bits, a->type->count));
        return both;
    }
    for (uint32_t k = 0; k < n; k++) {
        both[k] = x[k];
        both[n + k] = y[k];
    }
    return both;
}

bool vmi_unzip(Lowering *l, const Row *row) {
    (void)row;
    const Value *a = l->op->operands[0].value;
    const uint32_t n = registers_of(a);
    bool small;
    if (!fits(l, a, &small)) return false;
    return set_masked(l, unzipped(l, followed(l, a, l->op->operands[1].value, n, small), n), n);
}

/* Even and odd lanes of `pairs` pairs of registers, or of half a pair. */
static Value **separated(Lowering *l, Value **x, uint32_t pairs, bool small) {
    return unzipped(l, small ? (Value *[]){x[0], x[0]} : x, pairs);
}

/* The vectors of four channels, which are the even and odd lanes of the even and odd ones. */
static Value **of_four(Lowering *l, Value **x, uint32_t n, bool small) {
    Value **even = separated(l, x, n, small),
          **odd = separated(l, x + (small ? 1 : 2 * n), n, small);
    Value **to = vmi_room(l, 4 * n);
    for (uint32_t k = 0; k < n; k++) {
        to[k] = even[k];
        to[n + k] = odd[k];
        to[2 * n + k] = even[n + k];
        to[3 * n + k] = odd[n + k];
    }
    return to;
}

bool vmi_split(Lowering *l, const Row *row) {
    (void)row;
    const Value *source = l->op->operands[0].value;
    const unsigned channels = l->op->nresults;
    const bool small = source->type->count * type_bits(source->type) <= REGISTER_BITS;
    if (channels != 2 && channels != 4)
        return vmi_refuse(l, "lanes are separated into 2 or 4 vectors, not %u", channels);
    if (!small && !full_registers(l, &l->op->results[0])) return false;
    const uint32_t n = registers_of(&l->op->results[0]);
    Value **x = separated(l, vmi_registers(l, source), small ? 1 : n * channels / 2, small);
    if (channels == 4) x = of_four(l, x, n, small);
    for (unsigned c = 0; c < channels; c++)
        vmi_set(l, &l->op->results[c], x + c * n, n);
    return true;
}

bool vmi_merge(Lowering *l, const Row *row) {
    (void)row;
    const unsigned channels = l->op->noperands;
    const Value *result = l->op->results;
    const bool small = result->type->count * type_bits(result->type) <= REGISTER_BITS;
    if (channels != 2 && channels != 4)
        return vmi_refuse(l, "lanes of 2 or 4 vectors are merged, not of %u", channels);
    if (!small && !full_registers(l, l->op->operands[0].value)) return false;
    const uint32_t n = registers_of(l->op->operands[0].value);
    Value **c[4];
    for (unsigned i = 0; i < channels; i++)
        c[i] = vmi_registers(l, l->op->operands[i].value);
    Value **to = channels == 2 ? vmi_zipped(l, c[0], c[1], n)
                               : vmi_zipped(l, vmi_zipped(l, c[0], c[2], n),
                                            vmi_zipped(l, c[1], c[3], n), small ? 1 : 2 * n);
    vmi_set(l, result, to, registers_of(result));
    return true;
}

/* Register k of the result, from x as it is or from every other lane. */
static Value *exponential(Lowering *l, Value *x, Value *most, const char *part) {
    const unsigned bits = type_bits(x->type);
    Value *v = LOWER(l, INST_VEXPDIF, vmi_vreg(l, ELEM_F32), x, most, vmi_full(l, bits));
    vmi_word(l, v->def, ATTR_part, EF_LANE_PARITY, part);
    return v;
}

bool vmi_exponential(Lowering *l, const Row *row) {
    (void)row;
    const Value *x = l->op->operands[0].value, *mask = l->op->operands[2].value;
    Value **from = vmi_registers(l, x), **most = vmi_registers(l, l->op->operands[1].value);
    const uint32_t n = registers_of(&l->op->results[0]);
    Value **at = vmi_room(l, n + 1), **masks = vmi_masks(l, mask, 32);
    for (uint32_t k = 0; k < registers_of(x); k++) {
        if (type_bits(x->type) == 32) {
            at[k] = exponential(l, from[k], most[k], "EVEN");
            continue;
        }
        Value *even = exponential(l, from[k], most[k], "EVEN");
        Value *two = pair(l, INST_VINTLV, even, exponential(l, from[k], most[k], "ODD"));
        at[2 * k] = &two[0];
        at[2 * k + 1] = &two[1];
    }
    for (uint32_t k = 0; k < n; k++)
        at[k] = vmi_zeroed(l, at[k], masks[k]);
    vmi_set(l, l->op->results, at, n);
    return true;
}
