/* Shared by the files of the SSA -> DPS conversion: dps.c decides which buffer a result gets,
 * carry.c treats tiles that go round a loop, rewrite.c changes the program. */
#ifndef PASSES_DPS_H
#define PASSES_DPS_H

#include "passes/live.h"
#include "passes/passes.h"
#include "passes/scratch.h"

/* The valid extents of a tile where its type says `?`; else NULL. */
typedef struct Valid {
    Value *row, *col;
} Valid;

/* An inserted allocation, or a loop argument that stands for one of two. */
typedef struct Buffer {
    struct Buffer *next; /* in the list of idle buffers */
    Value *value;
    const Type *type; /* tile_buf */
    Valid valid;
    const Scope *scope;  /* where the allocation stands */
    const Storage *last; /* what it holds now */
    bool shared;         /* may be reused */
} Buffer;

/* A position up to which a buffer holds a storage. */
typedef struct Ending {
    struct Ending *next;
    Buffer *buffer;
    const Storage *storage;
} Ending;

typedef struct Dps {
    Module *module;
    Context *ctx;
    Arena *arena;     /* of the program */
    Scratch *scratch; /* `step` holds what is known about the function at hand */
    Profile profile;
    const Plan *plan; /* manual mode: where the results lie; else NULL */
    Live *live;       /* of the function at hand */
    PtrMap buffers;   /* const Storage * -> Buffer * */
    PtrMap replaced;  /* Value * -> Value *, followed until it ends */
    Ending **ends;    /* by the last position that needs the contents */
    uint32_t passed;  /* positions of `ends` that have been looked at */
    Buffer **idle;    /* by scope: dead buffers that may be reused */
    bool ok;
} Dps;

/* dps.c */

/* The extents of the window that an instruction loads: the last two sizes of its view. */
Valid dps_valid_of_window(const Op *op);

/* rewrite.c */

/* A new allocation before `pos`, at `addr` unless it is negative, named after `like`; `fresh`: by a
 * name that nothing else has. */
Value *dps_alloc(Dps *d, Op *pos, const Type *type, Valid valid, const Value *like, bool fresh,
                 int64_t addr);
/* A name that nothing in the file has: that of `like` with `suffix` and a number. */
Atom dps_fresh_name(Dps *d, const Value *like, const char *suffix);
/* Makes buffer `value` the destination in place of result `r`, a WRITE slot of `op`. */
void dps_replace(Dps *d, Value *result, Value *value);
/* Turns the instruction into the DPS form; its results have replacements. */
void dps_rewrite_op(Dps *d, Op *op);
/* Follows the replacements in all operands of a function, and gives tile values of control
 * statements the tile_buf spelling. */
void dps_finish(Dps *d, Op *func);
/* Appends a value to each list that scf.for carries: its operands, results, arguments and yields;
 * returns the argument. The yielded value is given later (dps_set_yield). */
Value *dps_carry(Dps *d, Op *loop, Value *init, const Value *like);
void dps_set_yield(Op *loop, const Value *arg, Value *yielded);
Value *dps_current(const Dps *d, Value *v);

/* carry.c */

/* True when the operands (`only_slot`: this one) of an instruction may lie exactly where its
 * destination lies: it works element by element, all its tiles have one type, and no profile
 * forbids it; or its row says so. */
bool dps_in_place(const Op *op, const char *only_slot);
/* Gives a result that overwrites itself two buffers that take turns; NULL after a diagnostic. */
Buffer *dps_rotate(Dps *d, const Storage *s, const Scope *loop, const Type *type, Valid valid);

#endif
