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

StmtKind lower_kind(const Inst *inst) {
    return lower_is_sync(inst) ? DOES_SYNC : (StmtKind)rows[inst_id(inst)].kind;
}

StmtForm lower_form(const Inst *inst) {
    const StmtForm form = (StmtForm)rows[inst_id(inst)].form;
    if (form != STMT_KERNEL) return form;
    if (lower_is_sync(inst)) return STMT_SYNC;
    return inst->idle != NULL ? STMT_NOTHING : STMT_KERNEL;
}
