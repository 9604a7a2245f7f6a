/* SPDX-License-Identifier: Apache-2.0 */
/* Emits a statement: what each form of statement becomes in C. */
#include "backends/c/cover.h"
#include "backends/c/emitter.h"
#include "backends/c/observe.h"
#include "backends/c/shadow.h"
#include "backends/c/trap.h"
#include "backends/lower/kernel_table.h"

#include <string.h>

static const EmitFn emitters[STMT_FORM_COUNT] = {
#define EMIT(form, fn) [STMT_##form] = fn,
#include "backends/c/emitters.def"
#undef EMIT
};

bool emit_lowers(const Inst *inst) {
    inst = inst_meant(inst);
    /* Modules and functions are no statements, but are lowered. */
    return lower_form(inst) != STMT_KERNEL || kernel_first(inst) != NULL ||
           (inst->flags & IF_ISOLATED) != 0;
}

void emit_stmt(Emitter *e, const LowerStmt *s) {
    EmitFn fn = emitters[s->form];
    if (fn == NULL) fn = flow_emitter((StmtForm)s->form);
    if (s->form != STMT_RESTORE) start_statement(e, s->span);
    observe_before(e, s);
    if (fn != emit_kernel) emit_checks(e, s); /* a kernel has its results first */
    const bool trap = e->opt->trap && trap_before(e, s);
    if (fn != NULL) fn(e, s);
    if (trap) trap_after(e, s);
    if (e->opt->shadow) shadow_after(e, s);
    observe_after(e, s);
    if (e->opt->cover) cover_tiles(e, s);
}
