/* Which kind and form the statement of an instruction has. */
#include "backends/lower/forms.h"

#include "backends/lower/call.h"

typedef struct FormRow {
    uint8_t kind, form;
} FormRow;

static const FormRow rows[INST_COUNT] = {
#define FORM(inst, kind, form) [INST_##inst] = {DOES_##kind, STMT_##form},
#define FIRST FORM
#include "backends/lower/forms.def"
#undef FIRST
#undef FORM
};

/* Those of a statement with regions, by how they run. */
static const FormRow by_runs[] = {
    [RUNS_CALLED] = {DOES_CALL, STMT_KERNEL}, [RUNS_TIMES] = {DOES_REGION, STMT_EXECUTE_REGION},
    [RUNS_IF] = {DOES_BRANCH, STMT_IF},       [RUNS_CASES] = {DOES_BRANCH, STMT_INDEX_SWITCH},
    [RUNS_COUNTED] = {DOES_LOOP, STMT_FOR},   [RUNS_WHILE] = {DOES_LOOP, STMT_WHILE}};

/* A row of forms.def comes first: that of a section. */
static FormRow row_of(const Inst *inst) {
    const FormRow own = rows[inst_id(inst)];
    if (own.form != STMT_KERNEL || inst->regions == NULL) return own;
    if (inst->core != CORE_ANY) return rows[INST_SECTION_CUBE];
    return by_runs[inst->regions->runs];
}

StmtKind lower_kind(const Inst *inst) {
    return lower_is_sync(inst) ? DOES_SYNC : (StmtKind)row_of(inst).kind;
}

StmtForm lower_form(const Inst *inst) {
    const StmtForm form = (StmtForm)row_of(inst).form;
    if (form != STMT_KERNEL) return form;
    if (lower_is_sync(inst)) return STMT_SYNC;
    return inst->idle != NULL ? STMT_NOTHING : STMT_KERNEL;
}
