/* Result types that the text may leave out. */
#include "ir/infer.h"

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
    }
    return NULL;
}

const Type *infer_partition_type(Context *ctx, const Op *op) {
    const Type *source = op->operands[0].value->type;
    int64_t dims[8];
    unsigned n = slot_count(op, 2);
    if (source->kind != TY_TENSOR_VIEW || n > 8)
        return NULL;
    const Operand *sizes = slot_operands(op, 2);
    for (unsigned i = 0; i < n; i++)
        if (!value_constant(sizes[i].value, &dims[i]) || dims[i] < 0)
            dims[i] = DYNAMIC;
    Type proto = {.kind = TY_PART_VIEW,
                  .elem = source->elem,
                  .elem_type = source->elem_type,
                  .rank = n,
                  .dims = dims};
    return type_intern(ctx->types, &proto);
}
