/* SPDX-License-Identifier: Apache-2.0 */
/* Infers result types that the text omits. */
#include "ir/infer.h"
#include "ir/number.h"

/* Returns integer `i` of a list attribute; false when there is none. */
static bool listed_number(const Attr *list, unsigned i, int64_t *out) {
    bool ok = (list->kind == ATTR_ARRAY || list->kind == ATTR_DENSE) && i < list->n &&
              list->items[i]->kind == ATTR_INT;
    if (ok) *out = list->items[i]->i;
    return ok;
}

bool window_sizes(const Op *op, int64_t out[2]) {
    const NamedAttr *a = op_attr_named(op, ATTR_sizes);
    return a != NULL && a->value->n == 2 && listed_number(a->value, 0, &out[0]) &&
           listed_number(a->value, 1, &out[1]) && out[0] > 0 && out[1] > 0;
}

int64_t window_valid(const Op *op, int dim, int64_t size) {
    const Value *v =
        slot_value(op, inst_slot(op->inst, dim == 0 ? OPERAND_valid_row : OPERAND_valid_col));
    int64_t n;
    if (v == NULL) return size;
    return !number_written(v, &n) ? DYNAMIC : n < 0 ? 0 : n < size ? n : size;
}

/* Returns the valid extent of a window at offset `o`. */
static int64_t subset_valid(const Op *op, int dim, int64_t valid, int64_t size) {
    int64_t o;
    unsigned n = slot_count(op, 1);
    if (valid == 0) return 0;
    if (valid == DYNAMIC || (unsigned)dim >= n ||
        !number_written(slot_operands(op, 1)[dim].value, &o) || o < 0)
        return DYNAMIC;
    int64_t left = valid - o % valid;
    return left < size ? left : size;
}

static const Type *infer_window(Context *ctx, const Op *op, bool subset) {
    const Type *source = op->operands[0].value->type;
    int64_t sizes[2];
    if (source->kind != TY_TILE || !window_sizes(op, sizes)) return NULL;
    Type proto = *source;
    proto.alias = 0;
    proto.tile.rows = sizes[0];
    proto.tile.cols = sizes[1];
    proto.tile.vrow =
        subset ? subset_valid(op, 0, source->tile.vrow, sizes[0]) : window_valid(op, 0, sizes[0]);
    proto.tile.vcol =
        subset ? subset_valid(op, 1, source->tile.vcol, sizes[1]) : window_valid(op, 1, sizes[1]);
    return type_intern(ctx->types, &proto);
}

static const Type *infer_slot(Context *ctx, const Type *multi) {
    if (multi == NULL || multi->kind != TY_MULTI_TILE) return NULL;
    Type proto = *multi;
    proto.kind = TY_TILE;
    proto.alias = 0;
    proto.count = 0;
    proto.ntypes = 0;
    return type_intern(ctx->types, &proto);
}

/* Returns the partition view of operand 0 with the constant sizes as extents, `?` for others. */
static const Type *infer_partition_type(Context *ctx, const Op *op) {
    const Type *source = op->operands[0].value->type;
    int64_t dims[8];
    unsigned n = slot_count(op, 2);
    if (source->kind != TY_TENSOR_VIEW || n > 8) return NULL;
    const Operand *sizes = slot_operands(op, 2);
    for (unsigned i = 0; i < n; i++)
        if (!number_written(sizes[i].value, &dims[i]) || dims[i] < 0) dims[i] = DYNAMIC;
    Type proto = {.kind = TY_PART_VIEW,
                  .elem = source->elem,
                  .elem_type = source->elem_type,
                  .rank = n,
                  .dims = dims};
    return type_intern(ctx->types, &proto);
}

const Type *infer_result_type(Context *ctx, const Op *op, int result) {
    const Type *first = op->noperands > 0 ? op->operands[0].value->type : NULL;
    switch ((ResultRule)op->inst->results[result].rule) {
    case RES_WRITTEN:
        return NULL;
    case RES_INDEX:
        return type_scalar(ctx->types, ELEM_INDEX);
    case RES_I64:
        return type_scalar(ctx->types, ELEM_I64);
    case RES_I1:
        return type_scalar(ctx->types, ELEM_I1);
    case RES_SAME:
        return first;
    case RES_SECOND:
        return op->noperands > 1 ? op->operands[1].value->type : NULL;
    case RES_ELEM:
        return first != NULL ? first->elem_type : NULL;
    case RES_PARTITION:
        return infer_partition_type(ctx, op);
    case RES_SLOT:
        return infer_slot(ctx, first);
    case RES_SUBVIEW:
        return infer_window(ctx, op, false);
    case RES_SUBSET:
        return infer_window(ctx, op, true);
    }
    return NULL;
}
