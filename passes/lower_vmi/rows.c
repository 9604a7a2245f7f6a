/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a stride: of whole registers one load or store after the other, smaller ones by gathers
 * and scatters of the elements, whose numbers are computed. */
#include "passes/lower_vmi/rows.h"

Alignment rows_alignment(const Value *pointer, const Value *offset, unsigned bits) {
    int64_t base, n;
    const Op *cast = pointer->def;
    if (!vmi_known(offset, &n) || cast == NULL || !op_is(cast, INST_CASTPTR) ||
        !vmi_known(cast->operands[0].value, &base))
        return UNKNOWN_ALIGNMENT;
    /* without a sign: an address that wraps around is as aligned as before */
    const uint64_t at = (uint64_t)base + (uint64_t)n * (bits / 8);
    return at % VMI_ALIGNMENT == 0 ? ALIGNED : UNALIGNED;
}

/* Stores each lane by itself. */
static bool rows_scatter(Lowering *l, Value *value, Value *pointer, Value *offset, Value *mask) {
    const unsigned bits = type_bits(value->type);
    if (bits == 8) return vmi_refuse(l, "bytes are stored at multiples of %d only", VMI_ALIGNMENT);
    Value *to = rows_pointer(l, pointer, offset);
    if (to == NULL) return false;
    value = vmi_cast(l, value, (Elem)to->type->elem_type->elem);
    LOWER(l, INST_VSCATTER, NULL, value, to, vmi_numbers(l, vmi_int(bits, 'U'), 0), mask);
    return true;
}

bool rows_is_pointer(Lowering *l, const Value *pointer) {
    if (pointer->type->kind == TY_PTR) return true;
    return vmi_refuse(l, "elements are named from a pointer on, not from a memref");
}

Value *rows_pointer(Lowering *l, Value *pointer, Value *offset) {
    int64_t n;
    if (!rows_is_pointer(l, pointer)) return NULL;
    if (vmi_known(offset, &n) && n == 0) return pointer;
    return SAME(l, INST_ADDPTR, pointer->type, pointer, offset);
}

Value *rows_load(Lowering *l, Elem e, Value *pointer, Value *offset) {
    const bool anywhere = rows_alignment(pointer, offset, elem_storage_bits(e)) == UNALIGNED;
    return LOWER(l, anywhere ? INST_UVLD : INST_VLDS, vmi_vreg(l, e), pointer, offset);
}

bool rows_store(Lowering *l, Value *value, Value *pointer, Value *offset, Value *mask) {
    if (rows_alignment(pointer, offset, type_bits(value->type)) == UNALIGNED)
        return rows_scatter(l, value, pointer, offset, mask);
    LOWER(l, INST_VSTS, NULL, value, pointer, offset, mask);
    return true;
}

/* The rows of a statement: row g has `size` lanes, at offset + g * stride. */
typedef struct Rows {
    Value *pointer, *offset, *stride;
    const Type *type; /* of the vector */
    unsigned bits;    /* of its lanes */
    uint32_t held, n, groups, size;
    bool same; /* all lanes of a row have its first element */
} Rows;

static bool read_rows(Lowering *l, const Row *row, OperandName pointer, const Type *type, Rows *r) {
    enum { BRC = 1 };
    int64_t groups;
    op_groups(l->op, &groups);
    *r = (Rows){.pointer = vmi_slot(l, pointer),
                .offset = vmi_slot(l, OPERAND_offset),
                .stride = vmi_slot(l, OPERAND_stride),
                .type = type,
                .bits = type_bits(type),
                .groups = (uint32_t)groups,
                .same = vmi_number(l, ATTR_dist_mode, 0) == BRC || (row->flags & ROW_SAME) != 0};
    r->held = REGISTER_BITS / r->bits;
    r->n = registers_for(type->count, r->bits);
    if (r->stride == NULL) return vmi_refuse(l, "groups without a stride have no rows");
    if (groups <= 0 || type->count % groups != 0)
        return vmi_refuse(l, "the groups are not of equal size");
    r->size = type->count / r->groups;
    if (r->size % r->held != 0 && vmi_log2(r->size) < 0)
        return vmi_refuse(l, "rows of %u lanes are not a power of two", (unsigned)r->size);
    return true;
}

