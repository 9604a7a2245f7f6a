/* SPDX-License-Identifier: Apache-2.0 */
/* The lowered program: a function as a list of statements, for one profile and plan. A statement
 * has all that a backend prints of it, so that passes may add statements that no text has. */
#ifndef BACKENDS_LOWER_BODY_H
#define BACKENDS_LOWER_BODY_H

#include "analysis/effects.h"
#include "analysis/entries.h"
#include "backends/lower/call.h"
#include "backends/lower/forms.h"
#include "backends/lower/lower.h"
#include "ir/number.h"
#include "support/ptrmap.h"

struct Residue;
struct LowerChain;
struct LaneChain;

typedef enum LowerExtentKind {
    EXTENT_NUMBER,  /* n */
    EXTENT_VALUE,   /* an integer operand */
    EXTENT_OF_TILE, /* that of the valid region of a tile */
    EXTENT_OF_VIEW, /* the same of a view's innermost dimensions */
    EXTENT_UNKNOWN
} LowerExtentKind;

/* An extent of a valid region. */
typedef struct LowerExtent {
    LowerExtentKind kind;
    int64_t n;
    const Value *value;
} LowerExtent;

/* A tile that gets its memory. */
typedef struct LowerBind {
    const Value *value; /* NULL: a scratch tile without a name */
    const Type *type;   /* NULL: not known */
    const Value *at;    /* the operand with the address; NULL: `addr` */
    int64_t addr;       /* byte offset in its space */
    LowerExtent rows, cols;
} LowerBind;

/* The arguments in a slot of the instruction. */
typedef struct LowerSlot {
    const Value *value;   /* the first one, or the result that a destination is; NULL: none */
    const Operand *items; /* without results */
    unsigned n;
} LowerSlot;

/* A way of a jump. */
typedef struct LowerWay {
    const struct LowerBlock *to;
    const Operand *args; /* one for each argument of the block */
    unsigned nargs;
} LowerWay;

/* What the sanitizer is told of a statement. */
typedef struct LowerSees {
    const Access *accesses; /* in the order of its phases; none if the text does not tell them */
    size_t n;
    const PhaseForm *phases; /* NULL: it has one */
    const bool *applies;     /* for each phase, whether the statement has what it needs */
    Pipe pipe, entry_pipe;   /* that it runs on; that waits for an entry, fills or frees it */
    bool transfers;          /* see op_transfers() */
} LowerSees;

/* Where a statement works, and what it computes: for schedules. */
typedef struct LowerWork {
    Pipe pipe;               /* that it runs on, or names, by its tiles if these decide */
    Core core;               /* that can run it */
    const PhaseForm *phases; /* NULL: it has one */
    const bool *applies;     /* for each phase, whether the statement has what it needs */
    bool scope;              /* a vector scope */
    bool vector;             /* an operation on registers */
    NumberOp number;         /* of integers */
} LowerWork;

typedef struct LowerStmt {
    struct LowerStmt *next;
    const struct LowerBlock *block;
    const Inst *inst;     /* what it is, and the names of its slots and attributes */
    uint8_t kind;         /* StmtKind */
    uint8_t form;         /* StmtForm */
    uint8_t core;         /* Core: the kind of core that the code around names */
    uint8_t needs;        /* of pto.section.simt: NEED_.. bits of its statements */
    uint8_t cores;        /* kinds that it and its regions need: bits 1 << Core */
    Span span, name_span; /* in the text; len 0: a pass made it */

    const LowerSlot *slots;        /* inst->nslots */
    const NamedAttr *const *attrs; /* inst->nattrs; NULL: not given */
    const Operand *args;           /* of all slots, or of an instruction without slots */
    unsigned nargs;
    const Value *results; /* those of destination slots first */
    unsigned nresults, ntiles;

    const LowerCall *call;          /* a kernel or synchronisation; NULL: neither */
    const struct LowerChain *chain; /* that makes the call, see chains.h; NULL: none */
    const struct LaneChain *lanes;  /* the same, see lane_chains.h */
    const LowerFunc *callee;
    const LowerPipe *pipe; /* the end of a pipe that it opens or uses; NULL: none, or not known */
    LowerBind *binds;      /* tiles that it defines and that no operand provides */
    unsigned nbinds;
    const LowerBind *scratch;     /* the scratch tile that the plan supplies, or NULL */
    const struct Residue *checks; /* rules that only run time decides, to be checked before it */
    const LowerSees *sees;        /* NULL: no sanitizer was asked for */
    const LowerWork *work;        /* NULL: not wanted */

    const Value *rebinds; /* the tile of which it changes the address, as handover_rebinds() */
    bool borrows;         /* the tile has its former address again at the end of the region */
    const struct LowerStmt *saved; /* of a restoring statement: the one that saved the tile */
    int64_t reserved[2]; /* the address of a reserved buffer, or those of a pipe's buffers; -1 */
    int8_t layout;       /* of the view that it makes; -1: the text has it */
    bool alone;          /* only the first vector core of a block runs it */
    const char *shown;   /* see show_name() */
    int dump;            /* see show_dump() */

    struct LowerRegion *regions;
    unsigned nregions;
    const LowerWay *ways; /* of a jump */
    unsigned nways;
    const Attr *cases; /* values of all regions or ways but the default; NULL: none */
} LowerStmt;

