/* SPDX-License-Identifier: Apache-2.0 */
/* Structure of the program: where statements may be, terminators, values that control flow passes,
 * functions, symbols, calls. */
#ifndef VERIFIER_STRUCTURE_STRUCTURE_H
#define VERIFIER_STRUCTURE_STRUCTURE_H

#include "analysis/pipe_links.h"
#include "verifier/rules/run.h"

/* A function of the symbol table of one module. */
typedef struct Symbol {
    Atom name;
    Op *op;
} Symbol;

typedef struct CallEdge {
    struct CallEdge *next;
    const Op *from, *to; /* functions */
    const Op *call;
    AliasSet *passed;   /* the places of its operands; NULL: none of them is a tile */
    OpVerdict *verdict; /* of the call; NULL: not wanted */
} CallEdge;

/* A statement whose pipe does not determine the kind of core. */
typedef struct CoreNote {
    struct CoreNote *next;
    const Op *func, *op;
} CoreNote;

typedef struct PipeNotes {
    PipeNote *list;
    uint32_t *open; /* indices of the notes whose scope has not ended */
    uint32_t n, cap, nopen, open_cap;
} PipeNotes;

/* An operand whose value is defined later, replaced while the program is verified. */
typedef struct HiddenOperand {
    const struct HiddenOperand *next;
    Operand *operand;
    Value *value;
} HiddenOperand;

typedef struct Verifier {
    Judge judge;
    Symbol *symbols; /* of the innermost module, sorted by name */
    uint32_t nsymbols;
    const Op *func;       /* the function that is being verified, or NULL */
    uint16_t run;         /* Value.tag of the visible values */
    CallEdge *calls;      /* newest first */
    uint8_t core;         /* Core that the text names for the code; CORE_ANY: none */
    const Op *core_from;  /* the statement that names it */
    const Op *kindless;   /* the last function reported for a missing kind */
    const Op *around;     /* the statement around the last checked section */
    CoreNote *core_notes; /* newest first */
    PipeNotes pipes;
    /* A text with errors lacks statements: errors that this could explain are not reported. */
    const uint32_t *holes; /* positions of the errors, sorted */
    uint32_t nholes;
    bool lost_function;  /* a function is missing */
    bool vectors_passed; /* some call passes logical vectors */
    bool raw_pointers;   /* some pto.inttoptr was seen */
    bool vector_code;    /* the function has micro-instructions */
    bool
        brace_missing; /* a brace is missing, so statements may be in other regions than intended */
    const HiddenOperand *hidden;
    OpList *numbers; /* statements for verify_constants(), newest first */
} Verifier;

/* True when parsing reported an error in [from, to]. */
bool hole_between(const Verifier *v, uint32_t from, uint32_t to);
/* False when a part of the statement could not be bound. */
bool op_is_whole(const Verifier *v, const Op *op);

/* Checks what the instruction demands besides operands and regions. */
void verify_structure(Verifier *v, const Op *op);
/* Checks terminators and the number of blocks of a region. */
void verify_region_shape(Verifier *v, const Region *r);
/* Sets the symbol table of a module in `v` and reports duplicates. */
void collect_symbols(Verifier *v, const Op *module);

/* Returns what a symbol of the innermost module names, or NULL. */
const Op *find_symbol(const Verifier *v, Atom name);
/* Returns the function that a call or launch names, and notes the call; NULL when there is none,
 * which is reported at `at`, or nothing can be said of it. */
const Op *find_callee(Verifier *v, const Op *op, Span at);
/* Returns where the statement names its function. */
Span callee_span(const Op *op);

/* ---- calls.c ---- */

/* Notes a call, for verify_calls to judge after the walk. */
void note_call(Verifier *v, const Op *op, const Op *callee);
/* Reports recursion, and calls that pass overlapping tiles where the callee forbids it. */
void verify_calls(Verifier *v);

/* ---- dominance.c ---- */

/* The blocks of a region with more than one, in an order in which every block comes after the ones
 * that dominate it; depth[i] is the depth of order[i] in the dominator tree. Unreachable blocks
 * come last with depth UINT32_MAX. */
typedef struct BlockOrder {
    Block **order;
    uint32_t *depth;
    uint32_t n;
} BlockOrder;
BlockOrder dominance_order(Arena *a, const Region *r);

#endif
