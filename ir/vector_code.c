/* SPDX-License-Identifier: Apache-2.0 */
/* Which statements are vector code, and what a vector scope can hold. */
#include "ir/vector_code.h"

bool op_is_vector_code(const Op *op) {
    for (unsigned i = 0; i < op->noperands; i++)
        if (op->operands[i].value != NULL && value_is_register(op->operands[i].value)) return true;
    for (unsigned i = 0; i < op->nresults; i++)
        if (value_is_register(&op->results[i])) return true;
    return false;
}

bool op_groups(const Op *op, int64_t *n) {
    const NamedAttr *a = op_attr_named(op, ATTR_group);
    if (a == NULL) a = op_attr_named(op, ATTR_num_groups);
    const bool given = a != NULL && a->value->kind == ATTR_INT;
    *n = given ? a->value->i : 0;
    return given;
}

bool op_is_vector_scope(const Op *op) {
    return op_is(op, INST_VECSCOPE) || op_is(op, INST_STRICT_VECSCOPE) ||
           (op_is(op, INST_SCF_FOR) && op_attr_named(op, ATTR_llvm_loop_aivector_scope) != NULL);
}

ScopeUse inst_scope_use(const Inst *inst) {
    if (inst->scope != SCOPE_BY_FLAGS) return (ScopeUse)inst->scope;
    return (inst->flags & IF_SYNC) != 0 ? SCOPE_OUT : SCOPE_ANY;
}

/* A call that takes or returns logical vectors becomes the statements of the callee. */
static bool passes_lanes(const Op *call) {
    for (unsigned i = 0; i < call->noperands; i++)
        if (call->operands[i].value != NULL && type_is_logical(call->operands[i].value->type))
            return true;
    for (unsigned i = 0; i < call->nresults; i++)
        if (type_is_logical(call->results[i].type)) return true;
    return false;
}

/* The same for a statement in a region of the one that is asked for: there a terminator ends
 * nothing. */
static bool ends_inside(const Op *op) {
    if ((op->inst->flags & IF_SYMBOL) != 0 || op_is_vector_scope(op) ||
        inst_scope_use(op->inst) == SCOPE_OUT || (op_is(op, INST_CALL) && !passes_lanes(op)) ||
        op_is_section(op) || op_is(op, INST_SECTION_SIMT))
        return true;
    for (unsigned r = 0; r < op->nregions; r++)
        for (const Block *b = op_regions(op)[r].first; b != NULL; b = b->next)
            for (const Op *o = b->first; o != NULL; o = o->next)
                if (ends_inside(o)) return true;
    return false;
}

bool op_ends_vector_run(const Op *op) {
    return (op->inst->flags & IF_TERMINATOR) != 0 || ends_inside(op);
}
