/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes between the cores: the statements that set up their ends, and which ends belong together.
 */
#ifndef ANALYSIS_PIPE_LINKS_H
#define ANALYSIS_PIPE_LINKS_H

#include "ir/epilogue.h"
#include "ir/ir.h"

/* A statement about pipes between the cores, in the order of a walk. */
typedef struct PipeNote {
    const Op *op, *func;
    uint32_t closed; /* number of notes when its scope ended: it dominates those before */
    uint8_t core;    /* Core that the code is for */
    bool good;       /* it passed its own rules */
    bool reachable;
} PipeNote;

enum { DIR_C2V = 1, DIR_V2C = 2 }; /* bits of dir_mask */

/* One end of a pipe: a statement that sets it up. */
typedef struct PipeEnd {
    const PipeNote *note;
    uint32_t at; /* index of the note */
    bool lowered;
    bool cube;   /* aic_initialize_pipe */
    uint8_t dir; /* 1 to 3; 0: the attribute is wrong */
    int64_t id;  /* of a frontend pipe */
    int64_t slot_size, slot_num, local_slot_num;
    int64_t flag_base; /* -1 = not given */
    int8_t nosplit;    /* -1 = not given */
    bool fixpipe;      /* has an epilogue */
    Epilogue epilogue;
    const Value *buffer[2]; /* c2v, v2c; NULL: it has no such buffer */
    const Type *slots;      /* gm_slot_tensor, or gm_addr when it is a view */
    bool has_gm;            /* slots in global memory at all */
    bool global;            /* slots in global memory only */
    bool peer_unknown;      /* a mistake was reported that leaves the other end unknown */
    /* Statements that use it. */
    const Op *whole, *split; /* the first with split = 0, with another */
    const Op *axis[2][2];    /* from cube to vector, or back: the first that splits rows, columns */
    const Op *pop;           /* the first tpop_from_aic */
    const Type *popped, *pushed;
    bool uses;          /* some statement names it, even wrongly */
    uint32_t quant;     /* newest set_quant: index into PipeProgram.quants + 1 */
    uint32_t component; /* representative */
} PipeEnd;

/* A set_quant statement of a pipe; older ones are chained. */
typedef struct QuantNote {
    uint32_t at; /* index of the note */
    uint32_t older;
} QuantNote;

typedef struct PipeProgram {
    Context *ctx;
    Op *root;
    bool compat;
    ProfileSet profiles; /* that the verifier judges for */
    DiagList *diags;
    const PipeNote *notes;
    uint32_t n;
    PipeEnd *ends; /* in the order of the notes */
    uint32_t nends;
    PipeEnd **by_op; /* sorted by statement */
    QuantNote *quants;
    uint32_t nquants;
    bool partial; /* statements are missing: no errors that these could explain */
    struct PipeBuffers *buffers;
} PipeProgram;

static inline bool op_sets_quant(const Op *op) {
    return op_is(op, INST_SET_QUANT_SCALAR) || op_is(op, INST_SET_QUANT_VECTOR);
}
static inline bool op_is_about_pipes(const Op *op) {
    return op->inst->fifo || op_sets_quant(op);
}

/* True for a statement that sets up an end of a pipe. */
bool pipe_is_opening(const Op *op);
/* Returns the memory in which a statement that sets up an end has its slots, with their bytes
 * (INT64_MAX: too many); NULL: they are on the chip, or the statement is another one. */
const Value *pipe_global_slots(const Op *op, int64_t *bytes);
/* Fills p->ends from the notes. */
void pipe_collect_ends(PipeProgram *p);
/* Returns the value of an integer attribute; `otherwise` when it is absent. */
int64_t pipe_attr(const Op *op, AttrName name, int64_t otherwise);
/* Returns the text of an attribute; 0 when it is absent. */
Atom pipe_attr_text(const Op *op, AttrName name);
/* True when note `a` dominates note `b`. */
static inline bool note_dominates(const PipeProgram *p, uint32_t a, uint32_t b) {
    return a < b && (b < p->notes[a].closed || !p->notes[b].reachable);
}
/* The end that a lowered statement made; NULL for anything else. */
PipeEnd *pipe_end_of(const PipeProgram *p, const Op *op);

void pipe_find_buffers(PipeProgram *p);
/* Returns the function that an import names: of the same module, else of a sibling module. */
const Op *pipe_imported_from(const PipeProgram *p, const Op *import, const Op *func);
/* The statement that reserves what `op`, a reserve or an import in `func`, gives the address of;
 * NULL when there is none. */
const Op *pipe_reserve_of(const PipeProgram *p, const Op *op, const Op *func);
/* Gives all ends of one pipe the same representative. */
void pipe_connect_ends(PipeProgram *p);
uint32_t pipe_root(PipeProgram *p, uint32_t end);

/* Collects the pipes of a module that the verifier has accepted; NULL when it has none. Allocated
 * in the arena of the module. */
PipeProgram *pipes_of_module(const Module *m);

#endif
