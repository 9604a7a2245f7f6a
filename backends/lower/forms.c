/* SPDX-License-Identifier: Apache-2.0 */
/* Which kind and form the statement of an instruction has. */
#include "backends/lower/forms.h"

#include "backends/lower/call.h"

typedef struct FormRow {
    uint8_t kind, form;
} FormRow;

static const FormRow rows[INST_COUNT] = {
#define RUNS(runs, kind, form)
#define FORM(inst, kind, form) [INST_##inst] = {DOES_##kind, STMT_##form},
#define FIRST FORM
#include "backends/lower/forms.def"
#undef FIRST
#undef FORM
#undef RUNS
};

/* Those of a statement with regions, by how they run. */
static const FormRow by_runs[RUNS_COUNT] = {
    [RUNS_CALLED] = {DOES_CALL, STMT_KERNEL},
#define RUNS(runs, kind, form) [RUNS_##runs] = {DOES_##kind, STMT_##form},
#define FORM(inst, kind, form)
#define FIRST FORM
#include "backends/lower/forms.def"
#undef FIRST
#undef FORM
#undef RUNS
};

static FormRow row_of(const Inst *inst) {
    const FormRow own = rows[inst_id(inst)];
    return own.form == STMT_KERNEL && inst->regions != NULL ? by_runs[inst->regions->runs] : own;
}

StmtKind lower_kind(const Inst *inst) {
    return lower_is_sync(inst) ? DOES_SYNC : (StmtKind)row_of(inst).kind;
}

StmtForm lower_form(const Inst *inst) {
    const StmtForm form = (StmtForm)row_of(inst).form;
    if (form != STMT_KERNEL) return form;
    if (lower_is_sync(inst)) return STMT_SYNC;
    return inst->rare->idle != NULL ? STMT_NOTHING : STMT_KERNEL;
}