typedef struct LowerBlock {
    struct LowerBlock *next;
    const struct LowerRegion *region;
    LowerStmt *first;
    Atom label;        /* 0: none */
    const Value *args; /* of the block */
    unsigned nargs;
    bool target; /* something jumps to it */
} LowerBlock;

typedef struct LowerRegion {
    LowerBlock *first;      /* NULL: it has no blocks */
    const LowerStmt *owner; /* NULL: the function */
    uint32_t off;           /* of its start in the text: its number in the function */
} LowerRegion;

typedef struct LowerBody {
    LowerRegion region;
    PtrMap makers; /* LowerStmt of each view, tile and event id that a statement makes */
} LowerBody;

typedef struct LowerOptions {
    const Plan *plan;       /* addresses of tiles that state none; NULL: all state one */
    bool calls;             /* also find calls of the runtime and the checks */
    bool fuse;              /* also find chains */
    bool cores;             /* also find the kinds of cores of each statement */
    bool work;              /* also find where each statement works */
    PtrMap *origins;        /* gets the Op of each statement of the text; NULL: not wanted */
    bool compat;            /* check the conditions of the vendor's assembler 0.60 */
    FreedEntries *sanitize; /* also find what the sanitizer is told; NULL: do not */
} LowerOptions;

/* Returns the statements of a function that has a body, allocated in `arena`. */
const LowerBody *lower_function(const Lower *l, const LowerFunc *f, const LowerOptions *opt,
                                Arena *arena);
/* Visits the statements of a region and of those in it, in the order of the text. */
void lower_walk(const LowerRegion *r, void (*see)(const LowerStmt *s, void *arg), void *arg);
/* Returns the statement that makes a view or tile; NULL: none does, or another function. */
static inline const LowerStmt *lower_maker(const LowerBody *body, const Value *v) {
    return ptrmap_get(&body->makers, v);
}

/* ---- registers.c ---- */

/* Returns the registers that a value of this type takes; 0: it is in none. */
unsigned lower_register_span(const Type *t);
/* Numbers the vector registers of a function from 0 on: stores the number of each value, plus one,
 * and returns how many registers there are. */
unsigned lower_registers(const LowerBody *body, Arena *arena, PtrMap *numbers);

/* ---- arguments of a statement ---- */

static inline bool stmt_is(const LowerStmt *s, InstId id) {
    return s->inst == &inst_table[id];
}
static inline const Value *stmt_value(const LowerStmt *s, int slot) {
    return s->slots[slot].value;
}
/* The same by the name of the slot; NULL too where the instruction has no such slot. */
const Value *stmt_named(const LowerStmt *s, OperandName slot);
static inline unsigned stmt_count(const LowerStmt *s, int slot) {
    return s->slots[slot].n;
}
static inline const Operand *stmt_items(const LowerStmt *s, int slot) {
    return s->slots[slot].items;
}
/* Returns the position for messages about a slot, as slot_span() (ir.h). */
Span stmt_span(const LowerStmt *s, int slot);
static inline const NamedAttr *stmt_attr(const LowerStmt *s, int attr) {
    return s->attrs[attr];
}
/* Returns the attribute of this name; NULL: it is not given, or the instruction has none. */
const NamedAttr *stmt_attr_named(const LowerStmt *s, AttrName name);
/* Returns an attribute as a number, or its default; 0 where the instruction has none. */
int64_t stmt_attr_int(const LowerStmt *s, AttrName name);
/* The same for the attribute of an index. */
static inline int64_t stmt_attr_number(const LowerStmt *s, int attr) {
    const NamedAttr *a = s->attrs[attr];
    return a != NULL ? a->value->i : s->inst->attrs[attr].dflt;
}
/* Returns the result that Inst.results[i] describes, or NULL. */
static inline const Value *stmt_result(const LowerStmt *s, int i) {
    return s->ntiles + (unsigned)i < s->nresults ? &s->results[s->ntiles + (unsigned)i] : NULL;
}

#endif
