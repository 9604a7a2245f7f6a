/* Result types that the text may leave out. */
#ifndef IR_INFER_H
#define IR_INFER_H

#include "ir/ir.h"

/* The type that Inst.results[result] has when the text leaves it out; NULL when it may not. */
const Type *infer_result_type(Context *ctx, const Op *op, int result);
/* The partition view of operand 0 whose extents are the constant sizes, `?` where not constant. */
const Type *infer_partition_type(Context *ctx, const Op *op);
/* The two sizes of a window of a tile; false when they are not two positive numbers. */
bool window_sizes(const Context *ctx, const Op *op, int64_t out[2]);
/* The valid extent of a pto.subview: its operand cut to the window, or the whole window. */
int64_t window_valid(const Op *op, int dim, int64_t size);

#endif
