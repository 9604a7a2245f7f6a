/* Transfers between devices: groups of windows, and sessions of asynchronous transfers. */
#include "backends/cpp/emitter.h"

#include <string.h>

static const char *named(Emitter *e, const Op *op, OperandName name) {
    const Value *v = named_value(op, name);
    return v == NULL ? NULL : val(e, v);
}

/* Declares the group of the windows, which must have one type in C++. */
static const char *declare_group(Emitter *e, const Op *op) {
    int slot = inst_slot(op->inst, OPERAND_group);
    unsigned n = slot_count(op, slot);
    const Operand *o = slot_operands(op, slot);
    const char *type = n > 0 ? cpp_type_of(e, o[0].value) : NULL;
    for (unsigned i = 1; type != NULL && i < n; i++) {
        const char *other = cpp_type_of(e, o[i].value);
        if (other == NULL || strcmp(type, other) != 0) type = NULL;
    }
    if (type == NULL) {
        cannot(e, op->span, "the windows of the group do not have one type in C++");
        return NULL;
    }
    const char *list = cpp_fresh(e, "windows"), *group = cpp_fresh(e, "group");
    ln(e, "%s %s[%u] = {};", type, list, n);
    for (unsigned i = 0; i < n; i++)
        ln(e, "%s[%u] = %s;", list, i, val(e, o[i].value));
    ln(e, "pto::comm::ParallelGroup<%s> %s = pto::comm::ParallelGroup<%s>::Create(%s, %u, %lld);",
       type, group, type, list, n,
       (long long)op_attr_int(e->ctx, op, inst_attr(op->inst, "root", 4)));
    return group;
}

void cpp_collective(Emitter *e, const Op *op) {
    const char *group = declare_group(e, op);
    if (group == NULL) return;
    bool reduces = op_is(op, INST_TREDUCE);
    const char *view =
        named(e, op, op_is(op, INST_COMM_TGATHER) || reduces ? OPERAND_dst : OPERAND_src);
    const char *ping = named(e, op, reduces ? OPERAND_recv_ping : OPERAND_ping);
    const char *pong = named(e, op, reduces ? OPERAND_recv_pong : OPERAND_pong);
    const char *second = pong != NULL ? strf(e, ", %s", pong) : "";
    if (reduces)
        ln(e, "pto::comm::TREDUCE(%s, %s, %s, %s%s, %s);", group, view, named(e, op, OPERAND_acc),
           ping, second, cpp_mode(e, cpp_attr(e, op, inst_attr(op->inst, "reduceOp", 8))));
    else
        ln(e, "pto::comm::%s(%s, %s, %s%s);",
           op_is(op, INST_TBROADCAST)     ? "TBROADCAST"
           : op_is(op, INST_COMM_TGATHER) ? "TGATHER"
                                          : "TSCATTER",
           group, view, ping, second);
}

/* The session is an argument of the call. */
void cpp_async(Emitter *e, const Op *op) {
    declare(e, &op->results[0]);
    cpp_row(e, op);
}