/* offset + g * stride + within, of a stride that is known. */
static Value *known_offset(Lowering *l, const Rows *r, int64_t stride, uint32_t g, int64_t within) {
    int64_t delta;
    if (__builtin_mul_overflow(stride, (int64_t)g, &delta) ||
        __builtin_add_overflow(delta, within, &delta)) {
        vmi_refuse(l, "its offsets leave 64 bits");
        return r->offset;
    }
    return vmi_plus(l, r->offset, delta);
}

/* The offset of register k, when rows are whole registers. */
static Value *offset_of(Lowering *l, const Rows *r, uint32_t k) {
    const uint32_t each = r->size / r->held, g = k / each;
    const int64_t within = (int64_t)(k % each) * r->held;
    int64_t stride;
    if (vmi_known(r->stride, &stride)) return known_offset(l, r, stride, g, within);
    Value *v = vmi_as(l, r->stride, ELEM_INDEX);
    if (g == 0) return vmi_plus(l, r->offset, within);
    v = SAME(l, INST_MULI, v->type, v, vmi_constant(l, ELEM_INDEX, g));
    return vmi_plus(l, SAME(l, INST_ADDI, v->type, r->offset, v), within);
}

/* ---- numbers of elements ---- */

/* More elements than a vector memory has: no stride beyond it names one. */
enum { MOST_STRIDE = 1 << 18 };

/* The stride in 32 bits. One that does not fit leaves the memory, as it would in 64 bits: so does
 * its product with the number of a row, which does not wrap. */
static Value *short_stride(Lowering *l, Value *v) {
    const Elem e = (Elem)v->type->elem;
    if (e != ELEM_INDEX && elem_int_width(e) <= 32) return vmi_as(l, v, ELEM_I32);
    v = SAME(l, INST_MINSI, v->type, v, vmi_constant(l, e, MOST_STRIDE));
    v = SAME(l, INST_MAXSI, v->type, v, vmi_constant(l, e, -MOST_STRIDE));
    return vmi_as(l, v, ELEM_I32);
}

static Value *times(Lowering *l, const Rows *r, Value *v, unsigned bits) {
    int64_t stride;
    if (vmi_known(r->stride, &stride) && stride == 1) return v;
    Value *by = vmi_known(r->stride, &stride) ? vmi_constant(l, vmi_int(bits, 'I'), stride)
                                              : short_stride(l, r->stride);
    return SAME(l, INST_VMULS, v->type, v, by, vmi_full(l, bits));
}

/* The numbers of the elements of register k of lanes of `bits`, from the offset on. */
static Value *numbers_of(Lowering *l, const Rows *r, uint32_t k, unsigned bits) {
    const Elem e = vmi_int(bits, 'U');
    Value *lane = vmi_numbers(l, e, (int64_t)k * (REGISTER_BITS / bits));
    Value *first = times(l, r, vmi_divided(l, lane, r->size), bits);
    if (r->size == 1 || r->same) return first;
    Value *within =
        SAME(l, INST_VAND, lane->type, lane, vmi_splat(l, e, r->size - 1), vmi_full(l, bits));
    return SAME(l, INST_VADD, lane->type, first, within, vmi_full(l, bits));
}

/* Numbers have no sign. Those of 16 bits reach 65535 elements: the stride must be known. */
static bool numbers_fit(Lowering *l, const Rows *r, unsigned bits) {
    const int64_t most = (INT64_C(1) << bits) - r->size;
    int64_t stride, last;
    if (!vmi_known(r->stride, &stride)) {
        if (bits == 32) return true;
    } else if (stride >= 0 && !__builtin_mul_overflow(stride, (int64_t)r->groups - 1, &last) &&
               last <= most) {
        return true;
    }
    return vmi_refuse(l, "numbers of %u bits do not reach all elements", bits);
}

/* ---- loads ---- */

static Elem gathered_elem(const Rows *r) {
    const Elem e = (Elem)r->type->elem;
    return r->bits == 8 ? vmi_int(16, elem_infos[e].cls) : e;
}

