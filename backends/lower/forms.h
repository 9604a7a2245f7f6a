/* SPDX-License-Identifier: Apache-2.0 */
/* What statements of the lowered program are: their kinds and forms. */
#ifndef BACKENDS_LOWER_FORMS_H
#define BACKENDS_LOWER_FORMS_H

#include "ir/inst.h"

typedef enum StmtKind {
    DOES_CALL,   /* of a kernel, another part of the runtime or a function */
    DOES_BIND,   /* a tile or storage gets memory, another address or a valid region */
    DOES_VIEW,   /* a view of global memory is made */
    DOES_SCALAR, /* numbers and pointers: computed, read or written */
    DOES_SYNC,   /* pipes or cores are ordered */
    DOES_LOOP,
    DOES_BRANCH, /* one of its regions runs */
    DOES_REGION, /* its region runs, so many times or on some cores */
    DOES_JUMP    /* the block ends, or may end, here */
} StmtKind;

typedef enum StmtForm {
    STMT_KERNEL,  /* of the runtime */
    STMT_SYNC,    /* a call that orders pipes or cores */
    STMT_NOTHING, /* nothing is left of it */
    STMT_SAVE,    /* keeps the address of a tile */
    STMT_RESTORE, /* gives the tile that address again */
#define RUNS(runs, kind, form) STMT_##form,
#define FIRST(inst, kind, form) STMT_##form,
#define FORM(inst, kind, form)
#include "backends/lower/forms.def"
#undef RUNS
#undef FIRST
#undef FORM
    STMT_FORM_COUNT
} StmtForm;

/* Return those of the statement of an instruction. */
StmtKind lower_kind(const Inst *inst);
StmtForm lower_form(const Inst *inst);

#endif
