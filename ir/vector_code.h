/* SPDX-License-Identifier: Apache-2.0 */
/* Which statements are vector code, and what a vector scope can hold. */
#ifndef IR_VECTOR_CODE_H
#define IR_VECTOR_CODE_H

#include "ir/ir.h"

enum { VECTOR_KINDS = K_VREG | K_MASK | K_ALIGN | K_LANES | K_LANE_MASK };

/* True for a register, a mask or an alignment state, which exist inside a vector scope only, and
 * for a logical vector or mask, which registers hold. */
static inline bool value_is_register(const Value *v) {
    return (v->type->kinds & VECTOR_KINDS) != 0 && v->type->kind != TY_NONE;
}
/* Returns whether a statement on logical vectors says how many groups its lanes are in; *n: how
 * many, or 0. */
bool op_groups(const Op *op, int64_t *n);
/* True when an operand or result is one. */
bool op_is_vector_code(const Op *op);
/* True for a statement whose region is vector code: a vector scope, or a loop that is marked as
 * one. */
bool op_is_vector_scope(const Op *op);
/* Returns SCOPE_IN, SCOPE_OUT or SCOPE_ANY. */
ScopeUse inst_scope_use(const Inst *inst);
/* True for a statement that no scope can hold together with those around it: it is a scope, orders
 * pipes, ends a block, calls, or holds such a statement. */
bool op_ends_vector_run(const Op *op);

#endif
