/* Result types that the text may leave out. */
#ifndef IR_INFER_H
#define IR_INFER_H

#include "ir/ir.h"

/* The type that Inst.results[result] has when the text does not say; NULL when it must say. */
const Type *infer_result_type(Context *ctx, const Op *op, int result);
/* The partition view of operand 0 whose extents are the constant sizes, `?` where not constant. */
const Type *infer_partition_type(Context *ctx, const Op *op);

#endif
