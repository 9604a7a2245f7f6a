/* SPDX-License-Identifier: Apache-2.0 */
/* Shared declarations of SSA -> DPS: dps.c chooses the buffer of each result, rotating_buffers.c
 * handles tiles that are needed together with a later one, rewrite.c changes the program. */
#ifndef PASSES_DPS_H
#define PASSES_DPS_H

#include "analysis/live.h"
#include "passes/passes.h"
#include "passes/scratch.h"

/* The valid extents of a tile where its type has `?`; else NULL. */
typedef struct Valid {
    Value *row, *col;
} Valid;

/* An inserted allocation, or the selected one of several that take turns. */
typedef struct Buffer {
    struct Buffer *next; /* in the list of idle buffers */
    Value *value;
    const Type *type; /* tile_buf */
    Valid valid;
    const Scope *scope;  /* where the allocation is */
    const Storage *last; /* its current contents */
    bool shared;         /* may be reused */
} Buffer;

/* A position after which a buffer no longer holds a storage. */
typedef struct Ending {
    struct Ending *next;
    Buffer *buffer;
    const Storage *storage;
} Ending;

/* An inserted allocation whose address is not planned yet. */
typedef struct Inserted {
    struct Inserted *next;
    Op *op;
} Inserted;

enum { DPS_MOST_BUFFERS = 64 }; /* limit of buffers that take turns */

typedef struct Dps {
    Module *module;
    Context *ctx;
    Arena *arena;     /* of the program */
    Scratch *scratch; /* `step` holds data about the current function */
    Profile profile;
    bool manual;     /* some tile has an address in the text, so inserted allocations get one too */
    Op *func;        /* the current function */
    Live *live;      /* of the current function */
    PtrMap buffers;  /* const Storage * -> Buffer * */
    PtrMap replaced; /* Value * -> Value *, followed transitively */
    Ending **ends;   /* by the last position that needs the contents */
    uint32_t passed; /* how many positions of `ends` were visited */
    Buffer **idle;   /* by scope: dead buffers that may be reused */
    Value *counts[DPS_MOST_BUFFERS + 1]; /* constants of the function, made on demand */
    struct Inserted *inserted;           /* in manual mode: allocations, latest first */
    bool ok;
} Dps;

/* dps.c */

/* Returns the extents of the window that an instruction loads: the last two sizes of its view. */
Valid dps_valid_of_window(const Op *op);

/* rewrite.c */

/* Inserts an allocation before `pos`, named after `like`; with `fresh` under an unused name. */
Value *dps_alloc(Dps *d, Op *pos, const Type *type, Valid valid, const Value *like, bool fresh);
/* Gives the inserted allocations their planned addresses. */
void dps_place(Dps *d, const Plan *plan);
/* Makes buffer `value` the destination in place of result `r`, a WRITE slot of `op`. */
void dps_replace(Dps *d, Value *result, Value *value);
/* Turns the instruction into the DPS form; its results must have replacements. */
void dps_rewrite_op(Dps *d, Op *op);
/* Applies the replacements to all operands of a function, and spells tile types of control
 * statements as tile_buf. */
void dps_finish(Dps *d, Op *func);
Value *dps_current(const Dps *d, Value *v);

/* Copies a list of operands and appends one. */
Operand *dps_longer_list(Dps *d, const Operand *list, unsigned n, Value *v, Span span);
/* Appends an operand to the last slot of a statement. */
void dps_add_operand(Dps *d, Op *op, int slot, Value *v);
/* Appends an argument or result named after `like`; the others move and are replaced. NULL: the
 * list is full. */
Value *dps_add_argument(Dps *d, Block *b, const Type *type, const Value *like);
Value *dps_add_result(Dps *d, Op *op, const Type *type, const Value *like);
/* Computes the number of valid rows or columns of a tile before `pos`. */
Value *dps_valid_extent(Dps *d, Op *pos, Value *tile, bool cols);
/* Insert statements before `pos`, named after `like` and the suffix, if there is one. */
Value *dps_select(Dps *d, Op *pos, Value *condition, Value *yes, Value *no, const Value *like,
                  const char *suffix);
Value *dps_equal(Dps *d, Op *pos, Value *a, Value *b, const Value *like);
Value *dps_or(Dps *d, Op *pos, Value *a, Value *b, const Value *like);
/* Returns the constant n, at most DPS_MOST_BUFFERS, at the start of the function. */
Value *dps_count(Dps *d, uint32_t n);

/* share.c */

/* True when all operands of an instruction (with `only_slot`: that one) may have exactly the
 * storage of its destination: it works element by element, all its tiles have one type, and no
 * profile forbids it; or its row permits it. */
bool dps_in_place(const Op *op, int only_slot);
/* True when that holds for each operand that is this value. */
bool dps_reads_in_place(const LiveValue *lv, const Op *op);

/* rotating_buffers.c */

typedef enum TurnsAnswer { TURNS_NONE, TURNS_TAKEN, TURNS_REFUSED } TurnsAnswer;
/* If an earlier tile of a result may be needed when its instruction runs again, gives the result
 * buffers that take turns, together with the results it is merged with, and stores them in
 * Dps.buffers. TURNS_REFUSED: after a diagnostic. */
TurnsAnswer dps_take_turns(Dps *d, const Storage *s, const Type *type, Valid valid);

#endif
