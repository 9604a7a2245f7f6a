/* Communication between ranks, asynchronous sessions, and statements that have no effect on values
 * on a CPU: fences, caches, prefetches. */
#include "backends/c/comm.h"

#include <string.h>

/* ---- operands ---- */

static const char *view_at(Emitter *e, const Op *op, int slot, const Value *v) {
    if (v != NULL && type_is_view(v->type)) return strf(e, "&%s", val(e, v));
    cannot(e, slot_span(op, slot), "%s must be a view to have a form in C",
           op->inst->slots[slot].name);
    return "NULL";
}

static const char *view_named(Emitter *e, const Op *op, OperandName name) {
    int slot = inst_slot(op->inst, name);
    return view_at(e, op, slot, slot_value(op, slot));
}

/* Returns an int32 operand. */
static const char *word_named(Emitter *e, const Op *op, OperandName name) {
    const Value *v = named_value(op, name);
    return strf(e, "(int32_t)%s", val(e, v));
}

static int64_t choice(Emitter *e, const Op *op, const char *name) {
    return attr_choice(e, op, name, 1 << 16);
}

/* ---- transfers ---- */

void emit_comm_transfer(Emitter *e, const Op *op) {
    const char *dst = view_named(e, op, OPERAND_dst), *src = view_named(e, op, OPERAND_src);
    if (op_is(op, INST_TPUT))
        try_call(e, "ptrt_comm_put(core, %u, %s, %s, %d)", (unsigned)e->line, dst, src,
                 choice(e, op, "atomicType") != 0);
    else
        try_call(e, "ptrt_comm_get(core, %u, %s, %s)", (unsigned)e->line, dst, src);
}

/* The transfer is complete when the statement ends, so its event is a dummy. */
void emit_async_transfer(Emitter *e, const Op *op) {
    const char *dst = view_named(e, op, OPERAND_dst), *src = view_named(e, op, OPERAND_src);
    if (op_is(op, INST_TPUT_ASYNC))
        try_call(e, "ptrt_comm_put(core, %u, %s, %s, 0)", (unsigned)e->line, dst, src);
    else
        try_call(e, "ptrt_comm_get(core, %u, %s, %s)", (unsigned)e->line, dst, src);
    define(e, &op->results[0], "0");
}

/* Sessions, contexts and events have no content. */
void emit_async_handle(Emitter *e, const Op *op) {
    define(e, &op->results[0], "0");
}

void emit_async_done(Emitter *e, const Op *op) {
    define(e, &op->results[0], "true");
}

/* ---- signals ---- */

void emit_notify(Emitter *e, const Op *op) {
    const char *signal = view_named(e, op, OPERAND_signal);
    try_call(e, "ptrt_comm_notify(core, %u, %s, %s, %lld)", (unsigned)e->line, signal,
             word_named(e, op, OPERAND_value), (long long)choice(e, op, "notifyOp"));
}

/* Returns the runtime's number of a comparison; the language numbers them in two ways. */
static int comparison(Emitter *e, const Op *op) {
    static const uint8_t of_cmp[] = {0, 1, 4, 5, 2, 3}; /* eq ne lt le gt ge */
    const NamedAttr *a = op_attr_named(e->ctx, op, "cmp");
    int64_t n = choice(e, op, "cmp");
    bool other = a != NULL && a->value->kind == ATTR_ENUM && a->value->family == EF_CMP;
    return other && n >= 0 && n < 6 ? of_cmp[n] : (int)n;
}

void emit_wait(Emitter *e, const Op *op) {
    const char *signal = view_named(e, op, OPERAND_signal);
    try_call(e, "ptrt_comm_wait(core, %u, %s, %s, %d)", (unsigned)e->line, signal,
             word_named(e, op, OPERAND_value), comparison(e, op));
}

void emit_test(Emitter *e, const Op *op) {
    const char *signal = view_named(e, op, OPERAND_signal),
               *value = word_named(e, op, OPERAND_value);
    declare(e, &op->results[0]);
    try_call(e, "ptrt_comm_test(core, %u, %s, %s, %d, &%s)", (unsigned)e->line, signal, value,
             comparison(e, op), val(e, &op->results[0]));
}

/* ---- collectives ---- */

/* `n, (const ptrt_view *const[]){&a, &b}` */
static const char *group_arg(Emitter *e, const Op *op) {
    int slot = inst_slot(op->inst, OPERAND_group);
    unsigned n = slot_count(op, slot);
    const Operand *o = slot_operands(op, slot);
    StrBuf out;
    sb_init(&out, e->arena);
    sb_printf(&out, "%u, (const ptrt_view *const[]){", n);
    for (unsigned i = 0; i < n; i++)
        sb_printf(&out, "%s%s", i > 0 ? ", " : "", view_at(e, op, slot, o[i].value));
    sb_puts(&out, "}");
    return sb_text(&out);
}

void emit_collective(Emitter *e, const Op *op) {
    const char *name = op->inst->name + strlen("pto.comm.t");
    const char *whole =
        view_named(e, op, inst_slot(op->inst, OPERAND_dst) >= 0 ? OPERAND_dst : OPERAND_src);
    const char *group = group_arg(e, op);
    if (op_is(op, INST_TREDUCE))
        try_call(e, "ptrt_comm_reduce(core, %u, %s, %s, %lld, %lld)", (unsigned)e->line, whole,
                 group, (long long)choice(e, op, "root"), (long long)choice(e, op, "reduceOp"));
    else
        try_call(e, "ptrt_comm_%s(core, %u, %s, %s)", name, (unsigned)e->line, whole, group);
}

/* ---- memory ---- */

void emit_fence(Emitter *e, const Op *op) {
    (void)op;
    c_of(e)->uses_core = true;
    ln(e, "ptrt_fence(core);");
}