/* Bytes are gathered into lanes of 16 bits, and packed. */
static bool gather_rows(Lowering *l, const Rows *r) {
    const unsigned bits = r->bits == 8 ? 16 : r->bits;
    Value *pointer = rows_pointer(l, r->pointer, r->offset);
    if (pointer == NULL || !numbers_fit(l, r, bits)) return false;
    if (r->bits == 8 && elem_int_width((Elem)r->type->elem) == 0)
        return vmi_refuse(l, "floats of 8 bits are not gathered");
    Registers to = {.n = registers_for(r->type->count, bits)};
    to.at = vmi_room(l, to.n);
    for (uint32_t k = 0; k < to.n; k++)
        to.at[k] = LOWER(l, INST_VGATHER2, vmi_vreg(l, gathered_elem(r)), pointer,
                         numbers_of(l, r, k, bits),
                         vmi_prefix(l, bits, lanes_of(r->type->count, bits, k)));
    if (r->bits == 8) to = vmi_packed(l, to, 16, r->type->count);
    for (uint32_t k = 0; k < to.n; k++)
        to.at[k] = vmi_cast(l, to.at[k], (Elem)r->type->elem);
    vmi_set(l, l->op->results, to.at, to.n);
    return true;
}

bool vmi_group_load(Lowering *l, const Row *row) {
    Rows r;
    if (!read_rows(l, row, OPERAND_source, l->op->results[0].type, &r)) return false;
    if (r.size % r.held != 0 || r.same) return gather_rows(l, &r);
    Value **at = vmi_room(l, r.n);
    for (uint32_t k = 0; k < r.n; k++)
        at[k] = rows_load(l, (Elem)r.type->elem, r.pointer, offset_of(l, &r, k));
    vmi_set(l, l->op->results, at, r.n);
    return true;
}

/* ---- stores ---- */

/* The registers that are scattered: lanes as narrow as the elements, or bytes in lanes of 16. */
static Registers scattered_lanes(Lowering *l, const Rows *r, unsigned element) {
    const Value *value = l->op->operands[0].value;
    Registers x = {.at = vmi_registers(l, value), .n = r->n};
    if (r->bits == 8) x = vmi_widened(l, x, 8, r->type->count);
    for (unsigned bits = r->bits; bits > element && bits > 16; bits /= 2)
        x = vmi_packed(l, x, bits, r->type->count);
    return x;
}

static bool scatter_rows(Lowering *l, const Rows *r) {
    const Type *to = r->pointer->type->elem_type;
    const unsigned element = type_bits(to), bits = element == 8 ? 16 : element;
    Value *pointer = rows_pointer(l, r->pointer, r->offset);
    if (pointer == NULL || !numbers_fit(l, r, bits)) return false;
    if (r->bits < element) return vmi_refuse(l, "the elements are wider than the lanes");
    const Registers x = scattered_lanes(l, r, element);
    for (uint32_t k = 0; k < x.n; k++)
        LOWER(l, INST_VSCATTER, NULL, vmi_cast(l, x.at[k], (Elem)to->elem), pointer,
              numbers_of(l, r, k, bits), vmi_prefix(l, bits, lanes_of(r->type->count, bits, k)));
    return true;
}

/* True if rows of one lane follow each other from an aligned address on. */
static bool in_order(const Rows *r) {
    int64_t stride;
    return r->size == 1 && vmi_known(r->stride, &stride) && stride == 1 &&
           rows_alignment(r->pointer, r->offset, r->bits) == ALIGNED;
}

bool vmi_group_store(Lowering *l, const Row *row) {
    Rows r;
    Value *value = l->op->operands[0].value;
    if (!read_rows(l, row, OPERAND_destination, value->type, &r)) return false;
    if (!rows_is_pointer(l, r.pointer)) return false;
    const bool narrows = type_bits(r.pointer->type->elem_type) != r.bits;
    const bool together = in_order(&r);
    if ((r.size % r.held != 0 && !together) || narrows) return scatter_rows(l, &r);
    for (uint32_t k = 0; k < r.n; k++)
        if (!rows_store(l, vmi_registers(l, value)[k], r.pointer,
                        together ? vmi_plus(l, r.offset, (int64_t)k * r.held) : offset_of(l, &r, k),
                        vmi_prefix(l, r.bits, lanes_of(r.type->count, r.bits, k))))
            return false;
    return true;
}
