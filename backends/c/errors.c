/* SPDX-License-Identifier: Apache-2.0 */
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
static const char *operand_types(Emitter *e, const LowerStmt *s) {
    StrBuf out;
    unsigned n = 0;
    sb_init(&out, e->arena);
    for (int i = 0; i < s->inst->nslots; i++) {
        const Value *v = stmt_value(s, i);
        const Type *t = v != NULL && type_is_tile(v->type) ? tile_value_type(v) : NULL;
        if (t == NULL || t->elem_type == NULL || t->elem_type->kind != TY_SCALAR) continue;
        sb_printf(&out, "%s%s of %s", n++ == 0 ? " for " : ", ", s->inst->slots[i].name,
                  elem_infos[t->elem_type->elem].text);
    }
    return sb_text(&out);
}

void no_kernel(Emitter *e, const LowerStmt *s) {
    report_once(
        e, DIAG_NO_KERNEL, s->name_span,
        s->inst->rare->unwritable != NULL
            ? strf(e, "%s cannot be computed: %s", s->inst->name, s->inst->rare->unwritable)
            : strf(e, "%s has no kernel in the runtime%s", s->inst->name, operand_types(e, s)));
}
