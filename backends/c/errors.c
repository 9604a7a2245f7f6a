/* Failures in emitted C, and the diagnostic about a statement without a kernel. */
#include "backends/c/emitter.h"

#include <stdarg.h>

void try_call(Emitter *e, const char *fmt, ...) {
    va_list ap;
    begin_line(e);
    sb_puts(e->out, "if ((err = ");
    va_start(ap, fmt);
    sb_vprintf(e->out, fmt, ap);
    va_end(ap);
    sb_puts(e->out, ") != 0)\n");
    e->indent++;
    begin_line(e);
    e->indent--;
    sb_puts(e->out, "return err;\n");
    c_of(e)->uses_err = true;
    c_of(e)->uses_core = true;
}

/* Returns the tile operands and their types, e.g. ` for src of f32, dst of f16`. */
static const char *operand_types(Emitter *e, const Op *op) {
    StrBuf out;
    unsigned n = 0;
    sb_init(&out, e->arena);
    for (int s = 0; s < op->inst->nslots; s++) {
        const Value *v = slot_value(op, s);
        const Type *t = v != NULL && type_is_tile(v->type) ? tile_value_type(v) : NULL;
        if (t == NULL || t->elem_type == NULL || t->elem_type->kind != TY_SCALAR) continue;
        sb_printf(&out, "%s%s of %s", n++ == 0 ? " for " : ", ", op->inst->slots[s].name,
                  elem_infos[t->elem_type->elem].text);
    }
    return sb_text(&out);
}

void no_kernel(Emitter *e, const Op *op) {
    report_once(
        e, DIAG_NO_KERNEL, op->name_span,
        op->inst->unwritable != NULL
            ? strf(e, "%s cannot be computed: %s", op->inst->name, op->inst->unwritable)
            : strf(e, "%s has no kernel in the runtime%s", op->inst->name, operand_types(e, op)));
}
