/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers between devices: groups of windows, and sessions of asynchronous transfers. */
#include "backends/cpp/emitter.h"

#include <string.h>

static const char *named(Emitter *e, const LowerStmt *s, OperandName name) {
    const Value *v = stmt_named(s, name);
    return v == NULL ? NULL : val(e, v);
}

/* Declares the group of the windows, which must have one type in C++. */
static const char *declare_group(Emitter *e, const LowerStmt *s) {
    int slot = inst_slot(s->inst, OPERAND_group);
    unsigned n = stmt_count(s, slot);
    const Operand *o = stmt_items(s, slot);
    const char *type = n > 0 ? cpp_type_of(e, o[0].value) : NULL;
    for (unsigned i = 1; type != NULL && i < n; i++) {
        const char *other = cpp_type_of(e, o[i].value);
        if (other == NULL || strcmp(type, other) != 0) type = NULL;
    }
    if (type == NULL) {
        cannot(e, s->span, "the windows of the group do not have one type in C++");
        return NULL;
    }
    const char *list = cpp_fresh(e, "windows"), *group = cpp_fresh(e, "group");
    ln(e, "%s %s[%u] = {};", type, list, n);
    for (unsigned i = 0; i < n; i++)
        ln(e, "%s[%u] = %s;", list, i, val(e, o[i].value));
    ln(e, "pto::comm::ParallelGroup<%s> %s = pto::comm::ParallelGroup<%s>::Create(%s, %u, %lld);",
       type, group, type, list, n, (long long)stmt_attr_int(s, ATTR_root));
    return group;
}

void cpp_collective(Emitter *e, const LowerStmt *s) {
    const char *group = declare_group(e, s);
    if (group == NULL) return;
    bool reduces = stmt_is(s, INST_TREDUCE);
    const char *view =
        named(e, s, stmt_is(s, INST_COMM_TGATHER) || reduces ? OPERAND_dst : OPERAND_src);
    const char *ping = named(e, s, reduces ? OPERAND_recv_ping : OPERAND_ping);
    const char *pong = named(e, s, reduces ? OPERAND_recv_pong : OPERAND_pong);
    const char *second = pong != NULL ? strf(e, ", %s", pong) : "";
    if (reduces)
        ln(e, "pto::comm::TREDUCE(%s, %s, %s, %s%s, %s);", group, view, named(e, s, OPERAND_acc),
           ping, second, cpp_mode(e, cpp_attr(e, s, inst_attr(s->inst, ATTR_reduceOp))));
    else
        ln(e, "pto::comm::%s(%s, %s, %s%s);",
           stmt_is(s, INST_TBROADCAST)     ? "TBROADCAST"
           : stmt_is(s, INST_COMM_TGATHER) ? "TGATHER"
                                           : "TSCATTER",
           group, view, ping, second);
}

/* The session is an argument of the call. */
void cpp_async(Emitter *e, const LowerStmt *s) {
    declare(e, &s->results[0]);
    cpp_row(e, s);
}
