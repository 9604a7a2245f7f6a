/* SPDX-License-Identifier: Apache-2.0 */
/* Communication between ranks, asynchronous sessions, and statements that have no effect on values
 * on a CPU: fences, caches, prefetches. */
#include "backends/c/emitter.h"

#include <string.h>

/* ---- operands ---- */

static const char *view_at(Emitter *e, const LowerStmt *s, int slot, const Value *v) {
    if (v != NULL && type_is_view(v->type)) return strf(e, "&%s", val(e, v));
    cannot(e, stmt_span(s, slot), "%s must be a view to have a form in C",
           s->inst->slots[slot].name);
    return "NULL";
}

static const char *view_named(Emitter *e, const LowerStmt *s, OperandName name) {
    int slot = inst_slot(s->inst, name);
    return view_at(e, s, slot, stmt_value(s, slot));
}

/* Returns an int32 operand. */
static const char *word_named(Emitter *e, const LowerStmt *s, OperandName name) {
    const Value *v = stmt_named(s, name);
    return strf(e, "(int32_t)%s", val(e, v));
}

static int64_t choice(Emitter *e, const LowerStmt *s, AttrName name) {
    return attr_choice(e, s, name, 1 << 16);
}

/* ---- transfers ---- */

void emit_comm_transfer(Emitter *e, const LowerStmt *s) {
    const char *dst = view_named(e, s, OPERAND_dst), *src = view_named(e, s, OPERAND_src);
    if (stmt_is(s, INST_TPUT))
        try_call(e, "ptrt_comm_put(core, %u, %s, %s, %d)", (unsigned)e->line, dst, src,
                 choice(e, s, ATTR_atomicType) != 0);
    else
        try_call(e, "ptrt_comm_get(core, %u, %s, %s)", (unsigned)e->line, dst, src);
}

/* The transfer is complete when the statement ends, so its event is a dummy. */
void emit_async_transfer(Emitter *e, const LowerStmt *s) {
    const char *dst = view_named(e, s, OPERAND_dst), *src = view_named(e, s, OPERAND_src);
    if (stmt_is(s, INST_TPUT_ASYNC))
        try_call(e, "ptrt_comm_put(core, %u, %s, %s, 0)", (unsigned)e->line, dst, src);
    else
        try_call(e, "ptrt_comm_get(core, %u, %s, %s)", (unsigned)e->line, dst, src);
    define(e, &s->results[0], "0");
}

/* Sessions, contexts and events have no content. */
void emit_async_handle(Emitter *e, const LowerStmt *s) {
    define(e, &s->results[0], "0");
}

void emit_async_done(Emitter *e, const LowerStmt *s) {
    define(e, &s->results[0], "true");
}

/* ---- signals ---- */

void emit_notify(Emitter *e, const LowerStmt *s) {
    const char *signal = view_named(e, s, OPERAND_signal);
    try_call(e, "ptrt_comm_notify(core, %u, %s, %s, %lld)", (unsigned)e->line, signal,
             word_named(e, s, OPERAND_value), (long long)choice(e, s, ATTR_notifyOp));
}

/* Returns the runtime's number of a comparison; the language numbers them in two ways. */
static int comparison(Emitter *e, const LowerStmt *s) {
    static const uint8_t of_cmp[] = {0, 1, 4, 5, 2, 3}; /* eq ne lt le gt ge */
    const NamedAttr *a = stmt_attr_named(s, ATTR_cmp);
    int64_t n = choice(e, s, ATTR_cmp);
    bool other = a != NULL && a->value->kind == ATTR_ENUM && a->value->family == EF_CMP;
    return other && n >= 0 && n < 6 ? of_cmp[n] : (int)n;
}

void emit_wait(Emitter *e, const LowerStmt *s) {
    const char *signal = view_named(e, s, OPERAND_signal);
    try_call(e, "ptrt_comm_wait(core, %u, %s, %s, %d)", (unsigned)e->line, signal,
             word_named(e, s, OPERAND_value), comparison(e, s));
}

void emit_test(Emitter *e, const LowerStmt *s) {
    const char *signal = view_named(e, s, OPERAND_signal), *value = word_named(e, s, OPERAND_value);
    declare(e, &s->results[0]);
    try_call(e, "ptrt_comm_test(core, %u, %s, %s, %d, &%s)", (unsigned)e->line, signal, value,
             comparison(e, s), val(e, &s->results[0]));
}

/* ---- collectives ---- */

/* `n, (const ptrt_view *const[]){&a, &b}` */
static const char *group_arg(Emitter *e, const LowerStmt *s) {
    int slot = inst_slot(s->inst, OPERAND_group);
    unsigned n = stmt_count(s, slot);
    const Operand *o = stmt_items(s, slot);
    StrBuf out;
    sb_init(&out, e->arena);
    sb_printf(&out, "%u, (const ptrt_view *const[]){", n);
    for (unsigned i = 0; i < n; i++)
        sb_printf(&out, "%s%s", i > 0 ? ", " : "", view_at(e, s, slot, o[i].value));
    sb_puts(&out, "}");
    return sb_text(&out);
}

void emit_collective(Emitter *e, const LowerStmt *s) {
    const char *name = s->inst->name + strlen("pto.comm.t");
    const char *whole =
        view_named(e, s, inst_slot(s->inst, OPERAND_dst) >= 0 ? OPERAND_dst : OPERAND_src);
    const char *group = group_arg(e, s);
    if (stmt_is(s, INST_TREDUCE))
        try_call(e, "ptrt_comm_reduce(core, %u, %s, %s, %lld, %lld)", (unsigned)e->line, whole,
                 group, (long long)choice(e, s, ATTR_root), (long long)choice(e, s, ATTR_reduceOp));
    else
        try_call(e, "ptrt_comm_%s(core, %u, %s, %s)", name, (unsigned)e->line, whole, group);
}

/* ---- memory ---- */

void emit_fence(Emitter *e, const LowerStmt *s) {
    (void)s;
    c_of(e)->uses_core = true;
    ln(e, "ptrt_fence(core);");
}
