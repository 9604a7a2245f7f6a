/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the runtime's kernels: resolves the arguments that a row of the kernel table names. */
#include "backends/lower/call.h"

static LowerArg number(int64_t n) {
    return (LowerArg){.kind = LARG_NUMBER, .n = n};
}

static LowerArg bad(int slot) {
    return (LowerArg){.kind = LARG_BAD, .n = slot};
}

static bool is_tile(const Value *v) {
    return type_is_tile(v->type);
}

static bool is_view(const Value *v) {
    return v->type->kind == TY_TENSOR_VIEW || v->type->kind == TY_PART_VIEW;
}

static LowerArg attr_arg(const Op *op, int attr, bool optional) {
    const NamedAttr *a = attr >= 0 ? op_attr(op, attr) : NULL;
    if (a == NULL && optional) return (LowerArg){.kind = LARG_ABSENT};
    if (a != NULL && a->value->kind == ATTR_ENUM) return number(enum_number(a->value));
    return number(attr >= 0 ? op_attr_int(op, attr) : 0);
}

/* A scalar operand; if it is absent, the attribute. */
static LowerArg scalar_arg(const Op *op, int slot, int attr, bool is_float) {
    const Value *v = slot_value(op, slot);
    if (v == NULL) return attr_arg(op, attr, false);
    if (v->type->kind != TY_SCALAR) return bad(slot);
    return (LowerArg){.kind = is_float ? LARG_FLOAT : LARG_INT, .n = slot, .value = v};
}

static LowerArg view_arg(const Op *op, int slot) {
    const Value *v = slot_value(op, slot);
    const int offsets = inst_slot(op->inst, OPERAND_offsets);
    if (v == NULL || !is_view(v)) return bad(slot);
    if (offsets >= 0 && slot_count(op, offsets) > 0)
        return (LowerArg){.kind = LARG_WINDOW, .n = offsets, .value = v};
    return (LowerArg){.kind = LARG_VIEW, .value = v};
}

static LowerArg tile_arg(const Op *op, int slot, bool scratch) {
    const Value *v = slot_value(op, slot);
    if (v != NULL) return (LowerArg){.kind = is_tile(v) ? LARG_TILE : LARG_VIEW, .value = v};
    scratch &= op->inst->slots[slot].role == ROLE_SCRATCH;
    return (LowerArg){.kind = scratch ? LARG_SCRATCH : LARG_NULL};
}

/* Whether the operand has the element type of the tiles, so that the call has a variant for
 * integers and one for floats. */
static bool is_element(const SlotInfo *slot) {
    return slot->kind == SLOT_SCALAR || slot->kind == SLOT_TILE_OR_SCALAR;
}

static LowerArg place_arg(const Value *v) {
    return (LowerArg){.kind = LARG_PLACE, .value = v};
}

/* Returns the argument that a result goes to. */
static LowerArg result_arg(const Op *op, int result) {
    return place_arg(result < op->nresults ? &op->results[result] : NULL);
}

/* An operand that may have one of several types. */
static LowerArg typed_arg(const Op *op, int slot, bool is_float) {
    const Value *v = slot_value(op, slot);
    if (v == NULL) return (LowerArg){.kind = LARG_NULL};
    switch ((TypeKind)v->type->kind) {
    case TY_VREG:
    case TY_MASK:
    case TY_ALIGN:
    case TY_VECTOR:
    case TY_LANES:
    case TY_LANE_MASK:
        return place_arg(v);
    case TY_PTR:
    case TY_OPAQUE:
        return (LowerArg){.kind = LARG_ADDRESS, .value = v, .n = slot};
    case TY_SCALAR:
        return scalar_arg(op, slot, -1, is_float && elem_is_float((Elem)v->type->elem));
    default:
        return bad(slot);
    }
}

static LowerArg slot_arg(const Op *op, const KernelArg *arg, bool is_float, bool scratch) {
    const int slot = arg->index;
    const SlotInfo *info = &op->inst->slots[slot];
    const Value *v = slot_value(op, slot);
    switch (info->kind) {
    case SLOT_ENTRY:
        return v != NULL && is_view(v) ? view_arg(op, slot) : tile_arg(op, slot, scratch);
    case SLOT_TILE:
        return tile_arg(op, slot, scratch);
    case SLOT_SCALAR:
    case SLOT_INT:
    case SLOT_INDEX:
    case SLOT_I64:
    case SLOT_BOOL:
        return scalar_arg(op, slot, arg->number, is_float && is_element(info));
    case SLOT_VREG:
    case SLOT_MASK:
    case SLOT_ALIGN:
    case SLOT_PTR:
    case SLOT_BUFFER:
    case SLOT_ANY:
    case SLOT_LANES:
    case SLOT_LANE_MASK:
    case SLOT_LANES_OR_MASK:
    case SLOT_LANES_OR_SCALAR:
        return typed_arg(op, slot, is_float);
    case SLOT_VIEW:
    case SLOT_PART:
    case SLOT_ANY_VIEW:
    case SLOT_SOURCE:
        return view_arg(op, slot);
    default:
        return bad(slot);
    }
}

static LowerArg item_arg(const Op *op, int slot, unsigned item) {
    if (item >= slot_count(op, slot)) return (LowerArg){.kind = LARG_NULL};
    const Value *v = slot_operands(op, slot)[item].value;
    return v->type->kind == TY_LANES ? place_arg(v) : (LowerArg){.kind = LARG_TILE, .value = v};
}

