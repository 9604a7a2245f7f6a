/* SPDX-License-Identifier: Apache-2.0 */
/* Infers result types that the text omits. */
#ifndef IR_INFER_H
#define IR_INFER_H

#include "ir/ir.h"

/* Returns the inferred type of Inst.results[result]; NULL when the text must have it. */
const Type *infer_result_type(Context *ctx, const Op *op, int result);
/* Returns the two sizes of a window of a tile; false unless both are positive numbers. */
bool window_sizes(const Op *op, int64_t out[2]);
/* Returns the valid extent of a pto.subview: its operand limited to the window, or the window. */
int64_t window_valid(const Op *op, int dim, int64_t size);

#endif
