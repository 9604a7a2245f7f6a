/* Statements that order pipes or cores: emits the calls of backends/lower/sync.c as C. */
#include "backends/c/tiles.h"
#include "backends/lower/call.h"
#include "ir/target.h"

static const char *memory_text(Emitter *e, const Op *op, const Value *v) {
    if (type_is_view(v->type)) return strf(e, "%s.base", val(e, v));
    if (is_gm_pointer(v->type) || is_gm_memref(v->type)) return val(e, v);
    cannot(e, op->span, "memory of type '" TYPE_FMT "' has no form in C",
           TYPE_ARG(&e->ctx->names, v->type));
    return "NULL";
}

static const char *arg_text(Emitter *e, const Op *op, const LowerArg *arg) {
    switch (arg->kind) {
    case LARG_NUMBER:
        return strf(e, "%lld", (long long)arg->n);
    case LARG_INT:
        return val(e, arg->value);
    case LARG_MEMORY:
        return memory_text(e, op, arg->value);
    }
    return "0";
}

void emit_sync(Emitter *e, const Op *op) {
    LowerCall call = lower_sync(e->ctx, op, target_chip(e->ctx, op, e->opt->profile));
    StrBuf args;
    sb_init(&args, e->arena);
    for (unsigned i = 0; i < call.nargs; i++)
        sb_printf(&args, ", %s", arg_text(e, op, &call.args[i]));
    try_call(e, "ptrt_%s(core, %u%s)", call.name, (unsigned)e->line, sb_text(&args));
}