static LowerArg elem_arg(const Op *op, int at, bool no_sign) {
    int elem = kernel_elem_of(op, at);
    if (elem == ELEM_NONE) return (LowerArg){.kind = LARG_ABSENT};
    if (no_sign) elem = kernel_signed_as(elem, SIGN_NONE);
    return kernel_elem(elem) >= 0 ? (LowerArg){.kind = LARG_ELEM, .n = elem} : bad(at);
}

/* Returns the value of a slot, or of the result that a number after those of the slots names. */
static const Value *value_at(const Op *op, int at) {
    return at < op->inst->nslots ? slot_value(op, at) : &op->results[at - op->inst->nslots];
}

/* The lanes that a squeezed register has. */
static LowerArg kept_arg(const Op *op, int slot) {
    const Value *v = slot_value(op, slot);
    const Op *maker = v != NULL ? v->def : NULL;
    if (maker == NULL || !op_is(maker, INST_VSQZ)) return place_arg(NULL);
    return place_arg(slot_value(maker, inst_slot(maker->inst, OPERAND_mask)));
}

/* An operand that counts elements, or units of a size, in bytes; 0 if it is absent. */
static LowerArg scaled_arg(const Op *op, const KernelArg *arg) {
    const Value *v = slot_value(op, arg->index);
    if (v == NULL) return number(0);
    if (v->type->kind != TY_SCALAR) return bad(arg->index);
    const int64_t n = arg->number >= 0 ? arg->number : kernel_elem_size(op, -1 - arg->number);
    return (LowerArg){.kind = LARG_SCALED, .n = n, .value = v};
}

static LowerArg make_arg(const Op *op, const KernelArg *arg, bool is_float, bool scratch) {
    switch ((KernelArgKind)arg->kind) {
    case KARG_SLOT:
        return slot_arg(op, arg, is_float, scratch);
    case KARG_ITEM:
        return item_arg(op, arg->index, (unsigned)arg->number);
    case KARG_COUNTS:
        return (LowerArg){.kind = LARG_COUNTS, .value = slot_value(op, arg->index)};
    case KARG_PRESENT:
        return number(slot_count(op, arg->index));
    case KARG_ATTR:
    case KARG_ATTR_OPT:
        return attr_arg(op, arg->index, arg->kind == KARG_ATTR_OPT);
    case KARG_PROFILE:
        return (LowerArg){.kind = LARG_PROFILE};
    case KARG_CORE:
        return (LowerArg){.kind = LARG_CORE};
    case KARG_RESULT:
        return result_arg(op, arg->index);
    case KARG_LIST:
        return (LowerArg){.kind = LARG_LIST,
                          .n = slot_count(op, arg->index),
                          .items = slot_operands(op, arg->index)};
    case KARG_BITS:
        if (slot_value(op, arg->index) == NULL) return number(0);
        return (LowerArg){.kind = LARG_BITS, .value = slot_value(op, arg->index)};
    case KARG_ELEM:
        return elem_arg(op, arg->index, arg->number != 0);
    case KARG_SELF:
        return (LowerArg){.kind = LARG_SELF};
    case KARG_PLACED:
        return (LowerArg){.kind = LARG_PLACED, .value = slot_value(op, arg->index)};
    case KARG_TYPE:
        return (LowerArg){.kind = LARG_TYPE, .value = value_at(op, arg->index)};
    case KARG_SCALED:
        return scaled_arg(op, arg);
    case KARG_KEPT:
        return kept_arg(op, arg->index);
    case KARG_LANES:
        return number(kernel_lanes(op, arg->index));
    case KARG_SIZE:
        return number(kernel_elem_size(op, arg->index));
    case KARG_NULL:
        return (LowerArg){.kind = LARG_NULL};
    case KARG_NUMBER:
        break;
    }
    return number(arg->number);
}

/* Returns the suffix of a call that takes a scalar of the tiles' element type, else "". */
static const char *scalar_form(const Op *op, const KernelRow *row, bool is_float) {
    for (unsigned i = 0; i < row->nargs; i++) {
        const KernelArg *arg = &kernel_args[row->args + i];
        if (arg->kind == KARG_SLOT && is_element(&op->inst->slots[arg->index]))
            return is_float ? "_f" : "_i";
    }
    return "";
}

const LowerCall *lower_kernel(const Context *ctx, const Op *op, bool scratch, Arena *arena) {
    const KernelRow *row = kernel_of(ctx, op);
    if (row == NULL || !kernel_has_types(row, op)) return NULL;
    const bool is_float = elem_is_float((Elem)kernel_slot_elem(row, op, 0));
    LowerArg *args = ARENA_ARRAY(arena, LowerArg, row->nargs + 1u);
    for (unsigned i = 0; i < row->nargs; i++)
        args[i] = make_arg(op, &kernel_args[row->args + i], is_float, scratch);
    LowerCall *call = ARENA_NEW(arena, LowerCall);
    const char *form = scalar_form(op, row, is_float);
    *call = (LowerCall){
        .name = row->way == KERNEL_OVER ? arena_printf(arena, "over_%s", kernel_driver(row))
                : *form == '\0'         ? kernel_driver(row)
                                        : arena_printf(arena, "%s%s", kernel_driver(row), form),
        .row = row,
        .args = args,
        .nargs = row->nargs,
        .elems = {(uint8_t)kernel_slot_elem(row, op, 0), (uint8_t)kernel_slot_elem(row, op, 1)},
        .fails = row->nargs > 0 && args[0].kind == LARG_CORE,
    };
    return call;
}
